//! What a pass of contiguous lines takes by some tile, of the time of a copy: what its steps issue, half spectra that meet, copies,
//! stores that are scattered, idle lanes, and the blocks that registers leave. The numbers were fitted to 4600 timings of lines
//! that nobody had tuned, on an H100 (docs/measured.md, "Lines without a rule"). What butterflies compute turned out not to
//! count beside what they load and store.

use super::work::{middle, Tile, Tried, SPARED};
use mmafft_backend_traits::real::{Middle, Order, Pairing, RealSide, Reduction};
use mmafft_backend_traits::{Kind, Pass, ScalarType, Step, TileAxis};

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
/// What it costs that a block is alone, each of its threads, and registers that it does not have, of those that it needs.
const ALONE: f64 = 0.28;
const THREAD: f64 = 0.0015;
const SPILLED: f64 = 1.6;
/// What all that is of the time in which two reals are copied, and what the pieces of 128 bytes are, to the power of 3/2, of which
/// stores have a point; in FP64 a copy takes longer.
const UNIT: f64 = 0.0152;
const SCATTERED: f64 = 2.07;
const DOUBLE: f64 = 0.584;
/// In which power what memory does and what the multiprocessor does add up.
const POWER: f64 = 3.2;

/// Whether the numbers are of such passes: contiguous lines, whole ones and nothing else, no convolutions.
pub fn knows(pass: &Pass) -> bool {
    let [axis] = &pass.axes[..] else {
        return false;
    };
    let plain = pass.mirrored.is_none() && pass.hermitian.is_none() && pass.edges.is_none();
    let factors = pass.load_factor.is_none() && pass.store_factor.is_none();
    let whole = pass.load_reals.is_none() && pass.store_reals.is_none();
    let contiguous = axis.load_stride <= 2 && axis.store_stride <= 2;
    let part = axis.load_index != 1 || axis.store_index != 1;
    let dft = |s: &Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange);
    let plain = plain && pass.steps.iter().all(dft);
    plain && factors && whole && contiguous && !part && !axis.kind.is_symmetric()
}

/// How many blocks with such a tile a multiprocessor can have, of as many as are `asked` for at most, where these of its columns
/// face each other, and what the pass takes then.
pub fn time(
    pass: &Pass,
    tile: &Tile,
    facing: [bool; 2],
    tried: &Tried,
    asked: usize,
) -> Option<(usize, f64)> {
    let line = Line::new(pass, tile, facing)?;
    let threads = tile.threads;
    let registers = line.registers();
    let room = (tried.chip_bytes / (tile.bytes + (1 << 10))).min(2048 / threads);
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
    let alone = if residents == 1 { ALONE } else { 0.0 };
    let chip = waits * (1.0 + alone) * (1.0 + THREAD * threads as f64) * (1.0 + SPILLED * spilled);
    // Each two reals.
    let points = match line.axis.kind {
        Kind::C2C => (tile.lines * line.core) as f64,
        _ => (tile.lines * line.axis.length) as f64 / 2.0,
    };
    let issues = UNIT * line.work() * tile.filled / points * chip;
    let all = issues + SCATTERED * line.pieces().powf(1.5);
    let all = if line.double { DOUBLE * all } else { all };
    Some((residents, (1.0 + all.powf(POWER)).powf(1.0 / POWER)))
}

/// A line by some tile.
struct Line<'a> {
    axis: &'a TileAxis,
    tile: &'a Tile<'a>,
    reduction: &'a Reduction,
    /// The points of its DFT.
    core: usize,
    facing: [bool; 2],
    /// Which of these are half spectra that meet.
    meets: [bool; 2],
    /// Whether half spectra meet over shared memory.
    paired: bool,
    /// Whether points are copied between memory and shared memory, by `insert_copies` of lowering: loaded and stored ones.
    copies: [bool; 2],
    double: bool,
}

impl<'a> Line<'a> {
    fn new(pass: &'a Pass, tile: &'a Tile<'a>, facing: [bool; 2]) -> Option<Self> {
        let (&first, &last) = (tile.radices.first()?, tile.radices.last()?);
        let axis = &pass.axes[0];
        let core = axis.core_length();
        let reduction = axis.kind.reduction(axis.length, false);
        let middle = middle(pass);
        let meets = [Middle::Merge, Middle::Split].map(|end| middle == end);
        let meets = [0, 1].map(|i| meets[i] && facing[i]);
        // Of less than a sector beside each other.
        let short = |r: usize| core > r && core / r * 2 * pass.storage.bytes() < 32;
        let pairs = !axis.kind.is_real_to_real() || reduction.load.pairing == Pairing::Pairs;
        let loads = middle != Middle::Merge && pairs && short(first);
        let stores = match (middle, leaves_gaps(&reduction.store)) {
            (Middle::Split, _) => false,
            (_, true) => !facing[1] && axis.length >= 64,
            (_, false) => short(last),
        };
        Some(Line {
            axis,
            tile,
            core,
            facing,
            meets,
            paired: middle != Middle::Plain && meets == [false; 2],
            copies: [loads, stores],
            double: pass.storage == ScalarType::F64,
            reduction,
        })
    }

