//! An order of work on a device, with the scratch of what runs in it.

use crate::any::{AnyBackend, AnyBuffer, AnyStream};
use crate::buffer::Buffer;
use crate::foreign::Foreign;
use mmafft_backend_traits::{Backend, Buffer as _, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An order of work on a device: made by [`crate::Planner::stream`], or another library's.
///
/// What different streams run overlaps, of one [`crate::Transform`] too. A stream keeps the scratch of its runs, one
/// buffer for each thread that uses it at once, as large as the largest run so far needed. Dropping it waits for what
/// uses that.
pub struct Stream {
    // Before the scratch, as dropping a stream of the library's own waits for what runs.
    raw: AnyStream,
    backend: AnyBackend,
    lent: Mutex<Option<AnyBuffer>>,
    scratch: Mutex<Vec<AnyBuffer>>,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.backend.limits().backend)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    pub(crate) fn new(backend: &AnyBackend, raw: AnyStream) -> Self {
        Stream {
            raw,
            backend: backend.clone(),
            lent: Mutex::default(),
            scratch: Mutex::default(),
        }
    }

    pub(crate) fn raw(&self) -> &AnyStream {
        &self.raw
    }

    /// The stream's runs use this scratch, one at a time, where they need no more: memory that another library's
    /// allocator has ordered in the stream, for example.
    pub fn lend(self, scratch: Buffer) -> Self {
        *locked(&self.lent) = Some(scratch.memory);
        self
    }

    /// What was [lent](Stream::lend), without waiting for what uses it.
    ///
    /// # Safety
    /// Nothing else uses the memory before what was run on the stream is done; to free it waits for that.
    pub unsafe fn take_back(&self) -> Option<Buffer> {
        locked(&self.lent).take().map(Buffer::of_bytes)
    }

    /// Waits for what was launched on the stream.
    ///
    /// # Errors
    /// `Device` when something launched has failed.
    pub fn synchronize(&self) -> Result<()> {
        self.backend.wait(&self.raw)
    }

    /// Runs `work` with so many bytes of scratch at least. No lock is held meanwhile.
    pub(crate) fn with_scratch<R>(
        &self,
        bytes: usize,
        work: impl FnOnce(&mut AnyBuffer) -> Result<R>,
    ) -> Result<R> {
        let lent = locked(&self.lent).take();
        let (place, mut scratch) = match lent {
            Some(lent) if lent.bytes() >= bytes => (true, lent),
            lent => {
                *locked(&self.lent) = lent;
                (false, self.scratch(bytes)?)
            }
        };
        let result = work(&mut scratch);
        match place {
            true => *locked(&self.lent) = Some(scratch),
            false => locked(&self.scratch).push(scratch),
        }
        result
    }

    /// Scratch of this size or more that nobody uses.
    fn scratch(&self, bytes: usize) -> Result<AnyBuffer> {
        let pooled = locked(&self.scratch).pop();
        match pooled {
            Some(scratch) if scratch.bytes() >= bytes => return Ok(scratch),
            // Something launched may use it still.
            Some(small) if small.bytes() > 0 => self.synchronize()?,
            _ => {}
        }
        self.backend.allocate(bytes)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let scratch = self.scratch.get_mut();
        let scratch = scratch.unwrap_or_else(PoisonError::into_inner);
        if scratch.iter().any(|buffer| buffer.bytes() > 0) {
            // Of another library's stream nobody else waits. An error is one that an earlier launch left.
            let _ = self.synchronize();
        }
    }
}

#[cfg(all(test, any(feature = "cpu", feature = "emulate")))]
#[path = "stream_tests.rs"]
mod tests;
