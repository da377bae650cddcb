//! Ours beside RustFFT and FFTW, in one process: `cargo bench -p mmafft-lab --bench peers`.
//!
//! Arguments after `--`: any of `lines`, `nd`, `real`, `r2r`, `r2r-nd` (default: all), `--threads N`
//! (default: 1 and all), `--csv FILE`. Each case alternates ours and the peer's; the ratio is
//! the median over pairs, above 1 where ours is faster. FFTW is planned with MEASURE.

use mmafft::{
    AnyBackend, Complex, CpuBackend, CpuOptions, Direction, Kind, Planner, Precision, RealElement,
    Request, Shape, KINDS,
};
use mmafft_lab::peers::fftw::{Fftw, FftwPlan, Memory, Rigor};
use mmafft_lab::peers::Transform;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let value = |name: &str| {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1).cloned()
    };
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = match value("--threads").and_then(|n| n.parse().ok()) {
        Some(n) => vec![n],
        None if all > 1 => vec![1, all],
        None => vec![1],
    };
    let sections = ["lines", "nd", "real", "r2r", "r2r-nd"];
    let named: Vec<&str> = sections
        .into_iter()
        .filter(|s| args.iter().any(|a| a == s))
        .collect();
    let wanted = |section: &str| named.is_empty() || named.contains(&section);
    let mut table = Table::default();
    for &threads in &threads {
        if wanted("lines") && threads == 1 {
            lines::<f32>(&mut table);
            lines::<f64>(&mut table);
        }
        if wanted("nd") {
            nd::<f32>(&mut table, threads);
            nd::<f64>(&mut table, threads);
        }
        if wanted("real") && threads == 1 {
            real::<f32>(&mut table);
            real::<f64>(&mut table);
        }
    }
    for &threads in &threads {
        if wanted("r2r") && threads == 1 {
            let lengths = [1350, 2250, 4096, 4050, 6750, 12150, 20250, 60750, 65536];
            let shapes: Vec<Vec<usize>> = lengths.iter().map(|&n| vec![n]).collect();
            r2r::<f32>(&mut table, &shapes, threads);
            r2r::<f64>(&mut table, &shapes, threads);
        }
        if wanted("r2r-nd") {
            let shapes: Vec<Vec<usize>> = [512, 1000, 1350, 2048].map(|n| vec![n, n]).to_vec();
            r2r::<f32>(&mut table, &shapes, threads);
            r2r::<f64>(&mut table, &shapes, threads);
        }
    }
    table.summary();
    if let Some(file) = value("--csv") {
        std::fs::write(&file, table.csv).unwrap_or_else(|e| panic!("{file}: {e}"));
    }
}

/// What differs between f32 and f64 here.
trait Scalar: RealElement + rustfft::FftNum {
    const PRECISION: Precision;
}

impl Scalar for f32 {
    const PRECISION: Precision = Precision::F32;
}

impl Scalar for f64 {
    const PRECISION: Precision = Precision::F64;
}

#[derive(Default)]
struct Table {
    csv: String,
    ratios: Vec<(String, f64)>,
}

impl Table {
    /// Times both in turn and prints a row.
    fn row(
        &mut self,
        class: &str,
        case: &str,
        peer: &str,
        mut ours: impl FnMut(),
        mut other: impl FnMut(),
    ) {
        let (mut pairs, started) = (Vec::new(), Instant::now());
        ours();
        other();
        while pairs.len() < 9
            || (pairs.len() < 301 && started.elapsed() < Duration::from_millis(400))
        {
            let time = |f: &mut dyn FnMut()| {
                let start = Instant::now();
                f();
                start.elapsed().as_secs_f64()
            };
            // Whoever goes second finds the caches as the first left them: take turns.
            let pair = match pairs.len() % 2 {
                0 => (time(&mut ours), time(&mut other)),
                _ => {
                    let other = time(&mut other);
                    (time(&mut ours), other)
                }
            };
            pairs.push(pair);
        }
        let median = |mut v: Vec<f64>| {
            v.sort_by(f64::total_cmp);
            v[v.len() / 2]
        };
        let ours = median(pairs.iter().map(|p| p.0).collect());
        let theirs = median(pairs.iter().map(|p| p.1).collect());
        let ratio = median(pairs.iter().map(|p| p.1 / p.0).collect());
        println!(
            "{class:<24} {case:<18} ours {:>10.1} us  {peer} {:>10.1} us  ratio {ratio:.3}",
            ours * 1e6,
            theirs * 1e6
        );
        if self.csv.is_empty() {
            self.csv.push_str("class,case,peer,ours_us,peer_us,ratio\n");
        }
        let _ = writeln!(
            self.csv,
            "{class},{case},{peer},{:.2},{:.2},{ratio:.4}",
            ours * 1e6,
            theirs * 1e6
        );
        self.ratios.push((class.into(), ratio));
    }

