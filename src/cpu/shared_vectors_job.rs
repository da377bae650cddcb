//! The arithmetic of `shared_vectors.rs`.
//!
//! The file is long because all of it is inlined into one function for each first DFT.

use super::butterflies::{dft, step_within, stored_quarters, times, Rows, StepArgs};
use super::columns::MOST_VECTORS;
use super::exchange::{exchanged, halved, joined, mirrored, twice, Half};
use super::half_lanes::split;
use super::lanes::Lanes;
use super::lines::{Ahead, Lines, LinesAt, Share};
use super::scalar::{Real, Storage};
use super::shared_vectors::{groups, SharedVectors};
use super::turn::halves_transposed;
use mmafft_backend_traits::real::Middle;
use num_complex::Complex;
use pulp::Simd;

/// Some code for each point of the first DFT.
///
/// The compiler decides by size whether to unroll a loop, and a loop puts all points in memory.
macro_rules! unrolled {
    ($n:ident < $most:ident, $each:block) => {
        unrolled!($n < $most, $each, 0 1 2 3 4 5 6 7)
    };
    ($n:ident < $most:ident, $each:block, $($number:literal)*) => {
        $(if $number < $most {
            let $n = $number;
            $each
        })*
    };
}

/// What the steps of lines that share vectors ask for.
#[derive(Clone, Copy)]
struct Asks<'a, T> {
    /// Of each step; none where nothing is asked for.
    shares: &'a [Share],
    /// The lines that are read next.
    next: *const Complex<T>,
    /// Those that are written.
    to: *const Complex<T>,
    /// Whether what is read next stays in a first-level cache.
    near: bool,
}

impl<T> Asks<'_, T> {
    /// What one of the steps asks for.
    #[inline(always)]
    fn of(&self, step: usize) -> Ahead {
        match self.shares.get(step) {
            Some(share) => share.of(self.next, self.to, self.near),
            None => Ahead::NONE,
        }
    }
}

/// Lines to be transformed.
pub struct SharedVectorsJob<'a, T> {
    pub fft: &'a SharedVectors<T>,
    pub from: LinesAt<T>,
    pub to: LinesAt<T>,
    /// Lines that fill vectors, or one, or two where four share a vector.
    pub count: usize,
    pub factor: T,
    pub middle: Middle,
    /// Rows of lines that share vectors, aligned.
    pub workspace: *mut T,
}

