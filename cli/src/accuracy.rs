//! `mmafft accuracy`: the error tables of the 2019 report, its figures beside ours.
//!
//! The report gives only the product of points and batch for each row. In one dimension
//! its cuFFT FP16 column tells the length apart (5.0e-3, 1.3e-2, 1.9e-2, 2.9e-2 and 8.7e-2 recur
//! across radices, as 64, 256, 512, 1024 and 4096 points would give); each row takes the
//! power of its radix nearest to that. In two and three dimensions it takes the largest
//! powers that fit, up to 256 and 64. The batch is the rest.

use super::progress::Progress;
use super::request::count;
use super::room::collect;
use super::{files, Failure};
use clap::Args;
use mmafft::{Complex, Planner, Precision, Request, Shape};
use std::fmt::Write as _;
use std::iter::repeat_n;
use std::path::PathBuf;
use std::time::Instant;

/// The report's nine tables.
const PAPER: &str = include_str!("accuracy/table1-9_v100.csv");

/// Arguments of `mmafft accuracy`.
#[derive(Args)]
pub struct Arguments {
    /// Only these tables of the report, 1 to 9
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_parser = table)]
    tables: Option<Vec<usize>>,
    /// Leave out rows of more points than this (the largest have 67108864)
    #[arg(long, default_value = "262144", value_parser = count)]
    max_points: usize,
    /// Also write the table to a file
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Threads of the cpu backend [default: all]
    #[arg(long, value_parser = count)]
    threads: Option<usize>,
}

fn table(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(table @ 1..=9) => Ok(table),
        _ => Err("the report has tables 1 to 9".into()),
    }
}

/// One row of the report.
struct PaperRow {
    table: usize,
    dimensions: usize,
    radix: usize,
    points: usize,
    time_ms: f64,
    half_error: f64,
    error: f64,
}

/// Errors of one run.
struct Errors {
    relative_l2: f64,
    largest: f64,
    papers: f64,
    time_ms: f64,
}

/// Prints the tables.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check(None, &arguments.csv)?;
    let rows: Vec<PaperRow> = PAPER.lines().skip(1).filter_map(parse).collect();
    let wanted = |row: &&PaperRow| {
        let tables = arguments.tables.as_ref();
        tables.is_none_or(|tables| tables.contains(&row.table))
    };
    let (chosen, larger): (Vec<_>, Vec<_>) = rows
        .iter()
        .filter(wanted)
        .partition(|row| row.points <= arguments.max_points);
    let planner = match arguments.threads {
        Some(threads) => Planner::on(mmafft::AnyBackend::Cpu(mmafft::CpuBackend::new(
            mmafft::CpuOptions {
                threads,
                ..Default::default()
            },
        ))),
        None => Planner::auto()?,
    };
    let mut csv = String::from(
        "table,dimensions,radix,length,batch,relative_l2,largest_over_rms,papers_measure,\
         unsplit_relative_l2,unsplit_papers_measure,f32_relative_l2,f16_relative_l2,time_ms,\
         paper_error,paper_cufft16_error,paper_time_ms\n",
    );
    outln!(
        "split-f16 on the {} backend; input uniform in [-1, 1); reference f64",
        planner.limits().backend
    );
    outln!("papers' measure: sum of |X - Xref| over (points x bound of the input)");
    outln!(
        "{:>5} {:>4} {:>5} {:>7} {:>7} | {:>9} {:>9} {:>9} | {:>9} | {:>9} {:>9} | {:>9} {:>9} | {:>9} {:>9}",
        "table", "dims", "radix", "length", "batch", "rel. L2", "largest", "papers'", "unsplit",
        "f32", "f16", "paper", "cuFFT16", "ours ms", "V100 ms"
    );
    let progress = Progress::new(chosen.len() as u64);
    for row in chosen {
        progress.doing(&format!("table {}, {} points", row.table, row.points));
        let (length, batch) = shape_of(row);
        let request = |precision| {
            Request::forward(Shape::new(&vec![length; row.dimensions]))
                .batch(batch)
                .precision(precision)
        };
        let input = noise(row.points)?;
        let reference = reference(&planner, &request(Precision::F64), &input)?;
        let radices = [row.radix];
        let split = request(Precision::SplitF16).radices(&radices);
        let ours = measure(&planner, &split, &input, &reference)?;
        let unsplit = measure(&planner, &split.split_matrix(false), &input, &reference)?;
        let single = measure(&planner, &request(Precision::F32), &input, &reference)?;
        let half = half_error(&planner, &request(Precision::F16), &input)?;
        outln!(
            "{:>5} {:>4} {:>5} {:>7} {:>7} | {:>9.2e} {:>9.2e} {:>9.2e} | {:>9.2e} | {:>9.2e} {:>9.2e} | {:>9.2e} {:>9.2e} | {:>9.3} {:>9.3}",
            row.table, row.dimensions, row.radix, length, batch,
            ours.relative_l2, ours.largest, ours.papers, unsplit.papers,
            single.relative_l2, half, row.error, row.half_error, ours.time_ms, row.time_ms
        );
        writeln!(
            csv,
            "{},{},{},{length},{batch},{:e},{:e},{:e},{:e},{:e},{:e},{half:e},{:.4},{:e},{:e},{}",
            row.table,
            row.dimensions,
            row.radix,
            ours.relative_l2,
            ours.largest,
            ours.papers,
            unsplit.relative_l2,
            unsplit.papers,
            single.relative_l2,
            ours.time_ms,
            row.error,
            row.half_error,
            row.time_ms
        )?;
        progress.step();
    }
    drop(progress);
    if !larger.is_empty() {
        outln!(
            "left out: {} rows of more than {} points (--max-points)",
            larger.len(),
            arguments.max_points
        );
    }
    if let Some(path) = &arguments.csv {
        files::save_text(path, &csv)?;
    }
    Ok(())
}

