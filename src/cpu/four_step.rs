//! A line in two trips through the cache, as columns both times (Bailey, FFTs in External or
//! Hierarchical Memory, 1989).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(−2πi·k1·n2/N)-->  y[n2, k1]         (columns n2)
//! y[n2, k1]      --DFT over n2-->                           X[k2·N1 + k1]     (columns k1)
//! ```
//! Neighbouring columns are neighbouring points, so that each vector lane is a column of its own. The first trip
//! stores what it has of a column as a row.

use super::columns::{ColumnFft, ColumnTile, MOST_VECTORS};
use super::convolved::{Convolution, Line};
use super::line_price::radices;
use super::memory::Memory;
use super::roots::Roots;
use super::scalar::{Real, Storage};
use super::turn::Turn;
use num_complex::Complex;
use pulp::Arch;
use rustfft::FftDirection;

/// Points of which each has a twiddle of its own: of longer lines twiddles are products of two.
const WHOLE_TABLE: usize = 1 << 13;

/// Bytes by which rows of what lies between the trips are longer, so that they do not all begin at
/// addresses that are alike to a cache.
const PADDING: usize = 64;

/// A DFT of `N1·N2` points.
pub struct FourStep<T> {
    /// Of N1 points, N2 neighbouring lines.
    first: ColumnFft<T>,
    /// Of N2 points, N1 neighbouring lines.
    second: ColumnFft<T>,
    /// For each vector of n2, and each k1 of a block: exp(−2πi·k1·n2/N).
    low: Vec<T>,
    /// For each vector of n2, and each first k1 of a block, the same.
    high: Vec<T>,
    /// Values of k1 in a block.
    block: usize,
    /// Points from row to row between the trips.
    pitch: usize,
    direction: FftDirection,
}

impl<T: Real + Storage<Compute = T>> FourStep<T> {
    /// A line of `length` points, if it has factors that suit vectors.
    pub fn new(length: usize, direction: FftDirection) -> Option<Self> {
        let lanes = T::vector_bytes() / size_of::<T>();
        let [first, second] = factors(length, lanes)?;
        let block = match length <= WHOLE_TABLE {
            true => first,
            false => 1 << (first.ilog2().div_ceil(2)),
        };
        let radices = [&radices(first)?[..], &radices(second)?];
        Some(FourStep::of(radices, block, direction))
    }

    /// A line by these radices, with the very roundings that it has as a column of all of them.
    pub fn like_a_column(first: usize, others: &[usize], inverse: bool) -> Self {
        let direction = match inverse {
            false => FftDirection::Forward,
            true => FftDirection::Inverse,
        };
        FourStep::of([&[first], others], first, direction)
    }

    fn of(radices: [&[usize]; 2], block: usize, direction: FftDirection) -> Self {
        let lanes = T::vector_bytes() / size_of::<T>();
        let [first, second] = radices.map(|radices| radices.iter().product::<usize>());
        let length = first * second;
        let groups = second.div_ceil(lanes);
        let inverse = direction == FftDirection::Inverse;
        let roots = Roots::new(length);
        let root = &|k: usize| match inverse {
            false => roots.get::<T>(k),
            true => roots.get::<T>(k).conj(),
        };
        let table = |rows: usize, step: usize| -> Vec<T> {
            let mut table = Vec::with_capacity(2 * groups * rows * lanes);
            for (group, row) in (0..groups).flat_map(|group| (0..rows).map(move |r| (group, r))) {
                for lane in 0..lanes {
                    let w = root((group * lanes + lane) * row * step);
                    table.extend([w.re, w.im]);
                }
            }
            table
        };
        let [one, two] = radices.map(|radices| ColumnFft::new(radices, inverse, true));
        let aligned = PADDING / size_of::<Complex<T>>();
        FourStep {
            first: one,
            second: two,
            low: table(block, 1),
            high: table(first.div_ceil(block), block),
            block,
            pitch: first.next_multiple_of(aligned) + aligned,
            direction,
        }
    }
}

