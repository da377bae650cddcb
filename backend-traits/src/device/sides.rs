//! How a pass reaches memory on both sides: loops, axes, and the factors on the way.

use super::columns;
use super::config::*;
use super::extents;
use super::roots::line_twiddles;
use super::rows::lies_in_row;
use super::tables::{Tables, Twiddles};
use crate::map::{Map, Runs};
use crate::pass::{Loop, Pass, TileAxis};
use crate::precision::ScalarType;
use crate::real::RealSide;
use crate::side::{End, Factor, Images, Mirrored, Side};
use crate::{Direction, Domain, Kind};
use std::cmp::Reverse;

/// The loops, those of long strides outermost: neighbouring lines of a tile then are
/// neighbours in memory, on the side where a line's own points are not.
pub fn ordered_loops(pass: &Pass) -> Vec<usize> {
    let mut loops: Vec<usize> = (0..pass.loops.len()).collect();
    // Of the parts of a line that a cluster has, the points that lie the closest.
    let load_stride = match &pass.axes[..] {
        [axis] => axis.load.stride,
        [first, last] if pass.tile.residency.blocks() > 1 && first.load.index != 1 => {
            first.load.stride.min(last.load.stride)
        }
        _ => return loops,
    };
    let contiguous = pass.loops.iter().all(|l| l.load.stride >= load_stride);
    let end = if contiguous { End::Store } else { End::Load };
    loops.sort_by_key(|&i| Reverse(pass.loops[i].map(end).stride));
    if let Some((end, mirrored)) = pairs_of_lines(pass) {
        // Those over what is in pairs together: parts of a line so that they count lines in the
        // order of their first points, rows as the pass has them.
        let number = |i: &usize| pair_number(pass, end, mirrored.images, *i);
        let innermost = loops.iter().rposition(|i| number(i) > 0).unwrap_or(0);
        let behind = loops.split_off(innermost + 1);
        let (mut parts, mut ordered): (Vec<_>, Vec<_>) = loops.iter().partition(|i| number(i) > 0);
        parts.sort_by_key(|i| Reverse(number(i)));
        ordered.extend(parts);
        ordered.extend(behind);
        loops = ordered;
    }
    loops
}

/// The pairs that a tile's lines come in; in a cluster pairs are among a block's shares.
fn pairs_of_lines(pass: &Pass) -> Option<(End, Mirrored)> {
    let alone = pass.tile.residency.blocks() == 1;
    pass.mirrored().filter(|_| alone)
}

/// By what the loops that count lines in pairs are ordered; 0 of a loop that counts none.
fn pair_number(pass: &Pass, end: End, images: Images, i: usize) -> usize {
    match images {
        Images::Rows(rows) if i + rows >= pass.loops.len() => pass.loops.len() - i,
        Images::Rows(_) => 0,
        _ => pass.loops[i].map(end).index,
    }
}

/// Of lines in mirrored pairs, how many there are (parts of a line, or rows), how many other lines
/// lie between two, how many rows lie beside each other, 0 of parts, and whether they face each other.
pub fn mirrored_words(pass: &Pass, order: &[usize]) -> [i64; 4] {
    let Some((end, mirrored)) = pairs_of_lines(pass) else {
        return [0; 4];
    };
    let loops = pass.loops.len();
    let paired = |&&i: &&usize| pair_number(pass, end, mirrored.images, i) > 0;
    let count = |i: &usize| pass.loops[*i].count as i64;
    let behind = order.iter().rev().take_while(|i| !paired(i));
    [
        order.iter().filter(paired).map(count).product(),
        behind.map(count).product(),
        match mirrored.images {
            Images::Rows(2) => count(&(loops - 1)),
            Images::Rows(_) => 1,
            _ => 0,
        },
        i64::from(mirrored.images == Images::Facing),
    ]
}

/// How many lie at their stride, 0 if all do, and how far runs are apart.
fn run_words(runs: Option<Runs>) -> [i64; 2] {
    runs.map_or([0; 2], |runs| [runs.points as i64, runs.apart as i64])
}

/// The loops in this order.
pub fn loop_words(pass: &Pass, order: &[usize]) -> Vec<LoopWords> {
    // Edge points lie in the order of the pass' own loops; a split line's parts share them.
    let mut edge = vec![0; pass.loops.len()];
    let mut next = pass.load.edges.map_or(0, |e| e.count);
    for (i, l) in pass.loops.iter().enumerate().rev() {
        if l.load.index == 0 {
            edge[i] = next;
            next *= l.count;
        }
    }
    let words = |&i: &usize| {
        let Loop { count, load, store } = pass.loops[i];
        let [[load_run, load_apart], [store_run, store_apart]] =
            [load, store].map(|map| run_words(map.runs));
        LoopWords {
            count: count as i64,
            load: load.stride as i64,
            store: store.stride as i64,
            load_index: load.index as i64,
            store_index: store.index as i64,
            edge: edge[i] as i64,
            load_run,
            load_apart,
            store_run,
            store_apart,
        }
    };
    order.iter().map(words).collect()
}

