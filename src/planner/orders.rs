//! In which orders radices make a line: what the model of [`work`](super::work) chooses from.

use super::rule_keys::transformed;
use mmafft_backend_traits::{radix, Limits, Pass, ScalarType};

/// The largest butterflies that are tried: threads hold their points.
pub fn largest_butterfly(scalar: ScalarType) -> usize {
    match scalar {
        ScalarType::F64 => 27,
        _ => 32,
    }
}

/// Radices of a pass' only axis: butterflies of the fewest and of one more, in every order; those with a 2 only where there
/// are no others. `None` of several axes, convolutions and lines by real columns.
pub fn orders(pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    let [axis] = &pass.axes[..] else {
        return None;
    };
    let length = transformed(pass).filter(|&n| n == axis.core_length())?;
    if axis.kind.is_symmetric() {
        return None;
    }
    let mut radices = limits.butterflies.to_vec();
    let largest = largest_butterfly(pass.storage);
    radices.retain(|&r| r <= largest && !radix::summed(r, false));
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = Vec::new();
    descend(length, &radices, &mut Vec::new(), &mut all);
    // A thread that has a line meets nobody, but its lanes lie apart in memory.
    let least = all.iter().map(Vec::len).filter(|&n| n > 1).min();
    all.retain(|s| least.is_some_and(|least| (least..=least + 1).contains(&s.len())));
    if all.iter().any(|s| !s.contains(&2)) {
        all.retain(|s| !s.contains(&2));
    }
    Some(all.iter().flat_map(|s| permutations(s)).collect())
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
