//! The kernels of both vendors on emulated devices, a few requests of every way that plans go: a
//! minute, where the conformance suite and tests/emulated take many.

use mmafft::backend_traits::Turns;
use mmafft::emulated::EmulatedDriver;
use mmafft::lab::{plan_as, Asked};
use mmafft::{
    Backend, EmulatedBackend, Engine, Kind, Layout, Limits, Normalization, Plan, Precision,
    Request, Result, Shape,
};
use mmafft_testing::check;

/// Lines, columns, planes, primes, lines that no tile holds, reals, strides and zero ranges.
fn requests() -> Vec<Request> {
    let line = |n| Request::forward(Shape::d1(n));
    let of = |kind, shape| Request::of_kind(kind, shape);
    vec![
        line(96).batch(3),
        line(256).precision(Precision::F16).engine(Engine::Matrix),
        line(240)
            .precision(Precision::SplitF16)
            .engine(Engine::Matrix),
        line(128)
            .precision(Precision::Bf16)
            .normalization(Normalization::Ortho),
        Request::backward(Shape::d1(97)).precision(Precision::F64),
        Request::forward(Shape::d2(24, 20)).batch(2),
        Request::forward(Shape::d3(6, 10, 9)).axes(&[0, 2]),
        line(1 << 17),
        Request::r2c(Shape::d2(12, 50)),
        Request::c2r(Shape::d1(100)).in_place(),
        Request::r2c(Shape::d1(100)).precision(Precision::SplitF16),
        of(Kind::Dct2, Shape::d2(16, 27)),
        of(Kind::Dst1, Shape::d1(31)),
        line(60)
            .batch(4)
            .input_layout(Layout::strided(&[4]).distance(1)),
        line(64).nonzero_input(0, 0..20).wanted_output(0, 8..40),
    ]
}

/// Plans and runs each request on a device, and compares it with the definition.
fn runs(driver: impl Fn() -> EmulatedDriver, plan: impl Fn(&Request, &Limits) -> Result<Plan>) {
    let backend = EmulatedBackend::new(driver());
    for request in requests() {
        if let Err(what) = check(&backend, &plan, &request, 1.0) {
            panic!("{what}\n    {request:?}");
        }
    }
}

#[test]
fn nvidia() {
    runs(EmulatedDriver::nvidia, mmafft::plan);
}

#[test]
fn amd() {
    runs(EmulatedDriver::amd, mmafft::plan);
}

/// A tile that the blocks of a cluster hold together.
#[test]
fn a_cluster() {
    let backend = EmulatedBackend::new(EmulatedDriver::nvidia());
    let request = Request::forward(Shape::d1(1 << 15));
    let plan = plan_as(&request, backend.limits(), &Asked::clusters(true)).expect("a plan");
    let spread = plan
        .passes
        .iter()
        .any(|pass| pass.tile.residency.blocks() > 1);
    assert!(spread, "{}", plan.explain());
    if let Err(what) = check(
        &backend,
        |request, limits| plan_as(request, limits, &Asked::clusters(true)),
        &request,
        1.0,
    ) {
        panic!("{what}");
    }
}

/// Two passes that take turns, of lines that small tiles do not hold.
#[test]
fn passes_in_turns() {
    let turns = Turns {
        arrays: 1,
        ahead: 1,
        kept: Some(2),
    };
    let in_turns = |request: &Request, limits: &Limits| {
        let limits = Limits {
            tile_bytes: 8 << 10,
            ..limits.clone()
        };
        plan_as(request, &limits, &Asked::turns(turns))
    };
    let backend = EmulatedBackend::new(EmulatedDriver::nvidia());
    let request = Request::forward(Shape::d1(5000)).batch(3);
    let plan = in_turns(&request, backend.limits()).expect("a plan");
    assert!(plan.turns.is_some(), "{}", plan.explain());
    if let Err(what) = check(&backend, in_turns, &request, 1.0) {
        panic!("{what}");
    }
}