impl<T: Real + Storage<Compute = T>> SharedVectorsJob<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S)
    where
        T: Lanes<S> + Lanes<Half>,
    {
        let lanes = <T as Lanes<S>>::W / 2;
        if self.fft.lines == 4 {
            if self.count.is_multiple_of(4) {
                return self.by_first::<S, S, 4, 4>(simd, simd);
            }
            if self.count == 1 {
                // It takes both halves of a pair's lanes.
                (self.from.apart, self.to.apart) = (0, 0);
            }
            let half = halved(simd).expect("`cheapest` knows that they are the widest");
            return self.by_first::<S, Half, 4, 4>(simd, half);
        }
        if self.count == 1 {
            let half = halved(simd);
            // A line without another fills narrower vectors, where there are any, or both halves of these.
            let apart = if half.is_some() { lanes / 2 } else { 0 };
            (self.from.apart, self.to.apart) = (apart, apart);
            if let Some(half) = half {
                return match lanes {
                    8 => self.by_first::<S, Half, 2, 8>(simd, half),
                    _ => self.by_first::<S, Half, 2, 4>(simd, half),
                };
            }
        }
        match lanes {
            8 => self.by_first::<S, S, 2, 8>(simd, simd),
            4 => self.by_first::<S, S, 2, 4>(simd, simd),
            2 => self.by_first::<S, S, 2, 2>(simd, simd),
            _ => unreachable!("`cheapest` refuses other vectors"),
        }
    }

    #[inline(always)]
    fn by_first<O: Simd, S: Simd, const L: usize, const B: usize>(&self, outer: O, simd: S)
    where
        T: Lanes<S>,
    {
        match self.fft.first {
            4 => self.by_direction::<O, S, L, B, 4>(outer, simd),
            7 => self.by_direction::<O, S, L, B, 7>(outer, simd),
            8 if L == 2 => self.by_direction::<O, S, L, B, 8>(outer, simd),
            _ => unreachable!("`cheapest` has no others"),
        }
    }

    #[inline(always)]
    fn by_direction<O: Simd, S: Simd, const L: usize, const B: usize, const R: usize>(
        &self,
        outer: O,
        simd: S,
    ) where
        T: Lanes<S>,
    {
        match (self.fft.second.inverse, self.middle == Middle::Merge) {
            (false, _) => self.each::<O, S, L, B, R, false, false>(outer, simd),
            (true, false) => self.each::<O, S, L, B, R, true, false>(outer, simd),
            (true, true) => self.each::<O, S, L, B, R, true, true>(outer, simd),
        }
    }

    #[inline(always)]
    fn each<
        O: Simd,
        S: Simd,
        const L: usize,
        const B: usize,
        const R: usize,
        const INVERSE: bool,
        const MERGE: bool,
    >(
        &self,
        outer: O,
        simd: S,
    ) where
        T: Lanes<S>,
    {
        // One line may have all lanes, or more than its own.
        let lines = (T::W / B).max(2);
        let (shares, near) = self.shares::<S, B>();
        for first in (0..self.count).step_by(lines) {
            let [from, to] = [self.from, self.to].map(|at| at.after(first));
            let asks = Asks {
                shares,
                next: from.after(lines).first,
                to: to.first,
                near,
            };
            self.first::<S, L, B, R, INVERSE, MERGE>(simd, from, &asks);
            self.second::<O, S, B>(outer, simd, to, &asks);
            if self.middle == Middle::Split {
                self.split::<S, L, B, R>(simd, to, &asks);
            }
        }
    }

    /// The first DFT of all n2, as many at once as a line has lanes, to rows: k1 by groups of as many, then n2.
    #[inline(always)]
    fn first<
        S: Simd,
        const L: usize,
        const B: usize,
        const R: usize,
        const INVERSE: bool,
        const MERGE: bool,
    >(
        &self,
        simd: S,
        from: LinesAt<T>,
        asks: &Asks<'_, T>,
    ) where
        T: Lanes<S>,
    {
        let rest = self.fft.second.length;
        let width = 2 * T::W;
        let zero = T::splat(simd, T::zero());
        const { assert!(R <= 8, "`unrolled` has no more") };
        let ahead = asks.of(0);
        for (piece, n2) in groups(rest, B).enumerate() {
            ahead.fetch(piece);
            let mut x = [(zero, zero); R];
            unrolled!(n1 < R, {
                let point = n1 * rest + n2;
                x[n1] = self.points::<S, B>(simd, from, point);
                if MERGE {
                    let ends = n1 == 0 && n2 == 0;
                    let at = [point, piece * R + n1];
                    x[n1] = self.merged::<S, L, B>(simd, from, x[n1], at, ends);
                }
            });
            let y = dft::<S, T, R>(simd, x, &self.fft.own_roots);
            let mut parts = [[zero; R]; 2];
            for k1 in 0..R {
                let mut y = y[if INVERSE { (R - k1) % R } else { k1 }];
                if k1 > 0 {
                    let twiddle = piece * (R - 1) + k1 - 1;
                    // SAFETY: each group has these.
                    let w = unsafe { complex::<S, T, L, B>(simd, &self.fft.twiddles, twiddle) };
                    y = times::<S, T>(simd, y, w);
                }
                [parts[0][k1], parts[1][k1]] = [y.0, y.1];
            }
            for (group, k1) in groups(R, B).enumerate() {
                let mut own = [[zero; B]; 2];
                for i in 0..B {
                    [own[0][i], own[1][i]] = [parts[0][k1 + i], parts[1][k1 + i]];
                }
                let re = halves_transposed::<S, T, B>(simd, own[0]);
                let im = halves_transposed::<S, T, B>(simd, own[1]);
                let rows = self.workspace.wrapping_add((group * rest + n2) * width);
                for i in 0..B {
                    // SAFETY: the workspace has these rows.
                    unsafe {
                        rows.add(i * width)
                            .cast::<[T::V; 2]>()
                            .write_unaligned([re[i], im[i]])
                    };
                }
            }
        }
    }

    /// Points of all lines from this one on.
    #[inline(always)]
    fn points<S: Simd, const B: usize>(&self, simd: S, at: LinesAt<T>, point: usize) -> (T::V, T::V)
    where
        T: Lanes<S>,
    {
        let line = |i: usize| at.first.wrapping_add(point + i * at.apart);
        // SAFETY: the lines have these points.
        let pairs = unsafe {
            if 4 * B == T::W {
                let pair = |i: usize| [line(i), line(i + 2)].map(|at| at.cast_const().cast());
                [joined(simd, pair(0)), joined(simd, pair(1))]
            } else {
                [
                    line(0).cast::<T::V>().read_unaligned(),
                    line(1).cast::<T::V>().read_unaligned(),
                ]
            }
        };
        let [re, im] = T::deinterleave(simd, pairs);
        (re, im)
    }

    /// Twice points of the spectrum of packed pairs from those of half spectra, X:
    /// X[k] + conj X[h−k] + i·conj wᵏ·(X[k] − conj X[h−k]).
    #[inline(always)]
    fn merged<S: Simd, const L: usize, const B: usize>(
        &self,
        simd: S,
        from: LinesAt<T>,
        a: (T::V, T::V),
        [point, root]: [usize; 2],
        ends: bool,
    ) -> (T::V, T::V)
    where
        T: Lanes<S>,
    {
        let length = self.fft.length();
        let b = self.points::<S, B>(simd, from, length + 1 - B - point);
        let b = (
            mirrored::<S, T, B>(simd, b.0, None),
            mirrored::<S, T, B>(simd, b.1, None),
        );
        let (mut ai, mut bi) = (a.1, b.1);
        if ends {
            // The ends of half a spectrum are real.
            [ai, bi] = [ai, bi].map(|part| without_first::<S, T, B>(part));
        }
        // SAFETY: there are as many as points.
        let w = unsafe { complex::<S, T, L, B>(simd, &self.fft.roots, root) };
        let (sr, si) = (T::vadd(simd, a.0, b.0), T::vsub(simd, ai, bi));
        let (dr, di) = (T::vsub(simd, a.0, b.0), T::vadd(simd, ai, bi));
        (
            T::vfma(simd, T::vneg(simd, di), w.0, T::vfma(simd, dr, w.1, sr)),
            T::vfma(simd, dr, w.0, T::vfma(simd, di, w.1, si)),
        )
    }

    /// What steps ask for, if these lines have others beside them, and whether it is for a first-level cache.
    #[inline(always)]
    fn shares<S: Simd, const B: usize>(&self) -> (&[Share], bool)
    where
        T: Lanes<S>,
    {
        let (lines, points) = (T::W / B, self.fft.stored_points());
        let beside = [self.from, self.to].iter().all(|at| at.are_beside(points));
        // Fewer lines than share vectors elsewhere are the last.
        let all = self.count > 1 && lines == self.fft.lines && self.middle == self.fft.middle;
        let shares = if all && beside {
            &self.fft.asks[..]
        } else {
            &[]
        };
        (shares, self.from.is_short(2 * lines, points))
    }

    /// The second DFT, to memory; rows that are to be split stay where the steps leave them.
    #[inline(always)]
    fn second<O: Simd, S: Simd, const B: usize>(
        &self,
        outer: O,
        simd: S,
        to: LinesAt<T>,
        asks: &Asks<'_, T>,
    ) where
        T: Lanes<S>,
    {
        let second = &self.fft.second;
        let width = 2 * T::W;
        let starts = |row: usize| -> [*mut T; MOST_VECTORS] {
            std::array::from_fn(|v| {
                self.workspace
                    .wrapping_add((v * second.length + row) * width)
            })
        };
        let all = starts(0);
        let (mut rest, mut s) = (second.length, 1);
        for (i, &radix) in second.radices.iter().enumerate() {
            let next = rest * width;
            rest /= radix;
            let last = i + 1 == second.radices.len() && self.middle != Middle::Split;
            let rows = Rows::planar_of(all, [next, width, rest * width]);
            let ahead = asks.of(i + 1);
            let mut args = StepArgs {
                vectors: self.fft.vectors(),
                ..StepArgs::new(second, i, [&rows, &rows], rest, s)
            };
            if !last {
                args.ahead = ahead;
                step_within(outer, simd, radix, &args);
                s *= radix;
                continue;
            }
            // Of all digits but the last the opposite order is that of these beginnings, and of the last but one.
            let begins = &self.fft.begins;
            let each = s / begins.len();
            args.s = each;
            args.scale = (self.factor != T::one()).then_some(self.factor);
            let r = self.fft.first;
            let strides = [begins.len(), 0, s].map(|points| points * 2 * r);
            for (own, &k2) in begins.iter().enumerate() {
                ahead.fetch(own);
                let to_first = to.first.wrapping_add(k2 * r).cast::<T>();
                // The last vector may have lines that the one before it has.
                let memory = std::array::from_fn(|v| to_first.wrapping_add(2 * (v * B).min(r - B)));
                let from = Rows::planar_of(starts(own * each * radix), [next, 0, width]);
                let to = match 4 * B == T::W {
                    true => Rows::quarters(memory, strides, 2 * to.apart),
                    false => Rows::halves(memory, strides, 2 * to.apart),
                };
                let args = StepArgs {
                    from: &from,
                    to: &to,
                    ..args
                };
                step_within(outer, simd, radix, &args);
            }
        }
    }

    /// Splits spectra of lines that share vectors, Z, into half spectra, X, some points and their mirrors, h−k, at once.
    #[inline(always)]
    fn split<S: Simd, const L: usize, const B: usize, const R: usize>(
        &self,
        simd: S,
        to: LinesAt<T>,
        asks: &Asks<'_, T>,
    ) where
        T: Lanes<S>,
    {
        let (rest, points) = (self.fft.second.length, self.fft.length());
        let (width, each) = (2 * T::W, R / B);
        // What is stored might change `self`, for all that the compiler knows.
        let (workspace, order, roots) = (self.workspace, &self.fft.order[..], &self.fft.roots[..]);
        let row = |r: usize| -> [T::V; 2] {
            let at = r % each * rest + order[r / each] as usize;
            let at = workspace.wrapping_add(at * width);
            // SAFETY: the workspace has these rows.
            unsafe { at.cast::<[T::V; 2]>().read_unaligned() }
        };
        let store = |v: [T::V; 2], point: usize| {
            let here = to.first.wrapping_add(point);
            let there = here.wrapping_add(to.apart);
            // SAFETY: the lines have these points.
            unsafe {
                if 4 * B == T::W {
                    return stored_quarters::<S, T>(simd, here.cast(), 2 * to.apart, v);
                }
                here.cast::<T::V>().write_unaligned(v[0]);
                there.cast::<T::V>().write_unaligned(v[1]);
            }
        };
        let half = T::splat(simd, T::rounded(0.5) * self.factor);
        let count = rest * each;
        let ahead = asks.of(self.fft.second.radices.len() + 1);
        let mut behind = row(0);
        // The middle row has the middle point, and once more what is a mirror already.
        for r in 0..=count / 2 {
            ahead.fetch(r);
            let mirror = row(count - 1 - r);
            let b = [
                mirrored::<S, T, B>(simd, mirror[0], Some(behind[0])),
                mirrored::<S, T, B>(simd, mirror[1], Some(behind[1])),
            ];
            behind = mirror;
            // SAFETY: there are as many as rows up to the middle.
            let w = unsafe { complex::<S, T, L, B>(simd, roots, r) };
            let [low, high] = split::<S, T>(simd, [row(r), b], [w.0, w.1], half);
            let high = [
                mirrored::<S, T, B>(simd, high[0], None),
                mirrored::<S, T, B>(simd, high[1], None),
            ];
            store(T::interleave(simd, low), r * B);
            store(T::interleave(simd, high), points + 1 - B - r * B);
        }
        // The ends of half a spectrum are real.
        for line in 0..T::W / B {
            let lane = self.workspace.wrapping_add(first_lane::<S, T>(line));
            let to = to.after(line).first;
            // SAFETY: as above; half a spectrum has a point more.
            unsafe {
                let (re, im) = (*lane * self.factor, *lane.add(T::W) * self.factor);
                *to = Complex::new(re + im, T::zero());
                *to.add(points) = Complex::new(re - im, T::zero());
            }
        }
    }
}

