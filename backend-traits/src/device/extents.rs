//! Points of an axis that are on chip.

use crate::kind::Kind;
use crate::pass::TileAxis;
use crate::real::Middle;

/// Whether a real axis is packed: pairs of reals are complex points.
pub fn packed(axis: &TileAxis) -> bool {
    !axis.kind.is_real_to_real() && axis.kind.packed(axis.length)
}

/// Points of an axis in shared memory before its first step.
pub fn points_before(axis: &TileAxis) -> usize {
    match axis.kind {
        Kind::C2C => axis.length,
        Kind::R2C if packed(axis) => axis.length / 2,
        Kind::R2C => axis.length,
        Kind::C2R => axis.length / 2 + 1,
        kind => {
            let merged = kind.reduction(axis.length, false).middle == Middle::Merge;
            axis.core_length() + usize::from(merged)
        }
    }
}
