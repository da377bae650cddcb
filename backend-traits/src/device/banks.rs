//! Where an exchange puts the points of a tile: shared memory has banks that 128 bytes fill, and
//! lanes that meet in one bank wait for each other. Of a few layouts the one is taken that has
//! the fewest such waits, counted over the accesses of some waves.

use super::config::*;
use super::driver::Vendor;
use super::matrices;
use crate::precision::Operand;

/// Bytes that shared memory moves at a time.
pub const WAVEFRONT: usize = 128;
/// Waves whose accesses are counted.
const SAMPLES: usize = 4;
/// What it costs beside a wavefront when distances within a column are no constants, as each
/// access then computes its address.
const ADDRESS: f64 = 0.5;

/// What it costs beside a wavefront when a copy has to work out which line a point is of: 251 points of FP64 ran at
/// 0.93 of a copy on an H100 by four lines as they lie in memory, and at 0.87 by a layout of fewer conflicts. Of
/// Rader's; others were tuned without. (Which points its first and last DFT take is not looked at here.)
const ASKS: f64 = 4.0;

/// A layout in shared memory: cells from line to line, and points between two unused cells of
/// a line, or 0 where there are none; twice, as a wave of the matrix engine has both neighbouring columns
/// and distant points of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellLayout {
    pub pitch: usize,
    pub row: usize,
    pub far: usize,
}

impl CellLayout {
    fn padded(self, at: usize) -> usize {
        let rows = |row| at.checked_div(row).unwrap_or(0);
        at + rows(self.row) + rows(self.far)
    }

    /// `row_in` and `row_out` of a step.
    fn row_word(self) -> i64 {
        (self.row | self.far << 32) as i64
    }
}

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
}

/// What the lanes of one wave touch at a time: line and point of the line, or nothing.
type Access = Vec<Option<(usize, usize)>>;

