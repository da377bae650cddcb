//! The halved axis and its neighbours last: half spectra that become real arrays, where a tile holds these axes.
//!
//! ```text
//! x[n1, n2, n3] = Σ_k3 Σ_k2 (Σ_k1 X[k1, k2, k3]·exp(2πi·n1·k1/N1))·exp(2πi·n2·k2/N2)·exp(2πi·n3·k3/N3)
//! ```
//! Out of place the half spectrum lies in scratch between them: no edge points wait beside it, which of odd rows would be a
//! pass of their own, and no other points begin in the middle of a sector
//! (docs/lab/2026-11-28-kernels.md has what that is worth).

use super::halved_last::Builder;
use crate::planner::fits::Fits;
use crate::planner::problem::{Problem, INPUT};
use crate::planner::stage::{Place, Route};
use crate::planner::way::{Method, Way};
use mmafft_backend_traits::Placement;

pub const WAY: Way = Way {
    name: "neighbours last",
    method: Method::Array { applies, stages },
};

fn applies(problem: &Problem, fits: &Fits) -> bool {
    problem.becomes_real() && fits.by_kernels()
}

fn stages(problem: &Problem, _: &Fits) -> Option<Route> {
    let (mut builder, mut others) = Builder::new(problem);
    if others.is_empty() {
        return None;
    }
    others.reverse();
    match problem.request.placement {
        Placement::InPlace => builder.within(Place::of_side(problem, INPUT), &others),
        Placement::OutOfPlace => builder.through_scratch(&others),
    }
    Some(builder.route)
}
