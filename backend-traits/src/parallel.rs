//! Work that every processor has a share of.

use std::sync::{Mutex, PoisonError};

/// Works on parts of so many values, one at least, each with where it begins, on every processor.
///
/// A panic of `work` is one here.
pub fn by_all_threads<T: Send>(
    values: &mut [T],
    part: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let most = values.len().div_ceil(part);
    let parts = Mutex::new(values.chunks_mut(part).enumerate());
    let next = || {
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.next()
    };
    let work = || {
        while let Some((number, values)) = next() {
            work(number * part, values);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(most) {
            // Without a thread more it takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}
