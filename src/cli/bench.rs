//! `mmafft bench`: how fast transforms run beside a copy of the same bytes.

use super::progress::Progress;
use super::request::{kinds, precisions, shape, Common};
use super::Failure;
use clap::Args;
use half::{bf16, f16};
use mmafft::{Complex, Domain, Kind, Planner, Precision, RealElement, Request, Shape};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Arguments of `mmafft bench`.
#[derive(Args)]
pub struct Arguments {
    /// Shapes such as 1024 or 512x512 [default: powers of two, mixed lengths, primes, 2-D, 3-D]
    #[arg(value_parser = shape)]
    shapes: Vec<Shape>,
    /// Arrays a shape [default: as many as fill --mebibytes]
    #[arg(long)]
    batch: Option<usize>,
    /// Bytes of data a case, where --batch does not say
    #[arg(long, default_value_t = 64)]
    mebibytes: usize,
    /// What becomes what
    #[arg(long, default_value = "c2c", value_parser = kinds())]
    kind: Kind,
    /// How points are stored and computed
    #[arg(long, default_value = "f32", value_delimiter = ',', value_parser = precisions())]
    precision: Vec<Precision>,
    /// Runs that are timed, after two that are not
    #[arg(long, default_value_t = 9)]
    runs: usize,
    /// Also write the table to a file
    #[arg(long)]
    csv: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// What one case measured, in seconds.
struct Times {
    batch: usize,
    bytes: usize,
    median: f64,
    least: f64,
    most: f64,
    copy: f64,
}

/// Times every case.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let planner = arguments.common.planner()?;
    let shapes = match arguments.shapes.is_empty() {
        true => default_shapes(),
        false => arguments.shapes.clone(),
    };
    let backend = planner.limits().backend;
    println!(
        "{backend}: {}; {} after 2",
        planner.limits().device,
        arguments.runs
    );
    println!("GB/s count each point once read and once written; a copy of the same bytes is 1.0");
    println!(
        "{:>16} {:>9} {:>9} {:>11} {:>21} {:>8} {:>8} {:>8}",
        "shape", "precision", "batch", "median us", "least .. most us", "GB/s", "copy", "fraction"
    );
    let mut csv = String::from(
        "backend,kind,precision,shape,batch,bytes,median_us,least_us,most_us,gb_per_s,copy_gb_per_s,fraction\n",
    );
    let progress = Progress::new((shapes.len() * arguments.precision.len()) as u64);
    for &precision in &arguments.precision {
        for shape in &shapes {
            progress.doing(&format!("{shape} {}", precision.row().name));
            let request = arguments
                .common
                .request(&[arguments.kind], shape.clone(), precision)?;
            let times = match precision {
                Precision::F64 => time::<f64>(&planner, &request, arguments),
                Precision::F16 => time::<f16>(&planner, &request, arguments),
                Precision::Bf16 => time::<bf16>(&planner, &request, arguments),
                _ => time::<f32>(&planner, &request, arguments),
            }?;
            let rate = |seconds: f64| times.bytes as f64 / seconds / 1e9;
            let us = |seconds: f64| seconds * 1e6;
            let name = precision.row().name;
            println!(
                "{:>16} {name:>9} {:>9} {:>11.1} {:>10.1} .. {:>7.1} {:>8.2} {:>8.2} {:>8.3}",
                shape.to_string(),
                times.batch,
                us(times.median),
                us(times.least),
                us(times.most),
                rate(times.median),
                rate(times.copy),
                times.copy / times.median
            );
            writeln!(
                csv,
                "{backend},{},{name},{shape},{},{},{:.2},{:.2},{:.2},{:.3},{:.3},{:.4}",
                arguments.kind.row().name,
                times.batch,
                times.bytes,
                us(times.median),
                us(times.least),
                us(times.most),
                rate(times.median),
                rate(times.copy),
                times.copy / times.median
            )?;
            progress.step();
        }
    }
    drop(progress);
    if let Some(path) = &arguments.csv {
        std::fs::write(path, csv).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(())
}

fn default_shapes() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = (1..=22).step_by(3).map(|p| Shape::d1(1 << p)).collect();
    let others = [15, 100, 1000, 1080, 1920, 15015, 100_000, 127, 1009, 65_537];
    shapes.extend(others.map(Shape::d1));
    shapes.extend([512, 1024, 2048].map(|n| Shape::d2(n, n)));
    shapes.push(Shape::d2(1080, 1920));
    shapes.extend([128, 256].map(|n| Shape::d3(n, n, n)));
    shapes
}

fn time<T: RealElement>(
    planner: &Planner,
    request: &Request,
    arguments: &Arguments,
) -> Result<Times, Failure> {
    let points = request.shape.points()?;
    let point = 2 * size_of::<T>();
    let fill = (arguments.mebibytes << 20) / (points * point).max(1);
    let batch = arguments.batch.unwrap_or(fill.max(1));
    let fft = planner.build(&request.clone().batch(batch))?;
    let row = fft.plan().request.kind.row();
    let scalars = |domain: Domain, len: usize| len * domain.scalars();
    let input = match row.input {
        Domain::Real => fft.upload(&vec![T::default(); fft.input_len()])?,
        Domain::Complex => fft.upload(&vec![Complex::<T>::default(); fft.input_len()])?,
    };
    let mut output = fft.allocate_output()?;
    let read = scalars(row.input, fft.input_len()) * size_of::<T>();
    let written = scalars(row.output, fft.output_len()) * size_of::<T>();
    let source = vec![1u8; (read + written) / 2];
    let mut target = vec![0u8; source.len()];
    let (mut times, mut copies) = (Vec::new(), Vec::new());
    for run in 0..arguments.runs.max(1) + 2 {
        let started = Instant::now();
        fft.run(&input, &mut output)?;
        fft.synchronize()?;
        let transform = started.elapsed();
        let started = Instant::now();
        target.copy_from_slice(std::hint::black_box(&source));
        std::hint::black_box(&mut target);
        if run >= 2 {
            times.push(transform);
            copies.push(started.elapsed());
        }
    }
    times.sort_unstable();
    copies.sort_unstable();
    let median = |v: &[Duration]| v[v.len() / 2].as_secs_f64();
    Ok(Times {
        batch,
        bytes: read + written,
        median: median(&times),
        least: times[0].as_secs_f64(),
        most: times[times.len() - 1].as_secs_f64(),
        // The host's copy is no ruler for a device.
        copy: match planner.limits().backend {
            "cpu" => median(&copies),
            _ => f64::NAN,
        },
    })
}
