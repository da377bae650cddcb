//! What goes wrong on one rank is a typed error on every rank, soon: no rank waits for ever.

use super::{backend, groups, on_ranks, Case};
use mmafft::emulated::EmulatedDriver;
use mmafft::ranks::{
    Communicator, DistributedTransform, Group, Messages, Shared, Spread, Station, Threads, Wanted,
};
use mmafft::{AnyBackend, Complex, EmulatedBackend, Error, Planner, Request, Result, Shape};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

const RANKS: usize = 3;

/// How long a rank waits here, and how long a test may take.
const PATIENCE: Duration = Duration::from_secs(5);

fn request() -> Request {
    Request::forward(Shape::d3(6, 5, 4))
}

fn impatient(patience: Duration) -> Vec<Group> {
    let all = groups(RANKS, false).into_iter();
    all.map(|group| group.patience(patience)).collect()
}

/// What every rank gets, in time.
fn on_all<T: Send>(groups: Vec<Group>, work: impl Fn(Group) -> Result<T> + Sync) -> Vec<Result<T>> {
    let since = Instant::now();
    let all = on_ranks(groups, work);
    assert!(since.elapsed() < PATIENCE + Duration::from_secs(2));
    all
}

fn errors<T>(all: Vec<Result<T>>) -> Vec<Error> {
    let errors = all.into_iter().map(|one| one.err().expect("an error"));
    errors.collect()
}

#[test]
fn another_shape_on_one_rank() {
    for messages in [false, true] {
        let all = on_all(groups(RANKS, messages), |group| {
            let shape = match group.rank() {
                1 => Shape::d3(6, 5, 8),
                _ => Shape::d3(6, 5, 4),
            };
            let planner = Planner::on(backend("cpu"));
            Case::new(Request::forward(shape)).build(&planner, &group)
        });
        for (rank, error) in errors(all).into_iter().enumerate() {
            let Error::Disagree {
                rank: other,
                here,
                there,
                ..
            } = error
            else {
                panic!("{error}");
            };
            assert_eq!(other, if rank == 1 { 0 } else { 1 });
            assert_ne!(here, there);
        }
    }
}

#[test]
fn another_spread_on_one_rank() {
    let all = on_all(groups(RANKS, false), |group| {
        let planner = Planner::on(backend("cpu"));
        let case = Case::new(request()).output(Spread::slab(group.rank() % 2));
        case.build(&planner, &group)
    });
    let disagree = |error: &Error| matches!(error, Error::Disagree { .. });
    assert!(errors(all).iter().all(disagree));
}

#[test]
fn out_of_memory_on_one_rank() {
    let all = on_all(groups(RANKS, true), |group| {
        let driver = EmulatedDriver::nvidia();
        let driver = match group.rank() {
            1 => driver.capacity(100),
            _ => driver,
        };
        let planner = Planner::on(AnyBackend::Emulated(EmulatedBackend::new(driver)));
        Case::new(request()).build(&planner, &group)
    });
    for (rank, error) in errors(all).into_iter().enumerate() {
        match error {
            Error::OutOfMemory { .. } => assert_eq!(rank, 1),
            Error::OtherRank { rank: other, .. } => assert_eq!((rank != 1, other), (true, 1)),
            error => panic!("{error}"),
        }
    }
}

#[test]
fn no_memory_for_a_window() {
    let all = on_all(groups(RANKS, false), |group| {
        let driver = EmulatedDriver::nvidia().capacity(100);
        let planner = Planner::on(AnyBackend::Emulated(EmulatedBackend::new(driver)));
        Case::new(request()).build(&planner, &group)
    });
    for (rank, error) in errors(all).into_iter().enumerate() {
        match error {
            // One rank allocates for all.
            Error::OutOfMemory { .. } => assert_eq!(rank, 0),
            Error::OtherRank { rank: 0, reason } => assert!(reason.contains("memory"), "{reason}"),
            error => panic!("{error}"),
        }
    }
}

