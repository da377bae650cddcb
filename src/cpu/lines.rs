//! Transforms of contiguous lines: RustFFT's, butterflies with the radices that a user
//! asks for, and the matrix engine's.

use super::half_spectrum::HalfSpectrum;
use super::scalar::{Real, Storage};
use super::scaling::{lines_at_once, near_lines, scale};
use mmafft_backend_traits::real::Middle;
use num_complex::Complex;
use rustfft::Fft;
use std::sync::Arc;

/// Complex lines, one after the other, transformed where they lie.
pub trait Lines<T>: Send + Sync {
    /// The length of a line.
    fn length(&self) -> usize;
    /// Complex numbers of scratch that [`Lines::process`] and [`Lines::process_to`] need.
    fn scratch(&self) -> usize;
    /// Lines of which as many at once are the fastest.
    fn together(&self) -> usize {
        1
    }
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
    /// Transforms so many lines from where they lie to where they go, and multiplies them.
    ///
    /// # Safety
    /// The lines are inside memories that nobody else touches, which are one or do not overlap.
    unsafe fn run(
        &self,
        [from, to]: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        scratch: &mut [Complex<T>],
    ) where
        T: Real,
    {
        let n = self.length();
        let same = count < 2 || from.apart == to.apart;
        let in_place = std::ptr::eq(from.first, to.first) && same;
        let per_call = match from.apart == n && to.apart == n {
            true => lines_at_once(count, n, factor),
            false => 1,
        };
        for first in (0..count).step_by(per_call) {
            let points = per_call.min(count - first) * n;
            // SAFETY: by this function's contract.
            unsafe {
                let to = to.first.add(first * to.apart);
                let to = std::slice::from_raw_parts_mut(to, points);
                if in_place {
                    self.process(to, scratch);
                } else {
                    let from = from.first.add(first * from.apart);
                    self.process_to(std::slice::from_raw_parts(from, points), to, scratch);
                }
                scale(to, factor);
            }
        }
    }
    /// Complex numbers of scratch that [`Lines::run_real`] needs for so many lines at most.
    fn real_scratch(&self, lines: usize) -> usize {
        near_lines::<T>(self.length()).min(lines) * self.length() + self.scratch()
    }
    /// Transforms so many lines of reals, of which each two are a point, to half spectra (`Split`), or these to reals
    /// (`Merge`), and multiplies them.
    ///
    /// # Safety
    /// As for [`Lines::run`], of half spectra with a point more.
    unsafe fn run_real(
        &self,
        half: &HalfSpectrum<T>,
        middle: Middle,
        ends: [LinesAt<T>; 2],
        count: usize,
        factor: T,
        scratch: &mut [Complex<T>],
    ) where
        T: Real,
    {
        // SAFETY: by this function's contract.
        unsafe { real_lines(self, half, middle, ends, count, factor, scratch) }
    }
}

/// [`Lines::run_real`] of some lines after the others, as many as stay near.
///
/// # Safety
/// As for that.
pub unsafe fn real_lines<T: Real>(
    lines: &(impl Lines<T> + ?Sized),
    half: &HalfSpectrum<T>,
    middle: Middle,
    [from, to]: [LinesAt<T>; 2],
    count: usize,
    factor: T,
    scratch: &mut [Complex<T>],
) {
    let n = lines.length();
    if count == 0 {
        return;
    }
    let near = near_lines::<T>(n).min(count);
    let (between, scratch) = scratch.split_at_mut(near * n);
    let pairs_apart = match middle {
        Middle::Merge => to.apart,
        _ => from.apart,
    };
    let per_call = if pairs_apart == n { near } else { 1 };
    for first in (0..count).step_by(per_call) {
        let own = per_call.min(count - first);
        let [from, to] = [from, to].map(|at| at.after(first));
        let between = &mut between[..own * n];
        // SAFETY: by this function's contract; what is loaded is used up before anything is stored there.
        unsafe {
            if middle == Middle::Merge {
                for (line, z) in between.chunks_exact_mut(n).enumerate() {
                    let x = std::slice::from_raw_parts(from.after(line).first, n + 1);
                    half.merge(x, z);
                }
                let to = std::slice::from_raw_parts_mut(to.first, own * n);
                lines.process_to(between, to, scratch);
                scale(to, factor);
            } else {
                let pairs = std::slice::from_raw_parts(from.first, own * n);
                lines.process_to(pairs, between, scratch);
                for (line, z) in between.chunks_exact(n).enumerate() {
                    let x = std::slice::from_raw_parts_mut(to.after(line).first, n + 1);
                    half.split(z, x, factor);
                }
            }
        }
    }
}

/// Bytes of lines that end before a processor sees that they are read, or written, in order.
const SHORT_LINE: usize = 4096;

/// Bytes that stay in a first-level cache until they are read or written.
const FETCHED: usize = 32 << 10;

impl<T> LinesAt<T> {
    /// Lines of so many points that are one slice, both where they lie and where they go, and how many.
    pub fn in_place(lines: &mut [Complex<T>], apart: usize) -> ([Self; 2], usize) {
        let first = lines.as_mut_ptr();
        let ends = [first; 2].map(|first| LinesAt { first, apart });
        (ends, lines.len() / apart)
    }

    /// Lines of so many points that go from one slice, which is only read, to another, and how many.
    pub fn between(from: &[Complex<T>], to: &mut [Complex<T>], apart: usize) -> ([Self; 2], usize) {
        assert_eq!(from.len(), to.len());
        let ends = [from.as_ptr().cast_mut(), to.as_mut_ptr()];
        (
            ends.map(|first| LinesAt { first, apart }),
            from.len() / apart,
        )
    }

