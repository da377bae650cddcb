//! Ranks that are processes, joined by MPI: this program, started by `mpiexec`, beside one rank. It needs an MPI, and is
//! ignored where there is none.

use mmafft::ranks::{Group, Spread};
use mmafft::{
    AnyBackend, Complex, CpuBackend, CpuOptions, Error, Kind, Planner, Precision, Request, Shape,
};
use mmafft_testing::skip;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Set in the processes that `mpiexec` starts: what they do.
const TASK: &str = "MMAFFT_MPI_TASK";

fn main() -> ExitCode {
    if let Ok(task) = std::env::var(TASK) {
        return match as_rank(&task) {
            Ok(()) => ExitCode::SUCCESS,
            Err(what) => {
                eprintln!("{task}: {what}");
                ExitCode::FAILURE
            }
        };
    }
    mmafft_testing::run(mmafft_testing::tests![
        two_ranks,
        four_ranks,
        two_ranks_by_messages,
        three_ranks_of_devices,
        two_ranks_of_another_mpi,
        a_rank_that_is_lost,
        no_mpi,
    ])
}

/// A launcher, and the library of its MPI where the system does not know it.
fn launchers() -> Vec<(String, Option<String>)> {
    let mut all = Vec::new();
    // PyPI's mpich lies in the folder of its environment.
    if let Ok(folder) = std::env::var("MMAFFT_MPICH") {
        let library = format!("{folder}/lib/libmpi_abi.so.1");
        all.push((format!("{folder}/bin/mpiexec"), Some(library)));
    }
    all.push(("mpiexec".into(), None));
    all.retain(|(launcher, _)| {
        let version = Command::new(launcher).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    all
}

/// Runs this program as so many ranks; the time that it took.
fn launch((launcher, library): &(String, Option<String>), ranks: usize, task: &str) -> Duration {
    let program = std::env::current_exe().expect("this program's path");
    let since = Instant::now();
    let mut command = Command::new(launcher);
    command.args(["-n", &ranks.to_string()]);
    if library.is_none() {
        // Open MPI starts no more ranks than cores, and none for root, unless it is told.
        command
            .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // Containers often let no process read another's memory.
            .env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    }
    if let Some(library) = library {
        command.env("MMAFFT_MPI", library);
    }
    let output = command.arg(program).env(TASK, task).output();
    let output = output.expect("a launcher that has said its version");
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (words(&output.stdout), words(&output.stderr));
    // What ends without MPI's end, as a rank does that has lost another, no launcher takes for a success.
    let success = output.status.success() || task == "lost";
    assert!(success, "{launcher}: {out}{err}");
    assert!(out.contains("all is well"), "{launcher}: {out}{err}");
    since.elapsed()
}

fn first() -> (String, Option<String>) {
    match launchers().into_iter().next() {
        Some(launcher) => launcher,
        None => skip("needs an MPI: mpiexec is not in the path"),
    }
}

fn two_ranks() {
    launch(&first(), 2, "transforms");
}

fn four_ranks() {
    launch(&first(), 4, "transforms");
}

fn two_ranks_by_messages() {
    launch(&first(), 2, "messages");
}

/// Messages in the memory of devices, which are emulated: every MPI takes it.
fn three_ranks_of_devices() {
    match backend("devices") {
        Ok(_) => launch(&first(), 3, "devices"),
        Err(_) => skip("needs the feature `emulate`"),
    };
}

/// The standard ABI of MPI 5 and Open MPI's, where both are there.
fn two_ranks_of_another_mpi() {
    match launchers().get(1) {
        Some(other) => launch(other, 2, "transforms"),
        None => skip("needs a second MPI: MMAFFT_MPICH names no folder of PyPI's mpich"),
    };
}

/// A rank that ends between stages is an error on the other, at its deadline.
fn a_rank_that_is_lost() {
    let took = launch(&first(), 2, "lost");
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// Without a library there is an error that says what to do.
fn no_mpi() {
    let program = std::env::current_exe().expect("this program's path");
    let mut command = Command::new(program);
    command.env(TASK, "none").env("MMAFFT_MPI", "/nowhere.so");
    let output = command.output().expect("this program");
    assert!(output.status.success(), "{output:?}");
}

/// What a rank's task runs on.
fn backend(task: &str) -> Result<AnyBackend, Error> {
    match task {
        "devices" => AnyBackend::from_name("emulated-nvidia"),
        _ => Ok(AnyBackend::Cpu(CpuBackend::new(CpuOptions {
            threads: 1,
            ..CpuOptions::default()
        }))),
    }
}

fn planner() -> Planner {
    let task = std::env::var(TASK).unwrap_or_default();
    Planner::on(backend(&task).expect("it is built"))
}

/// What each process does.
fn as_rank(task: &str) -> Result<(), String> {
    let words = |error: Error| error.to_string();
    let group = match (Group::mpi(), task) {
        (Err(Error::NoEngine { .. }), "none") => return Ok(()),
        (group, _) => group.map_err(words)?,
    };
    let group = group.patience(Duration::from_secs(20));
    let group = match task {
        "messages" | "devices" => group.by_messages(),
        _ => group,
    };
    if task == "lost" {
        return lost(&group.patience(Duration::from_secs(2)));
    }
    if task == "devices" {
        let words = |error: Error| error.to_string();
        let planner = planner();
        let fft = planner
            .over(&group)
            .build(&Request::forward(Shape::d2(9, 8)));
        let text = fft.map_err(words)?.explain();
        if !text.contains("sent from device to device") {
            return Err(text);
        }
    }
    let slab = Spread::slab(0);
    for (request, same) in [
        (Request::forward(Shape::d3(16, 12, 10)), false),
        (Request::forward(Shape::d3(7, 5, 3)), true),
        (Request::r2c(Shape::d2(9, 14)), false),
        (Request::forward(Shape::d1(120)), false),
        // Of three ranks one has none of it, and no message for it.
        (Request::forward(Shape::d2(2, 9)), false),
    ] {
        let request = request.precision(Precision::F64);
        check(&request, &group, same.then_some(&slab))?;
    }
    check_other_shape(&group)?;
    if group.rank() == 0 {
        println!("all is well with {}", group.station().engine);
    }
    Ok(())
}

/// One transform beside one rank's.
fn check(request: &Request, group: &Group, output: Option<&Spread>) -> Result<(), String> {
    let words = |error: Error| format!("{request:?}: {error}");
    let planner = planner();
    let mut over = planner.over(group);
    if let Some(spread) = output {
        over = over.output(spread.clone());
    }
    let fft = over.build(request).map_err(words)?;
    let one = planner.build(request).map_err(words)?;
    let number = |i: usize| ((i * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
    let part = fft.plan().output_part(group.rank());
    let places = elements(&part, request);
    let mut alone = vec![Complex::new(0.0f64, 0.0); one.output_len()];
    let mut got = vec![Complex::new(0.0f64, 0.0); fft.output_len()];
    let own = elements(
        &fft.plan().input_part(group.rank()),
        &request.clone().inverse(),
    );
    if request.kind == Kind::R2C {
        let whole: Vec<f64> = (0..one.input_len()).map(number).collect();
        one.process(&whole, &mut alone).map_err(words)?;
        let own: Vec<f64> = own.iter().map(|&i| whole[i]).collect();
        fft.process(&own, &mut got).map_err(words)?;
    } else {
        let point = |i| Complex::new(number(i), number(i + 500));
        let whole: Vec<Complex<f64>> = (0..one.input_len()).map(point).collect();
        one.process(&whole, &mut alone).map_err(words)?;
        let own: Vec<Complex<f64>> = own.iter().map(|&i| whole[i]).collect();
        fft.process(&own, &mut got).map_err(words)?;
    }
    let norm = alone.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let wanted = places.iter().map(|&i| alone[i]);
    let error = got.iter().zip(wanted).map(|(a, b)| (a - b).norm_sqr());
    let error = error.sum::<f64>().sqrt();
    match error <= 1e-14 * norm {
        true => Ok(()),
        false => Err(format!("{request:?}: an error of {:.1e}", error / norm)),
    }
}

/// The numbers of a part's points in the whole output.
fn elements(part: &mmafft::ranks::Part, request: &Request) -> Vec<usize> {
    let mut lengths = request.shape.dims().to_vec();
    if request.kind == Kind::R2C {
        let last = lengths.len() - 1;
        lengths[last] = lengths[last] / 2 + 1;
    }
    let mut all = vec![0];
    for (range, n) in part.ranges().iter().zip(lengths) {
        let along = |row: usize| range.clone().map(move |i| row * n + i);
        all = all.into_iter().flat_map(along).collect();
    }
    all
}

/// Ranks that ask for different things get an error, all of them.
fn check_other_shape(group: &Group) -> Result<(), String> {
    let request = Request::forward(Shape::d2(8, 8 + group.rank()));
    match planner().over(group).build(&request) {
        Err(Error::Disagree { .. }) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn lost(group: &Group) -> Result<(), String> {
    let planner = planner();
    let fft = planner
        .over(group)
        .build(&Request::forward(Shape::d2(8, 8)));
    let fft = fft.map_err(|error| error.to_string())?;
    if group.rank() == 1 {
        // Long enough that the other has given up; it ends neither MPI nor the process before.
        std::thread::sleep(Duration::from_secs(5));
        std::process::exit(0);
    }
    let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
    let mut output = vec![Complex::new(0.0f32, 0.0); fft.output_len()];
    match fft.process(&input, &mut output) {
        Err(Error::Lost { .. }) => {
            println!("all is well");
            std::process::exit(0);
        }
        other => Err(format!("{other:?}")),
    }
}
