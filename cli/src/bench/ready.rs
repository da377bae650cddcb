//! Plans prepared on all cores before any is timed.

use super::cases::Case;
use super::lab::{Lab, PreparedOf};
use super::one_line;
use mmafft::backend_traits::Backend;
use mmafft::{Effort, Kind, Normalization, Plan, Planner, Request, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A case, planned and prepared.
pub struct Ready<L: Lab> {
    pub plan: Plan,
    pub prepared: PreparedOf<L>,
    /// What both took.
    pub seconds: f64,
    /// For C2R: the transform that makes half spectra of random real arrays. Random half
    /// spectra would not be Hermitian on the planes that a real array has so, and what
    /// libraries make of others differs.
    pub spectrum: Option<(Plan, PreparedOf<L>)>,
}

impl<L: Lab> Ready<L> {
    fn new(lab: &L, planner: &Planner, request: &Request) -> Result<Self> {
        let backend = lab.backend();
        let prepare = |request: &Request| {
            let plan = planner.plan(request)?;
            let prepared = backend.prepare(&plan)?;
            Ok((plan, prepared))
        };
        let started = Instant::now();
        let (plan, prepared) = prepare(request)?;
        let seconds = started.elapsed().as_secs_f64();
        let spectrum = match request.kind {
            Kind::C2R => {
                let mut back = Request::r2c(request.shape.clone())
                    .batch(request.batch)
                    .precision(request.precision)
                    .normalization(Normalization::Ortho);
                back.axes.clone_from(&request.axes);
                Some(prepare(&back.effort(Effort::Estimate))?)
            }
            _ => None,
        };
        Ok(Ready {
            plan,
            prepared,
            seconds,
            spectrum,
        })
    }

    /// Bytes of input and output.
    pub fn bytes(&self) -> (usize, usize) {
        let scalar = self.plan.request.precision.row().storage.bytes();
        let of = |scalars: usize| scalars * scalar;
        (of(self.plan.input_scalars), of(self.plan.output_scalars))
    }
}

/// Does the same work on so many threads, of which this is one: the only one where the system gives no others.
pub fn on_threads(count: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..count {
            let _ = std::thread::Builder::new().spawn_scoped(scope, &work);
        }
        work();
    });
}

/// Prepares all cases with so many workers; one that fails fails alone.
pub fn all<L: Lab>(
    lab: &L,
    planner: &Planner,
    cases: &[Case],
    workers: usize,
    request: impl Fn(&Case) -> std::result::Result<Request, String> + Sync,
) -> Vec<std::result::Result<Ready<L>, String>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    on_threads(workers.min(cases.len()), || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(case) = cases.get(at) else {
            return;
        };
        let ready = request(case)
            .and_then(|request| Ready::new(lab, planner, &request).map_err(|e| one_line(&e)));
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((at, ready));
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, ready)| ready).collect()
}