    /// How often each thread does something of which there is so much in a line.
    fn rounds(&self, of_line: usize) -> usize {
        (self.tile.lines * of_line).div_ceil(self.tile.threads)
    }

    /// Which ends a step is at: the load's, the store's.
    fn ends(&self, step: usize) -> impl Iterator<Item = usize> {
        let ends = [step == 0, step + 1 == self.tile.radices.len()];
        (0..2).filter(move |&end| ends[end])
    }

    /// How many columns a thread has of a step: two that face each other, or any.
    fn columns(&self, step: usize) -> usize {
        let radix = self.tile.radices[step];
        match self.ends(step).any(|end| self.facing[end]) {
            true => 2 * self.rounds(self.core / radix / 2),
            false => self.rounds(self.core / radix),
        }
    }

    /// Of its core's points, those that have a partner in a half spectrum.
    fn pairs(&self) -> usize {
        match self.paired {
            true => self.rounds(self.core.div_ceil(2)),
            false => 0,
        }
    }

    /// What the threads of a tile issue.
    fn work(&self) -> f64 {
        let sides = [&self.reduction.load, &self.reduction.store];
        let steps = self.tile.radices.iter().enumerate().map(|(i, &radix)| {
            let of_end = |end: usize| match (self.facing[end], self.meets[end]) {
                (true, meets) => {
                    let each = if meets { MEETS } else { FACES };
                    let itself = (32.0 / (self.core / radix / 2) as f64).min(1.0);
                    each[usize::from(self.double)] + DIVERGES * itself
                }
                (false, _) if are_apart(sides[end]) => APART,
                _ => 0.0,
            };
            let value = VALUE + self.ends(i).map(of_end).sum::<f64>();
            self.columns(i) as f64 * (radix as f64 * value + COLUMN)
        });
        let copies = self.copies.map(usize::from).iter().sum::<usize>() * self.rounds(self.core);
        let all = steps.sum::<f64>() + self.pairs() as f64 * PAIR + copies as f64 * COPY;
        all * self.tile.threads as f64
    }

    /// Registers of a thread, as NVRTC's kernels have them.
    fn registers(&self) -> usize {
        let steps = 0..self.tile.radices.len();
        let held = steps.map(|i| self.columns(i) * self.tile.radices[i]).max();
        let copies = if self.copies.contains(&true) {
            self.rounds(self.core)
        } else {
            0
        };
        let [values, pairs, copied] = match self.double {
            true => [(44.0, 4.6), (4.0, 21.0), (44.0, 4.0)],
            false => [(36.0, 2.6), (8.0, 11.0), (36.0, 2.2)],
        };
        let of = |(beside, each): (f64, f64), n: usize| beside + each * n as f64;
        let most = of(values, held.unwrap_or(0)).max(of(pairs, self.pairs()));
        (most.max(of(copied, copies)) as usize).next_multiple_of(8)
    }

    /// Pieces of 128 bytes in memory that a wave's stores touch, for each point.
    fn pieces(&self) -> f64 {
        let store = &self.reduction.store;
        let last = self.tile.radices[self.tile.radices.len() - 1];
        let columns = self.core / last / if self.facing[1] { 2 } else { 1 };
        // Columns whose reals lanes store beside each other; how far these are from each other and how wide; how often a point.
        let real = self.axis.kind.is_real_to_real();
        let (columns, [apart, wide], times) = match (self.reduction.middle, real) {
            (Middle::Split, real) => {
                let columns = if self.facing[1] {
                    columns
                } else {
                    self.core.div_ceil(2)
                };
                (
                    columns,
                    if real { [1, 1] } else { [2, 2] },
                    if real { 2.0 } else { 1.0 },
                )
            }
            _ if self.copies[1] => (32, [2, 2], 1.0),
            (_, false) => (columns, [2, 2], 1.0),
            _ if self.facing[1] && are_apart(store) => (columns, [2, 2], 1.0),
            _ if self.facing[1] => (columns, [4, 4], 0.5),
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

/// Whether the two reals of a point are at both ends of a line, or anywhere.
fn are_apart(side: &RealSide) -> bool {
    side.pairing == Pairing::Ends || side.order == Order::Residues
}

/// Whether neighbouring points leave gaps between what is stored of them.
fn leaves_gaps(side: &RealSide) -> bool {
    matches!(
        (side.pairing, side.order),
        (Pairing::Pairs, Order::EvenOdd) | (Pairing::Ends, Order::Natural)
    )
}
