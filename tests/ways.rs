//! Each way by itself: of every kind and of shapes that it applies to, against the reference.

use mmafft::lab::{of_way, plan_as, ways};
use mmafft::{Backend, Direction, Kind, Limits, Precision, Request, Shape, KINDS};
use mmafft_testing::{by_products, check};
use std::collections::BTreeMap;

/// Lengths of lines: of one point, short ones, composite and prime ones longer than tiles.
const LINES: [usize; 8] = [1, 9, 59, 167, 193, 240, 1009, 2048];
/// Planes and volumes that tiles hold, that clusters do, and whose axes are longer.
const ARRAYS: [&[usize]; 6] = [
    &[6, 9],
    &[12, 16],
    &[32, 32],
    &[300, 12],
    &[1024, 4],
    &[4, 6, 8],
];

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    let shapes = LINES.iter().map(|&n| Shape::d1(n));
    let shapes: Vec<Shape> = shapes.chain(ARRAYS.map(Shape::new)).collect();
    for row in KINDS {
        let direction = row.direction.unwrap_or(Direction::Forward);
        for shape in &shapes {
            // A type I begins or ends with points of its own: its line is that much longer or shorter.
            let of = |n: &usize| match row.kind {
                Kind::Dct1 => n + 1,
                Kind::Dst1 => (n - 1).max(1),
                _ => *n,
            };
            let dims: Vec<usize> = shape.dims().iter().map(of).collect();
            let request = Request::directed(row.kind, direction, Shape::new(&dims));
            all.push(request.batch(3));
        }
    }
    // Products, of which none is of one point.
    let products =
        LINES.map(|n| by_products(Request::forward(Shape::d1(n)).precision(Precision::SplitF16)));
    all.extend(products);
    all
}

/// Runs each way on the requests that it makes something of; returns how many those were.
fn run<B: Backend>(backend: &B, limits: &Limits) -> BTreeMap<&'static str, usize> {
    let mut ran = BTreeMap::new();
    for way in ways() {
        for request in requests() {
            let Ok(plan) = plan_as(&request, limits, &of_way(way)) else {
                continue;
            };
            if !plan.ways.contains(&way) {
                continue;
            }
            assert!(plan.explain().contains(way), "{}", plan.explain());
            let plan = |request: &Request, _: &Limits| plan_as(request, limits, &of_way(way));
            if let Err(what) = check(backend, plan, &request, 1.0) {
                panic!("{way}: {what}\n    {request:?}");
            }
            *ran.entry(way).or_default() += 1;
        }
    }
    ran
}

/// The ways of all devices, and those of a CPU; on it short lines are long ones.
#[cfg(feature = "cpu")]
#[test]
fn on_the_cpu() {
    use mmafft::{CpuBackend, CpuOptions};
    let mut ran = BTreeMap::new();
    for line_points in [usize::MAX, 64] {
        let threads = 2;
        let backend = CpuBackend::new(CpuOptions {
            threads,
            line_points,
        });
        ran.extend(run(&backend, backend.limits()));
    }
    for way in [
        "axis by axis",
        "the halved axis last",
        "whole lines",
        "four-step lines",
        "Bluestein over passes",
        "several axes in a tile",
        "single points",
        "butterflies across lines",
        "lines by a library",
        "radices",
        "Bluestein",
    ] {
        assert!(ran.contains_key(way), "{way} is not among {ran:?}");
    }
}

/// All ways but those of CPUs alone, on small tiles.
#[cfg(feature = "emulate")]
#[test]
fn on_emulated_devices() {
    use mmafft::emulated::EmulatedDriver;
    use mmafft::EmulatedBackend;
    let mut ran = BTreeMap::new();
    for driver in [EmulatedDriver::nvidia(), EmulatedDriver::amd()] {
        let backend = EmulatedBackend::new(driver);
        let limits = Limits {
            tile_bytes: 8 << 10,
            ..backend.limits().clone()
        };
        ran.extend(run(&backend, &limits));
    }
    let on_cpus = ["butterflies across lines", "lines by a library"];
    for way in ways().filter(|way| !on_cpus.contains(way)) {
        assert!(ran.contains_key(way), "{way} is not among {ran:?}");
    }
}
