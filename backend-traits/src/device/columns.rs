//! Folded lines: of real columns, in one tile, see [`Step::RealColumns`]. The steps of such an axis see columns and rows, of
//! each of which half are there, and one; memory, and the other axes of the tile, see the line's reals.

use super::config::*;
use super::roots::line_twiddles;
use super::rows::one_after_another;
use super::tables::{Tables, Twiddles};
use crate::error::{Error, Result};
use crate::kind::{Direction, Kind};
use crate::mirrors::mirrors_in_registers;
use crate::pass::{Loop, Pass, TileAxis};
use crate::precision::ScalarType;
use crate::radix;
use crate::real::Order;
use crate::real_line::RealLine;
use crate::side::End;
use crate::step::{Engine, Step};

/// Bytes of the largest sector of any device's memory.
pub const LARGEST_SECTOR: usize = 64;

/// A line of real columns is staged, where that was not measured, if the runs of results that it would store are of fewer
/// bytes. On an H200, of a copy, not staged and staged: 65 reals of FP32 by 4·8, with runs of 20 bytes, 0.63 (on an H100) and
/// 0.81; 1001 by 25·20, of 104 bytes, 0.83 and 0.82; 4097 by 8·8·32, of 260, 0.72 and 0.69.
const SHORT_RUN: usize = 100;

/// An axis of a tile that goes by columns and rows, and the steps of either.
pub struct Folded {
    pub line: RealLine,
    /// N1 and N2: reals of a column, and those that a row becomes.
    pub lengths: [usize; 2],
    /// The radices of columns, and of rows.
    pub radices: [Vec<usize>; 2],
}

impl Folded {
    /// Of how many columns, and how many rows, half spectra are on chip.
    pub fn halves(&self) -> [usize; 2] {
        self.lengths.map(|n| n / 2 + 1)
    }

    /// Columns, or rows (`part` 1), as an axis of its own. Conjugates, of which C2R makes what the DFT does of the rest:
    /// the result is real.
    pub fn part(&self, axis: &TileAxis, part: usize) -> TileAxis {
        TileAxis {
            kind: [Kind::R2C, Kind::C2R][part],
            direction: Direction::Inverse,
            length: self.lengths[part],
            ..axis.clone()
        }
    }
}

/// The columns and rows of an axis of the pass, if it goes by them.
pub fn of_axis(pass: &Pass, axis: &TileAxis) -> Option<Folded> {
    let line = pass.real_columns(axis)?;
    let lengths = line.columns_and_rows()?;
    let own = |step: &&Step| matches!(step, Step::Dft { axis: own, .. } if *own == axis.axis);
    let radices = pass.steps.iter().filter(own).filter_map(Step::radix);
    let mut product = 1usize;
    let columns = |radix: &usize| {
        let more = product < lengths[0] / 2;
        product = product.saturating_mul(if more { *radix } else { 1 });
        more
    };
    let (first, last) = radices.partition(columns);
    Some(Folded {
        line,
        lengths,
        radices: [first, last],
    })
}

/// Whether an axis of the pass goes by columns and rows.
pub fn any(pass: &Pass) -> bool {
    let columns = |step: &Step| matches!(step, Step::RealColumns { .. });
    pass.steps.iter().any(columns)
}