/// The first lane of a line. Of a pair it is eight bytes behind the other's, and each pair has half of a vector.
#[inline(always)]
fn first_lane<S: Simd, T: Lanes<S>>(line: usize) -> usize {
    line / 2 * (T::W / 2) + line % 2 * (8 / size_of::<T>())
}

/// The lanes of all lines, of B each, with zero for each line's first.
#[inline(always)]
fn without_first<S: Simd, T: Lanes<S> + Real, const B: usize>(mut v: T::V) -> T::V {
    let lanes = (&raw mut v).cast::<T>();
    for line in 0..T::W / B {
        // SAFETY: the vector has this lane.
        unsafe { *lanes.add(first_lane::<S, T>(line)) = T::zero() };
    }
    v
}

/// Some B of a table's complex numbers, which all lines have, in a table for L lines a vector.
///
/// # Safety
/// The table has as many, and eight bytes more.
#[inline(always)]
unsafe fn complex<S: Simd, T: Lanes<S>, const L: usize, const B: usize>(
    simd: S,
    table: &[T],
    some: usize,
) -> (T::V, T::V) {
    let run = 8 / size_of::<T>();
    debug_assert!((some + 1) * L * B + run <= table.len());
    // SAFETY: by this function's contract.
    unsafe {
        let row = table.as_ptr().add(some * L * B);
        if B < T::W {
            let imaginary = row.add(run).cast();
            return (
                twice::<S, T::V>(simd, row.cast()),
                twice::<S, T::V>(simd, imaginary),
            );
        }
        let last = row.add(T::W).cast::<T::V>().read_unaligned();
        let [re, im] = exchanged(simd, [row.cast::<T::V>().read_unaligned(), last], 8);
        (re, im)
    }
}

with_simd!(SharedVectorsJob -> ());
