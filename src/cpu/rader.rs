//! DFTs of a prime length by Rader's algorithm (1968) around RustFFT's.
//!
//! RustFFT's own multiplies by the spectrum of roots that it computes in f64 from one rounded angle, so that their sum, which
//! is −1, is wrong by 1e-16·p: every point but the first is off by so much of the line's sum. Here the sum is exact.

use super::convolved::{multiply_conjugated, Convolution, Line};
use super::primes::plan_inside;
use super::scalar::{root, Real, Storage};
use mmafft_backend_traits::generator_powers;
use num_complex::Complex;
use pulp::Arch;
use rustfft::{Fft, FftDirection};
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

impl<T: Real + Storage<Compute = T>> Rader<T> {
    /// A DFT of `p` points, a prime that 32 bits hold.
    pub fn new(p: usize, direction: FftDirection) -> Self {
        let powers: Vec<u32> = generator_powers(p).iter().map(|&x| x as u32).collect();
        let inner = plan_inside::<T>(p - 1, FftDirection::Forward);
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
}

impl<T: Real> Convolution for Rader<T> {
    type Scalar = T;

    fn points(&self) -> usize {
        self.powers.len() + 1
    }

    fn direction(&self) -> FftDirection {
        self.direction
    }

    fn scratch(&self) -> usize {
        self.inner.len() + self.inner.get_inplace_scratch_len()
    }

    fn transform(&self, arch: Arch, mut line: impl Line<T>, scratch: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.inner.len());
        let from = line.from();
        let first = from[0];
        for (x, &at) in work.iter_mut().zip(&self.powers) {
            *x = from[at as usize];
        }
        self.inner.process_with_scratch(work, scratch);
        let to = line.to();
        to[0] = first + work[0];
        // A forward DFT of conjugates is the inverse one, conjugated.
        multiply_conjugated(arch, work, &self.spectrum);
        work[0] = work[0] + first.conj();
        self.inner.process_with_scratch(work, scratch);
        // g^−m = g^(p−1−m), of which the first is 1.
        to[1] = work[0].conj();
        for (x, &at) in work[1..].iter().zip(self.powers.iter().rev()) {
            to[at as usize] = x.conj();
        }
    }
}
