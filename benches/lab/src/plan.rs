//! `mmafft-lab plan`: how a transform would be computed on a device that is not here.

use crate::predict::{sheets, Sheet};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use mmafft::Request;
use mmafft_cli::{out, outln, Failure};

/// Arguments of `mmafft-lab plan`: those of `mmafft plan`, and the device.
#[derive(Args)]
// Those that it flattens are the group of this name.
#[group(skip)]
pub struct Arguments {
    #[command(flatten)]
    plan: mmafft_cli::plan::Arguments,
    /// A device that is not here, by its architecture or name; with the speed to expect where a data sheet says enough
    #[arg(long, value_parser = devices(), ignore_case = true, conflicts_with_all = ["backend", "threads"])]
    device: &'static Sheet,
}

/// The names of devices that are not here.
pub fn devices() -> impl TypedValueParser<Value = &'static Sheet> {
    let mut names: Vec<&str> = sheets().map(|sheet| sheet.architecture).collect();
    names.dedup();
    names.extend(sheets().map(|sheet| sheet.short));
    PossibleValuesParser::new(names).try_map(|name| Sheet::of(&name))
}

/// Prints the plan.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    predicted(&arguments.plan.request()?, arguments.device)
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
