//! Points of an axis: those that memory counts, and those that are on chip.

use crate::kind::Kind;
use crate::pass::{Pass, TileAxis};
use crate::real::Middle;

/// Whether an axis is a part of a line that several passes transform.
pub fn part(axis: &TileAxis, pass: &Pass) -> bool {
    pass.hermitian.is_some()
        || pass.mirrored.is_some()
        || pass.loops.iter().any(|l| l.load_index + l.store_index > 0)
        || axis.load_index != 1
        || axis.store_index != 1
}

/// Whether a real axis is packed: pairs of reals are complex points.
pub fn packed(axis: &TileAxis) -> bool {
    !axis.kind.is_real_to_real() && axis.kind.packed(axis.length)
}

/// Points that the load counts, were none zero.
pub fn given(axis: &TileAxis, pass: &Pass) -> usize {
    match (pass.hermitian, pass.mirrored_points(Middle::Merge)) {
        _ if pass.load_reals.is_some() => pass.load_reals.map_or(0, |line| line.length),
        (Some(length), _) => length / 2 + 1,
        (None, Some(points)) => points + 1,
        (None, None) if axis.kind == Kind::C2C && part(axis, pass) => pass.line_points(),
        (None, None) => axis.kind.lengths(axis.length).0,
    }
}

/// Points that the store counts, were all wanted.
pub fn made(axis: &TileAxis, pass: &Pass) -> usize {
    match pass.mirrored_points(Middle::Split) {
        _ if pass.store_reals.is_some() => pass.store_reals.map_or(0, |line| line.length),
        Some(points) => points + 1,
        None if axis.kind == Kind::C2C && part(axis, pass) => pass.stored_points(),
        None => axis.kind.lengths(axis.length).1,
    }
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
