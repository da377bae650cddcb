//! Lines by a library: contiguous lines of any length, on a CPU (RustFFT, or steps of its own).
//!
//! ```text
//! X[k] = Σ x[n]·exp(∓2πi·kn/N)
//! ```

use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{Result, Step};

pub const WAY: Way = Way {
    name: "lines by a library",
    method: Method::Axis { applies, steps },
};

fn applies(axis: &Axis) -> bool {
    axis.fits.library().is_some()
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let (limits, scalar) = (axis.fits.limits, axis.problem.storage());
    let length = axis.length();
    let vector = [limits.lanes(scalar), scalar.compute_bytes()];
    let library = limits
        .target
        .line_way(axis.axis.kind, axis.axis.length, vector);
    let step = Step::Line {
        axis: axis.axis.axis,
        length,
        library,
    };
    Ok((vec![step], format!("lines by {library}")))
}
