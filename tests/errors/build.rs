//! What the planner, a backend or this build does not do.

use crate::check_words;
use mmafft::{
    AnyBackend, Complex, CpuBackend, CpuOptions, Engine, Error, Planner, Precision, Request, Shape,
};

/// Plans and prepares on the CPU, which must fail.
#[track_caller]
fn refused(request: &Request) -> Error {
    let planner = Planner::cpu().expect("the CPU is built");
    let error = planner.build(request).expect_err("it cannot be built");
    check_words(&error);
    error
}

#[test]
fn radices_that_leave_a_factor() {
    for (n, radices) in [(30, &[2, 3][..]), (8, &[]), (7, &[2]), (24, &[8, 2])] {
        let request = Request::forward(Shape::d1(n)).radices(radices);
        for precision in [Precision::F32, Precision::SplitF16] {
            let error = Error::Radices {
                radices: radices.to_vec(),
                length: n,
                reason: "they leave a factor over".into(),
            };
            assert_eq!(refused(&request.clone().precision(precision)), error);
        }
    }
}

#[test]
fn radices_that_the_engine_has_not() {
    for bad in [0, 1, 6, 22, 67, usize::MAX] {
        let request = Request::forward(Shape::d1(12)).radices(&[2, bad]);
        let matrix = request.clone().precision(Precision::SplitF16);
        let butterflies = "8, 9, 4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31";
        for (request, all) in [
            (request, butterflies),
            (matrix, "16, 13, 11, 8, 7, 5, 4, 3, 2, 9"),
        ] {
            match refused(&request) {
                Error::Radices {
                    radices, reason, ..
                } => {
                    assert_eq!(radices, [2, bad]);
                    assert!(reason.ends_with(&format!("some of [{all}]")), "{reason}");
                }
                error => panic!("{error:?}"),
            }
        }
    }
}

#[test]
fn butterflies_of_sixteen() {
    for (n, radices) in [(256, &[16][..]), (32, &[16, 2])] {
        let request = Request::forward(Shape::d1(n)).radices(radices);
        match refused(&request) {
            Error::Radices { length, reason, .. } => {
                assert_eq!(length, n);
                assert!(reason.contains("no butterfly of 16"), "{reason}");
            }
            error => panic!("{error:?}"),
        }
        let matrix = request.precision(Precision::SplitF16);
        let planner = Planner::cpu().expect("the CPU is built");
        planner.build(&matrix).expect("the matrix engine has it");
    }
}

#[test]
fn engines_that_a_precision_has_not() {
    for (precision, what) in [
        (Precision::F32, "the matrix engine for f32"),
        (Precision::F64, "the matrix engine for f64"),
    ] {
        let request = Request::forward(Shape::d1(64))
            .precision(precision)
            .engine(Engine::Matrix);
        match refused(&request) {
            Error::Unsupported {
                what: got, backend, ..
            } => assert_eq!((got.as_str(), backend.as_str()), (what, "cpu")),
            error => panic!("{error:?}"),
        }
    }
}

/// Lines longer than a tile, whatever they are: split, not refused.
#[test]
fn lines_of_any_length_are_split() {
    let options = CpuOptions {
        threads: 1,
        line_points: 64,
    };
    let planner = Planner::on(AnyBackend::Cpu(CpuBackend::new(options)));
    for request in [
        Request::forward(Shape::d1(97 * 64)),
        Request::r2c(Shape::d1(256)),
        Request::c2r(Shape::d2(4, 256)),
        Request::forward(Shape::d1(4096)).nonzero_input(0, 0..9),
    ] {
        let plan = planner.plan(&request).expect("a plan");
        assert!(plan.passes.len() > 1, "{}", plan.explain());
    }
    let asked = Request::forward(Shape::d1(97 * 64)).radices(&[2]);
    let error = planner.plan(&asked).expect_err("a factor left over");
    check_words(&error);
    assert!(matches!(error, Error::Radices { .. }), "{error:?}");
}

#[test]
fn too_little_scratch_allowed() {
    // Two edge points of two scalars for each of 2·24 rows.
    let request = Request::c2r(Shape::d2(24, 40)).batch(2);
    let needed = 2 * 24 * 2 * 2 * 4;
    for limit in [0, 1, needed - 1] {
        let error = Error::ScratchLimit {
            expected: needed,
            got: limit,
        };
        assert_eq!(refused(&request.clone().scratch_limit(limit)), error);
    }
    let planner = Planner::cpu().expect("the CPU is built");
    let plan = planner.plan(&request.scratch_limit(needed));
    assert_eq!(plan.expect("enough").scratch_bytes, needed);
}

/// What threads work in is counted: fewer of them have room in less, and none where there is not enough for one.
#[test]
fn threads_work_in_what_is_allowed() {
    let backend = CpuBackend::new(CpuOptions {
        threads: 4,
        ..CpuOptions::default()
    });
    let planner = Planner::on(AnyBackend::Cpu(backend));
    let request = Request::forward(Shape::d1(10_007)).batch(40);
    let within = |limit: usize| planner.build(&request.clone().scratch_limit(limit));
    let free = planner.build(&request).expect("a plan");
    let all = free.scratch_bytes();
    assert_eq!(within(all).expect("enough").scratch_bytes(), all);
    // Between four threads are three gaps, so that half has room for two.
    let half = within(all / 2).expect("enough for two");
    assert!(half.scratch_bytes() <= all / 2 && half.explain().contains("and for 2 threads, each "));
    let one = within(all / 4).expect("enough for one");
    assert!(one.scratch_bytes() <= all / 4 && one.explain().contains("and for 1 thread "));
    assert!(free.explain().contains("and for 4 threads, each "));
    let Err(error) = within(1000) else {
        panic!("no thread works in so little");
    };
    check_words(&error);
    let Error::ScratchLimit {
        expected,
        got: 1000,
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(within(expected).expect("enough").scratch_bytes(), expected);
    assert!(within(expected - 1).is_err());
    let line = vec![Complex::new(1.0f32, -0.5); free.input_len()];
    let mut results = [line.clone(), line];
    free.process_in_place(&mut results[0]).expect("it runs");
    half.process_in_place(&mut results[1]).expect("it runs");
    assert_eq!(results[0], results[1]);
}

#[test]
fn backends_that_are_not_built() {
    type Make = fn(usize) -> mmafft::Result<Planner>;
    for (name, built, make) in [
        ("cuda", cfg!(feature = "cuda"), Planner::cuda as Make),
        ("hip", cfg!(feature = "hip"), Planner::hip),
    ] {
        for device in [0, 7, usize::MAX] {
            let error = make(device).expect_err("this version cannot run there");
            check_words(&error);
            let not_built = Error::NotBuilt {
                backend: name,
                feature: name,
            };
            assert_eq!(error == not_built, !built, "{error:?}");
        }
    }
    let error = AnyBackend::from_name("abacus").expect_err("there is none");
    check_words(&error);
    assert!(matches!(error, Error::Unsupported { .. }));
}
