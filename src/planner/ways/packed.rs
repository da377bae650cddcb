//! Packed real lines: N reals as N/2 complex points, over several passes (Cooley, Lewis and Welch, The fast Fourier transform
//! algorithm: programming considerations, 1970).
//!
//! ```text
//! z[n] = x[2n] + i·x[2n+1]      Z = DFT of z, of M = N/2 points, w = exp(−2πi/N)
//! X[k] = (Z[k] + conj Z[M−k])/2 + w^k·(Z[k] − conj Z[M−k])/2i
//! ```
//! The pass that splits half spectra, the last, has its lines in pairs that mirror each other; of kinds that merge them
//! the first has.

use super::four_step::by_given;
use crate::planner::factors::halved;
use crate::planner::fits::Fits;
use crate::planner::parts::Parts;
use crate::planner::stage::{Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::Result;

pub const WAY: Way = Way {
    name: "packed real lines",
    method: Method::Line { applies, stages },
};

/// On devices, of kinds that merge or split half spectra of N/2 + 1 points.
fn applies(line: &Line) -> bool {
    line.is_whole() && halved(line.stage) && line.fits.by_kernels()
}

fn stages(line: &Line) -> Option<Result<Route>> {
    if let Some(given) = &line.given {
        return given
            .packed
            .then(|| by_given(line, Parts::packed))
            .flatten();
    }
    let fits = line.fits;
    let factors = factors(line.stage, fits, fits.longest_scattered());
    let factors = factors.or_else(|| self::factors(line.stage, fits, fits.longest_line()));
    let parts = Parts::packed(line.stage, factors?, line.base, line.problem);
    Some(parts.map(|parts| line.product(parts, line.run())))
}

/// The factors of half of a real line of N reals, in the order of their passes, where N is the product of as many as it takes
/// of a complex line, one of them a multiple of 4, and the others' product even.
fn factors(stage: &Stage, fits: &Fits, limit: usize) -> Option<Vec<usize>> {
    let last = stage.kind.row().packed.middle == Middle::Split;
    let plain = fits.factors(stage.length, limit)?;
    let even = || fits.even_factors(stage.length, limit);
    paired(plain, last, fits, limit).or_else(|| paired(even()?, last, fits, limit))
}

/// One of the factors halved, and last (or first): a pair of its lines is as long as it was.
fn paired(mut factors: Vec<usize>, last: bool, fits: &Fits, limit: usize) -> Option<Vec<usize>> {
    if last {
        factors.reverse();
    }
    let at = factors.iter().position(|f| f.is_multiple_of(4))?;
    factors[..=at].rotate_right(1);
    if last {
        factors.reverse();
    }
    let mut factors = fits.with_whole_rows(factors, limit);
    let at = if last { factors.len() - 1 } else { 0 };
    factors[at] /= 2;
    let even = |f: &usize| f.is_multiple_of(2);
    let others = factors.iter().filter(|f| even(f)).count() > 1;
    (factors[at] > 1 && even(&factors[at]) && others && fits.line(factors[at], limit / 2))
        .then_some(factors)
}
