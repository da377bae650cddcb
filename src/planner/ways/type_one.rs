//! Type I by real columns: lines that are their own mirror image, or that one's negative, in one tile.
//!
//! The continued line has N = N1·N2 reals, of which column N2 − n2 is column n2 reversed:
//!
//! ```text
//! y[k1, n2] = exp(∓2πi·k1·n2/N) · Σ_n1 x[n1·N2 + n2]·exp(∓2πi·n1·k1/N1)   (real columns, n2 ≤ N2/2)
//! X[k1 + N1·k2] = Σ_n2 y[k1, n2]·exp(∓2πi·n2·k2/N2)                       (rows that become real, k1 ≤ N1/2)
//! ```
//! It is a quarter of the arithmetic of the continued line as a complex one, in as much shared memory as the line's reals take
//! twice; [`super::real_columns`] does the same in two passes. Splits of the columns' spectra, and merges of the rows', are
//! done where a thread has a point and its mirror image: after the last step of a column, and before the first of a row.

use super::type_one_in_threads::is_in_thread;
use crate::planner::fits::{Fits, LARGEST_RADIX};
use crate::planner::folded::sequence;
use crate::planner::stage::Stage;
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::mirrors::mirrors_in_registers;
use mmafft_backend_traits::{radix, Engine, Result, Step};

pub const WAY: Way = Way {
    name: "type I by real columns",
    method: Method::Axis { applies, steps },
};

fn applies(axis: &Axis) -> bool {
    found(axis).is_some()
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let reason = "simt engine, the fewest radices of real columns";
    Ok((found(axis).unwrap_or_default(), reason.into()))
}

/// Between axes of reals lie these, of which columns are made.
fn found(axis: &Axis) -> Option<Vec<Step>> {
    let reals = || axis.stages.iter().all(|s| s.kind.is_real_to_real());
    let free = !axis.several() || reals();
    free.then(|| steps_of(axis.axis.axis, axis.stage, axis.several(), axis.fits))
        .flatten()
}

/// Points of the shortest continued line that is taken so.
const SHORTEST: usize = 32;

/// The largest radix of FP32 that is all of a column or a row: 1025 reals by 16·32 ran at 0.83 of a copy on an H200, by
/// 16·8·4 at 0.69.
const LARGEST_ALONE: usize = 32;

/// The steps of a stage's line, of the fewest radices, if it can be taken so on this device. Shorter ones are a thread's: 21x21 reals of
/// FP32 take 82 instructions a real on sm_90 by columns, and 41 so.
pub fn steps_of(axis: usize, stage: &Stage, several: bool, fits: &Fits) -> Option<Vec<Step>> {
    let free = fits.by_kernels() && fits.engine == Engine::Simt;
    let whole = stage.kind.shared_core_length(stage.length);
    if !free
        || fits.asked.is_some()
        || !stage.inner.is_empty()
        || !stage.kind.is_symmetric()
        || !whole.is_multiple_of(4)
        || whole < SHORTEST
        || is_in_thread(stage, several, fits)
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
