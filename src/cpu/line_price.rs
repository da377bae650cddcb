//! Which way transforms contiguous lines: the one whose price is the least, if it keeps its digits.
//!
//! Prices are nanoseconds a point of `f64` of one core for each width of vectors; of `f32` all are about half. They were
//! fitted to timings (docs/lab/2026-11-29-avx512.md and docs/lab/2026-11-30-avx2.md).

use super::butterflies::BUTTERFLIES;
use super::digits::kept_by_library;
use super::{four_step, shared_vectors};
use mmafft_backend_traits::radix;
use std::cmp::Ordering;

/// RustFFT, or convolutions around it.
pub const LIBRARY: &str = "RustFFT";
/// As many lines at once as a vector has lanes.
pub const BATCH: &str = "butterflies across lines";
/// Two lines at once, each in half of a vector's lanes.
pub const TWO_LINES: &str = "two lines a vector";
/// Four lines at once, each in a quarter of a vector's lanes.
pub const FOUR_LINES: &str = "four lines a vector";
/// A line as columns, twice.
pub const FOUR_STEP: &str = "four steps";

/// The longest lines of batches, of which a vector is in a second-level cache twice over.
const LONGEST_BATCH: usize = 4096;

/// Bytes of rows that are in a first-level cache beside what else it has.
pub const NEAR_ROWS: usize = 31 << 10;

/// The longest lines that share vectors: others were faster from there on (docs/lab/2026-11-30-cpu.md).
const LONGEST_SHARED: usize = 12_288;

/// What a line that shares vectors takes beside its points, of one of them.
const SHARED_BEGUN: f64 = 10.0;

/// Bytes after which rows are alike to a first-level cache.
const ALIKE: usize = 4096;

/// Bytes of RustFFT's widest vectors.
const LIBRARY_VECTOR: usize = 32;

/// Bytes of the narrowest vectors that lines are timed to share.
const SHARED_VECTOR: usize = 32;

/// The least product of factors at which RustFFT has vectors.
///
/// Lines that have less of them begin with scalars.
const SHORTEST_BASE: usize = 8;

/// The lines that a price is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// Lines each for itself.
    Single,
    /// Many lines.
    Many,
    /// Many lines between pairs of reals and half spectra.
    Halves,
}

/// What ways take of a point beside their steps, in vectors of one width.
struct Costs {
    /// Of a whole line of a batch, of `f32` and of `f64`: a short one ends before the processor sees that it is read in
    /// order, and what has more bytes costs more.
    begun: [f64; 2],
    /// Of a batch whose rows are in a first-level cache, and of one whose rows are not.
    batch: [f64; 2],
    /// Of two lines a vector, then of four: rows in a first-level cache, and others.
    shared: [[f64; 2]; 2],
    /// Times that the rows of shared vectors are to fit in a first-level cache.
    room: usize,
    /// What lines that share vectors take more where their rows are [`ALIKE`].
    alike: f64,
    /// Of four steps.
    four_step: f64,
    /// Of each step, of what it takes in narrow vectors.
    steps: f64,
    /// Of RustFFT's factors 2, 3, 5 and 7.
    library: [f64; 4],
    /// What RustFFT's lines take more whose factors 2, 3 and 11 make less than [`SHORTEST_BASE`].
    no_base: f64,
    /// Of a half spectrum, beside what it takes in batches.
    half: f64,
    /// What a whole line by RustFFT takes more for its half spectrum, which is split or merged by itself.
    half_begun: f64,
    /// The shortest lines of batches, and of four steps: calls for shorter ones cost more than all else.
    shortest: [usize; 2],
}

/// Vectors of 16 bytes, and scalars: what they had before wider ones were timed alone.
const NARROWEST: Costs = Costs {
    begun: [10.0, 50.0],
    batch: [0.7, 0.7],
    shared: [[f64::INFINITY; 2]; 2],
    room: 1,
    alike: 0.0,
    four_step: 2.6,
    steps: 1.0,
    library: [0.2, 0.36, 0.9, 0.8],
    no_base: 0.0,
    half: 0.2,
    half_begun: 0.0,
    shortest: [64, 1024],
};

