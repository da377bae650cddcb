//! The threads that rayon has, if the system gives any.

use super::MOST_WORKERS;
use std::error::Error;
use std::sync::OnceLock;

/// Those of the pool that the caller runs in, outside of any of the global one; 1 without a pool.
pub fn count() -> usize {
    match are_there() {
        true => rayon::current_num_threads(),
        false => 1,
    }
}

/// Whether there is a pool. Where the system refuses threads the global one cannot be made, and rayon panics when it is
/// used.
pub fn are_there() -> bool {
    static GLOBAL: OnceLock<bool> = OnceLock::new();
    // Without a number, rayon reads the environment's by itself.
    let threads = asked().map_or(0, |asked| asked.min(MOST_WORKERS));
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let global = || match builder.build_global() {
        Ok(()) => true,
        // An error of no other cause says that it has been made before.
        Err(error) => error.source().is_none(),
    };
    let global = || has_room(threads) && global();
    rayon::current_thread_index().is_some() || *GLOBAL.get_or_init(global)
}

/// Bytes that a thread of the pool takes, and more.
const THREAD_BYTES: usize = 3 << 20;

/// Whether there is room for so many threads, or for as many as there are processors where there are 0: without it
/// threads that begin would panic.
fn has_room(threads: usize) -> bool {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { processors() } else { threads };
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(threads * THREAD_BYTES).is_ok()
}

/// How many threads the environment asks rayon for, if it does; a number that no machine word holds is as good as the
/// largest.
fn asked() -> Option<usize> {
    let asked = std::env::var("RAYON_NUM_THREADS").ok()?;
    let digits = !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| asked.parse().unwrap_or(usize::MAX))
}
