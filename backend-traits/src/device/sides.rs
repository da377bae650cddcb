//! How a pass reaches memory on both sides: loops, axes, and the factors on the way.

use super::columns;
use super::config::*;
use super::extents;
use super::roots::line_twiddles;
use super::rows::lies_in_row;
use super::tables::{Tables, Twiddles};
use crate::pass::{Access, Factor, Images, Pass, Runs, TileAxis};
use crate::precision::ScalarType;
use crate::real::{Middle, RealSide};
use crate::{Direction, Domain, Kind};

/// The loops, those of long strides outermost: neighbouring lines of a tile then are
/// neighbours in memory, on the side where a line's own points are not.
pub fn ordered_loops(pass: &Pass) -> Vec<usize> {
    let mut loops: Vec<usize> = (0..pass.loops.len()).collect();
    // Of the parts of a line that a cluster has, the points that lie the closest.
    let load_stride = match &pass.axes[..] {
        [axis] => axis.load_stride,
        [first, last] if pass.tile.residency.blocks() > 1 && first.load_index != 1 => {
            first.load_stride.min(last.load_stride)
        }
        _ => return loops,
    };
    let contiguous = pass.loops.iter().all(|l| l.load >= load_stride);
    loops.sort_by_key(|&i| {
        let l = pass.loops[i];
        std::cmp::Reverse(if contiguous { l.store } else { l.load })
    });
    // In a cluster pairs are among a block's shares.
    let pairs = pass.mirrored.filter(|_| pass.tile.residency.blocks() == 1);
    if let Some(mirrored) = pairs {
        // Those over what is in pairs together: parts of a line so that they count lines in the
        // order of their first points, rows as the pass has them.
        let number = |i: &usize| match (mirrored.images, mirrored.middle) {
            (Images::Rows(rows), _) if i + rows >= pass.loops.len() => pass.loops.len() - i,
            (Images::Rows(_), _) => 0,
            (_, Middle::Split) => pass.loops[*i].store_index,
            _ => pass.loops[*i].load_index,
        };
        let innermost = loops.iter().rposition(|i| number(i) > 0).unwrap_or(0);
        let behind = loops.split_off(innermost + 1);
        let (mut parts, mut ordered): (Vec<_>, Vec<_>) = loops.iter().partition(|i| number(i) > 0);
        parts.sort_by_key(|i| std::cmp::Reverse(number(i)));
        ordered.extend(parts);
        ordered.extend(behind);
        loops = ordered;
    }
    loops
}

/// Of lines in mirrored pairs, how many there are (parts of a line, or rows), how many other lines
/// lie between two, how many rows lie beside each other, 0 of parts, and whether they face each other.
pub fn mirrored_words(pass: &Pass, order: &[usize]) -> [i64; 4] {
    // Of a cluster they are among its shares.
    let lines = pass.mirrored.filter(|_| pass.tile.residency.blocks() == 1);
    let Some(mirrored) = lines else {
        return [0; 4];
    };
    let loops = pass.loops.len();
    let paired = |&&i: &&usize| match (mirrored.images, mirrored.middle) {
        (Images::Rows(rows), _) => i + rows >= loops,
        (_, Middle::Split) => pass.loops[i].store_index > 0,
        _ => pass.loops[i].load_index > 0,
    };
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
    let mut next = pass.edges.map_or(0, |e| e.count);
    for (i, l) in pass.loops.iter().enumerate().rev() {
        if l.load_index == 0 {
            edge[i] = next;
            next *= l.count;
        }
    }
    let words = |&i: &usize| LoopWords {
        count: pass.loops[i].count as i64,
        load: pass.loops[i].load as i64,
        store: pass.loops[i].store as i64,
        load_index: pass.loops[i].load_index as i64,
        store_index: pass.loops[i].store_index as i64,
        edge: edge[i] as i64,
        load_run: run_words(pass.loops[i].load_runs)[0],
        load_apart: run_words(pass.loops[i].load_runs)[1],
        store_run: run_words(pass.loops[i].store_runs)[0],
        store_apart: run_words(pass.loops[i].store_runs)[1],
    };
    order.iter().map(words).collect()
}

