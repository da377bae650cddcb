use super::*;
use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A program as large as real ones.
fn program(number: i64) -> Program {
    let mut config = vec![7; 1200];
    config[1199] = number;
    Program {
        entry: "mmafft_pass",
        config,
        then: Vec::new(),
        keeps: false,
        threads: 256,
        shared_bytes: 0,
    }
}

#[test]
fn a_kernel_is_made_once_even_by_many() {
    let kernels = Kernels::default();
    let made = AtomicUsize::new(0);
    let make = || {
        std::thread::sleep(Duration::from_millis(20));
        Ok(made.fetch_add(1, Ordering::Relaxed))
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(*kernels.get(&program(1), make).unwrap(), 0));
        }
    });
    assert_eq!(made.load(Ordering::Relaxed), 1);
    assert_eq!(*kernels.get(&program(2), make).unwrap(), 1);
}

#[test]
fn a_failure_is_not_kept() {
    let kernels = Kernels::default();
    let error = Error::Empty { what: "x".into() };
    let failed = kernels.get(&program(1), || Err(error.clone()));
    assert_eq!(failed, Err(error));
    assert_eq!(*kernels.get(&program(1), || Ok(5)).unwrap(), 5);
}

#[test]
fn a_failing_thread_holds_nobody_up() {
    let kernels = Kernels::default();
    std::thread::scope(|scope| {
        let (started, start) = channel();
        let (fail, failing) = channel::<()>();
        let kernels = &kernels;
        let first = scope.spawn(move || {
            kernels.get(&program(1), || {
                started.send(()).unwrap();
                failing.recv().unwrap();
                panic!("while compiling")
            })
        });
        start.recv().unwrap();
        // Other programs do not wait; another thread that wants this one makes it then.
        assert_eq!(*kernels.get(&program(2), || Ok(2)).unwrap(), 2);
        let second = scope.spawn(|| *kernels.get(&program(1), || Ok(1)).unwrap());
        assert_eq!(*kernels.get(&program(3), || Ok(3)).unwrap(), 3);
        fail.send(()).unwrap();
        assert!(first.join().is_err());
        assert_eq!(second.join().unwrap(), 1);
    });
}

#[test]
fn others_are_served_while_kernels_are_dropped() {
    static KERNELS: LazyLock<Kernels<Asks>> = LazyLock::new(Kernels::default);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Asks;
    impl Drop for Asks {
        fn drop(&mut self) {
            // From another thread, which would wait if the map were locked.
            let (answer, answered) = channel();
            std::thread::spawn(move || {
                let made = KERNELS.get(&program(-1), || Ok(Asks)).unwrap();
                answer.send(Arc::strong_count(&made)).unwrap();
            });
            answered.recv_timeout(Duration::from_secs(60)).unwrap();
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let kept = KERNELS.get(&program(-1), || Ok(Asks)).unwrap();
    for number in 0..KEPT as i64 {
        KERNELS.get(&program(number), || Ok(Asks)).unwrap();
    }
    assert_eq!(DROPPED.load(Ordering::Relaxed), KEPT - 1);
    drop(kept);
}

#[test]
fn kernels_in_use_stay_and_others_are_bounded() {
    let kernels = Kernels::default();
    let used = kernels.get(&program(0), || Ok(0)).unwrap();
    for number in 1..=2 * KEPT as i64 {
        kernels.get(&program(number), || Ok(number)).unwrap();
    }
    assert!(kernels.slots.read().unwrap().len() <= KEPT);
    let again = kernels.get(&program(0), || Ok(-1)).unwrap();
    assert!(Arc::ptr_eq(&used, &again));
}

#[test]
fn the_same_program_again_takes_microseconds() {
    let kernels = Kernels::default();
    kernels.get(&program(0), || Ok(0)).unwrap();
    let program = program(0);
    let times = (0..100).map(|_| {
        let start = Instant::now();
        kernels.get(&program, || Ok(1)).unwrap();
        start.elapsed()
    });
    let best = times.min().unwrap();
    assert!(best < Duration::from_micros(50), "{best:?}");
}
