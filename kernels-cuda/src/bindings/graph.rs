//! Launches recorded once and started as one.

use super::driver::refused;
use super::functions::GraphFunctions;
use super::{Context, CudaStream, Module, Raw};
use mmafft_backend_traits::Result;
use std::any::Any;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: other threads do as they like meanwhile.
const THREAD_LOCAL: c_int = 1;

/// Recorded launches, with all that they use.
pub struct CudaGraph {
    functions: &'static GraphFunctions,
    context: Arc<Context>,
    /// The driver does not synchronise calls on one graph.
    executable: Mutex<Raw>,
    // Dropped after the executable, in `drop`, is gone.
    _kernels: Vec<Arc<Module>>,
    _keep: Box<dyn Any + Send + Sync>,
}

impl CudaGraph {
    /// Records what `launch` launches on the stream that it is given.
    pub(crate) fn record(
        context: &Arc<Context>,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&CudaStream) -> Result<()>,
    ) -> Result<CudaGraph> {
        let functions = context.cuda().graphs()?;
        let stream = CudaStream::for_recording(context)?;
        let recording = Recording::begin(functions, context, &stream)?;
        launch(&stream)?;
        let graph = recording.end()?;
        let mut executable = Raw::NULL;
        let _entered = context.enter()?;
        // SAFETY: writes one handle; the graph is there.
        let status =
            unsafe { (functions.cuGraphInstantiateWithFlags)(&mut executable.0, graph.raw.0, 0) };
        context.check("cuGraphInstantiateWithFlags", status)?;
        Ok(CudaGraph {
            functions,
            context: context.clone(),
            executable: Mutex::new(executable),
            _kernels: stream.kept(),
            _keep: keep,
        })
    }

    /// Starts the recorded launches on a stream. Launches of one graph run one after
    /// another.
    ///
    /// # Errors
    /// `Device`, with nothing of the output touched unless the error says so.
    pub fn launch(&self, stream: &CudaStream) -> Result<()> {
        if !stream.belongs(&self.context) {
            return Err(refused(
                "the graph and the stream are of two devices".into(),
            ));
        }
        let executable = self.executable.lock();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        let _entered = self.context.enter()?;
        // SAFETY: both are there; no other thread uses the executable.
        let status = unsafe { (self.functions.cuGraphLaunch)(executable.0, stream.raw().0) };
        self.context.check("cuGraphLaunch", status)
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        let executable = self.executable.get_mut();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: instantiated here, destroyed once; a run that has begun is finished
            // first, and freeing kernels and memory after it waits for that run.
            unsafe { (self.functions.cuGraphExecDestroy)(executable.0) };
        }
    }
}

impl std::fmt::Debug for CudaGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CudaGraph")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// The time in which a stream is recorded; it ends also when the launches fail or panic.
struct Recording<'a> {
    functions: &'static GraphFunctions,
    context: &'a Context,
    stream: &'a CudaStream,
    ended: bool,
}

impl<'a> Recording<'a> {
    fn begin(
        functions: &'static GraphFunctions,
        context: &'a Context,
        stream: &'a CudaStream,
    ) -> Result<Recording<'a>> {
        let _entered = context.enter()?;
        // SAFETY: the stream is there and not the legacy one.
        let status = unsafe { (functions.cuStreamBeginCapture_v2)(stream.raw().0, THREAD_LOCAL) };
        context.check("cuStreamBeginCapture", status)?;
        Ok(Recording {
            functions,
            context,
            stream,
            ended: false,
        })
    }

    fn end(mut self) -> Result<Graph> {
        self.end_once()
    }

    fn end_once(&mut self) -> Result<Graph> {
        self.ended = true;
        let mut graph = Graph {
            functions: self.functions,
            raw: Raw::NULL,
        };
        let _entered = self.context.enter()?;
        // SAFETY: writes one handle, null if the recording failed; the stream is recorded.
        let status =
            unsafe { (self.functions.cuStreamEndCapture)(self.stream.raw().0, &mut graph.raw.0) };
        self.context.check("cuStreamEndCapture", status)?;
        Ok(graph)
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // The launches have an error of their own to report.
            drop(self.end_once());
        }
    }
}

/// What was recorded, until it is instantiated.
struct Graph {
    functions: &'static GraphFunctions,
    raw: Raw,
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.raw != Raw::NULL {
            // SAFETY: made by the driver, destroyed once.
            unsafe { (self.functions.cuGraphDestroy)(self.raw.0) };
        }
    }
}
