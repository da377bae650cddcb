//! Cyclic convolutions of lines with what is known beforehand.
//!
//! ```text
//! x[m·j + p]  --DFT over j, times exp(−2πi·kp/M)-->  y[k, p]          (columns, in place; M = r·m)
//! y[k, p]     --DFT over p-->                        X[k + r·l]       (row k, in place)
//! ```
//! Spectra stay in the order in which that leaves them, as only products are made of them. As the matrix of a DFT
//! is symmetric, the same steps from the last to the first are one too, from that order to the natural one: a
//! convolution is a trip through columns, one through rows, and one through columns. Rows are short, so that their
//! library has few roots to compute when a line is planned; twiddles are products of two roots.

use super::columns::{ColumnFft, LinesIn};
use super::convolved::{multiply_by, multiply_conjugated};
use super::line_price::radices;
use super::memory::Memory;
use super::primes::plan_inside;
use super::roots::Roots;
use super::scalar::{Real, Storage};
use super::scaling::scale;
use num_complex::Complex;
use pulp::Arch;
use rustfft::{Fft, FftDirection};
use std::sync::Arc;

/// The shortest convolution whose columns are worth trips of their own.
const SHORTEST_OF_ROWS: usize = 2048;

/// The most rows: the processor remembers where so many pages of memory are.
const MOST_ROWS: usize = 1024;

/// Bytes of a convolution that the nearer caches hold.
const CACHED_BYTES: usize = 1 << 20;

/// Bytes by which rows are longer, so that they do not all begin at addresses that are alike to a cache.
const PADDING: usize = 64;

/// A convolution of `M` points.
pub struct Cyclic<T> {
    /// Of r points; none where there is one row.
    columns: Option<ColumnFft<T>>,
    /// Of m points.
    rows: Arc<dyn Fft<T>>,
    /// For each row k, and each p of a block: exp(−2πi·kp/M) − 1, so that products with it are rounded little.
    low: Vec<Complex<T>>,
    /// For each row k, and the first p of each block: exp(−2πi·kp/M).
    high: Vec<Complex<T>>,
    /// Points of a block.
    block: usize,
    /// Points from row to row.
    pitch: usize,
    /// The spectrum that lines are multiplied by, divided by M.
    spectrum: Vec<Complex<T>>,
    arch: Arch,
}

/// A factor of the points of a convolution, for its columns.
fn columns(points: usize) -> usize {
    if points < SHORTEST_OF_ROWS {
        return 1;
    }
    let most = points.isqrt().min(MOST_ROWS);
    let divides = |r: &usize| points.is_multiple_of(*r) && radices(*r).is_some();
    (1..=most).rev().find(divides).unwrap_or(1)
}

impl<T: Real + Storage<Compute = T>> Cyclic<T> {
    /// Of `points` points, with nothing yet.
    fn new(points: usize) -> Self {
        let count = columns(points);
        let length = points / count;
        let block = 1 << length.ilog2().div_ceil(2);
        let roots = (count > 1).then(|| Roots::new(points));
        let (mut low, mut high) = (Vec::new(), Vec::new());
        if let Some(roots) = &roots {
            let blocks = length.div_ceil(block);
            low.reserve_exact(count * block);
            high.reserve_exact(count * blocks);
            for k in 0..count {
                low.extend((0..block).map(|p| roots.less_one(k * p)));
                high.extend((0..blocks).map(|b| roots.get(k * b * block)));
            }
        }
        let lines = match points * size_of::<Complex<T>>() <= CACHED_BYTES {
            true => LinesIn::Cache,
            false => LinesIn::Memory,
        };
        let aligned = PADDING / size_of::<Complex<T>>();
        Cyclic {
            columns: radices(count)
                .filter(|_| count > 1)
                .map(|radices| ColumnFft::new(&radices, false, lines)),
            rows: plan_inside(length, FftDirection::Forward),
            low,
            high,
            block,
            pitch: match count {
                1 => length,
                _ => length.next_multiple_of(aligned) + aligned,
            },
            spectrum: Vec::new(),
            arch: Arch::new(),
        }
    }

