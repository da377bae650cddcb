//! The threads that rayon has, if the system gives any, or those of the caller.

use super::MOST_WORKERS;
use std::cell::RefCell;
use std::error::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A loop of the caller's: it calls the job with each number below the count, at once or in turn,
/// and returns when all are done.
pub type JobLoop = Arc<dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Send + Sync>;

thread_local! {
    static LENT: RefCell<Option<JobLoop>> = const { RefCell::new(None) };
}

/// Runs some work, in which the CPU's transforms that this thread runs share their jobs out by
/// this loop: for callers with threads of their own.
///
/// ```
/// use mmafft::{Complex, Planner, Request, Shape};
/// use std::sync::Arc;
///
/// let fft = Planner::cpu()?.build(&Request::forward(Shape::d2(256, 256)))?;
/// let mut x = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
/// let in_turn = Arc::new(|count: usize, job: &(dyn Fn(usize) + Sync)| (0..count).for_each(job));
/// mmafft::with_jobs_by(in_turn, || fft.process_in_place(&mut x))?;
/// assert_eq!(x[0].re, 65536.0);
/// # Ok::<(), mmafft::Error>(())
/// ```
pub fn with_jobs_by<R>(jobs: JobLoop, work: impl FnOnce() -> R) -> R {
    /// Gives back what was lent before, also where the work panics.
    struct Before(Option<JobLoop>);
    impl Drop for Before {
        fn drop(&mut self) {
            LENT.set(self.0.take());
        }
    }
    let _before = Before(LENT.replace(Some(jobs)));
    work()
}

/// Runs a job with each number below a count, on several threads.
pub fn run(count: usize, job: &(dyn Fn(usize) + Sync)) {
    match LENT.with_borrow(Clone::clone) {
        // A loop that counts further than it was told finds nothing to do.
        Some(jobs) => jobs(count, &|number| {
            if number < count {
                job(number);
            }
        }),
        None if has_parent() => run_anew(count, job),
        // The caller takes part, as threads of a pool are slow to wake and to say that they are done.
        None => rayon::in_place_scope(|scope| {
            (1..count).for_each(|number| scope.spawn(move |_| job(number)));
            if count > 0 {
                job(0);
            }
        }),
    }
}

/// Calls `work(worker, units)` for some units after the others, on as many threads as there are workers.
///
/// Neighbours go to one worker, as they share cache lines and what is asked for ahead; who is done early helps the others,
/// in chunks small enough to even out.
pub fn share_out(units: usize, workers: usize, work: impl Fn(usize, Range<usize>) + Sync) {
    let chunk = (units / (workers * 16)).max(1);
    let first = |worker: usize| worker * units / workers;
    let next: Vec<_> = (0..workers).map(|w| AtomicUsize::new(first(w))).collect();
    run(workers, &|worker| {
        for share in (worker..workers).chain(0..worker) {
            let end = first(share + 1);
            loop {
                let first = next[share].fetch_add(chunk, Ordering::Relaxed);
                if first >= end {
                    break;
                }
                work(worker, first..end.min(first + chunk));
            }
        }
    });
}

/// The process that has made the global pool.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Whether the global pool is that of a parent: a child of `fork` has none of its threads.
fn has_parent() -> bool {
    let made = PROCESS.get();
    let of_another = made.is_some_and(|&process| process != std::process::id());
    of_another && rayon::current_thread_index().is_none()
}

/// The same by threads that end with the jobs, as many as the system gives.
fn run_anew(count: usize, job: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        for number in 1..count {
            let thread = std::thread::Builder::new().spawn_scoped(scope, move || job(number));
            if thread.is_err() {
                job(number);
            }
        }
        job(0);
    });
}

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
    let global = || {
        let _ = PROCESS.set(std::process::id());
        has_room(threads) && global()
    };
    let is_lent = LENT.with_borrow(Option::is_some);
    is_lent || rayon::current_thread_index().is_some() || *GLOBAL.get_or_init(global)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each unit is worked on once, however jobs are run: by threads, in turn, in the opposite order, and only the first.
    #[test]
    fn each_unit_has_one_worker() {
        type Jobs<'a> = &'a (dyn Fn(usize) + Sync);
        let in_turn = |count: usize, job: Jobs<'_>| (0..count).for_each(job);
        let opposite = |count: usize, job: Jobs<'_>| (0..count).rev().for_each(job);
        let first = |_: usize, job: Jobs<'_>| job(0);
        for (units, workers) in [(0, 2), (2, 2), (3, 2), (7, 3), (65, 4), (1000, 5), (3, 5)] {
            let counts: Vec<_> = (0..units).map(|_| AtomicUsize::new(0)).collect();
            let count = || {
                share_out(units, workers, |_, own| {
                    own.for_each(|unit| {
                        counts[unit].fetch_add(1, Ordering::Relaxed);
                    });
                });
            };
            count();
            with_jobs_by(Arc::new(in_turn), count);
            with_jobs_by(Arc::new(opposite), count);
            with_jobs_by(Arc::new(first), count);
            for of in counts {
                assert_eq!(of.into_inner(), 4, "{units} units, {workers} workers");
            }
        }
    }
}
