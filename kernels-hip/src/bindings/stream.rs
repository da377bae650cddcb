//! Streams and events.

use super::{Context, Module, Raw};
use crate::backend::HipDriver;
use mmafft_backend_traits::Result;
use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// `hipStreamDefault`: copies on the null stream wait for what is on the stream.
const BLOCKING: c_uint = 0;
/// `hipStreamNonBlocking`.
const NON_BLOCKING: c_uint = 1;

/// An order of launches. Dropping one that the library created waits for them.
#[derive(Debug)]
pub struct HipStream {
    context: Arc<Context>,
    raw: Raw,
    /// `None` for another's stream.
    _owned: Option<Arc<Owned>>,
    /// While the stream is recorded into a graph: the kernels that the graph needs.
    recorded: Option<Mutex<Vec<Arc<Module>>>>,
}

impl HipStream {
    /// A stream of another library, which keeps owning it. 0 is the null default stream.
    ///
    /// # Safety
    /// `handle` is a `hipStream_t` of the driver's device, which lives as long as the value. If the stream does not block
    /// (`hipStreamNonBlocking`), [`Driver::synchronize`] does not wait for it, and reads,
    /// writes, frees, and dropping a kernel or the driver are ordered after its launches by
    /// the caller; if its owner records it into a graph, the kernels launched, the memory
    /// and the driver outlive the graph.
    ///
    /// [`Driver::synchronize`]: mmafft_backend_traits::device::Driver::synchronize
    pub unsafe fn from_raw(driver: &HipDriver, handle: u64) -> HipStream {
        HipStream {
            context: driver.context().clone(),
            raw: Raw(handle as usize as *mut c_void),
            _owned: None,
            recorded: None,
        }
    }

    pub(crate) fn create(context: &Arc<Context>) -> Result<HipStream> {
        let owned = Owned::create(context, BLOCKING)?;
        context.enlist(&owned);
        Ok(HipStream::of(owned, None))
    }

    /// A stream to record a graph from: of its own, so that nothing that another thread
    /// launches is recorded with it; non-blocking, so that the null stream, which stands
    /// for all blocking ones, is not refused to other threads' copies and waits meanwhile;
    /// and not enlisted, because waiting for it is an error and it never runs anything.
    pub(super) fn for_recording(context: &Arc<Context>) -> Result<HipStream> {
        let owned = Owned::create(context, NON_BLOCKING)?;
        Ok(HipStream::of(owned, Some(Mutex::default())))
    }

    fn of(owned: Arc<Owned>, recorded: Option<Mutex<Vec<Arc<Module>>>>) -> HipStream {
        HipStream {
            context: owned.context.clone(),
            raw: owned.raw,
            _owned: Some(owned),
            recorded,
        }
    }

    /// The `hipStream_t`, for other libraries.
    pub fn handle(&self) -> u64 {
        self.raw.0 as usize as u64
    }

    /// Waits for what was launched on the stream.
    ///
    /// # Errors
    /// `Device` when something launched has failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter_to_wait()?;
        // SAFETY: the stream is there.
        let status = unsafe { (self.context.hip().functions.hipStreamSynchronize)(self.raw.0) };
        self.context.check("hipStreamSynchronize", status)
    }

    /// Whether two are of one device.
    pub(crate) fn belongs(&self, context: &Context) -> bool {
        self.context.same(context)
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }

    /// If the stream is being recorded, the graph will keep the kernel.
    pub(super) fn keep(&self, module: &Arc<Module>) {
        if let Some(recorded) = &self.recorded {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.push(module.clone());
        }
    }

    /// The kernels launched while the stream was recorded.
    pub(super) fn kept(&self) -> Vec<Arc<Module>> {
        let Some(recorded) = &self.recorded else {
            return Vec::new();
        };
        std::mem::take(&mut recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A stream created here; destroyed when its [`HipStream`] is dropped and nobody waits for
/// it any more.
#[derive(Debug)]
pub(super) struct Owned {
    context: Arc<Context>,
    raw: Raw,
}

impl Owned {
    fn create(context: &Arc<Context>, flags: c_uint) -> Result<Arc<Owned>> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; the device is current.
        let status =
            unsafe { (context.hip().functions.hipStreamCreateWithFlags)(&mut raw.0, flags) };
        context.check("hipStreamCreateWithFlags", status)?;
        let context = context.clone();
        Ok(Arc::new(Owned { context, raw }))
    }

    /// A stream that nothing else waits for, nor it for anything.
    pub(super) fn apart(context: &Arc<Context>) -> Result<Arc<Owned>> {
        Owned::create(context, NON_BLOCKING)
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }

    /// Waits for what was launched on the stream, on a device that the caller has entered.
    pub(super) fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is there.
        let status = unsafe { (self.context.hip().functions.hipStreamSynchronize)(self.raw.0) };
        self.context.check("hipStreamSynchronize", status)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // Destroyed, it would finish its launches where no `Context::wait` sees them.
            // An error is one that an earlier launch left.
            let _ = self.synchronize();
            // SAFETY: created here, destroyed once.
            unsafe { (self.context.hip().functions.hipStreamDestroy)(self.raw.0) };
        }
    }
}

/// A moment in a stream, with its time.
#[derive(Debug)]
pub struct HipEvent {
    context: Arc<Context>,
    raw: Raw,
}

impl HipEvent {
    pub(crate) fn create(context: &Arc<Context>) -> Result<HipEvent> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; 0 is the flag of an event that takes the time.
        let status = unsafe { (context.hip().functions.hipEventCreateWithFlags)(&mut raw.0, 0) };
        context.check("hipEventCreateWithFlags", status)?;
        let context = context.clone();
        Ok(HipEvent { context, raw })
    }

    /// The event is when everything launched on the stream so far is done.
    ///
    /// # Errors
    /// `Device` when the stream is of another device.
    pub fn record(&self, stream: &HipStream) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: event and stream are there.
        let status =
            unsafe { (self.context.hip().functions.hipEventRecord)(self.raw.0, stream.raw().0) };
        self.context.check("hipEventRecord", status)
    }

    /// Waits for the event; returns at once if it was not recorded.
    ///
    /// # Errors
    /// `Device` when something launched before has failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter_to_wait()?;
        // SAFETY: the event is there.
        let status = unsafe { (self.context.hip().functions.hipEventSynchronize)(self.raw.0) };
        self.context.check("hipEventSynchronize", status)
    }

    /// Waits for both, then the milliseconds from `start` to this event.
    ///
    /// # Errors
    /// `Device` when one of them was not recorded, or something before has failed.
    pub fn elapsed_ms(&self, start: &HipEvent) -> Result<f32> {
        start.synchronize()?;
        self.synchronize()?;
        let _entered = self.context.enter_to_wait()?;
        let mut elapsed = 0.0;
        // SAFETY: writes one float; the events are there.
        let status = unsafe {
            (self.context.hip().functions.hipEventElapsedTime)(
                &mut elapsed,
                start.raw.0,
                self.raw.0,
            )
        };
        self.context.check("hipEventElapsedTime", status)?;
        Ok(elapsed)
    }
}

impl Drop for HipEvent {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: created here, destroyed once; the runtime keeps it while it is awaited.
            unsafe { (self.context.hip().functions.hipEventDestroy)(self.raw.0) };
        }
    }
}
