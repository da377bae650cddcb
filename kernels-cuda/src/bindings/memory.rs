//! Device memory.

use super::status::{INVALID_VALUE, OUT_OF_MEMORY};
use super::{Context, CudaStream};
use crate::BACKEND;
use mmafft_backend_traits::{Error, Result, Side};
use std::sync::Arc;

/// Memory of a device; freed when dropped, once everything that runs is done.
#[derive(Debug)]
pub struct CudaMemory {
    /// `None` for another's memory.
    context: Option<Arc<Context>>,
    /// The address, or 0 if there are no bytes.
    pointer: u64,
    bytes: usize,
}

impl CudaMemory {
    /// Memory of another library, which keeps owning it: it is not freed here.
    ///
    /// # Safety
    /// `bytes` from `pointer` are device memory that the device can read and write as long
    /// as the value, and everything launched with it, lives. What other streams than
    /// blocking ones do with it is ordered by the caller.
    pub unsafe fn from_raw(pointer: u64, bytes: usize) -> CudaMemory {
        CudaMemory {
            context: None,
            pointer,
            bytes,
        }
    }

    pub(crate) fn allocate(context: &Arc<Context>, bytes: usize) -> Result<CudaMemory> {
        let mut memory = CudaMemory {
            context: Some(context.clone()),
            pointer: 0,
            bytes,
        };
        if bytes == 0 {
            return Ok(memory);
        }
        let _entered = context.enter_beside_capture()?;
        // SAFETY: writes one address; a context is current. What it gives is aligned to 256
        // or more.
        let status =
            unsafe { (context.cuda().functions.cuMemAlloc_v2)(&mut memory.pointer, bytes) };
        match status {
            // A size beyond every device's is also answered with an invalid value.
            OUT_OF_MEMORY | INVALID_VALUE => Err(Error::OutOfMemory {
                backend: BACKEND.into(),
                what: "a buffer on the device".into(),
                bytes,
            }),
            _ => context.check("cuMemAlloc", status).map(|()| memory),
        }
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The device's address of the first byte, for other libraries; 0 if there are no bytes.
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Whether work in this context may use the memory. Only its owner knows of another's.
    pub(crate) fn belongs(&self, context: &Context) -> bool {
        let own = self.context.as_ref();
        own.is_none_or(|own| own.same(context))
    }

    /// Copies from the host. On the legacy stream: what was launched on blocking streams is
    /// done first, and what is launched later sees the bytes.
    pub(crate) fn write(&mut self, context: &Context, offset: usize, from: &[u8]) -> Result<()> {
        let Some(to) = self.part(Side::Output, offset, from.len())? else {
            return Ok(());
        };
        let _entered = context.enter_to_wait()?;
        // SAFETY: both ranges exist, the host's until the call returns, by which time the
        // driver has read it.
        let status = unsafe {
            (context.cuda().functions.cuMemcpyHtoD_v2)(to, from.as_ptr().cast(), from.len())
        };
        context.check("cuMemcpyHtoD", status)
    }

    /// Copies to the host, after what was launched on blocking streams.
    pub(crate) fn read(&self, context: &Context, offset: usize, to: &mut [u8]) -> Result<()> {
        let Some(from) = self.part(Side::Input, offset, to.len())? else {
            return Ok(());
        };
        let _entered = context.enter_to_wait()?;
        // SAFETY: both ranges exist, and the call returns when the copy is done.
        let status = unsafe {
            (context.cuda().functions.cuMemcpyDtoH_v2)(to.as_mut_ptr().cast(), from, to.len())
        };
        context.check("cuMemcpyDtoH", status)
    }

    /// Enqueues a copy of the first bytes from one memory to another.
    pub(crate) fn copy(
        context: &Context,
        stream: &CudaStream,
        from: &CudaMemory,
        to: &CudaMemory,
        bytes: usize,
    ) -> Result<()> {
        let ends = (
            from.part(Side::Input, 0, bytes)?,
            to.part(Side::Output, 0, bytes)?,
        );
        let (Some(from), Some(to)) = ends else {
            return Ok(());
        };
        let _entered = context.enter()?;
        // SAFETY: both ranges exist, and freeing either waits for the stream.
        let status = unsafe {
            (context.cuda().functions.cuMemcpyDtoDAsync_v2)(to, from, bytes, stream.raw().0)
        };
        context.check("cuMemcpyDtoDAsync", status)
    }

    /// The address of a part of the memory; `None` for no bytes.
    pub(crate) fn part(&self, side: Side, offset: usize, bytes: usize) -> Result<Option<u64>> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => {
                Ok((self.bytes > 0 && bytes > 0).then(|| self.pointer + offset as u64))
            }
            end => Err(Error::BufferTooShort {
                side,
                expected: end.unwrap_or(usize::MAX),
                got: self.bytes,
                unit: "bytes",
            }),
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let (Some(context), true) = (&self.context, self.pointer != 0) else {
            return;
        };
        // An error is one that an earlier launch left; the memory goes with the context.
        if let Ok(_entered) = context.enter_beside_capture() {
            // SAFETY: allocated here, freed once; the call waits for what uses it.
            unsafe { (context.cuda().functions.cuMemFree_v2)(self.pointer) };
        }
    }
}
