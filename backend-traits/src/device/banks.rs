//! Where an exchange puts the points of a tile: shared memory has banks that 128 bytes fill, and
//! lanes that meet in one bank wait for each other. Of a few layouts the one is taken that has
//! the fewest such waits, counted over the accesses of some waves.

use super::accesses::{accesses, Access, Block};
use super::config::*;
use super::real::Side;

/// Bytes that shared memory moves at a time.
pub const WAVEFRONT: usize = 128;
/// Reals of the smallest cells, of half a point of FP32, that shared memory moves at a time.
const MOST_LANES: usize = WAVEFRONT / 2;
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

/// The cells that a group of lanes takes of each bank.
type Taken = [[usize; MOST_LANES]; MOST_LANES];

fn no_cells() -> Box<Taken> {
    Box::new([[0; MOST_LANES]; MOST_LANES])
}

/// What a step moves, as groups of lanes that shared memory serves at a time: as fast to count as lists are long.
struct Groups {
    /// Of each lane that takes part: the line, and the place in it.
    places: Vec<(usize, usize)>,
    /// Where each group ends.
    ends: Vec<usize>,
    /// Places of a cell: reals have two.
    each: usize,
    /// Lanes of a group, and banks.
    lanes: usize,
}

impl Groups {
    /// Of these accesses to points, or to `reals`, of which two are a cell.
    fn new(accesses: &[Access], cell: usize, reals: bool) -> Self {
        let each = if reals { 2 } else { 1 };
        let lanes = WAVEFRONT * each / cell;
        let (mut places, mut ends) = (Vec::new(), Vec::new());
        for group in accesses.iter().flat_map(|access| access.chunks(lanes)) {
            let before = places.len();
            places.extend(group.iter().flatten());
            if places.len() > before {
                ends.push(places.len());
            }
        }
        Groups {
            places,
            ends,
            each,
            lanes,
        }
    }

    /// Wavefronts over the fewest possible; infinite where these are `most` at least. `taken` is room for the cells that a
    /// group takes of each bank, no more than it has lanes.
    fn conflicts(&self, layout: CellLayout, most: f64, taken: &mut Taken) -> f64 {
        // Rows are powers of two; those that there are not begin beyond all places.
        let shift = |row: usize| row.checked_ilog2().unwrap_or(usize::BITS - 1);
        let (row, far) = (shift(layout.row), shift(layout.far));
        let half = self.each.ilog2();
        let least = self.ends.len().max(1) as f64;
        let enough = most * least;
        let mut wavefronts = 0usize;
        let mut begin = 0;
        for &end in &self.ends {
            let mut counts = [0u8; MOST_LANES];
            let mut longest = 0;
            for &(line, place) in &self.places[begin..end] {
                let at = place >> half;
                let padded = at + (at >> row) + (at >> far);
                let cell = ((line * layout.pitch + padded) << half) + (place & (self.each - 1));
                let bank = cell & (self.lanes - 1);
                let (bank, count) = (&mut taken[bank], &mut counts[bank]);
                if !bank[..usize::from(*count)].contains(&cell) {
                    bank[usize::from(*count)] = cell;
                    *count += 1;
                    longest = longest.max(*count);
                }
            }
            wavefronts += usize::from(longest);
            if wavefronts as f64 >= enough {
                return f64::INFINITY;
            }
            begin = end;
        }
        wavefronts as f64 / least
    }
}

/// What the step stores, or loads.
fn moved(step: &StepWords, after: bool, block: &Block) -> Groups {
    let reals = block.reals_of(step, after).is_some();
    Groups::new(&accesses(step, after, block), block.cell, reals)
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
/// `points` of a line at most. `asks` is what it costs beside a wavefront where a copy is `scattered`. And what the layout
/// costs, in wavefronts beside the least of each access.
pub fn layout(
    exchanges: &[(&StepWords, &StepWords)],
    points: usize,
    block: &Block,
    asks: f64,
) -> (f64, CellLayout) {
    let banks = WAVEFRONT / block.cell;
    let sides: Vec<(&StepWords, bool, Groups)> = exchanges
        .iter()
        .flat_map(|&(before, after)| [(before, true), (after, false)])
        .map(|(step, after)| (step, after, moved(step, after, block)))
        .collect();
    let mut taken = no_cells();
    let mut best = (f64::INFINITY, CellLayout::default());
    // Reals of a line by real columns, an odd number, are from both of its ends: at constant distances if all are.
    let folded = |(step, after, _): &(&StepWords, bool, Groups)| {
        step.folded != 0 && block.reals_of(step, *after).is_some()
    };
    let rows: &[usize] = match sides.iter().any(folded) {
        true => &[0],
        false => &[0, banks, banks / 2, 2 * banks, 4 * banks],
    };
    let products = sides
        .iter()
        .any(|(step, _, _)| step.engine == ENGINE_MATRIX);
    let distant = [0, 8 * banks, 16 * banks]
        .into_iter()
        .filter(|&far| far == 0 || (products && far < points));
    let every = distant.flat_map(|far| rows.iter().map(move |&row| (row, far)));
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
            let copies = sides
                .iter()
                .filter(|(step, _, _)| scattered(step, layout, block));
            let mut cost = addresses + asks * copies.count() as f64;
            for (_, _, groups) in &sides {
                // What costs more is not counted to the end.
                if cost >= best.0 - 1e-9 {
                    break;
                }
                cost += groups.conflicts(layout, best.0 - cost + 1.0, &mut taken) - 1.0;
            }
            if cost < best.0 - 1e-9 {
                best = (cost, layout);
            }
            if best.0 <= 1e-9 {
                return best;
            }
        }
    }
    best
}

