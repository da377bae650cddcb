//! A reference transform with about 30 digits, to judge `f64` transforms by.
//!
//! The arithmetic is double-double ([`Dd`]), about 32 digits; [`ReferenceFft`] loses one or two of
//! them. [`relative_l2`] and [`largest_over_rms`] state the error of an `f64` result.

mod array;
mod dd;
mod definition;
mod fft;
#[cfg(test)]
mod tests;
mod twiddle;

use num_complex::Complex;

pub use array::{transform, Random};
pub use dd::{ComplexDd, ComplexOf, Dd, Real};
pub use definition::{Definition, Terms};
pub use fft::ReferenceFft;
pub use twiddle::{root, Roots};

/// Transforms a row-major array of the given `shape` in place along `axes`, unscaled in either
/// direction. Without axes the data stay as they are.
///
/// # Panics
///
/// If `data` does not have as many elements as `shape` says, or an axis is out of range or listed
/// twice.
pub fn dft_nd<T: Real>(shape: &[usize], axes: &[usize], inverse: bool, data: &mut [ComplexOf<T>]) {
    check_geometry(shape, axes, data.len());
    if data.is_empty() {
        return;
    }
    for &axis in axes {
        let len = shape[axis];
        let stride: usize = shape[axis + 1..].iter().product();
        let fft = ReferenceFft::new(len);
        for block in data.chunks_exact_mut(len * stride) {
            for first in 0..stride {
                let line = block[first..].iter().step_by(stride);
                let line: Vec<ComplexOf<T>> = line.copied().collect();
                let line = if inverse {
                    fft.inverse(&line)
                } else {
                    fft.forward(&line)
                };
                let slots = block[first..].iter_mut().step_by(stride);
                slots.zip(line).for_each(|(slot, value)| *slot = value);
            }
        }
    }
}

fn check_geometry(shape: &[usize], axes: &[usize], len: usize) {
    assert_eq!(len, shape.iter().product::<usize>(), "shape {shape:?}");
    for (place, axis) in axes.iter().enumerate() {
        assert!(*axis < shape.len(), "axis {axis} of the shape {shape:?}");
        assert!(!axes[..place].contains(axis), "axis {axis} is listed twice");
    }
}

/// `||y - reference|| / ||reference||` in the L2 norm. Zero if both norms are zero; NaN or infinite
/// if any element is, or if only the reference is zero.
///
/// # Panics
///
/// If the lengths differ.
pub fn relative_l2<T: Real>(y: &[Complex<f64>], reference: &[ComplexOf<T>]) -> f64 {
    ratio(norm(&distances(y, reference)), norm(&moduli(reference)))
}

/// The largest modulus of `y - reference` over the root mean square of the reference. Zero if both
/// are zero; NaN or infinite if any element is, or if only the reference is zero.
///
/// # Panics
///
/// If the lengths differ.
pub fn largest_over_rms<T: Real>(y: &[Complex<f64>], reference: &[ComplexOf<T>]) -> f64 {
    let rms = norm(&moduli(reference)) / (reference.len().max(1) as f64).sqrt();
    ratio(largest(&distances(y, reference)), rms)
}

/// The moduli of `y - reference`. Differences are taken before rounding, so an error far below one
/// unit in the last place of `y` is still seen.
fn distances<T: Real>(y: &[Complex<f64>], reference: &[ComplexOf<T>]) -> Vec<f64> {
    assert_eq!(y.len(), reference.len(), "lengths of result and reference");
    let pairs = y.iter().zip(reference);
    pairs
        .map(|(&value, &exact)| (ComplexOf::from(value) - exact).to_c64().norm())
        .collect()
}

fn moduli<T: Real>(values: &[ComplexOf<T>]) -> Vec<f64> {
    values.iter().map(|value| value.to_c64().norm()).collect()
}

/// The largest of `values`, NaN if one is NaN (`f64::max` would pass over it), zero if there is
/// none.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, &value| {
        if largest.is_nan() || value <= largest {
            largest
        } else {
            value
        }
    })
}

/// The L2 norm, scaled by the largest value so that no square overflows or underflows.
fn norm(values: &[f64]) -> f64 {
    let scale = largest(values);
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    let squares = values.iter().map(|value| (value / scale).powi(2));
    scale * squares.sum::<f64>().sqrt()
}

fn ratio(error: f64, size: f64) -> f64 {
    if error == 0.0 && size == 0.0 {
        0.0
    } else {
        error / size
    }
}
