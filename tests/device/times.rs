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
#[test]
fn plan_creation() {
    if cuda("plan_creation").is_none() {
        return;
    }
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