/// Vectors as wide as RustFFT's.
///
/// A pair needs room in the cache beside what is read and written.
const NARROW: Costs = Costs {
    begun: [5.0, 20.0],
    batch: [1.1, 1.8],
    shared: [[0.4, 1.0], [f64::INFINITY; 2]],
    room: 2,
    alike: 1.3,
    four_step: 1.6,
    steps: 1.0,
    library: [0.2, 0.5, 0.85, 1.0],
    no_base: 1.5,
    half: 0.6,
    half_begun: 10.0,
    shortest: [40, 1000],
};

/// Wider ones: steps of lines that come from memory are not much faster.
const WIDE: Costs = Costs {
    begun: [40.0, 20.0],
    batch: [0.5, 1.1],
    shared: [[0.3, 0.45], [0.45, 0.6]],
    room: 1,
    alike: 0.7,
    four_step: 0.95,
    steps: 0.9,
    library: [0.235, 0.48, 1.0, 1.2],
    no_base: 0.0,
    half: 0.15,
    half_begun: 40.0,
    shortest: [32, 1000],
};

/// The way for lines of so many points, in vectors of so many lanes of so many bytes. It is
/// the same whatever is beside a line, so that the result is, too.
pub fn way(points: usize, of: Workload, lanes: usize, bytes: usize) -> &'static str {
    let prices = prices(points, of, lanes, bytes);
    let (chosen, own) = (cheapest(&prices), cheapest(&prices[1..]));
    // Where there is no way of our own the bound is RustFFT's to keep.
    let loses_digits = || bytes >= size_of::<f64>() && !kept_by_library(points);
    match chosen == LIBRARY && own != LIBRARY && loses_digits() {
        true => own,
        false => chosen,
    }
}

/// The same for a line within a convolution, whose bound is three times as wide: nothing is tried.
pub fn way_inside(points: usize, lanes: usize, bytes: usize) -> &'static str {
    cheapest(&prices(points, Workload::Single, lanes, bytes))
}

