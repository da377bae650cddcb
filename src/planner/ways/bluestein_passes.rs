//! Bluestein's algorithm over passes: lines that neither a tile holds nor factors make (A linear filtering approach to the
//! computation of the DFT, 1970).
//!
//! ```text
//! X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n]       c[n] = exp(∓πi·n²/N)
//! ```
//! The sum is a cyclic convolution of M ≥ 2N−1 points ([`Fits::padded`](crate::planner::fits::Fits::padded)), split as
//! [`super::four_step`] splits: columns go forward, the middle pass transforms the last
//! factor, multiplies by the chirp's spectrum and transforms back, columns return in
//! reverse order. The spectrum stays in the order in which the columns leave it, so no
//! pass restores any. A pass on the way back undoes its mirror image on the way there: that
//! one multiplies by a twiddle after its DFT, this one by the conjugate before.

use crate::planner::parts::Parts;
use crate::planner::stage::{next_power_of_two, Convolution, Route};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::{Direction, Error, Factor, Result};

pub const WAY: Way = Way {
    name: "Bluestein over passes",
    method: Method::Line { applies, stages },
};

/// A convolution moves and computes several times as much as what factors make.
fn applies(line: &Line) -> bool {
    let (fits, longest) = (line.fits, line.fits.longest_line());
    let held = line.held || fits.line(line.core(), longest);
    let factors = || fits.factors(line.shared(), longest);
    line.is_whole() && line.given.is_none() && !held && factors().is_none()
}

fn stages(line: &Line) -> Option<Result<Route>> {
    Some(convolve(line))
}

fn convolve(line: &Line) -> Result<Route> {
    let (stage, fits) = (line.stage, line.fits);
    let direction = stage.direction;
    let length = line.shared();
    if let Some(radices) = fits.asked {
        return Err(Error::Radices {
            radices: radices.to_vec(),
            length,
            reason: format!(
                "they make no factors of it of at most {} points, which is what a tile holds",
                fits.longest_line()
            ),
        });
    }
    let factors = fits.convolution(length);
    let factors = factors.ok_or_else(|| Error::Unsupported {
        what: format!("a line of {length} points, which takes radices that are powers of two,"),
        backend: fits.limits.backend.into(),
        instead: "use another backend, or a length that its radices make".into(),
    })?;
    let padded = factors.iter().product();
    let parts = Parts::new(stage, factors.clone(), line.base, line.problem)?;
    let last = factors.len() - 1;

    let mut stages = Vec::new();
    for i in 0..last {
        let mut columns = parts.within(i);
        columns.direction = Direction::Forward;
        columns.store_factor = parts.roots(i, Direction::Forward);
        stages.push(columns);
    }
    let mut middle = parts.within(last);
    middle.direction = Direction::Forward;
    middle.convolution = Some(Convolution {
        length,
        padded,
        direction,
        factors: factors.clone(),
    });
    stages.push(middle);
    for i in (0..last).rev() {
        let mut columns = parts.within(i);
        columns.direction = Direction::Inverse;
        columns.load_factor = parts.roots(i, Direction::Inverse);
        stages.push(columns);
    }
    let end = stages.len() - 1;

    // On the way there no value exceeds the number of points that it is the sum of. On the way back it is
    // the mean of n of the convolution's points, one of n that the passes yet to come sum. The spectrum of
    // conj c has magnitudes of at most 2·1.17·√N (two stationary points, each with the overshoot of Fresnel's
    // integral), so by Parseval's and Cauchy's inequalities none exceeds 2.34·N/√n.
    let mut before: f64 = stages[..last].iter().map(|s| s.growth).product();
    // N, or that times what a point may be larger than 1.
    let points = length as f64 * (stage.growth / next_power_of_two(length)).max(1.0);
    for i in (0..=last).rev() {
        let summed: usize = factors[..i].iter().product();
        let most = 2.34 * points / (summed as f64).sqrt();
        let most = most.log2().ceil().exp2().min(stage.growth);
        stages[end - i].growth = most / before;
        before = most;
    }

    let chirp = Some(Factor::Chirp { length, direction });
    parts.load(&mut stages[0]);
    stages[0].load_factor = chirp;
    parts.store(&mut stages[end]);
    stages[end].store_factor = chirp;
    Ok(Route {
        stages,
        scratch_scalars: parts.scratch_scalars,
    })
}
