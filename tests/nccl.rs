//! Ranks that NCCL joins, by a library of its functions that is made here: over emulated devices, a thread each. It begins
//! anew with that library in the environment, and needs a C compiler.

use mmafft::ranks::{DistributedTransform, Group, Spread};
use mmafft::{
    AnyBackend, Complex, Element, Error, Kind, Planner, Precision, Request, Result, Shape,
};
use mmafft_testing::skip;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Which library is opened.
const LIBRARY: &str = "MMAFFT_NCCL";

/// How long a rank waits where one does not come.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    if std::env::var_os(LIBRARY).is_none() {
        let folder = std::env::temp_dir().join(format!("mmafft-nccl-{}", std::process::id()));
        if let Some(library) = stand_in(&folder) {
            let program = std::env::current_exe().expect("this program's path");
            let mut again = Command::new(program);
            let status = again
                .args(std::env::args_os().skip(1))
                .env(LIBRARY, library)
                .status();
            let _ = std::fs::remove_dir_all(&folder);
            return match status.expect("this program").success() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            };
        }
    }
    mmafft_testing::run(mmafft_testing::tests![
        kinds_over_ranks,
        a_communicator_of_the_callers,
        a_rank_that_does_not_come,
        a_rank_that_ends,
        what_one_rank_refuses,
        another_device,
        what_has_no_nccl,
    ])
}

/// The library; none without a C compiler.
fn stand_in(folder: &std::path::Path) -> Option<std::path::PathBuf> {
    std::fs::create_dir_all(folder).ok()?;
    let source = folder.join("standin.c");
    std::fs::write(&source, include_str!("nccl/standin.c")).ok()?;
    let library = folder.join("libnccl-standin.so");
    let mut compile = Command::new("cc");
    compile.args([
        "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-pthread", "-o",
    ]);
    let made = compile.arg(&library).arg(&source).status();
    made.is_ok_and(|status| status.success()).then_some(library)
}

fn library() {
    if std::env::var_os(LIBRARY).is_none() {
        skip("needs a C compiler: cc is not in the path");
    }
}

fn device(rank: usize) -> AnyBackend {
    AnyBackend::emulated_numbered("emulated-nvidia", rank).expect("it is emulated")
}

/// What each rank's thread gives, with the backend of its device.
fn on_ranks<T: Send>(
    ranks: usize,
    work: impl Fn(usize, AnyBackend, [u8; 128]) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let id = Group::nccl_id(&device(0)).expect("an identifier");
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |rank| scope.spawn(move || work(rank, device(rank), id));
        let threads: Vec<_> = (0..ranks).map(spawn).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|result| result.expect("no panic")).collect()
    })
}

fn transform(
    backend: &AnyBackend,
    group: &Group,
    request: &Request,
    sides: &[Option<Spread>; 2],
) -> Result<DistributedTransform> {
    let planner = Planner::on(backend.clone());
    let mut over = planner.over(group);
    if let Some(spread) = &sides[0] {
        over = over.input(spread.clone());
    }
    if let Some(spread) = &sides[1] {
        over = over.output(spread.clone());
    }
    over.build(request)
}

