//! Lines that no tile holds, in several trips (Bailey's four-step).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(∓2πi·k1·n2/N)-->  y[k1, n2]     (columns)
//! y[k1, n2]      --DFT over n2-->                           X[k2·N1 + k1] (rows)
//! ```
//! Order is restored by the second store's strides: no pass is a bare transpose. With more
//! than two factors the rows are split again, where they lie in scratch.
//!
//! Real lines have real columns ([`super::real_columns`]), or are packed to half their length where the
//! pass that merges or splits their half spectra, the first or the last, can have its lines in pairs
//! that mirror each other ([`packed_factors`] says where). Others are split as complex ones of the same
//! length (type IV: of half of it, type I: of the continued line): the first pass loads what there is of
//! them, the last stores what is kept, and no pass needs a point and its mirror image at once. Lines
//! whose prime factors are too long become longer convolutions, see [`super::convolution`].

use super::cluster;
use super::convolution::convolve;
use super::factors::{factors_that_face, measured_factors, packed_factors};
use super::fits::Fits;
use super::folded;
use super::parts::Parts;
use super::problem::Problem;
use super::real_columns;
use super::stage::{is_scattered, Route, Stage};
use mmafft_backend_traits::{Engine, Result};

/// Replaces stages with longer lines than the device takes.
pub fn split_long_lines(route: Route, problem: &Problem, fits: &Fits) -> Result<Route> {
    let mut out = Route {
        stages: Vec::new(),
        scratch_scalars: route.scratch_scalars,
    };
    // Intermediates of long lines lie behind whatever scratch the route has already.
    let base = route.scratch_scalars;
    for stage in route.stages {
        let (stages, scalars) = split(stage, base, problem, fits)?;
        out.stages.extend(stages);
        out.scratch_scalars = out.scratch_scalars.max(scalars);
    }
    Ok(out)
}

/// The stages that replace one, and the scalars of scratch that they reach.
fn split(stage: Stage, base: usize, p: &Problem, fits: &Fits) -> Result<(Vec<Stage>, usize)> {
    let core = stage.kind.core_length(stage.length);
    let (line, scattered) = (fits.longest_line(), fits.longest_scattered());
    let limit = match is_scattered(&stage) {
        true => scattered,
        false => line,
    };
    let axes = p.axes_to_transform().count();
    let joined = || !is_scattered(&stage) && fits.joined_alone(&stage, axes);
    // Of a short line that the radices asked for do not make, `steps` says so.
    let refused = core <= limit && fits.tile_points(core).is_none();
    let folded =
        || !is_scattered(&stage) && folded::steps(stage.dim, &stage, false, fits).is_some();
    let held = refused || fits.line(core, limit) || joined() || folded();
    if !held || cluster::pays(core, fits.scalar) {
        if let Some(spread) = cluster::line(&stage, fits) {
            let cluster = Some(spread);
            return Ok((vec![Stage { cluster, ..stage }], 0));
        }
    }
    if !held && is_scattered(&stage) {
        let cluster = cluster::columns(&stage, fits, false);
        if cluster.is_some() {
            return Ok((vec![Stage { cluster, ..stage }], 0));
        }
    }
    let measured = measured_factors(&stage, fits).filter(|_| !held);
    let alone = || measured.is_none() && !is_scattered(&stage) && fits.alone(&stage);
    if held || alone() {
        return Ok((vec![stage], 0));
    }
    // Passes of devices can have lines that face each other, two in a tile.
    let faces = match (fits.limits.line_library, fits.engine) {
        (None, Engine::Simt) => fits.longest_line() / 2,
        _ => 0,
    };
    // Between two passes alone: a third would have as short pieces as before.
    let run = fits.run().filter(|_| !is_scattered(&stage));
    let product_in = |mut parts: Parts, run: Option<usize>| {
        let whole = |run: &usize| parts.factors.len() == 2 && parts.factors[1].is_multiple_of(*run);
        let run = run.filter(whole);
        // Convolutions take more on chip than their points.
        let plain = |f: &usize| fits.tile_points(*f) == Some(*f);
        if parts.factors.iter().all(plain) {
            parts.faces = faces;
        }
        parts.run = run;
        parts.product()
    };
    let product = |parts| product_in(parts, run);
    if let Some(measured) = measured {
        let scattered = fits.longest_scattered_measured();
        let in_block = |length: &usize| fits.line(*length, scattered);
        let both = measured.factors.iter().all(in_block);
        if let ([first, last], false, true) = (&measured.factors[..], measured.packed, both) {
            if let Some((mut stages, scalars)) =
                real_columns::stages(&stage, [*first, *last], base, p, fits)
            {
                stages[0].split = measured.reason.clone();
                stages[1].split = measured.reason;
                return Ok((stages, scalars));
            }
        }
        let held = |s: &Stage| in_block(&s.length) || s.cluster.is_some();
        // The parts of a cluster's line may be no whole runs.
        for run in run.map(Some).into_iter().chain([None]) {
            let factors = measured.factors.clone();
            let parts = match measured.packed {
                true => Parts::packed(&stage, factors, base, p),
                false => Parts::new(&stage, factors, base, p),
            };
            let (mut stages, scalars) = product_in(parts?, run);
            for stage in &mut stages {
                stage.split = measured.reason.clone();
                if !in_block(&stage.length) {
                    stage.cluster = cluster::columns(stage, fits, true);
                }
            }
            // A cluster does not have all that a block does.
            if stages.iter().all(held) {
                return Ok((stages, scalars));
            }
        }
        if !is_scattered(&stage) && fits.alone(&stage) {
            return Ok((vec![stage], 0));
        }
    }
    let whole = stage.kind.shared_core_length(stage.length);
    if let Some(lengths) = real_columns::lengths(&stage, fits, scattered) {
        if let Some(stages) = real_columns::stages(&stage, lengths, base, p, fits) {
            return Ok(stages);
        }
    }
    if let Some(factors) = factors_that_face(stage.kind, whole, fits, scattered) {
        if let Some(factors) = packed_factors(&stage, fits, scattered) {
            return Parts::packed(&stage, factors, base, p).map(product);
        }
        let factors = match is_scattered(&stage) {
            true => factors,
            false => fits.with_longer_last(factors, scattered),
        };
        let factors = fits.with_whole_rows(factors, scattered);
        return Parts::new(&stage, factors, base, p).map(product);
    }
    // Scattered points cost less than another trip.
    if fits.line(core, line) {
        return Ok((vec![stage], 0));
    }
    if let Some(factors) = packed_factors(&stage, fits, line) {
        return Parts::packed(&stage, factors, base, p).map(product);
    }
    if let Some(factors) = fits.factors(whole, line) {
        return Parts::new(&stage, factors, base, p).map(product);
    }
    convolve(&stage, base, p, fits)
}
