//! Plans that are measured where they run: right, kept, and followed from then on.

use mmafft::{AnyBackend, Complex, Effort, Error, Planner, Request, Shape};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A cache of this process' own.
static CACHE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    // Tests of this file touch the cache first by this.
    std::env::set_var("MMAFFT_CACHE", folder.path());
    folder
});

/// Planners of the CPU and, where they are built, the emulated devices, in the cache of these tests.
fn planners() -> Vec<Planner> {
    LazyLock::force(&CACHE);
    let devices = ["emulated-nvidia", "emulated-amd"].map(AnyBackend::emulated);
    let devices = devices.into_iter().flatten().map(Planner::on);
    let cpu = Planner::cpu().into_iter();
    cpu.chain(devices).collect()
}

fn line(n: usize, batch: usize) -> Vec<Complex<f32>> {
    let at = |i: usize| (i * i % 97) as f32 / 97.0 - 0.5;
    (0..n * batch)
        .map(|i| Complex::new(at(i), at(i + 31)))
        .collect()
}

/// The relative L2 distance of two results.
fn distance(got: &[Complex<f32>], expected: &[Complex<f32>]) -> f64 {
    let norm = |x: &mut dyn Iterator<Item = Complex<f32>>| -> f64 {
        x.map(|x| f64::from(x.norm_sqr())).sum::<f64>().sqrt()
    };
    let difference = got.iter().zip(expected).map(|(a, b)| a - b);
    norm(&mut difference.into_iter()) / norm(&mut expected.iter().copied())
}

#[test]
fn measured_plans_are_right_and_kept() {
    for planner in planners() {
        for (shape, batch) in [
            (Shape::d1(96), 8),
            (Shape::d2(12, 20), 3),
            (Shape::d1(101), 4),
        ] {
            let request = Request::forward(shape).batch(batch);
            let points = request.shape.dims().iter().product::<usize>();
            let input = line(points, batch);
            let run = |planner: &Planner| {
                let fft = planner.build(&request).expect("a transform");
                let mut output = vec![Complex::default(); input.len()];
                fft.process(&input, &mut output).expect("a run");
                (fft.plan().clone(), output)
            };
            let (planned, expected) = run(&planner);
            let measured = planner.clone().effort(Effort::Measure);
            let (plan, got) = run(&measured);
            let error = distance(&got, &expected);
            let bound = plan.error_bound + planned.error_bound;
            assert!(error <= bound, "{error:.1e}: {}", plan.explain());
            // A planner of another process finds it, and measures nothing.
            let other = planners().into_iter();
            let mut other =
                other.filter(|other| other.limits().backend == planner.limits().backend);
            let other = other.next().expect("the same backend");
            let begin = Instant::now();
            let again = other
                .clone()
                .effort(Effort::Measure)
                .plan(&request)
                .expect("a plan");
            assert!(
                begin.elapsed() < Duration::from_millis(20),
                "{:?}",
                begin.elapsed()
            );
            assert_eq!(again.passes, plan.passes);
            // And follows it without any effort.
            assert_eq!(other.plan(&request).expect("a plan").passes, plan.passes);
        }
    }
}

#[test]
fn wisdom_is_of_one_backend() {
    let planners = planners();
    for from in &planners {
        let request = Request::forward(Shape::d1(60))
            .batch(5)
            .effort(Effort::Measure);
        from.plan(&request).expect("a plan");
        let wisdom = from.export_wisdom();
        for to in &planners {
            let same = to.limits().backend == from.limits().backend;
            let taken = to.import_wisdom(&wisdom).expect("wisdom");
            assert_eq!(taken > 0, same, "{wisdom}");
        }
        let error = from.import_wisdom("something else").expect_err("no wisdom");
        assert!(matches!(error, Error::Wisdom { .. }), "{error}");
    }
}
