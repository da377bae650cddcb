//! What is wrong with a launch is found, said, and never hangs.

mod common;
use common::*;
use mmafft_backend_traits::device::{Driver, Lowering, Region, Vendor};
use mmafft_backend_traits::Error;
use mmafft_backend_traits::Target;
use mmafft_emulated::{config_words, EmulatedDriver};

/// `enum Fault` of `device/test_kernels.hpp`, in its order, with what the message says.
const FAULTS: &[(&str, &str)] = &[
    ("read outside", "outside: reads 4 bytes"),
    ("write outside", "outside: writes 4 bytes"),
    ("write to load", "outside: writes 4 bytes"),
    ("misaligned", "misaligned: reads 8 bytes"),
    ("table from store", "outside: reads 4 bytes"),
    (
        "shared beyond",
        "outside: writes 8 bytes at byte 512 of the shared memory",
    ),
    (
        "shared before",
        "outside: reads 8 bytes at byte -8 of the shared memory",
    ),
    ("never written", "never written"),
    (
        "written twice",
        "race: writes a shared cell that was written",
    ),
    ("before wait", "under way"),
    ("no wait", "ends while asynchronous copies"),
    ("copy outside", "outside: copies from 8 bytes"),
    ("in step", "step 3"),
    ("no step", "step 28 does not exist"),
    ("shuffle outside", "leaves the wave"),
    ("half at barrier", "deadlock: 32 threads wait at a barrier"),
    ("lane leaves", "deadlock: 0 threads wait at a barrier"),
    ("lane at barrier", "deadlock: 1 threads wait at a barrier"),
    (
        "different shuffles",
        "deadlock: the lanes of a wave meet in different",
    ),
];

#[test]
fn every_fault_is_found_in_every_order() {
    for make in [EmulatedDriver::nvidia, EmulatedDriver::amd] {
        for order in ORDERS {
            let driver = make().order(order);
            let kernel = kernel(&driver, "test_fault", 64);
            let load = upload(&driver, &[0; 512]);
            let store = driver.allocate(1024).unwrap();
            for (number, (name, expected)) in FAULTS.iter().enumerate() {
                let mut launch = arguments(&load, &store, number as u64, 1);
                launch.store = Region::from(&store, 512);
                let message = message(driver.launch(&(), &kernel, &launch));
                assert!(message.contains(expected), "{name}, {order:?}: {message}");
                assert!(message.contains("block 0"), "{name}: {message}");
            }
            // None of them has left anything behind.
            let launch = arguments(&load, &store, FAULTS.len() as u64, 1);
            driver.launch(&(), &kernel, &launch).unwrap();
        }
    }
}

/// `enum ClusterFault`, in its order.
const CLUSTER_FAULTS: &[&str] = &[
    "outside: writes to block 2 of a cluster of 2",
    "of the cluster, which has not begun",
    "of block 1 of the cluster, which has ended",
    "race: reads a shared cell that was written since the last barrier by thread",
    "race: writes a shared cell that was read since the last barrier by thread",
    "race: writes a shared cell that was written since the last barrier by thread",
    "deadlock: 32 threads wait at a barrier",
];

#[test]
fn faults_between_blocks_are_found_in_every_order() {
    for make in [EmulatedDriver::nvidia, EmulatedDriver::amd] {
        for order in ORDERS {
            let driver = make().order(order);
            let kernel = cluster_kernel(&driver, "test_cluster_fault", 32, 2);
            let memory = upload(&driver, &[0; 4]);
            for (number, expected) in CLUSTER_FAULTS.iter().enumerate() {
                let launch = arguments(&memory, &memory, number as u64, 2);
                let message = message(driver.launch(&(), &kernel, &launch));
                assert!(message.contains(expected), "{order:?}: {message}");
                let other = message.contains("by thread");
                assert!(!other || message.contains(" of block "), "{message}");
            }
            let launch = arguments(&memory, &memory, CLUSTER_FAULTS.len() as u64, 2);
            driver.launch(&(), &kernel, &launch).unwrap();
            let odd = driver.launch(&(), &kernel, &arguments(&memory, &memory, 99, 3));
            assert!(refusal(odd).contains("whole clusters"));
        }
    }
}

#[test]
fn a_wave_that_is_not_full_cannot_meet() {
    let driver = EmulatedDriver::amd();
    let kernel = kernel(&driver, "test_sum", 96);
    let message = message(run(&driver, &kernel, &[0; 400], 400, 0, 1));
    assert!(message.contains("only a part"), "{message}");
}

