//! What all calls share: plans, and the threads of calls that ask for several.
//!
//! A child of `fork` has none of its parent's threads, and may find a lock held by one of them: it begins anew, and
//! leaves what was its parent's as it is.

use mmafft::{AnyBackend, CpuBackend, CpuOptions, PlanCache, Planner};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::OnceLock;

/// Plans by the number of workers that they are made for, and the pool that these come from.
pub struct State {
    caches: Vec<OnceLock<PlanCache>>,
    pool: OnceLock<Option<ThreadPool>>,
}

static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// Counts how often plans have been forgotten.
static GENERATION: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static DEFAULT_WORKERS: Cell<usize> = const { Cell::new(1) };
}

/// The processors that this process may use.
fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl State {
    fn new() -> Self {
        State {
            caches: (0..processors()).map(|_| OnceLock::new()).collect(),
            pool: OnceLock::new(),
        }
    }

    /// Plans for so many workers.
    pub fn cache(&self, workers: usize) -> &PlanCache {
        let threads = workers.clamp(1, self.caches.len());
        self.caches[threads - 1].get_or_init(|| {
            let options = CpuOptions {
                threads,
                ..CpuOptions::default()
            };
            let backend = AnyBackend::Cpu(CpuBackend::new(options));
            PlanCache::new(Planner::on(backend))
        })
    }

    /// The threads of calls with several workers; `None` where the system gives none.
    pub fn pool(&self) -> Option<&ThreadPool> {
        let pool = || ThreadPoolBuilder::new().num_threads(processors()).build();
        self.pool.get_or_init(|| pool().ok()).as_ref()
    }
}

/// The state of this process.
pub fn state() -> &'static State {
    let there = STATE.load(Ordering::Acquire);
    // SAFETY: what is stored is never freed.
    if let Some(state) = unsafe { there.as_ref() } {
        return state;
    }
    let new = Box::into_raw(Box::new(State::new()));
    let null = std::ptr::null_mut();
    match STATE.compare_exchange(null, new, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: as above.
        Ok(_) => unsafe { &*new },
        Err(there) => {
            // SAFETY: nobody else has seen the new one.
            drop(unsafe { Box::from_raw(new) });
            // SAFETY: as above.
            unsafe { &*there }
        }
    }
}

/// How many workers a call's argument means; `None` where it is no number.
pub fn workers(argument: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if argument.is_none() {
        return Ok(Some(DEFAULT_WORKERS.get()));
    }
    let Ok(asked) = argument.extract::<isize>() else {
        return Ok(None);
    };
    let count = processors() as isize;
    match asked {
        0 => Err(PyValueError::new_err("workers must not be zero")),
        1.. => Ok(Some(asked as usize)),
        _ if asked >= -count => Ok(Some((asked + 1 + count) as usize)),
        _ => Err(PyValueError::new_err(format!(
            "workers value out of range; got {asked}, must not be less than {}",
            -count
        ))),
    }
}

/// The workers of this thread's calls that name none.
#[pyfunction]
pub fn default_workers() -> usize {
    DEFAULT_WORKERS.get()
}

/// Sets them.
#[pyfunction]
pub fn set_default_workers(argument: &Bound<'_, PyAny>) -> PyResult<()> {
    let count = workers(argument)?;
    let count = count.ok_or_else(|| PyValueError::new_err("workers must be a whole number"))?;
    DEFAULT_WORKERS.set(count);
    Ok(())
}

/// How many plans are kept.
#[pyfunction]
pub fn cached() -> usize {
    let caches = state().caches.iter().filter_map(OnceLock::get);
    caches.map(PlanCache::len).sum()
}

/// How often plans have been forgotten.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Forgets all plans.
#[pyfunction]
pub fn clear_cache() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
    let caches = state().caches.iter().filter_map(OnceLock::get);
    caches.for_each(PlanCache::clear);
}

/// Begins anew in a child process.
#[pyfunction]
pub fn forked() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
    STATE.store(Box::into_raw(Box::new(State::new())), Ordering::Release);
}

/// The threads and vectors of the CPU.
pub fn device() -> String {
    let cache = state().cache(processors());
    cache.planner().limits().device.clone()
}
