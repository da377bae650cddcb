//! The threads that rayon has, if the system gives any.

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
    let global = || match rayon::ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // An error of no other cause says that it has been made before.
        Err(error) => error.source().is_none(),
    };
    rayon::current_thread_index().is_some() || *GLOBAL.get_or_init(global)
}
