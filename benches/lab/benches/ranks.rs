//! Ranks on one host: `cargo bench -p mmafft-lab --bench ranks`.
//!
//! Threads as ranks beside our own threads on the same cores; then, under `mpiexec` (Debian: openmpi-bin), processes as
//! ranks beside FFTW-MPI (Debian: libfftw3-mpi3), in the same processes. Each case alternates both; a time is the median
//! of the rank that began last. Both leave their output transposed, FFTW planned with MEASURE. Arguments after `--`: the
//! number of ranks (default: 2).

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use mmafft::ranks::Group;
use mmafft::{AnyBackend, Complex, CpuBackend, CpuOptions, Planner, Precision, Request, Shape};
use std::ffi::{c_int, c_uint, c_void};
use std::process::Command;
use std::time::Instant;

type C64 = Complex<f64>;

/// Set in the processes that `mpiexec` starts.
const TASK: &str = "MMAFFT_RANKS_TASK";

/// Runs of a case.
const RUNS: usize = 15;

fn shapes() -> Vec<Vec<usize>> {
    vec![
        vec![128, 128, 128],
        vec![256, 256, 256],
        vec![1024, 1024],
        vec![2048, 2048],
    ]
}

fn main() {
    if std::env::var(TASK).is_ok() {
        return match processes() {
            Ok(()) => {}
            Err(what) => {
                eprintln!("{what}");
                std::process::exit(1);
            }
        };
    }
    let mut numbers = std::env::args().filter_map(|a| a.parse().ok());
    let ranks: usize = numbers.next().unwrap_or(2);
    threads(ranks);
    let program = std::env::current_exe().expect("this program's path");
    let status = Command::new("mpiexec")
        .args(["-n", &ranks.to_string()])
        .arg(program)
        .env(TASK, "mpi")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
        .status();
    match status {
        Ok(status) if status.success() => {}
        other => println!("no ranks by MPI: {other:?}"),
    }
}

fn planner(threads: usize) -> Planner {
    let options = CpuOptions {
        threads,
        ..CpuOptions::default()
    };
    Planner::on(AnyBackend::Cpu(CpuBackend::new(options)))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn ones(count: usize) -> Vec<C64> {
    (0..count).map(|i| C64::new((i % 7) as f64, 1.0)).collect()
}

fn name(shape: &[usize]) -> String {
    Shape::new(shape).to_string()
}

/// Threads as ranks, and our own.
fn threads(ranks: usize) {
    println!("f64 c2c, {ranks} threads as ranks beside {ranks} threads: ms, and theirs over ours");
    let mut product = 1.0;
    for shape in shapes() {
        let request = Request::forward(Shape::new(&shape)).precision(Precision::F64);
        let alone = planner(ranks).build(&request).expect("a transform");
        let input = ones(alone.input_len());
        let mut output = vec![C64::default(); alone.output_len()];
        let groups = Group::threads(ranks).expect("ranks");
        let times = std::thread::scope(|scope| {
            let spawn = |group: Group| {
                let request = &request;
                scope.spawn(move || {
                    let planner = planner(1);
                    let fft = planner.over(&group).build(request).expect("a transform");
                    let input = ones(fft.input_len());
                    let mut output = vec![C64::default(); fft.output_len()];
                    let mut times = Vec::new();
                    for _ in 0..=RUNS {
                        // Rank 0's turn of the other comes between.
                        group.agree(&[]).expect("all ranks");
                        group.agree(&[]).expect("all ranks");
                        let since = Instant::now();
                        fft.process(&input, &mut output).expect("a run");
                        times.push(since.elapsed().as_secs_f64());
                    }
                    median(times.split_off(1))
                })
            };
            let mut groups = groups.into_iter();
            let first = groups.next().expect("a rank");
            let others: Vec<_> = groups.map(spawn).collect();
            let request = &request;
            let rank = scope.spawn(move || {
                let planner = planner(1);
                let fft = planner.over(&first).build(request).expect("a transform");
                let own = ones(fft.input_len());
                let mut part = vec![C64::default(); fft.output_len()];
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                for _ in 0..=RUNS {
                    first.agree(&[]).expect("all ranks");
                    let since = Instant::now();
                    alone.process(&input, &mut output).expect("a run");
                    theirs.push(since.elapsed().as_secs_f64());
                    first.agree(&[]).expect("all ranks");
                    let since = Instant::now();
                    fft.process(&own, &mut part).expect("a run");
                    ours.push(since.elapsed().as_secs_f64());
                }
                [median(ours.split_off(1)), median(theirs.split_off(1))]
            });
            let first = rank.join().expect("no panic");
            let slowest = others
                .into_iter()
                .map(|rank| rank.join().expect("no panic"));
            [slowest.fold(first[0], f64::max), first[1]]
        });
        let ratio = times[1] / times[0];
        product *= ratio;
        let [ranks, own] = times.map(|time| time * 1e3);
        println!("{:>12} {ranks:9.3} {own:9.3} {ratio:6.2}", name(&shape));
    }
    println!("geometric mean {:.2}", product.powf(0.25));
}

/// FFTW-MPI's calls in double precision.
struct FftwMpi {
    size: unsafe extern "C" fn(
        c_int,
        *const isize,
        *mut c_void,
        *mut isize,
        *mut isize,
        *mut isize,
        *mut isize,
    ) -> isize,
    plan: unsafe extern "C" fn(
        c_int,
        *const isize,
        *mut C64,
        *mut C64,
        *mut c_void,
        c_int,
        c_uint,
    ) -> *mut c_void,
    execute: unsafe extern "C" fn(*mut c_void),
    destroy: unsafe extern "C" fn(*mut c_void),
    world: *mut c_void,
}

/// FFTW_MPI_TRANSPOSED_OUT.
const TRANSPOSED_OUT: c_uint = 1 << 29;

impl FftwMpi {
    fn open() -> Result<FftwMpi, String> {
        let open = |name: &str| {
            // SAFETY: these libraries run no code of ours.
            let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) };
            let library = library.map_err(|error| error.to_string())?;
            Ok::<&'static Library, String>(Box::leak(Box::new(library)))
        };
        let (mpi, core) = (open("libmpi.so.40")?, open("libfftw3.so.3")?);
        let own = open("libfftw3_mpi.so.3")?;
        let missing = |error: libloading::Error| error.to_string();
        // SAFETY: the types are those of fftw3-mpi.h, with an MPI_Comm that is a pointer, as Open MPI's.
        unsafe {
            let init = own.get::<unsafe extern "C" fn()>(b"fftw_mpi_init");
            init.map_err(missing)?();
            Ok(FftwMpi {
                size: *own
                    .get(b"fftw_mpi_local_size_transposed")
                    .map_err(missing)?,
                plan: *own.get(b"fftw_mpi_plan_dft").map_err(missing)?,
                execute: *core.get(b"fftw_execute").map_err(missing)?,
                destroy: *core.get(b"fftw_destroy_plan").map_err(missing)?,
                world: mpi
                    .get::<*mut c_void>(b"ompi_mpi_comm_world")
                    .map_err(missing)?
                    .as_raw_ptr(),
            })
        }
    }
}

