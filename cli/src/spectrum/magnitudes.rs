//! What is drawn of a spectrum: one magnitude a frequency, and what that leaves out.

use super::Spectrum;
use crate::plot::three_digits;
use crate::room::{collect, room};
use std::iter::repeat_n;

/// Bytes that coordinates of a point take until it is drawn, of an axis' frequencies or of a line.
const DRAWN_BYTES: usize = 96;

/// Magnitudes over the frequencies of some axes.
pub struct Magnitudes {
    /// In the order of the axes, by position; NaN where there is none to draw.
    pub values: Vec<f64>,
    /// Over how many arrays each is the root mean square.
    arrays: usize,
    /// How many values there were, and how many of them were not finite.
    points: usize,
    left_out: usize,
    /// The magnitude at the frequency zero, if it is left out.
    zero: Option<f64>,
}

impl Magnitudes {
    /// The root mean square of the finite values over the axes that are not in `axes`.
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub fn new(spectrum: &Spectrum<'_>, axes: &[usize]) -> mmafft::Result<Self> {
        let shape = spectrum.shape;
        let lengths: Vec<usize> = axes.iter().map(|&a| shape[a]).collect();
        let places: usize = lengths.iter().product();
        // What is drawn takes as much again, and ends the program where there is no memory for that.
        let longest = lengths.iter().copied().max().unwrap_or(0);
        room::<[u8; DRAWN_BYTES]>("the plot", longest)?;
        let mut sums = collect("the plot's magnitudes", repeat_n(0.0, places))?;
        let mut counts = collect("the plot's magnitudes", repeat_n(0u32, places))?;
        let magnitude = |i: usize| spectrum.values.at(i).norm();
        let all = 0..spectrum.values.len();
        // Squares of what is divided by the largest magnitude neither overflow nor vanish.
        let magnitudes = all.clone().map(magnitude).filter(|m| m.is_finite());
        let largest = magnitudes.fold(f64::MIN_POSITIVE, f64::max);
        for i in all {
            let at = axes.iter().zip(&lengths).fold(0, |at, (&axis, &n)| {
                let inner: usize = shape[axis + 1..].iter().product();
                at * n + i / inner % n
            });
            let part = magnitude(i) / largest;
            if part.is_finite() {
                sums[at] += part * part;
                counts[at] += 1;
            }
        }
        let points = spectrum.values.len();
        let drawn: usize = counts.iter().map(|&count| count as usize).sum();
        for (sum, &count) in sums.iter_mut().zip(&counts) {
            // Without any value this is NaN.
            *sum = (*sum / f64::from(count)).sqrt() * largest;
        }
        Ok(Self {
            arrays: (points / places.max(1)).max(1),
            values: sums,
            points,
            left_out: points - drawn,
            zero: None,
        })
    }

    /// Leaves out the frequency zero if its magnitude is above all others: the mean of data that
    /// is far from zero would flatten everything else.
    pub fn leave_out_zero(&mut self) {
        let Some((zero, others)) = self.values.split_first_mut() else {
            return;
        };
        let finite = others.iter().copied().filter(|m| m.is_finite());
        let largest = finite.fold(0.0, f64::max);
        if others.len() > 1 && *zero > largest {
            self.zero = Some(std::mem::replace(zero, f64::NAN));
        }
    }

    /// What the picture does not show by itself, of arrays with this name; may be empty.
    pub fn caption(&self, arrays: &str) -> String {
        let mut parts = Vec::new();
        if self.arrays > 1 {
            parts.push(format!("root mean square over {} {arrays}", self.arrays));
        }
        if let Some(zero) = self.zero {
            let zero = three_digits(zero);
            parts.push(format!("zero frequency (magnitude {zero}) left out"));
        }
        if self.left_out > 0 {
            parts.push(format!(
                "{} of {} points left out: not finite",
                self.left_out, self.points
            ));
        }
        parts.join("; ")
    }
}
