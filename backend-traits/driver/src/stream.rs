//! Streams and events.

use crate::calls::{Raw, NOT_READY};
use crate::module::Module;
use crate::{Context, DeviceDriver, Interface};
use mmafft_backend_traits::Result;
use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// `CU_STREAM_DEFAULT`, `hipStreamDefault`: copies on the null stream wait for what is on the stream.
const BLOCKING: c_uint = 0;
/// `CU_STREAM_NON_BLOCKING`, `hipStreamNonBlocking`.
const NON_BLOCKING: c_uint = 1;

/// An order of launches. Dropping one that the library created waits for them.
#[derive(Debug)]
pub struct Stream<I: Interface> {
    context: Arc<Context<I>>,
    raw: Raw,
    /// `None` for another's stream.
    owned: Option<Arc<Owned<I>>>,
    /// While the stream is recorded into a graph: the kernels that the graph needs.
    recorded: Option<Mutex<Vec<Arc<Module<I>>>>>,
}

impl<I: Interface> Stream<I> {
    /// A stream of another library, which keeps owning it. 0 is the null stream, CUDA's legacy default one.
    ///
    /// # Safety
    /// `handle` is a `CUstream` (or `cudaStream_t`) of the driver's device in its primary context, or a
    /// `hipStream_t` of the driver's device, which lives as long as the value. If the stream does not block
    /// (`CU_STREAM_NON_BLOCKING`, `hipStreamNonBlocking`), [`Driver::synchronize`] does not wait for it, and
    /// reads, writes, frees, and dropping a kernel or the driver are ordered after its launches by the caller;
    /// if its owner records it into a graph, the kernels launched, the memory and the driver outlive the graph.
    ///
    /// [`Driver::synchronize`]: mmafft_backend_traits::device::Driver::synchronize
    pub unsafe fn from_raw(driver: &DeviceDriver<I>, handle: u64) -> Stream<I> {
        Stream {
            context: driver.context().clone(),
            raw: Raw(handle as usize as *mut c_void),
            owned: None,
            recorded: None,
        }
    }

    pub(crate) fn create(context: &Arc<Context<I>>) -> Result<Stream<I>> {
        let owned = Owned::create(context, BLOCKING)?;
        context.enlist(&owned);
        Ok(Stream::of(owned, None))
    }

    /// A stream that nothing else waits for, nor it for anything.
    pub(crate) fn apart(context: &Arc<Context<I>>) -> Result<Stream<I>> {
        Ok(Stream::of(Owned::apart(context)?, None))
    }

    /// A stream to record a graph from: of its own, so that nothing that another thread launches is recorded
    /// with it; non-blocking, so that the null stream, which stands for all blocking ones, is not refused to
    /// other threads' copies and waits meanwhile; and not enlisted, because waiting for it is an error and it
    /// never runs anything.
    pub(crate) fn for_recording(context: &Arc<Context<I>>) -> Result<Stream<I>> {
        let owned = Owned::create(context, NON_BLOCKING)?;
        Ok(Stream::of(owned, Some(Mutex::default())))
    }

    fn of(owned: Arc<Owned<I>>, recorded: Option<Mutex<Vec<Arc<Module<I>>>>>) -> Stream<I> {
        Stream {
            context: owned.context.clone(),
            raw: owned.raw,
            owned: Some(owned),
            recorded,
        }
    }

