//! Columns over a cluster: tiles of lines that lie beside each other in memory, of which a block holds too few.
//!
//! ```text
//! X[k1 + N1·k2, j] = Σ_n2 exp(∓2πi·k1·n2/N)·(Σ_n1 x[n1·N2 + n2, j]·exp(∓2πi·n1·k1/N1))·exp(∓2πi·n2·k2/N2)
//! ```
//! The blocks of a cluster share tiles of enough lines j that pieces of memory are whole sectors.

use crate::planner::cluster;
use crate::planner::stage::{is_scattered, Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::Result;

pub const WAY: Way = Way {
    name: "columns over a cluster",
    method: Method::Line { applies, stages },
};

fn applies(line: &Line) -> bool {
    !line.held && is_scattered(line.stage)
}

fn stages(line: &Line) -> Option<Result<Route>> {
    let cluster = Some(cluster::columns(line.stage, line.fits, false)?);
    let stage = Stage {
        cluster,
        ..line.stage.clone()
    };
    Some(Ok(Route::of_stage(stage)))
}
