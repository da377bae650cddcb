//! The real family's sides in numbers: `Reals` of `device/config.hpp`.

use super::config::*;
use super::extents;
use super::tables::Tables;
use crate::pass::{Pass, TileAxis};
use crate::precision::ScalarType;
use crate::real::{Middle, RealSide, Weight};
use crate::real_line::RealLine;
use crate::side::End;
use crate::Domain;

/// A side of a line of reals that shared memory has.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    pub side: &'static RealSide,
    /// Reals of a line.
    pub length: usize,
    /// The line, if it goes by real columns.
    pub columns: Option<RealLine>,
}

/// The side of the pass that a step names by this number (`reals_in`, `reals_out`).
pub fn side(pass: &Pass, number: i64) -> Option<Side> {
    let memory = |(side, length)| Side {
        side,
        length,
        columns: None,
    };
    match number {
        REALS_NONE => None,
        REALS_LOADED => pass.reals(End::Load).map(memory),
        REALS_STORED => pass.reals(End::Store).map(memory),
        between => {
            let between = (between - REALS_BETWEEN) as usize;
            let axis = pass.axes.get(between.div_ceil(2))?;
            let columns = pass.real_columns(axis);
            let reduction = pass.reduction(axis);
            let sides = match columns {
                Some(line) => [line.side(End::Store), line.side(End::Load)],
                None => [&reduction.store, &reduction.load],
            };
            Some(Side {
                side: sides[between % 2],
                length: axis.length,
                columns,
            })
        }
    }
}

/// How far the two reals of a column's value are apart, of a row's those that it becomes, and how many columns there are.
fn by_columns(words: &mut RealsWords, line: Option<RealLine>, end: End) {
    if let Some([n1, n2]) = line.and_then(|line| line.columns_and_rows()) {
        let (apart, columns) = [(n2, 0), (n1, n1)][end as usize];
        (words.apart, words.columns) = (apart as i64, columns as i64);
    }
}

/// The words of what lies between real axes: what one stores, what the next one loads.
pub fn between(pass: &Pass, tables: &mut Tables) -> Vec<RealsWords> {
    let pairs = match pass.axes_of_reals() {
        true => pass.axes.len() - 1,
        false => 0,
    };
    let mut words = |i: usize| {
        let number = REALS_BETWEEN + i as i64;
        let own = side(pass, number).expect("an axis on either side");
        let axis = &pass.axes[i.div_ceil(2)];
        let end = [End::Store, End::Load][i % 2];
        let points = own.columns.map_or_else(
            || own_points(pass, axis, end.middle()),
            |line| line.points(),
        );
        let (side, orthogonal) = (own.side, pass.math.orthogonal);
        let mut words = side_words(side, own.length, points, 0, orthogonal, false, tables);
        by_columns(&mut words, own.columns, end);
        words
    };
    (0..2 * pairs).map(&mut words).collect()
}

/// The words of both sides, zero where memory holds no line of reals.
pub fn words(pass: &Pass, tables: &mut Tables) -> [RealsWords; 2] {
    // Points p = a + A·c of lines in pairs, A of them, have weights by a and by c.
    let parts = pass.store.halves();
    let parts = parts.map(|all| all / pass.axes.last().map_or(1, |axis| axis.length));
    let parts = parts.filter(|lines| lines.is_power_of_two());
    End::BOTH.map(|end| {
        let (side, axis) = (pass.side(end), pass.axis_at(end));
        let points = points(pass, end);
        // As long as a line that passes share, a table of all weights would be read from memory
        // as the line is.
        let low = match (side.reals, parts) {
            (None, _) => 0,
            (Some(_), Some(lines)) => lines.ilog2(),
            (Some(_), None) => points.ilog2().div_ceil(2),
        };
        let (taken, orthogonal) = (weighted(pass, end), pass.math.orthogonal);
        let reals = pass.reals(end);
        let mut words = reals.map_or(RealsWords::default(), |(side, length)| {
            side_words(side, length, points, low, orthogonal, taken, tables)
        });
        // Real columns, and Hermitian rows: two points of the line are one value.
        let pairs = |axis: &&TileAxis| side.domain == Domain::Real && extents::packed(axis);
        if let (Some(_), Some(axis)) = (side.reals, axis.filter(pairs)) {
            words.apart = axis.map(end).index as i64;
        }
        if end == End::Store {
            let columns = side.reals.and_then(|line| line.image_columns());
            words.columns = columns.map_or(0, |n1| n1 as i64);
        }
        by_columns(&mut words, axis.and_then(|a| pass.real_columns(a)), end);
        words
    })
}

