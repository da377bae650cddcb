//! From a launch in the contract's words to one in the driver's.

use crate::bindings::{Context, CudaMemory, CudaStream, Module};
use crate::BACKEND;
use mmafft_backend_traits::device::{Launch, Region};
use mmafft_backend_traits::{Error, Result, Side};
use std::sync::Arc;

/// The most blocks of a launch, along its first axis.
pub(crate) const MOST_BLOCKS: u64 = i32::MAX as u64;

/// `Arguments` of `device/config.hpp`, field for field. Pointers are numbers: the host does
/// not follow them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Arguments {
    load: u64,
    store: u64,
    extra: u64,
    tables: u64,
    matrices: u64,
    lines: u64,
    scale: f64,
}

/// A kernel, loaded on a device; clones are the same kernel.
#[derive(Debug, Clone)]
pub struct CudaKernel(Arc<Module>);

impl CudaKernel {
    pub(crate) fn new(module: Arc<Module>) -> CudaKernel {
        CudaKernel(module)
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
    pub(crate) fn launch(
        &self,
        stream: &CudaStream,
        launch: &Launch<'_, CudaMemory>,
    ) -> Result<()> {
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
        let arguments = arguments(context, launch)?;
        if launch.blocks == 0 {
            return Ok(());
        }
        self.0.enqueue(stream, launch.blocks as u32, arguments)
    }
}

fn arguments(context: &Context, launch: &Launch<'_, CudaMemory>) -> Result<Arguments> {
    let at = |region: Region<'_, CudaMemory>, side| address(context, region, side);
    let may = |region: Option<_>| region.map_or(Ok(0), |region| at(region, Side::Scratch));
    Ok(Arguments {
        load: at(launch.load, Side::Input)?,
        store: at(launch.store, Side::Output)?,
        extra: may(launch.extra)?,
        tables: may(launch.tables)?,
        matrices: may(launch.matrices)?,
        lines: launch.lines,
        scale: launch.scale,
    })
}

/// Where a region begins; 0 for one without bytes.
fn address(context: &Context, region: Region<'_, CudaMemory>, side: Side) -> Result<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{align_of, offset_of, size_of};

    #[test]
    fn arguments_lie_as_the_device_reads_them() {
        // Seven 64-bit words in the order of config.hpp; the device test reads them all.
        assert_eq!((size_of::<Arguments>(), align_of::<Arguments>()), (56, 8));
        assert_eq!(offset_of!(Arguments, matrices), 32);
        assert_eq!(offset_of!(Arguments, lines), 40);
        assert_eq!(offset_of!(Arguments, scale), 48);
    }
}