/// The factors of the first load and the last store.
pub fn factors(pass: &Pass, loops: &[usize], config: &mut Config, tables: &mut Tables) {
    for (factor, before) in [(pass.load_factor, true), (pass.store_factor, false)] {
        let step = match before {
            true => config.steps.first_mut(),
            false => config.steps.last_mut(),
        };
        let step = step.expect("a pass has a step");
        match factor {
            None => {}
            Some(Factor::Roots {
                length,
                line_loop,
                direction,
                turned,
            }) => {
                let lines = pass.loops[line_loop].count;
                let line_loop = loops.iter().position(|&l| l == line_loop);
                config.head.roots_loop = line_loop.map_or(-1, |l| l as i64);
                let double = pass.storage == ScalarType::F64;
                let inverse = direction == Direction::Inverse;
                let twiddles = Twiddles {
                    length,
                    inverse,
                    turned,
                };
                // Of a line that a cluster holds, the points of its other part.
                let others = match pass.tile.residency.blocks() {
                    1 => 1,
                    blocks => (step.outer * step.inner) as usize * blocks,
                };
                let table = line_twiddles(step, lines, others, twiddles, double, tables);
                if before {
                    step.before_roots = table;
                } else {
                    step.after_roots = table;
                }
            }
            Some(Factor::Chirp { length, direction }) => {
                let table = tables.chirp(length, direction);
                let words = (LINE_TABLE, table, length as i64);
                if before {
                    (step.before, step.before_table, step.before_length) = words;
                } else {
                    (step.after, step.after_table, step.after_length) = words;
                }
            }
        }
    }
}

/// How memory is reached on both sides.
pub fn sides(pass: &Pass, order: &[usize], config: &mut Config) {
    let ends = [true, false].map(|loading| End::new(pass, config, loading));
    let [load, store] = &ends;
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
        .map(|&i| axis_words(&ends, order, config, i))
        .collect();
    vectors(pass, config);
    copy_async(pass, config);
    for loading in [true, false] {
        let in_row = lies_in_row(pass, config, loading);
        let step = match loading {
            true => config.steps.first_mut(),
            false => config.steps.last_mut(),
        };
        step.expect("a pass has a step").in_row |= i64::from(in_row);
    }
    config.head.row_of_reals = columns::staged(pass, order, config).map_or(0, |n| n as i64);
}

/// One side of a pass as the kernel takes its points.
struct End<'a> {
    pass: &'a Pass,
    loading: bool,
    /// Whether a copy moves reals in pairs there.
    copied: bool,
    /// Whether neighbouring reals are points as they are, or were put beside each other before.
    neighbours: bool,
}

impl<'a> End<'a> {
    fn new(pass: &'a Pass, config: &Config, loading: bool) -> Self {
        let (real, copied) = match loading {
            true => (
                pass.real_load(),
                config.steps.iter().any(|s| s.reals_in == REALS_LOADED),
            ),
            false => (
                pass.real_store(),
                config.steps.iter().any(|s| s.reals_out == REALS_STORED),
            ),
        };
        End {
            pass,
            loading,
            copied,
            neighbours: copied || real.is_some_and(|(side, _)| *side == RealSide::PAIRS),
        }
    }

