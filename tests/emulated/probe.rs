//! An emulated device that watches each launch, and runs one of them with something missing.

use mmafft::backend_traits::device::{DeviceBackend, Driver, Geometry, Launch, Program};
use mmafft::emulated::{Counters, EmulatedDriver, Kernel, Memory, Order};
use mmafft::{Limits, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The orders in which every test runs its threads.
pub const ORDERS: [Order; 3] = [Order::Forward, Order::Reverse, Order::Shuffled(1)];

/// Whose kernels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// 32 lanes.
    Nvidia,
    /// 64 lanes.
    Amd,
}

impl Vendor {
    pub const ALL: [Vendor; 2] = [Vendor::Nvidia, Vendor::Amd];

    pub fn driver(self) -> EmulatedDriver {
        match self {
            Vendor::Nvidia => EmulatedDriver::nvidia(),
            Vendor::Amd => EmulatedDriver::amd(),
        }
    }
}

/// What is not there, counted from 0 in each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Barrier(u32),
    Wait(u32),
}

/// What one launch ran and did.
#[derive(Debug, Clone)]
pub struct Record {
    pub program: Program,
    pub blocks: u64,
    pub tiles: u64,
    pub counters: Counters,
}

/// The device. Launches count from 0 since it was made.
pub struct Probe {
    whole: EmulatedDriver,
    /// The launch that runs elsewhere, and where.
    broken: Option<(usize, EmulatedDriver)>,
    limits: Limits,
    blocks: u64,
    /// Bytes added to where memory begins, as far as anyone asks.
    begins_at: usize,
    launched: AtomicUsize,
    records: Mutex<Vec<Record>>,
}

impl Probe {
    pub fn new(vendor: Vendor, order: Order) -> Self {
        let whole = vendor.driver().order(order);
        Probe {
            limits: whole.limits().clone(),
            blocks: whole.geometry().blocks,
            broken: None,
            begins_at: 0,
            whole,
            launched: AtomicUsize::new(0),
            records: Mutex::default(),
        }
    }

    /// Plans are made for tiles of so many bytes, which no blocks share: what a block does not hold takes passes.
    pub fn tile_bytes(mut self, bytes: Option<usize>) -> Self {
        if let Some(bytes) = bytes {
            self.limits.tile_bytes = bytes;
            self.limits.cluster_blocks = 0;
        }
        self
    }

    /// The same, but so many blocks may share one.
    pub fn cluster_blocks(mut self, blocks: usize) -> Self {
        self.limits.cluster_blocks = blocks;
        self
    }

    /// Plans are made for so many multiprocessors.
    pub fn workers(mut self, workers: usize) -> Self {
        self.limits.workers = workers;
        self
    }

    /// A launch has no more blocks than these: each takes several tiles.
    pub fn blocks(mut self, blocks: Option<u64>) -> Self {
        self.blocks = blocks.unwrap_or(self.blocks);
        self
    }

    /// Says of all memory that it begins so many bytes later: that accesses may be no wider.
    pub fn begins_at(mut self, bytes: usize) -> Self {
        self.begins_at = bytes;
        self
    }

    /// Counts how lanes touch memory together.
    pub fn patterns(mut self) -> Self {
        self.whole = self.whole.patterns(true);
        self
    }

    /// In launch `number`, this is missing.
    pub fn without(mut self, vendor: Vendor, order: Order, number: usize, what: Missing) -> Self {
        let driver = vendor.driver().order(order);
        let driver = match what {
            Missing::Barrier(n) => driver.skip_barrier(Some(n)),
            Missing::Wait(n) => driver.skip_wait(Some(n)),
        };
        self.broken = Some((number, driver));
        self
    }

    pub fn backend(self) -> DeviceBackend<Probe> {
        DeviceBackend::new(self)
    }

    /// All launches so far; of one thread, or their counters are not theirs alone.
    pub fn records(&self) -> Vec<Record> {
        self.records.lock().expect("no push panics").clone()
    }
}

/// A kernel, and what it was made from.
pub struct Watched {
    kernel: Kernel,
    program: Program,
}

impl Driver for Probe {
    type Memory = Memory;
    type Kernel = Watched;
    type Stream = ();

    fn limits(&self) -> &Limits {
        &self.limits
    }
    fn geometry(&self) -> Geometry {
        Geometry {
            blocks: self.blocks,
            ..self.whole.geometry()
        }
    }
    fn allocate(&self, bytes: usize) -> Result<Memory> {
        self.whole.allocate(bytes)
    }
    fn address(&self, memory: &Memory) -> u64 {
        self.whole.address(memory) + self.begins_at as u64
    }
    fn write(&self, memory: &mut Memory, offset: usize, bytes: &[u8]) -> Result<()> {
        self.whole.write(memory, offset, bytes)
    }
    fn read(&self, memory: &Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.whole.read(memory, offset, bytes)
    }
    fn local_bytes(&self, _: &Watched) -> usize {
        0
    }

    fn kernel(&self, program: &Program) -> Result<Watched> {
        Ok(Watched {
            kernel: self.whole.kernel(program)?,
            program: program.clone(),
        })
    }
    fn default_stream(&self) -> &() {
        &()
    }
    fn launch(&self, _: &(), kernel: &Watched, launch: &Launch<'_, Memory>) -> Result<()> {
        let this = self.launched.fetch_add(1, Ordering::Relaxed);
        let driver = match &self.broken {
            Some((number, driver)) if *number == this => driver,
            _ => &self.whole,
        };
        let result = driver.launch(&(), &kernel.kernel, launch);
        let lines = crate::words::head(&kernel.program, "lines").max(1) as u64;
        let record = Record {
            program: kernel.program.clone(),
            blocks: launch.blocks,
            tiles: launch.lines.div_ceil(lines),
            counters: driver.take_counters(),
        };
        self.records.lock().expect("no push panics").push(record);
        result
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