fn refusal<T: std::fmt::Debug>(result: mmafft_backend_traits::Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(!error.output_touched());
    assert!(matches!(error, Error::Device { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn programs_that_cannot_run_are_refused() {
    let driver = EmulatedDriver::nvidia();
    let refused = |entry, threads, shared| driver.kernel(&program(entry, threads, shared));
    assert!(refusal(refused("mmafft_nothing", 32, 0)).contains("no kernel has this name"));
    assert!(refusal(refused("test_sum", 32, 1 << 20)).contains("shared memory"));
    let mut short = program("test_sum", 32, 0);
    short.config.pop();
    assert!(refusal(driver.kernel(&short)).contains("words"));

    let memory = upload(&driver, &[0; 4]);
    let launch = |program| {
        let kernel = driver.kernel(&program).unwrap();
        driver.launch(&(), &kernel, &arguments(&memory, &memory, 0, 1))
    };
    assert!(refusal(launch(program("test_sum", 1025, 0))).contains("1 to 1024 threads"));
    assert!(refusal(launch(program("test_sum", 0, 0))).contains("1 to 1024 threads"));
    assert!(refusal(launch(program("mmafft_pass", 32, 0))).contains("another number of threads"));
    // `threads` and `values` are the third and the sixth word of the configuration.
    let mut many = program("mmafft_pass", 32, 0);
    (many.config[2], many.config[5]) = (32, Lowering.threads().most_values as i64 + 1);
    assert!(refusal(launch(many)).contains("so many values"));
}

#[test]
fn a_launch_of_no_blocks_does_nothing() {
    let driver = EmulatedDriver::nvidia();
    let kernel = kernel(&driver, "test_fault", 64);
    assert_eq!(run(&driver, &kernel, &[0; 4], 4, 0, 0), Ok(vec![0xff; 4]));
}

#[test]
fn memory_is_aligned_bounded_and_starts_as_nan() {
    let driver = EmulatedDriver::amd();
    let memory = driver.allocate(12).unwrap();
    let values = f32_values(&download(&driver, &memory, 12));
    assert!(values.iter().all(|x| x.is_nan()));
    assert_eq!(download(&driver, &driver.allocate(0).unwrap(), 0), []);
    for bytes in [usize::MAX, 1 << 50] {
        let error = driver.allocate(bytes).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
    }
}

#[test]
fn limits_and_geometry_are_of_one_device() {
    for (driver, name) in [
        (EmulatedDriver::nvidia(), "emulated-nvidia"),
        (EmulatedDriver::amd(), "emulated-amd"),
    ] {
        let (limits, geometry) = (driver.limits(), driver.geometry());
        assert_eq!(limits.backend, name);
        assert_eq!(limits.tile_bytes, geometry.shared_bytes);
        // A wave holds a product together, but for AMD's of 4×4, of which it holds 16.
        for f in &limits.fragments {
            let lanes = match (geometry.vendor, f.m) {
                (Vendor::Amd, 4) => 4,
                _ => geometry.wave,
            };
            assert_eq!(f.lanes, lanes, "{name}: {f:?}");
        }
        assert!(limits.butterflies.contains(&16));
    }
    // 20 words ahead of the axes, loops and steps: see `Config`.
    assert!(config_words() > 20);
}

/// A device's memory is another's where it is mapped for both, and an error where it is not.
#[test]
fn memory_of_another_device_is_found() {
    for make in [EmulatedDriver::nvidia, EmulatedDriver::amd] {
        let devices = [0, 1, 2].map(|ordinal| make().numbered(ordinal).expect("a device"));
        let input = upload(&devices[1], &[1; 4 * 128 * 2]);
        let there = devices[1].allocate(4096).expect("room");
        let here = devices[0].allocate(4096).expect("room");
        let launch = |device: usize, store| {
            let kernel = kernel(&devices[device], "test_sum", 128);
            let own = upload(&devices[device], &[1; 4 * 128 * 2]);
            devices[device].launch(&(), &kernel, &arguments(&own, store, 128, 1))
        };
        launch(1, &there).expect("its own memory");
        let refused = launch(1, &here);
        let Err(Error::Device { message, .. }) = refused else {
            panic!("{refused:?}");
        };
        let said = "device 1 is given memory of device 0, which is not mapped for it";
        assert_eq!(message, said);
        // An address is as good as the memory, and no better.
        // SAFETY: the memory is there, and nothing else runs.
        let view = unsafe { mmafft_emulated::Memory::from_raw(here.address() + 256, 1024) };
        assert!(launch(1, &view).is_err());
        let both = [&devices[0], &devices[1]];
        let shared = EmulatedDriver::over_devices(&both, 4096, &|_| vec![0, 1]).expect("room");
        launch(0, &shared).expect("mapped for both");
        launch(1, &shared).expect("mapped for both");
        assert!(launch(2, &shared).is_err(), "mapped for two of three");
        let far = make().numbered(3).expect("a device").alone(true);
        let error = EmulatedDriver::over_devices(&[&devices[0], &far], 64, &|_| vec![0]);
        assert!(matches!(error, Err(Error::Unsupported { .. })), "{error:?}");
        let none = make()
            .numbered(mmafft_emulated::DEVICES)
            .expect_err("eight devices");
        assert!(matches!(none, Error::NoDevice { .. }), "{none}");
        drop(input);
    }
}
