//! Which column and which points of it a thread has, before a step and after it, and where they lie on their axis: `pass.hpp`'s
//! own arithmetic, on the host.

use super::config::*;
use super::matrices;
use crate::geometry::Vendor;

/// Column and point of a lane of a matrix step (`matrix_column`, `matrix_point` of matrix.hpp),
/// for the first of a lane's rows.
pub fn matrix_place(step: &StepWords, vendor: Vendor, lane: usize, j: usize) -> (usize, usize) {
    let copies = step.copies as usize;
    let points = step.rank as usize / copies;
    let rank = step.rank as usize;
    let (column, t) = match vendor {
        Vendor::Nvidia => (lane / 4, lane % 4),
        Vendor::Amd if matrices::small(rank, vendor) => (lane, 0),
        Vendor::Amd => (lane % 16, lane / 16),
    };
    let point = |j| matrices::point(rank, vendor, t, j);
    (column * copies + point(0) / points, point(j) % points)
}

/// Where a point lies in the share of the block that it goes to, of so many.
pub fn in_share(step: &StepWords, at: usize, width: usize) -> usize {
    let all = step.output as usize;
    match step.images_out as usize {
        0 => at % width,
        _ if 2 * at < all => at % (width / 2),
        sum => width / 2 + (sum - at) % (all / 2) % (width / 2),
    }
}

/// `joined_column` of pass.hpp.
pub fn joined_column(step: &StepWords, column: usize, own: usize) -> usize {
    match (step.joined as usize, step.engine) {
        (0, _) => column,
        (_, ENGINE_MATRIX) => column + own * step.columns as usize,
        (joined, _) => {
            let before = step.done as usize / joined;
            column % before + before * (joined * (column / before) + own)
        }
    }
}

pub fn from_at(step: &StepWords, column: usize, j: usize) -> usize {
    let points = step.points as usize;
    let at = match step.op {
        OP_DFT => {
            let stride = points / step.radix as usize;
            let column = if step.engine == ENGINE_DENSE {
                column % stride
            } else {
                column
            };
            step.offset as usize + column + j * stride
        }
        OP_SPLIT | OP_MERGE if paired(step) => return paired_at(step, column, j),
        OP_SPLIT | OP_MERGE if j > 0 && column == 0 => points / 2,
        OP_SPLIT | OP_MERGE if j > 0 => points - column,
        _ => column,
    };
    match step.hermitian as usize {
        length if length > 0 && 2 * at > length => length.checked_sub(at).unwrap_or(at),
        _ => at,
    }
}

/// Whether a split or merge is of lines in mirrored pairs.
fn paired(step: &StepWords) -> bool {
    step.input == 2 * step.points && step.output == 2 * step.points
}

/// Where its points are, but for the pair whose lines are their own mirror images.
fn paired_at(step: &StepWords, column: usize, j: usize) -> usize {
    match j {
        0 => column,
        _ => 2 * step.points as usize - 1 - column,
    }
}

pub fn to_at(step: &StepWords, column: usize, j: usize) -> usize {
    if matches!(step.op, OP_SPLIT | OP_MERGE) && paired(step) {
        return paired_at(step, column, j);
    }
    if step.op != OP_DFT {
        return match (j, column) {
            (0, _) => column,
            (_, 0) => step.points as usize / 2,
            _ => step.points as usize - column,
        };
    }
    to_point(step, column, j)
}

/// Which point of the axis value j of a DFT's column becomes.
fn to_point(step: &StepWords, column: usize, j: usize) -> usize {
    let (done, radix) = (step.done as usize, step.radix as usize);
    let (column, j) = match step.engine {
        ENGINE_DENSE => {
            let stride = step.points as usize / radix;
            let k = column / stride * step.copies as usize + j / 2;
            let k = if j.is_multiple_of(2) || k == 0 {
                k
            } else {
                radix - k
            };
            (column % stride, k)
        }
        _ => (column, j),
    };
    step.offset as usize + column % done + done * (radix * (column / done) + j)
}
