//! `mmafft plan`: how a transform would be computed.

use super::request::{kinds, precisions, range, shape, Common};
use super::Failure;
use clap::Args;
use mmafft::{Kind, Precision, Shape};
use std::ops::Range;

/// Arguments of `mmafft plan`.
#[derive(Args)]
pub struct Arguments {
    /// Lengths such as 1024x768; of the real array for r2c and c2r
    #[arg(value_parser = shape)]
    shape: Shape,
    /// How many arrays
    #[arg(long, default_value_t = 1)]
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
    #[arg(long, value_parser = range)]
    nonzero: Vec<(usize, Range<usize>)>,
    /// Only a range of an output axis is wanted, such as 1:0..8
    #[arg(long, value_parser = range)]
    wanted: Vec<(usize, Range<usize>)>,
    #[command(flatten)]
    common: Common,
}

/// Prints the plan.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let planner = arguments.common.planner()?;
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
    print!("{}", planner.plan(&request)?.explain());
    Ok(())
}
