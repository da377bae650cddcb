//! Tiles that the blocks of a cluster hold together: lines and planes that no block holds, in one
//! pass, with one read and one write of each point.

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance::check;
use mmafft::{plan_in_clusters, Backend, Pass, Precision, Request, Shape};

fn blocks(pass: &Pass) -> usize {
    pass.tile.residency.blocks()
}

/// Runs a request in all orders of threads; it takes one pass of so many blocks.
fn runs(request: &Request, expected: usize, small: Option<usize>, most: Option<u64>) {
    for order in ORDERS {
        let probe = Probe::new(Vendor::Nvidia, order).tile_bytes(small);
        let backend = probe.blocks(most).backend();
        let plan = plan_in_clusters(request, backend.limits()).expect("a plan");
        let passes: Vec<usize> = plan.passes.iter().map(blocks).collect();
        assert_eq!(passes, [expected], "{request:?}\n{}", plan.explain());
        if let Err(what) = check(&backend, plan_in_clusters, request, 1.0) {
            panic!("{order:?}: {what}\n    {request:?}\n{}", plan.explain());
        }
        let counted = backend.driver().records()[0].counters;
        let (read, written) = plan.passes[0].bytes();
        let got = (counted.bytes_read, counted.bytes_written);
        assert_eq!(got, (read as u64, written as u64), "{request:?}");
    }
}

fn d1(n: usize) -> Request {
    Request::forward(Shape::d1(n))
}

#[test]
fn long_lines() {
    runs(&d1(1 << 15).batch(2), 4, None, None);
    runs(&d1(1 << 14).precision(Precision::F64), 4, None, None);
    runs(&Request::inverse(Shape::d1(1 << 16)), 8, None, None);
    runs(&d1(30000).in_place(), 4, None, None);
    runs(&d1(1 << 15).precision(Precision::F16), 4, None, None);
    runs(&d1(17 << 11).precision(Precision::Bf16), 8, None, None);
}

#[test]
fn planes() {
    runs(&Request::forward(Shape::d2(256, 256)), 8, None, None);
    let double = Request::inverse(Shape::d2(128, 128)).precision(Precision::F64);
    runs(&double.in_place(), 4, None, None);
    runs(&Request::forward(Shape::d2(120, 300)).batch(2), 4, None, None);
}
