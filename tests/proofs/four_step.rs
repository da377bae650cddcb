//! Lines that are split four-step, on the CPU, against the reference.

use crate::{common::device_limits, prove_all};
use mmafft::{CpuBackend, CpuOptions, Layout, Precision, Request, Shape};
use mmafft_testing::{by_products, check};

const LENGTHS: [usize; 5] = [128, 4096, 6000, 97 * 64, 1 << 15];
const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::F64, Precision::SplitF16];

/// Long lines: alone, in a batch, beside another axis, strided, in place.
fn requests(precision: Precision) -> Vec<Request> {
    let mut all = Vec::new();
    for n in LENGTHS {
        let forward = || by_products(Request::forward(Shape::d1(n)).precision(precision));
        all.push(forward());
        all.push(forward().in_place());
        all.push(Request::backward(Shape::d1(n)).precision(precision));
    }
    // The double-double reference is slow: what follows is of fewer points.
    for n in [128, 600, 4096] {
        let of = |shape| by_products(Request::forward(shape).precision(precision));
        all.push(of(Shape::d1(n)).batch(3));
        all.push(of(Shape::d2(n, 3)));
        all.push(of(Shape::d2(3, n)).batch(2).in_place());
        all.push(of(Shape::d2(n, 3)).axes(&[0]).batch(2));
        let strided = || Layout::strided(&[3]).distance(3 * n + 1).offset(2);
        all.push(of(Shape::d1(n)).batch(3).input_layout(strided()));
        all.push(of(Shape::d1(n)).batch(3).output_layout(strided()));
        let innermost = || Layout::strided(&[3]).distance(1);
        all.push(
            of(Shape::d1(n))
                .batch(3)
                .input_layout(innermost())
                .in_place(),
        );
        // Another axis' zero range: the intermediate lies in scratch beside the split line.
        all.push(of(Shape::d2(n, 6)).wanted_output(1, 2..4));
    }
    all.push(
        Request::forward(Shape::d2(200, 128))
            .precision(precision)
            .batch(2),
    );
    all
}

fn run(precision: Precision, threads: usize) {
    let backend = CpuBackend::new(CpuOptions {
        threads,
        line_points: 64,
    });
    let mut split = 0;
    for request in requests(precision) {
        let plan = mmafft::plan(&request, mmafft::Backend::limits(&backend)).expect("a plan");
        let parts = |p: &mmafft::Pass| p.loops.iter().any(|l| l.load.index > 0);
        split += usize::from(plan.passes.iter().any(parts));
        if let Err(what) = check(&backend, mmafft::plan, &request, 1.0) {
            panic!("{what}\n    {request:?}");
        }
    }
    assert!(split > 30, "only {split} plans were split");
}

#[test]
fn f32() {
    run(Precision::F32, 1);
}

#[test]
fn f64_in_parallel() {
    run(Precision::F64, 4);
}

#[test]
fn split_f16() {
    run(Precision::SplitF16, 4);
}

/// 97·64 with lines of 97 points allowed: no convolution.
#[test]
fn a_prime_factor() {
    let backend = CpuBackend::new(CpuOptions {
        threads: 1,
        line_points: 97,
    });
    for precision in PRECISIONS {
        let request = Request::forward(Shape::d1(97 * 64)).precision(precision);
        if let Err(what) = check(&backend, mmafft::plan, &request, 1.0) {
            panic!("{what}\n    {request:?}");
        }
    }
}

#[test]
fn proven() {
    let limits = device_limits(64);
    for precision in PRECISIONS {
        let requests = requests(precision).into_iter();
        let named = requests.map(|r| (r.shape.to_string(), r));
        assert!(prove_all(&limits, named) > 30);
    }
}

/// Radices that make the length make it split, too: 512 = 8·8·8 in lines of at most 64.
#[test]
fn asked_radices() {
    for (n, radix, line_points) in [(512, 8, 64), (512, 8, 16), (64, 4, 16), (125, 5, 25)] {
        let request = Request::forward(Shape::d1(n))
            .radices(&[radix])
            .precision(Precision::SplitF16);
        if let Err(error) = mmafft::plan(&request, &device_limits(line_points)) {
            panic!("{n} in lines of {line_points}: {error}");
        }
    }
}
