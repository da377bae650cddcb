//! Results are the same to the last bit: in every order of threads and blocks, and of an
//! array whatever the batch that it is in.

use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::head;
use mmafft::backend_traits::device::{lower, DeviceBackend, Driver};
use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::{Bindings, Launch};
use mmafft::{Backend, Complex, Engine, Precision, Request, ScalarType, Shape};

/// Requests over all precisions, and the tiles that they are planned for.
fn requests() -> Vec<(Request, Option<usize>)> {
    use Precision::{Bf16, SplitF16, F16, F32, F64};
    let d1 = |n| Request::forward(Shape::d1(n));
    let simt = |n, precision| (d1(n).precision(precision).engine(Engine::Simt), None);
    let of = |n, precision| (d1(n).precision(precision), None);
    let matrix = |n, precision| (d1(n).precision(precision).engine(Engine::Matrix), None);
    vec![
        of(4, F32),
        of(360, F32),
        of(167, F32),
        (d1(1024), Some(4 << 10)),
        (Request::r2c(Shape::d2(12, 30)), None),
        (Request::c2r(Shape::d1(225)), None),
        of(240, F64),
        (
            Request::backward(Shape::new(&[3, 4, 10])).precision(F64),
            None,
        ),
        matrix(240, SplitF16),
        matrix(113, SplitF16),
        (d1(1024).precision(SplitF16), Some(4 << 10)),
        // Products that are joined: all of a line, and between others.
        (d1(1024).precision(SplitF16).radices(&[32]), None),
        (d1(192).precision(SplitF16).radices(&[3, 64]), None),
        (
            d1(512)
                .precision(F16)
                .engine(Engine::Matrix)
                .radices(&[128, 4]),
            None,
        ),
        (
            Request::forward(Shape::d2(16, 48))
                .precision(SplitF16)
                .engine(Engine::Matrix),
            None,
        ),
        of(256, F16),
        simt(96, F16),
        (Request::r2c(Shape::d2(16, 20)).precision(F16), None),
        of(240, Bf16),
        simt(243, Bf16),
        (d1(1019).precision(Bf16), Some(4 << 10)),
    ]
}

const ARRAYS: usize = 33;

/// Uniform values in [−1, 1) of array `number`, as bytes.
fn array(number: usize, scalars: usize, scalar: ScalarType) -> Vec<u8> {
    let mut random = Random::new(number as u64 + 1);
    let bytes = |_| match (random.uniform(), scalar) {
        (x, ScalarType::F64) => x.to_ne_bytes().to_vec(),
        (x, ScalarType::F32) => (x as f32).to_ne_bytes().to_vec(),
        (x, ScalarType::F16) => half::f16::from_f64(x).to_ne_bytes().to_vec(),
        (x, ScalarType::Bf16) => half::bf16::from_f64(x).to_ne_bytes().to_vec(),
    };
    (0..scalars).flat_map(bytes).collect()
}

/// The results of arrays `first..first + batch`, array by array.
fn run(
    backend: &DeviceBackend<Probe>,
    request: &Request,
    first: usize,
    batch: usize,
) -> Vec<Vec<u8>> {
    run_as(backend, request, first, batch, None)
}

/// The same; or by launches of this shape, where a pass allows it, but for their threads.
fn run_as(
    backend: &DeviceBackend<Probe>,
    request: &Request,
    first: usize,
    batch: usize,
    launch: Option<Launch>,
) -> Vec<Vec<u8>> {
    let request = request.clone().batch(batch);
    let mut plan = mmafft::plan(&request, backend.limits()).expect("a plan");
    if let Some(launch) = launch {
        for pass in &mut plan.passes {
            let lowered = lower(pass, &backend.driver().geometry()).expect("lowered");
            // Fewer, so that each has runs of neighbours.
            let threads = lowered.program.threads / launch.neighbours;
            let threads = threads.max(backend.driver().geometry().wave);
            pass.tile.launch = Some(Launch { threads, ..launch });
        }
    }
    let scalar = plan.request.precision.row().storage;
    let input: Vec<u8> = (first..first + batch)
        .flat_map(|i| array(i, plan.input_scalars / batch, scalar))
        .collect();
    let prepared = backend.prepare(&plan).expect("prepared");
    let allocate = |bytes| backend.allocate(bytes).expect("memory");
    let mut bytes = vec![0; plan.output_scalars * scalar.bytes()];
    let mut source = allocate(input.len());
    let (mut output, mut scratch) = (allocate(bytes.len()), allocate(plan.scratch_bytes));
    backend.write(&mut source, 0, &input).expect("it fits");
    let bindings = Bindings {
        input: Some(&source),
        output: &mut output,
        scratch: &mut scratch,
    };
    backend.launch(&prepared, bindings).expect("it runs");
    backend.read(&output, 0, &mut bytes).expect("it fits");
    bytes
        .chunks(bytes.len() / batch)
        .map(<[u8]>::to_vec)
        .collect()
}