    /// Asks for so many lines of so many points, if they are short, so that they come at once and not one miss after the
    /// other.
    #[inline(always)]
    pub fn fetch(self, lines: usize, points: usize) {
        if !self.is_short(lines, points) {
            return;
        }
        let bytes = points * size_of::<Complex<T>>();
        for line in 0..lines {
            let start = self.first.wrapping_add(line * self.apart).cast::<i8>();
            for byte in (0..bytes).step_by(CACHE_LINE) {
                fetch(start.wrapping_add(byte));
            }
        }
    }

    /// Whether so many lines of so many points are short, and all in a first-level cache.
    #[inline(always)]
    pub fn is_short(&self, lines: usize, points: usize) -> bool {
        let bytes = points * size_of::<Complex<T>>();
        bytes <= SHORT_LINE && lines * bytes < FETCHED
    }

    /// Whether lines of so many points lie beside each other, but for a few points.
    #[inline(always)]
    pub fn are_beside(&self, points: usize) -> bool {
        self.apart <= points + CACHE_LINE / size_of::<Complex<T>>()
    }

    /// Cache lines of so many lines of so many points, and of what is between them.
    #[inline(always)]
    pub fn cache_lines(&self, lines: usize, points: usize) -> usize {
        let points = (lines - 1) * self.apart + points;
        (points * size_of::<Complex<T>>()).div_ceil(CACHE_LINE)
    }

    /// Lines after so many, which are in the same memory.
    pub fn after(self, lines: usize) -> Self {
        LinesAt {
            first: self.first.wrapping_add(lines * self.apart),
            apart: self.apart,
        }
    }
}

/// Bytes of a line that are asked for before they are written.
pub const AHEAD: usize = 512;

/// Bytes that a cache fetches together.
pub const CACHE_LINE: usize = 64;

/// Asks for a byte that is to be written, which need not exist, and what a cache fetches with it.
#[inline(always)]
pub fn fetch(byte: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: processors of 64 bits have the instruction or pass it over; it changes nothing that a program can see. There
    // is no intrinsic that is compiled to it for all of them.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) byte as usize, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}

/// Of memory that is read later, and of memory that is written, a share, to be asked for in pieces.
///
/// A core waits for no more than some dozens of cache lines at once. What is asked for evenly all the time costs nearly
/// nothing; the same at once is waited for. The last pieces may be behind the share: to ask for less would cost more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The first cache line of either.
    pub first: [u32; 2],
    /// Cache lines of a piece.
    pub each: [u32; 2],
}

impl Share {
    /// Some cache lines of either, from the first of each two numbers to the second, to be asked for in so many pieces.
    #[inline(always)]
    pub fn new(lines: [[usize; 2]; 2], pieces: usize) -> Share {
        let each = |[first, end]: [usize; 2]| (end - first).div_ceil(pieces);
        Share {
            first: lines.map(|[first, _]| first as u32),
            each: lines.map(|lines| each(lines) as u32),
        }
    }

    /// This share of memory that is read, for a first-level cache or for a second-level one, and of memory that is written.
    #[inline(always)]
    pub fn of<T>(self, read: *const T, written: *const T, near: bool) -> Ahead {
        let [of_read, of_written] = self.first.map(|line| line as usize * CACHE_LINE);
        Ahead {
            first: [
                read.cast::<i8>().wrapping_add(of_read),
                written.cast::<i8>().wrapping_add(of_written),
            ],
            each: self.each,
            near,
        }
    }
}

/// Memory that is asked for in pieces while something else is computed.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    /// Of what is read and of what is written.
    first: [*const i8; 2],
    /// Cache lines of a piece.
    each: [u32; 2],
    /// Whether what is read is for a first-level cache.
    near: bool,
}

impl Ahead {
    /// Nothing.
    pub const NONE: Ahead = Ahead {
        first: [std::ptr::null(); 2],
        each: [0; 2],
        near: false,
    };

    /// Asks for a piece of either.
    #[inline(always)]
    pub fn fetch(&self, piece: usize) {
        if self.each == [0; 2] {
            return;
        }
        let [read, written] = self.each.map(|each| each as usize);
        for line in piece * written..(piece + 1) * written {
            fetch(self.first[1].wrapping_add(line * CACHE_LINE));
        }
        #[cfg(target_arch = "x86_64")]
        for line in piece * read..(piece + 1) * read {
            use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0, _MM_HINT_T1};
            let byte = self.first[0].wrapping_add(line * CACHE_LINE);
            // SAFETY: any address may be asked for.
            unsafe {
                match self.near {
                    true => _mm_prefetch::<_MM_HINT_T0>(byte),
                    false => _mm_prefetch::<_MM_HINT_T1>(byte),
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (read, self.near);
    }
}

/// Where lines lie, or go.
#[derive(Debug, Clone, Copy)]
pub struct LinesAt<T> {
    /// The first point of the first.
    pub first: *mut Complex<T>,
    /// Points from line to line.
    pub apart: usize,
}

/// Lines by a transform of RustFFT's interface.
pub struct Library<T> {
    fft: Arc<dyn Fft<T>>,
}

impl<T: Real + Storage<Compute = T>> Library<T> {
    /// Lines by this transform.
    pub fn of(fft: Arc<dyn Fft<T>>) -> Self {
        Library { fft }
    }

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

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
