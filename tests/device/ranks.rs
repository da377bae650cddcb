//! Ranks that are threads, on one device or several: each stores to where the others load.

use super::cuda;
use mmafft::ranks::Group;
use mmafft::{
    AnyBackend, Complex, Domain, Element, Kind, Planner, Precision, RealElement, Request, Shape,
};
use std::time::{Duration, Instant};

/// Runs of each case.
const RUNS: usize = 50;

fn planner(device: usize) -> Planner {
    Planner::on(AnyBackend::cuda(device).expect("a device that is there"))
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
    for ranks in 2..=4 {
        every_case(ranks, 1);
    }
}

/// The same with a device for each rank, of all that there are, four at most; one is skipped.
pub fn ranks_on_several_devices() {
    cuda();
    let there = (1..4).take_while(|&device| AnyBackend::cuda(device).is_ok());
    let devices = 1 + there.count();
    if devices == 1 {
        mmafft_testing::skip("needs several devices: there is one");
    }
    for ranks in 2..=4 {
        every_case(ranks, devices.min(ranks));
    }
}

/// A few small cases: what a tool that looks at every access has time for.
pub fn a_sample_of_ranks() {
    cuda();
    let devices = 1 + usize::from(AnyBackend::cuda(1).is_ok());
    for request in [
        Request::forward(Shape::d3(32, 48, 64)),
        Request::r2c(Shape::d3(25, 30, 35)),
        Request::of_kind(Kind::Dct2, Shape::d3(16, 24, 32)),
        Request::forward(Shape::d1(1 << 14)),
    ] {
        check::<f32>(&request, 3, devices);
    }
}

fn every_case(ranks: usize, devices: usize) {
    let cube = |n| Shape::d3(n, n, n);
    for n in [256, 512] {
        let request = Request::forward(cube(n));
        check::<f32>(&request, ranks, devices);
        check::<f64>(&request.precision(Precision::F64), ranks, devices);
    }
    check::<f32>(&Request::r2c(cube(512)), ranks, devices);
    check::<f32>(&Request::c2r(cube(256)), ranks, devices);
    check::<f32>(&Request::forward(Shape::d3(250, 300, 350)), ranks, devices);
    check::<f32>(&Request::of_kind(Kind::Dct2, cube(256)), ranks, devices);
    check::<f32>(&Request::forward(Shape::d2(4096, 4096)), ranks, devices);
    check::<f32>(&Request::forward(Shape::d1(1 << 24)), ranks, devices);
}

fn check<T: RealElement + Into<f64>>(request: &Request, ranks: usize, devices: usize)
where
    Complex<T>: Element,
{
    let row = request.kind.row();
    let real = |x: f64, _: f64| of::<T>(x);
    let complex = |x: f64, y: f64| Complex::new(of::<T>(x), of::<T>(y));
    let one = |x: &T| -> [f64; 2] { [(*x).into(), 0.0] };
    let two = |x: &Complex<T>| -> [f64; 2] { [x.re.into(), x.im.into()] };
    match (row.input, row.output) {
        (Domain::Real, Domain::Real) => compare(request, [ranks, devices], real, one),
        (Domain::Real, Domain::Complex) => compare(request, [ranks, devices], real, two),
        (Domain::Complex, Domain::Real) => compare(request, [ranks, devices], complex, one),
        (Domain::Complex, Domain::Complex) => compare(request, [ranks, devices], complex, two),
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
    [ranks, devices]: [usize; 2],
    point: impl Fn(f64, f64) -> I,
    parts: impl Fn(&O) -> [f64; 2],
) {
    let alone = planner(0).build(request).expect("a transform");
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
                let planner = planner(group.rank() % devices);
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
        "{name} {} on {ranks} ranks, {devices} devices: {:.3} ms, one rank {:.3}: {:.2}; error {error:.1e}, the same bits: {same}",
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