    /// The `CUstream` or `hipStream_t`, for other libraries.
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
        let answer = unsafe { self.context.calls().wait_for_stream(self.raw.0) };
        self.context.api().check(answer)
    }

    /// Whether everything launched on the stream is done. It waits for nothing.
    ///
    /// # Errors
    /// `Device` when something launched has failed.
    pub fn is_done(&self) -> Result<bool> {
        let _entered = self.context.enter_to_wait()?;
        // SAFETY: the stream is there.
        let answer = unsafe { self.context.calls().query_stream(self.raw.0) };
        match answer.status {
            NOT_READY => Ok(false),
            _ => self.context.api().check(answer).map(|()| true),
        }
    }

    /// What is launched on the stream from now on comes after an event, which may be another device's. The host does not
    /// wait.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    pub fn follow(&self, event: &Event<I>) -> Result<()> {
        let _entered = self.context.enter()?;
        let calls = self.context.calls();
        // SAFETY: both are there; the driver keeps the event while it is awaited.
        let answer = unsafe { calls.follow_event(self.raw.0, event.raw.0, 0) };
        self.context.api().check(answer)
    }

    /// Whether two are of one device.
    pub(crate) fn belongs(&self, context: &Context<I>) -> bool {
        self.context.same(context)
    }

    pub(crate) fn raw(&self) -> Raw {
        self.raw
    }

    /// If the stream is being recorded, the graph will keep the kernel.
    pub(crate) fn keep(&self, module: &Arc<Module<I>>) {
        if let Some(recorded) = &self.recorded {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.push(module.clone());
        }
    }

    /// The kernels launched while the stream was recorded.
    pub(crate) fn kept(&self) -> Vec<Arc<Module<I>>> {
        let Some(recorded) = &self.recorded else {
            return Vec::new();
        };
        std::mem::take(&mut recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<I: Interface> Drop for Stream<I> {
    fn drop(&mut self) {
        // Not left to `Owned`, which lives on while another thread waits for it. An error is one that an earlier
        // launch left.
        if let (Some(owned), Ok(_entered)) = (&self.owned, self.context.enter_beside_capture()) {
            let _ = owned.synchronize();
        }
    }
}

/// A stream created here; destroyed when its [`Stream`] is dropped and nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct Owned<I: Interface> {
    context: Arc<Context<I>>,
    raw: Raw,
}

impl<I: Interface> Owned<I> {
    fn create(context: &Arc<Context<I>>, flags: c_uint) -> Result<Arc<Owned<I>>> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; the device is current.
        let answer = unsafe { context.calls().create_stream(&mut raw.0, flags) };
        context.api().check(answer)?;
        let context = context.clone();
        Ok(Arc::new(Owned { context, raw }))
    }

    /// A stream that nothing else waits for, nor it for anything.
    pub(crate) fn apart(context: &Arc<Context<I>>) -> Result<Arc<Owned<I>>> {
        Owned::create(context, NON_BLOCKING)
    }

    pub(crate) fn raw(&self) -> Raw {
        self.raw
    }

    /// Waits for what was launched on the stream, of a device that the caller has entered.
    pub(crate) fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is there.
        let answer = unsafe { self.context.calls().wait_for_stream(self.raw.0) };
        self.context.api().check(answer)
    }
}

impl<I: Interface> Drop for Owned<I> {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // Destroyed, it would finish its launches where no `Context::wait` sees them. An error is one that
            // an earlier launch left.
            let _ = self.synchronize();
            // SAFETY: created here, destroyed once.
            let _ = unsafe { self.context.calls().destroy_stream(self.raw.0) };
        }
    }
}

/// A moment in a stream, with its time.
#[derive(Debug)]
pub struct Event<I: Interface> {
    context: Arc<Context<I>>,
    raw: Raw,
}

impl<I: Interface> Event<I> {
    pub(crate) fn create(context: &Arc<Context<I>>) -> Result<Event<I>> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; 0 is the flag of an event that takes the time.
        let answer = unsafe { context.calls().create_event(&mut raw.0, 0) };
        context.api().check(answer)?;
        let context = context.clone();
        Ok(Event { context, raw })
    }

    /// The event is when everything launched on the stream so far is done.
    ///
    /// # Errors
    /// `Device` when the stream is of another device.
    pub fn record(&self, stream: &Stream<I>) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: event and stream are there.
        let answer = unsafe {
            self.context
                .calls()
                .record_event(self.raw.0, stream.raw().0)
        };
        self.context.api().check(answer)
    }

    /// Waits for the event; returns at once if it was not recorded.
    ///
    /// # Errors
    /// `Device` when something launched before has failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter_to_wait()?;
        // SAFETY: the event is there.
        let answer = unsafe { self.context.calls().wait_for_event(self.raw.0) };
        self.context.api().check(answer)
    }

    /// Waits for both, then the milliseconds from `start` to this event.
    ///
    /// # Errors
    /// `Device` when one of them was not recorded, or something before has failed.
    pub fn elapsed_ms(&self, start: &Event<I>) -> Result<f32> {
        start.synchronize()?;
        self.synchronize()?;
        let _entered = self.context.enter_to_wait()?;
        let mut elapsed = 0.0;
        let calls = self.context.calls();
        // SAFETY: writes one float; the events are there.
        let answer = unsafe { calls.elapsed(&mut elapsed, start.raw.0, self.raw.0) };
        self.context.api().check(answer)?;
        Ok(elapsed)
    }
}

impl<I: Interface> Drop for Event<I> {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: created here, destroyed once; the driver keeps it while it is awaited.
            let _ = unsafe { self.context.calls().destroy_event(self.raw.0) };
        }
    }
}
