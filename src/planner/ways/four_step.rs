//! Four-step lines: lines that no tile holds, in several trips (Bailey, FFTs in External or Hierarchical Memory, 1989).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(∓2πi·k1·n2/N)-->  y[k1, n2]     (columns)
//! y[k1, n2]      --DFT over n2-->                           X[k2·N1 + k1] (rows)
//! ```
//! Order is restored by the second store's strides: no pass is a bare transpose. With more
//! than two factors the rows are split again, where they lie in scratch.
//!
//! Real lines are split as complex ones of the same length (type IV: of half of it, type I: of the continued line): the
//! first pass loads what there is of them, the last stores what is wanted.

use crate::planner::cluster;
use crate::planner::factors::factors_that_face;
use crate::planner::parts::Parts;
use crate::planner::stage::{is_scattered, Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::Result;

pub const WAY: Way = Way {
    name: "four-step lines",
    method: Method::Line { applies, stages },
};

fn applies(line: &Line) -> bool {
    line.is_whole()
}

fn stages(line: &Line) -> Option<Result<Route>> {
    match &line.given {
        Some(given) => (!given.packed)
            .then(|| by_given(line, Parts::new))
            .flatten(),
        None => {
            let parts = Parts::new(line.stage, factors(line)?, line.base, line.problem);
            Some(parts.map(|parts| line.product(parts, line.run())))
        }
    }
}

/// The fewest factors whose lines fit tiles of neighbouring ones; else whose lines fit at all.
fn factors(line: &Line) -> Option<Vec<usize>> {
    let (fits, scattered) = (line.fits, line.fits.longest_scattered());
    let Some(factors) = factors_that_face(line.stage.kind, line.shared(), fits, scattered) else {
        return fits.factors(line.shared(), fits.longest_line());
    };
    let factors = match is_scattered(line.stage) {
        true => factors,
        false => fits.with_longer_last(factors, scattered),
    };
    Some(fits.with_whole_rows(factors, scattered))
}

/// What makes a line's parts of its factors.
type Make<'a> =
    fn(&'a Stage, Vec<usize>, usize, &crate::planner::problem::Problem) -> Result<Parts<'a>>;

/// The stages by the given factors, of which those that no block holds are spread over clusters, where these can be.
pub fn by_given<'a>(line: &Line<'a>, make: Make<'a>) -> Option<Result<Route>> {
    let (given, fits) = (line.given.as_ref()?, line.fits);
    let longest = fits.longest_scattered_measured();
    let in_block = |length: usize| fits.line(length, longest);
    // The parts of a cluster's line may be no whole runs.
    for run in line.run().map(Some).into_iter().chain([None]) {
        let parts = make(line.stage, given.factors.clone(), line.base, line.problem);
        let mut route = match parts {
            Ok(parts) => line.product(parts, run),
            Err(error) => return Some(Err(error)),
        };
        for stage in &mut route.stages {
            stage.split.clone_from(&given.reason);
            if !in_block(stage.length) {
                stage.cluster = cluster::columns(stage, fits, true);
            }
        }
        // A cluster does not have all that a block does.
        let held = |s: &Stage| in_block(s.length) || s.cluster.is_some();
        if route.stages.iter().all(held) {
            return Some(Ok(route));
        }
    }
    None
}
