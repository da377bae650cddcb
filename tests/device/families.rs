//! A sample of every family of kernels, small enough for compute-sanitizer:
//! `compute-sanitizer --tool racecheck device families`.

use super::cuda;
use mmafft::{Backend, Engine, Kind, Precision, Request, Shape};

pub fn families() {
    let backend = cuda();
    let table = mmafft_testing::requests(backend.limits());
    let mut requests: Vec<Request> = table.into_iter().step_by(41).collect();
    for precision in [
        Precision::F32,
        Precision::F64,
        Precision::SplitF16,
        Precision::F16,
    ] {
        for n in [4, 61, 509, 1021, 4096, 1 << 15, 16411] {
            requests.push(Request::forward(Shape::d1(n)).precision(precision));
        }
        requests.push(Request::r2c(Shape::d1(1 << 15)).precision(precision));
        requests.push(Request::c2r(Shape::d1(1 << 15)).precision(precision));
        for (kind, shape) in [
            (Kind::Dct2, Shape::d2(64, 32)),
            (Kind::Dst4, Shape::d2(15, 20)),
        ] {
            let request = Request::of_kind(kind, shape).batch(backend.limits().workers);
            requests.push(request.precision(precision));
        }
    }
    for precision in [Precision::F64, Precision::F16, Precision::Bf16] {
        let request = Request::forward(Shape::d1(1024)).precision(precision);
        requests.push(request.engine(Engine::Matrix).batch(3));
    }
    for request in &requests {
        let outcome = mmafft_testing::check(&backend, mmafft::plan, request, 1.0);
        assert!(outcome.is_ok(), "{outcome:?}: {request:?}");
    }
    println!("{} requests", requests.len());
}
