//! The pairs of `half_spectrum.rs`, a vector of them at a time.
//!
//! Points k, k+1, … meet points h−k, h−k−1, …: the second vector is loaded forwards and
//! turned around, as are the results that go back there.

use super::columns::Lanes;
use num_complex::Complex;
use pulp::Simd;

/// What is done to a pair of points.
#[derive(Clone, Copy, PartialEq)]
pub enum Pairs<T> {
    /// Spectrum of packed pairs to half spectrum, times twice this.
    Split(T),
    /// Half spectrum to twice the spectrum of packed pairs.
    Merge,
}

/// Combines `from[k]` with `from[h − k]` for k from 1 on, if there are more pairs than a vector holds; `run` returns the
/// first k that is left.
pub struct Combine<'a, T> {
    /// The points that are read: Z or X.
    pub from: &'a [Complex<T>],
    /// The points that are written, at the same indices.
    pub to: &'a mut [Complex<T>],
    /// wᵏ.
    pub roots: &'a [Complex<T>],
    /// h: point k meets point h − k.
    pub half: usize,
    /// Which way.
    pub pairs: Pairs<T>,
}

/// Two vectors of interleaved points, the points in the opposite order.
#[inline(always)]
fn reversed<S: Simd, T: Lanes<S>>(v: [T::V; 2]) -> [T::V; 2] {
    match T::W {
        2 => turn::<T::V, T, 2>(v),
        4 => turn::<T::V, T, 4>(v),
        8 => turn::<T::V, T, 8>(v),
        16 => turn::<T::V, T, 16>(v),
        _ => v,
    }
}

/// `reversed` for W lanes; of another width it is compiled, and never run.
#[inline(always)]
fn turn<V: Copy, T: Copy, const W: usize>(v: [V; 2]) -> [V; 2] {
    if size_of::<[V; 2]>() != size_of::<[[T; 2]; W]>() {
        return v;
    }
    // SAFETY: both are plain scalars, and of one size. The permutation is constant and
    // compiles to shuffles.
    unsafe {
        let points: [[T; 2]; W] = std::mem::transmute_copy(&v);
        let mut out = points;
        let mut i = 0;
        while i < W {
            out[i] = points[W - 1 - i];
            i += 1;
        }
        std::mem::transmute_copy(&out)
    }
}

/// Loads a vector of points.
///
/// # Panics
/// If there are not as many from `at` on.
#[inline(always)]
fn load<S: Simd, T: Lanes<S>>(points: &[Complex<T>], at: usize) -> [T::V; 2] {
    let points = &points[at..at + T::W];
    // SAFETY: W points are 2·W scalars, two vectors.
    unsafe { points.as_ptr().cast::<[T::V; 2]>().read_unaligned() }
}

/// Stores a vector of points.
///
/// # Panics
/// If there is no room for as many from `at` on.
#[inline(always)]
fn store<S: Simd, T: Lanes<S>>(points: &mut [Complex<T>], at: usize, v: [T::V; 2]) {
    let points = &mut points[at..at + T::W];
    // SAFETY: W points are 2·W scalars, two vectors.
    unsafe { points.as_mut_ptr().cast::<[T::V; 2]>().write_unaligned(v) }
}

impl<T> Combine<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> usize
    where
        T: Lanes<S>,
    {
        let (w, pairs) = (T::W, self.half.div_ceil(2));
        if w == 1 || pairs <= w {
            return 1;
        }
        // The last vector may do again what the one before it has done.
        let last = pairs - w;
        for k in (1..last).step_by(w) {
            self.combine(simd, k);
        }
        self.combine(simd, last);
        pairs
    }

    /// Combines points k, …, as many as a vector holds.
    #[inline(always)]
    fn combine<S: Simd>(&mut self, simd: S, k: usize)
    where
        T: Lanes<S>,
    {
        let (h, w) = (self.half, T::W);
        let factor = match self.pairs {
            Pairs::Split(half) => Some(T::splat(simd, half)),
            Pairs::Merge => None,
        };
        let low = T::deinterleave(simd, load::<S, T>(self.from, k));
        let high = reversed::<S, T>(load::<S, T>(self.from, h + 1 - k - w));
        let high = T::deinterleave(simd, high);
        let [wr, wi] = T::deinterleave(simd, load::<S, T>(self.roots, k));
        let [(ar, ai), (br, bi)] = [(low[0], low[1]), (high[0], high[1])];
        // Halves are added, as the sum of two points near the largest number is out of range.
        let (ar, ai, br, bi) = match factor {
            Some(half) => (
                T::vmul(simd, half, ar),
                T::vmul(simd, half, ai),
                T::vmul(simd, half, br),
                T::vmul(simd, half, bi),
            ),
            None => (ar, ai, br, bi),
        };
        // a + conj b, a − conj b
        let (sr, si) = (T::vadd(simd, ar, br), T::vsub(simd, ai, bi));
        let (dr, di) = (T::vsub(simd, ar, br), T::vadd(simd, ai, bi));
        let (er, ei, or, oi) = match self.pairs {
            Pairs::Split(_) => {
                // odd = −i·d, turned by w
                let (or, oi) = (di, T::vneg(simd, dr));
                let tr = T::vfma(simd, or, wr, T::vneg(simd, T::vmul(simd, oi, wi)));
                let ti = T::vfma(simd, or, wi, T::vmul(simd, oi, wr));
                (sr, si, tr, ti)
            }
            Pairs::Merge => {
                // i·conj(w)·d
                let tr = T::vfma(simd, dr, wr, T::vmul(simd, di, wi));
                let ti = T::vfma(simd, di, wr, T::vneg(simd, T::vmul(simd, dr, wi)));
                (sr, si, T::vneg(simd, ti), tr)
            }
        };
        let low = [T::vadd(simd, er, or), T::vadd(simd, ei, oi)];
        let high = [T::vsub(simd, er, or), T::vsub(simd, oi, ei)];
        store::<S, T>(self.to, k, T::interleave(simd, low));
        let high = reversed::<S, T>(T::interleave(simd, high));
        store::<S, T>(self.to, h + 1 - k - w, high);
    }
}

with_simd!(Combine -> usize);
