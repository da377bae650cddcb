//! DFTs of any length by Bluestein's algorithm (1968) around RustFFT's.
//!
//! ```text
//! X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n]       c[n] = exp(∓πi·n²/N)
//! ```
//! The sum is a cyclic convolution of M ≥ 2N−1 points. Chirps come from double-double angles:
//! RustFFT's own lose digits of data that is a chirp itself, √N times as many as of noise.

use super::chirp::{chirps, spectrum_by};
use super::convolved::{multiply, multiply_conjugated, multiply_conjugates, Convolution, Line};
use super::primes::plan_inside;
use super::scalar::{Real, Storage};
use num_complex::Complex;
use pulp::Arch;
use rustfft::{Fft, FftDirection};
use std::sync::Arc;

/// A DFT by a convolution of [`padded`] points.
pub struct Bluestein<T> {
    inner: Arc<dyn Fft<T>>,
    /// c[n].
    chirp: Vec<Complex<T>>,
    /// The spectrum of conj c, divided by M.
    spectrum: Vec<Complex<T>>,
    direction: FftDirection,
}

/// The shortest convolution for `length` points that RustFFT is fast at, of radices 2 and 3.
pub fn padded(length: usize) -> usize {
    let least = 2 * length - 1;
    let of = |odd: usize| odd * least.div_ceil(odd).next_power_of_two();
    [1, 3, 9, 27, 81].map(of).into_iter().min().unwrap_or(least)
}

impl<T: Real + Storage<Compute = T>> Bluestein<T> {
    /// A DFT of `length` points.
    pub fn new(length: usize, direction: FftDirection) -> Self {
        let padded = padded(length);
        let inverse = direction == FftDirection::Inverse;
        let inner = plan_inside::<T>(padded, FftDirection::Forward);
        let chirps = chirps(length, inverse);
        // The spectrum is rounded once, whatever computes with it.
        let spectrum = match T::in_f64(&inner) {
            Some(fft) => spectrum_by(&chirps, &*fft),
            None => spectrum_by(&chirps, &*plan_inside::<f64>(padded, FftDirection::Forward)),
        };
        let rounded = |c: &Complex<f64>| Complex::new(T::rounded(c.re), T::rounded(c.im));
        Bluestein {
            inner,
            chirp: chirps.iter().map(rounded).collect(),
            spectrum,
            direction,
        }
    }
}

impl<T: Real> Convolution for Bluestein<T> {
    type Scalar = T;

    fn points(&self) -> usize {
        self.chirp.len()
    }

    fn direction(&self) -> FftDirection {
        self.direction
    }

    fn scratch(&self) -> usize {
        self.inner.len() + self.inner.get_inplace_scratch_len()
    }

    fn transform(&self, arch: Arch, mut line: impl Line<T>, scratch: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.inner.len());
        let (points, zeros) = work.split_at_mut(self.points());
        multiply(arch, points, line.from(), &self.chirp);
        zeros.fill(Complex::default());
        self.inner.process_with_scratch(work, scratch);
        // A forward DFT of conjugates is the inverse one, conjugated.
        multiply_conjugated(arch, work, &self.spectrum);
        self.inner.process_with_scratch(work, scratch);
        multiply_conjugates(arch, line.to(), work, &self.chirp);
    }
}