/// Checks the steps of axes by columns and rows.
///
/// # Errors
/// `Unsupported` where they do not make these, or leave points and their mirror images in different threads where
/// half spectra are split or merged.
pub fn check(pass: &Pass) -> Result<()> {
    let whole = !pass.loops.iter().any(Loop::counts_parts);
    let alone = pass.load.plain() && pass.store.plain();
    let reals = pass.axes.len() == 1 || pass.axes_of_reals();
    let simt = pass.math.engine == Engine::Simt && pass.tile.residency.blocks() == 1;
    let makes = |radices: &[usize], n: usize, end: Option<&usize>| {
        let ends = end.is_some_and(|&radix| mirrors_in_registers(n / 2, radix));
        let held = radices.iter().all(|&r| !radix::summed(r, false));
        let mut radices = radices.iter();
        let product = radices.try_fold(1usize, |n, &r| n.checked_mul(r));
        n.is_multiple_of(2) && product == Some(n / 2) && ends && held
    };
    let others = |axis: usize| {
        let own = |s: &&Step| s.axis() == Some(axis);
        let plain = |s: &&Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. });
        pass.steps.iter().filter(own).filter(|s| !plain(s)).count()
    };
    for step in &pass.steps {
        let Step::RealColumns {
            axis,
            columns,
            rows,
        } = *step
        else {
            continue;
        };
        // Nothing else beside these columns.
        let one = others(axis) == 1;
        let axis = pass.axes.iter().find(|a| a.axis == axis);
        let made = axis.is_some_and(|axis| {
            let unit = axis.is_whole();
            let length = axis.kind.shared_core_length(axis.length);
            let ends = of_axis(pass, axis).is_some_and(|Folded { radices, .. }| {
                let [first, last] = &radices;
                makes(first, columns, first.last()) && makes(last, rows, last.first())
            });
            let symmetric = axis.kind.is_symmetric();
            unit && symmetric && columns.checked_mul(rows) == Some(length) && ends
        });
        if !(simt && whole && alone && reals && one && made) {
            return Err(Error::Unsupported {
                what: format!("a line by columns of {columns} and rows of {rows}"),
                backend: "the device code".into(),
                instead: "ask for steps that keep points beside their mirror images".into(),
            });
        }
    }
    Ok(())
}

/// The twiddles between the columns and the rows of `axis`, number `at` in the order of the tile: at the last step of the
/// columns.
pub fn twiddles(pass: &Pass, axis: &TileAxis, at: usize, config: &mut Config, tables: &mut Tables) {
    let Some(folded) = of_axis(pass, axis) else {
        return;
    };
    let own = |s: &&mut StepWords| (s.axis, s.folded) == (at as i64, FOLDED_COLUMNS);
    let step = config.steps.iter_mut().rev().find(own);
    let step = step.expect("columns have a step");
    let twiddles = Twiddles {
        length: folded.lengths.iter().product(),
        inverse: true,
        // An odd line's rows are imaginary without it.
        turned: folded.line.side(End::Load).order == Order::Odd,
        first: 0,
    };
    let double = pass.math.storage == ScalarType::F64;
    let rows = folded.halves()[1];
    step.after_roots = line_twiddles(step, rows, 1, twiddles, double, tables);
}

/// Where the results of lines of real columns meet in shared memory before they go to memory: how many reals a line of the
/// tile has, of all axes. `order` is that of the axes in memory.
pub fn staged(pass: &Pass, order: &[usize], config: &Config) -> Option<usize> {
    let (reals, run) = run_in_row(pass, order, config)?;
    let asked = pass.tile.launch.map(|launch| launch.staged);
    // Of arrays rows are longer: of ten that were measured on an H100 (31 to 129 reals a side) none was faster by it.
    let short = pass.axes.len() == 1 && run < SHORT_RUN;
    asked.unwrap_or(short).then_some(reals)
}

/// The reals of a line, and bytes of the runs that the last step stores, if it is of rows of real columns, and the tile's lines
/// lie in a row in memory, all of each and nothing between them.
fn run_in_row(pass: &Pass, order: &[usize], config: &Config) -> Option<(usize, usize)> {
    let outermost = &pass.axes[*order.first()?];
    let last = pass.axes.last()?;
    let folded = of_axis(pass, last)?;
    let whole = |axis: &AxisWords| (axis.store_begin, axis.store_end) == (0, NO_END);
    let mut reals = 1;
    let beside = order.iter().zip(&config.axes).rev().all(|(&i, axis)| {
        let follows = axis.store_stride == reals as i64 && axis.store_index == 1;
        reals *= pass.axes[i].length;
        follows && whole(axis)
    });
    let row = one_after_another(&config.loops, reals as i64, End::Store)
        && config.loops.iter().all(|l| l.store_index == 0);
    let inner = reals / last.length;
    let run = if inner > 1 { inner } else { folded.halves()[0] };
    (outermost.axis == last.axis && row && beside)
        .then_some((reals, run * pass.math.storage.bytes()))
}
