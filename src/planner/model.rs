//! What a pass takes by some tile, of the time of a copy: what its steps issue, half spectra that meet, copies, stores that are
//! scattered, idle lanes, the blocks that registers leave, and rows in memory that are short. The numbers were fitted to 4600 timings of
//! lines that nobody had tuned, on an H100 (docs/lab/2026-11-27-lengths.md, "Passes without a rule"). What butterflies compute turned out not to
//! count beside what they load and store. Of arrays the same numbers choose as well as others fitted to 3087 timings of such, and of
//! lines whose points are apart as well as others fitted to 1981; where half spectra of reals meet in registers, and how stores are
//! scattered, made no difference there.

use super::counts::{Array, Counts};
use super::rule_keys::access;
use super::work::{Tile, Tried, SPARED};
use mmafft_backend_traits::real::{Middle, Order, Pairing, RealSide};
use mmafft_backend_traits::{radix, End, Pass, ScalarType, Step, TileAxis, TripCount, TripWork};

/// Of a value of a step, and of its column.
const VALUE: f64 = 4.9;
const COLUMN: f64 = 9.0;
/// Beside that, of a value whose half spectrum meets in registers, or whose reals lie beside those that it faces: of FP32, and of FP64.
const MEETS: [f64; 2] = [7.8, 14.2];
const FACES: [f64; 2] = [1.1, 8.8];
/// Of the same where a wave has the column that faces itself too.
const DIVERGES: f64 = 3.7;
/// Of two points of a half spectrum that meet over shared memory, a point that is copied, and one whose reals are far apart.
const PAIR: f64 = 25.5;
const COPY: f64 = 7.8;
const APART: f64 = 5.8;
/// Waves of a multiprocessor that hide what one waits for, and what fewer cost.
const WAVES: f64 = 30.8;
const WAITS: f64 = 0.425;
/// Blocks that a multiprocessor can have.
const BLOCKS: usize = 32;
/// What it costs that a block is alone, of columns of FP64 more (both passes of 511x511 DST-I of FP64 ran at 0.31 of a copy by 32 lines
/// of a block alone, at 0.45 by 8), each of its threads, and registers that it does not have, of those that it needs.
const ALONE: f64 = 0.28;
const ALONE_DOUBLE_COLUMNS: f64 = 0.8;
const THREAD: f64 = 0.0015;
const SPILLED: f64 = 1.6;
/// What all that is of the time in which two reals are copied, and what the pieces of 128 bytes are, to the power of 3/2, of which
/// stores have a point; in FP64 a copy takes longer, and columns gain less by that.
const UNIT: f64 = 0.0152;
const SCATTERED: f64 = 2.07;
const DOUBLE: f64 = 0.584;
const DOUBLE_COLUMNS: f64 = 0.8;
/// Bytes of a piece of memory that a cache has or does not have.
const PIECE: usize = 128;
/// What memory takes of each piece of 128 bytes that rows of a tile touch beside those that they fill, of what it takes of one.
const TOUCHED: f64 = 0.1;
/// In which power what memory does and what the multiprocessor does add up.
const POWER: f64 = 3.2;

/// Whether the numbers are of such passes: lines, contiguous ones or columns, or arrays of contiguous ones, whole and nothing else,
/// no convolutions and sums of long primes; type I of columns alone, and of arrays whose lines are a thread's.
pub fn knows(pass: &Pass) -> bool {
    let plain = pass.load.plain() && pass.store.plain();
    let symmetric = pass.axes.iter().any(|axis| axis.kind.is_symmetric());
    let in_threads = |axis: &TileAxis| !axis.kind.is_symmetric() || pass.in_thread(axis);
    let several = pass.axes.len() > 1 && pass.axes.iter().all(in_threads);
    let there = match access(pass) {
        "rows" => !symmetric || several,
        "columns" => pass.axes.len() == 1,
        _ => false,
    };
    // Sums over shared memory have other columns than butterflies; in FP64 arrays lowering takes them for all long primes.
    let places = pass.math.storage == ScalarType::F64 && pass.axes.len() > 1;
    let held = |s: &Step| match s {
        Step::Dft { radix, axis, .. } => {
            let alone = |a: &TileAxis| a.axis == *axis && pass.in_thread(a);
            !radix::summed(*radix, places) || pass.axes.iter().any(alone)
        }
        Step::Twiddle { .. } | Step::Exchange | Step::RealColumns { .. } => true,
        _ => false,
    };
    let whole = pass.axes.iter().all(TileAxis::is_whole);
    plain && whole && pass.steps.iter().all(held) && there
}

