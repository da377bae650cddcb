//! Contiguous lines in batches: each lane of a vector is a line, as it is of columns.
//!
//! A vector of lines is transposed to rows in a first-level cache, transformed there, and transposed back. Steps leave
//! their points where they found them, so that there is one copy of the rows; what stores lines takes rows by their
//! digits in the opposite order. Where most lanes would be idle a line goes by itself, with the same roundings: no result
//! depends on what is beside it.
//!
//! A line of reals is half as many points. Pairs of their spectrum are split right before rows are stored as lines, and
//! merged right after lines have become rows, while these are in the cache.
//!
//! The file is long because the tables of a batch and the job that reads them stand beside each other.

use super::butterflies::{step_of, Rows, StepArgs};
use super::columns::{ColumnFft, LinesIn};
use super::convolved::Convolved;
use super::four_step::FourStep;
use super::half_lanes::{merge, split};
use super::half_spectrum::HalfSpectrum;
use super::lanes::Lanes;
use super::lines::{fetch, real_lines, Ahead, Library, Lines, LinesAt, Share, AHEAD};
use super::scalar::{Real, Storage};
use super::turn::transposed;
use mmafft_backend_traits::real::Middle;
use num_complex::Complex;
use pulp::Simd;
use std::ops::Range;
use std::sync::Arc;

/// Lines in batches.
pub struct Batch<T> {
    lanes: usize,
    columns: ColumnFft<T>,
    /// The row in which the steps leave each point, and one behind the last.
    order: Vec<u32>,
    single: Option<Library<T>>,
}

impl<T: Real + Storage<Compute = T>> Batch<T> {
    /// Lines of the product of `radices`.
    pub fn new(radices: &[usize], inverse: bool) -> Self {
        let single = match radices {
            [] | [_] => None,
            [first, others @ ..] => Some(FourStep::like_a_column(*first, others, inverse)),
        };
        Batch {
            lanes: T::vector_bytes() / size_of::<T>(),
            order: order(radices),
            columns: ColumnFft::new(radices, inverse, LinesIn::Cache),
            single: single.map(|line| Library::of(Arc::new(Convolved::new(line)))),
        }
    }

    /// How many of so many lines are left that would fill at most half of a vector, and go each by itself.
    fn left(&self, count: usize) -> usize {
        match (count % self.lanes, &self.single) {
            (left, Some(_)) if left <= self.lanes / 2 => left,
            _ => 0,
        }
    }

    /// Transforms lines a vector after the other.
    ///
    /// # Safety
    /// As for [`Lines::run`], of half spectra with a point more.
    unsafe fn vectors(
        &self,
        [from, to]: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        (middle, roots): (Middle, &[Complex<T>]),
        scratch: &mut [Complex<T>],
    ) {
        assert!(scratch.len() >= self.scratch());
        let workspace: &mut [T] = bytemuck::cast_slice_mut(scratch);
        let workspace = self.columns.planar(workspace.as_mut_ptr());
        for first in (0..count).step_by(self.lanes) {
            T::batch(BatchJob {
                columns: &self.columns,
                order: &self.order,
                from: from.after(first),
                to: to.after(first),
                lines: self.lanes.min(count - first),
                factor,
                middle,
                roots,
                workspace,
            });
        }
    }
}

/// A vector of lines to be transformed.
pub struct BatchJob<'a, T> {
    columns: &'a ColumnFft<T>,
    order: &'a [u32],
    from: LinesAt<T>,
    to: LinesAt<T>,
    /// How many lines there are, at most a vector.
    lines: usize,
    factor: T,
    /// What is between rows and half spectra, and the roots of half a spectrum.
    middle: Middle,
    roots: &'a [Complex<T>],
    /// Rows of a vector of lines, and another, aligned.
    workspace: *mut T,
}

