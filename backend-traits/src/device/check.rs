//! What lowering relies on in a pass that the planner may not have made.

use super::config::MAX_AXES;
use crate::error::{Error, Result};
use crate::kind::Domain;
use crate::largest_prime_factor;
use crate::map::{Map, Runs};
use crate::pass::{Pass, TileAxis};
use crate::radix::{self, BUTTERFLIES, DENSE};
use crate::side::{End, Factor};
use crate::step::{Engine, Step};

/// Checks that memory has room for a plan's scratch.
///
/// # Errors
/// `Overflow` where not.
pub fn scratch(bytes: usize) -> Result<()> {
    match bytes <= isize::MAX as usize / 2 {
        true => Ok(()),
        false => Err(Error::Overflow {
            what: "the plan's scratch".into(),
        }),
    }
}

/// Checks that the engine has all radices of a pass, and that they make its lines.
///
/// # Errors
/// `Radices` and `Unsupported` where not.
pub fn steps(pass: &Pass) -> Result<()> {
    let there = |engine: Engine, r: usize| match engine {
        Engine::Simt => BUTTERFLIES.contains(&r),
        Engine::Matrix => radix::multiplied(r) || DENSE.contains(&r),
    };
    let lacking = |step: &Step| match *step {
        Step::Dft { radix, engine, .. } => (!there(engine, radix)).then_some((engine, radix)),
        _ => None,
    };
    if let Some((engine, radix)) = pass.steps.iter().find_map(lacking) {
        return Err(Error::Radices {
            radices: pass.steps.iter().filter_map(Step::radix).collect(),
            length: pass.axes.first().map_or(1, TileAxis::core_length),
            reason: format!("the {} engine has no radix {radix}", engine.name()),
        });
    }
    match whole(pass).or_else(|| pass.axes.iter().find_map(|axis| fault(pass, axis))) {
        None => Ok(()),
        Some(what) => Err(Error::Unsupported {
            what: format!("a pass that {what}"),
            backend: "the device code".into(),
            instead: "let the planner make it".into(),
        }),
    }
}

/// What is wrong with a pass beside its steps.
fn whole(pass: &Pass) -> Option<&'static str> {
    let counts = |factor: Factor| match factor {
        Factor::Roots { line_loop, .. } => line_loop < pass.loops.len(),
        Factor::Chirp { .. } => true,
    };
    let unit = |a: &TileAxis| a.load.index > 0 && a.store.index > 0 && a.length > 0;
    let product = |step: &Step| {
        matches!(
            step,
            Step::Dft {
                engine: Engine::Matrix,
                ..
            }
        ) && pass.math.engine == Engine::Simt
    };
    let mut factors = End::BOTH
        .into_iter()
        .filter_map(|end| pass.side(end).factor);
    // Points, two scalars each, are moved together.
    let cut = |r: Runs| r.points == 0 || !r.apart.is_multiple_of(2);
    let runs = |end: End| {
        let side = pass.side(end);
        // What is made of reals, or mirrored, is found by its number in the line.
        let numbered = pass.reals(end).is_some()
            || side.hermitian.is_some()
            || side.edges.is_some()
            || end == End::Load && side.halves().is_some();
        let complex = side.domain == Domain::Complex && !numbered;
        // Loads find parts of a line in runs by their number too, and so do stores of mirror images.
        let numbered = end == End::Load || side.halves().is_some();
        let part = |a: &TileAxis| numbered && a.map(end).runs.is_some() && a.map(end).index != 1;
        let maps = pass.loops.iter().map(|l| l.map(end));
        let mut maps = maps.chain(pass.axes.iter().map(|a| a.map(end)));
        let wrong = |map: &Map| map.runs.is_some_and(|r| cut(r) || !complex);
        maps.any(wrong) || pass.axes.iter().any(part)
    };
    if pass.axes.is_empty() {
        Some("has no axes")
    } else if pass.axes.len() > MAX_AXES {
        Some("has more axes than a tile")
    } else if pass.tile.lines == 0 || pass.loops.iter().any(|l| l.count == 0) {
        Some("has no lines")
    } else if !pass.axes.iter().all(unit) {
        Some("has an axis without points")
    } else if reach(pass).is_none() {
        Some("reaches beyond all memory")
    } else if pass.store.hermitian.is_some() || pass.store.edges.is_some() {
        Some("stores half a line")
    } else if pass.load.mirrored.is_some() && pass.store.mirrored.is_some() {
        Some("has pairs of lines on both sides")
    } else if pass.mirrored().is_some() && pass.loops.is_empty() {
        Some("has pairs of lines, but one line")
    } else if !factors.all(counts) {
        Some("has twiddles of a loop that it has not")
    } else if End::BOTH.into_iter().any(runs) {
        Some("has runs of no points or of halves, of what is no complex point there, or of every so many points of a line")
    } else if pass.steps.iter().any(product) {
        Some("has products beside butterflies, but is of these alone")
    } else {
        None
    }
}