/// How many blocks with such a tile a multiprocessor can have, of as many as are `asked` for at most, where these of its columns
/// face each other, and what the pass takes then.
pub fn time(
    pass: &Pass,
    counts: &Counts,
    tile: &Tile,
    facing: [bool; 2],
    tried: &Tried,
    asked: usize,
) -> Option<(usize, f64)> {
    let array = counts.array(tile, facing)?;
    let threads = tile.threads;
    let registers = array.registers();
    let room = (tried.chip_bytes / (tile.bytes + (1 << 10))).min(2048 / threads);
    let room = room.min(BLOCKS);
    let blocks = |registers: usize| 65536 / (threads * registers.clamp(1, 255));
    let pair = blocks(registers - SPARED).min(2);
    let residents = blocks(registers).max(pair).max(1).min(room).min(asked);
    if residents == 0 {
        return None;
    }
    let there = 65536 / (threads * residents) / 8 * 8;
    let spilled = registers.saturating_sub(there) as f64 / registers as f64;
    let waves = (residents * threads / 32) as f64;
    let waits = 1.0 + WAITS * (WAVES / waves - 1.0).max(0.0);
    let alone = match (residents, array.contiguous || !array.double) {
        (1, true) => ALONE,
        (1, false) => ALONE_DOUBLE_COLUMNS,
        _ => 0.0,
    };
    let chip = waits * (1.0 + alone) * (1.0 + THREAD * threads as f64) * (1.0 + SPILLED * spilled);
    let points = tile.lines as f64 * array.points;
    let issues = UNIT * array.work() * tile.filled / points * chip;
    let all = issues + SCATTERED * array.pieces().powf(1.5);
    let (memory, double) = match array.contiguous {
        true => (1.0, DOUBLE),
        false => (1.0 + TOUCHED * touched(pass, tile.lines), DOUBLE_COLUMNS),
    };
    let all = if array.double { double * all } else { all };
    let both = memory.powf(POWER) + all.powf(POWER);
    Some((residents, both.powf(1.0 / POWER)))
}

/// How many more pieces of memory the rows of a tile of columns touch than they fill, of so many lines beside each other, on average
/// of where rows begin; of those that they fill.
fn touched(pass: &Pass, tile: usize) -> f64 {
    let scalar = pass.math.storage.bytes();
    let of_side = |end: End| {
        let strides = pass.axes.iter().map(|a| a.map(end).stride);
        let mut lines = pass.loops.iter().rev().map(|l| l.map(end).stride);
        let beside = lines.next().unwrap_or(1);
        let bytes = |stride: usize| stride.saturating_mul(scalar);
        let row = tile.saturating_mul(bytes(beside)).max(1);
        // Rows begin at multiples of the power of two that all of these are multiples of.
        let begin = strides.chain(lines).map(bytes);
        let begin = begin.fold(row | PIECE, |all, bytes| all | bytes);
        (PIECE - (1 << begin.trailing_zeros())) as f64 / row as f64
    };
    (of_side(End::Load) + of_side(End::Store)) / 2.0
}

