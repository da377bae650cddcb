//! `mmafft transform`: a NumPy array in, its transform out, and a picture.

use super::estimate::{self, FirstArray};
use super::files;
use super::npy::{self, Array};
use super::plot::{Format, Scale};
use super::progress::Progress;
use super::request::{count, kinds, precisions, Common};
use super::room::{collect, room};
use super::spectrum::Spectrum;
use super::Failure;
use clap::{ArgGroup, Args};
use half::{bf16, f16};
use mmafft::{Complex, Domain, Kind, Precision, RealElement, Request, Shape, Transform};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Arguments of `mmafft transform`.
#[derive(Args)]
#[command(group(ArgGroup::new("results").required(true).multiple(true)))]
pub struct Arguments {
    /// A .npy file: any real, integer or complex dtype, rank 1 to 4, either order
    input: PathBuf,
    /// Where to write the result: complex64 or complex128, or real
    #[arg(short, long, group = "results")]
    output: Option<PathBuf>,
    /// What becomes what; of kinds from reals to reals also one for each axis, such as dct2,dst3
    #[arg(long, default_value = "c2c", value_parser = kinds(), value_delimiter = ',')]
    kind: Vec<Kind>,
    /// The real length of the halved axis, for c2r [default: 2(m-1)]
    #[arg(long, value_parser = count)]
    length: Option<usize>,
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

/// Scalars that points are stored in.
trait Stored: RealElement {
    /// The nearest to a value.
    fn rounded(value: f64) -> Self;
    /// The value.
    fn value(self) -> f64;
}

macro_rules! stored {
    ($t:ty, $rounded:expr) => {
        impl Stored for $t {
            fn rounded(value: f64) -> Self {
                $rounded(value)
            }
            fn value(self) -> f64 {
                self.into()
            }
        }
    };
}

stored!(f64, |x| x);
stored!(f32, |x| x as f32);
stored!(f16, f16::from_f64);
stored!(bf16, bf16::from_f64);

/// A point as it is stored.
fn rounded<T: Stored>(point: Complex<f64>) -> Complex<T> {
    Complex::new(T::rounded(point.re), T::rounded(point.im))
}

/// A stored point's value.
fn widened<T: Stored>(point: Complex<T>) -> Complex<f64> {
    Complex::new(point.re.value(), point.im.value())
}

/// A transform that has run: what came out, as the widest type.
struct Outcome {
    /// The output's shape.
    shape: Vec<usize>,
    /// Complex points; real ones have imaginary parts of zero.
    values: Vec<Complex<f64>>,
    /// How long the transform took.
    time: Duration,
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
    let array = npy::read(&arguments.input).map_err(|error| match error {
        npy::NpyError::Read { .. } => error.to_string(),
        _ => format!("{}: {error}", arguments.input.display()),
    })?;
    let request = request(arguments, &array)?;
    progress.step();
    progress.doing("transforming");
    let fft = arguments.common.planner()?.build(&request)?;
    let outcome = match request.precision {
        Precision::F64 => transform::<f64>(&fft, &array),
        Precision::F16 => transform::<f16>(&fft, &array),
        Precision::Bf16 => transform::<bf16>(&fft, &array),
        _ => transform::<f32>(&fft, &array),
    }?;
    progress.step();
    progress.doing("estimating the error");
    let estimate = estimated_error(fft.plan(), &array, &outcome);
    let picture = match &arguments.plot {
        Some(path) => Some(picture(arguments, path, fft.plan(), &array, &outcome)?),
        None => None,
    };
    progress.step();
    progress.doing("writing");
    if let (Some(path), Some(picture)) = (&arguments.plot, picture) {
        files::save(path, &[&picture])
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    if let Some(path) = &arguments.output {
        write(path, &request, &outcome)?;
    }
    drop(progress);
    report(arguments, &array, &fft, &outcome, estimate);
    Ok(())
}

/// The request that the arguments make of this array.
fn request(arguments: &Arguments, array: &Array) -> Result<Request, Failure> {
    let common = &arguments.common;
    let rank = array.shape.len();
    let precision = arguments
        .precision
        .unwrap_or(match array.values.are_single() {
            true => Precision::F32,
            false => Precision::F64,
        });
    let kinds = common.kinds(&arguments.kind);
    let real = |kind: &&Kind| kind.row().input == Domain::Real;
    if let Some(kind) = kinds.iter().find(real).filter(|_| array.dtype.is_complex()) {
        return Err(format!(
            "{} takes real numbers, and {} holds {}: use --kind c2c",
            kind.row().name,
            arguments.input.display(),
            array.dtype
        )
        .into());
    }
    let kind = kinds.last().copied().unwrap_or(Kind::C2C);
    if arguments.length.is_some() && kind != Kind::C2R {
        return Err("--length is the real length of a c2r output: leave it out".into());
    }
    let axes = common.axes(rank)?;
    let halved = axes
        .as_ref()
        .map_or(rank.checked_sub(1), |a| a.last().copied());
    let shape = match (kind, halved) {
        (Kind::C2R, Some(axis)) => Shape::from_half(&array.shape, axis, arguments.length)?,
        _ => Shape::new(&array.shape),
    };
    Ok(common.request(&arguments.kind, shape, precision)?)
}

fn transform<T: Stored>(fft: &Transform, array: &Array) -> Result<Outcome, Failure> {
    let request = &fft.plan().request;
    let row = request.kind.row();
    let what = "the input as it is stored";
    let buffer = match row.input {
        Domain::Real => fft.upload(&collect(what, array.points().map(|x| T::rounded(x.re)))?)?,
        Domain::Complex => fft.upload(&collect(what, array.points().map(rounded::<T>))?)?,
    };
    let mut output = fft.allocate_output()?;
    let started = Instant::now();
    fft.run(&buffer, &mut output)?;
    fft.synchronize()?;
    let time = started.elapsed();
    let what = "the output in f64";
    let values = match row.output {
        Domain::Real => {
            let out: Vec<T> = fft.download(&output)?;
            collect(what, out.into_iter().map(|x| Complex::from(x.value())))
        }
        Domain::Complex => {
            let out: Vec<Complex<T>> = fft.download(&output)?;
            collect(what, out.into_iter().map(widened))
        }
    }?;
    let mut shape = request.shape.dims().to_vec();
    if let Some(&halved) = request.axes.as_ref().and_then(|a| a.last()) {
        shape[halved] = request.kind.lengths(shape[halved]).1;
    }
    Ok(Outcome {
        shape,
        values,
        time,
    })
}

/// Writes the output in the precision's own width, half precisions as single.
fn write(path: &PathBuf, request: &Request, outcome: &Outcome) -> Result<(), Failure> {
    let (shape, values) = (&outcome.shape, &outcome.values);
    let double = request.precision == Precision::F64;
    let what = "the output as it is written";
    let points = values.iter();
    match (request.kind.row().output, double) {
        (Domain::Complex, true) => npy::write(path, shape, values)?,
        (Domain::Complex, false) => {
            let single = points.map(|x| rounded::<f32>(*x));
            npy::write(path, shape, &collect(what, single)?)?;
        }
        (Domain::Real, true) => {
            npy::write(path, shape, &collect(what, points.map(|x| x.re))?)?;
        }
        (Domain::Real, false) => {
            let single = points.map(|x| x.re as f32);
            npy::write(path, shape, &collect(what, single)?)?;
        }
    }
    Ok(())
}

/// The error of the first array along the axes that are not transformed.
fn estimated_error(plan: &mmafft::Plan, array: &Array, outcome: &Outcome) -> Option<(f64, usize)> {
    let request = &plan.request;
    let mut axes = request.axes.clone()?;
    let halved = *axes.last()?;
    axes.sort_unstable();
    let kinds = axes.iter().filter_map(|&a| request.kind_of(a)).collect();
    let lengths: Vec<usize> = axes.iter().map(|&a| request.shape.dims()[a]).collect();
    if lengths.iter().product::<usize>() > estimate::MOST_TERMS {
        return None;
    }
    // What the transform was given is the input rounded to its storage.
    let stored = match request.precision {
        Precision::F64 => |x| x,
        Precision::F16 => |x| widened(rounded::<f16>(x)),
        Precision::Bf16 => |x| widened(rounded::<bf16>(x)),
        _ => |x| widened(rounded::<f32>(x)),
    };
    let input = first_array(&array.shape, &axes, |i| stored(array.at(i)))?;
    let output = first_array(&outcome.shape, &axes, |i| outcome.values[i])?;
    estimate::relative_l2(
        request,
        &FirstArray {
            input: &input,
            output: &output,
            lengths: &lengths,
            kinds,
            halved: axes.iter().position(|&a| a == halved)?,
        },
    )
}

/// The points at index 0 of every axis that is not in `axes`; `None` without memory for them.
fn first_array(
    shape: &[usize],
    axes: &[usize],
    point: impl Fn(usize) -> Complex<f64>,
) -> Option<Vec<Complex<f64>>> {
    let in_first = |index: &usize| {
        let mut rest = *index;
        (0..shape.len()).rev().all(|axis| {
            let i = rest % shape[axis];
            rest /= shape[axis];
            i == 0 || axes.contains(&axis)
        })
    };
    let mut first = room("", axes.iter().map(|&axis| shape[axis]).product()).ok()?;
    let all = 0..shape.iter().product();
    first.extend(all.filter(in_first).map(point));
    Some(first)
}

fn picture(
    arguments: &Arguments,
    path: &std::path::Path,
    plan: &mmafft::Plan,
    array: &Array,
    outcome: &Outcome,
) -> Result<Vec<u8>, Failure> {
    let axes = plan.request.axes.clone().unwrap_or_default();
    let length = axes.last().map_or(1, |&a| plan.request.shape.dims()[a]);
    let name = arguments.input.file_name().unwrap_or_default();
    let spectrum = Spectrum {
        values: &outcome.values,
        shape: &outcome.shape,
        axes: &axes,
        length,
        kind: plan.request.kind,
        real_input: !array.dtype.is_complex(),
        spacing: arguments.spacing,
        unit: &arguments.unit,
        title: &format!("Spectrum of {}", name.to_string_lossy()),
        scale: arguments.scale,
    };
    spectrum.to_file(Format::of(files::extension(path, &Format::EXTENSIONS)?))
}

fn report(
    arguments: &Arguments,
    array: &Array,
    fft: &Transform,
    outcome: &Outcome,
    estimate: Option<(f64, usize)>,
) {
    let request = &fft.plan().request;
    outln!(
        "{}: {:?} {} -> {:?} {} {}",
        arguments.input.display(),
        array.shape,
        array.dtype,
        outcome.shape,
        request.precision.row().name,
        request.kind_names()
    );
    outln!(
        "backend {}, {:.3} ms",
        fft.plan().backend,
        outcome.time.as_secs_f64() * 1e3
    );
    let bound = fft.plan().error_bound;
    let values = outcome.values.len();
    let finite = outcome.values.iter().filter(|x| x.is_finite()).count();
    match estimate {
        _ if finite < values => outln!(
            "{} of {values} values of the output are not finite, so no bound holds: the input has such values, or \
             the precision's range is too small",
            values - finite
        ),
        Some((error, points)) => outln!(
            "relative L2 error about {error:.1e}, from {points} points by the definition; at most {bound:.1e}"
        ),
        None => outln!("relative L2 error at most {bound:.1e}"),
    }
    for path in arguments.outputs() {
        outln!("wrote {}", path.display());
    }
}
