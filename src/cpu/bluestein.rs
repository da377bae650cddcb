//! DFTs of any length by Bluestein's algorithm (1968).
//!
//! ```text
//! X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n]       c[n] = exp(∓πi·n²/N)
//! ```
//! The sum is a cyclic convolution of M ≥ 2N−1 points. Chirps are rounded once: RustFFT's own
//! lose digits of data that is a chirp itself, √N times as many as of noise.

use super::chirp::chirps;
use super::convolved::{multiply, multiply_conjugates, Convolution, Line};
use super::cyclic::Cyclic;
use super::scalar::{Real, Storage};
use num_complex::Complex;
use pulp::Arch;
use rustfft::FftDirection;

/// A DFT by a convolution of [`padded`] points.
pub struct Bluestein<T> {
    /// With conj c.
    convolution: Cyclic<T>,
    /// c[n].
    chirp: Vec<Complex<T>>,
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
        let chirp = chirps::<T>(length, direction == FftDirection::Inverse);
        // conj c[n], which is that of −n, too.
        let fill = |first: usize, row: &mut [Complex<T>]| {
            let own = chirp.get(first..).unwrap_or_default();
            row.iter_mut().zip(own).for_each(|(x, c)| *x = c.conj());
            let after = (padded - first).saturating_sub(length - 1).min(row.len());
            let row = &mut row[after..];
            let mirrored = chirp.iter().take(padded - first - after + 1).rev();
            row.iter_mut()
                .zip(mirrored)
                .for_each(|(x, c)| *x = c.conj());
        };
        Bluestein {
            convolution: Cyclic::with(padded, true, fill),
            chirp,
            direction,
        }
    }
}

impl<T: Real + Storage<Compute = T>> Convolution for Bluestein<T> {
    type Scalar = T;

    fn points(&self) -> usize {
        self.chirp.len()
    }

    fn direction(&self) -> FftDirection {
        self.direction
    }

    fn scratch(&self) -> usize {
        self.convolution.work() + self.convolution.scratch()
    }

    fn transform(&self, arch: Arch, mut line: impl Line<T>, scratch: &mut [Complex<T>]) {
        let (work, scratch) = scratch.split_at_mut(self.convolution.work());
        let (mut from, mut chirp) = (line.from(), &self.chirp[..]);
        for row in self.convolution.rows(work) {
            let points = row.len().min(chirp.len());
            let (own, zeros) = row.split_at_mut(points);
            multiply(arch, own, from, chirp);
            zeros.fill(Complex::default());
            (from, chirp) = (&from[points..], &chirp[points..]);
        }
        self.convolution.convolve(work, scratch, Complex::default());
        let (mut to, mut chirp) = (line.to(), &self.chirp[..]);
        for row in self.convolution.rows(work) {
            let points = row.len().min(chirp.len());
            let (own, others) = to.split_at_mut(points);
            multiply_conjugates(arch, own, row, chirp);
            (to, chirp) = (others, &chirp[points..]);
        }
    }
}
