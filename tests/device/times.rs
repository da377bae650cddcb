//! How long a plan takes to make: compiled, from the disk, again.

use super::{cuda, plan};
use mmafft::{Backend, CudaBackend, Precision, Request, Shape};
use std::time::{Duration, Instant};

fn requests() -> Vec<(&'static str, Request)> {
    let d1 = |n| Request::forward(Shape::d1(n)).batch(7);
    vec![
        ("f32 c2c 64", d1(64)),
        ("f32 c2c 4096", d1(4096)),
        ("f32 c2c 1000", d1(1000)),
        ("f32 c2c 16384", d1(16384)),
        ("f32 c2c 1048576", d1(1 << 20)),
        ("f64 c2c 4096", d1(4096).precision(Precision::F64)),
        ("f32 r2c 4096", Request::r2c(Shape::d1(4096))),
        (
            "split-f16 c2c 4096",
            d1(4096).precision(Precision::SplitF16),
        ),
        ("f32 c2c 512x512", Request::forward(Shape::d2(512, 512))),
        // Nobody measured it: the tiles of its turns are searched.
        (
            "f32 c2c 300x400, batch 1000",
            Request::forward(Shape::d2(300, 400)).batch(1000),
        ),
    ]
}

/// The time to prepare, and the number of kernels.
fn prepare(backend: &CudaBackend, request: &Request) -> (Duration, usize) {
    let start = Instant::now();
    let made = plan(backend, request);
    let prepared = backend.prepare(&made).expect("prepared");
    let passes = prepared.lowered().count();
    (start.elapsed(), passes)
}

/// Prints a row a request. The first column of times is that of compiling where
/// `MMAFFT_CACHE` names an empty folder.
pub fn plan_creation() {
    cuda();
    println!("request,kernels,compiled_ms,from_disk_ms,again_us");
    for (name, request) in requests() {
        let fresh = || CudaBackend::new(mmafft::cuda::CudaDriver::open(0).expect("a device"));
        let first = fresh();
        let (cold, kernels) = prepare(&first, &request);
        drop(first);
        let second = fresh();
        let (disk, _) = prepare(&second, &request);
        let again = (0..20)
            .map(|_| prepare(&second, &request).0)
            .min()
            .expect("20 of them");
        println!(
            "{name},{kernels},{:.1},{:.2},{:.1}",
            cold.as_secs_f64() * 1e3,
            disk.as_secs_f64() * 1e3,
            again.as_secs_f64() * 1e6
        );
    }
}

/// Splitting, products and combining apart, as Sorna et al. (2018) time them: a row a radix, on
/// 2^24 complex points.
pub fn operations_apart() {
    use mmafft::backend_traits::{device::Driver, radix::RADICES};
    let backend = cuda();
    let driver = backend.driver();
    let (start, end) = (
        driver.event().expect("an event"),
        driver.event().expect("an event"),
    );
    println!("radix,split_ms,product_ms,combine_ms");
    for row in RADICES {
        let (reals, vectors) = (2 * row.radix, (1 << 24) / row.radix);
        let allocate = |bytes: usize| backend.allocate(bytes).expect("memory");
        let bytes = 4 * reals * vectors;
        let (mut values, mut exponents) = (allocate(bytes), allocate(4 * vectors));
        let (mut hi, mut lo) = (allocate(bytes / 2), allocate(bytes / 2));
        let ones = bytemuck::cast_slice(&vec![1f32; reals * vectors]).to_vec();
        backend.write(&mut values, 0, &ones).expect("it fits");
        let mut input = allocate(bytes);
        backend.write(&mut input, 0, &ones).expect("it fits");
        let time = |work: &mut dyn FnMut()| {
            work();
            start.record(driver.default_stream()).expect("recorded");
            work();
            end.record(driver.default_stream()).expect("recorded");
            end.synchronize().expect("it ran");
            end.elapsed_ms(&start).expect("both ran")
        };
        let split = time(&mut || {
            let result = backend.split(&input, reals, &mut hi, &mut lo, &mut exponents);
            result.expect("split");
        });
        let forward = mmafft::Direction::Forward;
        let product = time(&mut || {
            let result = backend.product(row.radix, forward, &hi, &lo, &exponents, &mut values);
            result.expect("product");
        });
        let combine = time(&mut || {
            let result = backend.combine(&hi, &lo, &exponents, reals, &mut values);
            result.expect("combine");
        });
        println!("{},{split:.3},{product:.3},{combine:.3}", row.radix);
    }
}
