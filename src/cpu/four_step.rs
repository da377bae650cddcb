//! A line in two trips through the cache, as columns both times (Bailey, FFTs in External or
//! Hierarchical Memory, 1989).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(−2πi·k1·n2/N)-->  y[n2, k1]         (columns n2)
//! y[n2, k1]      --DFT over n2-->                           X[k2·N1 + k1]     (columns k1)
//! ```
//! Neighbouring columns are neighbouring points, so that each vector lane is a column of its own. The first trip
//! stores what it has of a column as a row.

use super::butterflies::transform;
use super::columns::{ColumnFft, ColumnTile, LinesIn};
use super::convolved::{Convolution, Line};
use super::lanes::Lanes;
use super::line_price::{radices, step};
use super::lines::LinesAt;
use super::roots::Roots;
use super::scalar::{root, Real, Storage};
use super::turn::Turn;
use mmafft_backend_traits::largest_prime_factor;
use num_complex::Complex;
use pulp::{Arch, Simd};
use rustfft::FftDirection;

/// Points of which each has a twiddle of its own: of longer lines twiddles are products of two.
const WHOLE_TABLE: usize = 1 << 13;

/// Bytes by which rows of what lies between the trips are longer, so that they do not all begin at
/// addresses that are alike to a cache.
const PADDING: usize = 64;

/// What vectors of which lanes are idle take of the others' time, beside that of their idle lanes.
const PARTLY: f64 = 2.0;

/// What loads, and what stores, that are in two cache lines take more, of a point.
const MISALIGNED: [f64; 2] = [0.2, 1.0];

/// The longest columns that should be, so that a vector of them is in the second-level cache.
const LONGEST_COLUMN: f64 = 2048.0;

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
        let ([first, second], _) = cheapest(length, lanes)?;
        let block = match length <= WHOLE_TABLE {
            true => first,
            false => 1 << (first.ilog2().div_ceil(2)),
        };
        let radices = [&radices(first)?[..], &radices(second)?];
        let roots = Roots::new(length);
        Some(FourStep::of(radices, block, direction, |k| roots.get(k)))
    }

    /// A line by these radices, with the very roundings that it has as a column of all of them.
    pub fn like_a_column(first: usize, others: &[usize], inverse: bool) -> Self {
        let direction = match inverse {
            false => FftDirection::Forward,
            true => FftDirection::Inverse,
        };
        let length = others.iter().product::<usize>() * first;
        // The very roots, too: those of tables may be rounded otherwise.
        FourStep::of([&[first], others], first, direction, |k| root(k, length))
    }

    fn of(
        radices: [&[usize]; 2],
        block: usize,
        direction: FftDirection,
        root: impl Fn(usize) -> Complex<T>,
    ) -> Self {
        let lanes = T::vector_bytes() / size_of::<T>();
        let [first, second] = radices.map(|radices| radices.iter().product::<usize>());
        let inverse = direction == FftDirection::Inverse;
        let root = |k: usize| match inverse {
            false => root(k),
            true => root(k).conj(),
        };
        let [one, two] = radices.map(|radices| ColumnFft::new(radices, inverse, LinesIn::Cache));
        let vectors = &groups(second, lanes, one.vectors)
            .flat_map(|(first, lines)| (first..first + lines).step_by(lanes))
            .collect::<Vec<_>>();
        let table = |rows: usize, step: usize| -> Vec<T> {
            let mut table = Vec::with_capacity(2 * vectors.len() * rows * lanes);
            for (&n2, row) in vectors
                .iter()
                .flat_map(|n2| (0..rows).map(move |r| (n2, r)))
            {
                for lane in 0..lanes {
                    let w = root((n2 + lane) * row * step);
                    table.extend([w.re, w.im]);
                }
            }
            table
        };
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

/// What the steps of a line take of a point, lanes that compute what others do included, where it has two factors.
pub fn price(length: usize, lanes: usize) -> Option<f64> {
    Some(cheapest(length, lanes)?.1)
}

/// The two factors whose steps take the least, and what they take.
fn cheapest(length: usize, lanes: usize) -> Option<([usize; 2], f64)> {
    radices(length)?;
    let steps = |n: usize| -> f64 {
        let radices = radices(n).unwrap_or_default();
        radices.into_iter().map(step).sum()
    };
    let filled = |n: usize| match n < lanes {
        true => PARTLY * lanes as f64 / n as f64,
        false => n.next_multiple_of(lanes) as f64 / n as f64,
    };
    // The first trip loads rows of the second factor's points, the second trip stores rows of the first's.
    let misaligned = |[first, second]: [usize; 2]| -> f64 {
        let rows = [second, first].into_iter().zip(MISALIGNED);
        let rows = rows.filter(|(row, _)| !row.is_multiple_of((lanes / 2).max(1)));
        rows.map(|(_, price)| price).sum()
    };
    let price = |[first, second]: [usize; 2]| {
        let steps = steps(first) * filled(second) + steps(second) * filled(first);
        steps + misaligned([first, second])
    };
    // A first factor near to this one leaves neither loads nor stores far apart, and columns in the cache.
    let root = (length as f64).sqrt();
    let wanted = (root / 3.0).max(length as f64 / LONGEST_COLUMN).min(root);
    let apart = |first: usize| 0.1 * (first as f64 / wanted).ln().abs();
    let shortest = (lanes / 2).max(2);
    let pairs = divisors(length)
        .into_iter()
        .map(|first| [first, length / first]);
    let priced = pairs
        .filter(|[first, second]| first.min(second) >= &shortest)
        .map(|pair| (pair, price(pair)));
    priced.min_by(|(a, x), (b, y)| (x + apart(a[0])).total_cmp(&(y + apart(b[0]))))
}

/// All divisors of a length.
fn divisors(mut length: usize) -> Vec<usize> {
    let mut divisors = vec![1];
    while length > 1 {
        let prime = largest_prime_factor(length);
        let others = divisors.len();
        let mut power = 1;
        while length.is_multiple_of(prime) {
            length /= prime;
            power *= prime;
            for i in 0..others {
                divisors.push(divisors[i] * power);
            }
        }
    }
    divisors
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
        let [length, room] = [line.from().len(), line.to().len()];
        assert!(length == self.points() && room == length && scratch.len() >= self.scratch());
        let (from, to) = line.ends();
        T::four_step(FourStepJob {
            fft: self,
            from,
            to,
            scratch,
        });
    }
}

