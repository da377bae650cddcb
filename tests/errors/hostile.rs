//! Requests of arbitrary numbers: planning never panics and never takes long, and what is
//! planned and small runs in buffers of exactly the promised sizes.

use crate::check_words;
use crate::common::{cpu_limits, device_limits};
use mmafft::backend_traits::device::{Geometry, Vendor};
use mmafft::backend_traits::Prepared;
use mmafft::{
    Backend, CpuBackend, CpuOptions, Direction, Engine, Error, Layout, Limits, Normalization,
    Placement, Plan, Precision, Request, Shape, KINDS, PRECISIONS,
};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Small numbers mostly, then those at which products overflow.
fn number() -> impl Strategy<Value = usize> {
    prop_oneof![
        12 => 0usize..10,
        4 => 0usize..200,
        1 => (0u32..64).prop_map(|e| 1usize << e),
        1 => (0usize..40).prop_map(|d| usize::MAX - d),
        1 => (0usize..40).prop_map(|d| (isize::MAX as usize - d) / 16),
        1 => any::<usize>(),
    ]
}

fn numbers(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(number(), 0..=most)
}

fn layout() -> impl Strategy<Value = Layout> {
    let strides = prop::option::weighted(0.1, numbers(5));
    let distance = prop::option::weighted(0.1, number());
    let offset = prop_oneof![3 => Just(0), 1 => number()];
    (strides, distance, offset).prop_map(|(strides, distance, offset)| Layout {
        strides,
        distance,
        offset,
    })
}

fn ranges() -> impl Strategy<Value = Vec<(usize, std::ops::Range<usize>)>> {
    let range = (0usize..4, number(), number());
    let ranges = prop::collection::vec(range.prop_map(|(a, s, e)| (a, s..e)), 1..3);
    prop_oneof![7 => Just(Vec::new()), 1 => ranges]
}

fn request() -> impl Strategy<Value = Request> {
    let kind = || prop::sample::select(KINDS.iter().map(|row| row.kind).collect::<Vec<_>>());
    let kinds = prop::option::weighted(0.2, prop::collection::vec(kind(), 0..=4));
    let precision = prop::sample::select(
        PRECISIONS
            .iter()
            .map(|row| row.precision)
            .collect::<Vec<Precision>>(),
    );
    let what = (kind(), any::<bool>(), precision, 0usize..4, any::<bool>());
    let dims = prop::collection::vec(prop_oneof![20 => 1usize..12, 1 => number()], 0..=5);
    let axes = prop::option::weighted(0.3, prop::collection::vec(0usize..5, 0..=4));
    let batch = prop_oneof![9 => 1usize..5, 1 => number()];
    let engine = prop::option::weighted(
        0.3,
        prop::sample::select(vec![Engine::Simt, Engine::Matrix]),
    );
    let radices = prop::option::weighted(0.1, numbers(4));
    let scratch = prop::option::weighted(0.1, number());
    let how = (engine, radices, scratch, any::<bool>(), kinds);
    let where_ = (layout(), layout(), ranges(), ranges());
    (what, dims, axes, batch, how, where_).prop_map(|(what, dims, axes, batch, how, where_)| {
        let (kind, forward, precision, normalization, in_place) = what;
        let direction = match forward {
            true => Direction::Forward,
            false => Direction::Inverse,
        };
        let mut request = Request::directed(kind, direction, Shape::new(&dims))
            .precision(precision)
            .normalization(Normalization::ALL[normalization].0)
            .batch(batch);
        if in_place {
            request.placement = Placement::InPlace;
        }
        request.axes = axes;
        (request.engine, request.radices, request.scratch_limit) = (how.0, how.1, how.2);
        request.split_matrix = how.3;
        request.kinds = how.4;
        (request.input, request.output) = (where_.0, where_.1);
        (request.nonzero_input, request.wanted_output) = (where_.2, where_.3);
        request
    })
}

/// Runs the plan on the CPU, in buffers not a scalar longer than it says.
fn run(plan: &Plan, backend: &CpuBackend) -> mmafft::Result<()> {
    let prepared = match backend.prepare(plan) {
        // What threads work in is counted where it is known.
        Err(Error::ScratchLimit { .. }) => return Ok(()),
        prepared => prepared?,
    };
    let scalar = plan.request.precision.row().storage.bytes();
    let in_place = plan.request.placement == Placement::InPlace;
    let scalars = match in_place {
        true => plan.input_scalars.max(plan.output_scalars),
        false => plan.output_scalars,
    };
    let mut output = vec![0u8; scalars * scalar];
    let input = vec![0u8; plan.input_scalars * scalar];
    let mut scratch = vec![0u8; prepared.scratch_bytes()];
    let input = (!in_place).then_some(&input[..]);
    backend.run_on_host(&prepared, input, &mut output, &mut scratch)
}

/// A device whose plans say the shapes of their passes.
fn device() -> Limits {
    let limits = device_limits(64);
    Limits {
        geometry: Some(Geometry {
            wave: 32,
            threads: 1024,
            shared_bytes: limits.tile_bytes,
            registers: 1 << 16,
            multiprocessors: 4,
            blocks: 1 << 30,
            access: 16,
            together: true,
            vendor: Vendor::Nvidia,
        }),
        ..limits
    }
}

/// A plan may take this long; it is data. Trial division of the longest prime takes a
/// fifth of it on an idle machine.
const SOON: Duration = Duration::from_secs(5);

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(20_000), ..ProptestConfig::default() })]

    #[test]
    fn planning_never_panics(request in request()) {
        for limits in [cpu_limits(), device_limits(8), device()] {
            let start = Instant::now();
            let plan = mmafft::plan(&request, &limits);
            prop_assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
            match plan {
                Ok(plan) => prop_assert!(!plan.explain().is_empty()),
                Err(error) => check_words(&error),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(8_000), ..ProptestConfig::default() })]

    #[test]
    fn small_plans_run_in_what_they_ask_for(request in request(), line_points in 4usize..100) {
        let backend = CpuBackend::new(CpuOptions { threads: 2, line_points });
        let plan = mmafft::plan(&request, backend.limits());
        let small = |scalars| scalars < 1 << 16;
        if let Ok(plan) = plan {
            if small(plan.input_scalars) && small(plan.output_scalars) {
                match run(&plan, &backend) {
                    Ok(()) => {}
                    Err(error) => {
                        // The planner knows no butterflies of 16 points to be missing.
                        let known = matches!(error, mmafft::Error::Radices { .. });
                        prop_assert!(known, "{error}");
                    }
                }
            }
        }
    }
}

/// The largest primes below powers of two: what trial division takes longest for.
#[test]
fn long_primes_are_planned_soon() {
    for (bits, below) in [(40, 87), (57, 13)] {
        let n = (1usize << bits) - below;
        for request in [
            Request::forward(Shape::d1(n)),
            Request::forward(Shape::d1(n)).precision(Precision::Bf16),
            Request::r2c(Shape::d1(n)).precision(Precision::F64),
        ] {
            for limits in [cpu_limits(), device_limits(1 << 14)] {
                let start = Instant::now();
                let _ = mmafft::plan(&request, &limits);
                let taken = start.elapsed();
                assert!(taken < SOON, "{n} points took {taken:?} to plan");
            }
        }
    }
}
