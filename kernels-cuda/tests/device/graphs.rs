//! Recording launches and starting them as one.

use super::{device, download, kernel, launch, ramp, upload, THREADS};
use mmafft_backend_traits::device::Driver;
use mmafft_backend_traits::Error;
use mmafft_kernels_cuda::CudaStream;
use std::sync::Arc;

#[test]
fn a_graph_keeps_what_it_launches() {
    let Some(driver) = device("a_graph_keeps_what_it_launches") else {
        return;
    };
    let memory = Arc::new(upload(driver, &ramp(1000)));
    let graph = {
        let combine = kernel(driver, "combine", THREADS * 4).unwrap();
        let record = |stream: &CudaStream| {
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

#[test]
fn a_failed_recording_leaves_the_device_usable() {
    let Some(driver) = device("a_failed_recording_leaves_the_device_usable") else {
        return;
    };
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

#[test]
fn other_threads_work_while_one_records() {
    let Some(driver) = device("other_threads_work_while_one_records") else {
        return;
    };
    let memory = upload(driver, &ramp(1000));
    let combine = kernel(driver, "combine", THREADS * 4).unwrap();
    let record = |stream: &CudaStream| {
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
