//! The state of one precision, and what calls have in common.

use crate::ask::{Many, What, ESTIMATE, ESTIMATE_PATIENT, MEASURE_MORE, WISDOM_ONLY};
use crate::plan::Plan;
use crate::wisdom::Wisdom;
use mmafft::{with_jobs_by, AnyBackend, CpuBackend, CpuOptions, JobLoop};
use mmafft::{Effort, PlanCache, Planner, Precision};
use mmafft_guru::{Handles, Problem, Side};
use std::collections::{BTreeMap, HashSet};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// FFTW's word for no limit of time.
const NO_LIMIT: f64 = -1.0;

/// Planning in less than these seconds runs nothing: one measurement takes about as long.
const LEAST_SECONDS: f64 = 1.0;

/// The library of one precision.
pub struct Library {
    pub precision: Precision,
    plans: Handles<Plan>,
    state: Mutex<State>,
    /// Whether the caller has a loop for jobs.
    has_loop: AtomicBool,
}

/// The caller's loop for jobs: it calls `work` with each of `count` addresses that lie `size` bytes apart.
pub type ParallelLoop = unsafe extern "C" fn(
    work: unsafe extern "C" fn(*mut c_char) -> *mut c_void,
    jobs: *mut c_char,
    size: usize,
    count: c_int,
    data: *mut c_void,
);

/// One job of a loop.
struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    number: usize,
}

