//! Every short length, and long ones at random.

use super::{cuda, in_parallel, plan, run, values};
use mmafft::backend_traits::reference::Random;
use mmafft::{Backend, Complex, CpuBackend, Engine, Planner, Precision, Request, Shape};
use std::sync::Mutex;

/// Every length 1…2048 in single precision, against a DFT in FP64.
pub fn every_length_to_2048() {
    let backend = cuda();
    let failures = Mutex::new(Vec::new());
    in_parallel(2048, |i| {
        let request = Request::forward(Shape::d1(i + 1)).batch(3);
        if let Err(what) = mmafft_testing::check(&backend, mmafft::plan, &request, 1.0) {
            failures
                .lock()
                .expect("nothing panics")
                .push(format!("{}: {what}", i + 1));
        }
    });
    let failures = failures.into_inner().expect("nothing panics");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// 500 lengths to 2^22, against the CPU backend in double precision.
pub fn random_lengths_to_2_22() {
    let backend = cuda();
    let cpu = CpuBackend::new(mmafft::CpuOptions {
        threads: 1,
        ..Default::default()
    });
    let planner = Planner::on(mmafft::AnyBackend::Cpu(cpu));
    let failures = Mutex::new(Vec::new());
    in_parallel(500, |i| {
        let mut random = Random::new(i as u64);
        // Uniform in the logarithm, or most would be long.
        let n = (2f64.powf(11.0 + 11.0 * random.uniform().abs()) as usize).min(1 << 22);
        let request = Request::forward(Shape::d1(n));
        let mut data = values(n, i as u64);
        let widen = |x: &Complex<f32>| Complex::new(f64::from(x.re), f64::from(x.im));
        let mut reference: Vec<Complex<f64>> = data.iter().map(widen).collect();
        let exact = planner
            .build(&request.clone().precision(Precision::F64))
            .expect("a plan");
        exact.process_in_place(&mut reference).expect("it runs");
        let made = plan(&backend, &request);
        let error = match run(&backend, &made, &mut data) {
            Ok(()) => {
                let difference = |(x, y): (&Complex<f32>, &Complex<f64>)| (widen(x) - y).norm_sqr();
                let error: f64 = data.iter().zip(&reference).map(difference).sum();
                let size: f64 = reference.iter().map(Complex::norm_sqr).sum();
                (error / size).sqrt()
            }
            Err(error) => {
                failures
                    .lock()
                    .expect("nothing panics")
                    .push(format!("{n}: {error}"));
                return;
            }
        };
        if error.is_nan() || error > made.error_bound {
            let line = format!("{n}: {error:.2e}, allowed {:.2e}", made.error_bound);
            failures.lock().expect("nothing panics").push(line);
        }
    });
    let failures = failures.into_inner().expect("nothing panics");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Batches beyond 65535, and arrays beyond 2^31 elements: the first and the last are right.
pub fn large_batches() {
    let backend = cuda();
    for (n, batch) in [
        (2, 100_000),
        (64, 70_000),
        (2, (1usize << 30) + 3),
        (4096, (1 << 19) + 1),
    ] {
        let request = Request::forward(Shape::d1(n))
            .batch(batch)
            .precision(Precision::F16);
        let request = request.engine(Engine::Simt);
        let made = plan(&backend, &request);
        let prepared = mmafft::Backend::prepare(&backend, &made).expect("prepared");
        let bytes = batch * n * 4;
        let mut memory = match backend.allocate(bytes) {
            Ok(memory) => memory,
            Err(error) => {
                println!("left out: {n} x {batch}, needs memory: {error}");
                continue;
            }
        };
        // 1, 0, 0, … becomes 1, 1, 1, …
        let mut impulse = vec![half::f16::ZERO; 2 * n];
        impulse[0] = half::f16::ONE;
        let impulse: Vec<u8> = bytemuck::cast_slice(&impulse).to_vec();
        let arrays = [0, batch / 2, batch - 2, batch - 1];
        for at in arrays {
            backend
                .write(&mut memory, at * n * 4, &impulse)
                .expect("it fits");
        }
        use mmafft::backend_traits::{Bindings, Prepared};
        let mut scratch = backend.allocate(prepared.scratch_bytes()).expect("scratch");
        let bindings = Bindings {
            input: None,
            output: &mut memory,
            scratch: &mut scratch,
        };
        backend.launch(&prepared, bindings).expect("it runs");
        let mut back = vec![0u8; n * 4];
        for at in arrays {
            backend
                .read(&memory, at * n * 4, &mut back)
                .expect("it fits");
            let scalars = back
                .chunks(2)
                .map(|b| half::f16::from_ne_bytes([b[0], b[1]]));
            let right =
                |(i, x): (usize, half::f16)| x.to_f32() == if i % 2 == 0 { 1.0 } else { 0.0 };
            assert!(
                scalars.enumerate().all(right),
                "array {at} of {batch} of {n}"
            );
        }
    }
}
