//! `mmafft plan`: how a transform would be computed.

use super::ranks::Ranks;
use super::request::{count, kinds, precisions, range, shape, Common};
use super::Failure;
use clap::Args;
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
    #[command(flatten)]
    ranks: Ranks,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    /// What is to be planned.
    ///
    /// # Errors
    /// One sentence with the argument that is wrong.
    pub fn request(&self) -> Result<Request, String> {
        let shape = self.shape.clone();
        let mut request = self
            .common
            .request(&self.kind, shape, self.precision)?
            .batch(self.batch);
        if self.in_place {
            request = request.in_place();
        }
        request.nonzero_input.clone_from(&self.nonzero);
        request.wanted_output.clone_from(&self.wanted);
        Ok(request)
    }
}

/// Points of an array up to which a plan is prepared to be printed: tables of more take memory.
const PREPARED: usize = 1 << 22;

/// Prints the plan.
///
/// # Errors
/// What is wrong with the request.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.request()?;
    if arguments.ranks.ranks.is_some() {
        let backend = arguments.common.backend()?;
        out!("{}", arguments.ranks.explain(&backend, &request)?);
        return Ok(());
    }
    let planner = arguments.common.planner()?;
    let plan = planner.plan(&request)?;
    // What the CPU's threads work in is known when a plan is prepared, and kernels of others take time to compile.
    let short = request
        .shape
        .points()
        .is_ok_and(|points| points <= PREPARED);
    let prepared = match planner.limits().geometry {
        None if short => Some(planner.build(&request)?),
        _ => None,
    };
    let words = prepared.map_or_else(|| plan.explain(), |fft| fft.explain());
    out!("{words}");
    Ok(())
}