/// The first way of the least price; RustFFT where no way has one.
fn cheapest(prices: &[(&'static str, f64)]) -> &'static str {
    let (mut way, mut least) = (LIBRARY, f64::INFINITY);
    for &(own, price) in prices {
        if price < least {
            (way, least) = (own, price);
        }
    }
    way
}

/// What a point takes by RustFFT, and by each of our own ways; infinite where a way is none.
fn prices(points: usize, of: Workload, lanes: usize, bytes: usize) -> [(&'static str, f64); 5] {
    let own = [TWO_LINES, FOUR_LINES, BATCH, FOUR_STEP];
    let Some(radices) = radices(points) else {
        let [a, b, c, d] = own.map(|way| (way, f64::INFINITY));
        return [(LIBRARY, 0.0), a, b, c, d];
    };
    let costs = match (lanes * bytes).cmp(&LIBRARY_VECTOR) {
        Ordering::Greater => &WIDE,
        Ordering::Equal => &NARROW,
        Ordering::Less => &NARROWEST,
    };
    let [shortest_batch, shortest_four_step] = costs.shortest;
    let fits = (shortest_batch..=LONGEST_BATCH).contains(&points);
    let begun = costs.begun[usize::from(bytes > 4)] / points as f64;
    let steps: f64 = radices.iter().map(|&radix| step(radix)).sum();
    let near = 2 * points * lanes * bytes <= NEAR_ROWS;
    let batch = match of != Workload::Single && fits {
        true => begun + costs.batch[usize::from(!near)] + costs.steps * steps,
        false => f64::INFINITY,
    };
    let [half, half_begun] = match of {
        Workload::Halves => [costs.half, costs.half_begun / points as f64],
        _ => [0.0; 2],
    };
    let four_step = match points >= shortest_four_step {
        true => four_step::price(points, lanes)
            .map(|steps| half + costs.four_step + costs.steps * steps),
        false => None,
    };
    let shares =
        of != Workload::Single && points <= LONGEST_SHARED && lanes * bytes >= SHARED_VECTOR;
    let shared = |lines: usize| match shares {
        true => {
            let whole = of == Workload::Halves || !shared_vectors::near(lines, points, bytes);
            shared_vectors::cheapest(lines, points, lanes, whole).map(|(first, steps)| {
                let far = !shared_vectors::near(lines, costs.room * points, bytes);
                let is_alike = (points / first * 2 * bytes).is_multiple_of(ALIKE);
                half + SHARED_BEGUN / points as f64
                    + costs.shared[usize::from(lines == 4)][usize::from(far)]
                    + costs.steps * steps
                    + if is_alike { costs.alike } else { 0.0 }
            })
        }
        false => None,
    };
    let all = [shared(2), shared(4), Some(batch), four_step];
    let [a, b, c, d] = std::array::from_fn(|i| (own[i], all[i].unwrap_or(f64::INFINITY)));
    let library = half + half_begun + library(points, costs);
    [(LIBRARY, library), a, b, c, d]
}

/// The radices of a line, if the CPU has them.
pub fn radices(points: usize) -> Option<Vec<usize>> {
    radix::factor(points, BUTTERFLIES).map(radix::balanced)
}

/// What a butterfly takes of a point in narrow vectors.
pub fn step(radix: usize) -> f64 {
    match radix {
        2 | 3 => 0.4,
        4 => 0.45,
        8 | 5 => 0.55,
        9 => 0.8,
        odd => 0.1 * odd as f64,
    }
}

/// What RustFFT takes of a point of lines that [`radices`] has.
fn library(points: usize, costs: &Costs) -> f64 {
    let (mut rest, mut price, mut base) = (points, 0.3, 1);
    let [two, three, five, seven] = costs.library;
    for (prime, own) in [(2, two), (3, three), (5, five), (7, seven), (11, 1.1)] {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            price += own;
            if [2, 3, 11].contains(&prime) {
                base *= prime;
            }
        }
    }
    if base < SHORTEST_BASE {
        price += costs.no_base;
    }
    for &prime in BUTTERFLIES.iter().filter(|&&radix| radix > 11) {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            price += 0.2 * prime as f64;
        }
    }
    price
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths that RustFFT is fast at are its own, unless vectors are wider than its.
    #[test]
    fn the_cheapest_way_is_taken() {
        for (points, of, bytes, expected) in [
            (1, Workload::Many, 64, LIBRARY),
            (16, Workload::Many, 64, LIBRARY),
            (1024, Workload::Many, 32, LIBRARY),
            (512, Workload::Many, 64, TWO_LINES),
            (4096, Workload::Many, 64, FOUR_STEP),
            (100, Workload::Many, 64, TWO_LINES),
            (625, Workload::Many, 64, BATCH),
            (128, Workload::Halves, 64, TWO_LINES),
            (360, Workload::Many, 64, TWO_LINES),
            (1000, Workload::Many, 64, TWO_LINES),
            (1000, Workload::Single, 64, FOUR_STEP),
            (4096, Workload::Halves, 64, FOUR_STEP),
            (1000, Workload::Many, 32, TWO_LINES),
            (1000, Workload::Many, 16, BATCH),
            (100, Workload::Many, 32, TWO_LINES),
            (110, Workload::Many, 32, LIBRARY),
            (625, Workload::Many, 32, BATCH),
            (1000, Workload::Single, 32, LIBRARY),
            (17usize.pow(5), Workload::Many, 32, FOUR_STEP),
            (1009, Workload::Many, 32, LIBRARY),
            (1 << 20, Workload::Many, 32, LIBRARY),
        ] {
            let got = way(points, of, bytes / 8, 8);
            assert_eq!(got, expected, "{points}");
        }
        // Sixteen lanes of `f32` are a pair where 8 divides its points, and four lines where 4 does, or 7.
        for (points, of, expected) in [
            (180, Workload::Halves, FOUR_LINES),
            (128, Workload::Halves, TWO_LINES),
            (63, Workload::Many, FOUR_LINES),
            (360, Workload::Many, TWO_LINES),
            (4500, Workload::Many, FOUR_LINES),
            (180, Workload::Single, LIBRARY),
        ] {
            assert_eq!(way(points, of, 16, 4), expected, "{points} of f32");
        }
        // Narrower vectors have no four lines, nor do any that lines do not fill.
        for lanes in [1, 2, 4, 8, 32] {
            for points in [4, 63, 180, 4500] {
                for whole in [false, true] {
                    assert_eq!(shared_vectors::cheapest(4, points, lanes, whole), None);
                }
            }
        }
    }
}
