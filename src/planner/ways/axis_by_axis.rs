//! Axis by axis: an array is transformed along one axis after another (rows and columns).
//!
//! ```text
//! X[k1, k2] = Σ_n1 (Σ_n2 x[n1, n2]·exp(∓2πi·n2·k2/N2))·exp(∓2πi·n1·k1/N1)
//! ```
//! A halved axis comes first, so that the others move half as much. Intermediates lie in
//! the output itself, unless zero ranges forbid to write there, or it is slow to read.

use crate::planner::fits::Fits;
use crate::planner::problem::{Problem, INPUT, OUTPUT};
use crate::planner::stage::{Place, Route, Stage};
use crate::planner::way::{Method, Way};
use mmafft_backend_traits::Kind;

pub const WAY: Way = Way {
    name: "axis by axis",
    method: Method::Array { applies, stages },
};

/// Transforms whose output is no smaller than what lies between.
fn applies(problem: &Problem, _: &Fits) -> bool {
    !problem.becomes_real()
}

fn stages(problem: &Problem, _: &Fits) -> Option<Route> {
    let order = order(problem);
    let output = Place::of_side(problem, OUTPUT);
    let mut route = Route::default();
    let mut done = vec![false; problem.dims.len()];
    let mut place = Place::of_side(problem, INPUT);
    for (i, &dim) in order.iter().enumerate() {
        let last = i + 1 == order.len();
        done[dim] = true;
        if last {
            // What is left out, an axis of one point, is as good as done.
            done.fill(true);
        }
        let next = if last || fits_output(problem, &done) {
            output.clone()
        } else if place.slot == mmafft_backend_traits::Slot::Scratch {
            place.clone()
        } else {
            let extents: Vec<usize> = problem.dims.iter().map(|d| d.lengths[OUTPUT]).collect();
            let domain = problem.domain(OUTPUT);
            let (scratch, scalars) = Place::in_scratch(0, &extents, domain);
            route.scratch_scalars = scalars;
            scratch
        };
        route
            .stages
            .push(Stage::new(problem, dim, &done, place, next.clone()));
        place = next;
    }
    Some(route)
}

/// The order of the axes: the halved one; those of which only a part is wanted, as what
/// follows then is smaller; the rest from the innermost out.
fn order(problem: &Problem) -> Vec<usize> {
    let mut order: Vec<usize> = problem.axes_to_transform().rev().collect();
    order.sort_by_key(|&i| {
        let dim = &problem.dims[i];
        match dim.kind {
            Some(Kind::R2C) => 0,
            _ if dim.ranges[OUTPUT].len() < dim.lengths[OUTPUT] => 1,
            _ => 2,
        }
    });
    order
}

/// Whether everything that is not transformed yet lies within what is wanted, so that
/// the intermediate writes nothing in the output that the result will not overwrite.
fn fits_output(problem: &Problem, done: &[bool]) -> bool {
    !problem.only_writes_output()
        && problem.dims.iter().zip(done).all(|(dim, &done)| {
            let [nonzero, wanted] = &dim.ranges;
            done || (wanted.start <= nonzero.start && nonzero.end <= wanted.end)
        })
}
