//! Errors of CUDA: a device that is not there, and one that is lost.

use super::driver::{kernel, launch, ramp, upload};
use super::{device, Device};
use mmafft_backend_traits::device::Driver;
use mmafft_backend_traits::Error;

pub fn a_device_that_is_not_there_is_named() {
    match Device::open(4321) {
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

pub fn a_fault_is_told_and_says_that_the_output_is_touched() {
    let name = "a_fault_is_told_and_says_that_the_output_is_touched";
    let driver = device();
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
