//! Spectra as pictures: magnitudes over frequency.

mod magnitudes;

use super::plot::{Format, ImagePlot, LinePlot, Scale};
use super::points::Points;
use super::Failure;
use magnitudes::Magnitudes;
use mmafft::{frequencies, half_frequencies, shift, Kind};

/// A result to be drawn: the whole output array, and what is known of its axes.
pub struct Spectrum<'a> {
    /// The output, row-major.
    pub values: &'a dyn Points,
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
    /// The axis of magnitudes, or the usual one: linear for lines, logarithmic for images.
    pub scale: Option<Scale>,
}

impl Spectrum<'_> {
    /// The picture's file; of one or two transformed axes.
    pub fn to_file(&self, format: Format) -> Result<Vec<u8>, Failure> {
        if !matches!(self.kind, Kind::C2C | Kind::R2C) {
            let kind = self.kind.row().name;
            return Err(format!(
                "--plot draws complex spectra, and {kind} gives reals: write them with --output alone"
            )
            .into());
        }
        match self.axes.len() {
            1 => self.line(format),
            2 => self.image(format),
            n => Err(format!(
                "--plot draws spectra of one or two axes, not of {n}: choose some with --axes"
            )
            .into()),
        }
    }

    fn line(&self, format: Format) -> Result<Vec<u8>, Failure> {
        let n = self.length;
        let mut magnitudes = Magnitudes::new(self, self.axes)?;
        let scale = self.scale.unwrap_or(Scale::Linear);
        if scale == Scale::Linear {
            magnitudes.leave_out_zero();
        }
        let caption = magnitudes.caption("lines");
        let mut y = magnitudes.values;
        let x = match self.kind == Kind::R2C || self.real_input {
            true => half_frequencies(n, self.spacing),
            false => {
                y = shift(&[n], &y);
                shift(&[n], &frequencies(n, self.spacing))
            }
        };
        y.truncate(x.len());
        let plot = LinePlot {
            title: self.title,
            caption: &caption,
            x_label: &format!("frequency ({})", unit_of_frequency(self.unit)),
            y_label: magnitude_label(scale),
            x: &x,
            y: &y,
            annotate_peak: true,
            x_as_period: Some(self.unit),
            scale,
        };
        Ok(plot.to_file(format)?)
    }

    fn image(&self, format: Format) -> Result<Vec<u8>, Failure> {
        // Down and across follow the array, whichever axis was halved.
        let mut axes = self.axes.to_vec();
        axes.sort_unstable();
        let mut magnitudes = Magnitudes::new(self, &axes)?;
        let scale = self.scale.unwrap_or(Scale::Log);
        if scale == Scale::Linear {
            magnitudes.leave_out_zero();
        }
        let caption = magnitudes.caption("images");
        let [rows, columns] = [self.shape[axes[0]], self.shape[axes[1]]];
        // Centring rotates an axis; a half spectrum begins at zero and stays.
        let mut centred = magnitudes.values;
        if !self.is_halved(axes[0]) {
            centred.rotate_right(rows / 2 * columns);
        }
        if !self.is_halved(axes[1]) {
            for row in centred.chunks_mut(columns) {
                row.rotate_right(columns / 2);
            }
        }
        let unit = unit_of_frequency(self.unit);
        let plot = ImagePlot {
            title: self.title,
            caption: &caption,
            x_label: &format!("frequency across ({unit})"),
            y_label: &format!("frequency down ({unit})"),
            width: columns,
            height: rows,
            values: &centred,
            x_range: self.ends(axes[1]),
            y_range: self.ends(axes[0]),
            scale,
            bar_label: magnitude_label(scale),
        };
        Ok(plot.to_file(format)?)
    }

    fn is_halved(&self, axis: usize) -> bool {
        self.kind == Kind::R2C && Some(&axis) == self.axes.last()
    }

    /// The lowest and the highest frequency of an axis.
    fn ends(&self, axis: usize) -> (f64, f64) {
        let n = self.shape[axis];
        let f = match self.is_halved(axis) {
            true => half_frequencies(self.length, self.spacing),
            false => shift(&[n], &frequencies(n, self.spacing)),
        };
        let end = |f: Option<&f64>| f.copied().unwrap_or(0.0);
        (end(f.first()), end(f.last()))
    }
}

fn magnitude_label(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear | Scale::Log => "magnitude",
        Scale::Db => "magnitude (dB, 0 dB is 1)",
    }
}

/// The unit of frequencies whose samples' distance has this unit.
fn unit_of_frequency(unit: &str) -> String {
    let hertz = match unit {
        "s" | "sec" | "second" | "seconds" => "Hz",
        "ms" | "millisecond" | "milliseconds" => "kHz",
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => "MHz",
        "ns" | "nanosecond" | "nanoseconds" => "GHz",
        "ps" | "picosecond" | "picoseconds" => "THz",
        _ => return format!("cycles per {unit}"),
    };
    hertz.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_give_hertz() {
        let units = ["s", "ms", "us", "µs", "ns", "sample", "year", "m"].map(unit_of_frequency);
        let expected = [
            "Hz",
            "kHz",
            "MHz",
            "MHz",
            "GHz",
            "cycles per sample",
            "cycles per year",
            "cycles per m",
        ];
        assert_eq!(units, expected);
    }
}
