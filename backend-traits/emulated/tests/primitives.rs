//! Right kernels give the right result in every order, and a wrong result never passes:
//! with any barrier or wait left out, the launch fails.

mod common;
use common::*;
use mmafft_backend_traits::device::Driver;
use mmafft_emulated::{EmulatedDriver, Order};

fn both() -> [EmulatedDriver; 2] {
    [EmulatedDriver::nvidia(), EmulatedDriver::amd()]
}

fn counted(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

const BLOCKS: usize = 3;

fn transpose(driver: &EmulatedDriver) -> mmafft_backend_traits::Result<Vec<f32>> {
    let input = counted(2 * 256 * BLOCKS);
    let bytes = f32_bytes(&input);
    let kernel = kernel(driver, "test_transpose", 256);
    run(driver, &kernel, &bytes, bytes.len(), 0, BLOCKS as u64).map(|out| f32_values(&out))
}

fn reverse(driver: &EmulatedDriver) -> mmafft_backend_traits::Result<Vec<f32>> {
    let bytes = f32_bytes(&counted(2 * 96 * BLOCKS));
    let kernel = kernel(driver, "test_reverse", 96);
    run(driver, &kernel, &bytes, bytes.len(), 0, BLOCKS as u64).map(|out| f32_values(&out))
}

#[test]
fn shared_memory_and_barriers() {
    for driver in both() {
        let mut driver = driver;
        for order in ORDERS {
            driver = driver.order(order);
            for (i, point) in transpose(&driver).unwrap().chunks(2).enumerate() {
                assert_eq!(
                    point,
                    [2.0 * i as f32 + 2.0, 2.0 * i as f32 + 1.0],
                    "{order:?}"
                );
            }
        }
    }
}

#[test]
fn every_missing_barrier_is_found() {
    for order in ORDERS {
        for driver in both() {
            let mut driver = driver.order(order);
            for number in 0..3 {
                driver = driver.skip_barrier(Some(number));
                let message = message(transpose(&driver));
                let found = ["race", "never written"];
                assert!(found.iter().any(|what| message.contains(what)), "{message}");
            }
            // There is no fourth.
            transpose(&driver.skip_barrier(Some(3))).unwrap();
        }
    }
}

/// Blocks of 40 threads, in clusters of three.
fn rotate(driver: &EmulatedDriver) -> mmafft_backend_traits::Result<Vec<f32>> {
    let bytes = f32_bytes(&counted(2 * 40 * 3 * 2));
    let kernel = cluster_kernel(driver, "test_rotate", 40, 3);
    run(driver, &kernel, &bytes, bytes.len(), 0, 3 * 2).map(|out| f32_values(&out))
}

#[test]
fn clusters_and_their_barriers() {
    for order in ORDERS {
        for driver in both() {
            let mut driver = driver.order(order);
            for (i, point) in rotate(&driver).unwrap().chunks(2).enumerate() {
                // From the block two before, of the same cluster.
                let from = i / 120 * 120 + (i + 40) % 120;
                let expected = [2.0 * from as f32 + 2.0, 2.0 * from as f32 + 1.0];
                assert_eq!(point, expected, "{order:?}");
            }
            for number in 0..4 {
                driver = driver.skip_barrier(Some(number));
                let message = message(rotate(&driver));
                let found = ["race", "never written", "has not begun", "has ended"];
                assert!(found.iter().any(|what| message.contains(what)), "{message}");
            }
            rotate(&driver.skip_barrier(Some(4))).unwrap();
        }
    }
}

#[test]
fn asynchronous_copies() {
    for order in ORDERS {
        for driver in both() {
            let driver = driver.order(order);
            for (i, point) in reverse(&driver).unwrap().chunks(2).enumerate() {
                let from = i / 96 * 96 + 95 - i % 96;
                assert_eq!(point[0], 2.0 * from as f32);
            }
            let driver = driver.skip_wait(Some(0));
            let no_wait = message(reverse(&driver));
            assert!(no_wait.contains("asynchronous cop"), "{no_wait}");
            let driver = driver.skip_wait(None).skip_barrier(Some(0));
            let no_barrier = message(reverse(&driver));
            let found = ["race", "never written", "under way"];
            assert!(found.iter().any(|w| no_barrier.contains(w)), "{no_barrier}");
        }
    }
}

#[test]
fn copies_land_at_the_wait() {
    for driver in both() {
        let memory = upload(&driver, &f32_bytes(&counted(2 * 64)));
        let kernel = kernel(&driver, "test_late", 64);
        let launch = arguments(&memory, &memory, 0, 1);
        driver.launch(&(), &kernel, &launch).unwrap();
        for point in f32_values(&download(&driver, &memory, 64 * 8)).chunks(2) {
            assert_eq!(point, [11.0, 12.0]);
        }
    }
}

#[test]
fn sums_over_waves() {
    for driver in both() {
        let wave = driver.geometry().wave;
        let mut driver = driver;
        for order in ORDERS {
            driver = driver.order(order);
            let input = counted(256);
            let kernel = kernel(&driver, "test_sum", 128);
            let out = run(&driver, &kernel, &f32_bytes(&input), 1024, 0, 2).unwrap();
            for (out, input) in f32_values(&out).chunks(wave).zip(input.chunks(wave)) {
                assert_eq!(out, vec![input.iter().sum::<f32>(); wave]);
            }
        }
    }
}

/// For each block, and before and after its barrier, the numbers that its threads drew.
fn numbers(order: Order) -> Vec<Vec<u32>> {
    let driver = EmulatedDriver::nvidia().order(order);
    let memory = upload(&driver, &[0; 4 * (1 + 2 * 2 * 40)]);
    let kernel = kernel(&driver, "test_order", 40);
    let launch = arguments(&memory, &memory, 0, 2);
    driver.launch(&(), &kernel, &launch).unwrap();
    let words = u32_values(&download(&driver, &memory, 4 * (1 + 2 * 2 * 40)));
    words[1..].chunks(40).map(<[u32]>::to_vec).collect()
}

#[test]
fn orders_are_what_they_say() {
    let expected: Vec<Vec<u32>> = (0..4).map(|r| (r * 40..r * 40 + 40).collect()).collect();
    assert_eq!(numbers(Order::Forward), expected);
    // The last block first; in it, of each interval, the last thread first.
    let backwards = |r: u32| (r * 40..r * 40 + 40).rev().collect::<Vec<u32>>();
    let expected: Vec<Vec<u32>> = [2, 3, 0, 1].into_iter().map(backwards).collect();
    assert_eq!(numbers(Order::Reverse), expected);

    let shuffled = numbers(Order::Shuffled(7));
    assert_eq!(shuffled, numbers(Order::Shuffled(7)));
    assert_ne!(shuffled, numbers(Order::Shuffled(8)));
    let relative = |numbers: &[u32]| {
        let first = numbers.iter().min().copied().unwrap();
        numbers.iter().map(|n| n - first).collect::<Vec<u32>>()
    };
    assert_ne!(relative(&shuffled[0]), relative(&shuffled[1]));
    for interval in &shuffled {
        let mut sorted = relative(interval);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..40).collect::<Vec<u32>>());
    }
}

