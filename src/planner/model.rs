//! What a pass of contiguous lines or arrays takes by some tile, of the time of a copy: what its steps issue, half spectra that meet,
//! copies, stores that are scattered, idle lanes, and the blocks that registers leave. The numbers were fitted to 4600 timings of
//! lines that nobody had tuned, on an H100 (docs/measured.md, "Passes without a rule"). What butterflies compute turned out not to
//! count beside what they load and store. Of arrays the same numbers choose as well as others fitted to 3087 timings of such; where
//! half spectra of reals meet in registers, and how stores are scattered, made no difference there.

use super::tiles::of_axes;
use super::work::{Tile, Tried, SPARED};
use mmafft_backend_traits::device::images_meet;
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
/// Blocks that a multiprocessor can have.
const BLOCKS: usize = 32;
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

/// Whether the numbers are of such passes: contiguous lines, or arrays of those, whole ones and nothing else, no convolutions and
/// no type I.
pub fn knows(pass: &Pass) -> bool {
    let plain = pass.mirrored.is_none() && pass.hermitian.is_none() && pass.edges.is_none();
    let factors = pass.load_factor.is_none() && pass.store_factor.is_none();
    let whole = pass.load_reals.is_none() && pass.store_reals.is_none();
    let contiguous = |stride: fn(&TileAxis) -> usize| pass.axes.iter().any(|a| stride(a) <= 2);
    let contiguous = contiguous(|a| a.load_stride) && contiguous(|a| a.store_stride);
    let part = |a: &TileAxis| a.load_index != 1 || a.store_index != 1 || a.kind.is_symmetric();
    let dft = |s: &Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange);
    let plain = plain && pass.steps.iter().all(dft) && !pass.axes.iter().any(part);
    plain && factors && whole && contiguous
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
    let array = Array::new(pass, tile, facing)?;
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
    let alone = if residents == 1 { ALONE } else { 0.0 };
    let chip = waits * (1.0 + alone) * (1.0 + THREAD * threads as f64) * (1.0 + SPILLED * spilled);
    let points = tile.lines as f64 * array.points;
    let issues = UNIT * array.work() * tile.filled / points * chip;
    let all = issues + SCATTERED * array.pieces().powf(1.5);
    let all = if array.double { DOUBLE * all } else { all };
    Some((residents, (1.0 + all.powf(POWER)).powf(1.0 / POWER)))
}

/// Threads of a tile, of so many lines by these radices, that hold about so many values each, or a column.
pub fn threads(pass: &Pass, tile: &Tile, values: usize) -> Option<usize> {
    Some(Array::new(pass, tile, [false; 2])?.threads(values))
}

/// An axis by some radices.
struct Axis<'a> {
    axis: &'a TileAxis,
    radices: &'a [usize],
    reduction: &'a Reduction,
    /// The points of its DFT.
    core: usize,
    /// Those of the other axes.
    around: usize,
    /// At which ends a thread has columns that face each other: the load's, the store's.
    facing: [bool; 2],
    /// Whether half spectra meet over shared memory.
    paired: bool,
}

impl<'a> Axis<'a> {
    /// One of the pass' axes, by radices whose columns face each other as a launch says; of several axes of reals where they can.
    fn new(pass: &'a Pass, i: usize, radices: &'a [usize], facing: [bool; 2]) -> Option<Self> {
        let axis = &pass.axes[i];
        let (first, last) = (*radices.first()?, *radices.last()?);
        let core = axis.core_length();
        let reduction = axis.kind.reduction(axis.length, false);
        let halves = [Middle::Merge, Middle::Split].map(|end| reduction.middle == end);
        let meet = |r| images_meet(core, r, pass.storage);
        let facing = match (pass.axes.len(), pass.axes_of_reals()) {
            (1, _) => facing,
            (_, true) => [halves[0] && meet(first), halves[1] && meet(last)],
            _ => [false; 2],
        };
        // What other axes see of one.
        let extent = |axis: &TileAxis| match axis.kind {
            Kind::R2C | Kind::C2R => axis.length / 2 + 1,
            _ => axis.length,
        };
        let others = pass.axes.iter().enumerate().filter(|&(j, _)| j != i);
        Some(Axis {
            axis,
            radices,
            core,
            around: others.map(|(_, axis)| extent(axis)).product(),
            facing,
            paired: (0..2).any(|end| halves[end] && !facing[end]),
            reduction,
        })
    }

