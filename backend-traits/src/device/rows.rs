//! Lines that lie in a row in memory, all of their points and nothing between them.

use super::config::*;
use crate::pass::Pass;
use crate::side::End;

/// Whether lines of so many scalars lie one after another, nothing between them, on this side. Of
/// loops as they are: the count of the outermost one is not looked at.
pub fn one_after_another(loops: &[LoopWords], line: i64, end: End) -> bool {
    let mut next = line;
    loops.iter().rev().all(|l| {
        let follows = l.stride(end) == next && (l.load_run, l.store_run) == (0, 0);
        next = l.stride(end) * l.count;
        follows
    })
}

/// Whether the step that meets memory here is a copy of lines that lie in a row in memory, all
/// of their points and nothing between them.
pub fn lies_in_row(pass: &Pass, config: &Config, end: End) -> bool {
    let (head, steps) = (&config.head, &config.steps);
    let step = match end {
        End::Load => steps.first(),
        End::Store => steps.last(),
    };
    let Some(step) = step.filter(|s| s.op == OP_COPY && steps.len() > 1) else {
        return false;
    };
    // Of several axes a copy takes each for itself, or all as one.
    let axis = config.axes[step.axis as usize].side(end);
    let [points, vector, extent, factor, roots] = match end {
        End::Load => [
            head.load_points,
            head.load_vector,
            step.input,
            step.before,
            step.before_roots,
        ],
        End::Store => [
            head.store_points,
            head.store_vector,
            step.output,
            step.after,
            step.after_roots,
        ],
    };
    let whole = axis.range == [0, NO_END] && extent == step.columns;
    let factors = factor != 0 || roots >= 0;
    let plain =
        step.outer * step.inner == 1 && step.lines_fast == 0 && step.hermitian == 0 && !factors;
    let row = one_after_another(&config.loops, 2 * step.columns, end);
    let alone = pass.mirrored().is_none() && pass.load.edges.is_none() && head.blocks == 1;
    alone
        && whole
        && plain
        && row
        && (axis.stride, axis.run) == (2, 0)
        && vector != 0
        && matches!(points, POINTS_COMPLEX | POINTS_PAIRS)
}
