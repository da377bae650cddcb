//! From a launch in the contract's words to one in the driver's.

use crate::bindings::{Context, HipMemory, HipStream, Module};
use crate::BACKEND;
use mmafft_backend_traits::device::{Arguments, Launch, Region};
use mmafft_backend_traits::{Error, Result, Side};
use std::sync::Arc;

/// The most blocks of a launch: it counts threads in 32 bits, and a block has up to 1024.
pub(crate) const MOST_BLOCKS: u64 = u32::MAX as u64 / 1024;

/// A kernel, loaded on a device; clones are the same kernel.
#[derive(Debug, Clone)]
pub struct HipKernel(Arc<Module>);

impl HipKernel {
    pub(crate) fn new(module: Arc<Module>) -> HipKernel {
        HipKernel(module)
    }

    /// Registers of a thread.
    pub fn registers(&self) -> usize {
        self.0.registers()
    }

    /// Bytes of a thread in memory: spilled registers, and arrays indexed at run time.
    pub fn local_bytes(&self) -> usize {
        self.0.local_bytes()
    }

    /// Enqueues a launch, or finds before that it cannot be.
    pub(crate) fn launch(&self, stream: &HipStream, launch: &Launch<'_, HipMemory>) -> Result<()> {
        let context = self.0.context();
        if !stream.belongs(context) {
            return Err(refused(
                "the kernel and the stream are of two devices".into(),
            ));
        }
        if launch.blocks > MOST_BLOCKS {
            return Err(refused(format!(
                "a launch of {} blocks: at most {MOST_BLOCKS}",
                launch.blocks
            )));
        }
        let arguments = Arguments::of(launch, |region, side| address(context, region, side))?;
        if launch.blocks == 0 {
            return Ok(());
        }
        self.0.enqueue(stream, launch.blocks as u32, arguments)
    }
}

/// Where a region begins; 0 for one without bytes.
fn address(context: &Context, region: Region<'_, HipMemory>, side: Side) -> Result<u64> {
    if !region.memory.belongs(context) {
        return Err(refused(format!("the {side} is memory of another device")));
    }
    let bytes = region.memory.bytes();
    let rest = bytes.saturating_sub(region.offset);
    Ok(region.memory.part(side, region.offset, rest)?.unwrap_or(0))
}

/// An error before anything ran.
pub(crate) fn refused(message: String) -> Error {
    Error::Device {
        backend: BACKEND.into(),
        message,
        output_touched: false,
    }
}
