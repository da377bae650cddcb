//! Type I in threads: lines so short that a thread has all of one.
//!
//! ```text
//! X[k] = x[0] + (−1)^k·x[n−1] + 2·Σ x[j]·cos(πjk/(n−1))       (DCT-I; DST-I: Σ of sines)
//! ```
//! It is the butterfly of the continued line, packed, in registers.

use crate::planner::fits::Fits;
use crate::planner::stage::{is_scattered, Stage};
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{Engine, Result, Step};

pub const WAY: Way = Way {
    name: "type I in threads",
    method: Method::Axis { applies, steps },
};

fn applies(axis: &Axis) -> bool {
    is_in_thread(axis.stage, axis.several(), axis.fits)
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let steps = Step::sequence(axis.axis.axis, &[axis.length()], Engine::Simt);
    Ok((steps, "simt engine, a line of type I to a thread".into()))
}

/// Whether a stage's lines are so short that a thread has all of one: a butterfly of their continued lines, packed, is there, in
/// place of which a device computes their type I alone. Not where they are columns, the only axis of a tile: both passes of DST-I of
/// 23x1000 in FP32, the second in place, ran at 0.34 of a copy on an H100 so, whatever the tile, at 0.36 by real columns.
pub fn is_in_thread(stage: &Stage, several: bool, fits: &Fits) -> bool {
    let free = fits.by_kernels() && fits.engine == Engine::Simt;
    let core = stage.kind.core_length(stage.length);
    let whole = stage.load_reals.is_none() && stage.store_reals.is_none();
    free && fits.asked.is_none()
        && (several || !is_scattered(stage))
        && whole
        && stage.inner.is_empty()
        && stage.kind.in_thread(stage.length, &[core])
        && fits.table.contains(&core)
}
