//! Half spectra of several axes in one tile: of R2C they end there, of C2R they begin there and become reals. As many
//! passes both ways, each byte read and written once in each.

use crate::accesses::traffic;
use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance::check;
use mmafft::{Backend, Engine, Error, Kind, Precision, Request, Shape};

/// Shapes, and in how many passes.
fn shapes() -> Vec<(Shape, usize)> {
    vec![
        (Shape::d2(32, 32), 1),
        (Shape::d2(30, 50), 1),
        (Shape::d2(15, 21), 1),
        (Shape::d2(2, 66), 1),
        (Shape::d3(8, 8, 8), 1),
        (Shape::d3(6, 9, 10), 1),
        (Shape::d3(5, 40, 36), 2),
        (Shape::d3(5, 27, 25), 2),
    ]
}

#[test]
fn half_spectra_take_as_many_passes_both_ways() {
    let mut wrong = Vec::new();
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        let probe = |order| Probe::new(vendor, order).tile_bytes(Some(16 << 10));
        let limits = probe(ORDERS[0]).backend().limits().clone();
        for (i, (shape, passes)) in shapes().into_iter().enumerate() {
            let of = |request: Request| request.batch(limits.workers);
            let mut requests = vec![
                of(Request::r2c(shape.clone())),
                of(Request::c2r(shape.clone())),
                of(Request::c2r(shape.clone())).in_place(),
            ];
            for precision in [
                Precision::F16,
                Precision::Bf16,
                Precision::SplitF16,
                Precision::F64,
            ] {
                let request = of(Request::c2r(shape.clone())).precision(precision);
                requests.push(request.clone());
                requests.push(request.engine(Engine::Matrix));
            }
            for (k, request) in requests.into_iter().enumerate() {
                let order = ORDERS[(i + k + v) % ORDERS.len()];
                let backend = probe(order).backend();
                let plan = match mmafft::plan(&request, &limits) {
                    Err(Error::Unsupported { .. }) => continue,
                    plan => plan.expect("a plan"),
                };
                // Other precisions and engines have other tiles.
                let plain = request.precision == Precision::F32;
                if plain && plan.passes.len() != passes {
                    wrong.push(format!("not {passes} passes:\n{}", plan.explain()));
                }
                if plan.passes.len() == 1 && plan.scratch_bytes > 0 {
                    wrong.push(format!("scratch for nothing:\n{}", plan.explain()));
                }
                wrong.extend(traffic(probe(order), &request));
                if let Err(what) = check(&backend, mmafft::plan, &request, 1.0) {
                    wrong.push(format!("{what}\n{}", plan.explain()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What scratch is forbidden does not fail where another way takes none.
#[test]
fn without_scratch_half_spectra_become_reals_by_more_passes() {
    let limits = Probe::new(Vendor::Nvidia, ORDERS[0])
        .backend()
        .limits()
        .clone();
    let request = Request::c2r(Shape::d3(64, 64, 64)).batch(limits.workers);
    let passes = |request: &Request| {
        let plan = mmafft::plan(request, &limits).expect("a plan");
        (plan.passes.len(), plan.scratch_bytes > 0)
    };
    assert_eq!(passes(&request), (2, true));
    assert_eq!(passes(&request.scratch_limit(0)), (3, false));
    let whole = Request::of_kind(Kind::C2R, mmafft::Direction::Inverse, Shape::d3(8, 8, 8));
    let whole = whole.batch(limits.workers).scratch_limit(0);
    assert_eq!(passes(&whole), (1, false));
}
