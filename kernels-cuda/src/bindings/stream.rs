//! Streams and events.

use super::{Context, Module, Raw};
use crate::backend::CudaDriver;
use mmafft_backend_traits::Result;
use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// `CU_STREAM_DEFAULT`: copies on the legacy stream wait for what is on the stream.
const BLOCKING: c_uint = 0;
/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;

/// An order of launches.
#[derive(Debug)]
pub struct CudaStream {
    context: Arc<Context>,
    raw: Raw,
    owned: bool,
    /// While the stream is recorded into a graph: the kernels that the graph needs.
    recorded: Option<Mutex<Vec<Arc<Module>>>>,
}

impl CudaStream {
    /// A stream of another library, which keeps owning it. 0 is the legacy default stream.
    ///
    /// # Safety
    /// `handle` is a `CUstream` (or `cudaStream_t`) of the driver's device in its primary
    /// context, which lives as long as the value. If the stream does not block
    /// (`CU_STREAM_NON_BLOCKING`), reads, writes and frees are ordered after its launches by
    /// the caller; if its owner records it into a graph, the kernels launched, the memory
    /// and the driver outlive the graph.
    pub unsafe fn from_raw(driver: &CudaDriver, handle: u64) -> CudaStream {
        CudaStream {
            context: driver.context().clone(),
            raw: Raw(handle as usize as *mut c_void),
            owned: false,
            recorded: None,
        }
    }

    pub(crate) fn create(context: &Arc<Context>) -> Result<CudaStream> {
        CudaStream::with_flags(context, BLOCKING, None)
    }

    /// A stream to record a graph from: of its own, so that nothing that another thread
    /// launches is recorded with it, and non-blocking, so that copies of other threads on
    /// the legacy stream are not refused meanwhile.
    pub(super) fn for_recording(context: &Arc<Context>) -> Result<CudaStream> {
        CudaStream::with_flags(context, NON_BLOCKING, Some(Mutex::default()))
    }

    fn with_flags(
        context: &Arc<Context>,
        flags: c_uint,
        recorded: Option<Mutex<Vec<Arc<Module>>>>,
    ) -> Result<CudaStream> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; a context is current.
        let status = unsafe { (context.cuda().functions.cuStreamCreate)(&mut raw.0, flags) };
        context.check("cuStreamCreate", status)?;
        Ok(CudaStream {
            context: context.clone(),
            raw,
            owned: true,
            recorded,
        })
    }

    /// The `CUstream`, for other libraries.
    pub fn handle(&self) -> u64 {
        self.raw.0 as usize as u64
    }

    /// Waits for what was launched on the stream.
    ///
    /// # Errors
    /// `Device` when something launched has failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the stream is there.
        let status = unsafe { (self.context.cuda().functions.cuStreamSynchronize)(self.raw.0) };
        self.context.check("cuStreamSynchronize", status)
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

impl Drop for CudaStream {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: created here, destroyed once; what is on the stream still runs.
            unsafe { (self.context.cuda().functions.cuStreamDestroy_v2)(self.raw.0) };
        }
    }
}

/// A moment in a stream, with its time.
#[derive(Debug)]
pub struct CudaEvent {
    context: Arc<Context>,
    raw: Raw,
}

impl CudaEvent {
    pub(crate) fn create(context: &Arc<Context>) -> Result<CudaEvent> {
        let _entered = context.enter_beside_capture()?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; 0 is the flag of an event that takes the time.
        let status = unsafe { (context.cuda().functions.cuEventCreate)(&mut raw.0, 0) };
        context.check("cuEventCreate", status)?;
        let context = context.clone();
        Ok(CudaEvent { context, raw })
    }

    /// The event is when everything launched on the stream so far is done.
    ///
    /// # Errors
    /// `Device` when the stream is of another device.
    pub fn record(&self, stream: &CudaStream) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: event and stream are there.
        let status =
            unsafe { (self.context.cuda().functions.cuEventRecord)(self.raw.0, stream.raw().0) };
        self.context.check("cuEventRecord", status)
    }

    /// Waits for the event; returns at once if it was not recorded.
    ///
    /// # Errors
    /// `Device` when something launched before has failed.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the event is there.
        let status = unsafe { (self.context.cuda().functions.cuEventSynchronize)(self.raw.0) };
        self.context.check("cuEventSynchronize", status)
    }

    /// Waits for both, then the milliseconds from `start` to this event.
    ///
    /// # Errors
    /// `Device` when one of them was not recorded, or something before has failed.
    pub fn elapsed_ms(&self, start: &CudaEvent) -> Result<f32> {
        start.synchronize()?;
        self.synchronize()?;
        let _entered = self.context.enter()?;
        let mut elapsed = 0.0;
        // SAFETY: writes one float; the events are there.
        let status = unsafe {
            (self.context.cuda().functions.cuEventElapsedTime)(
                &mut elapsed,
                start.raw.0,
                self.raw.0,
            )
        };
        self.context.check("cuEventElapsedTime", status)?;
        Ok(elapsed)
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: created here, destroyed once; the driver keeps it while it is awaited.
            unsafe { (self.context.cuda().functions.cuEventDestroy_v2)(self.raw.0) };
        }
    }
}
