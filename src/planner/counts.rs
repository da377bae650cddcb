//! What the threads of a tile have to do, counted without its program: columns of steps, pairs of half spectra, copies. As lowering
//! has them (`trips` and `insert_copies`), which a test compares.

use super::rule::real_columns;
use super::rule_keys::access;
use super::tiles::of_axes;
use super::work::Tile;
use mmafft_backend_traits::device::images_meet;
use mmafft_backend_traits::real::{Middle, Order, Pairing, RealSide, Reduction};
use mmafft_backend_traits::{Kind, Pass, ScalarType, TileAxis};

/// An axis by some radices, or one of two parts of it: the columns of a line by real columns, or its rows.
pub struct Axis<'a> {
    pub axis: &'a TileAxis,
    pub radices: &'a [usize],
    pub reduction: &'a Reduction,
    /// The points of its DFT.
    pub core: usize,
    /// Those of the other axes, or how many columns or rows there are.
    around: usize,
    /// At which ends a thread has columns that face each other: the load's, the store's.
    pub facing: [bool; 2],
    /// Whether half spectra meet over shared memory.
    paired: bool,
}

impl<'a> Axis<'a> {
    /// One of the pass' axes, by radices whose columns face each other as a launch says; of several axes of reals where they can.
    fn new(pass: &'a Pass, i: usize, radices: &'a [usize], facing: [bool; 2]) -> Option<Self> {
        let axis = &pass.axes[i];
        let (first, last) = (*radices.first()?, *radices.last()?);
        let core = axis.core_length();
        let reduction = axis.kind.reduction_by(axis.length, radices);
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

    /// The columns of a line of the pass by real columns, and its rows: `lengths` reals of each, by these radices.
    fn parts(pass: &'a Pass, lengths: [usize; 2], radices: &'a [usize]) -> [Self; 2] {
        let [columns, rows] = lengths;
        let halves = |i: usize| (lengths[i] / 2, 1 + lengths[1 - i] / 2);
        let mut made = 1;
        let more = |radix: &&usize| {
            made *= **radix;
            made <= columns / 2
        };
        let (first, last) = radices.split_at(radices.iter().take_while(more).count());
        let part = |i: usize, kind: Kind, radices: &'a [usize]| {
            let (core, around) = halves(i);
            // A point and its mirror image are one thread's where the parts meet.
            let ends = [radices.first(), radices.last()];
            let facing = [0, 1].map(|end| end != i && ends[end] != Some(&core));
            Axis {
                axis: &pass.axes[0],
                radices,
                core,
                around,
                facing,
                paired: false,
                reduction: kind.reduction(lengths[i], false),
            }
        };
        debug_assert_eq!(last.iter().product::<usize>(), rows / 2);
        [part(0, Kind::R2C, first), part(1, Kind::C2R, last)]
    }

    /// The values of a column of a step: reals of a line of type I that a thread has all of, else points.
    pub fn values(&self, step: usize) -> usize {
        match self.in_thread() {
            true => self.axis.length,
            false => self.radices[step],
        }
    }

    /// Whether a thread has all of a line, of type I.
    pub fn in_thread(&self) -> bool {
        self.axis.kind.in_thread(self.axis.length, self.radices)
    }

    /// Which ends a step is at: the load's, the store's.
    pub fn ends(&self, step: usize) -> impl Iterator<Item = usize> {
        let ends = [step == 0, step + 1 == self.radices.len()];
        (0..2).filter(move |&end| ends[end])
    }

    /// Pairs of points of its half spectra that meet over shared memory.
    pub fn pairs(&self) -> usize {
        match self.paired {
            true => self.around * self.core.div_ceil(2),
            false => 0,
        }
    }

    /// Whether half spectra meet in the registers of an end's columns.
    pub fn meets(&self, end: usize) -> bool {
        self.facing[end] && self.reduction.middle == [Middle::Merge, Middle::Split][end]
    }
}

/// An array by some tile: a line, or several axes.
pub struct Array<'a> {
    /// Its axes, or both parts of its only one.
    pub axes: Vec<Axis<'a>>,
    /// Whether its points lie beside each other, and not those of other lines.
    pub contiguous: bool,
    pub tile: &'a Tile<'a>,
    /// Its points, or each two reals.
    pub points: f64,
    /// How many points are copied between memory and shared memory, by `insert_copies` of lowering: loaded and stored ones.
    pub copies: [usize; 2],
    pub double: bool,
}