/// Processes as ranks, ours and FFTW's.
fn processes() -> Result<(), String> {
    let words = |error: mmafft::Error| error.to_string();
    let group = Group::mpi().map_err(words)?;
    let fftw = FftwMpi::open()?;
    let first = group.rank() == 0;
    if first {
        let (ranks, engine) = (group.ranks(), &group.station().engine);
        println!(
            "f64 c2c, {ranks} processes by {engine} beside FFTW-MPI: ms, and theirs over ours"
        );
    }
    let mut product = 1.0;
    for shape in shapes() {
        let request = Request::forward(Shape::new(&shape)).precision(Precision::F64);
        let planner = planner(1);
        let fft = planner.over(&group).build(&request).map_err(words)?;
        let messages = group.clone().by_messages();
        let packed = planner.over(&messages).build(&request).map_err(words)?;
        let input = ones(fft.input_len());
        let mut output = vec![C64::default(); fft.output_len()];
        let n: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
        let mut sizes = [0isize; 4];
        let [a, b, c, d] = &mut sizes;
        // SAFETY: the results are written to variables of their types; buffers have the points that FFTW asks for.
        let (plan, _theirs) = unsafe {
            let points = (fftw.size)(n.len() as c_int, n.as_ptr(), fftw.world, a, b, c, d);
            let mut buffers = [ones(points as usize), ones(points as usize)];
            let [from, to] = &mut buffers;
            let plan = (fftw.plan)(
                n.len() as c_int,
                n.as_ptr(),
                from.as_mut_ptr(),
                to.as_mut_ptr(),
                fftw.world,
                -1,
                TRANSPOSED_OUT,
            );
            (plan, buffers)
        };
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..=RUNS {
            group.agree(&[]).map_err(words)?;
            let since = Instant::now();
            fft.process(&input, &mut output).map_err(words)?;
            times[0].push(since.elapsed().as_secs_f64());
            group.agree(&[]).map_err(words)?;
            let since = Instant::now();
            // SAFETY: the plan's buffers are there.
            unsafe { (fftw.execute)(plan) };
            group.agree(&[]).map_err(words)?;
            times[1].push(since.elapsed().as_secs_f64());
            let since = Instant::now();
            packed.process(&input, &mut output).map_err(words)?;
            times[2].push(since.elapsed().as_secs_f64());
        }
        // SAFETY: nothing uses the plan any more.
        unsafe { (fftw.destroy)(plan) };
        let [ours, theirs, packed] = times.map(|mut times| 1e3 * median(times.split_off(1)));
        product *= theirs / ours;
        if first {
            let ratio = theirs / ours;
            println!(
                "{:>12} {ours:9.3} {theirs:9.3} {ratio:6.2}   by messages {packed:9.3}",
                name(&shape)
            );
        }
    }
    if first {
        println!("geometric mean {:.2}", product.powf(0.25));
    }
    Ok(())
}
