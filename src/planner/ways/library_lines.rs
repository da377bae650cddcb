//! Lines by a library: contiguous lines of any length, on a CPU (RustFFT).
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
    let library = axis.fits.library().unwrap_or_default();
    let step = Step::Line {
        axis: axis.axis.axis,
        length: axis.length(),
        library,
    };
    Ok((vec![step], format!("lines by {library}")))
}
