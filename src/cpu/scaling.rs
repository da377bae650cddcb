//! The scale of a pass, where it is a step of its own: on lines that are still in the nearest cache.

use super::scalar::Real;
use num_complex::Complex;
use pulp::Arch;

/// Bytes of lines that are transformed before something else is done with them: a first-level cache, or less.
const NEAR_BYTES: usize = 32 << 10;

/// How many of `count` lines of `points` are transformed in one call: all of them, or as many as are near still when
/// they are scaled.
pub fn lines_at_once<T: Real>(count: usize, points: usize, scale: T) -> usize {
    let count = count.max(1);
    match scale == T::one() {
        true => count,
        false => near_lines::<T>(points).min(count),
    }
}

/// How many lines of `points` are near still when the last of them has been transformed.
pub fn near_lines<T>(points: usize) -> usize {
    (NEAR_BYTES / (points * size_of::<Complex<T>>()).max(1)).max(1)
}

/// Multiplies points where they lie.
pub fn scale<T: Real>(points: &mut [Complex<T>], factor: T) {
    if factor == T::one() {
        return;
    }
    let scalars: &mut [T] = bytemuck::cast_slice_mut(points);
    Arch::new().dispatch(|| {
        for x in scalars {
            *x = *x * factor;
        }
    });
}

/// Multiplies scalars on their way to memory.
pub fn scaled_to<T: Real>(from: &[T], to: &mut [T], factor: T) {
    Arch::new().dispatch(|| {
        for (to, &from) in to.iter_mut().zip(from) {
            *to = from * factor;
        }
    });
}
