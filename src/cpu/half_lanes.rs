//! The pairs of `half_spectrum.rs`, a vector of them at a time.
//!
//! Points k, k+1, … meet points h−k, h−k−1, …: the second vector is loaded forwards and
//! turned around, as are the results that go back there.

use super::lanes::Lanes;
use super::lines::{fetch, AHEAD, CACHE_LINE};
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

/// Combines `from[k]` with `from[h − k]` for k from 1 on, if there are as many pairs as a vector holds; `run` returns the
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

/// A vector of points: real parts, imaginary parts.
type C<S, T> = [<T as Lanes<S>>::V; 2];

/// Points k and h − k of half a spectrum from those of the spectrum of packed pairs, times twice `half`; wᵏ is `root`.
#[inline(always)]
pub fn split<S: Simd, T: Lanes<S>>(
    simd: S,
    [a, b]: [C<S, T>; 2],
    [wr, wi]: C<S, T>,
    half: T::V,
) -> [C<S, T>; 2] {
    // Halves are added, as the sum of two points near the largest number is out of range.
    let (ar, ai) = (T::vmul(simd, half, a[0]), T::vmul(simd, half, a[1]));
    let minus = T::vneg(simd, half);
    // a + conj b, a − conj b
    let (sr, si) = (
        T::vfma(simd, half, b[0], ar),
        T::vfma(simd, minus, b[1], ai),
    );
    let (dr, di) = (
        T::vfma(simd, minus, b[0], ar),
        T::vfma(simd, half, b[1], ai),
    );
    // odd = −i·d, turned by w
    let (or, oi) = (di, T::vneg(simd, dr));
    let tr = T::vfma(simd, or, wr, T::vneg(simd, T::vmul(simd, oi, wi)));
    let ti = T::vfma(simd, or, wi, T::vmul(simd, oi, wr));
    [
        [T::vadd(simd, sr, tr), T::vadd(simd, si, ti)],
        [T::vsub(simd, sr, tr), T::vsub(simd, ti, si)],
    ]
}

/// Twice points k and h − k of the spectrum of packed pairs from those of half a spectrum; wᵏ is `root`.
#[inline(always)]
pub fn merge<S: Simd, T: Lanes<S>>(
    simd: S,
    [a, b]: [C<S, T>; 2],
    [wr, wi]: C<S, T>,
) -> [C<S, T>; 2] {
    // a + conj b, a − conj b
    let (sr, si) = (T::vadd(simd, a[0], b[0]), T::vsub(simd, a[1], b[1]));
    let (dr, di) = (T::vsub(simd, a[0], b[0]), T::vadd(simd, a[1], b[1]));
    // conj(w)·d, of which i times is added
    let tr = T::vfma(simd, dr, wr, T::vmul(simd, di, wi));
    let ti = T::vfma(simd, di, wr, T::vneg(simd, T::vmul(simd, dr, wi)));
    [
        [T::vsub(simd, sr, ti), T::vadd(simd, si, tr)],
        [T::vadd(simd, sr, ti), T::vsub(simd, tr, si)],
    ]
}

impl<T> Combine<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> usize
    where
        T: Lanes<S>,
    {
        // The middle is a pair with itself.
        let (w, end) = (T::W, self.half / 2 + 1);
        if w == 1 || end <= w {
            return 1;
        }
        // The last vector may do again what the one before it has done.
        let last = end - w;
        for k in (1..last).step_by(w) {
            self.combine(simd, k);
        }
        self.combine(simd, last);
        end
    }

    /// Combines points k, …, as many as a vector holds.
    #[inline(always)]
    fn combine<S: Simd>(&mut self, simd: S, k: usize)
    where
        T: Lanes<S>,
    {
        let (h, w) = (self.half, T::W);
        let low = T::deinterleave(simd, load::<S, T>(self.from, k));
        let high = reversed::<S, T>(load::<S, T>(self.from, h + 1 - k - w));
        let high = T::deinterleave(simd, high);
        let root = T::deinterleave(simd, load::<S, T>(self.roots, k));
        let [low, high] = match self.pairs {
            Pairs::Split(half) => split::<S, T>(simd, [low, high], root, T::splat(simd, half)),
            Pairs::Merge => merge::<S, T>(simd, [low, high], root),
        };
        // Asked for at both ends: a processor does not do it by itself for what is written downwards.
        let to = self.to.as_ptr().cast::<i8>();
        let bytes = size_of::<Complex<T>>();
        for line in 0..2 {
            fetch(to.wrapping_add(k * bytes + AHEAD + line * CACHE_LINE));
            fetch(
                to.wrapping_add((h + 1 - k - w) * bytes)
                    .wrapping_sub(AHEAD - line * CACHE_LINE),
            );
        }
        store::<S, T>(self.to, k, T::interleave(simd, low));
        let high = reversed::<S, T>(T::interleave(simd, high));
        store::<S, T>(self.to, h + 1 - k - w, high);
    }
}

with_simd!(Combine -> usize);
