//! The lab: ours beside other libraries, what they are timed on, and the measuring of the planner's rules.
//!
//! `mmafft-lab bench --peer cufft` times, `report` shows, `tune` measures rules, `plan --device` predicts.

pub mod bench;
pub mod peers;
pub mod plan;
pub mod predict;
pub mod report;
pub mod rows;
pub mod tune;

use clap::{Parser, Subcommand};
use mmafft_cli::Failure;

/// Experiments with mmafft: other libraries beside it, reports, rules for the planner.
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
    /// Make a page, or Markdown tables, of what was timed.
    Report(report::Arguments),
    /// Measure which radices, tiles and launches are the fastest, for the planner's rules.
    Tune(tune::Arguments),
    /// Print how a transform would be computed on a device that is not here.
    Plan(plan::Arguments),
}

/// Runs the command that the arguments name.
///
/// # Errors
/// What the command could not do.
pub fn run() -> Result<(), Failure> {
    let Lab { command } = mmafft_cli::arguments();
    mmafft_cli::check_rules();
    match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
    }
}
