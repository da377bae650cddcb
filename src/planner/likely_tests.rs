use super::*;
use crate::planner::fits::{invented, invented_device};
use mmafft_backend_traits::{Kind, Plan, Precision, Request, Shape};

fn planned(
    architecture: &str,
    kind: Kind,
    shape: Shape,
    batch: usize,
    precision: Precision,
) -> Plan {
    let limits = invented_device(architecture);
    let request = Request::of_kind(kind, shape);
    let request = request.batch(batch).precision(precision);
    crate::plan(&request, &limits).expect("a plan")
}

fn is_likely(plan: &Plan) -> bool {
    plan.passes[0].reason.starts_with("likely the fastest")
}

/// Arrays of several axes, but long ones of type I and where there are too few for a tile to have whole ones.
#[test]
fn arrays_have_likely_tiles() {
    let plane = Shape::d2(25, 32);
    let of = |kind, batch| planned("sm_90", kind, plane.clone(), batch, Precision::F32);
    let many = of(Kind::Dct2, 1 << 16);
    assert!(is_likely(&many), "{}", many.explain());
    assert_eq!(many.passes[0].steps, of(Kind::Dct2, 200).passes[0].steps);
    let long = Shape::d2(60, 40);
    let long = planned("sm_90", Kind::Dct1, long, 1 << 16, Precision::F32);
    assert!(!is_likely(&long), "{}", long.explain());
    assert_eq!(of(Kind::Dct2, 2).passes.len(), 2);
}

/// Columns, also where a rule of complex ones half as long would do; the rules of complex ones themselves stay.
#[test]
fn columns_have_likely_tiles() {
    let second = |kind, shape: Shape, precision| {
        let plan = planned("sm_90", kind, shape, 50, precision);
        assert_eq!(plan.passes.len(), 2, "{}", plan.explain());
        plan.passes[1].clone()
    };
    let likely = |pass: &Pass| pass.reason.starts_with("likely the fastest");
    let wide = |kind, n| second(kind, Shape::d2(n, 1000), Precision::F32);
    for (kind, n) in [(Kind::R2HC, 2080), (Kind::Dct1, 1051), (Kind::HC2R, 2000)] {
        let pass = wide(kind, n);
        assert!(likely(&pass), "{}", pass.reason);
        // Rows of 32, 64 bytes and so on.
        assert!(pass.tile.lines.is_power_of_two() && pass.tile.lines >= 8);
    }
    assert!(!likely(&wide(Kind::C2C, 1000)));
    assert!(!likely(&second(
        Kind::HC2R,
        Shape::d2(1024, 1000),
        Precision::F64
    )));
}

/// Bits do not depend on how many lines there are, and kernels do only where few lines go to many multiprocessors.
#[test]
fn lines_of_all_batches_have_the_same_steps() {
    for (kind, n) in [(Kind::R2HC, 351), (Kind::Dct3, 297), (Kind::Dct4, 5720)] {
        let of = |batch| planned("sm_90", kind, Shape::d1(n), batch, Precision::F64);
        let many = of(1 << 20);
        assert!(is_likely(&many), "{}", many.explain());
        for batch in [1, 2, 133, 4097] {
            let few = of(batch);
            assert_eq!(few.passes[0].steps, many.passes[0].steps, "{n}, {batch}");
            let threads = |plan: &Plan| plan.passes[0].tile.launch.map(|l| l.threads);
            assert_eq!(threads(&of(1 << 19)), threads(&many));
        }
    }
}

#[test]
fn what_no_price_is_of_is_left() {
    let is = |kind, n, precision| {
        let plan = planned("sm_100", kind, Shape::d1(n), 1 << 20, precision);
        is_likely(&plan)
    };
    assert!(is(Kind::R2HC, 351, Precision::F32));
    assert!(!is(Kind::R2HC, 351, Precision::F16));
    // One step, type I.
    assert!(!is(Kind::R2HC, 26, Precision::F32));
    assert!(!is(Kind::Dct1, 352, Precision::F32));
    // Waves of another width, of which the price knows nothing.
    let host = Limits {
        precisions: vec![Precision::F32],
        ..invented(227 << 10)
    };
    let request = Request::of_kind(Kind::R2HC, Shape::d1(351));
    let plan = crate::plan(&request.batch(1 << 20), &host);
    assert!(!is_likely(&plan.expect("a plan")));
}