    fn summary(&self) {
        let mut classes: Vec<&String> = self.ratios.iter().map(|r| &r.0).collect();
        classes.sort();
        classes.dedup();
        for class in classes {
            let of: Vec<f64> = self
                .ratios
                .iter()
                .filter(|r| r.0 == *class)
                .map(|r| r.1)
                .collect();
            let mean = (of.iter().map(|r| r.ln()).sum::<f64>() / of.len() as f64).exp();
            let least = of.iter().copied().fold(f64::INFINITY, f64::min);
            println!(
                "{class:<24} geometric mean {mean:.3}, least {least:.3} of {}",
                of.len()
            );
        }
    }
}

fn planner(threads: usize) -> Planner {
    let options = CpuOptions {
        threads,
        ..CpuOptions::default()
    };
    Planner::on(AnyBackend::Cpu(CpuBackend::new(options)))
}

/// A transform of this precision, as the peers take it.
fn transform<T: Scalar>(kind: Kind, dims: &[usize]) -> Transform {
    Transform::new(kind, T::PRECISION.row().storage, dims)
}

/// FFTW's plan, with MEASURE.
fn planned(transform: &Transform, threads: usize) -> FftwPlan {
    let plan = FftwPlan::new(transform, Direction::Forward, Rigor::Measure, threads);
    plan.expect("FFTW plans it")
}

/// Whether there is FFTW for a section of the table.
fn has_fftw<T: Scalar>(section: &str) -> bool {
    let opened = Fftw::open(T::PRECISION.row().storage);
    if opened.is_err() {
        println!("skipped: {section}, needs libfftw3");
    }
    opened.is_ok()
}

/// Batched lines of about 2^16 points beside bare RustFFT.
fn lines<T: Scalar>(table: &mut Table) {
    let mut lengths: Vec<usize> = (1..=20).map(|p| 1 << p).collect();
    lengths.extend([
        3, 5, 7, 9, 12, 15, 60, 100, 127, 210, 257, 360, 1000, 1009, 1080, 1920, 4099, 10000,
        10007, 65537, 100000, 1000000,
    ]);
    for n in lengths {
        let batch = ((1 << 16) / n).max(1);
        let request = Request::forward(Shape::d1(n))
            .batch(batch)
            .precision(T::PRECISION);
        let fft = planner(1).build(&request).expect("a plan");
        let peer = rustfft::FftPlanner::<T>::new().plan_fft_forward(n);
        let mut scratch = vec![Complex::default(); peer.get_inplace_scratch_len()];
        // Zeros: transforms of transforms of anything else would overflow. One buffer for
        // both: where memory lies alone makes differences of ten per cent.
        let x = std::cell::RefCell::new(vec![Complex::<T>::default(); n * batch]);
        table.row(
            &format!("lines {}", T::NAME),
            &n.to_string(),
            "RustFFT",
            || {
                fft.process_in_place(black_box(&mut x.borrow_mut()[..]))
                    .expect("runs")
            },
            || peer.process_with_scratch(black_box(&mut x.borrow_mut()[..]), &mut scratch),
        );
    }
}