/// Whether the weights of the half spectrum, those of types II and III, are in the roots of its split or merge: of
/// points k and n − k of n the weights are the k-th power of a root and, but for an eighth of a turn, its conjugate.
///
/// Where that was faster on an H200: of whole lines, but for FP64's merge, and of merges of FP32 by parts (of a copy,
/// before and after, by the same rules: DCT-III of 4096 0.83 and 0.90, DCT-II of 1000 FP64 0.85 and 0.88; DCT-III of 512
/// FP64 0.86 and 0.81, DCT-II of 2^16 FP32 0.58 and 0.49).
pub fn weighted(pass: &Pass, end: End) -> bool {
    let Some((side, length)) = pass.reals(end) else {
        return false;
    };
    let double = pass.math.storage == ScalarType::F64;
    let halves = match (pass.side(end).halves(), &pass.axes[..]) {
        (Some(points), _) => 2 * points == length && end == End::Load && !double,
        (None, [axis]) if axis.kind.is_real_to_real() => {
            let halved = pass.reduction(axis).middle == end.middle();
            halved && (end == End::Store || !double)
        }
        _ => false,
    };
    halves && matches!(side.weight, Weight::Second | Weight::Third)
}

/// Points of the whole line on a side: of the DFT, or of the half spectrum that a merge
/// begins with, or that a split ends with.
fn points(pass: &Pass, end: End) -> usize {
    let side = pass.side(end);
    let Some(axis) = pass.axis_at(end) else {
        return 0;
    };
    match side.reals.or_else(|| pass.real_columns(axis)) {
        Some(line) => line.points() + usize::from(side.halves().is_some()),
        None => own_points(pass, axis, end.middle()),
    }
}

/// Points of an axis' DFT, or of the half spectrum that its merge begins with, or that its split ends with.
fn own_points(pass: &Pass, axis: &TileAxis, middle: Middle) -> usize {
    let reduction = pass.reduction(axis);
    let points = reduction.length.of(axis.length);
    points.unwrap_or(axis.length) + usize::from(reduction.middle == middle)
}

fn side_words(
    side: &RealSide,
    length: usize,
    points: usize,
    low: u32,
    orthogonal: bool,
    taken: bool,
    tables: &mut Tables,
) -> RealsWords {
    // What all points are multiplied by: 2·exp(−πi·N/4) is √2·(±1 ± i), as N is odd.
    let (turn_re, turn_im, turn_root) = match side.weight {
        Weight::Imaginary => (0, 1, 0),
        Weight::Hartley => (1, 1, 0),
        Weight::Residue => match length % 8 {
            1 => (1, -1, 1),
            3 => (-1, -1, 1),
            5 => (-1, 1, 1),
            _ => (1, 1, 1),
        },
        _ => (1, 0, 0),
    };
    let plain = (turn_re, turn_im) == (1, 0) && !taken;
    let weight = Some(side.weight).filter(|weight| plain && *weight != Weight::One);
    RealsWords {
        order: side.order as i64,
        pairing: side.pairing as i64,
        reversed: i64::from(side.reversed),
        alternating: i64::from(side.alternating),
        conjugate: i64::from(side.conjugate),
        first: i64::from(orthogonal && side.edges[0]),
        last: i64::from(orthogonal && side.edges[1]),
        length: length as i64,
        points: points as i64,
        turn_re,
        turn_im,
        turn_root,
        weights: match weight {
            Some(weight) => tables.weights(weight, length, points, low),
            None => -1,
        },
        weights_low: i64::from(low),
        weights_middle: weight.map_or(0, |weight| weight.middle() as i64),
        apart: 0,
        columns: 0,
    }
}