unsafe extern "C" fn run_job(job: *mut c_char) -> *mut c_void {
    // SAFETY: the loop has it from `jobs_by`, where the jobs live until all are done.
    let job = unsafe { &*job.cast::<Job<'_>>() };
    call((), || (job.work)(job.number));
    std::ptr::null_mut()
}

/// The caller's loop as ours.
fn jobs_by(parallel: ParallelLoop, data: usize) -> JobLoop {
    Arc::new(move |count, work| {
        let mut jobs: Vec<Job<'_>> = (0..count).map(|number| Job { work, number }).collect();
        let first = jobs.as_mut_ptr().cast();
        let data = std::ptr::with_exposed_provenance_mut(data);
        // SAFETY: FFTW's documentation says what such a loop does.
        unsafe { parallel(run_job, first, size_of::<Job<'_>>(), count as c_int, data) }
    })
}

/// What calls set for those that follow.
pub struct State {
    threads: usize,
    time_limit: f64,
    /// Transforms by the number of threads that they are made for.
    caches: BTreeMap<usize, Arc<PlanCache>>,
    pub wisdom: Wisdom,
    /// What was printed already.
    printed: Option<HashSet<String>>,
    parallel: Option<JobLoop>,
}

impl State {
    const fn new() -> Self {
        State {
            threads: 1,
            time_limit: NO_LIMIT,
            caches: BTreeMap::new(),
            wisdom: Wisdom::new(),
            printed: None,
            parallel: None,
        }
    }

    fn cache(&mut self) -> Arc<PlanCache> {
        let threads = self.threads;
        let wisdom = &self.wisdom;
        let new = || {
            let backend = CpuBackend::new(CpuOptions {
                threads,
                line_points: usize::MAX,
            });
            let planner = Planner::on(AnyBackend::Cpu(backend));
            wisdom.give(&planner);
            Arc::new(PlanCache::new(planner))
        };
        self.caches.entry(threads).or_insert_with(new).clone()
    }

    /// Every planner there is.
    pub fn planners(&self) -> impl Iterator<Item = &Planner> {
        self.caches.values().map(|cache| cache.planner())
    }

    /// Plans that were kept were made without what has been imported since.
    pub fn forget_plans(&mut self) {
        self.caches.clear();
    }

    fn effort(&self, flags: c_uint) -> Effort {
        let soon = (0.0..LEAST_SECONDS).contains(&self.time_limit);
        match flags {
            _ if soon || flags & (ESTIMATE | ESTIMATE_PATIENT) != 0 => Effort::Estimate,
            _ if MEASURE_MORE.iter().any(|more| flags & more != 0) => Effort::Patient,
            _ => Effort::Measure,
        }
    }
}

/// Whether the environment asks that plans are printed.
fn is_verbose() -> bool {
    std::env::var_os("MMAFFT_VERBOSE").is_some_and(|value| !value.is_empty() && value != *"0")
}

/// Runs a call's work. What it panics with is worth a report, and never the caller's end.
pub fn call<R>(otherwise: R, work: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

impl Library {
    pub const fn new(precision: Precision) -> Self {
        Library {
            precision,
            plans: Handles::new(),
            state: Mutex::new(State::new()),
            has_loop: AtomicBool::new(false),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plan of a handle.
    pub fn find(&self, plan: *const c_void) -> Option<Arc<Plan>> {
        self.plans.get(plan)
    }

    /// Plans a problem; null where FFTW returns null.
    pub fn plan(&self, problem: Option<Problem>, sides: [Side; 2], flags: c_uint) -> *mut c_void {
        let made = || {
            let mut problem = problem?;
            let (effort, cache, key) = {
                let mut state = self.state();
                let effort = state.effort(flags);
                let key = Wisdom::key(&problem, state.threads, Plan::in_place(sides));
                if flags & WISDOM_ONLY != 0 && !state.wisdom.knows(key, effort) {
                    return None;
                }
                (effort, state.cache(), key)
            };
            problem.request.effort = Some(effort);
            let plan = match Plan::new(problem, sides, cache) {
                Ok(plan) => plan,
                Err(error) => {
                    self.say(|| format!("no plan: {error}"));
                    return None;
                }
            };
            self.state().wisdom.learn(key, effort);
            self.say(|| plan.explain());
            Some(self.plans.insert(plan))
        };
        call(None, made).unwrap_or(std::ptr::null_mut())
    }

    /// Plans a problem of the many interface.
    pub fn many(
        &self,
        what: Option<What>,
        many: Option<Many>,
        sides: [Side; 2],
        flags: c_uint,
    ) -> *mut c_void {
        let problem = what
            .zip(many)
            .and_then(|(what, many)| what.many(self.precision, &many, Plan::in_place(sides)));
        self.plan(problem, sides, flags)
    }

    /// Prints once what there is to say about plans, where the environment asks for it.
    fn say(&self, text: impl FnOnce() -> String) {
        if is_verbose() {
            let text = text();
            let mut state = self.state();
            if state.printed.get_or_insert_default().insert(text.clone()) {
                eprintln!("mmafft, in FFTW's place: {text}");
            }
        }
    }

    /// Runs a plan on its own memory, or on other memory.
    ///
    /// # Safety
    /// Both sides are memory of all of the plan's elements.
    pub unsafe fn execute(&self, plan: *const c_void, sides: Option<[Side; 2]>) {
        let run = || {
            let Some(plan) = self.find(plan) else {
                eprintln!("mmafft, in FFTW's place: a plan that there is not is executed");
                return;
            };
            let parallel = match self.has_loop.load(Ordering::Acquire) {
                true => self.state().parallel.clone(),
                false => None,
            };
            // SAFETY: by this function's contract.
            let run = || unsafe { plan.run(sides.unwrap_or(plan.sides)) };
            let done = match parallel {
                Some(jobs) => with_jobs_by(jobs, run),
                None => run(),
            };
            if let Err(error) = done {
                eprintln!("mmafft, in FFTW's place: {error}");
            }
        };
        call((), run);
    }

    pub fn destroy(&self, plan: *const c_void) {
        call((), || drop(self.plans.remove(plan)));
    }

    /// The same plan with a handle of its own.
    pub fn copy(&self, plan: *const c_void) -> *mut c_void {
        let copy = || {
            let plan = self.find(plan)?;
            let copy = plan.again().ok()?;
            Some(self.plans.insert(copy))
        };
        call(None, copy).unwrap_or(std::ptr::null_mut())
    }

    pub fn set_threads(&self, threads: c_int) {
        call((), || self.state().threads = threads.max(1) as usize);
    }

    pub fn threads(&self) -> c_int {
        call(1, || self.state().threads as c_int)
    }

    /// Runs jobs by the caller's loop from now on, or by threads again.
    pub fn set_loop(&self, parallel: Option<ParallelLoop>, data: *mut c_void) {
        call((), || {
            let data = data.expose_provenance();
            let parallel = parallel.map(|parallel| jobs_by(parallel, data));
            self.has_loop.store(parallel.is_some(), Ordering::Release);
            self.state().parallel = parallel;
        });
    }

    pub fn set_time_limit(&self, seconds: f64) {
        call((), || self.state().time_limit = seconds);
    }

    /// Forgets all but the plans that callers hold.
    pub fn clean_up(&self) {
        call((), || {
            let mut state = self.state();
            let (printed, parallel) = (state.printed.take(), state.parallel.take());
            *state = State {
                printed,
                parallel,
                ..State::new()
            };
        });
    }
}