    /// Which ends a step is at: the load's, the store's.
    fn ends(&self, step: usize) -> impl Iterator<Item = usize> {
        let ends = [step == 0, step + 1 == self.radices.len()];
        (0..2).filter(move |&end| ends[end])
    }

    /// Whether half spectra meet in the registers of an end's columns.
    fn meets(&self, end: usize) -> bool {
        self.facing[end] && self.reduction.middle == [Middle::Merge, Middle::Split][end]
    }
}

/// An array by some tile: a line, or several axes.
struct Array<'a> {
    axes: Vec<Axis<'a>>,
    tile: &'a Tile<'a>,
    /// Its points, or each two reals.
    points: f64,
    /// How many points are copied between memory and shared memory, by `insert_copies` of lowering: loaded and stored ones.
    copies: [usize; 2],
    double: bool,
}

impl<'a> Array<'a> {
    fn new(pass: &'a Pass, tile: &'a Tile<'a>, facing: [bool; 2]) -> Option<Self> {
        let radices = of_axes(pass, tile.radices)?;
        let axes = radices.into_iter().enumerate();
        let axes = axes.map(|(i, radices)| Axis::new(pass, i, radices, facing));
        let axes: Vec<Axis> = axes.collect::<Option<_>>()?;
        let complex = pass.axes.iter().all(|axis| axis.kind == Kind::C2C);
        let all: usize = pass.axes.iter().map(|axis| axis.length).product();
        Some(Array {
            tile,
            points: all as f64 / if complex { 1.0 } else { 2.0 },
            copies: copies(pass, &axes)?,
            axes,
            double: pass.storage == ScalarType::F64,
        })
    }

