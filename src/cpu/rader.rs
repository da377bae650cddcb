//! DFTs of a prime length by Rader's algorithm (1968).
//!
//! RustFFT's own multiplies by the spectrum of roots that it computes in f64 from one rounded angle, so that their sum, which
//! is −1, is wrong by 1e-16·p: every point but the first is off by so much of the line's sum. Here the sum is exact.

use super::convolved::{Convolution, Line};
use super::cyclic::Cyclic;
use super::roots::Roots;
use super::scalar::{Real, Storage};
use mmafft_backend_traits::generator_powers;
use num_complex::Complex;
use pulp::Arch;
use rustfft::FftDirection;

/// With g a generator of the integers modulo p, `X[g^−m] = x[0] + Σ_q x[g^q]·w^(g^(q−m))`: a cyclic convolution of p − 1 points.
pub struct Rader<T> {
    /// With `w^(g^−q)`.
    convolution: Cyclic<T>,
    /// g^q, the first and the last of which are 1.
    powers: Vec<u32>,
    direction: FftDirection,
}

impl<T: Real + Storage<Compute = T>> Rader<T> {
    /// A DFT of `p` points, an odd prime that 32 bits hold.
    pub fn new(p: usize, direction: FftDirection) -> Self {
        let mut powers: Vec<u32> = generator_powers(p).iter().map(|&x| x as u32).collect();
        powers.push(1);
        let roots = Roots::new(p);
        let value = |x: &u32| match direction {
            FftDirection::Forward => roots.get::<T>(*x as usize),
            FftDirection::Inverse => roots.get::<T>(*x as usize).conj(),
        };
        // Half of all powers on, the power is the opposite one.
        let half = (p - 1) / 2;
        let values: Vec<Complex<T>> = powers[half + 1..].iter().rev().map(value).collect();
        let fill = |first: usize, row: &mut [Complex<T>]| {
            let split = half.saturating_sub(first).min(row.len());
            let (own, opposite) = row.split_at_mut(split);
            own.iter_mut()
                .zip(values.iter().skip(first))
                .for_each(|(x, w)| *x = *w);
            let after = values.iter().skip((first + split).saturating_sub(half));
            opposite
                .iter_mut()
                .zip(after)
                .for_each(|(x, w)| *x = w.conj());
        };
        let mut convolution = Cyclic::with(p - 1, false, fill);
        // The roots but for 1 add up to −1.
        *convolution.sum_mut() = Complex::from(T::rounded(-1.0 / (p - 1) as f64));
        Rader {
            convolution,
            powers,
            direction,
        }
    }
}

impl<T: Real + Storage<Compute = T>> Convolution for Rader<T> {
    type Scalar = T;

    fn points(&self) -> usize {
        self.powers.len()
    }

    fn direction(&self) -> FftDirection {
        self.direction
    }

    fn scratch(&self) -> usize {
        self.convolution.work() + self.convolution.scratch()
    }

    fn transform(&self, _: Arch, mut line: impl Line<T>, scratch: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.convolution.work());
        let from = line.from();
        let first = from[0];
        let mut powers = &self.powers[..];
        for row in self.convolution.rows(work) {
            let own;
            (own, powers) = powers.split_at(row.len());
            for (x, &at) in row.iter_mut().zip(own) {
                *x = from[at as usize];
            }
        }
        let sum = self.convolution.convolve(work, scratch, first);
        let to = line.to();
        to[0] = first + sum;
        // g^−m = g^(p−1−m).
        let mut powers = &self.powers[1..];
        for row in self.convolution.rows(work) {
            let own;
            (powers, own) = powers.split_at(powers.len() - row.len());
            for (x, &at) in row.iter().zip(own.iter().rev()) {
                to[at as usize] = x.conj();
            }
        }
    }
}
