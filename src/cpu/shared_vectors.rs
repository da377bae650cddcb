//! Contiguous lines, two a vector or four: each has as many of its lanes.
//!
//! ```text
//! x[n1·C + n2]  --DFT of R over n1, times exp(−2πi·k1·n2/N)-->  y[k1, n2]         (lanes n2)
//! y[k1, n2]     --DFT of C over n2-->                           X[k2·R + k1]      (lanes k1)
//! ```
//! Lanes and rows are exchanged in registers between the two, each line's for themselves, while parts lie apart. Unlike a
//! batch, which has a lane a line, these stay in a first-level cache where lines have up to a thousand points or two.
//!
//! A line of a pair without another goes by vectors of half the width, where there are any: one half of their lanes has one
//! half of some neighbouring points, so that tables, and what is done to each point, are those of a pair.
//!
//! Four lines are two pairs, each in one half of a vector; a pair of them that is left goes by vectors of half the width. R
//! is half as long, so that lengths suit that the lanes of a pair do not divide.

use super::batch::order;
use super::columns::{ColumnFft, LinesIn, MOST_VECTORS};
use super::half_spectrum::HalfSpectrum;
use super::line_price::{radices, step, NEAR_ROWS};
use super::lines::{real_lines, Lines, LinesAt, Share, CACHE_LINE};
use super::roots::root;
use super::scalar::{Real, Storage};
use super::shared_vectors_job::SharedVectorsJob;
use mmafft_backend_traits::real::Middle;
use num_complex::Complex;

/// What the first DFT can have of points.
const FIRSTS: [usize; 3] = [8, 4, 7];

/// Lanes of a vector that four lines share. Their exchange is that of pairs in either half.
pub const FOUR_LINES_LANES: usize = 16;

/// Lines of `R·C` points, two or four at a time.
pub struct SharedVectors<T> {
    /// How many lines share a vector.
    pub lines: usize,
    /// R: the points of the first DFT.
    pub first: usize,
    /// The first DFT's roots, if it is odd, as steps have them.
    pub own_roots: Vec<T>,
    /// Of C points, R neighbouring lines of each line.
    pub second: ColumnFft<T>,
    /// For each group of values of n2, and each k1 but 0: exp(−2πi·k1·n2/N).
    pub twiddles: Vec<T>,
    /// What is between rows and half spectra.
    pub middle: Middle,
    /// Of half spectra: exp(−πi·k/N), in the order in which points are split or merged.
    pub roots: Vec<T>,
    /// The row in which the second DFT's steps leave each k2.
    pub order: Vec<u32>,
    /// Where its last step but one begins: the first k2 of each.
    pub begins: Vec<usize>,
    /// What each step asks for, the first DFT and a split among them: of lines that are read next, as all steps do, and of
    /// lines that are written, as all do before the one that writes them.
    pub asks: Vec<Share>,
}

/// Whether rows of so many lines are in a first-level cache.
pub fn near(lines: usize, points: usize, bytes: usize) -> bool {
    2 * lines * points * bytes <= NEAR_ROWS
}

/// The first DFT of the least price for so many lines a vector, if there is one.
///
/// With it is what all steps then take of a point, those that are done twice included. Half spectra, and lines that are not
/// near, need one that fills `whole` vectors.
pub fn cheapest(lines: usize, points: usize, lanes: usize, whole: bool) -> Option<(usize, f64)> {
    let half = lanes / lines;
    // Other lanes have no exchange.
    let exchanged = match lines {
        2 => [2, 4, 8].contains(&half),
        _ => lines == 4 && lanes == FOUR_LINES_LANES,
    };
    if !exchanged {
        return None;
    }
    let price = |first: usize| {
        let rest = points / first;
        let twice = |lines: usize| lines.next_multiple_of(half) as f64 / lines as f64;
        let steps: f64 = radices(rest)?.into_iter().map(step).sum();
        Some((first, twice(rest) * step(first) + twice(first) * steps))
    };
    let suits = |first: &usize| {
        // Eight points are two vectors of four lines', which are slower than a pair's.
        let most = if lines == 4 { 7 } else { half * MOST_VECTORS };
        let enough = (half..=most).contains(first);
        let fills = !whole || first.is_multiple_of(half);
        enough && fills && points.is_multiple_of(*first) && points / first >= half.max(2)
    };
    let firsts = FIRSTS.into_iter().filter(suits).filter_map(price);
    firsts.min_by(|(_, a), (_, b)| a.total_cmp(b))
}

