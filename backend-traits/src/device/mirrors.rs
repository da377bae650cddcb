//! Radices by which a thread has points and their mirror images.

use crate::precision::ScalarType;
use crate::radix;

/// The largest radix of a step whose threads have two columns at a time.
pub const FACING_RADIX: usize = 16;

/// Whether threads of a step of this radix have a column of each of two lines that face each other: of
/// even radices the points of one are lower or higher ones whichever the line is; and of FP64 those of
/// more would take all registers.
pub fn lines_face(radix: usize, storage: ScalarType) -> bool {
    radix.is_multiple_of(2) && radix <= halves_radix(storage)
}

/// The largest radix of a step whose threads merge or split half spectra of two lines: of FP64 two columns
/// of more would take all registers.
pub fn halves_radix(storage: ScalarType) -> usize {
    FACING_RADIX.min(64 / storage.bytes())
}

/// Whether threads of a step of this radix, the first of a DFT of `points` or the last one, have the mirror images of its
/// points, of an axis of reals beside others: of its only step however many.
pub fn images_meet(points: usize, radix: usize, storage: ScalarType) -> bool {
    let registers = radix == points || radix <= halves_radix(storage);
    let held = !radix::summed(radix, storage == ScalarType::F64);
    points.is_multiple_of(radix) && registers && held && mirrors_in_registers(points, radix)
}

/// Whether a step of this radix, the first of a DFT of `points` or the last one, has the mirror image of each
/// of its points in the same thread: where it is the only step, or columns come in pairs.
pub fn mirrors_in_registers(points: usize, radix: usize) -> bool {
    let pairs = points != radix && (points / radix).is_multiple_of(2) && radix <= FACING_RADIX;
    (points == radix || pairs) && !radix::summed(radix, false)
}
