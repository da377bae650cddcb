//! Plans, timed on a backend.

use crate::any::{AnyBackend, AnyBuffer, AnyPrepared};
use crate::planner::measure::Clock;
use mmafft_backend_traits::{
    by_all_threads, Backend, Bindings, Buffer as _, Error, Placement, Plan, Prepared as _, Result,
};
use std::time::{Duration, Instant};

/// How long the runs of one timing take together, about: beside what starting one costs.
const LONG: Duration = Duration::from_millis(2);
/// The most runs of one timing.
const MOST_RUNS: u32 = 100;
/// Timings of a plan, of which the least counts: others were disturbed.
const TIMINGS: usize = 3;
/// Drafts that take more of the fastest plan's time are not worth being prepared in full.
const NEAR: f64 = 1.1;
/// Bytes of noise that are written at a time.
const NOISE: usize = 4 << 20;

/// A backend, and memory that plans are timed on.
pub struct BackendClock<'a> {
    backend: &'a AnyBackend,
    input: Option<AnyBuffer>,
    output: Option<AnyBuffer>,
    scratch: Option<AnyBuffer>,
}

impl<'a> BackendClock<'a> {
    /// A clock of this backend.
    pub fn new(backend: &'a AnyBackend) -> Self {
        BackendClock {
            backend,
            input: None,
            output: None,
            scratch: None,
        }
    }

    /// Makes room for a plan.
    fn make_room(&mut self, plan: &Plan, prepared: &AnyPrepared) -> Result<()> {
        let scalar = plan.request.precision.row().storage.bytes();
        let (input, output) = (plan.input_scalars * scalar, plan.output_scalars * scalar);
        let in_place = is_in_place(plan);
        let input = if in_place { 0 } else { input };
        let output = output.max(if in_place {
            plan.input_scalars * scalar
        } else {
            0
        });
        let backend = self.backend;
        grow(backend, &mut self.input, input)?;
        grow(backend, &mut self.output, output)?;
        grow(backend, &mut self.scratch, prepared.scratch_bytes())
    }

    /// Runs a prepared plan so often, and waits for it.
    fn run(&mut self, plan: &Plan, prepared: &AnyPrepared, runs: u32) -> Result<Duration> {
        let (Some(input), Some(output), Some(scratch)) =
            (&self.input, &mut self.output, &mut self.scratch)
        else {
            return Err(Error::OutOfMemory {
                backend: self.backend.limits().backend.into(),
                what: "memory to time plans on".into(),
                bytes: plan.scratch_bytes,
            });
        };
        let begin = Instant::now();
        for _ in 0..runs {
            let bindings = Bindings {
                input: (!is_in_place(plan)).then_some(input),
                output,
                scratch,
            };
            self.backend.launch(prepared, bindings)?;
        }
        self.backend.synchronize()?;
        Ok(begin.elapsed())
    }

    /// How often a plan is run for one timing; `None` where it does not run.
    fn runs(&mut self, plan: &Plan, prepared: &AnyPrepared) -> Option<u32> {
        self.make_room(plan, prepared).ok()?;
        self.run(plan, prepared, 1).ok()?;
        let once = self.run(plan, prepared, 1).ok()?;
        let runs = LONG.as_nanos() / once.as_nanos().max(1);
        Some(u32::try_from(runs).map_or(MOST_RUNS, |runs| runs.clamp(1, MOST_RUNS)))
    }
}

/// Whether a plan is run in one buffer: where users would.
fn is_in_place(plan: &Plan) -> bool {
    plan.request.placement == Placement::InPlace && plan.not_in_place.is_none()
}

/// Memory of at least so many bytes, of noise.
fn grow(backend: &AnyBackend, buffer: &mut Option<AnyBuffer>, bytes: usize) -> Result<()> {
    if buffer
        .as_ref()
        .is_some_and(|buffer| buffer.bytes() >= bytes)
    {
        return Ok(());
    }
    // The old one first: both may not fit.
    *buffer = None;
    let mut memory = backend.allocate(bytes)?;
    let mut state = 1u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX / 2) - 1.0) as f32
    };
    let words = bytes.min(NOISE).div_ceil(4);
    let noise: Vec<u8> = (0..words).flat_map(|_| draw().to_ne_bytes()).collect();
    for at in (0..bytes).step_by(NOISE) {
        backend.write(&mut memory, at, &noise[..NOISE.min(bytes - at)])?;
    }
    *buffer = Some(memory);
    Ok(())
}

