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
