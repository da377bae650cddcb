//! Whether passes take turns, and by which tiles: those that were measured, or are likely faster so.

use super::fits::Fits;
use super::likely::least;
use super::model;
use super::orders::orders_of_line;
use super::pairs::pair;
use super::problem::Problem;
use super::rules::{self, Rule};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{Engine, Kind, Limits, Pass, ScalarType, Step};

/// What passes in turns may take at most, of what they take one by one.
const CHEAPER: f64 = 0.97;

/// The tiles of two passes that take turns, as rules.
pub struct Tiles {
    /// That of each pass.
    passes: [Rule; 2],
    /// The factors of a line that passes share, in their order, if they are others than else.
    pub parts: Option<Vec<usize>>,
    /// Why the passes are so.
    reason: String,
}

impl Tiles {
    /// Those of the request's rules, if it has some.
    pub fn measured(problem: &Problem, fits: &Fits) -> Option<Self> {
        if problem.only_writes_output() {
            return None;
        }
        let of = |what| rules::in_turns(problem, fits, what);
        let (name, first) = of("first")?;
        let (_, second) = of("second")?;
        let parts = of("parts").map(|(_, rule)| rule.sequence.radices().to_vec());
        Some(Tiles {
            passes: [first.clone(), second.clone()],
            parts,
            reason: format!("as measured for {name}: {:.2} of a copy", first.fraction),
        })
    }

    /// What was not measured, and is likely faster so: complex transforms, arrays of reals of FP64, and lines of reals.
    ///
    /// Others were about as often slower as faster (docs/lab/2026-11-26-turns.md).
    pub fn suggested(planned: &[Pass], problem: &Problem, limits: &Limits) -> Option<Self> {
        let passes = <&[Pass; 2]>::try_from(planned).ok()?;
        let plain = |pass: &Pass| {
            let pays = |kind: Kind| match kind {
                Kind::C2C | Kind::R2C | Kind::C2R => true,
                kind if kind.is_symmetric() => false,
                kind => kind.row().packed.middle != Middle::Merge,
            };
            let transformed =
                |s: &Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange);
            pass.math.engine == Engine::Simt
                && pass.axes.iter().all(|axis| pays(axis.kind))
                && pass.steps.iter().all(transformed)
        };
        let request = &problem.request;
        let reals = request.kind != Kind::C2C;
        let arrays = request.axes.as_ref().is_some_and(|axes| axes.len() > 1);
        let faster = match problem.storage() {
            ScalarType::F64 => true,
            ScalarType::F32 => !reals || !arrays,
            _ => false,
        };
        // While a link is busy there is time for all else.
        let remote_store = problem.only_writes_output();
        if !model::is_of(limits) || !(faster || remote_store) || !passes.iter().all(plain) {
            return None;
        }
        let sequences =
            [0, 1].map(|i| orders_of_line(&passes[i], limits).unwrap_or_else(|| vec![Vec::new()]));
        let pair = pair(passes, &sequences, request.batch, remote_store, limits)?;
        // What is not cheaper so is left.
        if !remote_store {
            let alone = [0, 1].map(|i| least(&passes[i], limits));
            if let (Some(takes), [Some(first), Some(second)]) = (pair.takes, alone) {
                if takes > CHEAPER * (first + second) {
                    return None;
                }
            }
        }
        let reason = match pair.takes {
            Some(takes) => format!("in turns, the cheapest so: {:.2} of a copy", 1.0 / takes),
            None => "in turns, as few lanes are idle so".into(),
        };
        Some(Tiles {
            passes: pair.rules,
            parts: None,
            reason,
        })
    }

    /// Two passes as they say, if they can be so.
    pub fn apply(&self, planned: &[Pass], limits: &Limits) -> Option<Vec<Pass>> {
        let mut passes = planned.to_vec();
        for (pass, rule) in passes.iter_mut().zip(&self.passes) {
            if rule.blocks > 1 || !rule.suits(pass, limits) {
                return None;
            }
            rule.apply(pass, limits);
            pass.reason.clone_from(&self.reason);
        }
        // Blocks of one launch are alike.
        let threads = |pass: &Pass| pass.tile.launch.map(|launch| launch.threads);
        (threads(&passes[0]) == threads(&passes[1])).then_some(passes)
    }
}

/// Whether passes of the request may take turns at all: where no radices were asked for, and no rule says that they were slower
/// so. Rules were measured where the output is the device's own memory.
pub fn may_take_turns(problem: &Problem, fits: &Fits) -> bool {
    let slower = || !problem.only_writes_output() && rules::not_in_turns(problem, fits);
    fits.asked.is_none() && !slower()
}

/// Whether they may where that was not measured: those of a batch, on devices that the price is of, if none of these is
/// known to be faster so.
pub fn may_be_suggested(problem: &Problem, fits: &Fits) -> bool {
    let batch = problem.request.batch > 1;
    let there = model::is_of(fits.limits);
    let known = || !problem.only_writes_output() && rules::in_turns_elsewhere(problem, fits);
    batch && there && !known()
}