/// The accesses of some waves before the step or after it.
fn accesses(step: &StepWords, after: bool, block: &Block) -> Vec<Access> {
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
        for ((i, own), j) in groups.flat_map(|g| (0..points).map(move |j| (g, j))) {
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
                (at < extent).then_some((line, (outer_at * extent + at) * inner + inner_at))
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
        length if length > 0 && 2 * at > length => length - at,
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
    match to_point(step, column, j) {
        at if step.ordered != EVEN_ODD => at,
        // Of two reals, of which the first counts.
        at if 2 * at < step.output as usize => 2 * at,
        at => 2 * (step.output as usize - 1 - at),
    }
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

/// Wavefronts of these accesses over the fewest possible.
fn conflicts(accesses: &[Access], layout: CellLayout, cell: usize) -> f64 {
    let lanes = WAVEFRONT / cell;
    let (mut wavefronts, mut least) = (0, 0);
    let mut seen: Vec<Vec<usize>> = vec![Vec::new(); lanes];
    for access in accesses {
        for group in access.chunks(lanes) {
            seen.iter_mut().for_each(Vec::clear);
            for (line, at) in group.iter().flatten() {
                let cell = line * layout.pitch + layout.padded(*at);
                let bank = &mut seen[cell % lanes];
                if !bank.contains(&cell) {
                    bank.push(cell);
                }
            }
            let most = seen.iter().map(Vec::len).max().unwrap_or(0);
            wavefronts += most;
            least += most.min(1);
        }
    }
    f64::from(wavefronts as u32) / f64::from(least.max(1) as u32)
}

/// Whether distances between the points of a column are constants (`separable` of tile.hpp).
fn separable(step: &StepWords, after: bool, row: usize) -> bool {
    let (inner, radix) = (step.inner as usize, step.radix as usize);
    if step.op != OP_DFT || step.engine != 0 || row == 0 {
        return true;
    }
    if !after {
        return (step.points as usize / radix * inner).is_multiple_of(row);
    }
    let stride = step.done as usize * inner;
    let block = stride * radix;
    let blocks = step.offset == 0
        && (step.outer == 1 || (step.output as usize * inner).is_multiple_of(block));
    stride.is_multiple_of(row)
        || (blocks
            && row.is_multiple_of(stride)
            && (block.is_multiple_of(row) || row.is_multiple_of(block)))
}

/// Whether a copy of lines in a row has to work out which line a point is of.
fn scattered(step: &StepWords, layout: CellLayout, block: &Block) -> bool {
    let as_in_memory = (layout.row, layout.far, layout.pitch) == (0, 0, step.columns as usize);
    step.in_row != 0 && block.lines > 1 && !as_in_memory
}

/// The layout for exchanges between these steps, each pair the step before and the one after;
/// `points` of a line at most. `asks` is what it costs beside a wavefront where a copy is `scattered`.
pub fn layout(
    exchanges: &[(&StepWords, &StepWords)],
    points: usize,
    block: &Block,
    asks: f64,
) -> CellLayout {
    let banks = WAVEFRONT / block.cell;
    let sides: Vec<(&StepWords, bool, Vec<Access>)> = exchanges
        .iter()
        .flat_map(|&(before, after)| [(before, true), (after, false)])
        .map(|(step, after)| (step, after, accesses(step, after, block)))
        .collect();
    let mut best = (f64::INFINITY, CellLayout::default());
    let rows = [0, banks, banks / 2, 2 * banks, 4 * banks];
    let products = sides.iter().any(|(step, _, _)| step.engine == MATRIX);
    let distant = [0, 8 * banks, 16 * banks]
        .into_iter()
        .filter(|&far| far == 0 || (products && far < points));
    let every = distant.flat_map(|far| rows.map(|row| (row, far)));
    for (row, far) in every {
        let addresses: f64 = sides
            .iter()
            .map(|(step, after, _)| {
                if separable(step, *after, row) && separable(step, *after, far) {
                    0.0
                } else {
                    ADDRESS
                }
            })
            .sum();
        let whole = CellLayout { pitch: 0, row, far };
        let end = whole.padded(points.saturating_sub(1)) + 1;
        let pitches = if block.lines > 1 { banks } else { 1 };
        for extra in 0..pitches {
            let layout = CellLayout {
                pitch: end + extra,
                ..whole
            };
            let fits = layout.pitch * block.lines * block.cell <= block.shared;
            // The first is the smallest there is.
            if !fits && best.0.is_finite() {
                continue;
            }
            let waits: f64 = sides
                .iter()
                .map(|(_, _, list)| conflicts(list, layout, block.cell) - 1.0)
                .sum();
            let copies = sides
                .iter()
                .filter(|(step, _, _)| scattered(step, layout, block));
            let cost = waits + addresses + asks * copies.count() as f64;
            if cost < best.0 - 1e-9 {
                best = (cost, layout);
            }
            if best.0 <= 1e-9 {
                return best.1;
            }
        }
    }
    best.1
}

/// Chooses the layout of every exchange; returns the bytes of shared memory that they take.
/// `points[i]` of a line lie there between steps i and i + 1.
pub fn place(steps: &mut [StepWords], points: &[usize], block: &Block) -> usize {
    let exchanges = steps.len() - 1;
    // Rader's point 0 stays where it is while the others are convolved.
    let together = steps.iter().any(|step| step.offset > 0);
    let exchanged = |step: &StepWords| step.target != REGISTERS;
    let layouts: Vec<CellLayout> = match together {
        true => {
            let all: Vec<_> = steps
                .iter()
                .zip(&steps[1..])
                .filter(|(s, _)| exchanged(s))
                .collect();
            let most = points.iter().max().copied().unwrap_or(0);
            vec![layout(&all, most, block, ASKS); exchanges]
        }
        false => (0..exchanges)
            .map(|i| match exchanged(&steps[i]) {
                true => layout(&[(&steps[i], &steps[i + 1])], points[i], block, 0.0),
                false => CellLayout::default(),
            })
            .collect(),
    };
    let mut cells = 0;
    for (i, layout) in layouts.into_iter().enumerate() {
        (steps[i].pitch_out, steps[i].row_out) = (layout.pitch as i64, layout.row_word());
        (steps[i + 1].pitch_in, steps[i + 1].row_in) = (layout.pitch as i64, layout.row_word());
        cells = cells.max(layout.pitch * block.lines);
    }
    cells * block.cell
}
