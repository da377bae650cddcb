//! `mmafft bench`: how fast transforms run beside a copy of the same bytes, and beside another
//! library that does the same work in the same process, on the same memory and stream.

pub mod cases;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(any(feature = "cuda", feature = "hip"))]
mod device;
#[cfg(feature = "hip")]
pub mod hip;
mod host;
pub mod lab;
mod measure;
mod output;
mod peer;
pub mod ready;
mod source;

use super::excerpt::excerpt;
use super::progress::Progress;
use super::request::{count, kinds, precisions, shape, Common};
use super::rows::{Row, GRAPH};
use super::{files, Failure};
use cases::Case;
use clap::Args;
use lab::{Lab, Work};
use mmafft::{Backend as _, Kind, Normalization, Precision, Shape};
use output::Output;
use peer::{peers, Peer, PEERS};
use ready::Ready;
use std::path::PathBuf;

/// Arguments of `mmafft bench`.
#[derive(Args)]
pub struct Arguments {
    /// Shapes such as 1024 or 512x512 [default: a list of powers of two, mixed lengths, primes,
    /// 2-D, 3-D, real transforms and single small ones]
    #[arg(value_parser = shape)]
    shapes: Vec<Shape>,
    /// A list from a CSV file with the header class,kind,precision,shape,batch (batch may be left
    /// out); the class `graph` is launched through a graph
    #[arg(long, conflicts_with = "shapes", value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Only these classes of the list
    #[arg(long, value_delimiter = ',', conflicts_with = "shapes")]
    class: Option<Vec<String>>,
    /// How points are stored and computed: of the list only these [default: all of a file; on a
    /// GPU all; f32 and f64 on the cpu; f32 for shapes]
    #[arg(long, value_delimiter = ',', value_parser = precisions())]
    precision: Option<Vec<Precision>>,
    /// What becomes what: of the list only this [default: all; c2c for shapes]
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
    /// A library to time beside ours
    #[arg(long, default_value = peer::NONE, value_parser = peers())]
    peer: String,
    /// Repetitions that are timed, after two that are not
    #[arg(long, default_value = "9", value_parser = count)]
    runs: usize,
    /// Three repetitions
    #[arg(long, conflicts_with = "runs")]
    quick: bool,
    /// Also write the rows to a file, each as it comes
    #[arg(long)]
    csv: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    /// What is timed on a backend, cases with the same scalars in memory together.
    fn list(&self, backend: &str) -> Result<Vec<Case>, Failure> {
        let mut list = match (&self.cases, self.shapes.is_empty()) {
            (Some(path), _) => cases::from_file(path)?,
            (None, false) => self.of_shapes(),
            (None, true) => {
                let mut list = cases::default_list(self.bytes(backend));
                // It launches nothing, and its peers have no 16 bits.
                if backend == "cpu" {
                    let wide = [Precision::F32, Precision::F64];
                    let wanted = self.precision.as_deref().unwrap_or(&wide);
                    list.retain(|c| c.class != GRAPH && wanted.contains(&c.precision));
                }
                list
            }
        };
        if let Some(classes) = &self.class {
            if let Some(none) = classes.iter().find(|c| list.iter().all(|l| l.class != **c)) {
                let mut names: Vec<String> = list.iter().map(|c| excerpt(&c.class)).collect();
                names.dedup();
                let (none, names) = (excerpt(none), names.join(", "));
                return Err(format!("no class '{none}' here: use {names}").into());
            }
            list.retain(|case| classes.contains(&case.class));
        }
        if let Some(precisions) = &self.precision {
            list.retain(|case| precisions.contains(&case.precision));
        }
        list.retain(|case| self.kind.is_none_or(|kind| kind == case.kind));
        for case in &mut list {
            case.batch = self.batch.or(case.batch);
        }
        if list.is_empty() {
            return Err("no cases are left: choose another --class, --kind or --precision".into());
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
            fraction: None,
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

    /// The peer, if one is asked for.
    fn peer(&self) -> Option<&'static Peer> {
        PEERS.iter().find(|peer| peer.name == self.peer)
    }

    fn runs(&self) -> usize {
        if self.quick {
            3
        } else {
            self.runs
        }
    }

    /// Whether the build has the peer, and it is asked for nothing that it does not do: it
    /// transforms all axes and scales nothing.
    fn check_peer(&self) -> Result<(), Failure> {
        let Some(peer) = self.peer() else {
            return Ok(());
        };
        if self.common.axes.is_some()
            || self
                .common
                .norm
                .is_some_and(|norm| norm != Normalization::None)
        {
            return Err("--peer goes with neither --axes nor --norm".into());
        }
        Ok(peer.check_built()?)
    }
}

/// Times every case.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check_peer()?;
    files::check(&arguments.cases, &arguments.csv)?;
    let mut common = arguments.common.clone();
    if let (Some(peer), "auto") = (arguments.peer(), common.backend.as_str()) {
        common.backend = peer.backend.into();
    }
    let backend = common.backend()?;
    if let Some(peer) = arguments.peer() {
        peer.check(backend.limits().backend)?;
    }
    match backend {
        #[cfg(feature = "cuda")]
        mmafft::AnyBackend::Cuda(backend) => {
            run_in(&cuda::lab(backend, arguments.peer())?, arguments)
        }
        #[cfg(feature = "hip")]
        mmafft::AnyBackend::Hip(backend) => {
            run_in(&hip::lab(backend, arguments.peer())?, arguments)
        }
        backend => run_in(&host::HostLab::new(backend, arguments.peer())?, arguments),
    }
}

/// Times every case in a lab, and writes rows as they come.
fn run_in<L: Lab>(lab: &L, arguments: &Arguments) -> Result<(), Failure> {
    let limits = lab.backend().limits();
    let (list, bytes) = (
        arguments.list(limits.backend)?,
        arguments.bytes(limits.backend),
    );
    let mut output = Output::new(arguments.csv.as_deref())?;
    output.head(&about(lab), arguments.runs());
    let progress = Progress::new(list.len() as u64);
    let mut source = source::Source::default();
    // Compiling takes longer than running, and would disturb it: first some are compiled on all
    // cores, then they are timed.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    for chunk in list.chunks(2 * workers) {
        progress.doing("compiling");
        let prepared = ready::all(lab, chunk, workers, |case| {
            let batch = cases::batch(case, bytes);
            let (kind, shape) = (case.kind, case.shape.clone());
            let request = arguments
                .common
                .unscaled_request(&[kind], shape, case.precision)?;
            let parts = case.nonzero.iter().flat_map(|part| part.dims());
            let axes = parts.enumerate();
            let request = axes.fold(request, |r, (axis, &n)| r.nonzero_input(axis, 0..n));
            Ok(request.batch(batch))
        });
        for (case, ready) in chunk.iter().zip(prepared) {
            progress.doing(&format!("{} {}", case.shape, case.precision.row().name));
            let mut row = about(lab);
            row.class.clone_from(&case.class);
            row.kind = case.kind.row().name.into();
            row.precision = case.precision.row().name.into();
            row.shape = case.shape.to_string();
            row.batch = cases::batch(case, bytes);
            row.nonzero = case.nonzero.as_ref().map(Shape::to_string);
            row.runs = arguments.runs();
            let timed = ready.and_then(|ready| {
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
