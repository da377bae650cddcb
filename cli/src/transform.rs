//! `mmafft transform`: a NumPy array in, its transform out, and a picture.

mod compute;
mod report;
mod request;

use super::estimate::{estimate, Estimate};
use super::files;
use super::npy::{self, NpyError};
use super::plot::{Format, Scale};
use super::points::FirstArray;
use super::progress::Progress;
use super::ranks::Ranks;
use super::request::{count, kinds, precisions, Common};
use super::spectrum::Spectrum;
use super::Failure;
use clap::{ArgGroup, Args};
use compute::Outcome;
use mmafft::{Complex, Domain, Kind, Plan, Precision};
use std::path::PathBuf;

/// Arguments of `mmafft transform`.
#[derive(Args)]
#[command(group(ArgGroup::new("results").required(true).multiple(true)))]
pub struct Arguments {
    /// A .npy file of any real, integer or complex dtype, any rank and either order; - is the standard input
    input: PathBuf,
    /// Where to write the result: complex64 or complex128, or real; - is the standard output
    #[arg(short, long, group = "results")]
    output: Option<PathBuf>,
    /// What becomes what; of kinds from reals to reals also one for each axis, such as dct2,dst3
    #[arg(long, default_value = "c2c", value_parser = kinds(), value_delimiter = ',')]
    kind: Vec<Kind>,
    /// The length to transform of the last axis: it is cropped, or padded with zeros; the real one for c2r [default: as it
    /// is, 2(m-1) for c2r]
    #[arg(long, value_parser = count, conflicts_with = "lengths")]
    length: Option<usize>,
    /// The same for each of the axes, such as 64,48
    #[arg(long, value_parser = count, value_delimiter = ',')]
    lengths: Option<Vec<usize>>,
    /// How points are stored and computed [default: f64 for float64, complex128 and integers of 32 and 64 bits, else f32]
    #[arg(long, value_parser = precisions())]
    precision: Option<Precision>,
    /// Draw magnitudes over frequency, to a .svg or .png file
    #[arg(long, group = "results")]
    plot: Option<PathBuf>,
    /// The plot's axis of magnitudes [default: linear for lines, log for images]
    #[arg(long, value_enum, requires = "plot")]
    scale: Option<Scale>,
    /// The distance of samples, for the plot's frequencies
    #[arg(long, default_value_t = 1.0)]
    spacing: f64,
    /// The unit of --spacing; of s, ms, us, ns and ps frequencies are in Hz, kHz and so on
    #[arg(long, default_value = "sample")]
    unit: String,
    #[command(flatten)]
    ranks: Ranks,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.output.iter().chain(&self.plot)
    }

    fn check_spacing(&self) -> Result<(), Failure> {
        match self.spacing.is_finite() && self.spacing > 0.0 {
            true => Ok(()),
            false => Err(format!("--spacing is a positive number, got {}", self.spacing).into()),
        }
    }
}

/// Reads, transforms, writes and draws.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check([&arguments.input], arguments.outputs())?;
    arguments.check_spacing()?;
    if let Some(path) = &arguments.output {
        files::extension(path, &["npy"])?;
    }
    if let Some(path) = &arguments.plot {
        files::extension(path, &Format::EXTENSIONS)?;
    }
    let progress = Progress::new(4);
    progress.doing("reading");
    let named = |error: NpyError| match error {
        NpyError::Read { .. } => error.to_string(),
        _ => format!("{}: {error}", arguments.input.display()),
    };
    let reader = npy::open(&arguments.input).map_err(named)?;
    let (dtype, shape) = (reader.dtype(), reader.shape().to_vec());
    let request = request::request(arguments, dtype, &shape)?;
    let hint = request::hint(arguments, dtype, &shape);
    progress.step();
    progress.doing("transforming");
    let fft = arguments.common.planner()?.build(&request)?;
    let outcome =
        compute::run(&fft, &arguments.ranks, reader).map_err(|error| match error.downcast() {
            Ok(error) => named(*error).into(),
            Err(other) => other,
        })?;
    progress.step();
    progress.doing("estimating the error");
    let estimate = estimated_error(fft.plan(), &outcome);
    let picture = match &arguments.plot {
        Some(path) => Some(picture(
            arguments,
            path,
            fft.plan(),
            dtype.is_complex(),
            &outcome,
        )?),
        None => None,
    };
    progress.step();
    progress.doing("writing");
    if let (Some(path), Some(picture)) = (&arguments.plot, picture) {
        files::save(path, &[&picture])
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    if let Some(path) = &arguments.output {
        write(path, fft.plan(), &outcome)?;
    }
    drop(progress);
    if let Some(hint) = hint {
        super::out::say(hint);
    }
    let input = format!("{}: {shape:?} {dtype}", arguments.input.display());
    report::report(arguments, &input, fft.plan(), &outcome, estimate);
    Ok(())
}

/// Writes the output in the precision's own width, half precisions as single.
fn write(path: &PathBuf, plan: &Plan, outcome: &Outcome) -> Result<(), NpyError> {
    let (shape, values) = (&outcome.shape, outcome.values.iter());
    let double = plan.request.precision == Precision::F64;
    match (plan.request.kind.row().output, double) {
        (Domain::Complex, true) => npy::write(path, shape, values),
        (Domain::Complex, false) => {
            let single = |x: Complex<f64>| Complex::new(x.re as f32, x.im as f32);
            npy::write(path, shape, values.map(single))
        }
        (Domain::Real, true) => npy::write(path, shape, values.map(|x| x.re)),
        (Domain::Real, false) => npy::write(path, shape, values.map(|x| x.re as f32)),
    }
}

/// The error of the first array along the axes that are not transformed.
fn estimated_error(plan: &Plan, outcome: &Outcome) -> Estimate {
    let Some(input) = &outcome.first else {
        return Estimate::TooLong;
    };
    let (axes, alone) = compute::of_first_array(&plan.request);
    let first = FirstArray::new(&outcome.shape, &axes);
    let output = |i: usize| outcome.values.at(first.place(i));
    estimate(&alone, input.as_ref(), &output, first.len())
}

fn picture(
    arguments: &Arguments,
    path: &std::path::Path,
    plan: &Plan,
    complex_input: bool,
    outcome: &Outcome,
) -> Result<Vec<u8>, Failure> {
    let axes = plan.request.axes.clone().unwrap_or_default();
    let length = axes.last().map_or(1, |&a| plan.request.shape.dims()[a]);
    let name = arguments.input.file_name().unwrap_or_default();
    let spectrum = Spectrum {
        values: outcome.values.as_ref(),
        shape: &outcome.shape,
        axes: &axes,
        length,
        kind: plan.request.kind,
        real_input: !complex_input,
        spacing: arguments.spacing,
        unit: &arguments.unit,
        title: &format!("Spectrum of {}", name.to_string_lossy()),
        scale: arguments.scale,
    };
    spectrum.to_file(Format::of(files::extension(path, &Format::EXTENSIONS)?))
}
