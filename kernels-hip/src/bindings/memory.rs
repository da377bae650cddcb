//! Device memory.

use super::functions::Pointer;
use super::status::{INVALID_VALUE, OUT_OF_MEMORY};
use super::stream::Owned;
use super::{Context, HipStream, Raw};
use crate::BACKEND;
use mmafft_backend_traits::{Error, Result, Side};
use std::sync::Arc;

/// Memory of a device; freed when dropped, once everything that runs is done.
#[derive(Debug)]
pub struct HipMemory {
    /// `None` for another's memory.
    context: Option<Arc<Context>>,
    /// The address, or 0 if there are no bytes.
    pointer: u64,
    bytes: usize,
}

impl HipMemory {
    /// Memory of another library, which keeps owning it: it is not freed here.
    ///
    /// # Safety
    /// `bytes` from `pointer` are device memory that the device can read and write as long
    /// as the value, and everything launched with it, lives. What other streams than
    /// blocking ones do with it is ordered by the caller.
    pub unsafe fn from_raw(pointer: u64, bytes: usize) -> HipMemory {
        HipMemory {
            context: None,
            pointer,
            bytes,
        }
    }

    pub(crate) fn allocate(context: &Arc<Context>, bytes: usize) -> Result<HipMemory> {
        let mut memory = HipMemory {
            context: Some(context.clone()),
            pointer: 0,
            bytes,
        };
        if bytes == 0 {
            return Ok(memory);
        }
        let _entered = context.enter_beside_capture()?;
        let mut address = Raw::NULL;
        // SAFETY: writes one address; the device is current. What it gives is aligned to 256
        // or more.
        let status = unsafe { (context.hip().functions.hipMalloc)(&mut address.0, bytes) };
        match status {
            // A size beyond every device's is also answered with an invalid value.
            OUT_OF_MEMORY | INVALID_VALUE => Err(Error::OutOfMemory {
                backend: BACKEND.into(),
                what: "a buffer on the device".into(),
                bytes,
            }),
            _ => {
                context.check("hipMalloc", status)?;
                memory.pointer = address.0 as usize as u64;
                Ok(memory)
            }
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

    /// Copies from the host. On the null stream: what was launched on blocking streams is
    /// done first, and what is launched later sees the bytes. While a graph is recorded, on a
    /// stream apart, after what was launched on streams created here.
    pub(crate) fn write(
        &mut self,
        context: &Arc<Context>,
        offset: usize,
        from: &[u8],
    ) -> Result<()> {
        let Some(to) = self.part(Side::Output, offset, from.len())? else {
            return Ok(());
        };
        let entered = context.enter_to_wait()?;
        let functions = &context.hip().functions;
        let (bytes, host) = (from.len(), from.as_ptr().cast());
        let on_null = || {
            // SAFETY: both ranges exist, the host's until the call returns, by which time the
            // runtime has read it.
            let status = unsafe { (functions.hipMemcpyHtoD)(at(to), host, bytes) };
            context.check("hipMemcpyHtoD", status)
        };
        let apart = || {
            context.wait_for_own(&entered)?;
            let stream = Owned::apart(context)?;
            // SAFETY: as above; the stream is waited for before the host's range ends.
            let status =
                unsafe { (functions.hipMemcpyHtoDAsync)(at(to), host, bytes, stream.raw().0) };
            let queued = context.check("hipMemcpyHtoDAsync", status);
            queued.and(stream.synchronize())
        };
        context.choose(on_null, apart)
    }

    /// Copies to the host, after what was launched on blocking streams; see
    /// [`HipMemory::write`].
    pub(crate) fn read(&self, context: &Arc<Context>, offset: usize, to: &mut [u8]) -> Result<()> {
        let Some(from) = self.part(Side::Input, offset, to.len())? else {
            return Ok(());
        };
        let entered = context.enter_to_wait()?;
        let functions = &context.hip().functions;
        let (bytes, host) = (to.len(), to.as_mut_ptr().cast());
        let on_null = || {
            // SAFETY: both ranges exist, and the call returns when the copy is done.
            let status = unsafe { (functions.hipMemcpyDtoH)(host, at(from), bytes) };
            context.check("hipMemcpyDtoH", status)
        };
        let apart = || {
            context.wait_for_own(&entered)?;
            let stream = Owned::apart(context)?;
            // SAFETY: as above; the stream is waited for before the host's range ends.
            let status =
                unsafe { (functions.hipMemcpyDtoHAsync)(host, at(from), bytes, stream.raw().0) };
            let queued = context.check("hipMemcpyDtoHAsync", status);
            queued.and(stream.synchronize())
        };
        context.choose(on_null, apart)
    }

    /// Enqueues a copy of the first `bytes` of one memory to another.
    pub(crate) fn copy(
        context: &Context,
        stream: &HipStream,
        from: &HipMemory,
        to: &HipMemory,
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
            (context.hip().functions.hipMemcpyDtoDAsync)(at(to), at(from), bytes, stream.raw().0)
        };
        context.check("hipMemcpyDtoDAsync", status)
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

/// An address as the runtime takes it.
fn at(pointer: u64) -> Pointer {
    pointer as usize as Pointer
}

impl Drop for HipMemory {
    fn drop(&mut self) {
        let (Some(context), true) = (&self.context, self.pointer != 0) else {
            return;
        };
        // An error is one that an earlier launch left; the memory goes with the process.
        if let Ok(_entered) = context.enter_beside_capture() {
            // SAFETY: allocated here, freed once; the call waits for what uses it.
            unsafe { (context.hip().functions.hipFree)(at(self.pointer)) };
        }
    }
}
