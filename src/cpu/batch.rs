//! Contiguous lines in batches: each lane of a vector is a line, as it is of columns.
//!
//! A vector of lines is transposed to rows in a first-level cache, transformed there, and transposed back. Where most
//! lanes would be idle a line goes by itself, with the same roundings: no result depends on what is beside it.

use super::butterflies::{step_of, Rows, StepArgs};
use super::columns::{ColumnFft, Lanes};
use super::convolved::Convolved;
use super::four_step::FourStep;
use super::lines::{fetch, Library, Lines, LinesAt};
use super::scalar::{Real, Storage};
use super::turn::transposed;
use num_complex::Complex;
use pulp::Simd;
use std::sync::Arc;

/// Bytes of a line that are asked for before they are written.
const AHEAD: usize = 512;

/// Lines in batches.
pub struct Batch<T> {
    lanes: usize,
    columns: ColumnFft<T>,
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
            columns: ColumnFft::new(radices, inverse, true),
            single: single.map(|line| Library::of(Arc::new(Convolved::new(line)))),
        }
    }
}

/// A vector of lines to be transformed.
pub struct BatchJob<'a, T> {
    fft: &'a Batch<T>,
    from: LinesAt<T>,
    to: LinesAt<T>,
    /// How many lines there are, at most a vector.
    lines: usize,
    factor: T,
    /// Two copies of a vector of lines, aligned.
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
        let columns = &self.fft.columns;
        let (n, width) = (columns.length, 2 * T::W);
        let mut copies = [0, 1].map(|copy| self.workspace.wrapping_add(copy * n * width));
        self.from.fetch(self.lines, n);
        self.gather::<S, W>(simd, n, copies[0]);
        self.to.fetch(self.lines, n);
        let (mut rest, mut s) = (n, 1);
        for (i, &radix) in columns.radices.iter().enumerate() {
            let [from, to] = copies.map(|start| Rows::planar(start, width, s * width));
            rest /= radix;
            let args = StepArgs {
                from: &from,
                to: &to,
                vectors: 1,
                m: rest,
                s,
                twiddles: &columns.twiddles[i],
                roots: &columns.roots[i],
                inverse: columns.inverse,
                scale: None,
            };
            step_of(simd, radix, &args);
            s *= radix;
            copies.reverse();
        }
        self.scatter::<S, W>(simd, n, copies[0]);
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
                let to = to.add(at * W);
                for (row, x) in transposed::<S, T::V, W>(simd, x).into_iter().enumerate() {
                    to.add(row * W).cast::<T::V>().write_unaligned(x);
                }
            }
            for at in whole..scalars {
                for lane in 0..T::W {
                    *to.add(at * T::W + lane) = *line(lane).add(at);
                }
            }
        }
    }

    /// The opposite, multiplied.
    #[inline(always)]
    fn scatter<S: Simd, const W: usize>(&self, simd: S, points: usize, from: *const T)
    where
        T: Lanes<S>,
    {
        let line = |lane: usize| self.to.first.wrapping_add(lane * self.to.apart).cast::<T>();
        let scaled = self.factor != T::one();
        // Of lines that are not all asked for already, what comes next is.
        let ahead = !self.to.is_short(self.lines, points);
        let factor = T::splat(simd, self.factor);
        let scalars = 2 * points;
        let whole = whole::<S, T, W>(scalars);
        // SAFETY: the lines have these points, and the workspace these rows.
        unsafe {
            for at in (0..whole).step_by(W) {
                let mut x = [factor; W];
                let from = from.add(at * W);
                for (row, x) in x.iter_mut().enumerate() {
                    *x = from.add(row * W).cast::<T::V>().read_unaligned();
                    if scaled {
                        *x = T::vmul(simd, *x, factor);
                    }
                }
                if ahead {
                    for lane in 0..W {
                        fetch(line(lane).wrapping_add(at + AHEAD / size_of::<T>()).cast());
                    }
                }
                let x = transposed::<S, T::V, W>(simd, x);
                if self.lines == W {
                    for (lane, x) in x.into_iter().enumerate() {
                        line(lane).add(at).cast::<T::V>().write_unaligned(x);
                    }
                } else {
                    for (lane, x) in x.into_iter().enumerate().take(self.lines) {
                        line(lane).add(at).cast::<T::V>().write_unaligned(x);
                    }
                }
            }
            for at in whole..scalars {
                for lane in 0..self.lines {
                    *line(lane).add(at) = *from.add(at * T::W + lane) * self.factor;
                }
            }
        }
    }
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
        // Two copies, each of real and imaginary parts, and what aligns them.
        let own = 4 * self.length() * self.lanes + self.lanes;
        own.div_ceil(2).max(single)
    }

    fn together(&self) -> usize {
        self.lanes
    }

    fn process(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let n = self.length();
        let count = lines.len() / n;
        let at = LinesAt {
            first: lines.as_mut_ptr(),
            apart: n,
        };
        // SAFETY: these lines are in the slice.
        unsafe { self.run([at, at], count, T::one(), scratch) }
    }

    fn process_to(&self, from: &[Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        assert_eq!(from.len(), to.len());
        let apart = self.length();
        let count = from.len() / apart;
        let ends = [from.as_ptr().cast_mut(), to.as_mut_ptr()];
        let ends = ends.map(|first| LinesAt { first, apart });
        // SAFETY: these lines are in the slices, and the first is only read.
        unsafe { self.run(ends, count, T::one(), scratch) }
    }

    unsafe fn run(
        &self,
        [from, to]: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        scratch: &mut [Complex<T>],
    ) {
        let lanes = self.lanes;
        let (mut count, left) = (count, count % lanes);
        if let Some(single) = self
            .single
            .as_ref()
            .filter(|_| (1..=lanes / 2).contains(&left))
        {
            count -= left;
            let ends = [from, to].map(|at| at.after(count));
            // SAFETY: by the trait's contract.
            unsafe { single.run(ends, left, factor, scratch) };
        }
        assert!(scratch.len() >= self.scratch());
        let workspace: &mut [T] = bytemuck::cast_slice_mut(scratch);
        let workspace = self.columns.planar(workspace.as_mut_ptr());
        for first in (0..count).step_by(lanes) {
            let lines = lanes.min(count - first);
            // SAFETY: by the trait's contract.
            T::batch(BatchJob {
                fft: self,
                from: from.after(first),
                to: to.after(first),
                lines,
                factor,
                workspace,
            });
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
