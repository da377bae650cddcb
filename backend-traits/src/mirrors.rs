//! Radices by which a thread has points and their mirror images, and what lies beside these in memory.

use crate::pass::{Loop, Pass};
use crate::precision::ScalarType;
use crate::radix;
use crate::side::End;

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

/// How many pairs of neighbouring reals one access moves where a thread has the two points of a packed
/// line that they are made of, or become: 2 where these are four reals in a row, 1 where they are two
/// and two; 0 where memory does not have them so.
pub fn facing_neighbours(pass: &Pass, end: End) -> usize {
    // The parts of a cluster's line are two axes.
    let axis = match (&pass.axes[..], pass.axis_at(end)) {
        ([_], Some(axis)) => axis,
        ([_, _], Some(axis)) if pass.tile.residency.blocks() > 1 => axis,
        _ => return 0,
    };
    let Some((side, length)) = pass.reals(end) else {
        return 0;
    };
    let Some(pairs) = side.facing_pairs() else {
        return 0;
    };
    // Two reals of FP64 are the most that one access moves.
    let pairs = pairs.min(16 / (2 * pass.math.storage.bytes()));
    let begins = |scalars: usize| scalars.is_multiple_of(2 * pairs);
    // Lines; not the parts of one, of which all have their places in it.
    let lines = |l: &Loop| l.map(end).index > 0 || begins(l.map(end).stride);
    let points = match pass.mirrored() {
        Some((_, mirrored)) => mirrored.points,
        None => pass.axes.iter().map(|a| a.core_length()).product(),
    };
    let packed = !axis.kind.is_real_to_real() && axis.kind.packed(axis.length);
    // Of real columns the two reals of a value are points of the line.
    let paired = match packed {
        true => axis.length.is_multiple_of(4) && points == length,
        false => 2 * points == length && length.is_multiple_of(4),
    };
    let map = axis.map(end);
    let whole = map.stride == map.index && axis.ranges[end] == (0..length);
    let there = whole && side.edges == [false; 2];
    match paired && there && begins(pass.side(end).offset) && pass.loops.iter().all(lines) {
        true => pairs,
        false => 0,
    }
}
