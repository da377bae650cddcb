//! Spectra as pictures: magnitudes over frequency.

use super::plot::{ImagePlot, LinePlot};
use super::room::{collect, room};
use super::Failure;
use mmafft::{frequencies, half_frequencies, shift, Complex, Kind};
use std::iter::repeat_n;

/// Bytes that coordinates of a point take until it is drawn, of an axis' frequencies or of a line.
const DRAWN_BYTES: usize = 96;

/// A result to be drawn: the whole output array, and what is known of its axes.
pub struct Spectrum<'a> {
    /// The output, row-major.
    pub values: &'a [Complex<f64>],
    /// Its shape.
    pub shape: &'a [usize],
    /// The axes that were transformed, the halved one last.
    pub axes: &'a [usize],
    /// The (real) length of the halved axis.
    pub length: usize,
    /// What became what.
    pub kind: Kind,
    /// Whether the input was real, so that half of a c2c spectrum says it all.
    pub real_input: bool,
    /// The distance of samples.
    pub spacing: f64,
    /// The unit of that distance.
    pub unit: &'a str,
    /// The picture's title.
    pub title: &'a str,
}

impl Spectrum<'_> {
    /// The picture, as SVG; of one or two transformed axes.
    pub fn to_svg(&self) -> Result<String, Failure> {
        if !matches!(self.kind, Kind::C2C | Kind::R2C) {
            let kind = self.kind.row().name;
            return Err(format!(
                "--plot draws complex spectra, and {kind} gives reals: write them with --output alone"
            )
            .into());
        }
        match self.axes.len() {
            1 => Ok(self.line()?),
            2 => Ok(self.image()?),
            n => Err(format!(
                "--plot draws spectra of one or two axes, not of {n}: choose some with --axes"
            )
            .into()),
        }
    }

    /// RMS magnitudes over the transformed axes, in the order of `axes` by position.
    fn magnitudes(&self, axes: &[usize]) -> mmafft::Result<Vec<f64>> {
        let lengths: Vec<usize> = axes.iter().map(|&a| self.shape[a]).collect();
        let zeros = repeat_n(0.0, lengths.iter().product());
        let mut sums = collect("the plot's magnitudes", zeros)?;
        for (i, x) in self.values.iter().enumerate() {
            let mut at = 0;
            for (&axis, &n) in axes.iter().zip(&lengths) {
                let inner: usize = self.shape[axis + 1..].iter().product();
                at = at * n + i / inner % n;
            }
            sums[at] += x.norm_sqr();
        }
        let others = (self.values.len() / sums.len().max(1)).max(1) as f64;
        sums.iter_mut().for_each(|s| *s = (*s / others).sqrt());
        // What is drawn of them takes as much again, and ends the program where there is no memory for that.
        let longest = lengths.into_iter().max().unwrap_or(0);
        room::<[u8; DRAWN_BYTES]>("the plot", longest)?;
        Ok(sums)
    }

    fn line(&self) -> mmafft::Result<String> {
        let mut y = self.magnitudes(self.axes)?;
        let n = self.length;
        let mut x = match self.kind == Kind::R2C || self.real_input {
            true => half_frequencies(n, self.spacing),
            false => {
                y = shift(&[n], &y);
                shift(&[n], &frequencies(n, self.spacing))
            }
        };
        y.truncate(x.len());
        // The mean of a signal that is far from zero would flatten everything else.
        let zero = x.iter().position(|&f| f == 0.0);
        if let Some(zero) = zero.filter(|_| x.len() > 2) {
            let others = y.iter().enumerate().filter(|(i, _)| *i != zero);
            let largest = others.map(|(_, m)| *m).fold(0.0, f64::max);
            if y[zero] > largest {
                x.remove(zero);
                y.remove(zero);
            }
        }
        let plot = LinePlot {
            title: self.title,
            x_label: &format!("frequency (cycles per {})", self.unit),
            y_label: "magnitude",
            x: &x,
            y: &y,
            annotate_peak: true,
            x_as_period: Some(self.unit),
            log_y: false,
        };
        Ok(plot.to_svg())
    }

    fn image(&self) -> mmafft::Result<String> {
        // Down and across follow the array, whichever axis was halved.
        let mut axes = self.axes.to_vec();
        axes.sort_unstable();
        let values = self.magnitudes(&axes)?;
        let [rows, columns] = [self.shape[axes[0]], self.shape[axes[1]]];
        let halved = |axis: usize| self.kind == Kind::R2C && Some(&axis) == self.axes.last();
        let range = |axis: usize, n: usize| {
            let f = match halved(axis) {
                true => half_frequencies(self.length, self.spacing),
                false => shift(&[n], &frequencies(n, self.spacing)),
            };
            (
                f.first().copied().unwrap_or(0.0),
                f.last().copied().unwrap_or(0.0),
            )
        };
        // Centring rotates an axis; a half spectrum begins at zero and stays.
        let mut centred = values;
        if !halved(axes[0]) {
            centred.rotate_right(rows / 2 * columns);
        }
        if !halved(axes[1]) {
            for row in centred.chunks_mut(columns) {
                row.rotate_right(columns / 2);
            }
        }
        let (left, right) = range(axes[1], columns);
        let (top, bottom) = range(axes[0], rows);
        let plot = ImagePlot {
            title: self.title,
            x_label: &format!("frequency across (cycles per {})", self.unit),
            y_label: &format!("frequency down (cycles per {})", self.unit),
            width: columns,
            height: rows,
            values: &centred,
            x_range: (left, right),
            y_range: (top, bottom),
        };
        Ok(plot.to_svg())
    }
}
