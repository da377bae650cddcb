//! `mmafft measure`: the fastest plans of shapes on this device, found by timing them, and kept.

use super::bench::cases::{self, Case};
use super::bench::lists;
use super::progress::Progress;
use super::request::{backends, count, efforts, kinds, precisions, shape};
use super::{files, Failure};
use clap::Args;
use mmafft::{AnyBackend, Effort, Kind, Plan, Planner, Precision, Request, Shape};
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `mmafft measure`.
#[derive(Args)]
pub struct Arguments {
    /// Shapes such as 1024 or 512x512
    #[arg(value_parser = shape, required_unless_present_any = ["cases", "import"])]
    shapes: Vec<Shape>,
    /// More of them from a CSV file with the header class,kind,precision,shape,batch (batch may be left out)
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// How points of the shapes are stored and computed
    #[arg(long, value_delimiter = ',', default_value = "f32", value_parser = precisions())]
    precision: Vec<Precision>,
    /// What becomes what, of the shapes
    #[arg(long, default_value = "c2c", value_parser = kinds())]
    kind: Kind,
    /// Arrays a shape [default: as many as fill 64 MiB, on a GPU 1 GiB]
    #[arg(long, value_parser = count)]
    batch: Option<usize>,
    /// In one buffer
    #[arg(long)]
    in_place: bool,
    /// How much is tried: tiles (measure), or other passes and factors too (patient)
    #[arg(long, default_value = "measure", value_parser = efforts())]
    effort: Effort,
    /// Take what such a device has measured, from a file that --export wrote, first
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,
    /// Write all that was measured on this device to a file
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Where to run
    #[arg(long, default_value = "auto", value_parser = backends())]
    backend: String,
}

impl Arguments {
    /// What is measured, of so many bytes where no batch is given.
    fn requests(&self, bytes: usize) -> Result<Vec<Request>, Failure> {
        let mut all = Vec::new();
        for &precision in &self.precision {
            all.extend(self.shapes.iter().map(|shape| Case {
                class: "shapes".into(),
                kind: self.kind,
                precision,
                shape: shape.clone(),
                batch: None,
                nonzero: None,
            }));
        }
        if let Some(path) = &self.cases {
            all.extend(lists::from_file(path)?);
        }
        let request = |case: &Case| {
            let batch = self.batch.unwrap_or_else(|| cases::batch(case, bytes));
            let request = Request::of_kind(case.kind, case.shape.clone());
            let request = request.precision(case.precision).batch(batch);
            match self.in_place {
                true => request.in_place(),
                false => request,
            }
        };
        Ok(all.iter().map(request).collect())
    }
}

/// Measures every request.
///
/// # Errors
/// What is wrong with the arguments, or with a request.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check(
        [&arguments.cases, &arguments.import].into_iter().flatten(),
        &arguments.export,
    )?;
    let planner = Planner::on(AnyBackend::from_name(&arguments.backend)?);
    if let Some(path) = &arguments.import {
        let taken = planner.import_wisdom(&std::fs::read_to_string(path)?)?;
        outln!("{taken} choices of this device and these kernels imported");
    }
    let bytes = match planner.limits().backend {
        "cpu" => 64 << 20,
        name if name.starts_with("emulated") => 1 << 20,
        _ => 1 << 30,
    };
    let requests = arguments.requests(bytes)?;
    let progress = Progress::new(requests.len() as u64);
    for request in &requests {
        progress.doing(&request.shape.to_string());
        let begin = Instant::now();
        let plan = planner.plan(&request.clone().effort(arguments.effort))?;
        let (took, what) = (begin.elapsed().as_secs_f64(), named(&plan));
        let reasons: Vec<&str> = plan.passes.iter().map(|pass| &pass.reason[..]).collect();
        outln!("{what}: {took:.1} s; {}", reasons.join("; "));
        progress.step();
    }
    if let Some(path) = &arguments.export {
        std::fs::write(path, planner.export_wisdom())?;
    }
    Ok(())
}

/// What a plan is of, in a few words.
fn named(plan: &Plan) -> String {
    let request = &plan.request;
    let (precision, kind) = (request.precision.row().name, request.kind.row().name);
    let passes = match plan.passes.len() {
        1 => "1 pass".into(),
        n => format!("{n} passes"),
    };
    let (shape, batch) = (&request.shape, request.batch);
    format!("{precision} {kind} of {shape}, batch {batch}, {passes}")
}
