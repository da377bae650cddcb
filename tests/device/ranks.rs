//! Ranks that are threads on one device: each stores to where the others load, in the device's own memory.

use super::cuda;
use mmafft::ranks::Group;
use mmafft::{
    AnyBackend, Complex, Domain, Element, Kind, Planner, Precision, RealElement, Request, Shape,
};
use std::time::{Duration, Instant};

/// Runs of each case.
const RUNS: usize = 50;

fn planner() -> Planner {
    Planner::on(AnyBackend::cuda(0).expect("the device that is there"))
}

/// Numbers in [-1, 1).
fn numbers<T: Element>(count: usize, of: impl Fn(f64, f64) -> T) -> Vec<T> {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| of(next(), next())).collect()
}

/// The cases of the kinds, right and the same in each of fifty runs, over two to four ranks.
pub fn ranks_on_one_device() {
    cuda();
    let cube = |n| Shape::d3(n, n, n);
    for ranks in 2..=4 {
        for n in [256, 512] {
            let request = Request::forward(cube(n));
            check::<f32>(&request, ranks);
            check::<f64>(&request.precision(Precision::F64), ranks);
        }
        check::<f32>(&Request::r2c(cube(512)), ranks);
        check::<f32>(&Request::c2r(cube(256)), ranks);
        check::<f32>(&Request::forward(Shape::d3(250, 300, 350)), ranks);
        check::<f32>(&Request::of_kind(Kind::Dct2, cube(256)), ranks);
        check::<f32>(&Request::forward(Shape::d2(4096, 4096)), ranks);
        check::<f32>(&Request::forward(Shape::d1(1 << 24)), ranks);
    }
}

fn check<T: RealElement + Into<f64>>(request: &Request, ranks: usize)
where
    Complex<T>: Element,
{
    let row = request.kind.row();
    let real = |x: f64, _: f64| of::<T>(x);
    let complex = |x: f64, y: f64| Complex::new(of::<T>(x), of::<T>(y));
    let one = |x: &T| -> [f64; 2] { [(*x).into(), 0.0] };
    let two = |x: &Complex<T>| -> [f64; 2] { [x.re.into(), x.im.into()] };
    match (row.input, row.output) {
        (Domain::Real, Domain::Real) => compare(request, ranks, real, one),
        (Domain::Real, Domain::Complex) => compare(request, ranks, real, two),
        (Domain::Complex, Domain::Real) => compare(request, ranks, complex, one),
        (Domain::Complex, Domain::Complex) => compare(request, ranks, complex, two),
    }
}

/// A number of `f32` or `f64`.
fn of<T: Element>(x: f64) -> T {
    match size_of::<T>() {
        8 => bytemuck::cast_slice(&[x])[0],
        _ => bytemuck::cast_slice(&[x as f32])[0],
    }
}

fn compare<I: Element, O: Element>(
    request: &Request,
    ranks: usize,
    point: impl Fn(f64, f64) -> I,
    parts: impl Fn(&O) -> [f64; 2],
) {
    let alone = planner().build(request).expect("a transform");
    let whole = numbers(alone.input_len(), point);
    let input = alone.upload(&whole).expect("room");
    let mut output = alone.allocate_output().expect("room");
    alone.run(&input, &mut output).expect("a run");
    let wanted: Vec<O> = alone.download(&output).expect("a copy");
    let single = time(|| {
        alone.run(&input, &mut output).expect("a run");
        alone.synchronize().expect("it has run");
    });
    drop((input, output));
    let groups = Group::threads(ranks).expect("ranks");
    let results = std::thread::scope(|scope| {
        let spawn = |group: Group| {
            let whole = &whole;
            scope.spawn(move || {
                let planner = planner();
                let fft = planner.over(&group).build(request).expect("a transform");
                let part = fft.plan().scatter(group.rank(), whole).expect("a part");
                let input = fft.upload(&part).expect("room");
                let mut output = fft.allocate_output().expect("room");
                let mut first = vec![O::default(); fft.output_len()];
                let mut again = first.clone();
                for run in 0..RUNS {
                    fft.run(&input, &mut output).expect("a run");
                    if run % 7 == 0 {
                        let got = if run == 0 { &mut first } else { &mut again };
                        fft.download_into(&output, got).expect("a copy");
                        let (a, b): (&[u8], &[u8]) =
                            (bytemuck::cast_slice(&first), bytemuck::cast_slice(&again));
                        assert!(run == 0 || a == b, "run {run} has other bits");
                    }
                }
                let took = time(|| fft.run(&input, &mut output).expect("a run"));
                (group.rank(), fft.plan().clone(), first, took)
            })
        };
        let threads: Vec<_> = groups.into_iter().map(spawn).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|rank| rank.expect("no panic"))
            .collect::<Vec<_>>()
    });
    let mut got = vec![O::default(); wanted.len()];
    let mut took = Duration::ZERO;
    for (rank, plan, part, time) in &results {
        plan.gather(*rank, part, &mut got).expect("a part");
        took = took.max(*time);
    }
    let (mut error, mut norm, mut same) = (0.0, 0.0, true);
    for (a, b) in got.iter().zip(&wanted) {
        let ([a, b], [c, d]) = (parts(a), parts(b));
        error += (a - c).powi(2) + (b - d).powi(2);
        norm += c * c + d * d;
        same &= (a, b) == (c, d);
    }
    let error = f64::sqrt(error / norm);
    let name = format!(
        "{} {}",
        request.precision.row().name,
        request.kind.row().name
    );
    println!(
        "{name} {} on {ranks} ranks: {:.3} ms, one rank {:.3}: {:.2}; error {error:.1e}, the same bits: {same}",
        request.shape,
        took.as_secs_f64() * 1e3,
        single.as_secs_f64() * 1e3,
        took.as_secs_f64() / single.as_secs_f64(),
    );
    assert!(error <= 2.0 * alone.plan().error_bound, "{error:.1e}");
}

/// The median time of a run.
fn time(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let since = Instant::now();
            run();
            since.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}