#[test]
fn launches_are_counted() {
    let driver = EmulatedDriver::nvidia();
    transpose(&driver).unwrap();
    let counted = driver.take_counters();
    let points = 256 * BLOCKS as u64;
    assert_eq!(counted.bytes_read, 8 * points);
    assert_eq!(counted.bytes_written, 8 * points);
    assert_eq!(counted.shared_reads, 2 * points);
    assert_eq!(counted.shared_writes, 2 * points);
    assert_eq!(counted.barriers, 3 * BLOCKS as u64);
    assert_eq!(driver.take_counters(), Default::default());
    reverse(&driver).unwrap();
    let counted = driver.take_counters();
    assert_eq!(counted.bytes_read, 8 * 96 * BLOCKS as u64);
    assert_eq!((counted.waits, counted.constant_bytes), (BLOCKS as u64, 0));
}

#[test]
fn launches_run_in_several_threads_at_once() {
    let driver = EmulatedDriver::amd().order(Order::Shuffled(3));
    let input = upload(&driver, &f32_bytes(&counted(2 * 256)));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let kernel = kernel(&driver, "test_transpose", 256);
                let store = driver.allocate(8 * 256).unwrap();
                for _ in 0..20 {
                    let launch = arguments(&input, &store, 0, 1);
                    driver.launch(&(), &kernel, &launch).unwrap();
                }
                let out = f32_values(&download(&driver, &store, 8 * 256));
                assert_eq!(out[..2], [2.0, 1.0]);
            });
        }
    });
}
