//! DFTs of any length by Bluestein's algorithm (1968) around RustFFT's.
//!
//! ```text
//! X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n]       c[n] = exp(∓πi·n²/N)
//! ```
//! The sum is a cyclic convolution of M ≥ 2N−1 points. Chirps come from double-double angles:
//! RustFFT's own lose digits of data that is a chirp itself, √N times as many as of noise.

use super::chirp::{chirp, spectrum};
use super::scalar::Real;
use num_complex::Complex;
use rustfft::{Direction, Fft, FftDirection, FftPlanner, Length};
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

impl<T: Real> Bluestein<T> {
    /// A DFT of `length` points.
    pub fn new(length: usize, direction: FftDirection) -> Self {
        let padded = padded(length);
        let inverse = direction == FftDirection::Inverse;
        Bluestein {
            inner: FftPlanner::new().plan_fft_forward(padded),
            chirp: (0..length).map(|n| chirp(n, length, inverse)).collect(),
            spectrum: spectrum(length, padded, inverse),
            direction,
        }
    }

    /// Complex numbers of the convolution and of the DFTs in it.
    fn scratch(&self) -> usize {
        self.inner.len() + self.inner.get_inplace_scratch_len()
    }

    /// Puts a line's points, times the chirp, before the zeros of the convolution.
    fn load(&self, from: &[Complex<T>], work: &mut [Complex<T>]) {
        let (points, zeros) = work.split_at_mut(self.chirp.len());
        for ((x, &point), &c) in points.iter_mut().zip(from).zip(&self.chirp) {
            *x = point * c;
        }
        zeros.fill(Complex::from(T::rounded(0.0)));
    }

    /// Convolves what `load` took, and leaves the line's spectrum.
    fn convolve(&self, work: &mut [Complex<T>], scratch: &mut [Complex<T>], to: &mut [Complex<T>]) {
        self.inner.process_with_scratch(work, scratch);
        // A forward DFT of conjugates is the inverse one, conjugated.
        for (x, &w) in work.iter_mut().zip(&self.spectrum) {
            *x = (*x * w).conj();
        }
        self.inner.process_with_scratch(work, scratch);
        for ((x, &point), &c) in to.iter_mut().zip(&*work).zip(&self.chirp) {
            *x = point.conj() * c;
        }
    }
}

impl<T> Length for Bluestein<T> {
    fn len(&self) -> usize {
        self.chirp.len()
    }
}

impl<T> Direction for Bluestein<T> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}

impl<T: Real> Fft<T> for Bluestein<T> {
    fn process_with_scratch(&self, buffer: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.inner.len());
        for line in buffer.chunks_exact_mut(self.len()) {
            self.load(line, work);
            self.convolve(work, scratch, line);
        }
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        self.process_immutable_with_scratch(input, output, scratch);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        let (work, scratch) = scratch.split_at_mut(self.inner.len());
        let lines = output.chunks_exact_mut(self.len());
        for (from, to) in input.chunks_exact(self.len()).zip(lines) {
            self.load(from, work);
            self.convolve(work, scratch, to);
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.scratch()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.scratch()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.scratch()
    }
}
