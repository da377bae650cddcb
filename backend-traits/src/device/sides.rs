//! How a pass reaches memory on both sides: loops, axes, and the factors on the way.

use super::columns;
use super::config::*;
use super::extents;
use super::roots::line_twiddles;
use super::rows::lies_in_row;
use super::tables::{Tables, Twiddles};
use crate::pass::{Factor, Images, Pass, Runs, TileAxis};
use crate::precision::ScalarType;
use crate::real::{Middle, RealSide};
use crate::real_line::RealLine;
use crate::{Direction, Domain, Kind};
use std::ops::Range;

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
    // Reals are loaded by R2C and stored by C2R.
    let pairs = |i: usize, loading: bool| {
        let (axis, side, other) = match loading {
            true => (&pass.axes[i], &pass.load, Kind::C2R),
            false => (&pass.axes[i], &pass.store, Kind::R2C),
        };
        side.domain == Domain::Real && axis.kind != other && extents::packed(axis)
    };
    let halved = |loading: bool| (0..pass.axes.len()).find(|&i| pairs(i, loading));
    let kind = |domain: Domain, loading: bool| match domain {
        Domain::Complex => COMPLEX,
        Domain::Real if halved(loading).is_some() => PAIRS,
        Domain::Real => REAL,
    };
    // Neighbouring reals are points as they are, or were put beside each other before.
    let neighbours =
        |side: Option<(&RealSide, usize)>| side.is_some_and(|(side, _)| *side == RealSide::PAIRS);
    let taken = config.steps.iter().any(|s| s.reals_in == REALS_LOADED);
    let put = config.steps.iter().any(|s| s.reals_out == REALS_STORED);
    let load_pairs = neighbours(pass.real_load()) || taken;
    let store_pairs = neighbours(pass.real_store()) || put;
    // Of several axes of reals only one is in pairs: the first where they are loaded, the last where they are stored.
    let on_chip = pass.axes_of_reals();
    let axis_of_store = if on_chip { pass.axes.len() - 1 } else { 0 };
    let along = |i: usize, own: usize| !on_chip || i == own;
    let head = &mut config.head;
    head.load_points = match pass.real_load() {
        Some(_) if load_pairs => PAIRS,
        Some(_) => ORDERED,
        None => kind(pass.load.domain, true),
    };
    head.store_points = match pass.real_store() {
        Some(_) if store_pairs => PAIRS,
        Some(_) => ORDERED,
        None => kind(pass.store.domain, false),
    };
    head.load_imaginary = match halved(true) {
        _ if load_pairs => pass.axes[0].load_stride / pass.axes[0].load_index,
        Some(i) => pass.axes[i].load_stride,
        None => pass.load.imaginary,
    } as i64;
    head.store_imaginary = match halved(false) {
        _ if store_pairs => {
            pass.axes[axis_of_store].store_stride / pass.axes[axis_of_store].store_index
        }
        Some(i) => pass.axes[i].store_stride,
        None => pass.store.imaginary,
    } as i64;
    for l in &mut config.loops {
        if load_pairs && l.load_index > 0 {
            l.load *= 2;
        }
        if store_pairs && l.store_index > 0 {
            l.store *= 2;
        }
    }
    for &i in order {
        let axis = &pass.axes[i];
        let double = |yes: bool, stride: usize| (if yes { 2 * stride } else { stride }) as i64;
        // Points of a line of reals that two of make a value.
        let reals = |line: Option<RealLine>, i, loading| line.is_some() && pairs(i, loading);
        let whole_in = axis.load_range == (0..extents::given(axis, pass));
        let whole_out = axis.store_range == (0..extents::made(axis, pass));
        // Of the pairs of an odd number of reals the last one is half there.
        let end = |range: &Range<usize>, whole: bool, copy: Option<&StepWords>| {
            let reals = copy.filter(|_| order.last() == Some(&i));
            let reals = reals.map(|copy| reals_of_copy(pass, copy, axis));
            match reals.filter(|n| !n.is_multiple_of(2)) {
                Some(reals) if whole => reals as i64,
                None if whole => NO_END,
                _ => range.end as i64,
            }
        };
        let first = config.steps.first().filter(|_| taken);
        let last = config.steps.last().filter(|_| put);
        config.axes.push(AxisWords {
            load_stride: double(
                load_pairs && along(i, 0) || pairs(i, true),
                axis.load_stride,
            ),
            store_stride: double(
                store_pairs && along(i, axis_of_store) || pairs(i, false),
                axis.store_stride,
            ),
            load_index: double(reals(pass.load_reals, i, true), axis.load_index),
            load_begin: axis.load_range.start as i64,
            load_end: end(&axis.load_range, whole_in, first),
            store_index: double(reals(pass.store_reals, i, false), axis.store_index),
            store_begin: axis.store_range.start as i64,
            store_end: end(&axis.store_range, whole_out, last),
            load_run: run_words(axis.load_runs)[0],
            load_apart: run_words(axis.load_runs)[1],
            store_run: run_words(axis.store_runs)[0],
            store_apart: run_words(axis.store_runs)[1],
        });
    }
    let together = |points: i64| points == COMPLEX || points == PAIRS;
    let head = &mut config.head;
    let loads = config.loops.iter().all(|l| l.load % 2 == 0) && pass.load.offset.is_multiple_of(2);
    let stores =
        config.loops.iter().all(|l| l.store % 2 == 0) && pass.store.offset.is_multiple_of(2);
    let axes_load = config.axes.iter().all(|a| a.load_stride % 2 == 0);
    let axes_store = config.axes.iter().all(|a| a.store_stride % 2 == 0);
    head.load_vector =
        i64::from(together(head.load_points) && head.load_imaginary == 1 && loads && axes_load);
    head.store_vector =
        i64::from(together(head.store_points) && head.store_imaginary == 1 && stores && axes_store);
    // A copy without registers changes nothing on the way.
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

/// The reals that a copy moves in pairs along its axis: those of a line, or of all axes in a row.
fn reals_of_copy(pass: &Pass, copy: &StepWords, axis: &TileAxis) -> usize {
    let row = pass.axes.len() > 1 && copy.outer == 1;
    match row {
        true => pass.lengths().into_iter().product(),
        false => axis.length,
    }
}