impl<T: Real + Storage<Compute = T>> SharedVectors<T> {
    /// So many lines a vector, of so many points each, if these suit.
    ///
    /// `middle` lies between them and half spectra: an inverse transform alone begins with these.
    pub fn new(lines: usize, points: usize, inverse: bool, middle: Middle) -> Option<Self> {
        let lanes = T::vector_bytes() / size_of::<T>();
        let whole = middle != Middle::Plain || !near(lines, points, size_of::<T>());
        let (r, _) =
            cheapest(lines, points, lanes, whole).filter(|_| inverse || middle != Middle::Merge)?;
        let (half, rest) = (lanes / lines, points / r);
        // Two pairs have a table's numbers each, so that a load needs no permutation.
        let pairs = |table: &mut Vec<T>, number: &dyn Fn(usize) -> Complex<T>| {
            for _ in 0..lines / 2 {
                in_lanes(table, half, number);
            }
        };
        let second = ColumnFft::new(&radices(rest)?, inverse, LinesIn::Cache);
        let mut twiddles = Vec::new();
        for first in groups(rest, half) {
            for k1 in 1..r {
                let root = |i: usize| root::<T>(k1 * (first + i), points);
                pairs(&mut twiddles, &|i| match inverse {
                    false => root(i),
                    true => root(i).conj(),
                });
            }
        }
        let firsts: Vec<usize> = match middle {
            Middle::Split => (0..=points / 2).step_by(half).collect(),
            Middle::Merge => groups(rest, half)
                .flat_map(|n2| (0..r).map(move |n1| n1 * rest + n2))
                .collect(),
            _ => Vec::new(),
        };
        let mut roots = Vec::new();
        for first in firsts {
            pairs(&mut roots, &|i| root(first + i, 2 * points));
        }
        // Imaginary parts are a vector that begins eight bytes behind the real ones.
        for table in [&mut twiddles, &mut roots] {
            table.extend([T::zero(); 2]);
        }
        let order = order(&second.radices);
        let last: usize = second.radices.iter().rev().take(2).product();
        // What each step goes through one after the other: groups of n2, rows of twiddles, beginnings, pairs of rows.
        let mut pieces = vec![rest.div_ceil(half)];
        pieces.extend(second.radices.iter().scan(rest, |rest, radix| {
            *rest /= radix;
            Some(*rest)
        }));
        match middle {
            Middle::Split => pieces.push(points / half / 2 + 1),
            _ => pieces[second.radices.len()] = rest / last,
        }
        let mut begins = vec![0; rest / last];
        for (k2, &row) in order[..rest].iter().enumerate() {
            if (row as usize).is_multiple_of(last) {
                begins[row as usize / last] = k2;
            }
        }
        let bytes = (points + usize::from(middle != Middle::Plain)) * size_of::<Complex<T>>();
        let asks = asks(lines * bytes.div_ceil(CACHE_LINE), &pieces);
        let mut own_roots = ColumnFft::new(&[r], inverse, LinesIn::Cache).roots;
        Some(SharedVectors {
            lines,
            first: r,
            own_roots: own_roots.swap_remove(0),
            second,
            twiddles,
            middle,
            roots,
            order,
            begins,
            asks,
        })
    }

    /// Points of a line where it is longer: half a spectrum has one more.
    pub fn stored_points(&self) -> usize {
        self.length() + usize::from(self.middle != Middle::Plain)
    }

    /// Vectors of the lines of the second DFT.
    pub fn vectors(&self) -> usize {
        self.first.div_ceil(self.second.lanes / self.lines)
    }

    /// Scalars of the rows of lines that share vectors.
    fn rows(&self) -> usize {
        2 * self.vectors() * self.second.lanes * self.second.length
    }

    /// Transforms so many lines.
    ///
    /// # Safety
    /// As for [`Lines::run`], of half spectra with a point more.
    unsafe fn all(
        &self,
        [from, to]: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        middle: Middle,
        scratch: &mut [Complex<T>],
    ) {
        assert!(scratch.len() >= self.scratch());
        let workspace: &mut [T] = bytemuck::cast_slice_mut(scratch);
        let workspace = self.second.planar(workspace.as_mut_ptr());
        let job = |first: usize, count: usize| SharedVectorsJob {
            fft: self,
            from: from.after(first),
            to: to.after(first),
            count,
            factor,
            middle,
            workspace,
        };
        // What is left of four is two and one.
        let mut first = 0;
        for together in [self.lines, 2, 1] {
            let own = (count - first) / together * together;
            if own > 0 {
                T::shared_vectors(job(first, own));
                first += own;
            }
        }
    }
}

/// Shares of so many cache lines for steps of so many pieces: of what is read next and of what the last step writes.
fn asks(lines: usize, pieces: &[usize]) -> Vec<Share> {
    let last = pieces.len() - 1;
    // The first DFT takes about twice as long as a step. Steps of many small pieces would ask for far more than their share.
    let weights = pieces.iter().enumerate().map(|(step, &pieces)| match step {
        0 => 2,
        _ => usize::from(pieces * (last + 2) <= 2 * lines),
    });
    let weights: Vec<usize> = weights.collect();
    let before = |step: usize| -> usize { weights[..step].iter().sum() };
    let share = |step: usize, steps: usize| {
        let end = |step: usize| before(step.min(steps)) * lines / before(steps);
        [end(step), end(step + 1)]
    };
    let steps = pieces.iter().enumerate();
    let each = |(step, &pieces)| Share::new([share(step, last + 1), share(step, last)], pieces);
    steps.map(each).collect()
}

/// So many complex numbers as lanes have them when vectors of points are taken apart: by eight bytes real parts, then
/// imaginary parts.
fn in_lanes<T: Real>(table: &mut Vec<T>, count: usize, number: impl Fn(usize) -> Complex<T>) {
    let run = 8 / size_of::<T>();
    for first in (0..count).step_by(run) {
        let own = || (first..first + run).map(&number);
        table.extend(own().map(|w| w.re));
        table.extend(own().map(|w| w.im));
    }
}

/// The first of so many neighbours, of which the last may be in two groups.
pub fn groups(count: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..count)
        .step_by(size)
        .map(move |first| first.min(count - size))
}

impl<T: Real + Storage<Compute = T>> Lines<T> for SharedVectors<T> {
    fn length(&self) -> usize {
        self.first * self.second.length
    }

    fn scratch(&self) -> usize {
        (self.rows() + self.second.lanes).div_ceil(2)
    }

    fn together(&self) -> usize {
        self.lines
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
        // SAFETY: by the trait's contract.
        unsafe { self.all(ends, count, factor, Middle::Plain, scratch) }
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
        // SAFETY: by the trait's contract.
        unsafe {
            match middle == self.middle {
                true => self.all(ends, count, factor, middle, scratch),
                false => real_lines(self, half, middle, ends, count, factor, scratch),
            }
        }
    }
}

#[cfg(test)]
#[path = "shared_vectors_tests.rs"]
mod tests;