#[test]
fn what_is_no_transform_is_one_error_on_all() {
    for wrong in [
        Case::new(Request::forward(Shape::d3(6, 5, 0))),
        Case::new(request()).input(Spread::slab(3)),
        Case::new(request()).input(Spread::grid(&[2, 2, 1])),
        Case::new(request().in_place()),
        Case::new(request().nonzero_input(0, 0..2)),
        Case::new(Request::forward(Shape::d1(97))),
        Case::new(Request::r2c(Shape::d1(96))),
        Case::new(request()).input(Spread::scrambled()),
    ] {
        let all = on_all(groups(RANKS, false), |group| {
            wrong.build(&Planner::on(backend("cpu")), &group)
        });
        let all = errors(all);
        assert!(all.iter().all(|error| *error == all[0]), "{all:?}");
        assert!(!matches!(all[0], Error::OtherRank { .. }), "{}", all[0]);
    }
}

/// A rank that ends after all have built: the others' runs find that it is gone.
#[test]
fn a_rank_that_ends_between_stages() {
    for panics in [false, true] {
        let all = on_all(impatient(PATIENCE), |group| {
            let planner = Planner::on(backend("cpu"));
            let fft = Case::new(request()).build(&planner, &group)?;
            if group.rank() == 1 {
                let gone = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                    let _gone = (fft, group);
                    assert!(!panics, "as a rank may");
                }));
                assert_eq!(gone.is_err(), panics);
                return Ok(());
            }
            let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
            let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
            let lost = fft.process(&input, &mut output);
            assert!(output.iter().all(|x| *x == Complex::new(0.0, 0.0)));
            // The group does nothing any more, at once.
            assert_eq!(fft.process(&input, &mut output).is_err(), lost.is_err());
            lost
        });
        for rank in [0, 2] {
            let lost = all[rank].clone().expect_err("rank 1 is gone");
            assert!(matches!(lost, Error::Lost { rank: Some(1), .. }), "{lost}");
        }
    }
}

/// A rank that does not come is waited for as long as was said.
#[test]
fn a_rank_that_stalls() {
    for patience in [Duration::ZERO, Duration::from_millis(300)] {
        let all = on_all(impatient(patience), |group| {
            if group.rank() == 2 {
                std::thread::sleep(Duration::from_secs(1));
            }
            Case::new(request()).build(&Planner::on(backend("cpu")), &group)
        });
        for error in errors(all) {
            assert!(matches!(error, Error::Lost { .. }), "{error}");
        }
    }
}

#[test]
fn a_buffer_that_is_short_on_one_rank() {
    let cases = [
        Case::new(request()),
        // Without an exchange.
        Case::new(request().axes(&[1, 2])),
    ];
    for (case, messages) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let all = on_all(groups(RANKS, messages), |group| {
            let fft = case.build(&Planner::on(backend("cpu")), &group)?;
            let short = usize::from(group.rank() == 1);
            let input = vec![Complex::new(1.0f32, 0.0); fft.input_len() - short];
            let mut output = vec![Complex::new(7.0f32, 7.0); fft.output_len()];
            let refused = fft.process(&input, &mut output);
            assert!(output.iter().all(|x| *x == Complex::new(7.0, 7.0)));
            // A refused run is nothing to what comes after it.
            let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
            fft.process(&input, &mut output)?;
            let reals = vec![0.0f32; fft.input_len()];
            assert!(matches!(
                fft.process(&reals, &mut output),
                Err(Error::ElementType { .. })
            ));
            refused
        });
        for (rank, error) in errors(all).into_iter().enumerate() {
            match error {
                Error::BufferTooShort { .. } => assert_eq!(rank, 1),
                Error::OtherRank { rank: 1, reason } => {
                    assert!(rank != 1 && reason.contains("too short"), "{reason}");
                }
                error => panic!("{error}"),
            }
        }
    }
}

#[test]
fn a_group_of_nobody() {
    assert!(matches!(Group::threads(0), Err(Error::Empty { .. })));
}

/// Two transforms of each rank, of arrays of ones and of twos.
fn two(group: &Group) -> Result<[DistributedTransform; 2]> {
    let planner = Planner::on(backend("cpu"));
    let build = |shape| Case::new(Request::forward(shape)).build(&planner, group);
    Ok([build(Shape::d3(6, 5, 4))?, build(Shape::d2(9, 8))?])
}

