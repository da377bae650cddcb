//! A device's primary context, which the CUDA runtime and every library in the process
//! share: memory, streams and kernels of theirs and of ours can be used together.

use super::driver::{Cuda, Handle};
use super::functions::Status;
use super::stream::Owned;
use super::Raw;
use mmafft_backend_traits::Result;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: what other threads record is not looked at.
const THREAD_LOCAL: c_int = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: nor what this one records.
const RELAXED: c_int = 2;

/// A primary context, retained until dropped.
pub struct Context {
    device: Handle,
    raw: Raw,
    /// What there is to wait for.
    streams: Mutex<Vec<Weak<Owned>>>,
}

impl Context {
    /// Retains the device's primary context.
    pub fn retain(device: Handle) -> Result<Context> {
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; the device came from the driver.
        let status =
            unsafe { (device.cuda.functions.cuDevicePrimaryCtxRetain)(&mut raw.0, device.device) };
        device.cuda.check("cuDevicePrimaryCtxRetain", status)?;
        Ok(Context {
            device,
            raw,
            streams: Mutex::default(),
        })
    }

    pub(super) fn device(&self) -> Handle {
        self.device
    }

    pub(super) fn cuda(&self) -> &'static Cuda {
        self.device.cuda
    }

    pub(super) fn check(&self, call: &str, status: Status) -> Result<()> {
        self.cuda().check(call, status)
    }

    /// Whether both are of one device. There may be several of one, retained at different
    /// times.
    pub fn same(&self, other: &Context) -> bool {
        self.raw == other.raw
    }

    /// Makes the context the calling thread's until the guard is dropped. A thread that had
    /// none keeps it: nothing of the thread's owner can depend on having none.
    pub(super) fn enter(&self) -> Result<Entered<'_>> {
        let functions = &self.cuda().functions;
        let mut previous = Raw::NULL;
        // SAFETY: writes one handle.
        let status = unsafe { (functions.cuCtxGetCurrent)(&mut previous.0) };
        self.check("cuCtxGetCurrent", status)?;
        if previous == self.raw {
            previous = Raw::NULL;
        } else {
            // SAFETY: the context is retained.
            let status = unsafe { (functions.cuCtxSetCurrent)(self.raw.0) };
            self.check("cuCtxSetCurrent", status)?;
        }
        Ok(Entered {
            context: self,
            previous,
            mode: None,
        })
    }

    /// As [`Context::enter`], for calls that do not belong to what the thread may be
    /// recording into a graph and must not end it: allocating, freeing, loading.
    pub(super) fn enter_beside_capture(&self) -> Result<Entered<'_>> {
        self.enter_in_mode(RELAXED)
    }

    /// As [`Context::enter`], for calls that wait. By default they end what another thread
    /// is recording, if that forbade it to all (`CU_STREAM_CAPTURE_MODE_GLOBAL`): mmafft
    /// does not, other libraries do.
    pub(super) fn enter_to_wait(&self) -> Result<Entered<'_>> {
        self.enter_in_mode(THREAD_LOCAL)
    }

    fn enter_in_mode(&self, mut mode: c_int) -> Result<Entered<'_>> {
        let mut entered = self.enter()?;
        // SAFETY: reads the thread's new mode from, and writes the old one to, one int.
        let status =
            unsafe { (self.cuda().functions.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        self.check("cuThreadExchangeStreamCaptureMode", status)?;
        entered.mode = Some(mode);
        Ok(entered)
    }

    /// From now on [`Context::wait`] waits for the stream, as long as it lives.
    pub(super) fn enlist(&self, stream: &Arc<Owned>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Waits for all streams.
    pub fn synchronize(&self) -> Result<()> {
        self.wait(&self.enter_to_wait()?)
    }

    /// Waits for the streams created here, and for the legacy stream with all blocking ones
    /// of others. Not by `cuCtxSynchronize`, which fails while any thread records a graph,
    /// and ends the recording.
    pub(super) fn wait(&self, _entered: &Entered) -> Result<()> {
        let streams: Vec<Arc<Owned>> = {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.iter().filter_map(Weak::upgrade).collect()
        };
        // For all of them, also after an error: what they ran may be unloaded next.
        let waited = streams.iter().map(|stream| stream.synchronize());
        let waited = waited.fold(Ok(()), Result::and);
        // SAFETY: null is the legacy stream, of the current context.
        let status = unsafe { (self.cuda().functions.cuStreamSynchronize)(Raw::NULL.0) };
        waited.and(self.check("cuStreamSynchronize", status))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, released once. What lives in the context holds it by `Arc`.
        unsafe { (self.cuda().functions.cuDevicePrimaryCtxRelease_v2)(self.device.device) };
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.device.device)
    }
}

/// The time during which a context is the thread's. Not `Send`: it is about one thread.
pub(super) struct Entered<'a> {
    context: &'a Context,
    previous: Raw,
    mode: Option<c_int>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let functions = &self.context.cuda().functions;
        if let Some(mut mode) = self.mode {
            // SAFETY: the mode that the driver gave.
            unsafe { (functions.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        }
        if self.previous != Raw::NULL {
            // SAFETY: the context that was current in this thread. Should its owner have
            // destroyed it meanwhile, the driver answers with an error.
            unsafe { (functions.cuCtxSetCurrent)(self.previous.0) };
        }
    }
}
