//! Folded lines: those that are their own mirror image, or that one's negative, in one tile. Type I by real
//! columns and rows that become real, as `real_columns` says of two passes. It is a quarter of the
//! arithmetic of the continued line as a complex one, in as much shared memory as the line's reals take twice.
//!
//! Splits of the columns' spectra, and merges of the rows', are done where a thread has a point and its mirror
//! image: after the last step of a column, and before the first of a row.

use super::fits::{Fits, LARGEST_RADIX};
use super::stage::{is_scattered, Stage};
use mmafft_backend_traits::device::mirrors_in_registers;
use mmafft_backend_traits::{radix, Engine, ScalarType, Step, TileAxis};

/// Points of the shortest continued line that is taken so.
const SHORTEST: usize = 32;

/// The largest radix of FP32 that is all of a column or a row: 1025 reals by 16·32 ran at 0.83 of a copy on an H200, by
/// 16·8·4 at 0.69.
const LARGEST_ALONE: usize = 32;

/// Bytes that a tile of several lines has on chip at most.
const TILE_BYTES: usize = 32 << 10;

/// Threads that take their steps together, on NVIDIA devices, or half of those that do.
const WAVE: usize = 32;

/// The steps of a stage's line, of the fewest radices, if it can be taken so on this device. Shorter ones are a thread's: 21x21 reals of
/// FP32 take 82 instructions a real on sm_90 by columns, and 41 so.
pub fn steps(axis: usize, stage: &Stage, several: bool, fits: &Fits) -> Option<Vec<Step>> {
    let free = fits.limits.line_library.is_none() && fits.engine == Engine::Simt;
    let whole = stage.kind.shared_core_length(stage.length);
    if !free
        || fits.asked.is_some()
        || !stage.inner.is_empty()
        || !stage.kind.is_symmetric()
        || !whole.is_multiple_of(4)
        || whole < SHORTEST
        || in_thread(stage, several, fits)
    {
        return None;
    }
    let quarter = whole / 4;
    let made = |n: usize| {
        let alone = fits.scalar.compute_bytes() < 8 && n <= LARGEST_ALONE;
        let largest = if alone { n } else { LARGEST_RADIX };
        let radices = radix::fewest(n, &fits.table, largest.max(LARGEST_RADIX))?;
        radices
            .iter()
            .all(|&r| !radix::summed(r, false))
            .then_some(radices)
    };
    let fitting = |n1: usize, n2: usize| (n1 / 2 + 1) * (n2 / 2 + 1) <= fits.longest_line();
    let ends = |n: usize, radices: &[usize], first: bool| {
        let end = if first {
            radices.first()
        } else {
            radices.last()
        };
        end.is_some_and(|&r| mirrors_in_registers(n, r))
    };
    // Descending, or ascending, so that the step beside the other part has mirror images in a thread.
    let ordered = |n: usize, first: bool| {
        let mut radices = made(n)?;
        if !ends(n, &radices, first) {
            radices.reverse();
        }
        ends(n, &radices, first).then_some(radices)
    };
    // Of columns and rows, (a + 1)·(b + 1) points are on chip.
    if quarter >= fits.longest_line() {
        return None;
    }
    let divisors = (2..=quarter / 2).filter(|a| quarter.is_multiple_of(*a));
    let all = divisors.filter_map(|a| {
        let b = quarter / a;
        let parts = (ordered(a, false)?, ordered(b, true)?);
        fitting(2 * a, 2 * b).then_some((parts.0.len() + parts.1.len(), a.abs_diff(b), parts))
    });
    let (_, _, (columns, rows)) = all.min_by_key(|(steps, apart, _)| (*steps, *apart))?;
    Some(sequence(axis, &columns, &rows))
}

/// The same of the radices of a rule; `None` where they are those of the line as a complex one, or make none.
pub fn of_radices(axis: &TileAxis, radices: &[usize]) -> Option<Vec<Step>> {
    let whole = axis.kind.shared_core_length(axis.length);
    let product = |radices: &[usize]| {
        radices
            .iter()
            .try_fold(1usize, |n, &radix| n.checked_mul(radix))
    };
    let quarter = product(radices)?;
    if !axis.kind.is_symmetric() || quarter.checked_mul(4) != Some(whole) {
        return None;
    }
    let cuts = (1..radices.len()).filter_map(|at| {
        let (columns, rows) = radices.split_at(at);
        let (a, b) = (product(columns)?, product(rows)?);
        // Not as sums over shared memory: reals from both ends of a line are in columns' registers.
        let held = radices.iter().all(|&r| !radix::summed(r, false));
        let ends =
            mirrors_in_registers(a, *columns.last()?) && mirrors_in_registers(b, *rows.first()?);
        (held && ends).then_some((a.max(b), columns, rows))
    });
    let (_, columns, rows) = cuts.min_by_key(|(longest, _, _)| *longest)?;
    Some(sequence(axis.axis, columns, rows))
}