fn parse(line: &str) -> Option<PaperRow> {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |i: usize| fields.get(i)?.trim().parse::<f64>().ok();
    Some(PaperRow {
        table: number(0)? as usize,
        dimensions: number(1)? as usize,
        radix: number(2)? as usize,
        points: number(3)? as usize,
        half_error: number(6)?,
        time_ms: number(7)?,
        error: number(8)?,
    })
}

/// The lengths that the report's cuFFT FP16 errors in one dimension point to.
const LENGTH_BY_HALF_ERROR: [(f64, usize); 5] = [
    (5.05e-3, 64),
    (1.26e-2, 256),
    (1.93e-2, 512),
    (2.95e-2, 1024),
    (8.7e-2, 4096),
];

/// Length per dimension and batch of a row.
fn shape_of(row: &PaperRow) -> (usize, usize) {
    let distance = |error: f64| (error / row.half_error).ln().abs();
    let nearest = LENGTH_BY_HALF_ERROR
        .iter()
        .min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
    let most = match row.dimensions {
        1 => nearest.map_or(4096, |&(_, length)| length),
        2 => 256,
        _ => 64,
    };
    let power = row.dimensions as u32;
    let mut length = row.radix;
    while length * row.radix <= most && row.points.is_multiple_of((length * row.radix).pow(power)) {
        length *= row.radix;
    }
    (length, (row.points / length.pow(power)).max(1))
}

fn noise(points: usize) -> mmafft::Result<Vec<Complex<f32>>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0) as f32
    };
    let points = (0..points).map(|_| Complex::new(draw(), draw()));
    collect("the input", points)
}

fn reference(
    planner: &Planner,
    request: &Request,
    input: &[Complex<f32>],
) -> Result<Vec<Complex<f64>>, Failure> {
    let widen = |x: &Complex<f32>| Complex::new(f64::from(x.re), f64::from(x.im));
    let mut data = collect("the reference", input.iter().map(widen))?;
    planner.build(request)?.process_in_place(&mut data)?;
    Ok(data)
}

fn measure(
    planner: &Planner,
    request: &Request,
    input: &[Complex<f32>],
    reference: &[Complex<f64>],
) -> Result<Errors, Failure> {
    let fft = planner.build(request)?;
    let zeros = repeat_n(Complex::<f32>::default(), input.len());
    let mut output = collect("the output", zeros)?;
    let started = Instant::now();
    fft.process(input, &mut output)?;
    let time_ms = started.elapsed().as_secs_f64() * 1e3;
    let widened = output
        .iter()
        .map(|x| Complex::new(f64::from(x.re), f64::from(x.im)));
    Ok(errors(widened, reference, time_ms))
}

/// f16 storage: the input rounded to it, and the reference of that.
fn half_error(
    planner: &Planner,
    request: &Request,
    input: &[Complex<f32>],
) -> Result<f64, Failure> {
    use half::f16;
    // Scaled down by a power of two, so that sums of thousands stay in FP16's range.
    let down = |x: f32| f16::from_f32(x / 64.0);
    let data = input.iter().map(|x| Complex::new(down(x.re), down(x.im)));
    let data = collect("the input in f16", data)?;
    let rounded = |x: &Complex<f16>| Complex::new(x.re.to_f32(), x.im.to_f32());
    let rounded = collect("the rounded input", data.iter().map(rounded))?;
    let expected = reference(
        planner,
        &request.clone().precision(Precision::F64),
        &rounded,
    )?;
    let mut output = collect("the output", data.iter().copied())?;
    planner.build(request)?.process(&data, &mut output)?;
    let widened = output
        .iter()
        .map(|x| Complex::new(x.re.to_f64(), x.im.to_f64()));
    Ok(errors(widened, &expected, 0.0).relative_l2)
}

fn errors(
    output: impl Iterator<Item = Complex<f64>>,
    reference: &[Complex<f64>],
    time_ms: f64,
) -> Errors {
    let (mut squares, mut largest, mut sum) = (0.0, 0.0f64, 0.0);
    for (x, y) in output.zip(reference) {
        let error = (x - y).norm();
        squares += error * error;
        largest = largest.max(error);
        sum += error;
    }
    let energy: f64 = reference.iter().map(|x| x.norm_sqr()).sum();
    let count = reference.len() as f64;
    Errors {
        relative_l2: (squares / energy).sqrt(),
        largest: largest / (energy / count).sqrt(),
        papers: sum / count,
        time_ms,
    }
}
