//! Folded lines: of real columns, in one tile, see [`Step::RealColumns`]. Lowered as a tile of two axes, columns
//! and rows, of each of which half are there, and one.

use super::config::*;
use super::facing::FACING_RADIX;
use super::sides::{line_twiddles, one_after_another};
use super::tables::{Tables, Twiddles};
use crate::error::{Error, Result};
use crate::kind::{Direction, Kind};
use crate::pass::{Engine, Pass, Step, TileAxis};
use crate::precision::ScalarType;
use crate::radix;
use crate::real::Order;
use crate::real_line::{LineForm, RealLine};

/// Bytes of the largest sector of any device's memory.
pub const LARGEST_SECTOR: usize = 64;

/// A line of real columns is staged, where that was not measured, if the runs of results that it would store are of fewer
/// bytes. On an H200, of a copy, not staged and staged: 65 reals of FP32 by 4·8, with runs of 20 bytes, 0.63 (on an H100) and
/// 0.81; 1001 by 25·20, of 104 bytes, 0.83 and 0.82; 4097 by 8·8·32, of 260, 0.72 and 0.69.
const SHORT_RUN: usize = 100;

/// Whether a step of this radix, the first of a DFT of `points` or the last one, has the mirror image of each
/// of its points in the same thread: where it is the only step, or columns come in pairs.
pub fn mirrors_in_registers(points: usize, radix: usize) -> bool {
    let pairs = points != radix && (points / radix).is_multiple_of(2) && radix <= FACING_RADIX;
    (points == radix || pairs) && !radix::summed(radix, false)
}

/// Whether a lowered pass is such a line, as a tile of two axes.
pub fn folded(pass: &Pass) -> bool {
    let columns =
        |line: Option<RealLine>| matches!(line.map(|l| l.form), Some(LineForm::Columns(_)));
    pass.axes.len() == 2 && columns(pass.load_reals) && columns(pass.store_reals)
}

/// A line of real columns as a tile of its two axes; `None` where the pass has none.
///
/// # Errors
/// `Unsupported` where the steps do not make columns and rows, or leave points and their mirror images in
/// different threads where half spectra are split or merged.
pub fn parts(pass: &Pass) -> Result<Option<Pass>> {
    let (Some(Step::RealColumns { columns, rows, .. }), [whole]) =
        (pass.steps.first(), &pass.axes[..])
    else {
        return Ok(None);
    };
    let (n1, n2) = (*columns, *rows);
    let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
    let mut product = 1;
    let before = radices.iter().take_while(|&&radix| {
        let more = product < n1 / 2;
        product *= if more { radix } else { 1 };
        more
    });
    let (first, last) = radices.split_at(before.count());
    let line = RealLine {
        kind: whole.kind,
        length: whole.length,
        form: LineForm::Columns(n1),
    };
    let makes = |radices: &[usize], n: usize, end: Option<&usize>| {
        let ends = end.is_some_and(|&radix| mirrors_in_registers(n / 2, radix));
        n.is_multiple_of(2) && radices.iter().product::<usize>() == n / 2 && ends
    };
    let whole_line = pass.loops.iter().all(|l| l.load_index + l.store_index == 0);
    let symmetric = whole.kind.shared_core_length(whole.length) == n1 * n2;
    let simt = pass.engine == Engine::Simt;
    // Conjugates, of which C2R makes what the DFT does of the rest: the result is real.
    let part = |number, kind, length, load, store| {
        let part = whole.part(number, length, load, store);
        let direction = Direction::Inverse;
        part.map(|part| TileAxis {
            kind,
            direction,
            ..part
        })
    };
    let axes = [part(0, Kind::R2C, n1, n2, 1), part(1, Kind::C2R, n2, 1, n1)];
    let (true, [Some(columns), Some(rows)]) = (
        simt && makes(first, n1, first.last())
            && makes(last, n2, last.first())
            && whole_line
            && symmetric,
        axes,
    ) else {
        return Err(Error::Unsupported {
            what: format!(
                "a line of {} by columns of {n1} and rows of {n2}",
                whole.length
            ),
            backend: "the device code".into(),
            instead: "ask for steps that keep points beside their mirror images".into(),
        });
    };
    let dft = |axis: usize, radices: &[usize]| {
        radices
            .iter()
            .map(move |&radix| Step::Dft {
                axis,
                radix,
                engine: Engine::Simt,
            })
            .collect::<Vec<_>>()
    };
    Ok(Some(Pass {
        axes: vec![columns, rows],
        load_reals: Some(line),
        store_reals: Some(line),
        steps: [dft(0, first), dft(1, last)].concat(),
        ..pass.clone()
    }))
}

/// The twiddles between columns and rows, at the last step of the columns.
pub fn twiddles(pass: &Pass, config: &mut Config, tables: &mut Tables) {
    let (Some(line), [columns, rows]) = (pass.load_reals, &pass.axes[..]) else {
        return;
    };
    let step = config.steps.iter_mut().rev().find(|s| s.axis == 0);
    let step = step.expect("columns have a step");
    let twiddles = Twiddles {
        length: columns.length * rows.length,
        inverse: columns.direction == Direction::Inverse,
        // An odd line's rows are imaginary without it.
        turned: line.load().order == Order::Odd,
    };
    let double = pass.storage == ScalarType::F64;
    step.after_roots = line_twiddles(step, rows.length / 2 + 1, 1, twiddles, double, tables);
}

/// Whether the results of a line of real columns meet in shared memory before they go to memory.
pub fn staged(pass: &Pass, config: &Config) -> bool {
    let asked = pass.tile.launch.map(|launch| launch.staged);
    run_in_row(pass, config).is_some_and(|run| asked.unwrap_or(run < SHORT_RUN))
}

/// Bytes of the runs that the last step of a line of real columns stores, if the tile's lines lie in a row in memory,
/// all of each and nothing between them.
fn run_in_row(pass: &Pass, config: &Config) -> Option<usize> {
    let line = pass.store_reals.filter(|_| folded(pass))?;
    let whole = |axis: &AxisWords| (axis.store_begin, axis.store_end) == (0, NO_END);
    let unit = |axis: &AxisWords| axis.store_stride == axis.store_index;
    let row = one_after_another(&config.loops, line.length as i64, |l| l.store)
        && config.loops.iter().all(|l| l.store_index == 0);
    let rows = pass.axes.first()?.length / 2 + 1;
    (row && config.axes.iter().all(|axis| whole(axis) && unit(axis)))
        .then_some(rows * pass.storage.bytes())
}
