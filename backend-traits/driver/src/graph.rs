//! Launches recorded once and started as one.

use crate::calls::{GraphCalls, Raw};
use crate::context::THREAD_LOCAL;
use crate::module::Module;
use crate::{refused, Context, Interface, Stream};
use mmafft_backend_traits::Result;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// Recorded launches, with all that they use.
pub struct Graph<I: Interface> {
    calls: &'static GraphCalls,
    context: Arc<Context<I>>,
    /// The driver does not synchronise calls on one graph.
    executable: Mutex<Raw>,
    // Dropped after the executable, in `drop`, is gone.
    _kernels: Vec<Arc<Module<I>>>,
    _keep: Box<dyn Any + Send + Sync>,
}

impl<I: Interface> Graph<I> {
    /// Records what `launch` launches on the stream that it is given.
    pub(crate) fn record(
        context: &Arc<Context<I>>,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&Stream<I>) -> Result<()>,
    ) -> Result<Graph<I>> {
        let calls = context.api().graphs()?;
        let _recorded = context.recorded();
        let stream = Stream::for_recording(context)?;
        let recording = Recording::begin(calls, context, &stream)?;
        launch(&stream)?;
        let recorded = recording.end()?;
        let mut executable = Raw::NULL;
        let _entered = context.enter()?;
        // SAFETY: writes one handle; what was recorded is there.
        let answer = unsafe { calls.instantiate(&mut executable.0, recorded.raw.0, 0) };
        context.api().check(answer)?;
        Ok(Graph {
            calls,
            context: context.clone(),
            executable: Mutex::new(executable),
            _kernels: stream.kept(),
            _keep: keep,
        })
    }

    /// Starts the recorded launches on a stream. Launches of one graph run one after another.
    ///
    /// # Errors
    /// `Device`, with nothing of the output touched unless the error says so.
    pub fn launch(&self, stream: &Stream<I>) -> Result<()> {
        if !stream.belongs(&self.context) {
            return Err(refused::<I>(
                "the graph and the stream are of two devices".into(),
            ));
        }
        let executable = self.executable.lock();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        let _entered = self.context.enter()?;
        // SAFETY: both are there; no other thread uses the executable.
        let answer = unsafe { self.calls.launch_graph(executable.0, stream.raw().0) };
        self.context.api().check(answer)
    }
}

impl<I: Interface> Drop for Graph<I> {
    fn drop(&mut self) {
        let executable = self.executable.get_mut();
        let executable = executable.unwrap_or_else(PoisonError::into_inner);
        if let Ok(_entered) = self.context.enter_beside_capture() {
            // SAFETY: instantiated here, destroyed once; a run that has begun is finished first, and freeing
            // kernels and memory after it waits for that run.
            let _ = unsafe { self.calls.destroy_executable(executable.0) };
        }
    }
}

impl<I: Interface> std::fmt::Debug for Graph<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// The time in which a stream is recorded; it ends also when the launches fail or panic.
struct Recording<'a, I: Interface> {
    calls: &'static GraphCalls,
    context: &'a Context<I>,
    stream: &'a Stream<I>,
    ended: bool,
}

impl<'a, I: Interface> Recording<'a, I> {
    fn begin(
        calls: &'static GraphCalls,
        context: &'a Context<I>,
        stream: &'a Stream<I>,
    ) -> Result<Recording<'a, I>> {
        let _entered = context.enter()?;
        // SAFETY: the stream is there and not the null one.
        let answer = unsafe { calls.begin_capture(stream.raw().0, THREAD_LOCAL) };
        context.api().check(answer)?;
        Ok(Recording {
            calls,
            context,
            stream,
            ended: false,
        })
    }

    fn end(mut self) -> Result<Recorded> {
        self.end_once()
    }

    fn end_once(&mut self) -> Result<Recorded> {
        self.ended = true;
        let mut recorded = Recorded {
            calls: self.calls,
            raw: Raw::NULL,
        };
        let _entered = self.context.enter()?;
        // SAFETY: writes one handle, null if the recording failed; the stream is recorded.
        let answer = unsafe {
            self.calls
                .end_capture(self.stream.raw().0, &mut recorded.raw.0)
        };
        self.context.api().check(answer)?;
        Ok(recorded)
    }
}

impl<I: Interface> Drop for Recording<'_, I> {
    fn drop(&mut self) {
        if !self.ended {
            // The launches have an error of their own to report.
            drop(self.end_once());
        }
    }
}

/// What was recorded, until it is instantiated.
struct Recorded {
    calls: &'static GraphCalls,
    raw: Raw,
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if self.raw != Raw::NULL {
            // SAFETY: made by the driver, destroyed once.
            let _ = unsafe { self.calls.destroy_graph(self.raw.0) };
        }
    }
}