/// Plans, made ready on all cores where that takes a compiler.
fn all_ready<'p>(
    plans: impl Iterator<Item = &'p Plan>,
    ready: impl Fn(&Plan) -> Result<AnyPrepared> + Sync,
) -> Vec<Option<AnyPrepared>> {
    let mut all: Vec<(&Plan, Option<AnyPrepared>)> = plans.map(|plan| (plan, None)).collect();
    by_all_threads(&mut all, 1, |_, part| {
        let (plan, prepared) = &mut part[0];
        *prepared = ready(plan).ok();
    });
    all.into_iter().map(|(_, prepared)| prepared).collect()
}

impl BackendClock<'_> {
    /// Seconds that each of these plans takes, prepared so; infinite where it does not run.
    fn times(&mut self, plans: &[&Plan], prepared: &[Option<AnyPrepared>]) -> Vec<f64> {
        let mut runs: Vec<Option<u32>> = Vec::new();
        for (plan, prepared) in plans.iter().zip(prepared) {
            let prepared = prepared.as_ref();
            runs.push(prepared.and_then(|prepared| self.runs(plan, prepared)));
        }
        let mut seconds = vec![f64::INFINITY; plans.len()];
        // Plan after plan, so that what disturbs does not disturb one alone.
        for _ in 0..TIMINGS {
            for (at, (plan, prepared)) in plans.iter().zip(prepared).enumerate() {
                let (Some(prepared), Some(count)) = (prepared, runs[at]) else {
                    continue;
                };
                match self.run(plan, prepared, count) {
                    Ok(time) => {
                        let each = time.as_secs_f64() / f64::from(count);
                        seconds[at] = seconds[at].min(each);
                    }
                    Err(_) => {
                        runs[at] = None;
                        seconds[at] = f64::INFINITY;
                    }
                }
            }
        }
        seconds
    }
}

/// Times drafts `again` as they are to be, until nothing near the fastest is one: what becomes of them is not known before,
/// and others are not worth the time.
fn without_drafts(
    seconds: &mut [f64],
    mut drafts: Vec<usize>,
    mut again: impl FnMut(&[usize]) -> Vec<f64>,
) {
    loop {
        let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let near = |at: &usize| seconds[*at] <= NEAR * least;
        let (chosen, others): (Vec<usize>, Vec<usize>) = drafts.into_iter().partition(near);
        if chosen.is_empty() {
            return;
        }
        for (&at, time) in chosen.iter().zip(again(&chosen)) {
            seconds[at] = time;
        }
        drafts = others;
    }
}

impl Clock for BackendClock<'_> {
    fn seconds(&mut self, plans: &[Plan]) -> Vec<Option<f64>> {
        let backend = self.backend;
        let drafts = all_ready(plans.iter(), |plan| backend.draft(plan));
        let mut seconds = self.times(&plans.iter().collect::<Vec<_>>(), &drafts);
        let is_draft = |at: &usize| drafts[*at].as_ref().is_some_and(|draft| draft.is_draft());
        let drafts = (0..plans.len()).filter(is_draft).collect();
        without_drafts(&mut seconds, drafts, |chosen| {
            let plans: Vec<&Plan> = chosen.iter().map(|&at| &plans[at]).collect();
            let prepared = all_ready(plans.iter().copied(), |plan| backend.prepare(plan));
            self.times(&plans, &prepared)
        });
        let there = |seconds: f64| seconds.is_finite().then_some(seconds);
        seconds.into_iter().map(there).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_is_no_draft_and_slow_ones_stay() {
        let mut seconds = [1.0, 1.1, 1.2, 1.5, f64::INFINITY];
        let mut asked = Vec::new();
        without_drafts(&mut seconds, vec![0, 2, 3], |chosen| {
            asked.push(chosen.to_vec());
            chosen
                .iter()
                .map(|&at| [1.4, 0.0, 1.15, 0.0, 0.0][at])
                .collect()
        });
        assert_eq!(asked, [vec![0], vec![2]]);
        assert_eq!(seconds, [1.4, 1.1, 1.15, 1.5, f64::INFINITY]);
    }
}