/// A transform over ranks beside the same on one.
fn compare<I: Element, O: Element>(
    request: &Request,
    sides: &[Option<Spread>; 2],
    ranks: usize,
    point: impl Fn(f64) -> I,
    parts: impl Fn(&O) -> [f64; 2] + Sync,
) {
    let one = Planner::on(device(0)).build(request).expect("a transform");
    let whole: Vec<I> = (0..one.input_len())
        .map(|i| point(((i * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5))
        .collect();
    let mut wanted = vec![O::default(); one.output_len()];
    one.process(&whole, &mut wanted).expect("a run");
    let all = on_ranks(ranks, |rank, backend, id| {
        let group = Group::nccl(&backend, &id, rank, ranks)?;
        assert_eq!((group.rank(), group.ranks()), (rank, ranks));
        assert_eq!(group.station().engine, "NCCL 2.17.3");
        let fft = transform(&backend, &group, request, sides)?;
        let words = fft.explain();
        let crosses = fft.plan().stages.len() > 1;
        assert!(
            !crosses || words.contains("packed, sent from device to device and unpacked"),
            "{words}"
        );
        let part = fft.plan().scatter(rank, &whole)?;
        let mut got = vec![O::default(); fft.output_len()];
        for _ in 0..2 {
            fft.process(&part, &mut got)?;
        }
        Ok((fft.plan().clone(), got))
    });
    let mut got = vec![O::default(); wanted.len()];
    for (rank, result) in all.into_iter().enumerate() {
        let (plan, part) = result.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        plan.gather(rank, &part, &mut got).expect("a part");
    }
    let (mut error, mut norm) = (0.0, 0.0);
    for (a, b) in got.iter().zip(&wanted) {
        let ([a, b], [c, d]) = (parts(a), parts(b));
        error += (a - c).powi(2) + (b - d).powi(2);
        norm += c * c + d * d;
    }
    let (error, bound) = (f64::sqrt(error / norm), one.plan().error_bound);
    assert!(error <= 2.0 * bound, "{request:?} on {ranks}: {error:.1e}");
}

fn kinds_over_ranks() {
    library();
    let two = |x: &Complex<f32>| [f64::from(x.re), f64::from(x.im)];
    let complex = |x: f64| Complex::new(x as f32, -2.0 * x as f32);
    for ranks in [1, 2, 3, 4, 7] {
        for shape in [Shape::d2(12, 10), Shape::d3(9, 6, 8), Shape::d1(240)] {
            let request = Request::forward(shape.clone());
            compare(&request, &[None, None], ranks, complex, two);
        }
        let cube = Request::forward(Shape::d3(8, 6, 4));
        let slab = || Some(Spread::slab(0));
        compare(&cube, &[slab(), slab()], ranks, complex, two);
        if ranks == 4 {
            let pencils = [Some(Spread::grid(&[2, 2, 1])), None];
            compare(&cube, &pencils, ranks, complex, two);
        }
        let one = |x: &f32| [f64::from(*x), 0.0];
        let real = |x: f64| x as f32;
        let r2c = Request::r2c(Shape::d3(6, 7, 8));
        compare(&r2c, &[None, None], ranks, real, two);
        compare(&r2c.inverse(), &[None, None], ranks, complex, one);
        let dct = Request::of_kind(Kind::Dct2, Shape::d2(9, 12));
        compare(&dct, &[None, None], ranks, real, one);
        // What crosses is copied as it is: nothing is split or rounded on the way.
        let split = request().precision(Precision::SplitF16).radices(&[3, 2]);
        let split = split.axes(&[0]);
        compare(
            &split,
            &[Some(Spread::slab(1)), Some(Spread::slab(2))],
            ranks,
            complex,
            two,
        );
        let double = Request::forward(Shape::d2(6, 15)).precision(Precision::F64);
        let two = |x: &Complex<f64>| [x.re, x.im];
        compare(&double, &[None, None], ranks, |x| Complex::new(x, 1.0), two);
    }
}

/// A communicator that the caller keeps.
fn a_communicator_of_the_callers() {
    library();
    let path = std::env::var_os(LIBRARY).expect("it is named");
    // SAFETY: the library is the stand-in, whose functions have these signatures.
    let all = unsafe {
        let library = libloading::Library::new(path).expect("the stand-in");
        let make = library.get::<unsafe extern "C" fn(i32, i32) -> u64>(b"standin_communicator");
        let make = make.expect("its own function");
        on_ranks(2, |rank, backend, _| {
            let group = Group::nccl_from_raw(&backend, make(rank as i32, 2))?;
            group.agree(format!("rank {rank}").as_bytes())
        })
    };
    for result in all {
        let said = result.expect("both come");
        assert_eq!(said, [b"rank 0".to_vec(), b"rank 1".to_vec()]);
    }
}

fn a_rank_that_does_not_come() {
    library();
    let since = Instant::now();
    let all = on_ranks(3, |rank, backend, id| {
        let group = Group::nccl(&backend, &id, rank, 3)?.patience(PATIENCE);
        let fft = transform(&backend, &group, &request(), &[None, None])?;
        if rank == 1 {
            // It keeps its end, and says nothing.
            std::thread::sleep(PATIENCE * 3);
            return Ok(());
        }
        let again = run(&fft);
        assert!(matches!(run(&fft), Err(Error::Lost { .. })), "for good");
        again
    });
    assert!(since.elapsed() < PATIENCE * 5, "{:?}", since.elapsed());
    for (rank, result) in all.iter().enumerate() {
        let lost = matches!(result, Err(Error::Lost { .. }));
        assert_eq!(lost, rank != 1, "{result:?}");
    }
}

/// A rank that aborts, as its process would end, is an error on the others, soon.
fn a_rank_that_ends() {
    library();
    let all = on_ranks(3, |rank, backend, id| {
        let patience = if rank == 1 {
            Duration::ZERO
        } else {
            PATIENCE * 30
        };
        let group = Group::nccl(&backend, &id, rank, 3)?;
        let fft = transform(&backend, &group, &request(), &[None, None])?;
        drop(fft);
        let group = group.patience(patience);
        if rank != 1 {
            // Rank 1 loses patience first.
            std::thread::sleep(PATIENCE / 4);
        }
        let since = Instant::now();
        let said = group.agree(b"here");
        assert!(since.elapsed() < PATIENCE * 3, "{:?}", since.elapsed());
        said.map(drop)
    });
    let lost = |result: &Result<()>| matches!(result, Err(Error::Lost { .. }));
    assert!(all.iter().all(lost), "{all:?}");
}

/// A plan on another device than the ranks were joined on is refused on every rank.
fn another_device() {
    library();
    let all = on_ranks(2, |rank, backend, id| {
        let group = Group::nccl(&backend, &id, rank, 2)?.patience(PATIENCE);
        let other = if rank == 1 { device(5) } else { backend };
        transform(&other, &group, &request(), &[None, None]).map(drop)
    });
    assert!(
        matches!(all[0], Err(Error::OtherRank { rank: 1, .. })),
        "{all:?}"
    );
    assert!(matches!(all[1], Err(Error::Unsupported { .. })), "{all:?}");
}

/// A short buffer on one rank is an error on every rank, and the next run is as any other.
fn what_one_rank_refuses() {
    library();
    let all = on_ranks(3, |rank, backend, id| {
        let group = Group::nccl(&backend, &id, rank, 3)?.patience(PATIENCE);
        let asked = match rank {
            2 => Request::forward(Shape::d2(8, 8)),
            _ => request(),
        };
        let other = transform(&backend, &group, &asked, &[None, None]);
        assert!(matches!(other, Err(Error::Disagree { .. })), "{other:?}");
        let fft = transform(&backend, &group, &request(), &[None, None])?;
        let input = vec![Complex::new(1.0f32, 0.0); fft.input_len() - usize::from(rank == 1)];
        let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
        let refused = fft.process(&input, &mut output);
        match (rank, refused) {
            (1, Err(Error::BufferTooShort { .. })) | (_, Err(Error::OtherRank { rank: 1, .. })) => {
            }
            (_, other) => panic!("{other:?}"),
        }
        run(&fft)
    });
    assert!(all.iter().all(Result::is_ok), "{all:?}");
}

fn what_has_no_nccl() {
    library();
    let cpu = AnyBackend::cpu().expect("the CPU");
    let none = Group::nccl_id(&cpu).and_then(|id| Group::nccl(&cpu, &id, 0, 1));
    assert!(matches!(none, Err(Error::Unsupported { .. })), "{none:?}");
    let outside = Group::nccl(&device(0), &[0; 128], 2, 2);
    assert!(matches!(outside, Err(Error::Spread { .. })), "{outside:?}");
}

fn request() -> Request {
    Request::forward(Shape::d3(6, 5, 4))
}

fn run(fft: &DistributedTransform) -> Result<()> {
    let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
    let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
    fft.process(&input, &mut output)?;
    let sum = if fft.rank() == 0 { 120.0 } else { 0.0 };
    assert!((output[0].re - sum).abs() < 1e-3, "{:?}", output[0]);
    Ok(())
}
