//! In which orders radices make a line, or several axes: what the models of [`work`](super::work) and [`model`](super::model) choose
//! from.

use super::rule::{facing_end, folds};
use super::rule_keys::transformed;
use mmafft_backend_traits::mirrors::images_meet;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{radix, Limits, Pass, ScalarType, TileAxis};
use std::cmp::Reverse;

/// How many orders of each of several axes are tried.
const OF_AN_AXIS: usize = 5;

/// The largest butterflies that are tried: threads hold their points.
pub fn largest_butterfly(scalar: ScalarType) -> usize {
    match scalar {
        ScalarType::F64 => 27,
        _ => 32,
    }
}

/// Radices of a pass' axes that are tried, of one or of several; `None` of convolutions, and of several axes of which some of type I
/// have neither columns and rows nor are a thread's.
pub fn orders(pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    orders_of_line(pass, limits).or_else(|| orders_of_axes(pass, limits))
}

/// Radices of a pass' only axis: butterflies of the fewest and of one more, in every order; those with a 2 only where there
/// are no others. Of type I also real columns and their rows, and whole lines of a thread. `None` of several axes and convolutions.
pub fn orders_of_line(pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    let [axis] = &pass.axes[..] else {
        return None;
    };
    let length = transformed(pass).filter(|&n| n == axis.core_length())?;
    let mut all = in_every_order(length, 1, pass.math.storage, limits);
    all.extend(in_thread(axis, limits));
    all.extend(columns_and_rows(axis, pass, limits));
    // Rules of other orders would be refused where lines are to face each other, and can.
    if all.iter().any(|s| facing_end(pass, s) == Some(true)) {
        all.retain(|s| facing_end(pass, s) == Some(true));
    }
    Some(all)
}

/// The same of a pass of several axes: of each its only butterfly, or the few orders whose columns are the fewest, and half
/// spectra of which meet in registers where they can.
fn orders_of_axes(pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    if pass.axes.len() < 2 {
        return None;
    }
    let mut all = vec![Vec::new()];
    for axis in &pass.axes {
        let own = match axis.kind.is_symmetric() {
            true => symmetric(axis, pass, limits)?,
            false => orders_of_axis(axis, pass, limits),
        };
        let with = |s: &Vec<usize>| own.iter().map(|own| [&s[..], own].concat()).collect();
        all = all
            .iter()
            .flat_map(|s: &Vec<usize>| -> Vec<_> { with(s) })
            .collect();
    }
    Some(all)
}

/// The radix of a type I that a thread has all of, if the axis is so short.
fn in_thread(axis: &TileAxis, limits: &Limits) -> Option<Vec<usize>> {
    let core = [axis.core_length()];
    let short = axis.kind.in_thread(axis.length, &core);
    (short && limits.butterflies.contains(&core[0])).then(|| core.to_vec())
}

/// The radices of real columns and their rows, of an axis of type I.
fn columns_and_rows(axis: &TileAxis, pass: &Pass, limits: &Limits) -> Vec<Vec<usize>> {
    let length = axis.core_length();
    if !axis.kind.is_symmetric() || !length.is_multiple_of(2) {
        return Vec::new();
    }
    let mut all = in_every_order(length / 2, 2, pass.math.storage, limits);
    all.retain(|s| folds(axis, s));
    all
}

/// Of one of several axes of type I: that of a thread, or the few by columns and rows with the fewest steps.
fn symmetric(axis: &TileAxis, pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    if let Some(own) = in_thread(axis, limits) {
        return Some(vec![own]);
    }
    let mut all = columns_and_rows(axis, pass, limits);
    all.sort_by_key(Vec::len);
    all.truncate(OF_AN_AXIS);
    (!all.is_empty()).then_some(all)
}

/// Every order of the butterflies that [`fewest`] has.
fn in_every_order(
    points: usize,
    least: usize,
    scalar: ScalarType,
    limits: &Limits,
) -> Vec<Vec<usize>> {
    let all = fewest(points, least, scalar, limits).into_iter();
    all.flat_map(|s| permutations(&s)).collect()
}

fn orders_of_axis(axis: &TileAxis, pass: &Pass, limits: &Limits) -> Vec<Vec<usize>> {
    let length = axis.core_length();
    let middle = axis.kind.reduction(axis.length, false).middle;
    let meets = |s: &[usize]| {
        let end = match middle {
            Middle::Merge => s.first(),
            Middle::Split => s.last(),
            Middle::Plain => None,
        };
        pass.axes_of_reals() && end.is_some_and(|&r| images_meet(length, r, pass.math.storage))
    };
    let mut all = in_every_order(length, 1, pass.math.storage, limits);
    // What one butterfly transforms meets nobody in between, which the price makes too little of where lines of other axes
    // lie between (docs/lab/2026-11-30-held-out.md).
    if let Some(alone) = all.iter().position(|s| s.len() == 1) {
        return vec![all.swap_remove(alone)];
    }
    // An exchange more, of a split or merge, is as a step more; of as many the least columns a point, and the largest radix
    // first.
    all.sort_by_cached_key(|s| {
        let steps = s.len() + usize::from(middle != Middle::Plain && !meets(s));
        let columns: usize = s.iter().map(|radix| (1 << 20) / radix).sum();
        (steps, columns, Reverse(s.clone()))
    });
    all.truncate(OF_AN_AXIS);
    all
}

/// Butterflies that make so many points, largest first, so many `least`: the fewest and one more; those with a 2 only where there
/// are no others.
fn fewest(points: usize, least: usize, scalar: ScalarType, limits: &Limits) -> Vec<Vec<usize>> {
    let mut radices = limits.butterflies.to_vec();
    let largest = largest_butterfly(scalar);
    radices.retain(|&r| r <= largest && !radix::summed(r, false));
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = Vec::new();
    descend(points, &radices, &mut Vec::new(), &mut all);
    let least = all.iter().map(Vec::len).filter(|&n| n >= least).min();
    all.retain(|s| least.is_some_and(|least| (least..=least + 1).contains(&s.len())));
    if all.iter().any(|s| !s.contains(&2)) {
        all.retain(|s| !s.contains(&2));
    }
    all
}

fn permutations(sequence: &[usize]) -> Vec<Vec<usize>> {
    if sequence.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in sequence.iter().enumerate() {
        if !sequence[..i].contains(&first) {
            let rest = [&sequence[..i], &sequence[i + 1..]].concat();
            let others = permutations(&rest).into_iter();
            all.extend(others.map(|others| [&[first], &others[..]].concat()));
        }
    }
    all
}

/// Adds to `all` the descending sequences of these descending radices whose product is `n`, of seven at most, each behind what is there `so_far`.
pub fn descend(n: usize, radices: &[usize], so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if n == 1 {
        all.push(so_far.clone());
    }
    if n == 1 || so_far.len() > 6 {
        return;
    }
    for (i, &r) in radices.iter().enumerate() {
        if n.is_multiple_of(r) {
            so_far.push(r);
            descend(n / r, &radices[i..], so_far, all);
            so_far.pop();
        }
    }
}
