//! The lab: ours beside other libraries, what they are timed on, and how good the planner's price is.
//!
//! `mmafft-lab bench --peer cufft` times, `report` shows, `price` times tiles, `plan --device` predicts.

pub mod bench;
pub mod peers;
pub mod plan;
pub mod predict;
pub mod price;
pub mod report;
pub mod rows;

use clap::{Parser, Subcommand};
use mmafft_cli::Failure;

/// Experiments with mmafft: other libraries beside it, reports, the planner's price.
#[derive(Parser)]
#[command(name = "mmafft-lab", version, about)]
struct Lab {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time transforms beside a memory copy and another library.
    Bench(bench::Arguments),
    /// Make a page of what was timed.
    Report(report::Arguments),
    /// Time tiles, to see how well the planner's price ranks them.
    Price(price::Arguments),
    /// Print how a transform would be computed on a device that is not here.
    Plan(plan::Arguments),
}

/// Runs the command that the arguments name.
///
/// # Errors
/// What the command could not do.
pub fn run() -> Result<(), Failure> {
    let Lab { command } = mmafft_cli::arguments();
    match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Price(arguments) => price::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
    }
}
