//! Signals that would end the program, held back while a file has a name that must not stay.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What users, shells and service managers end programs with.
const SIGNALS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

static STATE: Mutex<State> = Mutex::new(State {
    handlers: None,
    holders: 0,
});

/// While one of these lives, signals wait; the last one to be dropped lets them end the program.
pub struct Held(Arc<AtomicUsize>);

struct State {
    handlers: Option<Handlers>,
    holders: usize,
}

/// What the signals' handlers read and write.
struct Handlers {
    /// Whether a signal ends the program at once.
    free: Arc<AtomicBool>,
    /// The latest signal.
    signal: Arc<AtomicUsize>,
}

impl Held {
    /// Holds signals back from now on.
    ///
    /// # Errors
    /// What the system says of handlers.
    pub fn new() -> io::Result<Self> {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let handlers = match state.handlers.take() {
            Some(handlers) => handlers,
            None => Handlers::install()?,
        };
        handlers.free.store(false, Ordering::SeqCst);
        let held = Self(handlers.signal.clone());
        state.handlers = Some(handlers);
        state.holders += 1;
        Ok(held)
    }

    /// Whether a signal waits.
    pub fn signalled(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.holders -= 1;
        if state.holders > 0 {
            return;
        }
        if let Some(handlers) = &state.handlers {
            handlers.free.store(true, Ordering::SeqCst);
        }
        let signal = self.0.load(Ordering::SeqCst);
        if let Some(signal) = SIGNALS.into_iter().find(|&s| s as usize == signal) {
            // Signals of this list have a default, so there is no error.
            let _ = emulate_default_handler(signal);
        }
    }
}

impl Handlers {
    fn install() -> io::Result<Self> {
        let handlers = Self {
            free: Arc::new(AtomicBool::new(true)),
            signal: Arc::new(AtomicUsize::new(0)),
        };
        for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
            // Handlers run in this order: the signal is known before it may have to wait.
            flag::register_usize(signal, handlers.signal.clone(), signal as usize)?;
            flag::register_conditional_default(signal, handlers.free.clone())?;
        }
        Ok(handlers)
    }
}

/// Whether the program was started with this signal ignored, as by `nohup`.
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: no new action is set; the old one is read only where the system says that it wrote it.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