    fn access(&self) -> &'a Access {
        match self.loading {
            true => &self.pass.load,
            false => &self.pass.store,
        }
    }

    fn stride(&self, axis: &TileAxis) -> usize {
        match self.loading {
            true => axis.load_stride,
            false => axis.store_stride,
        }
    }

    fn index(&self, axis: &TileAxis) -> usize {
        match self.loading {
            true => axis.load_index,
            false => axis.store_index,
        }
    }

    /// Whether two reals along an axis are a point: loaded by R2C, and stored by C2R.
    fn pairs(&self, i: usize) -> bool {
        let other = if self.loading { Kind::C2R } else { Kind::R2C };
        let axis = &self.pass.axes[i];
        self.access().domain == Domain::Real && axis.kind != other && extents::packed(axis)
    }

    fn halved(&self) -> Option<usize> {
        (0..self.pass.axes.len()).find(|&i| self.pairs(i))
    }

    /// The axis along which neighbouring reals are points: of several the first where they are loaded, the last where they are
    /// stored.
    fn own_axis(&self) -> usize {
        match self.loading || !self.pass.axes_of_reals() {
            true => 0,
            false => self.pass.axes.len() - 1,
        }
    }

    /// `enum Points`.
    fn points(&self) -> i64 {
        let real = match self.loading {
            true => self.pass.real_load(),
            false => self.pass.real_store(),
        };
        match (real, self.access().domain) {
            (Some(_), _) if self.neighbours => PAIRS,
            (Some(_), _) => ORDERED,
            (None, Domain::Complex) => COMPLEX,
            (None, Domain::Real) if self.halved().is_some() => PAIRS,
            (None, Domain::Real) => REAL,
        }
    }

    /// Scalars from a point's real to its imaginary part.
    fn imaginary(&self) -> i64 {
        let axis = &self.pass.axes[self.own_axis()];
        let scalars = match self.halved() {
            _ if self.neighbours => self.stride(axis) / self.index(axis),
            Some(i) => self.stride(&self.pass.axes[i]),
            None => self.access().imaginary,
        };
        scalars as i64
    }

    /// Scalars from a point of an axis to the next.
    fn apart(&self, i: usize) -> i64 {
        let along = !self.pass.axes_of_reals() || i == self.own_axis();
        let both = self.neighbours && along || self.pairs(i);
        let stride = self.stride(&self.pass.axes[i]);
        (if both { 2 * stride } else { stride }) as i64
    }

    /// Points of the whole line from one to the next; of a line of reals that two of make a value.
    fn index_apart(&self, i: usize) -> i64 {
        let line = match self.loading {
            true => self.pass.load_reals,
            false => self.pass.store_reals,
        };
        let index = self.index(&self.pass.axes[i]);
        let both = line.is_some() && self.pairs(i);
        (if both { 2 * index } else { index }) as i64
    }

    /// The end of an axis' range, where something lies beyond. Of the pairs of an odd number of reals the last one is half there.
    fn range_end(&self, axis: &TileAxis, innermost: bool, config: &Config) -> i64 {
        let (range, points, copy) = match self.loading {
            true => (
                &axis.load_range,
                extents::given(axis, self.pass),
                config.steps.first(),
            ),
            false => (
                &axis.store_range,
                extents::made(axis, self.pass),
                config.steps.last(),
            ),
        };
        let copy = copy.filter(|_| self.copied && innermost);
        let reals = copy.map(|copy| reals_of_copy(self.pass, copy, axis));
        match reals.filter(|n| !n.is_multiple_of(2)) {
            _ if *range != (0..points) => range.end as i64,
            Some(reals) => reals as i64,
            None => NO_END,
        }
    }
}

/// The words of an axis.
fn axis_words([load, store]: &[End; 2], order: &[usize], config: &Config, i: usize) -> AxisWords {
    let axis = &load.pass.axes[i];
    let innermost = order.last() == Some(&i);
    AxisWords {
        load_stride: load.apart(i),
        store_stride: store.apart(i),
        load_index: load.index_apart(i),
        load_begin: axis.load_range.start as i64,
        load_end: load.range_end(axis, innermost, config),
        store_index: store.index_apart(i),
        store_begin: axis.store_range.start as i64,
        store_end: store.range_end(axis, innermost, config),
        load_run: run_words(axis.load_runs)[0],
        load_apart: run_words(axis.load_runs)[1],
        store_run: run_words(axis.store_runs)[0],
        store_apart: run_words(axis.store_runs)[1],
    }
}

/// Whether a side has its points' two scalars together.
fn together(points: i64) -> bool {
    points == COMPLEX || points == PAIRS
}

/// Says on which sides one access moves both scalars of a point.
fn vectors(pass: &Pass, config: &mut Config) {
    let even = |n: i64| n % 2 == 0;
    let loads = config.loops.iter().all(|l| even(l.load))
        && config.axes.iter().all(|a| even(a.load_stride))
        && pass.load.offset.is_multiple_of(2);
    let stores = config.loops.iter().all(|l| even(l.store))
        && config.axes.iter().all(|a| even(a.store_stride))
        && pass.store.offset.is_multiple_of(2);
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
        && matches!(pass.storage, ScalarType::F32 | ScalarType::F64)
        && config
            .axes
            .iter()
            .all(|a| a.load_begin == 0 && a.load_end == NO_END);
    let first = config.steps.first_mut().expect("a pass has a step");
    let factored = first.before != 0 || first.before_roots >= 0;
    let unchanged = first.hermitian == 0 && !factored && first.columns == first.input;
    // Neighbours come by one access into registers.
    let staged = first.op == OP_COPY && first.target == SHARED && first.neighbours == 1;
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
