//! `mmafft bench`: how fast transforms run beside a copy of the same bytes.
//!
//! `mmafft-lab bench` times another library too, which does the same work in the same process, on the same memory and
//! stream.

pub mod cases;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(any(feature = "cuda", feature = "hip"))]
pub mod device;
#[cfg(feature = "hip")]
pub mod hip;
pub mod host;
pub mod lab;
pub mod lists;
pub mod measure;
pub mod output;
pub mod ready;
mod source;
pub mod summary;

use super::progress::Progress;
use super::ranks::Ranks;
use super::request::{count, kinds, precisions, shape, Common};
use super::rows::{Row, GRAPH};
use super::{files, Failure};
use cases::Case;
use clap::Args;
use lab::{Lab, Work};
use mmafft::{AnyBackend, Backend as _, Effort, Kind, Planner, Precision, Request, Shape};
use output::Output;
use ready::Ready;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `mmafft bench`.
#[derive(Args)]
pub struct Arguments {
    /// Shapes such as 1024 or 512x512 [default: a list of powers of two, mixed lengths, primes,
    /// 2-D, 3-D, real transforms and single small ones]
    #[arg(value_parser = shape)]
    shapes: Vec<Shape>,
    /// How points are stored and computed: of a list only these [default: all; of the default list
    /// on the cpu f32 and f64; f32 for shapes]
    #[arg(long, value_delimiter = ',', value_parser = precisions())]
    precision: Option<Vec<Precision>>,
    /// What becomes what: of a list only this [default: all; c2c for shapes]
    #[arg(long, value_parser = kinds())]
    kind: Option<Kind>,
    /// Arrays a case [default: as many as fill --mebibytes]
    #[arg(long, value_parser = count)]
    batch: Option<usize>,
    /// Bytes of data a case, where no batch is given [default: 1024 on a GPU, 64 on the cpu]
    #[arg(long, value_parser = count)]
    mebibytes: Option<usize>,
    /// From one buffer to another also where one would do: c2c runs in place by default
    #[arg(long)]
    out_of_place: bool,
    /// Repetitions that are timed, after two that are not
    #[arg(long, default_value = "9", value_parser = count)]
    runs: usize,
    /// Three repetitions
    #[arg(long, conflicts_with = "runs")]
    quick: bool,
    /// Also write the rows to a file, each as it comes
    #[arg(long)]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub ranks: Ranks,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    /// The shapes, or the default list of a backend.
    pub fn list(&self, backend: &str) -> Vec<Case> {
        if !self.shapes.is_empty() {
            return self.of_shapes();
        }
        let mut list = cases::default_list(self.bytes(backend));
        // It launches nothing, and what it is compared with has no 16 bits.
        if backend == "cpu" {
            let wide = [Precision::F32, Precision::F64];
            let wanted = self.precision.as_deref().unwrap_or(&wide);
            list.retain(|c| c.class != GRAPH && wanted.contains(&c.precision));
        }
        list
    }

    /// What is timed of a list, cases with the same scalars in memory together.
    fn chosen(&self, mut list: Vec<Case>) -> Result<Vec<Case>, Failure> {
        if let Some(precisions) = &self.precision {
            list.retain(|case| precisions.contains(&case.precision));
        }
        list.retain(|case| self.kind.is_none_or(|kind| kind == case.kind));
        for case in &mut list {
            case.batch = self.batch.or(case.batch);
        }
        if list.is_empty() {
            return Err("no cases are left: choose another --precision or --kind".into());
        }
        // What inputs are copied from is made once for all of one kind of scalar.
        list.sort_by_key(|case| case.precision.row().storage.name());
        Ok(list)
    }

    fn of_shapes(&self) -> Vec<Case> {
        let precisions = self.precision.as_deref().unwrap_or(&[Precision::F32]);
        let case = |&precision: &Precision, shape: &Shape| Case {
            class: "shapes".into(),
            kind: self.kind.unwrap_or(Kind::C2C),
            precision,
            shape: shape.clone(),
            batch: None,
            nonzero: None,
        };
        let all = precisions.iter();
        all.flat_map(|p| self.shapes.iter().map(move |shape| case(p, shape)))
            .collect()
    }

    /// Bytes of a case.
    fn bytes(&self, backend: &str) -> usize {
        let default = match backend {
            "cpu" => 64,
            // For tests: slow.
            name if name.starts_with("emulated") => 1,
            _ => 1024,
        };
        self.mebibytes.unwrap_or(default).saturating_mul(1 << 20)
    }

    /// The request of a case, of as many arrays as fill so many bytes.
    fn request(&self, case: &Case, bytes: usize) -> Result<Request, String> {
        let batch = cases::batch(case, bytes);
        let (kind, shape) = (case.kind, case.shape.clone());
        let request = self
            .common
            .unscaled_request(&[kind], shape, case.precision)?;
        let parts = case.nonzero.iter().flat_map(|part| part.dims());
        let axes = parts.enumerate();
        let request = axes.fold(request, |r, (axis, &n)| r.nonzero_input(axis, 0..n));
        Ok(request.batch(batch))
    }

    /// Times a list over ranks.
    ///
    /// # Errors
    /// What is wrong with a request, or that there are no ranks.
    pub fn over_ranks(&self, backend: &AnyBackend, list: Vec<Case>) -> Result<(), Failure> {
        let list = self.chosen(list)?;
        let bytes = self.bytes(backend.limits().backend);
        let requests = list.iter().map(|case| self.request(case, bytes));
        let requests: Vec<Request> = requests.collect::<Result<_, String>>()?;
        let csv = self.csv.as_deref();
        self.ranks.bench(backend, &requests, self.runs(), csv)
    }

