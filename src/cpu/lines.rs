//! Transforms of contiguous lines: RustFFT's, butterflies with the radices that a user
//! asks for, and the matrix engine's.

use super::columns::ColumnFft;
use super::memory::Memory;
use super::scalar::{Real, Storage};
use num_complex::Complex;
use rustfft::Fft;
use std::sync::Arc;

/// Complex lines, one after the other, transformed where they lie.
pub trait Lines<T>: Send + Sync {
    /// The length of a line.
    fn length(&self) -> usize;
    /// Complex numbers of scratch that [`Lines::process`] and [`Lines::process_to`] need.
    fn scratch(&self) -> usize;
    /// Transforms every line of `lines`.
    fn process(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]);
    /// Transforms every line of `from` into `to`.
    fn process_to(&self, from: &[Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>])
    where
        T: Copy,
    {
        to.copy_from_slice(from);
        self.process(to, scratch);
    }
}

/// RustFFT's transform of any length.
pub struct Library<T> {
    fft: Arc<dyn Fft<T>>,
}

impl<T: Real> Library<T> {
    /// A line of `length` points.
    pub fn new(length: usize, inverse: bool) -> Self {
        let direction = match inverse {
            false => rustfft::FftDirection::Forward,
            true => rustfft::FftDirection::Inverse,
        };
        Library {
            fft: super::primes::plan(length, direction),
        }
    }
}

/// Bytes after which addresses are alike to a core: RustFFT takes up to twice as long where it loads and stores at such (docs/lab/2026-11-28-cpu.md).
const ALIKE: usize = 4096;

/// The part of `scratch` that begins half of these bytes from where `lines` do, at a multiple of 64 bytes: RustFFT writes the
/// one as it reads the other.
fn apart<'a, T>(scratch: &'a mut [Complex<T>], lines: &[Complex<T>]) -> &'a mut [Complex<T>] {
    let wanted = (lines.as_ptr() as usize).wrapping_add(ALIKE / 2) / 64 * 64;
    let skip = wanted.wrapping_sub(scratch.as_ptr() as usize) % ALIKE;
    &mut scratch[skip / size_of::<Complex<T>>()..]
}

impl<T: Real> Lines<T> for Library<T> {
    fn length(&self) -> usize {
        self.fft.len()
    }

    fn scratch(&self) -> usize {
        let fft = &self.fft;
        let in_place = fft.get_inplace_scratch_len();
        // What lies apart begins later.
        let skipped = ALIKE / size_of::<Complex<T>>();
        match fft.get_immutable_scratch_len() {
            0 => in_place,
            other => in_place.max(other + skipped),
        }
    }

    fn process(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.fft.process_with_scratch(lines, scratch);
    }

    fn process_to(&self, from: &[Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let scratch = match self.fft.get_immutable_scratch_len() {
            0 => scratch,
            _ => apart(scratch, from),
        };
        self.fft.process_immutable_with_scratch(from, to, scratch);
    }
}

/// Butterflies on lines that are contiguous: a vector's worth of them is turned so that
/// each lane holds one. Slower than RustFFT; for the radices that a user asks for.
pub struct Butterflies<T> {
    columns: ColumnFft<T>,
}

impl<T: Real + Storage<Compute = T>> Butterflies<T> {
    /// Lines of the product of `radices`.
    pub fn new(radices: &[usize], inverse: bool) -> Self {
        Butterflies {
            columns: ColumnFft::new(radices, inverse, true),
        }
    }
}

impl<T: Real + Storage<Compute = T>> Lines<T> for Butterflies<T> {
    fn length(&self) -> usize {
        self.columns.length
    }

    fn scratch(&self) -> usize {
        self.columns.length * self.columns.lanes + self.columns.workspace().div_ceil(2)
    }

    fn process(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, w) = (self.columns.length, self.columns.lanes);
        let (rows, workspace) = scratch.split_at_mut(n * w);
        let workspace = bytemuck::cast_slice_mut(workspace);
        for group in lines.chunks_mut(n * w) {
            let count = group.len() / n;
            for (j, line) in group.chunks_exact(n).enumerate() {
                for (i, &x) in line.iter().enumerate() {
                    rows[i * w + j] = x;
                }
            }
            let memory = Memory::of(bytemuck::cast_slice_mut::<_, T>(&mut *rows));
            // SAFETY: `rows` has n rows of w points, and count ≤ w of them are used.
            unsafe {
                let at = (memory, 0, 2 * w);
                self.columns.process(at, at, count, T::one(), workspace);
            }
            for (j, line) in group.chunks_exact_mut(n).enumerate() {
                for (i, x) in line.iter_mut().enumerate() {
                    *x = rows[i * w + j];
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
