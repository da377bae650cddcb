//! The command line: one module a command.

#[macro_use]
pub mod out;

mod accuracy;
mod bench;
mod estimate;
mod excerpt;
mod files;
mod info;
pub mod memory;
mod npy;
mod plan;
mod plot;
mod points;
mod progress;
mod report;
mod request;
mod room;
mod rows;
mod spectrum;
mod text;
mod transform;
mod tune;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// An error as one clear line.
type Failure = Box<dyn std::error::Error>;

/// Fast Fourier transforms on CPUs, NVIDIA tensor cores and AMD matrix cores.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show backends, devices, their matrix products and limits, and what is missing.
    Info,
    /// Transform a NumPy array, and draw its spectrum.
    Transform(transform::Arguments),
    /// Print how a transform would be computed.
    Plan(plan::Arguments),
    /// Print the error tables of the papers beside ours.
    Accuracy(accuracy::Arguments),
    /// Time transforms beside a memory copy and another library.
    Bench(bench::Arguments),
    /// Measure which radices, tiles and launches are the fastest, for the planner's rules.
    Tune(tune::Arguments),
    /// Make a page, or Markdown tables, of what was timed.
    Report(report::Arguments),
}

/// The command that the arguments name; a wrong one ends the program.
fn command() -> Command {
    // Negative numbers are taken for values, which are refused for what they are; else they would be unknown flags.
    let mut program = Cli::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            let value = argument.get_action().takes_values();
            argument.allow_negative_numbers(value)
        })
    });
    match Cli::from_arg_matches(&program.get_matches_mut()) {
        Ok(cli) => cli.command,
        Err(error) => error.format(&mut program).exit(),
    }
}

/// Runs the command that the arguments name.
pub fn run() -> Result<(), Failure> {
    let command = command();
    if let Some(reason) = mmafft::rules::not_used() {
        out::say(format_args!("{reason}; the built-in rules are used"));
    }
    match command {
        Command::Info => info::run(),
        Command::Transform(arguments) => transform::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
    }
}
