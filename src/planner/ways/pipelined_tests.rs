use super::*;
use mmafft_backend_traits::{Direction, Kind, Precision, Request, Shape};

fn takes_turns(request: &Request, device: &str, architecture: &str) -> bool {
    let limits = Limits {
        device: device.into(),
        ..crate::planner::fits::invented_device(architecture)
    };
    let plan = crate::plan(request, &limits).expect("a plan");
    plan.turns.is_some()
}

/// A plane that nobody tuned.
fn plane(kind: Kind, n: usize) -> Request {
    let request = Request::of_kind(kind, Shape::d2(n, n));
    request.batch(800)
}

/// A line of reals that nobody tuned.
fn line(kind: Kind, n: usize) -> Request {
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::directed(kind, direction, Shape::d1(n)).batch(800)
}

#[test]
fn what_is_likely_faster_is_suggested() {
    for request in [
        plane(Kind::C2C, 320),
        plane(Kind::C2C, 315),
        plane(Kind::C2C, 320).precision(Precision::F64),
        plane(Kind::R2C, 320).precision(Precision::F64),
        plane(Kind::C2R, 320).precision(Precision::F64),
        plane(Kind::Dht, 320).precision(Precision::F64),
        plane(Kind::Dst2, 320).precision(Precision::F64),
        plane(Kind::Dct4, 320).precision(Precision::F64),
        Request::forward(Shape::d1(150_000)).batch(800),
        line(Kind::R2HC, 150_000),
        line(Kind::Dct3, 240_000),
        line(Kind::Dct4, 150_000),
        line(Kind::Dct1, 98_305),
        line(Kind::R2HC, 1_000_000),
        line(Kind::C2R, 98_304).precision(Precision::F64),
    ] {
        let shape = request.shape.clone();
        assert!(
            takes_turns(&request, "new", "sm_90"),
            "{:?} {shape}",
            request.kind
        );
    }
}

#[test]
fn nothing_else_is_suggested() {
    let double = |kind, n| plane(kind, n).precision(Precision::F64);
    for request in [
        plane(Kind::C2C, 320).batch(1),
        plane(Kind::C2C, 320).batch(12),
        plane(Kind::C2C, 320).radices(&[8, 8, 5]),
        // No tile has a prime of their lengths.
        plane(Kind::C2C, 331),
        // 12.5 MiB an array.
        plane(Kind::C2C, 1280),
        plane(Kind::R2C, 320),
        plane(Kind::Dht, 320),
        double(Kind::HC2R, 320),
        double(Kind::HC2R, 315),
        double(Kind::Dct3, 320),
        double(Kind::Dst3, 315),
        double(Kind::Dct1, 321),
        line(Kind::R2HC, 2_400_000),
    ] {
        let shape = request.shape.clone();
        assert!(
            !takes_turns(&request, "new", "sm_90"),
            "{:?} {shape}",
            request.kind
        );
    }
    // An H100 has a rule, an H200 was as fast without.
    let line = Request::forward(Shape::d1(1 << 20)).batch(128);
    assert!(!takes_turns(&line, "NVIDIA H200", "sm_90"));
    // One that says so.
    let line = Request::of_kind(Kind::R2HC, Shape::d1(1 << 20));
    let line = line.batch(800).precision(Precision::F64);
    assert!(!takes_turns(&line, "NVIDIA H200", "sm_90"));
    assert!(takes_turns(&line, "NVIDIA H100 80GB HBM3", "sm_90"));
}

/// What stores to another device takes turns where nothing else would, in pieces that a link takes at once.
#[test]
fn remote_stores_take_turns() {
    for (precision, n, tile_bytes) in [
        (Precision::F32, 512, 227 << 10),
        (Precision::F32, 1024, 227 << 10),
        (Precision::F64, 1024, 227 << 10),
        // A device of smaller tiles stores smaller pieces.
        (Precision::F32, 1024, 96 << 10),
    ] {
        let limits = Limits {
            tile_bytes,
            ..crate::planner::fits::invented_device("sm_90")
        };
        let request = plane(Kind::C2C, n).precision(precision).batch(64);
        let request = request.write_only_output();
        let plan = crate::plan(&request, &limits).expect("a plan");
        let last = &plan.passes[1];
        let piece = last.tile.lines * 2 * precision.row().storage.bytes();
        assert!(plan.turns.is_some(), "{}", plan.explain());
        assert!(piece >= 128 || tile_bytes < 128 << 10, "{}", plan.explain());
    }
}

/// Where a tile holds all axes nothing lies between them.
#[test]
fn one_pass_stays_one() {
    for precision in [Precision::F32, Precision::F16] {
        let request = plane(Kind::C2C, 64).precision(precision);
        let limits = crate::planner::fits::invented_device("sm_90");
        let far = crate::plan(&request.clone().write_only_output(), &limits).expect("a plan");
        let near = crate::plan(&request, &limits).expect("a plan");
        assert_eq!(far.passes, near.passes);
        assert_eq!(far.scratch_bytes, 0);
    }
}
