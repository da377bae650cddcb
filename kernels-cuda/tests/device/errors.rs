//! Errors that say what happened, and what the device is good for afterwards.

use super::{device, download, kernel, launch, ramp, unit, upload, KERNELS, THREADS};
use mmafft_backend_traits::device::Driver;
use mmafft_backend_traits::Error;
use mmafft_kernels_cuda::CudaDriver;

#[test]
fn too_much_memory_is_an_error_and_the_next_call_works() {
    let Some(driver) = device("too_much_memory_is_an_error_and_the_next_call_works") else {
        return;
    };
    for bytes in [1usize << 46, usize::MAX / 2] {
        match driver.allocate(bytes) {
            Err(Error::OutOfMemory { bytes: told, .. }) => assert_eq!(told, bytes),
            other => panic!("{:?}", other.map(|memory| memory.bytes())),
        }
    }
    assert_eq!(download(driver, &upload(driver, &ramp(10))), ramp(10));
}

#[test]
fn too_large_a_block_is_an_error_with_a_remedy_and_the_next_call_works() {
    let name = "too_large_a_block_is_an_error_with_a_remedy_and_the_next_call_works";
    let Some(driver) = device(name) else { return };
    let most = driver.geometry();
    let load = |threads, shared_bytes| {
        driver.kernel_from_source(&unit(KERNELS), "combine", threads, shared_bytes)
    };
    let refused = [
        (most.threads + 1, THREADS * 4, "threads", "1 to 1024"),
        (0, THREADS * 4, "threads", "1 to 1024"),
        (usize::MAX, THREADS * 4, "threads", "1 to 1024"),
        (
            THREADS,
            most.shared_bytes + 1,
            "shared memory",
            &format!("at most {} bytes", most.shared_bytes),
        ),
        (THREADS, usize::MAX, "shared memory", "at most"),
    ];
    let memory = upload(driver, &ramp(1000));
    for (threads, shared_bytes, named, remedy) in refused {
        match load(threads, shared_bytes) {
            Err(Error::Unsupported { what, instead, .. }) => {
                assert!(what.contains("combine") && what.contains(named), "{what}");
                assert!(instead.contains(remedy), "{instead}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(download(driver, &memory), ramp(1000));
    }
    // More blocks than fit a launch, and as many threads as fit a block.
    let whole = load(most.threads, THREADS * 4).unwrap();
    let mut much = launch(&memory, &memory, 2.0);
    much.blocks = most.blocks + 1;
    let error = driver
        .launch(driver.default_stream(), &whole, &much)
        .unwrap_err();
    assert!(
        error.to_string().contains("at most 2147483647") && !error.output_touched(),
        "{error}"
    );
    let combine = load(THREADS, THREADS * 4).unwrap();
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
fn a_device_that_is_not_there_is_named() {
    match CudaDriver::open(4321) {
        Err(Error::NoDevice { reason, remedy, .. }) => {
            let known = [
                "libcuda",
                "function cu",
                "cuInit",
                "cuDeviceGetCount",
                "4321",
            ];
            assert!(known.iter().any(|what| reason.contains(what)), "{reason}");
            assert!(!remedy.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

/// Set in the process whose context is lost.
const LOST: &str = "MMAFFT_TEST_FAULT";

#[test]
fn a_fault_is_told_and_says_that_the_output_is_touched() {
    let name = "a_fault_is_told_and_says_that_the_output_is_touched";
    let Some(driver) = device(name) else { return };
    if std::env::var_os(LOST).is_none() {
        // The context is this process', so that another one must lose its own.
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([&format!("errors::{name}"), "--exact", "--nocapture"])
            .env(LOST, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        // A name that matches nothing would succeed as well.
        assert!(
            child.status.success() && said.contains("1 passed"),
            "{child:?}"
        );
        return;
    }
    let memory = upload(driver, &ramp(10));
    let fault = kernel(driver, "fault", 0).unwrap();
    driver
        .launch(
            driver.default_stream(),
            &fault,
            &launch(&memory, &memory, 1.0),
        )
        .unwrap();
    for _ in 0..2 {
        let error = driver.synchronize().unwrap_err();
        assert!(error.output_touched(), "{error}");
        assert!(error.to_string().contains("start it anew"), "{error}");
    }
    assert!(driver
        .allocate(16)
        .is_err_and(|error| error.output_touched()));
}
