//! The tables of a step's four-step twiddles.

use super::config::*;
use super::tables::{LineRoots, Tables, Twiddles};

/// The table of a step's four-step twiddles of `lines` lines, whose points are the step's own times `others`.
pub fn line_twiddles(
    step: &mut StepWords,
    lines: usize,
    others: usize,
    twiddles: Twiddles,
    double: bool,
    tables: &mut Tables,
) -> i64 {
    let (columns, rows) = match step.op {
        // The last point of a half spectrum too.
        OP_DFT => (
            (step.points / step.radix) as usize * others,
            step.radix as usize + usize::from(step.facing == FACING_SPLIT),
        ),
        OP_SPLIT => (step.points as usize + 1, 0),
        _ => (step.points as usize, 0),
    };
    // Tables in two levels begin with line 0.
    let must = twiddles.turned || twiddles.first > 0;
    match LineRoots::new(lines, columns, rows, double, must) {
        Some(shape) => {
            step.turned |= i64::from(twiddles.turned);
            step.roots_lines = lines as i64;
            step.roots_base = shape.base as i64;
            step.roots_digits = i64::from(shape.digits);
            tables.line_roots(twiddles, shape)
        }
        None => {
            let bits = twiddles.length.ilog2().div_ceil(2);
            step.roots_low = i64::from(bits);
            tables.roots(twiddles.length, bits, twiddles.inverse)
        }
    }
}