/// The factors of the first load and the last store.
pub fn factors(pass: &Pass, loops: &[usize], config: &mut Config, tables: &mut Tables) {
    for end in End::BOTH {
        match pass.side(end).factor {
            None => {}
            Some(Factor::Roots {
                length,
                line_loop,
                direction,
                turned,
                first,
            }) => {
                let lines = pass.loops[line_loop].count;
                let line_loop = loops.iter().position(|&l| l == line_loop);
                config.head.roots_loop = line_loop.map_or(-1, |l| l as i64);
                let step = config.step_at(end);
                let double = pass.math.storage == ScalarType::F64;
                let inverse = direction == Direction::Inverse;
                let twiddles = Twiddles {
                    length,
                    inverse,
                    turned,
                    first,
                };
                // Of a line that a cluster holds, the points of its other part.
                let others = match pass.tile.residency.blocks() {
                    1 => 1,
                    blocks => (step.outer * step.inner) as usize * blocks,
                };
                let table = line_twiddles(step, lines, others, twiddles, double, tables);
                match end {
                    End::Load => step.before_roots = table,
                    End::Store => step.after_roots = table,
                }
            }
            Some(Factor::Chirp { length, direction }) => {
                let step = config.step_at(end);
                let table = tables.chirp(length, direction);
                let words = (FACTOR_LINE, table, length as i64);
                match end {
                    End::Load => (step.before, step.before_table, step.before_length) = words,
                    End::Store => (step.after, step.after_table, step.after_length) = words,
                }
            }
        }
    }
}

/// How memory is reached on both sides.
pub fn sides(pass: &Pass, order: &[usize], config: &mut Config) {
    let sides = End::BOTH.map(|end| KernelSide::new(pass, config, end));
    let [load, store] = &sides;
    let head = &mut config.head;
    (head.load_points, head.load_imaginary) = (load.points(), load.imaginary());
    (head.store_points, head.store_imaginary) = (store.points(), store.imaginary());
    for l in &mut config.loops {
        if load.neighbours && l.load_index > 0 {
            l.load *= 2;
        }
        if store.neighbours && l.store_index > 0 {
            l.store *= 2;
        }
    }
    config.axes = order
        .iter()
        .map(|&i| axis_words(&sides, order, config, i))
        .collect();
    vectors(pass, config);
    copy_async(pass, config);
    for end in End::BOTH {
        let in_row = lies_in_row(pass, config, end);
        config.step_at(end).in_row |= i64::from(in_row);
    }
    config.head.row_of_reals = columns::staged(pass, order, config).map_or(0, |n| n as i64);
}

/// One side of a pass as the kernel takes its points.
struct KernelSide<'a> {
    pass: &'a Pass,
    end: End,
    /// Whether a copy moves reals in pairs there.
    copied: bool,
    /// Whether neighbouring reals are points as they are, or were put beside each other before.
    neighbours: bool,
}

impl<'a> KernelSide<'a> {
    fn new(pass: &'a Pass, config: &Config, end: End) -> Self {
        let copied = match end {
            End::Load => config.steps.iter().any(|s| s.reals_in == REALS_LOADED),
            End::Store => config.steps.iter().any(|s| s.reals_out == REALS_STORED),
        };
        let pairs = |(side, _): (&RealSide, usize)| *side == RealSide::PAIRS;
        KernelSide {
            pass,
            end,
            copied,
            neighbours: copied || pass.reals(end).is_some_and(pairs),
        }
    }