/// 2-D and 3-D beside FFTW.
fn nd<T: Scalar>(table: &mut Table, threads: usize) {
    if !has_fftw::<T>("nd") {
        return;
    }
    let shapes: [&[usize]; 6] = [
        &[512, 512],
        &[1024, 1024],
        &[2048, 2048],
        &[1080, 1920],
        &[128, 128, 128],
        &[256, 256, 256],
    ];
    for dims in shapes {
        let shape = Shape::new(dims);
        let n: usize = dims.iter().product();
        let request = Request::forward(shape.clone()).precision(T::PRECISION);
        let fft = planner(threads).build(&request).expect("a plan");
        let mut x = Memory::new::<Complex<T>>(n);
        let mut y = Memory::new::<Complex<T>>(n);
        let peer = transform::<T>(Kind::C2C, dims);
        let plan = planned(&peer.clone().in_place(), threads);
        // Both sides get buffers aligned by their own library.
        let zeros = vec![Complex::<T>::default(); n];
        let mut z = fft.upload(&zeros).expect("memory");
        let mut w = fft.upload(&zeros).expect("memory");
        let class = |placement: &str| format!("nd {} {placement} {threads}t", T::NAME);
        table.row(
            &class("in-place"),
            &shape.to_string(),
            "FFTW",
            || fft.run_in_place(black_box(&mut z)).expect("runs"),
            || plan.execute(black_box(x.bytes()), None),
        );
        let plan = planned(&peer, threads);
        table.row(
            &class("out-of-place"),
            &shape.to_string(),
            "FFTW",
            || fft.run(black_box(&z), &mut w).expect("runs"),
            || plan.execute(black_box(x.bytes()), Some(y.bytes())),
        );
    }
}

/// Real to half spectrum and back, batches of about 2^18 points, beside FFTW.
fn real<T: Scalar>(table: &mut Table) {
    if !has_fftw::<T>("real") {
        return;
    }
    for p in 6..=20 {
        let n = 1usize << p;
        let batch = ((1 << 18) / n).max(1);
        let h = n / 2 + 1;
        let mut x = Memory::new::<T>(n * batch);
        let mut y = Memory::new::<Complex<T>>(h * batch);
        let mut z = vec![T::default(); n * batch];
        let mut w = vec![Complex::<T>::default(); h * batch];
        let request = Request::r2c(Shape::d1(n))
            .batch(batch)
            .precision(T::PRECISION);
        let fft = planner(1).build(&request).expect("a plan");
        let plan = planned(&transform::<T>(Kind::R2C, &[n]).batch(batch), 1);
        table.row(
            &format!("r2c {}", T::NAME),
            &n.to_string(),
            "FFTW",
            || fft.process(black_box(&z), &mut w).expect("runs"),
            || plan.execute(black_box(x.bytes()), Some(y.bytes())),
        );
        let request = Request::c2r(Shape::d1(n))
            .batch(batch)
            .precision(T::PRECISION);
        let fft = planner(1).build(&request).expect("a plan");
        let plan = planned(&transform::<T>(Kind::C2R, &[n]).batch(batch), 1);
        table.row(
            &format!("c2r {}", T::NAME),
            &n.to_string(),
            "FFTW",
            || fft.process(black_box(&w), &mut z).expect("runs"),
            || plan.execute(black_box(y.bytes()), Some(x.bytes())),
        );
    }
}

/// Every kind from reals to reals, one array, beside FFTW; short lines several times over, as
/// one is over before the clock has moved. `MMAFFT_CASE` names a kind to run alone.
fn r2r<T: Scalar>(table: &mut Table, shapes: &[Vec<usize>], threads: usize) {
    if !has_fftw::<T>("r2r") {
        return;
    }
    let only = std::env::var("MMAFFT_CASE").ok();
    for row in KINDS {
        let named = only.as_deref().is_none_or(|only| only == row.name);
        if !row.kind.is_real_to_real() || !named {
            continue;
        }
        for dims in shapes {
            let shape = Shape::new(dims);
            let n: usize = dims.iter().product();
            let request = Request::of_kind(row.kind, shape.clone()).precision(T::PRECISION);
            let fft = planner(threads).build(&request).expect("a plan");
            let plan = planned(&transform::<T>(row.kind, dims), threads);
            let mut x = Memory::new::<T>(n);
            let mut y = Memory::new::<T>(n);
            let zeros = vec![T::default(); n];
            let z = fft.upload(&zeros).expect("memory");
            let mut w = fft.upload(&zeros).expect("memory");
            let times = if dims.len() == 1 {
                (1 << 16) / n + 1
            } else {
                1
            };
            table.row(
                &format!("{} {} {}-D {threads}t", row.name, T::NAME, dims.len()),
                &shape.to_string(),
                "FFTW",
                || (0..times).for_each(|_| fft.run(black_box(&z), &mut w).expect("runs")),
                || (0..times).for_each(|_| plan.execute(black_box(x.bytes()), Some(y.bytes()))),
            );
        }
    }
}
