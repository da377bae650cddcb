//! What all calls share: plans, and the threads of calls that ask for several.
//!
//! A child of `fork` has none of its parent's threads, and may find a lock held by one of them: it begins anew, and
//! leaves what was its parent's as it is.

use crate::exception;
use mmafft::{AnyBackend, CpuBackend, CpuOptions, PlanCache, Planner, Request, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Plans by the number of workers that they are made for, and the pool that these come from.
pub struct State {
    caches: Vec<OnceLock<PlanCache>>,
    pool: OnceLock<Option<ThreadPool>>,
    /// Plans by a device's backend and number.
    devices: Mutex<Devices>,
}

type Devices = HashMap<(String, usize), Arc<PlanCache>>;

static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// Counts how often plans have been forgotten.
static GENERATION: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static DEFAULT_WORKERS: Cell<usize> = const { Cell::new(1) };
}

/// The processors that this process may use.
pub fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl State {
    fn new() -> Self {
        State {
            caches: (0..processors()).map(|_| OnceLock::new()).collect(),
            pool: OnceLock::new(),
            devices: Mutex::default(),
        }
    }

    fn devices(&self) -> MutexGuard<'_, Devices> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plans of a device, where it is open.
    pub fn device(&self, name: &str, ordinal: usize) -> Option<Arc<PlanCache>> {
        self.devices().get(&(name.to_string(), ordinal)).cloned()
    }

    /// Keeps the plans of a device; returns those that another thread has put there before.
    pub fn keep_device(&self, name: &str, ordinal: usize, cache: PlanCache) -> Arc<PlanCache> {
        let mut devices = self.devices();
        let entry = devices.entry((name.to_string(), ordinal));
        entry.or_insert_with(|| Arc::new(cache)).clone()
    }

    /// The number of all plans.
    fn len(&self) -> usize {
        let hosts = self
            .caches
            .iter()
            .filter_map(OnceLock::get)
            .map(PlanCache::len);
        hosts.sum::<usize>()
            + self
                .devices()
                .values()
                .map(|cache| cache.len())
                .sum::<usize>()
    }

    fn clear(&self) {
        let hosts = self.caches.iter().filter_map(OnceLock::get);
        hosts.for_each(PlanCache::clear);
        self.devices().values().for_each(|cache| cache.clear());
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

/// The transform of a request. Locks are taken with the interpreter's held, so that none is at a fork; planning goes
/// on without it.
pub fn find(py: Python<'_>, cache: &PlanCache, request: &Request) -> PyResult<Arc<Transform>> {
    if let Some(there) = cache.find(request) {
        return Ok(there);
    }
    let built = py.detach(|| cache.planner().build(request));
    Ok(cache.insert(request.clone(), built.map_err(exception)?))
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
    state().len()
}

/// How often plans have been forgotten.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Forgets all plans.
#[pyfunction]
pub fn clear_cache() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
    state().clear();
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