/// A line to be transformed, in place or from where it lies to where it goes.
pub struct FourStepJob<'a, T> {
    fft: &'a FourStep<T>,
    from: *const Complex<T>,
    to: *mut Complex<T>,
    scratch: &'a mut [Complex<T>],
}

impl<T: Real + Storage<Compute = T>> FourStepJob<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S>,
    {
        let (first, second) = (&self.fft.first, &self.fft.second);
        let (lanes, pitch) = (T::W, self.fft.pitch);
        let (between, workspace) = self.scratch.split_at_mut(pitch * second.length);
        let between: *mut T = between.as_mut_ptr().cast();
        let workspace: &mut [T] = bytemuck::cast_slice_mut(workspace);
        let low = 2 * lanes * self.fft.block;
        let high = 2 * lanes * first.length.div_ceil(self.fft.block);
        let mut number = 0;
        let to = LinesAt {
            first: self.to,
            apart: 0,
        };
        to.fetch(1, self.fft.points());
        for (n2, lines) in groups(second.length, lanes, first.vectors) {
            let tile = ColumnTile {
                load: self.from.wrapping_add(n2).cast(),
                load_stride: 2 * second.length,
                store: std::ptr::null_mut(),
                store_stride: 0,
                lines,
                scale: T::one(),
                asks: false,
                workspace,
            };
            let copies = transform(simd, first, tile);
            let rows = first.planar(workspace.as_mut_ptr());
            for (vector, copy) in copies[..lines.div_ceil(lanes)].iter().enumerate() {
                let own = (lines - vector * lanes).min(lanes);
                Turn {
                    rows: rows.wrapping_add(copy * first.length * 2 * lanes),
                    count: first.length,
                    lines: own,
                    low: part(&self.fft.low, number, low),
                    high: part(&self.fft.high, number, high),
                    to: between.wrapping_add((n2 + vector * lanes) * 2 * pitch),
                    pitch: 2 * pitch,
                }
                .run(simd);
                number += 1;
            }
        }
        for (k1, lines) in groups(first.length, lanes, second.vectors) {
            let tile = ColumnTile {
                load: between.wrapping_add(2 * k1),
                load_stride: 2 * pitch,
                store: self.to.wrapping_add(k1).cast(),
                store_stride: 2 * first.length,
                lines,
                scale: T::one(),
                // The output is not in a near cache: what was read last, or nothing, is there.
                asks: true,
                workspace,
            };
            transform(simd, second, tile);
        }
    }
}

/// The first of some neighbouring lines, and how many: whole vectors, some lines of which may be transformed twice.
fn groups(lines: usize, lanes: usize, vectors: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = lines / lanes;
    let groups = (0..whole).step_by(vectors);
    let groups = groups.map(move |first| (first * lanes, vectors.min(whole - first) * lanes));
    let left = match lines % lanes {
        0 => None,
        left if whole == 0 => Some((0, left)),
        _ => Some((lines - lanes, lanes)),
    };
    groups.chain(left)
}

with_simd!(FourStepJob -> ());

/// Part `i` of a table of parts of one size.
fn part<T>(table: &[T], i: usize, size: usize) -> &[T] {
    &table[i * size..][..size]
}
