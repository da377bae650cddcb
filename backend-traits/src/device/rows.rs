//! Lines that lie in a row in memory, all of their points and nothing between them.

use super::config::*;
use crate::pass::Pass;

/// Whether lines of so many scalars lie one after another, nothing between them, where a loop's lines `begin` so far apart. Of
/// loops as they are: the count of the outermost one is not looked at.
pub fn one_after_another(
    loops: &[LoopWords],
    line: i64,
    begin: impl Fn(&LoopWords) -> i64,
) -> bool {
    let mut end = line;
    loops.iter().rev().all(|l| {
        let follows = begin(l) == end && (l.load_run, l.store_run) == (0, 0);
        end = begin(l) * l.count;
        follows
    })
}

/// Whether the first step (`loading`) or the last is a copy of lines that lie in a row in memory, all
/// of their points and nothing between them.
pub fn lies_in_row(pass: &Pass, config: &Config, loading: bool) -> bool {
    let head = &config.head;
    let step = if loading {
        config.steps.first()
    } else {
        config.steps.last()
    };
    let Some(step) = step.filter(|s| s.op == OP_COPY && config.steps.len() > 1) else {
        return false;
    };
    // Of several axes a copy takes each for itself, or all as one.
    let axis = &config.axes[step.axis as usize];
    let (points, vector, run, stride, extent, range) = match loading {
        true => (
            head.load_points,
            head.load_vector,
            axis.load_run,
            axis.load_stride,
            step.input,
            [axis.load_begin, axis.load_end],
        ),
        false => (
            head.store_points,
            head.store_vector,
            axis.store_run,
            axis.store_stride,
            step.output,
            [axis.store_begin, axis.store_end],
        ),
    };
    let factors = match loading {
        true => step.before != 0 || step.before_roots >= 0,
        false => step.after != 0 || step.after_roots >= 0,
    };
    let whole = range == [0, NO_END] && extent == step.columns;
    let plain =
        step.outer * step.inner == 1 && step.lines_fast == 0 && step.hermitian == 0 && !factors;
    let row = one_after_another(&config.loops, 2 * step.columns, |l| match loading {
        true => l.load,
        false => l.store,
    });
    let alone = pass.mirrored.is_none() && pass.edges.is_none() && head.blocks == 1;
    alone
        && whole
        && plain
        && row
        && (stride, run) == (2, 0)
        && vector != 0
        && matches!(points, COMPLEX | PAIRS)
}
