//! Single points: a line of one point is its own transform.
//!
//! ```text
//! X[0] = x[0]
//! ```

use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{Engine, Result};

pub const WAY: Way = Way {
    name: "single points",
    method: Method::Axis { applies, steps },
};

/// No product is of one point; butterflies and libraries are.
fn applies(axis: &Axis) -> bool {
    axis.length() == 1 && axis.fits.engine == Engine::Matrix
}

fn steps(_: &Axis) -> Result<Chosen> {
    Ok((Vec::new(), "a single point".into()))
}
