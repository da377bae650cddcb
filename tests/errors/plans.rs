//! Plans that a backend cannot run, and lengths that no machine holds.

use crate::check_words;
use crate::common::device_limits;
use mmafft::backend_traits::{Runs, Slot};
use mmafft::{
    Backend, Complex, CpuBackend, Direction, Domain, Engine, Error, Kind, Plan, Planner, Precision,
    Request, Shape, Step,
};
use std::time::{Duration, Instant};

/// Prepares on the CPU what the planner did not make.
#[track_caller]
fn refused(plan: Plan) -> Error {
    let planner = Planner::cpu().expect("the CPU is built");
    let error = planner.prepare(plan).expect_err("no plan of the CPU's");
    check_words(&error);
    error
}

#[test]
fn plans_of_another_backend() {
    let request = Request::forward(Shape::d1(89));
    let plan = mmafft::plan(&request, &device_limits(1024)).expect("a plan");
    let error = refused(plan);
    let Error::Unsupported { what, backend, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        (what.as_str(), backend.as_str()),
        ("a plan made for invented", "cpu")
    );
}

#[test]
fn steps_that_do_not_make_a_line() {
    let planner = Planner::cpu().expect("the CPU is built");
    let request = Request::forward(Shape::d2(64, 64)).axes(&[0]);
    let plan = planner.plan(&request).expect("a plan");
    let mut longer = plan.clone();
    longer.passes[0].steps.push(Step::Dft {
        axis: 0,
        radix: 8,
        engine: Engine::Simt,
    });
    let error = refused(longer).to_string();
    assert!(error.contains("do not make its line"), "{error}");
    let mut other = plan.clone();
    other.passes[0].steps.insert(0, Step::AllToAll);
    let error = refused(other).to_string();
    assert!(error.contains("steps of devices"), "{error}");
    let mut beyond = plan.clone();
    beyond.passes[0].axes[0].store.stride = usize::MAX / 2;
    let error = refused(beyond).to_string();
    assert!(error.contains("beyond all memory"), "{error}");
    let mut in_runs = plan.clone();
    let (points, apart) = (8, 1024);
    in_runs.passes[0].axes[0].store.runs = Some(Runs { points, apart });
    let error = refused(in_runs).to_string();
    assert!(error.contains("points in runs"), "{error}");
    planner.prepare(plan).expect("the plan itself");
    let request = Request::forward(Shape::d1(64)).precision(Precision::SplitF16);
    let mut joined = planner.plan(&request).expect("a plan");
    // What devices make of several products.
    joined.passes[0].steps = Step::sequence(0, &[64], joined.passes[0].math.engine);
    let error = refused(joined.clone()).to_string();
    assert!(error.contains("no product of 64 points"), "{error}");
    joined.passes[0].steps = Step::sequence(0, &[8, 8], Engine::Simt);
    let error = refused(joined).to_string();
    assert!(error.contains("products beside butterflies"), "{error}");
}

/// What unsafe code of the CPU backend relies on, though a safe caller can change all of a plan.
#[test]
fn memory_that_a_plan_must_not_touch() {
    let planner = Planner::cpu().expect("the CPU is built");
    let plan = planner.plan(&Request::forward(Shape::d2(64, 64)).axes(&[0]));
    let plan = plan.expect("a plan");
    let mut real = plan.clone();
    real.passes[0].store.domain = Domain::Real;
    real.passes[0].store.imaginary = 1 << 40;
    let error = refused(real).to_string();
    assert!(error.contains("reals for complex numbers"), "{error}");

    // A pass that turns an array where it lies.
    let mut turned = plan.clone();
    turned.passes[0].axes[0].store.stride = 2;
    turned.passes[0]
        .loops
        .iter_mut()
        .for_each(|l| l.store.stride = l.store.stride / 2 * 128);
    let transform = planner.prepare(turned.clone()).expect("of two buffers");
    let mut data = vec![Complex::new(1.0f32, 0.0); 64 * 64];
    let error = transform
        .process_in_place(&mut data)
        .expect_err("one buffer");
    check_words(&error);
    assert!(matches!(error, Error::NotInPlace { .. }), "{error:?}");
    turned.passes[0].load.slot = Slot::Output;
    let error = refused(turned).to_string();
    assert!(error.contains("what others load"), "{error}");

    // Edge points wait in scratch where it is limited.
    let request = Request::c2r(Shape::d2(16, 30))
        .batch(10)
        .scratch_limit(1 << 20);
    let mut edges = planner.plan(&request).expect("a plan");
    let last = edges.passes.last_mut().expect("a pass");
    assert!(last.load.edges.is_some());
    last.axes[0].ranges.load = 0..4;
    let error = refused(edges).to_string();
    assert!(error.contains("other edge points"), "{error}");
}

#[test]
fn lines_that_no_memory_holds() {
    let planner = Planner::cpu().expect("the CPU is built");
    for shape in [Shape::d1(1 << 45), Shape::d2(99_999_999_999, 99_999)] {
        let error = planner
            .build(&Request::forward(shape))
            .expect_err("no memory");
        check_words(&error);
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
    }
}

/// Lines of type I that fold, whatever their length, and lengths that need many divisions.
#[test]
fn long_lines_are_planned_soon() {
    for limits in [device_limits(8), device_limits(16384)] {
        for (kind, n) in [
            (Kind::Dct1, (1 << 40) + 1),
            (Kind::Dst1, (1 << 40) - 1),
            (Kind::Dct1, (1 << 50) + 1),
            (Kind::Dst1, 3 * (1 << 44) - 1),
        ] {
            let start = Instant::now();
            let _ = mmafft::plan(&Request::of_kind(kind, Shape::d1(n)), &limits);
            let time = start.elapsed();
            assert!(time < Duration::from_secs(5), "{n}: {time:?}");
        }
    }
}

#[test]
fn products_of_radices_that_no_fragment_has() {
    let cpu = CpuBackend::default();
    for radix in [0, 1, 17, 32, 64] {
        let buffer = || cpu.allocate(1 << 12).expect("memory");
        let [hi, lo, exponents, mut values] = [buffer(), buffer(), buffer(), buffer()];
        let error = cpu.product(radix, Direction::Forward, &hi, &lo, &exponents, &mut values);
        let error = error.expect_err("no such radix");
        check_words(&error);
        assert!(matches!(error, Error::Radices { .. }), "{error:?}");
    }
}
