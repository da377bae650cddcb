//! One plan for many: streams, graphs, other libraries' memory; always the same bits.

use super::{cuda, plan, run, values};
use mmafft::backend_traits::device::{DeviceBuffer, Driver};
use mmafft::backend_traits::{Bindings, Prepared, Turns};
use mmafft::cuda::CudaMemory;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Backend, Complex, Engine, Precision, Request, Shape};
use std::sync::Arc;

fn requests() -> Vec<Request> {
    vec![
        Request::forward(Shape::d1(4096)).batch(8),
        Request::forward(Shape::d1(1 << 17)),
        Request::backward(Shape::d2(100, 129)).batch(2),
        Request::forward(Shape::d1(4099)),
        Request::forward(Shape::d1(4096))
            .precision(Precision::SplitF16)
            .batch(3),
    ]
}

fn points(request: &Request) -> usize {
    request.batch * request.shape.dims().iter().product::<usize>()
}

/// Run to run the same bits; and an array's bits do not depend on the batch it is in.
pub fn the_same_bits() {
    let backend = cuda();
    for request in requests() {
        let made = plan(&backend, &request);
        let (mut first, mut second) = (values(points(&request), 1), values(points(&request), 1));
        run(&backend, &made, &mut first).expect("it runs");
        run(&backend, &made, &mut second).expect("it runs");
        assert_eq!(bits(&first), bits(&second), "{request:?}");
        let one = request.clone().batch(1);
        let array = points(&one);
        for batch in [1, 33] {
            let other = request.clone().batch(batch);
            let mut data = values(array, 1).repeat(batch);
            run(&backend, &plan(&backend, &other), &mut data).expect("it runs");
            for copy in data.chunks(array) {
                assert_eq!(
                    bits(copy),
                    bits(&first[..array]),
                    "batch {batch}: {request:?}"
                );
            }
        }
    }
}

/// Passes that take turns wait for each other inside of one launch: always the same bits, also where two such launches
/// share the device.
pub fn the_same_bits_in_turns() {
    let backend = cuda();
    let turns = Turns {
        arrays: 1,
        ahead: 2,
        kept: Some(3),
    };
    let plane = Request::forward(Shape::d2(512, 512)).batch(9);
    for request in [Request::forward(Shape::d1(1 << 18)).batch(30), plane] {
        let made = plan_as(&request, backend.limits(), &Asked::turns(turns)).expect("a plan");
        assert!(made.turns.is_some(), "{}", made.explain());
        let prepared = backend.prepare(&made).expect("prepared");
        let data = values(points(&request), 5);
        let mut expected = data.clone();
        run(&backend, &made, &mut expected).expect("it runs");
        let expected = bits(&expected);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let stream = backend.driver().stream().expect("a stream");
                    let bytes: &[u8] = bytemuck::cast_slice(&data);
                    let mut memory = backend.allocate(bytes.len()).expect("memory");
                    let mut scratch = backend.allocate(prepared.scratch_bytes()).expect("memory");
                    for _ in 0..40 {
                        backend.write(&mut memory, 0, bytes).expect("it fits");
                        let bindings = Bindings {
                            input: None,
                            output: &mut memory,
                            scratch: &mut scratch,
                        };
                        let launched = backend.launch_on(&stream, &prepared, bindings);
                        launched.expect("it runs");
                        stream.synchronize().expect("it ran");
                        let mut back = vec![Complex::default(); data.len()];
                        let to = bytemuck::cast_slice_mut(&mut back);
                        backend.read(&memory, 0, to).expect("it fits");
                        assert_eq!(bits(&back), expected, "{request:?}");
                    }
                });
            }
        });
    }
}

fn bits(data: &[Complex<f32>]) -> Vec<[u32; 2]> {
    data.iter()
        .map(|x| [x.re.to_bits(), x.im.to_bits()])
        .collect()
}

