//! Progress of work that takes over a second.

use super::memory::has_room_for_a_thread;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// A bar on standard error that appears after a second, and goes when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    watcher: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Bytes of the stack on which a bar is drawn.
const STACK_BYTES: usize = 1 << 20;

impl Progress {
    /// Of so many steps.
    pub fn new(steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {elapsed}") {
            bar.set_style(style);
        }
        let (stop, stopped) = channel();
        let shown = bar.clone();
        // Where no thread can be had there is no bar.
        let watcher = move || {
            let wait = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if wait(Duration::from_secs(1)) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                // The bar's own ticker would need another thread, and panic without one.
                while wait(Duration::from_millis(200)) {
                    shown.tick();
                }
            }
        };
        let watcher = has_room_for_a_thread(STACK_BYTES).then(|| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn(watcher).ok()
        });
        Progress {
            bar,
            watcher: watcher.flatten().map(|watcher| (stop, watcher)),
        }
    }

    /// Says what is being done.
    pub fn doing(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, watcher)) = self.watcher.take() {
            drop(stop);
            // A watcher that panicked has nothing left to show.
            let _ = watcher.join();
        }
        self.bar.finish_and_clear();
    }
}
