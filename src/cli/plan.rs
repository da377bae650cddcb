//! `mmafft plan`: how a transform would be computed.

use super::request::{count, kinds, precisions, range, shape, Common};
use super::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use mmafft::predict::{sheets, Sheet};
use mmafft::{Kind, Precision, Request, Shape};
use std::ops::Range;

/// Arguments of `mmafft plan`.
#[derive(Args)]
pub struct Arguments {
    /// Lengths such as 1024x768; of the real array for r2c and c2r
    #[arg(value_parser = shape)]
    shape: Shape,
    /// How many arrays
    #[arg(long, default_value = "1", value_parser = count)]
    batch: usize,
    /// What becomes what; of kinds from reals to reals also one for each axis, such as dct2,dst3
    #[arg(long, default_value = "c2c", value_parser = kinds(), value_delimiter = ',')]
    kind: Vec<Kind>,
    /// How points are stored and computed
    #[arg(long, default_value = "f32", value_parser = precisions())]
    precision: Precision,
    /// In one buffer
    #[arg(long)]
    in_place: bool,
    /// The input is zero outside of a range on an axis, such as 0:3..17
    #[arg(long, allow_hyphen_values = true, value_parser = range)]
    nonzero: Vec<(usize, Range<usize>)>,
    /// Only a range of an output axis is wanted, such as 1:0..8
    #[arg(long, allow_hyphen_values = true, value_parser = range)]
    wanted: Vec<(usize, Range<usize>)>,
    /// For a device that is not here, by its architecture or name, with the speed to expect where a data sheet says enough
    #[arg(long, value_parser = devices(), ignore_case = true, conflicts_with_all = ["backend", "threads"])]
    device: Option<&'static Sheet>,
    #[command(flatten)]
    common: Common,
}

fn devices() -> impl TypedValueParser<Value = &'static Sheet> {
    let mut names: Vec<&str> = sheets().map(|sheet| sheet.architecture).collect();
    names.dedup();
    names.extend(sheets().map(|sheet| sheet.short));
    PossibleValuesParser::new(names).try_map(|name| Sheet::of(&name))
}

/// Prints the plan.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let shape = arguments.shape.clone();
    let mut request = arguments
        .common
        .request(&arguments.kind, shape, arguments.precision)?
        .batch(arguments.batch);
    if arguments.in_place {
        request = request.in_place();
    }
    request.nonzero_input.clone_from(&arguments.nonzero);
    request.wanted_output.clone_from(&arguments.wanted);
    match arguments.device {
        Some(sheet) => predicted(&request, sheet),
        None => {
            let planner = arguments.common.planner()?;
            out!("{}", planner.plan(&request)?.explain());
            Ok(())
        }
    }
}

/// The plan for a device by its data sheet, and what to expect of it.
fn predicted(request: &Request, sheet: &Sheet) -> Result<(), Failure> {
    let (limits, geometry) = sheet.limits()?;
    let plan = mmafft::plan(request, &limits)?;
    out!("{}", plan.explain());
    if sheet.speed.is_none() {
        outln!(
            "no speed is predicted: there is no data sheet of {} with its rates here",
            sheet.name
        );
        return Ok(());
    }
    let prediction = sheet.predict(&plan, &geometry)?;
    outln!("predicted for {}, not measured:", sheet.name);
    for (i, pass) in prediction.passes.iter().enumerate() {
        let [memory, matrix, vector, shared, all] = [
            pass.memory,
            pass.matrix,
            pass.vector,
            pass.shared,
            pass.seconds(),
        ]
        .map(|seconds| 1e6 * seconds);
        outln!(
            "  pass {}: memory {memory:.2} us, matrix products {matrix:.2} us, other arithmetic \
             {vector:.2} us, shared memory {shared:.2} us; {} a compute unit: {all:.2} us",
            i + 1,
            match pass.resident {
                0 | 1 => "one block, one after another, on".into(),
                n => format!("{n} blocks, at once, on"),
            }
        );
    }
    outln!(
        "  predicted fraction of the speed of a copy: {:.2}",
        prediction.fraction()
    );
    Ok(())
}
