//! The emulated devices as a [`Driver`].

use crate::bindings::{self, Failure, Memory, Run};
use crate::limits;
use crate::ranges::Device;
use mmafft_backend_traits::device::Program;
use mmafft_backend_traits::device::{Driver, Geometry, Launch, Vendor};
use mmafft_backend_traits::{Error, Limits, Result};
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard};

/// How many devices of each vendor there are, from 0.
pub const DEVICES: usize = 8;

/// The granules that memory over several devices is made of: small, so that small arrays lie on several.
const GRANULE: usize = 256;

/// The memory of an emulated device: asking for more is an error here as there.
const CAPACITY: usize = 4 << 30;

/// In what order a block's threads run between barriers, and the blocks of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The first one first.
    #[default]
    Forward,
    /// The last one first.
    Reverse,
    /// By this seed; another permutation of the threads after every barrier.
    Shuffled(u64),
}

/// What launches have done.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Bytes read from device memory, but for those that are looked up in tables.
    pub bytes_read: u64,
    /// Bytes written to device memory.
    pub bytes_written: u64,
    /// Bytes looked up in tables and matrices, which no launch changes.
    pub constant_bytes: u64,
    /// Reads of shared memory, a `Pair` each.
    pub shared_reads: u64,
    /// Writes of shared memory, those of asynchronous copies included.
    pub shared_writes: u64,
    /// Barriers that a block passed.
    pub barriers: u64,
    /// Waits for asynchronous copies, of a block's first thread.
    pub waits: u64,
    /// Shuffles and matrix products of a wave.
    pub collectives: u64,
    /// Bytes that blocks asked for on behalf of later tiles.
    pub bytes_asked: u64,
    /// A sum over these bytes' addresses, and the tile that each is for.
    pub asked: u64,
    /// The same sum over what the tiles read that could have been asked for.
    pub read_later: u64,
    /// Cycles of shared memory for reads by waves, where [`EmulatedDriver::patterns`] counts.
    pub shared_read_cycles: Pattern,
    /// The same for writes.
    pub shared_write_cycles: Pattern,
    /// Segments of memory that reads by waves touch: of 32 bytes on NVIDIA's device, of 64 on
    /// AMD's. Tables are left out.
    pub read_segments: Pattern,
    /// The same for writes.
    pub write_segments: Pattern,
}

/// What the instructions of waves took together.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pattern {
    /// What they took.
    pub taken: u64,
    /// The least that as many bytes take.
    pub least: u64,
}

impl Pattern {
    /// How many times the least they took; 1 where there was nothing.
    pub fn excess(&self) -> f64 {
        match self.least {
            0 => 1.0,
            least => self.taken as f64 / least as f64,
        }
    }
}

impl std::ops::AddAssign for Pattern {
    fn add_assign(&mut self, more: Self) {
        self.taken += more.taken;
        self.least += more.least;
    }
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, more: Self) {
        self.bytes_read += more.bytes_read;
        self.bytes_written += more.bytes_written;
        self.constant_bytes += more.constant_bytes;
        self.shared_reads += more.shared_reads;
        self.shared_writes += more.shared_writes;
        self.barriers += more.barriers;
        self.waits += more.waits;
        self.collectives += more.collectives;
        self.bytes_asked += more.bytes_asked;
        self.asked = self.asked.wrapping_add(more.asked);
        self.read_later = self.read_later.wrapping_add(more.read_later);
        self.shared_read_cycles += more.shared_read_cycles;
        self.shared_write_cycles += more.shared_write_cycles;
        self.read_segments += more.read_segments;
        self.write_segments += more.write_segments;
    }
}

/// A program, kept: the emulator runs every program, and compiles none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    program: Program,
    entry: CString,
}

/// An emulated device. Launches run in the calling thread and end before `launch` returns.
#[derive(Debug)]
pub struct EmulatedDriver {
    vendor: Vendor,
    limits: Limits,
    order: Order,
    skip_barrier: Option<u32>,
    skip_wait: Option<u32>,
    patterns: bool,
    capacity: usize,
    ordinal: usize,
    alone: bool,
    counters: Mutex<Counters>,
}

impl EmulatedDriver {
    /// `emulated-nvidia`: 32 lanes, `mma.sync`, 227 KiB of shared memory.
    pub fn nvidia() -> Self {
        Self::new(Vendor::Nvidia)
    }

    /// `emulated-amd`: 64 lanes, MFMA, 64 KiB of shared memory.
    pub fn amd() -> Self {
        Self::new(Vendor::Amd)
    }

    fn new(vendor: Vendor) -> Self {
        EmulatedDriver {
            vendor,
            limits: limits::limits(vendor),
            order: Order::default(),
            skip_barrier: None,
            skip_wait: None,
            capacity: CAPACITY,
            patterns: false,
            ordinal: 0,
            alone: false,
            counters: Mutex::default(),
        }
    }

    /// Threads and blocks run in this order.
    pub fn order(self, order: Order) -> Self {
        EmulatedDriver { order, ..self }
    }

    /// With so much memory for a buffer: asking for more is an error, as on a device.
    pub fn capacity(self, bytes: usize) -> Self {
        EmulatedDriver {
            capacity: bytes,
            ..self
        }
    }

    /// The device of this number, with memory of its own.
    ///
    /// # Errors
    /// `NoDevice` of a number from [`DEVICES`] on.
    pub fn numbered(self, ordinal: usize) -> Result<Self> {
        match ordinal < DEVICES {
            true => Ok(EmulatedDriver { ordinal, ..self }),
            false => Err(Error::NoDevice {
                backend: self.limits.backend,
                reason: format!("there is no device {ordinal}: {DEVICES} are emulated, from 0"),
                remedy: "choose one of these".into(),
            }),
        }
    }