#[test]
fn neither_order_nor_batch_changes_a_bit() {
    for vendor in Vendor::ALL {
        let mut moved = std::collections::BTreeSet::new();
        for (request, tile_bytes) in requests() {
            let backends =
                ORDERS.map(|order| Probe::new(vendor, order).tile_bytes(tile_bytes).backend());
            let expected = run(&backends[0], &request, 0, ARRAYS);
            let different: Vec<_> = expected
                .iter()
                .skip(1)
                .filter(|x| **x != expected[0])
                .collect();
            assert_eq!(
                different.len(),
                ARRAYS - 1,
                "arrays differ, and so should results"
            );
            for (backend, order) in backends[1..].iter().zip(&ORDERS[1..]) {
                let got = run(backend, &request, 0, ARRAYS);
                assert!(got == expected, "{vendor:?}, {order:?}: {request:?}");
            }
            for (first, batch) in [(0, 1), (20, 1), (0, 3), (7, 3), (1, 32)] {
                let got = run(&backends[0], &request, first, batch);
                let expected = &expected[first..first + batch];
                assert!(
                    got == expected,
                    "{vendor:?}, arrays {first}, {batch} of them: {request:?}"
                );
            }
            // Blocks that take several tiles each.
            let few = Probe::new(vendor, ORDERS[0])
                .tile_bytes(tile_bytes)
                .blocks(Some(2))
                .backend();
            assert!(
                run(&few, &request, 0, ARRAYS) == expected,
                "{vendor:?}, two blocks: {request:?}"
            );
            let plain = Launch::new(0, 1);
            let apart = Launch {
                apart: true,
                ..plain
            };
            let neighbours = [1, 2, 4].map(|neighbours| Launch {
                neighbours,
                ..plain
            });
            let facing = Launch {
                facing: [true; 2],
                ..plain
            };
            for launch in [apart, facing].into_iter().chain(neighbours) {
                assert!(
                    run_as(&backends[0], &request, 0, ARRAYS, Some(launch)) == expected,
                    "{vendor:?}, {launch:?}: {request:?}"
                );
            }
            for record in backends[0].driver().records() {
                moved.insert(head(&record.program, "load_vector"));
                moved.insert(head(&record.program, "store_vector"));
            }
            // Memory that begins at an element, not at a multiple of 16 bytes.
            let element = Probe::new(vendor, ORDERS[0])
                .tile_bytes(tile_bytes)
                .begins_at(2 * request.precision.row().storage.bytes())
                .backend();
            let got = run(&element, &request, 0, ARRAYS);
            assert!(got == expected, "{vendor:?}, an element: {request:?}");
            for record in element.driver().records() {
                let moved = ["load_vector", "store_vector"].map(|name| head(&record.program, name));
                assert!(moved.iter().all(|&points| points <= 1), "{request:?}");
            }
        }
        assert!(moved.is_superset(&[1, 2, 4].into()), "{moved:?}");
    }
}

/// A transform that several threads run at once gives each of them the bits of one that runs alone.
#[test]
fn threads_at_once_change_no_bit() {
    for name in ["emulated-nvidia", "emulated-amd"] {
        let backend = mmafft::AnyBackend::from_name(name).expect("it is built");
        let planner = mmafft::Planner::on(backend);
        let lines = Request::forward(Shape::d1(1009)).batch(3);
        let split = Request::forward(Shape::d2(48, 40)).precision(Precision::SplitF16);
        let split = split.engine(Engine::Matrix);
        let long = Request::forward(Shape::d1(1 << 14));
        for request in [lines, split, long] {
            let fft = planner.build(&request).expect("a plan");
            let mut random = Random::new(7);
            let input: Vec<Complex<f32>> = (0..fft.input_len())
                .map(|_| Complex::new(random.uniform() as f32, random.uniform() as f32))
                .collect();
            let run = || {
                let mut output = vec![Complex::<f32>::default(); fft.output_len()];
                fft.process(&input, &mut output).expect("it runs");
                output
            };
            let alone = run();
            std::thread::scope(|scope| {
                let runs: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
                for run in runs {
                    assert!(
                        run.join().expect("no panic") == alone,
                        "{name}: {request:?}"
                    );
                }
            });
        }
    }
}
