//! Bluestein's algorithm in a tile: a line of any length as a longer convolution (A linear filtering approach to the computation
//! of the DFT, 1970).
//!
//! ```text
//! X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n]       c[n] = exp(∓πi·n²/N)
//! ```
//! The sum is a cyclic convolution of M ≥ 2N−1 points ([`Fits::padded`](crate::planner::fits::Fits::padded)).

use super::radices::factored;
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::{largest_prime_factor, Result, Step};

pub const WAY: Way = Way {
    name: "Bluestein",
    method: Method::Axis { applies, steps },
};

/// Where nothing else makes the length.
fn applies(axis: &Axis) -> bool {
    let fits = axis.fits;
    let convolved = fits.asked.is_none() && fits.library().is_none();
    convolved && !axis.is_smooth() && fits.rader(axis.length()).is_none()
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let length = axis.length();
    let padded = axis.fits.padded(length);
    let mut steps = vec![Step::Chirp {
        axis: axis.axis.axis,
        length,
        padded,
    }];
    steps.extend(factored(axis, padded));
    let prime = largest_prime_factor(length);
    Ok((steps, format!("Bluestein, for the prime factor {prime}")))
}
