//! Folded lines: real columns and their rows in one tile, as [`super::ways::type_one`] has them. What they take on chip, and how
//! many columns their steps have.

use mmafft_backend_traits::mirrors::mirrors_in_registers;
use mmafft_backend_traits::{radix, Engine, ScalarType, Step, TileAxis};

/// Bytes that a tile of several lines has on chip at most.
const TILE_BYTES: usize = 32 << 10;

/// Threads that take their steps together, on NVIDIA devices, or half of those that do.
const WAVE: usize = 32;

/// The steps of these radices; `None` where they are those of the line as a complex one, or make none.
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

/// The steps of columns and rows of half so many reals, by these radices.
pub fn sequence(axis: usize, columns: &[usize], rows: &[usize]) -> Vec<Step> {
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