    fn runs(&self) -> usize {
        if self.quick {
            3
        } else {
            self.runs
        }
    }
}

/// Times every case.
///
/// # Errors
/// What is wrong with the arguments, or that nothing could be timed.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check(None, &arguments.csv)?;
    let backend = arguments.common.backend()?;
    let list = arguments.list(backend.limits().backend);
    if arguments.ranks.ranks.is_some() {
        return arguments.over_ranks(&backend, list);
    }
    let planner = arguments.common.planner_on(backend.clone());
    match backend {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(backend) => run_in(
            &cuda::lab::<device::NoPeer>(backend)?,
            &planner,
            arguments,
            list,
        ),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(backend) => run_in(
            &hip::lab::<device::NoPeer>(backend)?,
            &planner,
            arguments,
            list,
        ),
        backend => run_in(
            &host::HostLab::new(backend, None),
            &planner,
            arguments,
            list,
        ),
    }
}

/// Times what is chosen of a list in a lab, and writes rows as they come.
///
/// # Errors
/// That nothing is left of the list, or that nothing could be timed.
pub fn run_in<L: Lab>(
    lab: &L,
    planner: &Planner,
    arguments: &Arguments,
    list: Vec<Case>,
) -> Result<(), Failure> {
    let list = arguments.chosen(list)?;
    let bytes = arguments.bytes(lab.backend().limits().backend);
    let mut output = Output::new(arguments.csv.as_deref())?;
    output.head(&about(lab), arguments.runs());
    let progress = Progress::new(list.len() as u64);
    let mut source = source::Source::default();
    // Compiling takes longer than running, and would disturb it: first some are compiled on all
    // cores, then they are timed.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let request = |case: &Case| arguments.request(case, bytes);
    let measured = |case: &Case| {
        progress.doing(&format!("measuring {}", case.shape));
        let begin = Instant::now();
        // What is wrong is said when it is prepared.
        let _ = request(case).map(|request| planner.plan(&request));
        begin.elapsed().as_secs_f64()
    };
    for chunk in list.chunks(2 * workers) {
        // What is measured is measured with nothing beside it.
        let measured: Vec<f64> = match arguments.common.effort {
            Effort::Estimate => vec![0.0; chunk.len()],
            _ => chunk.iter().map(measured).collect(),
        };
        progress.doing("compiling");
        let prepared = ready::all(lab, planner, chunk, workers, request);
        for ((case, ready), measured) in chunk.iter().zip(prepared).zip(measured) {
            progress.doing(&format!("{} {}", case.shape, case.precision.row().name));
            let mut row = about(lab);
            row.class.clone_from(&case.class);
            row.kind = case.kind.row().name.into();
            row.precision = case.precision.row().name.into();
            row.shape = case.shape.to_string();
            row.batch = cases::batch(case, bytes);
            row.nonzero = case.nonzero.as_ref().map(Shape::to_string);
            row.runs = arguments.runs();
            let timed = ready.and_then(|mut ready| {
                ready.seconds += measured;
                let timed = time(lab, &ready, &mut source, arguments, &mut row);
                timed.map_err(|error| one_line(&error))
            });
            if let Err(error) = timed {
                row.failure = error;
            }
            output.row(row)?;
            progress.step();
        }
    }
    drop(progress);
    output.finish()
}

/// An error's words; a compiler's are many lines.
fn one_line(error: &mmafft::Error) -> String {
    let words = error.to_string();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The columns that all rows share.
fn about<L: Lab>(lab: &L) -> Row {
    let limits = lab.backend().limits();
    Row {
        device: limits.device.clone(),
        driver: lab.driver(),
        backend: limits.backend.into(),
        peer: lab.peer().into(),
        ..Row::default()
    }
}

/// Fills in what one case measures. Figures stay empty where the results disagree; the peer's
/// alone do where it has no such transform.
fn time<L: Lab>(
    lab: &L,
    ready: &Ready<L>,
    source: &mut source::Source<L>,
    arguments: &Arguments,
    row: &mut Row,
) -> mmafft::Result<()> {
    let request = &ready.plan.request;
    let scalar = request.precision.row().storage;
    let (input, output) = ready.bytes();
    // Of the other kind with --inverse.
    row.kind = request.kind.row().name.into();
    row.bytes = input + output;
    row.together = measure::together(lab, input);
    let in_place = request.kind == Kind::C2C && !arguments.out_of_place && row.together == 1;
    row.placement = if in_place { "in place" } else { "out of place" }.into();
    output::describe(&ready.plan, row);
    row.plan_ms = output::rounded(ready.seconds * 1e3);
    let from = source.filled(lab, ready)?;
    let mut setup = measure::Setup::new(lab, &ready.prepared, from, (input, output), in_place)?;
    if !lab.peer().is_empty() {
        if let Err(error) = setup.with_peer(&Work::of(request, in_place)) {
            row.failure = one_line(&error);
        }
    }
    let graph = row.class == GRAPH;
    let samples = setup.time(arguments.runs(), row.together, graph)?;
    let difference = setup.difference(scalar)?;
    // Two uses of one library may not differ at all.
    let exact = |d: f64| output::rounded(d).unwrap_or(d);
    row.difference = difference.filter(|d| d.is_finite()).map(exact);
    let bound = ready.plan.error_bound;
    match difference.filter(|&d| !measure::agrees(d, bound)) {
        Some(difference) => {
            row.failure = format!(
                "ours and {} differ by {difference:.1e} (relative L2; our bound is {bound:.1e})",
                lab.peer()
            );
        }
        None => output::figures(&samples, input, lab.copies_are_a_ruler(), row),
    }
    Ok(())
}