/// Whether a stage's lines are so short that a thread has all of one: a butterfly of their continued lines, packed, is there, in
/// place of which a device computes their type I alone. Not where they are columns, the only axis of a tile: both passes of DST-I of
/// 23x1000 in FP32, the second in place, ran at 0.34 of a copy on an H100 so, whatever the tile, at 0.36 by real columns.
pub fn in_thread(stage: &Stage, several: bool, fits: &Fits) -> bool {
    let free = fits.limits.line_library.is_none() && fits.engine == Engine::Simt;
    let core = stage.kind.core_length(stage.length);
    let whole = stage.load_reals.is_none() && stage.store_reals.is_none();
    free && fits.asked.is_none()
        && (several || !is_scattered(stage))
        && whole
        && stage.inner.is_empty()
        && stage.kind.in_thread(stage.length, &[core])
        && fits.table.contains(&core)
}

/// Points that a line of an axis takes on chip: by real columns more than its own, and of reals that a thread has all of one for
/// two.
pub fn on_chip(steps: &[Step], axis: &TileAxis) -> usize {
    match points(steps, axis.axis) {
        Some(points) => points,
        None if axis.in_thread(steps) => axis.length.div_ceil(2),
        None => axis.core_length(),
    }
}

/// The points that a line of this axis takes on chip, where its steps are of real columns.
pub fn points(steps: &[Step], axis: usize) -> Option<usize> {
    steps.iter().find_map(|step| match step {
        Step::RealColumns {
            axis: own,
            columns,
            rows,
        } if *own == axis => Some((columns / 2 + 1) * (rows / 2 + 1)),
        _ => None,
    })
}

/// How many columns the step of each of these radices has, of a line of so many columns and rows: one more than their
/// halves make.
pub fn columns_of_steps([columns, rows]: [usize; 2], radices: &[usize]) -> Vec<usize> {
    let mut made = 1;
    let of = |radix: &usize| {
        let [others, length] = match made < columns / 2 {
            true => [rows / 2 + 1, columns / 2],
            false => [columns / 2 + 1, rows / 2],
        };
        made *= radix;
        others * (length / radix)
    };
    radices.iter().map(of).collect()
}

/// Of how many such lines, from `few` to `most`, the steps leave the fewest threads idle: a line has one column more than
/// fill a wave where it is of a power of two. 513 reals of FP32 by 7 lines, of 119 columns in each step, ran at 0.95 of a
/// copy on an H200, by radices 32 and 8 and 3 lines at 0.78; 257 by 7 at 0.96, by 3 at 0.83.
pub fn lines(steps: &[Step], few: usize, most: usize, scalar: ScalarType) -> Option<usize> {
    let Some(&Step::RealColumns {
        axis,
        columns,
        rows,
    }) = steps.first()
    else {
        return None;
    };
    let points = points(steps, axis)?;
    let radices: Vec<usize> = steps.iter().filter_map(Step::radix).collect();
    let of_steps = columns_of_steps([columns, rows], &radices);
    // Threads hold as many columns of each step as make 16 values, of the largest radix one.
    let largest = *radices.iter().max()?;
    let values = (16 / largest).max(1) * largest;
    let idle = |lines: usize| {
        let wanted = |(n, radix): (&usize, &usize)| (lines * n).div_ceil((values / radix).max(1));
        let threads = of_steps.iter().zip(&radices).map(wanted).max().unwrap_or(1);
        let threads = threads.next_multiple_of(WAVE);
        let rounds = |(n, radix): (&usize, &usize)| (lines * n).next_multiple_of(threads) * radix;
        let work = |(n, radix): (&usize, &usize)| lines * n * radix;
        let taken: usize = of_steps.iter().zip(&radices).map(rounds).sum();
        let needed: usize = of_steps.iter().zip(&radices).map(work).sum();
        // A few hundredths more or less make no difference.
        20 * (taken - needed) / needed
    };
    let most = most.min(TILE_BYTES / (2 * scalar.compute_bytes()) / points);
    (few..=most.max(few)).min_by_key(|&lines| idle(lines))
}

fn sequence(axis: usize, columns: &[usize], rows: &[usize]) -> Vec<Step> {
    let reals = |radices: &[usize]| 2 * radices.iter().product::<usize>();
    let (n1, n2) = (reals(columns), reals(rows));
    let mut steps = vec![Step::RealColumns {
        axis,
        columns: n1,
        rows: n2,
    }];
    steps.extend(Step::sequence(axis, columns, Engine::Simt));
    steps.push(Step::Twiddle {
        axis,
        length: n1 * n2,
    });
    steps.push(Step::Exchange);
    steps.extend(Step::sequence(axis, rows, Engine::Simt));
    steps
}
