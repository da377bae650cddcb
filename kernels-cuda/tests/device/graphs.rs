//! Recording launches and starting them as one.

use super::driver::{download, kernel, launch, ramp, upload, THREADS};
use super::{device, Memory, Stream};
use mmafft_backend_traits::device::Driver;
use mmafft_backend_traits::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

pub fn a_graph_keeps_what_it_launches() {
    let driver = device();
    let memory = Arc::new(upload(driver, &ramp(1000)));
    let graph = {
        let combine = kernel(driver, "combine", THREADS * 4).unwrap();
        let record = |stream: &Stream| {
            // Allocating and compiling do not end the recording.
            let scratch = driver.allocate(1 << 20)?;
            let other = kernel(driver, "combine", THREADS * 8)?;
            drop(scratch);
            driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))?;
            driver.launch(stream, &other, &launch(&memory, &memory, 3.0))
        };
        driver.capture(Box::new(memory.clone()), record).unwrap()
    };
    assert_eq!(download(driver, &memory), ramp(1000));
    let stream = driver.stream().unwrap();
    graph.launch(&stream).unwrap();
    graph.launch(&stream).unwrap();
    let expected: Vec<f32> = ramp(1000).iter().map(|v| v * 36.0).collect();
    assert_eq!(download(driver, &memory), expected);
    assert_eq!(Arc::strong_count(&memory), 2);
    graph.launch(&stream).unwrap();
    drop(graph);
    assert_eq!(Arc::strong_count(&memory), 1);
}

pub fn a_failed_recording_leaves_the_device_usable() {
    let driver = device();
    let memory = upload(driver, &ramp(10));
    let combine = kernel(driver, "combine", THREADS * 4).unwrap();
    // An error of the closure's own.
    let own = Error::Empty {
        what: "this".into(),
    };
    let failed = driver.capture(Box::new(()), |_| Err(own.clone())).map(drop);
    assert_eq!(failed, Err(own));
    // Something that cannot be recorded.
    let error = driver.capture(Box::new(()), |stream| {
        driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))?;
        stream.synchronize()
    });
    let error = error.map(drop).unwrap_err();
    assert!(!error.output_touched(), "{error}");
    // A panic.
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        drop(driver.capture(Box::new(()), |_| panic!("in the closure")));
    }));
    assert!(panicked.is_err());
    driver
        .launch(
            driver.default_stream(),
            &combine,
            &launch(&memory, &memory, 2.0),
        )
        .unwrap();
    assert_eq!(download(driver, &memory)[..3], [0.0, 2.0, 4.0]);
}

pub fn other_threads_work_while_one_records() {
    let driver = device();
    let memory = upload(driver, &ramp(1000));
    let combine = kernel(driver, "combine", THREADS * 4).unwrap();
    let record = |stream: &Stream| {
        driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))?;
        let other = || {
            let mine = upload(driver, &ramp(1000));
            let launch = launch(&mine, &mine, 3.0);
            driver
                .launch(driver.default_stream(), &combine, &launch)
                .unwrap();
            driver.default_stream().synchronize().unwrap();
            download(driver, &mine)
        };
        let thrice: Vec<f32> = ramp(1000).iter().map(|v| v * 3.0).collect();
        let done = std::thread::scope(|scope| scope.spawn(other).join().unwrap());
        assert_eq!(done, thrice);
        driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))
    };
    let graph = driver.capture(Box::new(()), record).unwrap();
    graph.launch(driver.default_stream()).unwrap();
    assert_eq!(download(driver, &memory)[..3], [0.0, 4.0, 8.0]);
}

/// What one thread does to the whole device ends no recording of another: waiting, copying,
/// and above all unloading, which waits too.
pub fn recordings_and_waits_of_many_threads_do_not_meet() {
    let driver = device();
    let combine = kernel(driver, "combine", THREADS * 4).unwrap();
    let run = |stream: &Stream, memory: &Memory, scale| {
        driver.launch(stream, &combine, &launch(memory, memory, scale))
    };
    let expected = |scale: f32| -> Vec<f32> { ramp(1000).iter().map(|v| v * scale).collect() };
    let recording = AtomicUsize::new(2);
    let all_the_while = |work: &dyn Fn()| {
        while recording.load(Ordering::Relaxed) > 0 {
            work();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let _done = Countdown(&recording);
                for _ in 0..200 {
                    let memory = upload(driver, &ramp(1000));
                    let graph = driver.capture(Box::new(()), |stream| {
                        run(stream, &memory, 2.0)?;
                        // In the middle, what ends no recording of this thread's own.
                        drop(driver.allocate(1 << 20)?);
                        drop((driver.stream()?, driver.event()?));
                        run(stream, &memory, 3.0)
                    });
                    let graph = graph.unwrap();
                    assert_eq!(download(driver, &memory), ramp(1000));
                    let stream = driver.stream().unwrap();
                    graph.launch(&stream).unwrap();
                    stream.synchronize().unwrap();
                    assert_eq!(download(driver, &memory), expected(6.0));
                }
            });
        }
        scope.spawn(|| all_the_while(&|| driver.synchronize().unwrap()));
        scope.spawn(|| {
            all_the_while(&|| {
                let memory = upload(driver, &ramp(1000));
                let (stream, end) = (driver.stream().unwrap(), driver.event().unwrap());
                run(&stream, &memory, 5.0).unwrap();
                end.record(&stream).unwrap();
                end.synchronize().unwrap();
                assert_eq!(download(driver, &memory), expected(5.0));
            });
        });
        scope.spawn(|| {
            all_the_while(&|| drop(kernel(driver, "combine", THREADS * 8).unwrap()));
        });
    });
}

pub fn a_kernel_can_be_dropped_while_recording() {
    let driver = device();
    let memory = upload(driver, &ramp(10));
    let graph = driver.capture(Box::new(()), |stream| {
        let combine = kernel(driver, "combine", THREADS * 4)?;
        driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))?;
        drop(kernel(driver, "spin", THREADS * 4)?);
        driver.launch(stream, &combine, &launch(&memory, &memory, 2.0))
    });
    graph.unwrap().launch(driver.default_stream()).unwrap();
    assert_eq!(download(driver, &memory)[..3], [0.0, 4.0, 8.0]);
}

/// Counts down when dropped, so that a failed thread keeps nobody running.
struct Countdown<'a>(&'a AtomicUsize);

impl Drop for Countdown<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