/// The two factors that leave the fewest lanes idle, those near each other first.
fn factors(length: usize, lanes: usize) -> Option<[usize; 2]> {
    radices(length)?;
    let price = |first: usize| {
        let second = length / first;
        let filled = |n: usize| n.next_multiple_of(lanes) as f64 / n as f64;
        let steps = |n: usize| radices(n).map_or(0, |radices| radices.len()) as f64;
        let apart = (first as f64 / second as f64).ln().abs();
        steps(first) * filled(second) + steps(second) * filled(first) + 0.1 * apart
    };
    let root = length.isqrt();
    let pairs = (lanes / 2..=root).filter(|first| length.is_multiple_of(*first));
    let both = pairs.flat_map(|first| [first, length / first]);
    let first = both.min_by(|&a, &b| price(a).total_cmp(&price(b)))?;
    Some([first, length / first])
}

impl<T: Real + Storage<Compute = T>> Convolution for FourStep<T> {
    type Scalar = T;

    fn points(&self) -> usize {
        self.first.length * self.second.length
    }

    fn direction(&self) -> FftDirection {
        self.direction
    }

    fn scratch(&self) -> usize {
        let workspace = self.first.planar_workspace().max(self.second.workspace());
        self.pitch * self.second.length + workspace.div_ceil(2)
    }

    fn transform(&self, _: Arch, mut line: impl Line<T>, scratch: &mut [Complex<T>]) {
        let (first, second) = (&self.first, &self.second);
        let (between, workspace) = scratch.split_at_mut(self.pitch * second.length);
        let workspace: &mut [T] = bytemuck::cast_slice_mut(workspace);
        let from = line.from();
        assert_eq!(from.len(), self.points());
        for n2 in (0..second.length).step_by(first.lines()) {
            self.columns(n2, from, between, workspace);
        }
        let from = Memory::of(bytemuck::cast_slice_mut::<_, T>(between));
        let to = Memory::of(bytemuck::cast_slice_mut::<_, T>(line.to()));
        for k1 in (0..first.length).step_by(second.lines()) {
            let lines = second.lines().min(first.length - k1);
            // SAFETY: `between` has N2 rows of at least N1 points, and the line N2 of N1.
            unsafe {
                let from = (from, 2 * k1, 2 * self.pitch);
                let to = (to, 2 * k1, 2 * first.length);
                second.process(from, to, lines, T::one(), workspace);
            }
        }
    }
}

impl<T: Real + Storage<Compute = T>> FourStep<T> {
    /// Transforms columns `n2`, …, as many as are transformed together.
    fn columns(
        &self,
        n2: usize,
        from: &[Complex<T>],
        between: &mut [Complex<T>],
        workspace: &mut [T],
    ) {
        let (first, second) = (&self.first, &self.second);
        let lines = first.lines().min(second.length - n2);
        let lanes = first.lanes;
        let base = first.planar(workspace.as_mut_ptr());
        let copies: [usize; MOST_VECTORS] = T::run(
            first,
            ColumnTile {
                load: from[n2..].as_ptr().cast(),
                load_stride: 2 * second.length,
                store: std::ptr::null_mut(),
                store_stride: 0,
                lines,
                scale: T::one(),
                workspace,
            },
        );
        let vectors = lines.div_ceil(lanes);
        let blocks = first.length.div_ceil(self.block);
        for (vector, copy) in copies[..vectors].iter().enumerate() {
            let own = (lines - vector * lanes).min(lanes);
            let to = &mut between[(n2 + vector * lanes) * self.pitch..][..own * self.pitch];
            T::turn(Turn {
                rows: base.wrapping_add(copy * first.length * 2 * lanes),
                count: first.length,
                lines: own,
                low: part(&self.low, n2 / lanes + vector, 2 * lanes * self.block),
                high: part(&self.high, n2 / lanes + vector, 2 * lanes * blocks),
                to: to.as_mut_ptr().cast(),
                pitch: 2 * self.pitch,
            });
        }
    }
}

/// Part `i` of a table of parts of one size.
fn part<T>(table: &[T], i: usize, size: usize) -> &[T] {
    &table[i * size..][..size]
}
