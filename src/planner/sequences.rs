//! Which radices are tried for a line whose tiles no model ranks: sequences whose product it is, and how many values of one a
//! thread has.

use super::orders::{descend, largest_butterfly};
use super::rule_keys::transformed;
use super::sequence::Sequence;
use mmafft_backend_traits::mirrors::halves_radix;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{radix, Engine, Images, Limits, Operand, Pass, ScalarType};

/// The largest butterflies that are tried.
const LARGEST: usize = 32;
/// Sequences of radices that are tried.
const SEQUENCES: usize = 10;

/// Whether a radix of this engine joins several products.
pub fn joins(&(radix, engine): &(usize, Engine)) -> bool {
    engine == Engine::Matrix && radix::joined(radix).is_some()
}

/// The most values that a thread has of a column of a step of these radices, or of two that mirror each
/// other: of sums over shared memory, a few.
pub fn held(pass: &Pass, sequence: &Sequence, limits: &Limits) -> Option<usize> {
    let radices = sequence.radices();
    let places = pass.math.storage == ScalarType::F64 && pass.axes.len() > 1;
    let products = pass.math.engine == Engine::Matrix;
    let values = |(r, engine)| match radix::summed(r, products || places) {
        true => 2 * limits.target.threads().dense_pairs,
        // A lane has a few points of each product that it joins.
        false if joins(&(r, engine)) => r / 4,
        false => r,
    };
    // Two columns of the step that merges or splits lines in mirrored pairs.
    let (first, last) = (radices.first(), radices.last());
    let parts = pass.mirrored().filter(|(_, m)| m.images == Images::Parts);
    // Of a line of reals in a cluster likewise.
    let spread = pass
        .axes
        .first()
        .filter(|_| pass.tile.residency.blocks() > 1);
    let middle = match (parts, spread) {
        (Some((end, _)), _) => end.middle(),
        (None, Some(axis)) => axis.kind.row().packed.middle,
        (None, None) => Middle::Plain,
    };
    let ends = match middle {
        Middle::Merge => first,
        Middle::Split => last,
        Middle::Plain => None,
    };
    let most = halves_radix(pass.math.storage);
    let pair = ends.filter(|r| **r <= most && !products).map(|r| 2 * r);
    let engines = sequence.engines(pass.math.engine);
    engines.map(values).chain(pair).max()
}

/// What is tried: sequences of one engine; of products also the first or the last one alone, beside butterflies.
/// Of tiles of one block, or of those that are `spread` over a cluster.
pub fn sequences(pass: &Pass, spread: bool, limits: &Limits) -> Vec<Sequence> {
    let products = pass.math.engine == Engine::Matrix;
    // Products alone were slower than two passes over a cluster.
    let alone = match products && spread {
        true => Vec::new(),
        false => of_one_engine(pass, spread, limits),
    };
    let mut all: Vec<Sequence> = alone.into_iter().map(Sequence::of_one_engine).collect();
    if let Some(length) = transformed(pass).filter(|_| products) {
        all.extend(match spread {
            true => parts(length, pass, limits)
                .into_iter()
                .flat_map(with_a_product)
                .collect(),
            false => beside_a_product(length, limits),
        });
    }
    all
}

/// The products that butterflies are beside: fewer points leave most of a fragment empty.
fn large_products() -> impl Iterator<Item = usize> {
    [radix::JOINED_PRODUCT]
        .into_iter()
        .chain(radix::JOINED.iter().copied())
}

/// Radices of butterflies, of which the first or the last one becomes a product, where there is one.
fn with_a_product(radices: Vec<usize>) -> Vec<Sequence> {
    let count = radices.len();
    let ends = [(0, 1..count), (count - 1, 0..count - 1)];
    let can = |&(at, _): &(usize, _)| large_products().any(|r| r == radices[at]);
    let sequence = |(_, butterflies)| Sequence::mixed(radices.clone(), butterflies);
    ends.into_iter().filter(can).map(sequence).collect()
}

/// Sequences that begin or end with one product, and else are of the fewest radices that butterflies have.
fn beside_a_product(length: usize, limits: &Limits) -> Vec<Sequence> {
    let mut radices = limits.butterflies.to_vec();
    radices.retain(|&r| r <= LARGEST && !radix::summed(r, true));
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = Vec::new();
    let divides = |r: &usize| length.is_multiple_of(*r) && length > *r;
    for product in large_products().filter(divides) {
        for others in shortest(length / product, &radices) {
            let first = [&[product], &others[..]].concat();
            all.push(Sequence::mixed(first, 1..others.len() + 1));
            let last = [&others[..], &[product]].concat();
            all.push(Sequence::mixed(last, 0..others.len()));
        }
    }
    let mut unlike: Vec<Sequence> = Vec::new();
    for sequence in all {
        if !unlike.contains(&sequence) {
            unlike.push(sequence);
        }
    }
    unlike
}