    fn side(&self) -> &'a Side {
        self.pass.side(self.end)
    }

    fn map(&self, i: usize) -> &'a Map {
        self.pass.axes[i].map(self.end)
    }

    /// Whether two reals along an axis are a point: loaded by R2C, and stored by C2R.
    fn pairs(&self, i: usize) -> bool {
        let axis = &self.pass.axes[i];
        let other = [Kind::C2R, Kind::R2C][self.end as usize];
        self.side().domain == Domain::Real && axis.kind != other && extents::packed(axis)
    }

    fn halved(&self) -> Option<usize> {
        (0..self.pass.axes.len()).find(|&i| self.pairs(i))
    }

    /// The axis along which neighbouring reals are points: of several the first where they are loaded, the last where they are
    /// stored.
    fn own_axis(&self) -> usize {
        match self.end == End::Load || !self.pass.axes_of_reals() {
            true => 0,
            false => self.pass.axes.len() - 1,
        }
    }

    /// `enum Points`.
    fn points(&self) -> i64 {
        match (self.pass.reals(self.end), self.side().domain) {
            (Some(_), _) if self.neighbours => POINTS_PAIRS,
            (Some(_), _) => POINTS_ORDERED,
            (None, Domain::Complex) => POINTS_COMPLEX,
            (None, Domain::Real) if self.halved().is_some() => POINTS_PAIRS,
            (None, Domain::Real) => POINTS_REAL,
        }
    }

    /// Scalars from a point's real to its imaginary part.
    fn imaginary(&self) -> i64 {
        let scalars = match self.halved() {
            _ if self.neighbours => self.map(self.own_axis()).unit(),
            Some(i) => self.map(i).stride,
            None => self.side().imaginary,
        };
        scalars as i64
    }

    /// Scalars from a point of an axis to the next.
    fn apart(&self, i: usize) -> i64 {
        let along = !self.pass.axes_of_reals() || i == self.own_axis();
        let both = self.neighbours && along || self.pairs(i);
        let stride = self.map(i).stride;
        (if both { 2 * stride } else { stride }) as i64
    }

    /// Points of the whole line from one to the next; of a line of reals that two of make a value.
    fn index_apart(&self, i: usize) -> i64 {
        let index = self.map(i).index;
        let both = self.side().reals.is_some() && self.pairs(i);
        (if both { 2 * index } else { index }) as i64
    }

    /// The end of an axis' range, where something lies beyond. Of the pairs of an odd number of reals the last one is half there.
    fn range_end(&self, axis: &TileAxis, innermost: bool, config: &Config) -> i64 {
        let range = &axis.ranges[self.end];
        let copy = match self.end {
            End::Load => config.steps.first(),
            End::Store => config.steps.last(),
        };
        let copy = copy.filter(|_| self.copied && innermost);
        let reals = copy.map(|copy| reals_of_copy(self.pass, copy, axis));
        match reals.filter(|n| !n.is_multiple_of(2)) {
            _ if *range != (0..self.pass.points_of_axis(axis, self.end)) => range.end as i64,
            Some(reals) => reals as i64,
            None => NO_END,
        }
    }
}

/// The words of an axis.
fn axis_words(sides: &[KernelSide; 2], order: &[usize], config: &Config, i: usize) -> AxisWords {
    let innermost = order.last() == Some(&i);
    AxisWords::new([0, 1].map(|side| {
        let side = &sides[side];
        let axis = &side.pass.axes[i];
        let [run, apart] = run_words(side.map(i).runs);
        AxisSide {
            stride: side.apart(i),
            index: side.index_apart(i),
            range: [
                axis.ranges[side.end].start as i64,
                side.range_end(axis, innermost, config),
            ],
            run,
            apart,
        }
    }))
}

/// Whether a side has its points' two scalars together.
fn together(points: i64) -> bool {
    points == POINTS_COMPLEX || points == POINTS_PAIRS
}

/// Says on which sides one access moves both scalars of a point.
fn vectors(pass: &Pass, config: &mut Config) {
    let even = |n: i64| n % 2 == 0;
    let [loads, stores] = End::BOTH.map(|end| {
        config.loops.iter().all(|l| even(l.stride(end)))
            && config.axes.iter().all(|a| even(a.side(end).stride))
            && pass.side(end).offset.is_multiple_of(2)
    });
    let head = &mut config.head;
    head.load_vector = i64::from(together(head.load_points) && head.load_imaginary == 1 && loads);
    head.store_vector =
        i64::from(together(head.store_points) && head.store_imaginary == 1 && stores);
}

/// Says whether the first step copies without registers, which changes nothing on the way.
fn copy_async(pass: &Pass, config: &mut Config) {
    let head = &config.head;
    let plain = together(head.load_points)
        && head.load_vector != 0
        && matches!(pass.math.storage, ScalarType::F32 | ScalarType::F64)
        && config
            .axes
            .iter()
            .all(|a| a.load_begin == 0 && a.load_end == NO_END);
    let first = config.steps.first_mut().expect("a pass has a step");
    let factored = first.before != 0 || first.before_roots >= 0;
    let unchanged = first.hermitian == 0 && !factored && first.columns == first.input;
    // Neighbours come by one access into registers.
    let staged = first.op == OP_COPY && first.target == PLACE_SHARED && first.neighbours == 1;
    first.copy_async = i64::from(plain && staged && unchanged);
}

/// The reals that a copy moves in pairs along its axis: those of a line, or of all axes in a row.
fn reals_of_copy(pass: &Pass, copy: &StepWords, axis: &TileAxis) -> usize {
    let row = pass.axes.len() > 1 && copy.outer == 1;
    match row {
        true => pass.lengths().into_iter().product(),
        false => axis.length,
    }
}
