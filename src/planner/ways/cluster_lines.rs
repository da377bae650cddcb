//! Lines over a cluster: lines that no block holds and the blocks of a cluster do, in one pass.
//!
//! ```text
//! X[k1 + N1·k2] = Σ_n2 exp(∓2πi·k1·n2/N)·(Σ_n1 x[n1·N2 + n2]·exp(∓2πi·n1·k1/N1))·exp(∓2πi·n2·k2/N2)
//! ```
//! Each block has some of the columns n2, and after an all-to-all of the blocks' shares some of the rows k1. And lines that
//! would fill a block, where blocks with shares of them were faster.

use crate::planner::cluster;
use crate::planner::stage::{Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::Result;

pub const WAY: Way = Way {
    name: "lines over a cluster",
    method: Method::Line { applies, stages },
};

fn applies(line: &Line) -> bool {
    !line.held || cluster::pays(line.core(), line.fits.scalar)
}

fn stages(line: &Line) -> Option<Result<Route>> {
    let cluster = Some(cluster::line(line.stage, line.held, line.fits)?);
    let stage = Stage {
        cluster,
        ..line.stage.clone()
    };
    Some(Ok(Route::of_stage(stage)))
}
