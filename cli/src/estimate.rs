//! The error of a result, from points computed by the definition.
//!
//! Of a small array all points are known from the reference transform. Of a larger one a sample is: one point costs a sum
//! over all inputs, in double-double, and with the same sum a comb of points whose distances divide the last axis.
//!
//! ```text
//! X[r + (n/d)·t] = Σ_m exp(∓2πi·t·m/d) · Σ_{j ≡ m mod d} x[j]·exp(∓2πi·r·j/n),   t < d
//! ```

mod real_sum;
mod sum;

use super::points::Points;
use mmafft::backend_traits::reference::transform;
use mmafft::reference::{relative_l2, Dd};
use mmafft::{Complex, Precision, Request};
use real_sum::RealSum;
use sum::Sum;

/// Arrays of so many points are compared as a whole.
const WHOLE: usize = 1 << 14;
/// Of larger ones at least so many points.
const SAMPLE: usize = 64;
/// The terms of all sums that are affordable.
const MOST_TERMS: usize = 1 << 22;
/// Terms of kinds from reals to reals, each of which takes as long as so many others.
const REAL_TERM: usize = 2;

/// What is known of an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimate {
    /// The relative L2 error, the number of points that it rests on, and whether these are all.
    Error {
        error: f64,
        points: usize,
        all: bool,
    },
    /// The sums would take too long.
    TooLong,
}

/// Whether the first array of a request is estimated: then a copy of its input must be there afterwards.
pub fn is_affordable(request: &Request) -> bool {
    let points: usize = request.shape.dims().iter().product();
    points <= WHOLE || sums(request).is_some()
}

/// The sums that sample a large array, if they are affordable: one of each comb, and one of the largest point.
fn sums(request: &Request) -> Option<usize> {
    let dims = request.shape.dims();
    let points: usize = dims.iter().product();
    let combs = SAMPLE.div_ceil((Sum::teeth(request) / 2).max(1));
    let cost = match request.kind.is_real_to_real() {
        true => (SAMPLE + 1) * REAL_TERM,
        false => combs + 1,
    };
    let affordable = points
        .checked_mul(cost)
        .is_some_and(|terms| terms <= MOST_TERMS);
    affordable.then_some(match request.kind.is_real_to_real() {
        true => SAMPLE,
        false => combs,
    })
}

/// The error of a transform of one array, of which `request` has the axes in the array's order, and all of them.
pub fn estimate(
    request: &Request,
    input: &dyn Points,
    output: &dyn Fn(usize) -> Complex<f64>,
    outputs: usize,
) -> Estimate {
    // Squares of huge or tiny numbers leave the range of doubles: a power of two, which rounds nothing, brings them near 1.
    let power = exponent(input);
    let input = |i: usize| scaled(input.at(i), power);
    let output = |i: usize| scaled(output(i), power);
    let points: usize = request.shape.dims().iter().product();
    if points <= WHOLE {
        let input: Vec<Complex<f64>> = (0..request_inputs(request)).map(input).collect();
        let output: Vec<Complex<f64>> = (0..outputs).map(output).collect();
        let axes = request.axes.clone().unwrap_or_default();
        let error = match request.precision {
            Precision::F64 => relative_l2::<Dd>(&output, &transform(request, &axes, &input)),
            _ => relative_l2::<f64>(&output, &transform(request, &axes, &input)),
        };
        return Estimate::Error {
            error,
            points: outputs,
            all: true,
        };
    }
    match sums(request) {
        Some(sums) => sampled(request, &input, &output, outputs, sums),
        None => Estimate::TooLong,
    }
}

/// The points of the input of one array.
fn request_inputs(request: &Request) -> usize {
    let dims = request.shape.dims();
    let halved = request.axes.as_ref().and_then(|axes| axes.last());
    let length = |(axis, &n): (usize, &usize)| match Some(&axis) == halved {
        true => request.kind.lengths(n)[0],
        false => n,
    };
    dims.iter().enumerate().map(length).product()
}

/// The error from a sample of the output.
fn sampled(
    request: &Request,
    input: &dyn Fn(usize) -> Complex<f64>,
    output: &dyn Fn(usize) -> Complex<f64>,
    outputs: usize,
    sums: usize,
) -> Estimate {
    let energy: f64 = (0..outputs).map(|i| output(i).norm_sqr()).sum();
    // The largest point for itself, as it may hold nearly all of the energy; the others spread over the output by the
    // golden ratio, so that none is special.
    let by_size = |&a: &usize, &b: &usize| output(a).norm_sqr().total_cmp(&output(b).norm_sqr());
    let largest = (0..outputs).max_by(by_size).unwrap_or(0);
    let spread = |i: usize| ((i as f64 * 0.618_033_988_749_895).fract() * outputs as f64) as usize;
    let places = (1..=sums).map(spread);
    let (first, sample) = match request.kind.is_real_to_real() {
        true => {
            let sum = RealSum::new(request);
            let point = |index: usize| (index, sum.at(input, index));
            (vec![point(largest)], places.map(point).collect::<Vec<_>>())
        }
        false => {
            let sum = Sum::new(request);
            let comb = |index: usize| sum.comb(input, index, Sum::teeth(request));
            (sum.comb(input, largest, 1), places.flat_map(comb).collect())
        }
    };
    let square = |&(index, exact): &(usize, Complex<f64>)| (output(index) - exact).norm_sqr();
    let others: Vec<f64> = sample
        .iter()
        .filter(|p| p.0 != largest)
        .map(square)
        .collect();
    let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
    let total = first.iter().map(square).sum::<f64>() + mean * (outputs - 1) as f64;
    let error = match total == 0.0 {
        true => 0.0,
        false => (total / energy).sqrt(),
    };
    Estimate::Error {
        error,
        points: others.len() + 1,
        all: false,
    }
}

/// The root mean square of all points.
pub fn rms(points: &dyn Points) -> f64 {
    let power = exponent(points);
    let energy: f64 = points.iter().map(|x| scaled(x, power).norm_sqr()).sum();
    let mean = (energy / points.len().max(1) as f64).sqrt();
    scaled(Complex::from(mean), -power).re
}

/// The exponent of the largest part of any point; 0 where all are zero, or one is not finite.
fn exponent(points: &dyn Points) -> i32 {
    let parts = points.iter().map(|x| x.re.abs().max(x.im.abs()));
    let largest = parts.fold(0.0, f64::max);
    match largest.is_normal() || largest.is_subnormal() {
        true => largest.log2().floor() as i32,
        false => 0,
    }
}

/// A point over a power of two, in two steps, as the whole power may be out of range.
fn scaled(x: Complex<f64>, power: i32) -> Complex<f64> {
    let half = power / 2;
    x * 2f64.powi(-half) * 2f64.powi(half - power)
}

#[cfg(test)]
mod tests;
