//! Butterflies across lines: a vector of neighbouring lines at a time, on a CPU.
//!
//! ```text
//! X[k1 + R·k2, j] = Σ_n2 exp(∓2πi·k1·n2/N)·(Σ_n1 x[n1·N/R + n2, j]·exp(∓2πi·n1·k1/R))·exp(∓2πi·n2·k2·R/N)
//! ```
//! The lanes of a vector have as many lines j, so that no point changes its lane.

use super::radices::factored;
use crate::planner::problem::Problem;
use crate::planner::stage::{Place, Stage};
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{Kind, Limits, Result, ScalarType};

pub const WAY: Way = Way {
    name: "butterflies across lines",
    method: Method::Axis { applies, steps },
};

fn applies(axis: &Axis) -> bool {
    let fits = axis.fits;
    fits.library().is_some()
        && columns_pay(axis.stage, goes_to(axis), axis.problem, fits.limits)
        && axis.is_smooth()
}

/// Where an axis' lines go: half spectra of a tile stay where it is loaded until they become reals.
fn goes_to<'a>(axis: &'a Axis) -> &'a Place {
    let becomes_real = Kind::end_with_reals(axis.stages.iter().map(|s| s.kind));
    match becomes_real && axis.stage.kind == Kind::C2C {
        true => &axis.stage.load,
        false => &axis.stage.store,
    }
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let lanes = axis.fits.limits.lanes(axis.problem.storage());
    let reason = format!("butterflies across {lanes} neighbouring lines");
    Ok((factored(axis, axis.length()), reason))
}

/// Whether butterflies across neighbouring lines can serve: lines from complex points to as many,
/// or from reals to as many, whose neighbours lie beside each other on both sides, in the precisions that need no
/// conversion, short enough for two copies of the tile in the cache.
fn columns_pay(stage: &Stage, store: &Place, problem: &Problem, limits: &Limits) -> bool {
    let load = &stage.load;
    let lanes = limits.lanes(problem.storage());
    let beside = stage.others.iter().map(|(d, r)| (*d, r.len()));
    let neighbours = beside
        .filter(|&(d, n)| n >= lanes.div_ceil(2) && load.strides[d] == 2 && store.strides[d] == 2)
        .count();
    if stage.kind.is_real_to_real() {
        let real = |d: usize, n: usize| {
            n >= lanes.div_ceil(2) && (load.strides[d], store.strides[d]) == (1, 1)
        };
        let mut others = stage.others.iter().map(|(d, r)| (*d, r.len()));
        let core = stage.kind.core_length(stage.length);
        return others.any(|(d, n)| real(d, n))
            && stage.inner.is_empty()
            && matches!(problem.storage(), ScalarType::F32 | ScalarType::F64)
            && core > 1
            && core * limits.vector_bytes * 2 <= 2 * limits.tile_bytes;
    }
    let in_lanes = neighbours > 0
        || stage.inner.last().is_some_and(|l| {
            l.load.stride == 2 && l.store.stride == 2 && l.count >= lanes.div_ceil(2)
        });
    stage.kind == Kind::C2C
        && in_lanes
        && load.imaginary == 1
        && store.imaginary == 1
        && stage.length > 1
        && stage.length * limits.vector_bytes * 2 <= 2 * limits.tile_bytes
}