/// Runs one of the two, and checks the point that is their sum and the others, which are 0.
fn run_of_two(which: usize, fft: &DistributedTransform) -> Result<()> {
    let value = 1.0 + which as f32;
    let input = vec![Complex::new(value, 0.0); fft.input_len()];
    let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
    fft.process(&input, &mut output)?;
    let points = [120.0, 72.0][which];
    for (i, got) in output.iter().enumerate() {
        let sum = fft.rank() == 0 && i == 0;
        let expected = if sum { value * points } else { 0.0 };
        let off = (got - Complex::new(expected, 0.0)).norm_sqr();
        assert!(off < 1e-6, "transform {which} on rank {}", fft.rank());
    }
    Ok(())
}

/// Runs from two threads of each rank are right, or on every rank a `Disagree`, as their order may be another's on
/// another rank.
#[test]
fn two_transforms_from_two_threads() {
    for messages in [false, true] {
        on_ranks(groups(RANKS, messages), |group| {
            let both = two(&group).expect("all build the same");
            std::thread::scope(|scope| {
                for (which, fft) in both.iter().enumerate() {
                    scope.spawn(move || {
                        let (mut right, mut tries) = (0, 0u64);
                        while right < 5 {
                            match run_of_two(which, fft) {
                                Ok(()) => right += 1,
                                Err(Error::Disagree { what, .. }) => {
                                    assert_eq!(what, "which transform runs");
                                    // Now another thread's turn, now not, and otherwise on each rank.
                                    tries += 1;
                                    let pause = (tries * (fft.rank() as u64 + 3)) % 7;
                                    std::thread::sleep(Duration::from_micros(100 * pause));
                                }
                                Err(error) => panic!("{error}"),
                            }
                        }
                    });
                }
            });
        });
    }
}

#[test]
fn another_order_of_runs_on_one_rank() {
    for messages in [false, true] {
        let all = on_all(groups(RANKS, messages), |group| {
            let both = two(&group)?;
            let order = if group.rank() == 1 { [1, 0] } else { [0, 1] };
            let refused = order.map(|which| run_of_two(which, &both[which]));
            for refused in refused {
                assert!(
                    matches!(refused, Err(Error::Disagree { .. })),
                    "{refused:?}"
                );
            }
            // What comes in one order is right after that.
            run_of_two(0, &both[0])?;
            run_of_two(1, &both[1])
        });
        assert!(all.iter().all(Result::is_ok), "{all:?}");
    }
}

/// A side thread's call of the group is none of a run's fences.
#[test]
fn a_call_of_the_group_beside_a_run() {
    let all = on_all(groups(RANKS, false), |group| {
        let both = two(&group)?;
        match group.rank() {
            1 => group.agree(b"").map(|_| ()),
            _ => run_of_two(0, &both[0]),
        }
    });
    let disagree = |error: &Error| matches!(error, Error::Disagree { .. });
    assert!(errors(all).iter().all(disagree));
}

/// Threads that fail once in what they are told to: to agree by a panic, to exchange by an overflow.
#[derive(Debug)]
struct Failing(Threads, Arc<[AtomicBool; 2]>);

const AGREE: usize = 0;
const EXCHANGE: usize = 1;

// SAFETY: all that threads do is left to them, and a failure ends no call well.
unsafe impl Communicator for Failing {
    fn station(&self) -> &Station {
        self.0.station()
    }

