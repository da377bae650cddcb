//! What lowering relies on in a pass that the planner may not have made.

use crate::error::{Error, Result};
use crate::kind::Domain;
use crate::largest_prime_factor;
use crate::pass::{Access, Engine, Factor, Pass, Runs, Step, TileAxis};
use crate::radix::{self, BUTTERFLIES, DENSE};
use crate::real::Middle;

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
    let factors = [pass.load_factor, pass.store_factor];
    let counts = |factor: &Factor| match factor {
        Factor::Roots { line_loop, .. } => *line_loop < pass.loops.len(),
        Factor::Chirp { .. } => true,
    };
    let unit = |a: &TileAxis| a.load_index > 0 && a.store_index > 0 && a.length > 0;
    let product = |step: &Step| {
        matches!(
            step,
            Step::Dft {
                engine: Engine::Matrix,
                ..
            }
        ) && pass.engine == Engine::Simt
    };
    let of_loops = pass.loops.iter().map(|l| [l.load_runs, l.store_runs]);
    let of_axes = pass.axes.iter().map(|a| [a.load_runs, a.store_runs]);
    let sides: Vec<[Option<Runs>; 2]> = of_loops.chain(of_axes).collect();
    let runs = |side: usize| sides.iter().filter_map(move |runs| runs[side]);
    // What is made of reals, or mirrored, is found by its number in the line.
    let numbered = [
        pass.real_load().is_some()
            || pass.hermitian.is_some()
            || pass.edges.is_some()
            || pass.mirrored_points(Middle::Merge).is_some(),
        pass.real_store().is_some(),
    ];
    // As are mirror images of a half spectrum in runs.
    let parts = pass.axes.iter().any(|a| {
        let load = a.load_runs.is_some() && a.load_index != 1;
        load || a.store_runs.is_some() && a.store_index != 1
    });
    let complex = [pass.load, pass.store].map(|access| access.domain == Domain::Complex);
    let in_runs = |side: usize| complex[side] && !numbered[side];
    // Points, two scalars each, are moved together.
    let cut = |r: Runs| r.points == 0 || !r.apart.is_multiple_of(2);
    if pass.axes.is_empty() {
        Some("has no axes")
    } else if pass.tile.lines == 0 || pass.loops.iter().any(|l| l.count == 0) {
        Some("has no lines")
    } else if !pass.axes.iter().all(unit) {
        Some("has an axis without points")
    } else if reach(pass).is_none() {
        Some("reaches beyond all memory")
    } else if pass.mirrored.is_some() && pass.loops.is_empty() {
        Some("has pairs of lines, but one line")
    } else if !factors.iter().flatten().all(counts) {
        Some("has twiddles of a loop that it has not")
    } else if parts || (0..2).any(|side| runs(side).any(|r| cut(r) || !in_runs(side))) {
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
    let loads = lines.clone().map(|l| (l.count, l.load));
    let stores = lines.map(|l| (l.count, l.store));
    let loads = loads.chain(pass.axes.iter().map(|a| (a.length, a.load_stride)));
    let stores = stores.chain(pass.axes.iter().map(|a| (a.length, a.store_stride)));
    let ends = |mut sides: Box<dyn Iterator<Item = (usize, usize)> + '_>, access: &Access| {
        let start = access.offset.checked_add(access.imaginary)?;
        let end = sides.try_fold(start, |end, (n, stride)| {
            end.checked_add(n.checked_mul(stride)?)
        })?;
        // Addresses are signed, and lengths are counted twofold.
        (end <= isize::MAX as usize / 64).then_some(end)
    };
    let loaded = ends(Box::new(loads), &pass.load)?;
    Some(loaded.max(ends(Box::new(stores), &pass.store)?))
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