impl<T: Real + Storage<Compute = T>> BatchJob<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S>,
    {
        match T::W {
            2 => self.transform::<S, 2>(simd),
            4 => self.transform::<S, 4>(simd),
            8 => self.transform::<S, 8>(simd),
            16 => self.transform::<S, 16>(simd),
            _ => self.transform::<S, 1>(simd),
        }
    }

    #[inline(always)]
    fn transform<S: Simd, const W: usize>(&self, simd: S)
    where
        T: Lanes<S>,
    {
        let columns = self.columns;
        let (n, width) = (columns.length, 2 * T::W);
        let [loaded, stored] = [Middle::Merge, Middle::Split]
            .map(|with_another| n + usize::from(self.middle == with_another));
        let rows = self.workspace;
        self.gather::<S, W>(simd, loaded, rows);
        // Of lines that are short all are asked for at once, while the first step is at work.
        let mut ahead = match (
            self.to.is_short(self.lines, stored),
            columns.radices.first(),
        ) {
            (true, Some(radix)) if self.to.are_beside(stored) => {
                let lines = self.to.cache_lines(self.lines, stored);
                let to = self.to.first.cast_const();
                Share::new([[0; 2], [0, lines]], n / radix).of(to, to, true)
            }
            _ => {
                self.to.fetch(self.lines, stored);
                Ahead::NONE
            }
        };
        let (mut rest, mut s) = (n, 1);
        for (i, &radix) in columns.radices.iter().enumerate() {
            let next = rest * width;
            rest /= radix;
            let rows = Rows::planar(rows, [next, width, rest * width]);
            let args = StepArgs {
                ahead,
                ..StepArgs::new(columns, i, [&rows, &rows], rest, s)
            };
            step_of(simd, radix, &args);
            s *= radix;
            ahead = Ahead::NONE;
        }
        self.scatter::<S, W>(simd, stored, rows);
    }

    /// The points of all lines, to rows.
    #[inline(always)]
    fn gather<S: Simd, const W: usize>(&self, simd: S, points: usize, to: *mut T)
    where
        T: Lanes<S>,
    {
        let line = |lane: usize| {
            // Lanes without a line have the last.
            let line = lane.min(self.lines - 1);
            self.from
                .first
                .wrapping_add(line * self.from.apart)
                .cast::<T>()
        };
        let scalars = 2 * points;
        let whole = whole::<S, T, W>(scalars);
        // SAFETY: the lines have these points, and the workspace these rows.
        unsafe {
            for at in (0..whole).step_by(W) {
                let mut x = [T::splat(simd, T::zero()); W];
                for (lane, x) in x.iter_mut().enumerate() {
                    *x = line(lane).add(at).cast::<T::V>().read_unaligned();
                }
                let rows = to.add(at * W);
                let x = transposed::<S, T::V, W>(simd, x);
                for (row, &x) in x.iter().enumerate() {
                    rows.add(row * W).cast::<T::V>().write_unaligned(x);
                }
                self.merge::<S>(simd, to, at / 2..(at + W) / 2);
            }
            for at in whole..scalars {
                for lane in 0..T::W {
                    *to.add(at * T::W + lane) = *line(lane).add(at);
                }
            }
            self.merge::<S>(simd, to, whole / 2..points);
        }
    }

    /// The opposite, multiplied.
    #[inline(always)]
    fn scatter<S: Simd, const W: usize>(&self, simd: S, points: usize, from: *mut T)
    where
        T: Lanes<S>,
    {
        // Half spectra are multiplied where they are split.
        let scaled = self.middle != Middle::Split && self.factor != T::one();
        let factor = T::splat(simd, self.factor);
        let scalars = 2 * points;
        let whole = whole::<S, T, W>(scalars);
        // SAFETY: the lines have these points, and the workspace these rows.
        unsafe {
            for at in (0..whole).step_by(W) {
                self.split::<S>(simd, from, at / 2..(at + W) / 2);
                let mut x = [factor; W];
                for i in 0..W / 2 {
                    let [re, im] = self.spectrum::<S>(from, at / 2 + i).read_unaligned();
                    [x[2 * i], x[2 * i + 1]] = match scaled {
                        true => [T::vmul(simd, re, factor), T::vmul(simd, im, factor)],
                        false => [re, im],
                    };
                }
                self.block::<S, W>(simd, x, at, points);
            }
            self.split::<S>(simd, from, whole / 2..points);
            for at in whole..scalars {
                let row = self.spectrum::<S>(from, at / 2).cast::<T>();
                for lane in 0..self.lines {
                    let x = *row.add(at % 2 * T::W + lane);
                    *self.line(lane).add(at) = if scaled { x * self.factor } else { x };
                }
            }
        }
    }

    /// Where a line goes.
    #[inline(always)]
    fn line(&self, lane: usize) -> *mut T {
        self.to.first.wrapping_add(lane * self.to.apart).cast()
    }

    /// Stores a block of scalars of all lines.
    ///
    /// # Safety
    /// The lines have them.
    #[inline(always)]
    unsafe fn block<S: Simd, const W: usize>(&self, simd: S, x: [T::V; W], at: usize, points: usize)
    where
        T: Lanes<S>,
    {
        // Of lines that are not all asked for already, what comes next is.
        if !self.to.is_short(self.lines, points) {
            for lane in 0..W {
                fetch(
                    self.line(lane)
                        .wrapping_add(at + AHEAD / size_of::<T>())
                        .cast(),
                );
            }
        }
        let x = transposed::<S, T::V, W>(simd, x);
        // A branch a lane: where a loop ends early the compiler puts all vectors in memory.
        for (lane, &x) in x.iter().enumerate() {
            if lane < self.lines {
                // SAFETY: by this function's contract.
                unsafe { self.line(lane).add(at).cast::<T::V>().write_unaligned(x) };
            }
        }
    }

    /// Splits the pairs that these points begin.
    ///
    /// # Safety
    /// The workspace has a row more than points.
    #[inline(always)]
    unsafe fn split<S: Simd>(&self, simd: S, rows: *mut T, points: Range<usize>)
    where
        T: Lanes<S>,
    {
        let n = self.columns.length;
        if self.middle != Middle::Split {
            return;
        }
        let half = T::splat(simd, T::rounded(0.5) * self.factor);
        for k in points.start..points.end.min(n / 2 + 1) {
            let [low, high] = [k, n - k].map(|point| self.spectrum::<S>(rows, point));
            // SAFETY: by this function's contract. The middle is a pair with itself, as the first point is.
            unsafe {
                let a = low.read_unaligned();
                let pair = if k == 0 {
                    // The ends of half a spectrum are real.
                    let factor = T::splat(simd, self.factor);
                    let a = a.map(|part| T::vmul(simd, part, factor));
                    let zero = T::splat(simd, T::zero());
                    [
                        [T::vadd(simd, a[0], a[1]), zero],
                        [T::vsub(simd, a[0], a[1]), zero],
                    ]
                } else {
                    let pair = [a, high.read_unaligned()];
                    split::<S, T>(simd, pair, self.root(simd, k), half)
                };
                low.write_unaligned(pair[0]);
                high.write_unaligned(pair[1]);
            }
        }
    }

    /// Merges the pairs that these points end.
    ///
    /// # Safety
    /// As for [`BatchJob::split`].
    #[inline(always)]
    unsafe fn merge<S: Simd>(&self, simd: S, rows: *mut T, points: Range<usize>)
    where
        T: Lanes<S>,
    {
        let n = self.columns.length;
        if self.middle != Middle::Merge {
            return;
        }
        for point in points.start.max(n.div_ceil(2))..points.end {
            let k = n - point;
            let [low, high] = [k, point].map(|row| self.row::<S>(rows, row));
            // SAFETY: as for `split`.
            unsafe {
                let [a, b] = [low.read_unaligned(), high.read_unaligned()];
                if k == 0 {
                    // The ends of half a spectrum are real.
                    low.write_unaligned([T::vadd(simd, a[0], b[0]), T::vsub(simd, a[0], b[0])]);
                    continue;
                }
                let pair = merge::<S, T>(simd, [a, b], self.root(simd, k));
                low.write_unaligned(pair[0]);
                high.write_unaligned(pair[1]);
            }
        }
    }

    /// The root of a pair, in all lanes.
    #[inline(always)]
    fn root<S: Simd>(&self, simd: S, k: usize) -> [T::V; 2]
    where
        T: Lanes<S>,
    {
        let w = self.roots[k];
        [T::splat(simd, w.re), T::splat(simd, w.im)]
    }

    /// A row.
    #[inline(always)]
    fn row<S: Simd>(&self, rows: *mut T, row: usize) -> *mut [T::V; 2]
    where
        T: Lanes<S>,
    {
        rows.wrapping_add(row * 2 * T::W).cast()
    }

    /// The row in which the steps leave a point.
    #[inline(always)]
    fn spectrum<S: Simd>(&self, rows: *mut T, point: usize) -> *mut [T::V; 2]
    where
        T: Lanes<S>,
    {
        self.row::<S>(rows, self.order[point] as usize)
    }
}