    /// The only axis.
    fn line(&self) -> Option<&Axis<'a>> {
        match &self.axes[..] {
            [line] => Some(line),
            _ => None,
        }
    }

    /// How often each thread does something of which there is so much in an array.
    fn rounds(&self, of_array: usize) -> usize {
        (self.tile.lines * of_array).div_ceil(self.tile.threads)
    }

    /// Columns of a step, and how many of them a thread takes at a time: two that face each other, or any.
    fn of_step(&self, axis: &Axis, step: usize) -> (usize, usize) {
        let columns = axis.core / axis.radices[step];
        match columns > 1 && axis.ends(step).any(|end| axis.facing[end]) {
            true => (axis.around * columns.div_ceil(2), 2),
            false => (axis.around * columns, 1),
        }
    }

    /// How many columns a thread has of a step.
    fn columns(&self, axis: &Axis, step: usize) -> usize {
        let (columns, at_a_time) = self.of_step(axis, step);
        at_a_time * self.rounds(columns)
    }

    /// What threads take at a time: columns of steps, or two of them, points that are paired, and copied ones. How many of these there
    /// are in an array, the values of one, and of how many columns they are.
    fn taken(&self) -> Vec<[usize; 3]> {
        let steps = self.axes.iter().flat_map(|axis| {
            let steps = axis.radices.iter().enumerate();
            steps.map(|(i, radix)| {
                let (columns, at_a_time) = self.of_step(axis, i);
                [columns, at_a_time * radix, at_a_time]
            })
        });
        let paired = self.axes.iter().filter(|axis| axis.paired);
        let paired = paired.map(|axis| [axis.around * axis.core.div_ceil(2), 2, 1]);
        let copied = self.copies.into_iter().filter(|&points| points > 0);
        steps
            .chain(paired)
            .chain(copied.map(|points| [points, 1, 1]))
            .collect()
    }

    /// Of each step, pair and copy the values that a thread takes at a time, and how often it does.
    #[cfg(test)]
    fn steps(&self) -> Vec<[usize; 2]> {
        let all = self.taken();
        all.into_iter()
            .map(|[n, held, of]| [held / of, of * self.rounds(n)])
            .collect()
    }

    /// How many threads have about so many values each, or a column, in every step, as lowering has them.
    fn threads(&self, values: usize) -> usize {
        let all = self.taken();
        let largest = all.iter().map(|[_, held, _]| *held).max().unwrap_or(1);
        let values = values.max(largest);
        let threads = |[n, held, _]: &[usize; 3]| (self.tile.lines * n).div_ceil(values / held);
        let threads = all.iter().map(threads);
        threads.max().unwrap_or(1).next_multiple_of(32)
    }

    /// Of an axis' points a thread's that have a partner in a half spectrum in shared memory.
    fn pairs(&self, axis: &Axis) -> usize {
        match axis.paired {
            true => self.rounds(axis.around * axis.core.div_ceil(2)),
            false => 0,
        }
    }

    /// What the threads of a tile issue.
    fn work(&self) -> f64 {
        let steps = self.axes.iter().flat_map(|axis| {
            let steps = axis.radices.iter().enumerate();
            steps.map(|(i, &radix)| {
                let value = VALUE + self.beside(axis, i);
                self.columns(axis, i) as f64 * (radix as f64 * value + COLUMN)
            })
        });
        let pairs: usize = self.axes.iter().map(|axis| self.pairs(axis)).sum();
        let copied: usize = self.copies.iter().map(|&points| self.rounds(points)).sum();
        let all = steps.sum::<f64>() + pairs as f64 * PAIR + copied as f64 * COPY;
        all * self.tile.threads as f64
    }

    /// What a value of a line's first or last step takes beside what others do.
    fn beside(&self, axis: &Axis, step: usize) -> f64 {
        let sides = [&axis.reduction.load, &axis.reduction.store];
        let of_end = |end: usize| match (axis.facing[end], axis.meets(end)) {
            (true, meets) => {
                let each = if meets { MEETS } else { FACES };
                let itself = (32.0 / (axis.core / axis.radices[step] / 2) as f64).min(1.0);
                each[usize::from(self.double)] + DIVERGES * itself
            }
            (false, _) if are_apart(sides[end]) => APART,
            _ => 0.0,
        };
        self.line()
            .map_or(0.0, |_| axis.ends(step).map(of_end).sum())
    }

    /// Registers of a thread, as NVRTC's kernels have them.
    fn registers(&self) -> usize {
        let values = self.axes.iter().flat_map(|axis| {
            let steps = axis.radices.iter().enumerate();
            steps.map(|(i, radix)| self.columns(axis, i) * radix)
        });
        let pairs = self.axes.iter().map(|axis| self.pairs(axis));
        let copies = self.copies.iter().map(|&points| self.rounds(points));
        let [of_values, of_pairs, copied] = match self.double {
            true => [(44.0, 4.6), (4.0, 21.0), (44.0, 4.0)],
            false => [(36.0, 2.6), (8.0, 11.0), (36.0, 2.2)],
        };
        let of = |(beside, each): (f64, f64), n: usize| beside + each * n as f64;
        let most = of(of_values, values.max().unwrap_or(0));
        let most = most.max(of(of_pairs, pairs.max().unwrap_or(0)));
        let most = most.max(of(copied, copies.max().unwrap_or(0)));
        (most as usize).next_multiple_of(8)
    }

    /// Pieces of 128 bytes in memory that a wave's stores of a line touch, for each point.
    fn pieces(&self) -> f64 {
        let Some(line) = self.line() else {
            return 0.0;
        };
        let store = &line.reduction.store;
        let last = line.radices[line.radices.len() - 1];
        let facing = line.facing[1];
        let columns = line.core / last / if facing { 2 } else { 1 };
        // Columns whose reals lanes store beside each other; how far these are from each other and how wide; how often a point.
        let real = line.axis.kind.is_real_to_real();
        let (columns, [apart, wide], times) = match (line.reduction.middle, real) {
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
            _ if self.copies[1] > 0 => (32, [2, 2], 1.0),
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

/// How many points of an array are copied between memory and shared memory: loaded and stored ones.
fn copies(pass: &Pass, axes: &[Axis]) -> Option<[usize; 2]> {
    let (first, last) = (axes.first()?, axes.last()?);
    // Of less than a sector beside each other.
    let short = |axis: &Axis, radix: usize| axis.core / radix * 2 * pass.storage.bytes() < 32;
    let starts = short(first, first.radices[0]);
    let ends = short(last, last.radices[last.radices.len() - 1]);
    let middle = first.reduction.middle;
    if pass.axes_of_reals() {
        // In pairs; what the last axis makes of them goes to memory as it is.
        let loads = first.axis.length.is_multiple_of(2) && (starts || middle == Middle::Merge);
        let all: usize = pass.axes.iter().map(|axis| axis.length).product();
        return Some([if loads { all / 2 } else { 0 }, 0]);
    }
    let [loads, stores] = if axes.len() > 1 {
        let loads = first.axis.load_stride <= 2 && starts && middle != Middle::Merge;
        let splits = last.reduction.middle == Middle::Split;
        [loads, last.axis.store_stride <= 2 && ends && !splits]
    } else {
        let real = first.axis.kind.is_real_to_real();
        let gaps = leaves_gaps(&first.reduction.store) && !first.facing[1];
        let rows = first.axis.length >= 64 && 2 * first.core == first.axis.length;
        let stores = if real { gaps && rows } else { ends };
        let [merges, splits] = [Middle::Merge, Middle::Split].map(|end| middle == end);
        [!real && !merges && starts, stores && !splits]
    };
    let points = |axis: &Axis, copied| if copied { axis.core * axis.around } else { 0 };
    Some([points(first, loads), points(last, stores)])
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

#[cfg(test)]
mod tests {
    use super::super::tiles::faced;
    use super::super::work::tile;
    use super::*;
    use crate::planner::fits::invented;
    use mmafft_backend_traits::device::{lower, Geometry, Vendor};
    use mmafft_backend_traits::radix::BUTTERFLIES;
    use mmafft_backend_traits::{Direction, Launch, Limits, Precision, Request, Shape, KINDS};

    /// What the model counts of a tile is what its program has.
    #[test]
    fn steps_are_those_of_programs() {
        let geometry = Geometry {
            wave: 32,
            threads: 1024,
            shared_bytes: 227 << 10,
            registers: 65536,
            multiprocessors: 132,
            blocks: 1 << 31,
            access: 0,
            together: true,
            vendor: Vendor::Nvidia,
        };
        let limits = Limits {
            architecture: "sm_90".into(),
            workers: 132,
            butterflies: BUTTERFLIES,
            precisions: vec![Precision::F32, Precision::F64],
            ..invented(geometry.shared_bytes)
        };
        let shapes = [
            Shape::d1(42),
            Shape::d1(45),
            Shape::d1(351),
            Shape::d1(1440),
            Shape::d1(5544),
            Shape::d2(8, 15),
            Shape::d2(36, 44),
            Shape::d2(33, 26),
            Shape::d2(4, 140),
            Shape::d3(24, 30, 4),
            Shape::d3(9, 28, 13),
            Shape::d3(26, 16, 6),
        ];
        let mut compared = 0;
        let wide = [Precision::F32, Precision::F64];
        let kinds = KINDS.iter().flat_map(|row| wide.map(|p| (row.kind, p)));
        let requests = kinds.flat_map(|(kind, precision)| {
            let direction = kind.row().direction.unwrap_or(Direction::Forward);
            let of = move |shape: &Shape| Request::of_kind(kind, direction, shape.clone());
            let shapes = shapes.iter();
            shapes.map(move |shape| of(shape).precision(precision).batch(10_000))
        });
        for request in requests {
            let plan = crate::plan(&request, &limits).expect("a plan");
            for pass in plan.passes.iter().filter(|pass| knows(pass)) {
                let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
                let asked = pass.tile.launch.unwrap_or(Launch::new(160, 1));
                let mut pass = pass.clone();
                pass.tile.launch = Some(asked);
                let tile = tile(&pass, &radices, pass.tile.lines, asked.threads).expect("a tile");
                // A rule may ask for what its radices do not allow.
                let can = faced(&pass, &radices).map_or([false; 2], |(can, _)| can);
                let facing = [0, 1].map(|i| can[i] && asked.facing[i]);
                let Some(array) = Array::new(&pass, &tile, facing) else {
                    continue;
                };
                let mut steps = lower(&pass, &geometry).expect("a program").steps;
                let mut counted = array.steps();
                steps.sort_unstable();
                counted.sort_unstable();
                assert_eq!(counted, steps, "{}", plan.explain());
                compared += 1;
            }
        }
        assert!(compared > 150, "{compared}");
    }
}