/// The sequences with the fewest radices, and with one more: those of the smallest radices first,
/// in either order.
fn of_one_engine(pass: &Pass, spread: bool, limits: &Limits) -> Vec<Vec<usize>> {
    // Of several axes those that are planned.
    let Some(length) = transformed(pass) else {
        return vec![Vec::new()];
    };
    if spread {
        return parts(length, pass, limits);
    }
    let most = largest(pass);
    let radices: Vec<usize> = match pass.math.engine {
        Engine::Simt => limits.butterflies.to_vec(),
        Engine::Matrix => {
            let table = radix::RADICES.iter().map(|row| row.radix);
            table.chain(radix::JOINED.iter().copied()).collect()
        }
    };
    let mut radices: Vec<usize> = radices
        .into_iter()
        .filter(|r| *r <= most || radix::DENSE.contains(r))
        .collect();
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = Vec::new();
    descend(length, &radices, &mut Vec::new(), &mut all);
    let least = all.iter().map(Vec::len).min().unwrap_or(0);
    let plain = |s: &Vec<usize>| s.iter().all(|&r| radix::joined(r).is_none());
    let unjoined = all.iter().filter(|s| plain(s)).map(Vec::len).min();
    let most = match pass.math.engine {
        Engine::Matrix => unjoined.map_or(least + 1, |unjoined| unjoined.max(least + 1)),
        Engine::Simt => least + 1,
    };
    all.retain(|s| s.len() <= most);
    if matches!(pass.math.operand, Operand::SplitHalf | Operand::SplitBf16) {
        // Each product costs digits, and more where 16 bits do not hold the matrix: 65537 points, by
        // 512 = 8·8·8 in two passes, had 1.3 times the error that they have by 2·16·16.
        let exact = |r: usize| radix::find(r).is_some_and(|row| row.exact);
        let inexact = |s: &Vec<usize>| s.iter().filter(|&&r| !exact(r)).count();
        // Of those without joined products, and of all.
        let fewest = |wanted: &dyn Fn(&Vec<usize>) -> bool| {
            let some = || all.iter().filter(|s| wanted(s));
            let least = some().map(Vec::len).min()?;
            let shortest = some().filter(|s| s.len() == least);
            Some((least, shortest.map(inexact).min()?))
        };
        let [unjoined, any] = [fewest(&plain), fewest(&|_| true)];
        all.retain(|s| match (plain(s), unjoined, any) {
            (true, Some((least, fewest)), _) => s.len() == least && inexact(s) == fewest,
            (_, _, Some((_, fewest))) => inexact(s) <= fewest,
            _ => false,
        });
    }
    all.sort_by_key(|s| {
        (
            s.len(),
            s.first().copied(),
            s.last().map(|r| usize::MAX - r),
        )
    });
    // Of the longer ones those that keep threads' values few.
    let (short, long): (Vec<_>, Vec<_>) = all.into_iter().partition(|s| s.len() == least);
    let mut chosen: Vec<Vec<usize>> = short.into_iter().take(SEQUENCES / 2).collect();
    chosen.extend(long.into_iter().take(SEQUENCES / 4));
    let ascending: Vec<Vec<usize>> = chosen.iter().map(|s| reversed(s)).collect();
    chosen.extend(ascending);
    chosen.sort();
    chosen.dedup();
    chosen
}

/// The sequences of the fewest radices, in either order: those of the smallest first ones.
fn shortest(n: usize, radices: &[usize]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    descend(n, radices, &mut Vec::new(), &mut all);
    let least = all.iter().map(Vec::len).min().unwrap_or(0);
    all.retain(|s| s.len() == least);
    all.sort_by_key(|s| s.first().copied());
    all.truncate(2);
    let ascending: Vec<Vec<usize>> = all.iter().map(|s| reversed(s)).collect();
    all.extend(ascending);
    all
}

/// The largest radix that is tried: a thread holds as many values; of joined products, a quarter.
fn largest(pass: &Pass) -> usize {
    let products = pass.math.engine == Engine::Matrix && pass.math.storage != ScalarType::F64;
    if products {
        128
    } else {
        largest_butterfly(pass.math.storage)
    }
}

/// The sequences of a line that a cluster holds: those of two factors, nearly equal, or of fewer radices in all,
/// each factor of the fewest radices in either order.
fn parts(length: usize, pass: &Pass, limits: &Limits) -> Vec<Vec<usize>> {
    let mut radices: Vec<usize> = limits.butterflies.to_vec();
    radices.retain(|r| *r <= largest(pass).min(LARGEST));
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let factors = (2..=length.isqrt())
        .rev()
        .filter(|n| length.is_multiple_of(*n));
    let even = factors.filter(|n1| n1.is_multiple_of(2) && (length / n1).is_multiple_of(2));
    let pairs: Vec<_> = even
        .map(|n1| [shortest(n1, &radices), shortest(length / n1, &radices)])
        .filter(|both| both.iter().all(|s| !s.is_empty()))
        .collect();
    let count = |both: &[Vec<Vec<usize>>; 2]| both[0][0].len() + both[1][0].len();
    let equal = pairs.iter().take(2);
    let most = equal.clone().map(count).min().unwrap_or(0);
    let fewer = pairs.iter().skip(2).filter(|both| count(both) < most);
    let mut sequences = Vec::new();
    for [small, large] in equal.chain(fewer.take(2)) {
        for (before, after) in [(small, large), (large, small)] {
            for first in before {
                for last in after {
                    sequences.push([first.clone(), last.clone()].concat());
                }
            }
        }
    }
    sequences.sort();
    sequences.dedup();
    sequences
}

fn reversed(sequence: &[usize]) -> Vec<usize> {
    sequence.iter().rev().copied().collect()
}

#[cfg(all(test, feature = "emulate"))]
mod tests;