/// Eight threads on eight streams share plans.
pub fn eight_streams() {
    let backend = cuda();
    let prepared: Vec<_> = requests()
        .into_iter()
        .map(|request| {
            let made = plan(&backend, &request);
            let prepared = backend.prepare(&made).expect("prepared");
            let mut expected = values(points(&request), 2);
            run(&backend, &made, &mut expected).expect("it runs");
            (request, prepared, expected)
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let stream = backend.driver().stream().expect("a stream");
                for _ in 0..20 {
                    for (request, prepared, expected) in &prepared {
                        let data = values(points(request), 2);
                        let bytes: &[u8] = bytemuck::cast_slice(&data);
                        let mut memory = backend.allocate(bytes.len()).expect("memory");
                        backend.write(&mut memory, 0, bytes).expect("it fits");
                        let needed = prepared.scratch_bytes();
                        let mut scratch = backend.allocate(needed).expect("memory");
                        let bindings = Bindings {
                            input: None,
                            output: &mut memory,
                            scratch: &mut scratch,
                        };
                        backend
                            .launch_on(&stream, prepared, bindings)
                            .expect("it runs");
                        stream.synchronize().expect("it ran");
                        let mut back = vec![Complex::default(); data.len()];
                        let to = bytemuck::cast_slice_mut(&mut back);
                        backend.read(&memory, 0, to).expect("it fits");
                        assert_eq!(bits(&back), bits(expected), "{request:?}");
                    }
                }
            });
        }
    });
}

/// A plan captured into a graph, on memory that another library allocated.
pub fn graphs_and_foreign_pointers() {
    let backend = cuda();
    let request = Request::forward(Shape::d1(1 << 17)).batch(2);
    let made = plan(&backend, &request);
    let prepared = backend.prepare(&made).expect("prepared");
    let data = values(points(&request), 3);
    let bytes: &[u8] = bytemuck::cast_slice(&data);
    let mut expected = data.clone();
    run(&backend, &made, &mut expected).expect("it runs");

    let mut owner = backend.allocate(bytes.len()).expect("memory");
    backend.write(&mut owner, 0, bytes).expect("it fits");
    let driver = backend.driver();
    // SAFETY: `owner` outlives every use of the alias.
    let alias = unsafe { CudaMemory::from_raw(driver.address(owner.memory()), bytes.len()) };
    let mut foreign = DeviceBuffer::new(alias, bytes.len());
    let mut scratch = backend.allocate(prepared.scratch_bytes()).expect("memory");
    let keep = Arc::new(prepared);
    let graph = driver
        .capture(Box::new(keep.clone()), |stream| {
            let bindings = Bindings {
                input: None,
                output: &mut foreign,
                scratch: &mut scratch,
            };
            backend.launch_on(stream, &keep, bindings)
        })
        .expect("captured");
    let mut back = vec![Complex::default(); data.len()];
    backend
        .read(&owner, 0, bytemuck::cast_slice_mut(&mut back))
        .expect("it fits");
    assert_eq!(bits(&back), bits(&data), "capturing runs nothing");
    let stream = driver.stream().expect("a stream");
    graph.launch(&stream).expect("it runs");
    stream.synchronize().expect("it ran");
    backend
        .read(&owner, 0, bytemuck::cast_slice_mut(&mut back))
        .expect("it fits");
    assert_eq!(bits(&back), bits(&expected));

    // Memory that does not begin at an element is refused before anything runs.
    // SAFETY: never used.
    let odd = unsafe { CudaMemory::from_raw(driver.address(owner.memory()) + 2, bytes.len() - 8) };
    let mut odd = DeviceBuffer::new(odd, bytes.len());
    let bindings = Bindings {
        input: None,
        output: &mut odd,
        scratch: &mut scratch,
    };
    let error = backend
        .launch(&keep, bindings)
        .expect_err("it is misaligned");
    assert!(
        !error.output_touched() && error.to_string().contains("multiple of 8"),
        "{error}"
    );
}

/// Memory that is not there is an error, and the next call works.
pub fn out_of_memory() {
    let backend = cuda();
    let error = backend.allocate(1 << 45).expect_err("32 TiB");
    assert!(
        matches!(error, mmafft::Error::OutOfMemory { .. }),
        "{error}"
    );
    let request = Request::forward(Shape::d1(64)).engine(Engine::Simt);
    run(&backend, &plan(&backend, &request), &mut values(64, 4)).expect("it runs");
}