impl Array<'_> {
    /// What the threads of a tile issue.
    fn work(&self) -> f64 {
        let last = self.steps().count().saturating_sub(1);
        let steps = self.steps().enumerate().map(|(i, trip)| {
            let columns = self.columns(trip) as f64;
            let value = VALUE + self.beside(trip, [i == 0, i == last]);
            columns * (values(trip) as f64 * value + COLUMN)
        });
        let pairs: usize = self.pairs().map(|trip| self.columns(trip)).sum();
        let copied: usize = self.copies().map(|trip| self.columns(trip)).sum();
        let all = steps.sum::<f64>() + pairs as f64 * PAIR + copied as f64 * COPY;
        all * self.tile.threads as f64
    }

    /// What a value of a line's step takes beside what others do, which is at such ends: the load's, the store's.
    fn beside(&self, trip: &TripCount, ends: [bool; 2]) -> f64 {
        let Some(line) = &self.line else {
            return 0.0;
        };
        let sides = [&line.reduction.load, &line.reduction.store];
        let of_end = |end: usize| match (line.facing[end], line.meets(end)) {
            (true, meets) => {
                let each = if meets { MEETS } else { FACES };
                let itself = (32.0 / (line.core / values(trip) / 2) as f64).min(1.0);
                each[usize::from(self.double)] + DIVERGES * itself
            }
            (false, _) if are_apart(sides[end]) => APART,
            _ => 0.0,
        };
        (0..2).filter(|&end| ends[end]).map(of_end).sum()
    }

    /// Registers of a thread, as NVRTC's kernels have them.
    fn registers(&self) -> usize {
        let held = self.steps().map(|trip| {
            // Reals take half of the registers.
            let each = if matches!(trip.work, TripWork::Line(_)) {
                2
            } else {
                1
            };
            self.columns(trip) * values(trip).div_ceil(each)
        });
        let pairs = self.pairs().map(|trip| self.columns(trip));
        let copies = self.copies().map(|trip| self.columns(trip));
        let [of_values, of_pairs, copied] = match self.double {
            true => [(44.0, 4.6), (4.0, 21.0), (44.0, 4.0)],
            false => [(36.0, 2.6), (8.0, 11.0), (36.0, 2.2)],
        };
        let of = |(beside, each): (f64, f64), n: usize| beside + each * n as f64;
        let most = of(of_values, held.max().unwrap_or(0));
        let most = most.max(of(of_pairs, pairs.max().unwrap_or(0)));
        let most = most.max(of(copied, copies.max().unwrap_or(0)));
        (most as usize).next_multiple_of(8)
    }

    /// Pieces of 128 bytes in memory that a wave's stores of a line touch, for each point.
    fn pieces(&self) -> f64 {
        let Some(line) = &self.line else {
            return 0.0;
        };
        let store = &line.reduction.store;
        let facing = line.facing[1];
        let columns = line.core / line.last / if facing { 2 } else { 1 };
        // Columns whose reals lanes store beside each other; how far these are from each other and how wide; how often a point.
        let (columns, [apart, wide], times) = match (line.reduction.middle, line.real) {
            (Middle::Split, real) => {
                let columns = if facing {
                    columns
                } else {
                    line.core.div_ceil(2)
                };
                (
                    columns,
                    if real { [1, 1] } else { [2, 2] },
                    if real { 2.0 } else { 1.0 },
                )
            }
            _ if self.stores_by_copy() => (32, [2, 2], 1.0),
            (_, false) => (columns, [2, 2], 1.0),
            _ if facing && are_apart(store) => (columns, [2, 2], 1.0),
            _ if facing => (columns, [4, 4], 0.5),
            _ if are_apart(store) => (columns, [2, 1], 2.0),
            _ if store.order == Order::EvenOdd => (columns, [4, 1], 2.0),
            _ if store.pairing == Pairing::Pairs => (columns, [2, 2], 1.0),
            _ => (columns, [1, 1], 2.0),
        };
        let columns = columns.clamp(1, 32);
        let scalar = if self.double { 8 } else { 4 };
        let run = ((columns - 1) * apart + wide) * scalar;
        times * (run as f64 / 128.0 + 1.0) / columns as f64
    }
}

/// The values of a column of a step.
fn values(trip: &TripCount) -> usize {
    trip.values / if trip.facing { 2 } else { 1 }
}

/// Whether the two reals of a point are at both ends of a line, or anywhere.
fn are_apart(side: &RealSide) -> bool {
    side.pairing == Pairing::Ends || side.order == Order::Residues
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::fits::invented;
    use mmafft_backend_traits::{radix::BUTTERFLIES, Kind, Limits, Request, Shape};

    /// Pieces that rows touch beside what they fill: of 1000 reals, whose rows begin at multiples of 32 bytes, and of 999.
    #[test]
    fn narrow_rows_touch_more() {
        let limits = Limits {
            butterflies: BUTTERFLIES,
            ..invented(227 << 10)
        };
        let columns = |beside| {
            let plane = Request::of_kind(Kind::R2HC, Shape::d2(1050, beside)).axes(&[0]);
            let plan = crate::plan(&plane, &limits).expect("a plan");
            plan.passes[0].clone()
        };
        let [even, odd] = [1000, 999].map(columns);
        assert_eq!(touched(&even, 8), 96.0 / 32.0);
        assert_eq!(touched(&even, 32), 96.0 / 128.0);
        assert_eq!(touched(&odd, 32), 124.0 / 128.0);
        assert!(touched(&even, usize::MAX).is_finite());
    }
}
