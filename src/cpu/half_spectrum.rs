//! A real line of even length through a complex transform of half of it (the *complex
//! reduction* of the real-FFT paper).
//!
//! With z[m] = x[2m] + i·x[2m+1], h = n/2, w = exp(−2πi/n), and E, O the spectra of the
//! even and odd points:
//! ```text
//! Z[k] = E[k] + i·O[k]            E[k] = ½(Z[k] + conj Z[h−k])
//! X[k] = E[k] + wᵏ·O[k]           O[k] = ½(Z[k] − conj Z[h−k])/i
//! ```
//! `split` goes from Z to X and `merge` back, both k and h−k in one step.

use super::half_lanes::{Combine, Pairs};
use super::scalar::{root, Real};
use num_complex::Complex;

/// The roots for one length.
#[derive(Debug)]
pub struct HalfSpectrum<T> {
    /// wᵏ, k = 0 ..= h/2.
    roots: Vec<Complex<T>>,
    /// h = n/2.
    half: usize,
}

impl<T: Real> HalfSpectrum<T> {
    /// For real lines of an even length `n`.
    pub fn new(n: usize) -> Self {
        let half = n / 2;
        HalfSpectrum {
            roots: (0..=half / 2).map(|k| root(k, n)).collect(),
            half,
        }
    }

    /// wᵏ, k = 0 ..= h/2.
    pub fn roots(&self) -> &[Complex<T>] {
        &self.roots
    }

    /// Whether pairs are combined a vector of them at a time.
    pub fn in_vectors(&self) -> bool {
        self.half / 2 >= T::vector_bytes() / size_of::<T>()
    }

    /// Z (h points) to X (h + 1 points), times `scale`.
    pub fn split(&self, z: &[Complex<T>], x: &mut [Complex<T>], scale: T) {
        let h = self.half;
        let z = &z[..h];
        let x = &mut x[..=h];
        let (first, zero) = (z[0], T::zero());
        let first = first * scale;
        x[0] = Complex::new(first.re + first.im, zero);
        x[h] = Complex::new(first.re - first.im, zero);
        let half = T::rounded(0.5) * scale;
        for k in self.vectors(z, x, Pairs::Split(half))..h / 2 + 1 {
            // Halves are added, as the sum of two points near the largest number is out of range.
            let (a, b) = (z[k] * half, z[h - k] * half);
            let even = Complex::new(a.re + b.re, a.im - b.im);
            // −i/2·(Z[k] − conj Z[h−k])
            let odd = Complex::new(a.im + b.im, b.re - a.re);
            let turned = odd * self.roots[k];
            x[k] = even + turned;
            x[h - k] = (even - turned).conj();
        }
    }

    /// X (h + 1 points) to 2·Z (h points): an unscaled inverse transform of h points then
    /// gives the unscaled inverse of n. The imaginary parts of X[0] and X[h] are ignored.
    pub fn merge(&self, x: &[Complex<T>], z: &mut [Complex<T>]) {
        let h = self.half;
        let x = &x[..=h];
        let z = &mut z[..h];
        z[0] = Complex::new(x[0].re + x[h].re, x[0].re - x[h].re);
        for k in self.vectors(x, z, Pairs::Merge)..h / 2 + 1 {
            let (a, b) = (x[k], x[h - k].conj());
            let even = a + b;
            // i·conj(wᵏ)·(X[k] − conj X[h−k])
            let turned = (a - b) * self.roots[k].conj();
            let odd = Complex::new(-turned.im, turned.re);
            z[k] = even + odd;
            z[h - k] = (even - odd).conj();
        }
    }

    /// Does whole vectors of pairs; returns the first k that is left.
    fn vectors(&self, from: &[Complex<T>], to: &mut [Complex<T>], pairs: Pairs<T>) -> usize {
        T::combine(Combine {
            from,
            to,
            roots: &self.roots,
            half: self.half,
            pairs,
        })
    }
}
