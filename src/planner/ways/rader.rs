//! Rader: lines of a prime number of points as a convolution of one point less (Discrete Fourier transforms when the number of
//! data samples is prime, 1968).
//!
//! ```text
//! X[g^−q] = x[0] + Σ_p x[g^p]·exp(∓2πi·g^(p−q)/N)      g generates the residues of N
//! ```
//! The convolution is two transforms of N − 1 points, and a product between them.

use super::radices::factored;
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{Result, Step};

pub const WAY: Way = Way {
    name: "Rader",
    method: Method::Axis { applies, steps },
};

/// Where the prime is no radix, and one less is smooth.
fn applies(axis: &Axis) -> bool {
    !axis.is_smooth() && axis.fits.rader(axis.length()).is_some()
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let length = axis.length();
    let mut steps = vec![Step::Rader {
        axis: axis.axis.axis,
        length,
    }];
    steps.extend(factored(axis, length - 1));
    Ok((steps, "Rader, as one less than the prime is smooth".into()))
}
