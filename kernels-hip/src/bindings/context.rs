//! A device in use. HIP has no contexts of its own: memory, streams and kernels of every
//! library in the process can be used together, and a thread has a current device.

use super::driver::{Handle, Hip};
use super::functions::Status;
use super::stream::Owned;
use super::Raw;
use mmafft_backend_traits::Result;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// `hipStreamCaptureModeThreadLocal`: what other threads record is not looked at.
const THREAD_LOCAL: c_int = 1;
/// `hipStreamCaptureModeRelaxed`: nor what this one records.
const RELAXED: c_int = 2;

/// A device, and the streams to wait for.
pub struct Context {
    device: Handle,
    streams: Mutex<Vec<Weak<Owned>>>,
    /// How many graphs are being recorded.
    recordings: RwLock<usize>,
}

/// A graph is being recorded as long as this lives.
pub(super) struct Recorded<'a>(&'a Context);

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        let recordings = self.0.recordings.write();
        *recordings.unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

impl Context {
    /// Of a device that the runtime counted.
    pub fn of(device: Handle) -> Context {
        Context {
            device,
            streams: Mutex::default(),
            recordings: RwLock::default(),
        }
    }

    pub(super) fn hip(&self) -> &'static Hip {
        self.device.hip
    }

    pub(super) fn check(&self, call: &str, status: Status) -> Result<()> {
        self.hip().check(call, status)
    }

    /// Whether both are of one device.
    pub fn same(&self, other: &Context) -> bool {
        self.device.device == other.device.device
    }

    /// Makes the device the calling thread's until the guard is dropped.
    pub(super) fn enter(&self) -> Result<Entered<'_>> {
        let functions = &self.hip().functions;
        let mut previous: c_int = 0;
        // SAFETY: writes one int.
        let status = unsafe { (functions.hipGetDevice)(&mut previous) };
        self.check("hipGetDevice", status)?;
        let other = previous != self.device.device;
        if other {
            // SAFETY: the device is one that the runtime counted.
            let status = unsafe { (functions.hipSetDevice)(self.device.device) };
            self.check("hipSetDevice", status)?;
        }
        Ok(Entered {
            context: self,
            previous: other.then_some(previous),
            mode: None,
        })
    }

    /// As [`Context::enter`], for calls that do not belong to what the thread may be
    /// recording into a graph and must not end it: allocating, freeing, loading.
    pub(super) fn enter_beside_capture(&self) -> Result<Entered<'_>> {
        self.enter_in_mode(RELAXED)
    }

    /// As [`Context::enter`], for calls that wait. By default they end what another thread
    /// is recording, if that forbade it to all (`hipStreamCaptureModeGlobal`): mmafft does
    /// not, other libraries do.
    pub(super) fn enter_to_wait(&self) -> Result<Entered<'_>> {
        self.enter_in_mode(THREAD_LOCAL)
    }

    fn enter_in_mode(&self, mut mode: c_int) -> Result<Entered<'_>> {
        let mut entered = self.enter()?;
        // A runtime that records nothing has no modes.
        if let Ok(graphs) = self.hip().graphs() {
            // SAFETY: reads the thread's new mode from, and writes the old one to, one int.
            let status = unsafe { (graphs.hipThreadExchangeStreamCaptureMode)(&mut mode) };
            self.check("hipThreadExchangeStreamCaptureMode", status)?;
            entered.mode = Some(mode);
        }
        Ok(entered)
    }

    /// A graph will be recorded: from now on nothing here touches the null stream, because HIP
    /// ends every recording in the process when anything waits for it or copies on it.
    pub(super) fn recorded(&self) -> Recorded<'_> {
        let recordings = self.recordings.write();
        *recordings.unwrap_or_else(PoisonError::into_inner) += 1;
        Recorded(self)
    }

    /// `on_null`, which uses the null stream, unless a graph is being recorded: then `apart`.
    pub(super) fn choose<R>(&self, on_null: impl FnOnce() -> R, apart: impl FnOnce() -> R) -> R {
        let recordings = self.recordings.read();
        let recordings = recordings.unwrap_or_else(PoisonError::into_inner);
        if *recordings == 0 {
            // Held, so that no recording begins meanwhile.
            return on_null();
        }
        drop(recordings);
        apart()
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

    /// Waits for the streams created here, and, unless a graph is being recorded, for the null
    /// stream with all blocking ones of others. Not by `hipDeviceSynchronize`, which fails while any thread records a graph,
    /// and ends the recording.
    pub(super) fn wait(&self, entered: &Entered) -> Result<()> {
        let waited = self.wait_for_own(entered);
        let null = || {
            // SAFETY: null is the null stream, of the current device.
            let status = unsafe { (self.hip().functions.hipStreamSynchronize)(Raw::NULL.0) };
            self.check("hipStreamSynchronize", status)
        };
        waited.and(self.choose(null, || Ok(())))
    }

    /// Waits for the streams created here.
    pub(super) fn wait_for_own(&self, _entered: &Entered) -> Result<()> {
        let streams: Vec<Arc<Owned>> = {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.iter().filter_map(Weak::upgrade).collect()
        };
        // For all of them, also after an error: what they ran may be unloaded next.
        let waited = streams.iter().map(|stream| stream.synchronize());
        waited.fold(Ok(()), Result::and)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.device.device)
    }
}

/// The time during which a device is the thread's. Not `Send`: it is about one thread.
pub(super) struct Entered<'a> {
    context: &'a Context,
    previous: Option<c_int>,
    mode: Option<c_int>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let hip = self.context.hip();
        if let (Some(mut mode), Ok(graphs)) = (self.mode, hip.graphs()) {
            // SAFETY: the mode that the runtime gave.
            unsafe { (graphs.hipThreadExchangeStreamCaptureMode)(&mut mode) };
        }
        if let Some(previous) = self.previous {
            // SAFETY: the device that was current in this thread.
            unsafe { (hip.functions.hipSetDevice)(previous) };
        }
    }
}
