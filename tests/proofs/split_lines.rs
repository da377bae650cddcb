//! Random requests with lines longer than a tile, run on the CPU against the reference:
//! every kind, zero ranges, layouts, prime lengths.

use mmafft::{Backend, CpuBackend, CpuOptions, Kind, Layout, Precision, Request, Shape, Step};
use mmafft_testing::{check, random_request};

fn backend(line_points: usize) -> CpuBackend {
    let threads = 2;
    CpuBackend::new(CpuOptions {
        threads,
        line_points,
    })
}

/// Runs all requests; returns how many plans split a line and how many convolve.
fn run(line_points: usize, requests: impl Iterator<Item = Request>) -> (usize, usize) {
    let backend = backend(line_points);
    let (mut split, mut convolved) = (0, 0);
    let mut failures = Vec::new();
    for request in requests {
        let plan = mmafft::plan(&request, backend.limits()).expect("every line can be split");
        let mut steps = plan.passes.iter().flat_map(|p| &p.steps);
        convolved += usize::from(steps.any(|s| matches!(s, Step::Convolve { .. })));
        let mut loops = plan.passes.iter().flat_map(|p| &p.loops);
        split += usize::from(loops.any(|l| l.load.index > 0));
        if let Err(what) = check(&backend, mmafft::plan, &request, 1.0) {
            failures.push(format!("{what}\n    {request:?}"));
        }
    }
    let count = failures.len();
    assert!(count == 0, "{count} fail:\n{}", failures.join("\n"));
    (split, convolved)
}

/// The suite's random requests, with f32 and f64 for all and, where there are few passes,
/// all precisions.
fn random(line_points: usize, seeds: u64) {
    let backend = backend(line_points);
    let mut limits = backend.limits().clone();
    if line_points < 64 {
        limits.precisions = vec![Precision::F32, Precision::F64];
    }
    // The double-double reference is slow.
    let small = |r: &Request| r.batch * r.shape.dims().iter().product::<usize>() < 6000;
    let requests = (0..seeds).map(|seed| random_request(seed, &limits));
    let (split, convolved) = run(line_points, requests.filter(small));
    let many = seeds as usize / 10;
    assert!(split > many && convolved > many / 2, "{split} {convolved}");
}

#[test]
fn random_8() {
    random(8, 1000);
}

#[test]
fn random_16() {
    random(16, 1000);
}

#[test]
fn random_64() {
    random(64, 1500);
}

/// Every length around the limits, and some far from them.
#[test]
fn every_length() {
    for line_points in [3, 8, 16, 64] {
        let lengths = (1..=140).chain([211, 256, 331, 509, 512, 1009, 2 * 499, 2003]);
        let requests = lengths.flat_map(|n| {
            let kinds = [
                Request::forward(Shape::d1(n)),
                Request::backward(Shape::d1(n)).in_place(),
                Request::r2c(Shape::d1(n)),
                Request::c2r(Shape::d1(n)),
                Request::r2c(Shape::d1(n)).batch(2).in_place(),
                Request::c2r(Shape::d1(n)).batch(2).in_place(),
                Request::c2r(Shape::d2(3, n)),
                Request::c2r(Shape::d2(n, 3)),
                Request::r2c(Shape::d2(n, 3)).axes(&[0]),
            ];
            let precision = [Precision::F64, Precision::F32][n % 2];
            kinds.into_iter().map(move |r| r.precision(precision))
        });
        run(line_points, requests);
    }
}

/// Parts of long lines, at their beginning, in the middle and at the end. Of a few points:
/// the error of one alone may be large beside it.
#[test]
fn zero_ranges() {
    for line_points in [8, 64] {
        let mut requests = Vec::new();
        for n in [128usize, 211, 257, 300, 509] {
            for (kind, base) in [
                (Kind::C2C, Request::forward(Shape::d1(n))),
                (Kind::C2C, Request::backward(Shape::d1(n))),
                (Kind::R2C, Request::r2c(Shape::d1(n))),
                (Kind::C2R, Request::c2r(Shape::d1(n))),
            ] {
                let [input, output] = kind.lengths(n);
                let base = base.batch(2).precision(Precision::F64);
                for part in [0..1, 0..input / 2, 3..input - 5, input - 1..input] {
                    requests.push(base.clone().nonzero_input(0, part));
                }
                for part in [0..9, 0..output / 2, 3..output - 5, output - 9..output] {
                    requests.push(base.clone().wanted_output(0, part));
                }
                let both = base.clone().nonzero_input(0, 2..input / 2);
                requests.push(both.clone().wanted_output(0, 1..output / 3));
                requests.push(both.input_layout(Layout::strided(&[3]).offset(1)));
            }
        }
        run(line_points, requests.into_iter());
    }
}

/// FP16 between passes neither overflows nor loses its digits, whatever the kind: the
/// largest input that there is, all ones, and a random one.
#[test]
fn half_stays_in_range() {
    let lengths = [509usize, 1009, 1 << 11, 4099, 3 * 1009];
    let requests = lengths.into_iter().flat_map(|n| {
        [
            Request::forward(Shape::d1(n)),
            Request::r2c(Shape::d1(n)),
            Request::c2r(Shape::d1(n)),
            Request::c2r(Shape::d2(2, n)),
            Request::forward(Shape::d2(n, 3)),
        ]
        .map(|r| r.precision(Precision::F16))
    });
    run(64, requests);
    for n in [509, 4099] {
        let backend = backend(64);
        let request = Request::forward(Shape::d1(n)).precision(Precision::F16);
        let fft = mmafft::Planner::on(mmafft::AnyBackend::Cpu(backend))
            .build(&request)
            .expect("a transform");
        let ones = vec![num_complex::Complex::new(half::f16::ONE, half::f16::ONE); n];
        let mut out = ones.clone();
        fft.process(&ones, &mut out).expect("it runs");
        let peak = out[0];
        for x in [peak.re.to_f64(), peak.im.to_f64()] {
            assert!((x / n as f64 - 1.0).abs() < 2e-3, "{x} of {n}");
        }
    }
}