impl<'a> Array<'a> {
    /// An array of the pass by the radices of a tile, in such a launch; `None` where they do not make its axes.
    pub fn new(pass: &'a Pass, tile: &'a Tile<'a>, facing: [bool; 2]) -> Option<Self> {
        let contiguous = access(pass) == "rows";
        let axes: Vec<Axis> = match real_columns(pass, tile.radices) {
            Some(lengths) => Axis::parts(pass, lengths, tile.radices).into(),
            None => {
                let radices = of_axes(pass, tile.radices)?;
                let axes = radices.into_iter().enumerate();
                let axes = axes.map(|(i, radices)| Axis::new(pass, i, radices, facing));
                axes.collect::<Option<_>>()?
            }
        };
        let complex = pass.axes.iter().all(|axis| axis.kind == Kind::C2C);
        let all: usize = pass.axes.iter().map(|axis| axis.length).product();
        Some(Array {
            tile,
            points: all as f64 / if complex { 1.0 } else { 2.0 },
            copies: match contiguous {
                true => copies(pass, &axes),
                false => [0; 2],
            },
            axes,
            contiguous,
            double: pass.storage == ScalarType::F64,
        })
    }

    /// The only axis of contiguous lines.
    pub fn line(&self) -> Option<&Axis<'a>> {
        match &self.axes[..] {
            [line] if self.contiguous => Some(line),
            _ => None,
        }
    }

    /// How often each thread does something of which there is so much in an array.
    pub fn rounds(&self, of_array: usize) -> usize {
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
    pub fn columns(&self, axis: &Axis, step: usize) -> usize {
        let (columns, at_a_time) = self.of_step(axis, step);
        at_a_time * self.rounds(columns)
    }

    /// What threads take at a time: columns of steps, or two of them, points that are paired, and copied ones. How many of these there
    /// are in an array, the values of one, and of how many columns they are.
    fn taken(&self) -> Vec<[usize; 3]> {
        let steps = self.axes.iter().flat_map(|axis| {
            (0..axis.radices.len()).map(|i| {
                let (columns, at_a_time) = self.of_step(axis, i);
                [columns, at_a_time * axis.values(i), at_a_time]
            })
        });
        let paired = self.axes.iter().map(|axis| [axis.pairs(), 2, 1]);
        let copied = self.copies.map(|points| [points, 1, 1]);
        let all = steps.chain(paired).chain(copied);
        all.filter(|[count, ..]| *count > 0).collect()
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
    pub fn threads(&self, values: usize) -> usize {
        let all = self.taken();
        let largest = all.iter().map(|[_, held, _]| *held).max().unwrap_or(1);
        let values = values.max(largest);
        let threads = |[n, held, _]: &[usize; 3]| (self.tile.lines * n).div_ceil(values / held);
        let threads = all.iter().map(threads);
        threads.max().unwrap_or(1).next_multiple_of(32)
    }
}

/// How many points of an array are copied between memory and shared memory, loaded and stored ones: what `insert_copies` of
/// lowering decides.
fn copies(pass: &Pass, axes: &[Axis]) -> [usize; 2] {
    let [first, last] = [&axes[0], &axes[axes.len() - 1]];
    // Of less than a sector beside each other.
    let short = |axis: &Axis, radix: usize| axis.core / radix * 2 * pass.storage.bytes() < 32;
    let starts = short(first, first.radices[0]);
    let ends = short(last, last.radices[last.radices.len() - 1]);
    let merges = first.reduction.middle == Middle::Merge;
    let splits = last.reduction.middle == Middle::Split;
    let points = |axis: &Axis, copied| if copied { axis.core * axis.around } else { 0 };
    if pass.axes_of_reals() {
        // In pairs; what the last axis makes of them goes to memory as it is.
        let even = first.axis.length.is_multiple_of(2);
        let line_a_thread = first.core == first.radices[0];
        let copied = even || line_a_thread && pass.loads_a_row();
        let loads = copied && (starts || merges);
        let all: usize = pass.axes.iter().map(|axis| axis.length).product();
        return [if loads { all.div_ceil(2) } else { 0 }, 0];
    }
    if last.axis.kind.is_real_to_real() {
        let gaps = leaves_gaps(&last.reduction.store) && !last.facing[1] && !splits;
        let whole = last.axis.length >= 64 && 2 * last.core == last.axis.length;
        return [0, points(last, gaps && whole)];
    }
    let loads = first.axis.load_stride <= 2 && starts && !merges;
    let stores = last.axis.store_stride <= 2 && ends && !splits;
    [points(first, loads), points(last, stores)]
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
    use crate::planner::model::knows;
    use mmafft_backend_traits::device::{lower, Geometry, Vendor};
    use mmafft_backend_traits::radix::BUTTERFLIES;
    use mmafft_backend_traits::{
        Direction, Launch, Limits, Precision, Request, Shape, Step, KINDS,
    };

    /// What is counted of a tile is what its program has.
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
            // Columns.
            Shape::d2(45, 1000),
            Shape::d2(1260, 1001),
            Shape::d2(1001, 1100),
            Shape::d2(34, 40),
            Shape::d2(2049, 2049),
        ];
        let mut compared = 0;
        let wide = [Precision::F32, Precision::F64];
        let kinds = KINDS.iter().flat_map(|row| wide.map(|p| (row.kind, p)));
        let requests = kinds.flat_map(|(kind, precision)| {
            let direction = kind.row().direction.unwrap_or(Direction::Forward);
            let of = move |shape: &Shape| Request::directed(kind, direction, shape.clone());
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
