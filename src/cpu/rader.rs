//! DFTs of a prime length by Rader's algorithm (1968) around RustFFT's.
//!
//! RustFFT's own multiplies by the spectrum of roots that it computes in f64 from one rounded angle, so that their sum, which
//! is −1, is wrong by 1e-16·p: every point but the first is off by so much of the line's sum. Here the sum is exact.

use super::scalar::{root, Real};
use mmafft_backend_traits::generator_powers;
use num_complex::Complex;
use rustfft::{Direction, Fft, FftDirection, FftPlanner, Length};
use std::sync::Arc;

/// With g a generator of the integers modulo p, `X[g^−m] = x[0] + Σ_q x[g^q]·w^(g^(q−m))`: a cyclic convolution of p − 1 points.
pub struct Rader<T> {
    inner: Arc<dyn Fft<T>>,
    /// Of `w^(g^−q)`, divided by p − 1.
    spectrum: Vec<Complex<T>>,
    /// g^q.
    powers: Vec<u32>,
    direction: FftDirection,
}

impl<T: Real> Rader<T> {
    /// A DFT of `p` points, a prime that 32 bits hold.
    pub fn new(p: usize, direction: FftDirection) -> Self {
        let powers: Vec<u32> = generator_powers(p).iter().map(|&x| x as u32).collect();
        let inner = FftPlanner::new().plan_fft_forward(p - 1);
        let mut spectrum: Vec<Complex<T>> = (0..p - 1)
            .map(|q| {
                let w = root::<T>(powers[(p - 1 - q) % (p - 1)] as usize, p);
                match direction {
                    FftDirection::Forward => w,
                    FftDirection::Inverse => w.conj(),
                }
            })
            .collect();
        inner.process(&mut spectrum);
        // What the roots add up to but for 1.
        spectrum[0] = Complex::from(T::rounded(-1.0));
        let scale = T::rounded(1.0 / (p - 1) as f64);
        spectrum.iter_mut().for_each(|x| *x = *x * scale);
        Rader {
            inner,
            spectrum,
            powers,
            direction,
        }
    }

    /// Complex numbers of the convolution and of the DFTs in it.
    fn scratch(&self) -> usize {
        self.inner.len() + self.inner.get_inplace_scratch_len()
    }

    /// Takes a line's points in the order of powers; returns its first one.
    fn gather(&self, from: &[Complex<T>], work: &mut [Complex<T>]) -> Complex<T> {
        for (x, &at) in work.iter_mut().zip(&self.powers) {
            *x = from[at as usize];
        }
        from[0]
    }

    /// Convolves what `gather` took, and leaves the line's spectrum.
    fn convolve(&self, first: Complex<T>, scratch: &mut [Complex<T>], to: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.inner.len());
        self.inner.process_with_scratch(work, scratch);
        to[0] = first + work[0];
        // A forward DFT of conjugates is the inverse one, conjugated.
        for (x, &w) in work.iter_mut().zip(&self.spectrum) {
            *x = (*x * w).conj();
        }
        work[0] = work[0] + first.conj();
        self.inner.process_with_scratch(work, scratch);
        // g^−m = g^(p−1−m), of which the first is 1.
        to[1] = work[0].conj();
        for (x, &at) in work[1..].iter().zip(self.powers.iter().rev()) {
            to[at as usize] = x.conj();
        }
    }
}

impl<T: Real> Length for Rader<T> {
    fn len(&self) -> usize {
        self.powers.len() + 1
    }
}

impl<T: Real> Direction for Rader<T> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}

impl<T: Real> Fft<T> for Rader<T> {
    fn process_with_scratch(&self, buffer: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        for line in buffer.chunks_exact_mut(self.len()) {
            let first = self.gather(line, scratch);
            self.convolve(first, scratch, line);
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
        let lines = output.chunks_exact_mut(self.len());
        for (from, to) in input.chunks_exact(self.len()).zip(lines) {
            let first = self.gather(from, scratch);
            self.convolve(first, scratch, to);
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
