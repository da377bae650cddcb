//! Between strided memory and a tile of contiguous lines.

use super::memory::Memory;
use super::scalar::Storage;
use num_complex::Complex;
use std::ops::Range;

/// Points per block: a block of points of neighbouring lines stays in the first-level
/// cache while it is turned.
const BLOCK: usize = 16;

/// Where the points of some lines lie.
#[derive(Debug, Clone, Copy)]
pub struct Points<S> {
    /// The memory.
    pub memory: Memory<S>,
    /// The scalar index of the first point of line 0.
    pub start: usize,
    /// Scalars from point to point.
    pub stride: usize,
    /// Scalars from line to line.
    pub line_stride: usize,
    /// Scalars from a real to its imaginary part.
    pub imaginary: usize,
}

impl<S: Storage> Points<S> {
    // `points` names points of the line; `start` is the address of the first of them.

    /// Calls `each(line, point, scalar index)` for all points of all lines, in blocks that
    /// suit both sides.
    #[inline(always)]
    fn for_each(&self, lines: usize, points: usize, mut each: impl FnMut(usize, usize, usize)) {
        for block in (0..points).step_by(BLOCK) {
            for line in 0..lines {
                let base = self.start + line * self.line_stride;
                for point in block..points.min(block + BLOCK) {
                    each(line, point, base + point * self.stride);
                }
            }
        }
    }

    pub fn contiguous_complex(&self) -> bool {
        self.stride == 2 && self.imaginary == 1
    }

    /// Loads complex points into `tile`, whose lines are `pitch` apart.
    ///
    /// # Safety
    /// All points are inside the memory, and nobody writes them meanwhile.
    pub unsafe fn load_complex(
        &self,
        lines: usize,
        points: Range<usize>,
        tile: &mut [Complex<S::Compute>],
        pitch: usize,
    ) {
        if self.contiguous_complex() {
            for line in 0..lines {
                // SAFETY: by this function's contract.
                let from = unsafe {
                    self.memory
                        .stored(self.start + line * self.line_stride, 2 * points.len())
                };
                let to = &mut tile[line * pitch..][points.clone()];
                S::widen(from, bytemuck::cast_slice_mut(to));
            }
            return;
        }
        self.for_each(lines, points.len(), |line, point, at| {
            // SAFETY: by this function's contract.
            let (re, im) = unsafe { (self.memory.get(at), self.memory.get(at + self.imaginary)) };
            tile[line * pitch + points.start + point] = Complex::new(re, im);
        });
    }

    /// Loads real points: two to a complex number where `packed`, else with imaginary
    /// parts of zero.
    ///
    /// # Safety
    /// All points are inside the memory, and nobody writes them meanwhile.
    pub unsafe fn load_real(
        &self,
        lines: usize,
        points: Range<usize>,
        packed: bool,
        tile: &mut [Complex<S::Compute>],
        pitch: usize,
    ) {
        let scalars: &mut [S::Compute] = bytemuck::cast_slice_mut(tile);
        let step = if packed { 1 } else { 2 };
        if self.stride == 1 && packed {
            for line in 0..lines {
                let start = self.start + line * self.line_stride;
                // SAFETY: by this function's contract.
                let from = unsafe { self.memory.stored(start, points.len()) };
                S::widen(from, &mut scalars[2 * line * pitch..][points.clone()]);
            }
            return;
        }
        self.for_each(lines, points.len(), |line, point, at| {
            // SAFETY: by this function's contract.
            scalars[2 * line * pitch + step * (points.start + point)] =
                unsafe { self.memory.get(at) };
        });
    }

    /// Stores complex points times `scale`.
    ///
    /// # Safety
    /// All points are inside the memory, and nobody else touches them meanwhile.
    pub unsafe fn store_complex(
        &self,
        lines: usize,
        points: Range<usize>,
        tile: &[Complex<S::Compute>],
        pitch: usize,
        scale: S::Compute,
    ) {
        if self.contiguous_complex() {
            for line in 0..lines {
                let start = self.start + line * self.line_stride;
                // SAFETY: by this function's contract.
                let to = unsafe { self.memory.stored_mut(start, 2 * points.len()) };
                let from = &tile[line * pitch..][points.clone()];
                S::narrow(bytemuck::cast_slice(from), to, scale);
            }
            return;
        }
        self.for_each(lines, points.len(), |line, point, at| {
            let x = tile[line * pitch + points.start + point];
            // SAFETY: by this function's contract.
            unsafe {
                self.memory.set(at, x.re * scale);
                self.memory.set(at + self.imaginary, x.im * scale);
            }
        });
    }

    /// Stores real points times `scale`: both parts of a complex number where `packed`,
    /// else the real parts alone.
    ///
    /// # Safety
    /// All points are inside the memory, and nobody else touches them meanwhile.
    pub unsafe fn store_real(
        &self,
        lines: usize,
        points: Range<usize>,
        packed: bool,
        tile: &[Complex<S::Compute>],
        pitch: usize,
        scale: S::Compute,
    ) {
        let scalars: &[S::Compute] = bytemuck::cast_slice(tile);
        let step = if packed { 1 } else { 2 };
        if self.stride == 1 && packed {
            for line in 0..lines {
                let start = self.start + line * self.line_stride;
                // SAFETY: by this function's contract.
                let to = unsafe { self.memory.stored_mut(start, points.len()) };
                S::narrow(&scalars[2 * line * pitch..][points.clone()], to, scale);
            }
            return;
        }
        self.for_each(lines, points.len(), |line, point, at| {
            let x = scalars[2 * line * pitch + step * (points.start + point)];
            // SAFETY: by this function's contract.
            unsafe { self.memory.set(at, x * scale) };
        });
    }
}