    /// With a kernel of so many points, of which `fill` makes those from a point on, in rows of zeros; `even` says that
    /// point M − n is point n.
    pub fn with(points: usize, even: bool, fill: impl Fn(usize, &mut [Complex<T>])) -> Self {
        let mut cyclic = Cyclic::new(points);
        let mut work = vec![Complex::default(); cyclic.count() * cyclic.pitch];
        let mut scratch = vec![Complex::default(); cyclic.scratch()];
        for (k, row) in cyclic.rows(&mut work).enumerate() {
            fill(k * cyclic.rows.len(), row);
        }
        cyclic.transform_columns(&mut work, &mut scratch);
        let (twiddles, scratch) = scratch.split_at_mut(cyclic.rows.len());
        let factor = T::rounded((points as f64).recip());
        let count = cyclic.count();
        for k in 0..count {
            let (before, row) = work.split_at_mut(k * cyclic.pitch);
            let row = &mut row[..twiddles.len()];
            // Point M − n is in row r − k, from its end.
            if even && 2 * k > count {
                let mirrored = &before[(count - k) * cyclic.pitch..][..twiddles.len()];
                let points = row.iter_mut().zip(mirrored.iter().rev());
                points.for_each(|(x, y)| *x = *y);
                continue;
            }
            if k > 0 {
                cyclic.twiddles_of(k, twiddles);
                multiply_by(cyclic.arch, row, twiddles);
            }
            cyclic.rows.process_with_scratch(row, scratch);
            scale(row, factor);
        }
        cyclic.spectrum = work;
        cyclic
    }

    /// The first point of the spectrum: the sum of the kernel, divided by M.
    pub fn sum_mut(&mut self) -> &mut Complex<T> {
        &mut self.spectrum[0]
    }

    /// Rows.
    fn count(&self) -> usize {
        self.columns.as_ref().map_or(1, |columns| columns.length)
    }

    /// Complex numbers of the rows that are convolved.
    pub fn work(&self) -> usize {
        self.count() * self.pitch
    }

    /// Complex numbers that are needed beside them.
    pub fn scratch(&self) -> usize {
        let columns = self.columns.as_ref().map_or(0, ColumnFft::workspace);
        let rows = self.rows.len() + self.rows.get_inplace_scratch_len();
        rows.max(columns.div_ceil(2))
    }

    /// The points of all rows, which are in order; a row's last points are between them.
    pub fn rows<'a>(
        &self,
        work: &'a mut [Complex<T>],
    ) -> impl Iterator<Item = &'a mut [Complex<T>]> {
        let length = self.rows.len();
        let rows = work.chunks_mut(self.pitch);
        rows.map(move |row| &mut row[..length])
    }

    /// Leaves the conjugate of the convolution, of whose every point `added` is a part; returns the sum of all points.
    pub fn convolve(
        &self,
        work: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
        added: Complex<T>,
    ) -> Complex<T> {
        let mut sum = Complex::default();
        self.transform_columns(work, scratch);
        let (twiddles, rest) = scratch.split_at_mut(self.rows.len());
        let spectra = self.spectrum.chunks(self.pitch);
        for (k, (row, spectrum)) in self.rows(work).zip(spectra).enumerate() {
            if k > 0 {
                self.twiddles_of(k, twiddles);
                multiply_by(self.arch, row, twiddles);
            }
            self.rows.process_with_scratch(row, rest);
            if k == 0 {
                sum = row[0];
            }
            // A forward DFT of conjugates is the inverse one, conjugated.
            multiply_conjugated(self.arch, row, spectrum);
            if k == 0 {
                row[0] = row[0] + added.conj();
            }
            self.rows.process_with_scratch(row, rest);
            if k > 0 {
                multiply_by(self.arch, row, twiddles);
            }
        }
        self.transform_columns(work, scratch);
        sum
    }

    /// The twiddles of a row.
    fn twiddles_of(&self, k: usize, to: &mut [Complex<T>]) {
        let blocks = to.len().div_ceil(self.block);
        let low = &self.low[k * self.block..][..self.block];
        let high = &self.high[k * blocks..][..blocks];
        self.arch.dispatch(
            #[inline(always)]
            || {
                for (to, &first) in to.chunks_mut(self.block).zip(high) {
                    to.iter_mut()
                        .zip(low)
                        .for_each(|(w, &own)| *w = first + first * own);
                }
            },
        );
    }

    /// The DFTs of all columns.
    fn transform_columns(&self, work: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let Some(columns) = &self.columns else {
            return;
        };
        let work = &mut work[..columns.length * self.pitch];
        let workspace: &mut [T] = bytemuck::cast_slice_mut(scratch);
        let memory = Memory::of(bytemuck::cast_slice_mut::<_, T>(work));
        let points = self.rows.len();
        for p in (0..points).step_by(columns.lines()) {
            let lines = columns.lines().min(points - p);
            let at = (memory, 2 * p, 2 * self.pitch);
            // SAFETY: `work` has r rows of more than m points, and is lent to this function alone.
            unsafe { columns.process(at, at, lines, T::one(), workspace) };
        }
    }
}

#[cfg(test)]
#[path = "cyclic_tests.rs"]
mod tests;
