use super::*;
use crate::planner::fits::invented_device;
use mmafft_backend_traits::{FragmentShape, Request, Shape};

#[test]
fn products_are_of_powers_of_two() {
    let half = FragmentShape {
        m: 16,
        n: 16,
        k: 16,
        lanes: 32,
        operand: Operand::Half,
    };
    let with = |fragments: Vec<FragmentShape>| Limits {
        fragments,
        precisions: vec![Precision::SplitF16],
        ..invented_device("new")
    };
    let of = |request: Request, limits: &Limits| {
        let request = request.precision(Precision::SplitF16);
        let problem = Problem::new(&request, limits).expect("a problem");
        engine(&problem, limits)
    };
    let (some, none) = (with(vec![half]), with(Vec::new()));
    let line = |n| Request::forward(Shape::d1(n));
    for request in [
        line(4096),
        Request::r2c(Shape::d1(4096)),
        Request::forward(Shape::d3(16, 1, 64)),
        Request::forward(Shape::d2(100, 64)).axes(&[1]),
        line(1000).radices(&[10]),
        line(1000).split_matrix(false),
        line(1000).engine(Engine::Matrix),
    ] {
        assert_eq!(of(request, &some), Ok(Engine::Matrix));
    }
    for request in [
        line(1000),
        line(4096).engine(Engine::Simt),
        Request::r2c(Shape::d1(96)),
        Request::forward(Shape::d2(100, 64)),
    ] {
        assert_eq!(of(request, &some), Ok(Engine::Simt));
    }
    assert_eq!(of(line(4096), &none), Ok(Engine::Simt));
    assert!(of(line(4096).engine(Engine::Matrix), &none).is_err());
}
