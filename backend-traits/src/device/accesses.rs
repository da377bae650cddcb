//! Which points the lanes of a wave touch at a time, before a step and after it: the kernel's own index arithmetic, on the
//! host.

use super::config::*;
use super::matrices;
use super::real::Side;
use crate::geometry::Vendor;
use crate::precision::Operand;
use crate::real_line::RealLine;

/// Waves whose accesses are counted.
const SAMPLES: usize = 4;
/// What the lanes of one wave touch at a time: line and point of the line, or nothing.
pub type Access = Vec<Option<(usize, usize)>>;

/// The block that exchanges.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub lines: usize,
    /// Blocks that hold the tile together.
    pub blocks: usize,
    pub threads: usize,
    pub wave: usize,
    /// Bytes of a cell: a point, or its real or imaginary part.
    pub cell: usize,
    /// Bytes of shared memory that a block may have.
    pub shared: usize,
    pub vendor: Vendor,
    pub operand: Operand,
    /// Axes of the tile.
    pub axes: usize,
    /// The sides of axes that steps name, [`super::real::side`] of 1 and so on.
    pub reals: [Option<Side>; 2 + MAX_BETWEEN],
}

impl Block {
    /// Of which reals points are made that shared memory has before the step, or what they become after it.
    pub fn reals_of(&self, step: &StepWords, after: bool) -> Option<Side> {
        let number = if after { step.reals_out } else { step.reals_in };
        *self.reals.get(usize::try_from(number - 1).ok()?)?
    }
}

/// The accesses of some waves before the step or after it; where shared memory has reals there, one for each real of a point.
pub fn accesses(step: &StepWords, after: bool, block: &Block) -> Vec<Access> {
    let reals = block.reals_of(step, after);
    let parts = if reals.is_some() { 2 } else { 1 };
    let words = |x: i64| x as usize;
    let (inner, outer) = (words(step.inner), words(step.outer));
    let (columns, extent) = (
        words(step.columns),
        words(if after { step.output } else { step.input }),
    );
    // Of two points of the other part that mirror each other a column has both; the first one's are looked at.
    let counted = match step.images > 0 && step.facing != 0 {
        true => inner / 2,
        false => inner,
    };
    let total = block.lines * columns * counted * outer;
    let joined = words(step.joined);
    let matrix = step.engine == MATRIX || joined > 0;
    let mut held = matrices::wave(words(step.rank), block.vendor, block.operand);
    // What a thread has of each number: columns that products join, or points of theirs that are columns now.
    let own = match step.engine {
        _ if joined == 0 => 1,
        MATRIX => joined,
        _ => held.values,
    };
    if joined > 0 {
        held.columns /= held.rows;
        held.rows = 1;
    }
    let points = match step.op {
        OP_DFT if step.engine == MATRIX => held.values,
        OP_DFT if step.engine == DENSE && after => 2 * words(step.copies),
        OP_DFT => words(step.radix),
        OP_COPY => 1,
        _ => 2,
    };
    let neighbours = words(step.neighbours).max(1);
    let per_wave = neighbours
        * match matrix {
            true => held.columns * words(step.copies) / held.rows,
            false => block.wave,
        };
    let dense = step.engine == DENSE;
    let sets = match dense {
        true => columns * words(step.radix) / words(step.points),
        false => 1,
    };
    // The columns of a dense step's thread are of one set of outputs (`Pass::number`).
    let each = block.threads / sets;
    let waves = match dense {
        true => block.threads.min(total).div_ceil(per_wave),
        false => total.div_ceil(per_wave),
    };
    let mut sampled: Vec<usize> = (0..SAMPLES).map(|i| i * (waves - 1) / SAMPLES).collect();
    sampled.push(waves - 1);
    sampled.dedup();
    let mut all = Vec::with_capacity(sampled.len() * points);
    for wave in sampled {
        let groups = (0..neighbours).flat_map(|i| (0..own).map(move |own| (i, own)));
        let values = groups.flat_map(|g| (0..points).map(move |j| (g, j)));
        for (((i, own), j), part) in values.flat_map(|v| (0..parts).map(move |part| (v, part))) {
            let access = (0..block.wave).map(|lane| {
                let (number, own, j) = match matrix {
                    true if step.engine == MATRIX => {
                        let (number, j) = matrix_place(step, block, lane, j);
                        (number, own, j)
                    }
                    true => {
                        let (number, own) = matrix_place(step, block, lane, own);
                        (number, own, j)
                    }
                    false => (lane, own, j),
                };
                let number = wave * per_wave + number * neighbours + i;
                if number >= total || (matrix && j >= words(step.radix)) {
                    return None;
                }
                let (mut rest, set) = match dense {
                    true => (number % each, number / each),
                    false => (number, 0),
                };
                if set >= sets || rest >= total / sets {
                    return None;
                }
                let columns = columns / sets;
                let (mut line, mut in_run) = (0, 0);
                let run = words(step.lines_fast).max(1);
                if step.lines_fast != 0 {
                    (in_run, rest) = (rest % run, rest / run);
                    (line, rest) = (rest % block.lines, rest / block.lines);
                }
                if step.target == CLUSTER {
                    // Columns first. To whichever block, and there in rows of its share.
                    let (column, mut other) = (rest % columns + set * columns, rest / columns);
                    if step.lines_fast == 0 {
                        let all = counted * outer;
                        (line, other) = (other / all, other % all);
                    }
                    let column = joined_column(step, column, own);
                    let width = extent / block.blocks;
                    let cell = match after {
                        true => other * width + in_share(step, to_at(step, column, j), width),
                        false => {
                            let at = from_at(step, column, j);
                            (other / inner * extent + at) * inner + other % inner
                        }
                    };
                    return Some((line, cell));
                }
                let mut outer_at = 0;
                if step.outer_fast != 0 {
                    outer_at = rest % outer;
                    rest /= outer;
                }
                let inner_at = rest % counted;
                rest /= counted;
                let column = rest % (columns / run) * run + in_run + set * columns;
                let column = joined_column(step, column, own);
                rest /= columns / run;
                if step.outer_fast == 0 {
                    outer_at = rest % outer;
                    rest /= outer;
                }
                if step.lines_fast == 0 {
                    line = rest;
                }
                let at = match after {
                    true => to_at(step, column, j),
                    false => from_at(step, column, j),
                };
                if at >= extent {
                    return None;
                }
                let Some(of) = reals else {
                    return Some((line, (outer_at * extent + at) * inner + inner_at));
                };
                // Columns, or rows, that lie beside each other are of one line.
                let by_columns = |whole: RealLine, other: usize| {
                    let p = other + (2 * at + part) * words(step.reals_apart);
                    match after {
                        true => whole.stored(p)[0],
                        false => whole.load().reals(whole.length, p)[0],
                    }
                };
                let beside = words(step.beside).max(1);
                let within = inner / beside;
                let (real, outer_at, inner_at) = match (of.columns, step.folded) {
                    (Some(whole), FOLDED_COLUMNS) => (
                        by_columns(whole, inner_at / within),
                        outer_at,
                        inner_at % within,
                    ),
                    // Rows.
                    (Some(whole), _) => (
                        by_columns(whole, outer_at % beside),
                        outer_at / beside,
                        inner_at,
                    ),
                    (None, _) => (of.side.reals(of.length, at)[part], outer_at, inner_at),
                };
                let [around, stride] = match after {
                    true => [step.around_out, step.stride_out],
                    false => [step.around_in, step.stride_in],
                };
                Some((
                    line,
                    outer_at * words(around) + real?.0 * words(stride) + inner_at,
                ))
            });
            all.push(access.collect());
        }
    }
    all
}