    fn agree(&self, mine: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>> {
        assert!(!self.1[AGREE].swap(false, Ordering::Relaxed), "as told");
        self.0.agree(mine, patience)
    }

    fn window(&self, backend: &AnyBackend, wanted: &Wanted<'_>, wait: Duration) -> Result<Shared> {
        self.0.window(backend, wanted, wait)
    }

    fn exchange(&self, messages: &mut Messages<'_>, patience: Duration) -> Result<()> {
        match self.1[EXCHANGE].swap(false, Ordering::Relaxed) {
            true => Err(Error::Overflow {
                what: "points to a rank".into(),
            }),
            false => self.0.exchange(messages, patience),
        }
    }
}

/// The ends of a group of these, and what each is told.
fn failing() -> (Vec<Group>, Vec<Arc<[AtomicBool; 2]>>) {
    let told: Vec<Arc<[AtomicBool; 2]>> = (0..RANKS).map(|_| Arc::default()).collect();
    let ends = Threads::new(RANKS).into_iter().zip(&told);
    let groups = ends.map(|(threads, told)| Group::of(Failing(threads, told.clone())));
    (groups.collect(), told)
}

/// What does not fit in messages is said as it is, and a run after it is as any other.
#[test]
fn an_overflow_of_messages_loses_nobody() {
    let (groups, told) = failing();
    let all = on_all(groups, |group| {
        let group = group.by_messages();
        let both = two(&group)?;
        told[group.rank()][EXCHANGE].store(true, Ordering::Relaxed);
        let over = run_of_two(0, &both[0]);
        assert!(matches!(over, Err(Error::Overflow { .. })), "{over:?}");
        run_of_two(0, &both[0])
    });
    assert!(all.iter().all(Result::is_ok), "{all:?}");
}

/// What was left by a panic is run no more, though the others are at its fences; other transforms are, in step.
#[test]
fn a_panic_in_a_run_ends_that_transform() {
    let (groups, told) = failing();
    let all = on_all(groups, |group| {
        let both = two(&group)?;
        if group.rank() != 1 {
            let other = run_of_two(0, &both[0]);
            assert!(matches!(other, Err(Error::Disagree { .. })), "{other:?}");
            return run_of_two(1, &both[1]);
        }
        told[1][AGREE].store(true, Ordering::Relaxed);
        let run = std::panic::AssertUnwindSafe(|| run_of_two(0, &both[0]));
        assert!(std::panic::catch_unwind(run).is_err());
        let ended = run_of_two(0, &both[0]);
        assert!(
            matches!(ended, Err(Error::Lost { rank: Some(1), .. })),
            "{ended:?}"
        );
        let other = run_of_two(1, &both[1]);
        assert!(matches!(other, Err(Error::Disagree { .. })), "{other:?}");
        run_of_two(1, &both[1])
    });
    assert!(all.iter().all(Result::is_ok), "{all:?}");
}

/// Devices of which one reaches no other exchange messages, and say why.
#[test]
fn devices_out_of_reach_exchange_messages() {
    let all = on_all(groups(RANKS, false), |group| {
        let rank = group.rank();
        let driver = EmulatedDriver::nvidia().numbered(rank)?.alone(rank == 2);
        let planner = Planner::on(AnyBackend::Emulated(EmulatedBackend::new(driver)));
        let fft = planner.over(&group).build(&request())?;
        let words = fft.explain();
        let reason =
            "through the host and unpacked, as there is no memory of device 2 that device 0 reads";
        assert!(words.contains(reason), "{words}");
        let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
        let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
        fft.process(&input, &mut output)?;
        let sum = if rank == 0 { 120.0f32 } else { 0.0 };
        assert!((output[0].re - sum).abs() < 1e-3, "{:?}", output[0]);
        Ok(())
    });
    assert!(all.iter().all(Result::is_ok), "{all:?}");
}

/// What is said of devices that reach each other, and of one that is not there.
#[test]
fn devices_store_to_each_other() {
    let all = on_all(groups(RANKS, false), |group| {
        let backend = AnyBackend::emulated_numbered("emulated-amd", group.rank())?;
        let fft = Planner::on(backend).over(&group).build(&request())?;
        let words = fft.explain();
        let stores = "by the stores of stage 1 to the devices of all ranks, which wait for all";
        assert!(words.contains(stores), "{words}");
        AnyBackend::emulated_numbered("emulated-amd", 100).map(drop)
    });
    let no_device = |result: &Result<()>| matches!(result, Err(Error::NoDevice { .. }));
    assert!(all.iter().all(no_device), "{all:?}");
    let cpu = AnyBackend::numbered("cpu", 1);
    assert!(matches!(cpu, Err(Error::Unsupported { .. })), "{cpu:?}");
}