/// The row of each point where every step leaves its points where it found them: digits in the opposite order.
pub fn order(radices: &[usize]) -> Vec<u32> {
    let length: usize = radices.iter().product();
    let row = |mut point: usize| {
        let (mut rest, mut row) = (length, 0);
        for &radix in radices {
            rest /= radix;
            row += point % radix * rest;
            point /= radix;
        }
        row as u32
    };
    (0..length).map(row).chain([length as u32]).collect()
}

/// Scalars of a line that blocks of W vectors hold: none where a vector has another width, or one lane.
#[inline(always)]
fn whole<S: Simd, T: Lanes<S>, const W: usize>(scalars: usize) -> usize {
    match W > 1 && W == T::W {
        true => scalars / W * W,
        false => 0,
    }
}

with_simd!(BatchJob -> ());

impl<T: Real + Storage<Compute = T>> Lines<T> for Batch<T> {
    fn length(&self) -> usize {
        self.columns.length
    }

    fn scratch(&self) -> usize {
        let single = self.single.as_ref().map_or(0, Lines::scratch);
        // Rows of real and imaginary parts, one more of half a spectrum, and what aligns them.
        let own = 2 * (self.length() + 1) * self.lanes + self.lanes;
        own.div_ceil(2).max(single)
    }

    fn together(&self) -> usize {
        self.lanes
    }

