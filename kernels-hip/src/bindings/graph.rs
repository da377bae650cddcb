//! Launches recorded once and started as one.

use super::functions::GraphFunctions;
use super::status::refused;
use super::{Context, HipStream, Module, Raw};
use mmafft_backend_traits::Result;
use std::any::Any;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

/// `hipStreamCaptureModeThreadLocal`: other threads do as they like meanwhile.
const THREAD_LOCAL: c_int = 1;

/// Recorded launches, with all that they use.
pub struct HipGraph {
    functions: &'static GraphFunctions,
    context: Arc<Context>,
    /// The runtime does not synchronise calls on one graph.
    executable: Mutex<Raw>,
    // Dropped after the executable, in `drop`, is gone.
    _kernels: Vec<Arc<Module>>,
    _keep: Box<dyn Any + Send + Sync>,
}

impl HipGraph {
    /// Records what `launch` launches on the stream that it is given.
    pub(crate) fn record(
        context: &Arc<Context>,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&HipStream) -> Result<()>,
    ) -> Result<HipGraph> {
        let functions = context.hip().graphs()?;
        let _recorded = context.recorded();
        let stream = HipStream::for_recording(context)?;
        let recording = Recording::begin(functions, context, &stream)?;
        launch(&stream)?;
        let graph = recording.end()?;
        let mut executable = Raw::NULL;
        let _entered = context.enter()?;
        // SAFETY: writes one handle; the graph is there.
        let status =
            unsafe { (functions.hipGraphInstantiateWithFlags)(&mut executable.0, graph.raw.0, 0) };
        context.check("hipGraphInstantiateWithFlags", status)?;
        Ok(HipGraph {
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
    pub fn launch(&self, stream: &HipStream) -> Result<()> {
        if !stream.belongs(&self.context) {
            return Err(refused(
                "the graph and the stream are of two devices".into(),
            ));
        }
        let executable = self.executable.lock();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        let _entered = self.context.enter()?;
        // SAFETY: both are there; no other thread uses the executable.
        let status = unsafe { (self.functions.hipGraphLaunch)(executable.0, stream.raw().0) };
        self.context.check("hipGraphLaunch", status)
    }
}

impl Drop for HipGraph {
    fn drop(&mut self) {
        let executable = self.executable.get_mut();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: instantiated here, destroyed once; a run that has begun is finished
            // first, and freeing kernels and memory after it waits for that run.
            unsafe { (self.functions.hipGraphExecDestroy)(executable.0) };
        }
    }
}

impl std::fmt::Debug for HipGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HipGraph")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// The time in which a stream is recorded; it ends also when the launches fail or panic.
struct Recording<'a> {
    functions: &'static GraphFunctions,
    context: &'a Context,
    stream: &'a HipStream,
    ended: bool,
}

impl<'a> Recording<'a> {
    fn begin(
        functions: &'static GraphFunctions,
        context: &'a Context,
        stream: &'a HipStream,
    ) -> Result<Recording<'a>> {
        let _entered = context.enter()?;
        // SAFETY: the stream is there and not the legacy one.
        let status = unsafe { (functions.hipStreamBeginCapture)(stream.raw().0, THREAD_LOCAL) };
        context.check("hipStreamBeginCapture", status)?;
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
            unsafe { (self.functions.hipStreamEndCapture)(self.stream.raw().0, &mut graph.raw.0) };
        self.context.check("hipStreamEndCapture", status)?;
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
            // SAFETY: made by the runtime, destroyed once.
            unsafe { (self.functions.hipGraphDestroy)(self.raw.0) };
        }
    }
}
