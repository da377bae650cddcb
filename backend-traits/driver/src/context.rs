//! A device in use: what streams there are to wait for, and what a thread's calls are about.

use crate::calls::{Calls, Raw};
use crate::stream::Owned;
use crate::{Api, Interface};
use mmafft_backend_traits::Result;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`, `hipStreamCaptureModeThreadLocal`: what other threads record is not
/// looked at, and they do as they like meanwhile.
pub(crate) const THREAD_LOCAL: c_int = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`, `hipStreamCaptureModeRelaxed`: nor what this one records.
const RELAXED: c_int = 2;

/// A device in use. Memory, streams and kernels of every library in the process can be used with its own.
pub struct Context<I: Interface> {
    api: &'static Api<I>,
    held: I::Held,
    /// What there is to wait for.
    streams: Mutex<Vec<Weak<Owned<I>>>>,
    /// How many graphs are being recorded, where the null stream would end that.
    recordings: RwLock<usize>,
}

/// A graph is being recorded as long as this lives.
pub(crate) struct Recorded<'a>(Option<&'a RwLock<usize>>);

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        if let Some(recordings) = self.0 {
            *recordings.write().unwrap_or_else(PoisonError::into_inner) -= 1;
        }
    }
}

impl<I: Interface> Context<I> {
    /// Takes the device of this number into use.
    pub(crate) fn of(api: &'static Api<I>, ordinal: usize) -> Result<Context<I>> {
        Ok(Context {
            api,
            held: I::hold(api, ordinal)?,
            streams: Mutex::default(),
            recordings: RwLock::default(),
        })
    }

    pub(crate) fn api(&self) -> &'static Api<I> {
        self.api
    }

    pub(crate) fn calls(&self) -> &'static Calls {
        &self.api.calls
    }

    /// The driver's number for the device.
    pub(crate) fn number(&self) -> c_int {
        I::number(&self.held)
    }

    /// Whether both are of one device. There may be several of one, taken at different times.
    pub(crate) fn same(&self, other: &Context<I>) -> bool {
        I::of(&self.held) == I::of(&other.held)
    }

    /// Makes the device the calling thread's until the guard is dropped. A thread that had none keeps it:
    /// nothing of the thread's owner can depend on having none.
    pub(crate) fn enter(&self) -> Result<Entered<'_, I>> {
        let own = I::of(&self.held);
        let previous = I::current(self.api)?;
        let other = previous != Some(own);
        if other {
            // SAFETY: the device is held.
            unsafe { I::make_current(self.api, own)? };
        }
        Ok(Entered {
            context: self,
            previous: previous.filter(|_| other),
            mode: None,
            of_one_thread: PhantomData,
        })
    }

    /// As [`Context::enter`], for calls that do not belong to what the thread may be recording into a graph and
    /// must not end it: allocating, freeing, loading.
    pub(crate) fn enter_beside_capture(&self) -> Result<Entered<'_, I>> {
        self.enter_in_mode(RELAXED)
    }

    /// As [`Context::enter`], for calls that wait. By default they end what another thread is recording, if that
    /// forbade it to all (the global mode of capture): mmafft does not, other libraries do.
    pub(crate) fn enter_to_wait(&self) -> Result<Entered<'_, I>> {
        self.enter_in_mode(THREAD_LOCAL)
    }

    fn enter_in_mode(&self, mut mode: c_int) -> Result<Entered<'_, I>> {
        let mut entered = self.enter()?;
        // A driver that records nothing has no modes.
        if let Ok(graphs) = self.api.graphs() {
            // SAFETY: reads the thread's new mode from, and writes the old one to, one int.
            self.api.check(unsafe { graphs.exchange_mode(&mut mode) })?;
            entered.mode = Some(mode);
        }
        Ok(entered)
    }

    /// A graph will be recorded: where the null stream would end that, nothing here touches it from now on.
    pub(crate) fn recorded(&self) -> Recorded<'_> {
        if !I::NULL_ENDS_RECORDINGS {
            return Recorded(None);
        }
        let recordings = self.recordings.write();
        *recordings.unwrap_or_else(PoisonError::into_inner) += 1;
        Recorded(Some(&self.recordings))
    }

    /// `on_null`, which uses the null stream, unless that would end a recording: then `apart`.
    pub(crate) fn choose<R>(&self, on_null: impl FnOnce() -> R, apart: impl FnOnce() -> R) -> R {
        if !I::NULL_ENDS_RECORDINGS {
            return on_null();
        }
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
    pub(crate) fn enlist(&self, stream: &Arc<Owned<I>>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Waits for all streams.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait(&self.enter_to_wait()?)
    }

    /// Waits for the streams created here, and, unless that would end a recording, for the null stream with all
    /// blocking ones of others. Not for the whole device at once, which fails while any thread records a graph,
    /// and ends the recording.
    pub(crate) fn wait(&self, entered: &Entered<I>) -> Result<()> {
        let waited = self.wait_for_own(entered);
        let null = || {
            // SAFETY: the null stream, of what is current.
            let answer = unsafe { self.calls().wait_for_stream(Raw::NULL.0) };
            self.api.check(answer)
        };
        waited.and(self.choose(null, || Ok(())))
    }

    /// Waits for the streams created here.
    pub(crate) fn wait_for_own(&self, _entered: &Entered<I>) -> Result<()> {
        let streams: Vec<Arc<Owned<I>>> = {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.iter().filter_map(Weak::upgrade).collect()
        };
        // For all of them, also after an error: what they ran may be unloaded next.
        let waited = streams.iter().map(|stream| stream.synchronize());
        waited.fold(Ok(()), Result::and)
    }
}

impl<I: Interface> std::fmt::Debug for Context<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", I::BACKEND)
    }
}

/// The time during which a device is the thread's.
pub(crate) struct Entered<'a, I: Interface> {
    context: &'a Context<I>,
    previous: Option<I::Current>,
    mode: Option<c_int>,
    of_one_thread: PhantomData<*const ()>,
}

impl<I: Interface> Drop for Entered<'_, I> {
    fn drop(&mut self) {
        let api = self.context.api;
        // An error here has nobody to go to; the next call says what is wrong.
        if let (Some(mut mode), Ok(graphs)) = (self.mode, api.graphs()) {
            // SAFETY: the mode that the driver gave.
            let _ = unsafe { graphs.exchange_mode(&mut mode) };
        }
        if let Some(previous) = self.previous {
            // SAFETY: what was current in this thread. Should its owner have destroyed it meanwhile, the driver
            // answers with an error.
            let _ = unsafe { I::make_current(api, previous) };
        }
    }
}