/// Wavefronts that an exchange takes, over the fewest possible: of what the step before it stores, of what the step after it loads.
pub fn wavefronts(before: &StepWords, after: &StepWords, block: &Block) -> [f64; 2] {
    let of = |step: &StepWords, after, pitch: i64, row: i64| {
        let layout = CellLayout {
            pitch: pitch as usize,
            row: (row & 0xffff_ffff) as usize,
            far: (row >> 32) as usize,
        };
        moved(step, after, block).conflicts(layout, f64::INFINITY, &mut no_cells())
    };
    [
        of(before, true, before.pitch_out, before.row_out),
        of(after, false, after.pitch_in, after.row_in),
    ]
}

/// Says where shared memory has the reals before a step, or after it: as arrays in C order, or, of two axes, with so many from
/// the begin of a `row` of the inner one to that of the next.
pub fn place_reals(step: &mut StepWords, after: bool, block: &Block, row: Option<usize>) {
    let beside = match step.folded {
        FOLDED_COLUMNS => step.beside,
        _ => 1,
    };
    let inner = step.inner / beside.max(1);
    let Some(Side { length, .. }) = block.reals_of(step, after) else {
        return;
    };
    let (length, row) = (length as i64, row.map(|row| row as i64));
    let (around, stride) = match row {
        Some(row) if step.axis == 1 => (row, 1),
        Some(row) => (length * row, row),
        None => (length * inner, inner),
    };
    match after {
        true => (step.around_out, step.stride_out) = (around, stride),
        false => (step.around_in, step.stride_in) = (around, stride),
    }
}

/// The layout of reals between the two axes of a tile, of which one goes by real columns: those are an odd number, and from
/// row to row in the next bank, which steps that store a few of each row find occupied: an H100 counted 44 million conflicts
/// for 1 GiB of 63x63 reals of FP32, a third of its accesses. Cells between rows, not within them, leave distances constant.
/// In no more than `most` cells of a line, which other exchanges take.
fn layout_of_rows(
    before: &mut StepWords,
    after: &mut StepWords,
    block: &Block,
    most: usize,
) -> Option<CellLayout> {
    let folded = before.folded != 0 || after.folded != 0;
    let sides = [block.reals_of(before, true), block.reals_of(after, false)];
    let [Some(first), Some(second)] = sides else {
        return None;
    };
    if block.axes != 2 || !folded || before.axis == after.axis {
        return None;
    }
    let (row, rows) = match before.axis {
        1 => (first.length, second.length),
        _ => (second.length, first.length),
    };
    let banks = WAVEFRONT / block.cell * 2;
    let mut best: Option<(f64, usize, usize)> = None;
    for row in row..row + banks {
        let (mut from, mut to) = (*before, *after);
        place_reals(&mut from, true, block, Some(row));
        place_reals(&mut to, false, block, Some(row));
        let cells = (row * rows).div_ceil(2);
        if best.is_some() && cells > most {
            break;
        }
        // An array's accesses are those of many waves, whatever is beside it.
        let alone = Block { lines: 1, ..*block };
        let (cost, _) = layout(&[(&from, &to)], cells, &alone, 0.0);
        if best.is_none_or(|(least, ..)| cost < least - 1e-9) {
            best = Some((cost, row, cells));
        }
    }
    let (_, row, cells) = best?;
    place_reals(before, true, block, Some(row));
    place_reals(after, false, block, Some(row));
    Some(layout(&[(before, after)], cells, block, 0.0).1)
}

/// Chooses the layout of every exchange; returns the bytes of shared memory that they take.
/// `points[i]` of a line lie there between steps i and i + 1.
pub fn place(steps: &mut [StepWords], points: &[usize], block: &Block) -> usize {
    let exchanges = steps.len() - 1;
    // Rader's point 0 stays where it is while the others are convolved.
    let together = steps.iter().any(|step| step.offset > 0);
    let exchanged = |step: &StepWords| step.target != PLACE_REGISTERS;
    let most = points.iter().max().copied().unwrap_or(0);
    let layouts: Vec<CellLayout> = match together {
        true => {
            let all: Vec<_> = steps
                .iter()
                .zip(&steps[1..])
                .filter(|(s, _)| exchanged(s))
                .collect();
            vec![layout(&all, most, block, ASKS).1; exchanges]
        }
        false => (0..exchanges)
            .map(|i| {
                let (before, after) = steps.split_at_mut(i + 1);
                let (before, after) = (&mut before[i], &mut after[0]);
                match exchanged(before) {
                    true => layout_of_rows(before, after, block, most)
                        .unwrap_or_else(|| layout(&[(before, after)], points[i], block, 0.0).1),
                    false => CellLayout::default(),
                }
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
