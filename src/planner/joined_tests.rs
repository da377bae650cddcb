use super::*;
use crate::planner::fits::invented;
use crate::planner::plan;
use mmafft_backend_traits::{
    Engine, FragmentShape, Limits, Operand, Precision, Request, Shape, Step,
};

/// The radices of one line on a device that multiplies 16-bit fragments.
fn of(n: usize, precision: Precision) -> Vec<usize> {
    let product = |operand| FragmentShape {
        m: 16,
        n: 8,
        k: 16,
        lanes: 32,
        operand,
    };
    let limits = Limits {
        butterflies: radix::BUTTERFLIES,
        fragments: [Operand::Half, Operand::F64].map(product).into(),
        precisions: vec![precision],
        ..invented(227 << 10)
    };
    let request = Request::forward(Shape::d1(n)).precision(precision);
    let plan = plan(&request.engine(Engine::Matrix), &limits).expect("a plan");
    let steps = plan.passes.iter().flat_map(|pass| &pass.steps);
    steps.filter_map(Step::radix).collect()
}

#[test]
fn long_lines_join_products() {
    for (n, radices) in [
        (256, &[16, 16][..]),
        (512, &[32, 16]),
        (1024, &[32, 32]),
        (2048, &[64, 32]),
        (4096, &[64, 64]),
        (8192, &[128, 64]),
        (3072, &[32, 32, 3]),
    ] {
        assert_eq!(of(n, Precision::SplitF16), radices, "{n}");
        assert!(of(n, Precision::F64).iter().all(|&r| r <= 16), "{n}");
    }
}