    /// The device's number.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Whether it is a device that reaches no other's memory.
    pub fn alone(self, alone: bool) -> Self {
        EmulatedDriver { alone, ..self }
    }

    /// Whether the device reads and writes another's memory, once that is mapped for it.
    pub fn reaches(&self, other: &EmulatedDriver) -> bool {
        let far = self.alone || other.alone || self.vendor != other.vendor;
        self.ordinal == other.ordinal || !far
    }

    /// Memory of at least so many bytes over several devices, all of which read and write it. `homes` gets the bytes of a
    /// granule and says for each which of the devices has it, which changes nothing here.
    ///
    /// # Errors
    /// `Unsupported` where a device does not reach another, `OutOfMemory`.
    pub fn over_devices(
        devices: &[&EmulatedDriver],
        bytes: usize,
        homes: &dyn Fn(usize) -> Vec<usize>,
    ) -> Result<Memory> {
        let mut all = 0;
        for device in devices {
            if let Some(other) = devices.iter().find(|other| !device.reaches(other)) {
                return Err(Error::Unsupported {
                    what: format!(
                        "memory of device {} that device {} reads",
                        other.ordinal, device.ordinal
                    ),
                    backend: device.limits.backend.into(),
                    instead: "exchange messages".into(),
                });
            }
            all |= device.bit();
        }
        let known = homes(GRANULE).iter().all(|&home| home < devices.len());
        let room = devices.iter().all(|device| bytes <= device.capacity);
        let memory = (known && room).then(|| Memory::new(bytes, all)).flatten();
        memory.ok_or_else(|| Error::OutOfMemory {
            backend: devices
                .first()
                .map_or("emulated", |d| d.limits.backend)
                .into(),
            what: "memory over several devices".into(),
            bytes,
        })
    }

    /// The device among all that are emulated.
    fn bit(&self) -> Device {
        let vendor = u64::from(self.vendor == Vendor::Amd);
        1 << (2 * self.ordinal as u64 + vendor)
    }

    /// The barrier of this number, counted from 0 in each block, is not there.
    pub fn skip_barrier(self, number: Option<u32>) -> Self {
        EmulatedDriver {
            skip_barrier: number,
            ..self
        }
    }

    /// The wait for copies of this number, counted from 0 in each block, is not there.
    pub fn skip_wait(self, number: Option<u32>) -> Self {
        EmulatedDriver {
            skip_wait: number,
            ..self
        }
    }

    /// Counts how the lanes of each wave touch memory together.
    pub fn patterns(self, count: bool) -> Self {
        EmulatedDriver {
            patterns: count,
            ..self
        }
    }

    /// The sum over all launches since the driver was made or this was last called.
    pub fn take_counters(&self) -> Counters {
        std::mem::take(&mut *self.total())
    }

    fn total(&self) -> MutexGuard<'_, Counters> {
        let lock = self.counters.lock();
        lock.unwrap_or_else(|poison| poison.into_inner())
    }

    fn failed(&self, message: String, output_touched: bool) -> Error {
        Error::Device {
            backend: self.limits.backend.into(),
            message,
            output_touched,
        }
    }
}

impl Driver for EmulatedDriver {
    type Memory = Memory;
    type Kernel = Kernel;
    type Stream = ();

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn geometry(&self) -> Geometry {
        limits::geometry(self.vendor)
    }

    fn allocate(&self, bytes: usize) -> Result<Memory> {
        let memory = (bytes <= self.capacity)
            .then(|| Memory::new(bytes, self.bit()))
            .flatten();
        memory.ok_or_else(|| Error::OutOfMemory {
            backend: self.limits.backend.into(),
            what: "a buffer".into(),
            bytes,
        })
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.address()
    }

    fn write(&self, memory: &mut Memory, offset: usize, bytes: &[u8]) -> Result<()> {
        memory.write(offset, bytes);
        Ok(())
    }

    fn read(&self, memory: &Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        memory.read(offset, bytes);
        Ok(())
    }

    fn local_bytes(&self, _: &Kernel) -> usize {
        0
    }

    fn kernel(&self, program: &Program) -> Result<Kernel> {
        let refused = |why: String| Err(self.failed(format!("{}: {why}", program.entry), false));
        let entry = CString::new(program.entry).unwrap_or_default();
        if !bindings::has_entry(self.vendor, &entry) {
            return refused("no kernel has this name".into());
        }
        let words = bindings::config_words();
        if program.config.len() != words {
            let got = program.config.len();
            return refused(format!("the configuration has {got} words, not {words}"));
        }
        let geometry = self.geometry();
        if program.shared_bytes > geometry.shared_bytes {
            let got = program.shared_bytes;
            let most = geometry.shared_bytes;
            return refused(format!("{got} bytes of shared memory, of at most {most}"));
        }
        Ok(Kernel {
            program: program.clone(),
            entry,
        })
    }

    fn default_stream(&self) -> &() {
        &()
    }

    fn launch(&self, _: &(), kernel: &Kernel, launch: &Launch<'_, Memory>) -> Result<()> {
        let run = Run {
            vendor: self.vendor,
            device: self.bit(),
            entry: &kernel.entry,
            config: &kernel.program.config,
            threads: kernel.program.threads,
            shared_bytes: kernel.program.shared_bytes,
            order: match self.order {
                Order::Forward => (0, 0),
                Order::Reverse => (1, 0),
                Order::Shuffled(seed) => (2, seed),
            },
            skip_barrier: self.skip_barrier,
            skip_wait: self.skip_wait,
            patterns: self.patterns,
        };
        let (counters, result) = bindings::run(&run, launch);
        *self.total() += counters;
        result.map_err(|Failure { message, begun }| self.failed(message, begun))
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
