//! Whole lines: lines that a tile holds, in one trip.
//!
//! ```text
//! X[k] = Σ x[n]·exp(∓2πi·kn/N)
//! ```
//! Of neighbouring lines a tile holds so many that what it has of them in a row is a sector, if it can.

use super::type_one;
use crate::planner::fits::Fits;
use crate::planner::problem::Problem;
use crate::planner::stage::{is_scattered, Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::Result;

pub const WAY: Way = Way {
    name: "whole lines",
    method: Method::Line { applies, stages },
};

/// Scattered points, too, cost less than another trip of such.
fn applies(line: &Line) -> bool {
    let (stage, fits) = (line.stage, line.fits);
    let alone = || !is_scattered(stage) && fits.alone(stage);
    let scattered = || fits.line(line.core(), fits.longest_line());
    line.given.is_none() && (line.held || alone() || scattered())
}

fn stages(line: &Line) -> Option<Result<Route>> {
    Some(Ok(Route::of_stage(line.stage.clone())))
}

/// Whether a tile holds enough of a stage's lines.
pub fn are_held(stage: &Stage, problem: &Problem, fits: &Fits) -> bool {
    let core = stage.kind.core_length(stage.length);
    let limit = match is_scattered(stage) {
        true => fits.longest_scattered(),
        false => fits.longest_line(),
    };
    let axes = problem.axes_to_transform().count();
    let joined = || !is_scattered(stage) && fits.joined_alone(stage, axes);
    // Of a short line that the radices asked for do not make, the steps say so.
    let refused = core <= limit && fits.tile_points(core).is_none();
    let folded =
        || !is_scattered(stage) && type_one::steps_of(stage.dim, stage, false, fits).is_some();
    refused || fits.line(core, limit) || joined() || folded()
}
