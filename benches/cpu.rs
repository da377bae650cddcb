//! Criterion benches of the CPU backend, for seeing whether a change made it slower:
//! `cargo bench --bench cpu`. Comparisons with other libraries are in `lab/benches/peers.rs`.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use mmafft::{Complex, Normalization, Planner, Precision, Request, Shape};

fn complex(c: &mut Criterion) {
    let planner = Planner::cpu().expect("the cpu backend");
    let mut group = c.benchmark_group("c2c f32");
    for dims in [
        &[64][..],
        &[1024],
        &[1 << 16],
        &[1 << 20],
        &[1009],
        &[512, 512],
        &[128, 128, 128],
    ] {
        let shape = Shape::new(dims);
        let points = shape.points().expect("it fits");
        let batch = ((1 << 16) / points).max(1);
        let request = Request::forward(shape.clone()).batch(batch);
        let fft = planner.build(&request).expect("a plan");
        let mut data = vec![Complex::<f32>::default(); points * batch];
        group.throughput(Throughput::Elements((points * batch) as u64));
        group.bench_function(shape.to_string(), |b| {
            b.iter(|| fft.process_in_place(&mut data).expect("it runs"));
        });
    }
    group.finish();
}

fn kinds(c: &mut Criterion) {
    let planner = Planner::cpu().expect("the cpu backend");
    let mut group = c.benchmark_group("1024 points, 64 lines");
    let shape = || Shape::d1(1024);
    let real = vec![0f32; 1024 * 64];
    let mut half = vec![Complex::<f32>::default(); 513 * 64];
    let r2c = planner
        .build(&Request::r2c(shape()).batch(64))
        .expect("a plan");
    group.bench_function("r2c", |b| {
        b.iter(|| r2c.process(&real, &mut half).expect("it runs"))
    });
    let c2r = planner
        .build(&Request::c2r(shape()).batch(64))
        .expect("a plan");
    let mut back = real.clone();
    group.bench_function("c2r", |b| {
        b.iter(|| c2r.process(&half, &mut back).expect("it runs"))
    });
    let split = Request::forward(shape())
        .batch(64)
        .precision(Precision::SplitF16);
    let split = planner.build(&split).expect("a plan");
    let mut data = vec![Complex::<f32>::default(); 1024 * 64];
    group.bench_function("split-f16", |b| {
        b.iter(|| split.process_in_place(&mut data).expect("it runs"));
    });
    group.finish();
}

/// A scale is to cost next to nothing.
fn scaled(c: &mut Criterion) {
    let planner = Planner::cpu().expect("the cpu backend");
    let mut group = c.benchmark_group("1024 points, 256 lines");
    let requests = [Request::forward, Request::r2c, Request::c2r];
    for (kind, request) in ["c2c", "r2c", "c2r"].iter().zip(requests) {
        for scale in [Normalization::None, Normalization::Full] {
            let request = request(Shape::d1(1024)).batch(256).normalization(scale);
            let fft = planner.build(&request).expect("a plan");
            let bytes = |elements: usize, real: bool| elements * if real { 4 } else { 8 };
            let input = vec![0u32; bytes(fft.input_len(), *kind == "r2c") / 4];
            let mut output = vec![0u32; bytes(fft.output_len(), *kind == "c2r") / 4];
            group.bench_function(format!("{kind} {scale:?}"), |b| {
                let input = bytemuck::cast_slice(&input);
                b.iter(|| {
                    let output = bytemuck::cast_slice_mut(&mut output);
                    fft.process_bytes(input, output).expect("it runs")
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = complex, kinds, scaled
}
criterion_main!(benches);