/// Scalars that a pass reaches on either side, if they and its lines can be counted.
fn reach(pass: &Pass) -> Option<usize> {
    let lines = pass.loops.iter();
    lines
        .clone()
        .try_fold(1usize, |lines, l| lines.checked_mul(l.count))?;
    let reached = |end: End| {
        let side = pass.side(end);
        let axes = pass.axes.iter().map(|a| (a.length, a.map(end).stride));
        let mut all = lines
            .clone()
            .map(|l| (l.count, l.map(end).stride))
            .chain(axes);
        let start = side.offset.checked_add(side.imaginary)?;
        let last = all.try_fold(start, |last, (n, stride)| {
            last.checked_add(n.checked_mul(stride)?)
        })?;
        // Addresses are signed, and lengths are counted twofold.
        (last <= isize::MAX as usize / 64).then_some(last)
    };
    Some(reached(End::Load)?.max(reached(End::Store)?))
}

fn fault(pass: &Pass, axis: &TileAxis) -> Option<&'static str> {
    let own = |a: &usize| *a == axis.axis;
    for step in &pass.steps {
        let Step::Convolve {
            axis: a,
            length,
            padded,
            factors,
            ..
        } = step
        else {
            continue;
        };
        let times = |n: usize, &f: &usize| n.checked_mul(f);
        let product = factors.iter().try_fold(1usize, times);
        let last = factors.last() == Some(&axis.core_length());
        let long = padded / 2 + padded % 2 >= *length;
        if own(a) && !(product == Some(*padded) && last && long) {
            return Some("has a convolution that its parts do not make");
        }
    }
    for steps in pass.steps.split(|s| matches!(s, Step::Convolve { .. })) {
        let mut wanted = axis.core_length();
        let mut made = Some(1usize);
        for step in steps {
            match step {
                Step::Line { .. } => return Some("has steps of the CPU"),
                // `columns` checks these.
                Step::RealColumns { axis, .. } if own(axis) => return None,
                Step::Chirp {
                    axis,
                    length,
                    padded,
                } if own(axis) => {
                    if *length != wanted || padded / 2 + padded % 2 < *length {
                        return Some("has a chirp of another length than its line");
                    }
                    wanted = *padded;
                }
                Step::Rader { axis, length } if own(axis) => {
                    let prime = *length > 2 && largest_prime_factor(*length) == *length;
                    if *length != wanted || !prime {
                        return Some(
                            "has a convolution of another length than its line's, a prime",
                        );
                    }
                    wanted = length - 1;
                }
                Step::Dft { axis, radix, .. } if own(axis) => {
                    made = made.and_then(|n| n.checked_mul(*radix));
                }
                _ => {}
            }
        }
        if made != Some(wanted) {
            return Some("has radices that do not make its line");
        }
    }
    None
}
