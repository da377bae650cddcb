//! What a device backend hands out: memory, and plans compiled with their tables.

use super::driver::{Driver, Geometry};
use super::lower::{lower, Lowered};
use super::neighbours::narrowed;
use crate::backend::{Buffer, Prepared};
use crate::error::Result;
use crate::pass::{Pass, Slot};
use crate::plan::Plan;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Tables begin at multiples of this.
const ALIGNMENT: usize = 256;

/// Memory of a device.
#[derive(Debug)]
pub struct DeviceBuffer<M> {
    pub(super) memory: M,
    pub(super) bytes: usize,
}

impl<M> DeviceBuffer<M> {
    /// Memory that the caller vouches for: `bytes` of it are there.
    pub fn new(memory: M, bytes: usize) -> Self {
        DeviceBuffer { memory, bytes }
    }

    /// The driver's own handle.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

impl<M: Send + Sync> Buffer for DeviceBuffer<M> {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// One pass, compiled.
pub struct PreparedPass<K> {
    pub kernel: K,
    pub lowered: Lowered,
    /// Where its tables lie, and its matrices.
    pub tables: Range<usize>,
    pub matrices: Range<usize>,
}

/// A plan compiled for a device, with its tables there. Clones share both.
pub struct DevicePrepared<D: Driver>(pub(super) Arc<Inner<D>>);

/// Passes, compiled, and their tables on the device.
pub struct Compiled<D: Driver> {
    pub passes: Vec<PreparedPass<D::Kernel>>,
    pub constants: D::Memory,
    pub constant_bytes: usize,
}

/// What clones share.
pub struct Inner<D: Driver> {
    /// By the widest accesses.
    pub wide: Compiled<D>,
    /// What it was lowered from, where its accesses move several points; and the same for memory that
    /// begins at an element, compiled when it is first asked for.
    passes: Vec<Pass>,
    narrow: OnceLock<Compiled<D>>,
    pub scratch_bytes: usize,
    pub input_bytes: usize,
    pub output_bytes: usize,
    pub not_in_place: Option<String>,
    /// Whether a pass writes what the caller reads.
    pub writes_input: bool,
}

impl<D: Driver> Prepared for DevicePrepared<D> {
    fn scratch_bytes(&self) -> usize {
        self.0.scratch_bytes
    }
}

impl<D: Driver> DevicePrepared<D> {
    /// The lowered passes, for tests and tools.
    pub fn lowered(&self) -> impl Iterator<Item = &Lowered> {
        self.0.wide.passes.iter().map(|p| &p.lowered)
    }
}

impl<D: Driver> Compiled<D> {
    /// Compiles passes, each with its geometry, and puts their tables on the device.
    fn new(driver: &D, passes: impl Iterator<Item = (Pass, Geometry)>) -> Result<Self> {
        let mut constants: Vec<u8> = Vec::new();
        let mut add = |bytes: &[u8]| {
            let at = constants.len().next_multiple_of(ALIGNMENT);
            constants.resize(at, 0);
            constants.extend_from_slice(bytes);
            at..constants.len()
        };
        let mut prepared = Vec::new();
        for (pass, geometry) in passes {
            let (mut lowered, kernel) = compiled(driver, &pass, &geometry)?;
            let (tables, matrices) = (add(&lowered.tables), add(&lowered.matrices));
            // They are on the device from here on.
            lowered.tables = Vec::new();
            lowered.matrices = Vec::new();
            prepared.push(PreparedPass {
                kernel,
                lowered,
                tables,
                matrices,
            });
        }
        let mut memory = driver.allocate(constants.len())?;
        driver.write(&mut memory, 0, &constants)?;
        Ok(Compiled {
            passes: prepared,
            constants: memory,
            constant_bytes: constants.len(),
        })
    }
}

impl<D: Driver> Inner<D> {
    /// Compiles a plan's passes and puts their tables on the device.
    pub fn new(driver: &D, plan: &Plan) -> Result<Self> {
        let geometry = driver.geometry();
        let passes = plan.passes.iter().map(|pass| (pass.clone(), geometry));
        let compiled = Compiled::new(driver, passes)?;
        let scalar = plan.request.precision.row().storage.bytes();
        let wide = |p: &PreparedPass<_>| p.lowered.alignment > p.lowered.element;
        Ok(Inner {
            passes: match compiled.passes.iter().any(wide) {
                true => plan.passes.clone(),
                false => Vec::new(),
            },
            wide: compiled,
            narrow: OnceLock::new(),
            writes_input: plan.passes.iter().any(|p| p.store.slot == Slot::Input),
            scratch_bytes: plan.scratch_bytes,
            input_bytes: plan.input_scalars * scalar,
            output_bytes: plan.output_scalars * scalar,
            not_in_place: plan.not_in_place.clone(),
        })
    }

    /// The most that the passes ask of where memory begins, and what they must.
    pub fn alignments(&self) -> (u64, u64) {
        let most = |of: fn(&Lowered) -> usize| {
            let all = self.wide.passes.iter().map(|p| of(&p.lowered));
            all.max().unwrap_or(1) as u64
        };
        (most(|l| l.alignment), most(|l| l.element))
    }

    /// The passes for memory that begins at an element, but at no multiple of the alignment. Their
    /// tables are their own: where columns do not face each other there are others.
    pub fn narrow(&self, driver: &D) -> Result<&Compiled<D>> {
        if self.passes.is_empty() {
            return Ok(&self.wide);
        }
        if let Some(narrow) = self.narrow.get() {
            return Ok(narrow);
        }
        let geometry = driver.geometry();
        let passes = self.passes.iter().map(|pass| narrowed(pass, &geometry));
        let narrow = Compiled::new(driver, passes)?;
        Ok(self.narrow.get_or_init(|| narrow))
    }
}

/// A pass' program and its kernel, with as many registers as it needs: how many only the compiler
/// knows.
fn compiled<D: Driver>(
    driver: &D,
    pass: &Pass,
    geometry: &Geometry,
) -> Result<(Lowered, D::Kernel)> {
    let mut lowered = lower(pass, geometry)?;
    let mut kernel = driver.kernel(&lowered.program)?;
    while driver.local_bytes(&kernel) > 0 {
        let Some(relaxed) = lowered.program.relaxed() else {
            break;
        };
        lowered.program = relaxed;
        kernel = driver.kernel(&lowered.program)?;
    }
    Ok((lowered, kernel))
}