    fn process(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (ends, count) = LinesAt::in_place(lines, self.length());
        // SAFETY: these lines are in the slice.
        unsafe { self.run(ends, count, T::one(), scratch) }
    }

    fn process_to(&self, from: &[Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (ends, count) = LinesAt::between(from, to, self.length());
        // SAFETY: these lines are in the slices, and the first is only read.
        unsafe { self.run(ends, count, T::one(), scratch) }
    }

    unsafe fn run(
        &self,
        ends: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        scratch: &mut [Complex<T>],
    ) {
        let left = self.left(count);
        let middle = (Middle::Plain, &[][..]);
        // SAFETY: by the trait's contract.
        unsafe {
            self.vectors(ends, count - left, factor, middle, scratch);
            if let Some(single) = &self.single {
                single.run(ends.map(|at| at.after(count - left)), left, factor, scratch);
            }
        }
    }

    unsafe fn run_real(
        &self,
        half: &HalfSpectrum<T>,
        middle: Middle,
        ends: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        scratch: &mut [Complex<T>],
    ) {
        // Of a line by itself fewer pairs than a vector holds are combined with other roundings.
        let Some(single) = self.single.as_ref().filter(|_| half.in_vectors()) else {
            // SAFETY: by the trait's contract.
            return unsafe { real_lines(self, half, middle, ends, count, factor, scratch) };
        };
        let left = self.left(count);
        let whole = count - left;
        // SAFETY: by the trait's contract.
        unsafe {
            self.vectors(ends, whole, factor, (middle, half.roots()), scratch);
            let ends = ends.map(|at| at.after(whole));
            single.run_real(half, middle, ends, left, factor, scratch);
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
