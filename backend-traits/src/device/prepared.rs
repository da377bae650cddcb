//! What a device backend hands out: memory, and plans compiled with their tables.

use super::driver::Driver;
use super::lower::{lower, Lowered};
use crate::backend::{Buffer, Prepared};
use crate::error::Result;
use crate::pass::Slot;
use crate::plan::Plan;
use std::sync::Arc;

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
    /// Where its tables begin, and its matrices.
    pub tables: usize,
    pub matrices: usize,
}

/// A plan compiled for a device, with its tables there. Clones share both.
pub struct DevicePrepared<D: Driver>(pub(super) Arc<Inner<D>>);

/// What clones share.
pub struct Inner<D: Driver> {
    pub passes: Vec<PreparedPass<D::Kernel>>,
    pub constants: D::Memory,
    pub constant_bytes: usize,
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
        self.0.passes.iter().map(|p| &p.lowered)
    }
}

impl<D: Driver> Inner<D> {
    /// Compiles a plan's passes and puts their tables on the device.
    pub fn new(driver: &D, plan: &Plan) -> Result<Self> {
        let geometry = driver.geometry();
        let mut constants: Vec<u8> = Vec::new();
        let mut add = |bytes: &[u8]| {
            let at = constants.len().next_multiple_of(ALIGNMENT);
            constants.resize(at, 0);
            constants.extend_from_slice(bytes);
            at
        };
        let mut passes = Vec::new();
        for pass in &plan.passes {
            let mut lowered = lower(pass, &geometry)?;
            let mut kernel = driver.kernel(&lowered.program)?;
            // How many registers a pass needs only its compiler knows.
            while driver.local_bytes(&kernel) > 0 {
                let Some(relaxed) = lowered.program.relaxed() else {
                    break;
                };
                lowered.program = relaxed;
                kernel = driver.kernel(&lowered.program)?;
            }
            let (tables, matrices) = (add(&lowered.tables), add(&lowered.matrices));
            // They are on the device from here on; one byte says that there are some.
            lowered.tables.truncate(1);
            lowered.matrices.truncate(1);
            passes.push(PreparedPass {
                kernel,
                lowered,
                tables,
                matrices,
            });
        }
        let mut memory = driver.allocate(constants.len())?;
        driver.write(&mut memory, 0, &constants)?;
        let scalar = plan.request.precision.row().storage.bytes();
        Ok(Inner {
            writes_input: plan.passes.iter().any(|p| p.store.slot == Slot::Input),
            passes,
            constants: memory,
            constant_bytes: constants.len(),
            scratch_bytes: plan.scratch_bytes,
            input_bytes: plan.input_scalars * scalar,
            output_bytes: plan.output_scalars * scalar,
            not_in_place: plan.not_in_place.clone(),
        })
    }
}
