//! A first look at speed: milliseconds beside cuFFT, on a gibibyte, in place. The fair
//! comparison, with a copy as the ruler, is `mmafft bench`'s business.

use super::{cuda, plan};
use mmafft::backend_traits::device::Driver;
use mmafft::backend_traits::{Bindings, Prepared};
use mmafft::peers::cufft::{CufftPlan, Transform};
use mmafft::{Backend, Direction, Kind, Precision, Request, Shape};

/// Bytes transformed at a time.
const BYTES: usize = 1 << 30;

#[test]
fn beside_cufft() {
    let Some(backend) = cuda("beside_cufft") else {
        return;
    };
    let driver = backend.driver();
    let stream = driver.stream().expect("a stream");
    let (start, end) = (
        driver.event().expect("an event"),
        driver.event().expect("an event"),
    );
    let mut memory = backend.allocate(BYTES).expect("memory");
    backend
        .write(&mut memory, 0, &vec![0; BYTES])
        .expect("it fits");
    println!("precision,shape,ours_ms,cufft_ms,cufft_over_ours");
    let mut shapes: Vec<Vec<usize>> = (1..=26).map(|b| vec![1 << b]).collect();
    let others = [
        15, 61, 100, 127, 257, 1000, 1080, 4099, 10000, 30030, 65537, 100000, 1000003,
    ];
    shapes.extend(others.map(|n| vec![n]));
    shapes.extend([
        vec![64, 64],
        vec![128, 128],
        vec![1024, 1024],
        vec![128, 128, 128],
    ]);
    let only = std::env::var("MMAFFT_CASE").unwrap_or_default();
    for precision in [
        Precision::F32,
        Precision::F64,
        Precision::SplitF16,
        Precision::F16,
    ] {
        let row = precision.row();
        if !row.name.contains(&only) {
            continue;
        }
        for shape in &shapes {
            let points: usize = shape.iter().product();
            let batch = BYTES / (2 * row.storage.bytes() * points);
            let request = Request::forward(Shape::new(shape))
                .batch(batch)
                .precision(precision);
            let made = plan(&backend, &request);
            let prepared = backend.prepare(&made).expect("prepared");
            let mut scratch = backend.allocate(prepared.scratch_bytes()).expect("scratch");
            let median = |run: &mut dyn FnMut()| {
                run();
                let mut times: Vec<f64> = (0..5)
                    .map(|_| {
                        start.record(&stream).expect("recorded");
                        run();
                        end.record(&stream).expect("recorded");
                        end.synchronize().expect("it ran");
                        end.elapsed_ms(&start).expect("both ran").into()
                    })
                    .collect();
                times.sort_by(f64::total_cmp);
                times[2]
            };
            let ours = median(&mut || {
                let bindings = Bindings {
                    input: None,
                    output: &mut memory,
                    scratch: &mut scratch,
                };
                backend
                    .launch_on(&stream, &prepared, bindings)
                    .expect("it runs");
            });
            drop(scratch);
            let at = driver.address(memory.memory());
            let transform = Transform::new(Kind::C2C, row.storage, shape).batch(batch);
            let theirs = match CufftPlan::new(&transform) {
                Ok(peer) => {
                    // SAFETY: the stream and the memory outlive the runs.
                    unsafe { peer.set_stream(stream.handle()).expect("set") };
                    median(&mut || {
                        // SAFETY: as above.
                        unsafe { peer.execute(at, at, Direction::Forward).expect("it runs") };
                    })
                }
                Err(_) => f64::NAN,
            };
            let name: Vec<String> = shape.iter().map(usize::to_string).collect();
            let ratio = theirs / ours;
            println!(
                "{},{},{ours:.3},{theirs:.3},{ratio:.3}",
                row.name,
                name.join("x")
            );
        }
    }
}
