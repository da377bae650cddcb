//! Device memory.

use crate::calls::{Address, Raw, INVALID_VALUE, OUT_OF_MEMORY};
use crate::stream::Owned;
use crate::{Context, Interface, Stream};
use mmafft_backend_traits::device::Region;
use mmafft_backend_traits::{Error, Result, Slot};
use std::sync::Arc;

/// Memory of a device; freed when dropped, once everything that runs is done.
#[derive(Debug)]
pub struct Memory<I: Interface> {
    /// `None` for another's memory.
    context: Option<Arc<Context<I>>>,
    /// The address, or 0 if there are no bytes.
    pointer: Address,
    bytes: usize,
}

impl<I: Interface> Memory<I> {
    /// Memory of another library, which keeps owning it: it is not freed here.
    ///
    /// # Safety
    /// `bytes` from `pointer` are device memory that the device can read and write as long as the value, and
    /// everything launched with it, lives. What other streams than blocking ones do with it is ordered by the
    /// caller.
    pub unsafe fn from_raw(pointer: u64, bytes: usize) -> Memory<I> {
        Memory {
            context: None,
            pointer,
            bytes,
        }
    }

    pub(crate) fn allocate(context: &Arc<Context<I>>, bytes: usize) -> Result<Memory<I>> {
        let mut memory = Memory {
            context: Some(context.clone()),
            pointer: 0,
            bytes,
        };
        if bytes == 0 {
            return Ok(memory);
        }
        let _entered = context.enter_beside_capture()?;
        let mut address = 0;
        // SAFETY: writes one address; the device is current. What it gives is aligned to 256 or more.
        let answer = unsafe { context.calls().allocate(&mut address, bytes) };
        match answer.status {
            // A size beyond every device's is also answered with an invalid value.
            OUT_OF_MEMORY | INVALID_VALUE => Err(Error::OutOfMemory {
                backend: I::BACKEND.into(),
                what: "a buffer on the device".into(),
                bytes,
            }),
            _ => {
                context.api().check(answer)?;
                memory.pointer = address;
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
    pub(crate) fn belongs(&self, context: &Context<I>) -> bool {
        let own = self.context.as_ref();
        own.is_none_or(|own| own.same(context))
    }

    /// Copies from the host. On the null stream: what was launched on blocking streams is done first, and what
    /// is launched later, on whatever stream, sees the bytes. Where that would end the recording of a graph, on a stream
    /// apart, after what was launched on streams created here.
    pub(crate) fn write(
        &mut self,
        context: &Arc<Context<I>>,
        offset: usize,
        from: &[u8],
    ) -> Result<()> {
        let Some(to) = self.part(Slot::Output, offset, from.len())? else {
            return Ok(());
        };
        let entered = context.enter_to_wait()?;
        let (calls, bytes, host) = (context.calls(), from.len(), from.as_ptr().cast());
        let on_null = || {
            // SAFETY: both ranges exist, the host's until the call returns, by which time the driver has read
            // it.
            let answer = unsafe { calls.copy_in(to, host, bytes) };
            context.api().check(answer)?;
            // It has only staged the bytes by then, and streams that do not block would not wait for the rest.
            // SAFETY: the null stream, of what is current.
            let answer = unsafe { calls.wait_for_stream(Raw::NULL.0) };
            context.api().check(answer)
        };
        let apart = || {
            context.wait_for_own(&entered)?;
            let stream = Owned::apart(context)?;
            // SAFETY: as above; the stream is waited for before the host's range ends.
            let answer = unsafe { calls.enqueue_copy_in(to, host, bytes, stream.raw().0) };
            let queued = context.api().check(answer);
            queued.and(stream.synchronize())
        };
        context.choose(on_null, apart)
    }

    /// Copies from the host on a stream, and waits for it.
    pub(crate) fn write_by(
        &mut self,
        context: &Context<I>,
        stream: &Stream<I>,
        from: &[u8],
    ) -> Result<()> {
        let Some(to) = self.part(Slot::Output, 0, from.len())? else {
            return Ok(());
        };
        let _entered = context.enter_to_wait()?;
        let (calls, bytes, host) = (context.calls(), from.len(), from.as_ptr().cast());
        // SAFETY: both ranges exist; the stream is waited for before the host's range ends.
        let answer = unsafe { calls.enqueue_copy_in(to, host, bytes, stream.raw().0) };
        context.api().check(answer).and(stream.synchronize())
    }

    /// Copies to the host on a stream, and waits for it.
    pub(crate) fn read_by(
        &self,
        context: &Context<I>,
        stream: &Stream<I>,
        to: &mut [u8],
    ) -> Result<()> {
        let Some(from) = self.part(Slot::Input, 0, to.len())? else {
            return Ok(());
        };
        let _entered = context.enter_to_wait()?;
        let (calls, bytes, host) = (context.calls(), to.len(), to.as_mut_ptr().cast());
        // SAFETY: as above.
        let answer = unsafe { calls.enqueue_copy_out(host, from, bytes, stream.raw().0) };
        context.api().check(answer).and(stream.synchronize())
    }

    /// Copies to the host, after what was launched on blocking streams; see [`Memory::write`].
    pub(crate) fn read(
        &self,
        context: &Arc<Context<I>>,
        offset: usize,
        to: &mut [u8],
    ) -> Result<()> {
        let Some(from) = self.part(Slot::Input, offset, to.len())? else {
            return Ok(());
        };
        let entered = context.enter_to_wait()?;
        let (calls, bytes, host) = (context.calls(), to.len(), to.as_mut_ptr().cast());
        let on_null = || {
            // SAFETY: both ranges exist, and the call returns when the copy is done.
            let answer = unsafe { calls.copy_out(host, from, bytes) };
            context.api().check(answer)
        };
        let apart = || {
            context.wait_for_own(&entered)?;
            let stream = Owned::apart(context)?;
            // SAFETY: as above; the stream is waited for before the host's range ends.
            let answer = unsafe { calls.enqueue_copy_out(host, from, bytes, stream.raw().0) };
            let queued = context.api().check(answer);
            queued.and(stream.synchronize())
        };
        context.choose(on_null, apart)
    }

    /// Enqueues a copy of the first `bytes` of one memory to another.
    pub(crate) fn copy(
        context: &Context<I>,
        stream: &Stream<I>,
        from: &Memory<I>,
        to: &Memory<I>,
        bytes: usize,
    ) -> Result<()> {
        let ends = (
            from.part(Slot::Input, 0, bytes)?,
            to.part(Slot::Output, 0, bytes)?,
        );
        let (Some(from), Some(to)) = ends else {
            return Ok(());
        };
        let _entered = context.enter()?;
        // SAFETY: both ranges exist, and freeing either waits for the stream.
        let answer = unsafe {
            context
                .calls()
                .enqueue_copy(to, from, bytes, stream.raw().0)
        };
        context.api().check(answer)
    }

    /// Enqueues zeros for whole words of 32 bits from a region's begin on.
    pub(crate) fn clear(
        context: &Context<I>,
        stream: &Stream<I>,
        region: Region<'_, Memory<I>>,
        bytes: usize,
    ) -> Result<()> {
        let Some(to) = region.memory.part(Slot::Scratch, region.offset, bytes)? else {
            return Ok(());
        };
        let _entered = context.enter()?;
        let (calls, words) = (context.calls(), bytes / 4);
        // SAFETY: the range exists, and freeing it waits for the stream.
        let answer = unsafe { calls.enqueue_clear(to, 0, words, stream.raw().0) };
        context.api().check(answer)
    }

    /// The address of a part of the memory; `None` for no bytes.
    pub(crate) fn part(&self, side: Slot, offset: usize, bytes: usize) -> Result<Option<Address>> {
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

impl<I: Interface> Drop for Memory<I> {
    fn drop(&mut self) {
        let (Some(context), true) = (&self.context, self.pointer != 0) else {
            return;
        };
        // An error is one that an earlier launch left; the memory goes with the process.
        if let Ok(_entered) = context.enter_beside_capture() {
            // SAFETY: allocated here, freed once; the call waits for what uses it.
            let _ = unsafe { context.calls().free(self.pointer) };
        }
    }
}
