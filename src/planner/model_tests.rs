use super::*;
use crate::planner::fits::invented;
use mmafft_backend_traits::{radix::BUTTERFLIES, Kind, Request, Shape};

/// Pieces that rows touch beside what they fill: of 1000 reals, whose rows begin at multiples of 32 bytes, and of 999.
#[test]
fn narrow_rows_touch_more() {
    let limits = Limits {
        butterflies: BUTTERFLIES,
        ..invented(227 << 10)
    };
    let columns = |beside| {
        let plane = Request::of_kind(Kind::R2HC, Shape::d2(1050, beside)).axes(&[0]);
        let plan = crate::plan(&plane, &limits).expect("a plan");
        plan.passes[0].clone()
    };
    let [even, odd] = [1000, 999].map(columns);
    assert_eq!(touched(&even, 8), 96.0 / 32.0);
    assert_eq!(touched(&even, 32), 96.0 / 128.0);
    assert_eq!(touched(&odd, 32), 124.0 / 128.0);
    assert!(touched(&even, usize::MAX).is_finite());
}

/// Registers are those of the part of a multiprocessor that has the most waves.
#[test]
fn parts_share_registers() {
    assert_eq!(allotted(576, 1), 96);
    assert_eq!(allotted(448, 1), 128);
    assert_eq!(allotted(224, 2), 128);
    assert_eq!(allotted(32, 1), 255);
}

/// Tiles whose values do not fit are dearer than others of the same line.
#[test]
fn values_that_do_not_fit_are_dear() {
    let limits = Limits {
        butterflies: BUTTERFLIES,
        ..invented(227 << 10)
    };
    let plan = crate::plan(&Request::forward(Shape::d1(24000)).batch(1000), &limits);
    let pass = plan.expect("a plan").passes.remove(0);
    let priced = crate::planner::likely::priced(&pass, &limits);
    let spilled = priced.iter().map(|tile| tile.terms.spilled);
    let most = spilled.fold(0.0, f64::max);
    let spilling = priced.iter().find(|tile| tile.terms.spilled == most);
    let spilling = spilling.expect("a tile");
    assert!(most > 2.0 * priced[0].terms.spilled + 1.0, "{most}");
    assert!(spilling.price > 1.1 * priced[0].price);
}

/// A block of contiguous lines that is alone waits with what it waits for; columns do not.
#[test]
fn what_is_alone_waits() {
    let terms = |residents, contiguous| Terms {
        issues: 10.0,
        waits: 10.0 * residents as f64,
        bytes: 65536.0,
        tight: 0.0,
        spilled: 0.0,
        pieces: 0.0,
        touched: 0.0,
        residents,
        double: false,
        contiguous,
    };
    assert!(terms(1, true).price() > 1.05 * terms(2, true).price());
    assert_eq!(terms(1, false).price(), terms(2, false).price());
}