/// Column and point of a lane of a matrix step (`matrix_column`, `matrix_point` of matrix.hpp),
/// for the first of a lane's rows.
fn matrix_place(step: &StepWords, block: &Block, lane: usize, j: usize) -> (usize, usize) {
    let copies = step.copies as usize;
    let points = step.rank as usize / copies;
    let rank = step.rank as usize;
    let (column, t) = match block.vendor {
        Vendor::Nvidia => (lane / 4, lane % 4),
        Vendor::Amd if matrices::small(rank, block.vendor) => (lane, 0),
        Vendor::Amd => (lane % 16, lane / 16),
    };
    let point = |j| matrices::point(rank, block.vendor, t, j);
    (column * copies + point(0) / points, point(j) % points)
}

/// Where a point lies in the share of the block that it goes to, of so many.
fn in_share(step: &StepWords, at: usize, width: usize) -> usize {
    let all = step.output as usize;
    match step.images_out as usize {
        0 => at % width,
        _ if 2 * at < all => at % (width / 2),
        sum => width / 2 + (sum - at) % (all / 2) % (width / 2),
    }
}

/// `joined_column` of pass.hpp.
fn joined_column(step: &StepWords, column: usize, own: usize) -> usize {
    match (step.joined as usize, step.engine) {
        (0, _) => column,
        (_, MATRIX) => column + own * step.columns as usize,
        (joined, _) => {
            let before = step.done as usize / joined;
            column % before + before * (joined * (column / before) + own)
        }
    }
}

fn from_at(step: &StepWords, column: usize, j: usize) -> usize {
    let points = step.points as usize;
    let at = match step.op {
        OP_DFT => {
            let stride = points / step.radix as usize;
            let column = if step.engine == DENSE {
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

fn to_at(step: &StepWords, column: usize, j: usize) -> usize {
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
        DENSE => {
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
