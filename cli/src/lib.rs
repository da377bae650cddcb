//! What the program `mmafft` is made of: one module a command.
//!
//! A library only so that `mmafft-lab`, which times ours beside other libraries, shares it: no name here is promised to stay.

#[macro_use]
pub mod out;

mod accuracy;
pub mod bench;
mod estimate;
pub mod excerpt;
pub mod files;
mod info;
mod measure;
pub mod memory;
pub mod npy;
pub mod plan;
pub mod plot;
mod points;
pub mod progress;
pub mod ranks;
pub mod request;
mod room;
pub mod rows;
mod spectrum;
pub mod text;
mod transform;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;
use std::thread::Builder;

/// An error as one clear line.
pub type Failure = Box<dyn std::error::Error>;

/// The stack that a program runs on, however small the system's limit is.
const STACK_BYTES: usize = 4 << 20;

/// Fast Fourier transforms on CPUs, NVIDIA tensor cores and AMD matrix cores.
#[derive(Parser)]
#[command(name = "mmafft", version, about)]
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
    /// Time transforms beside a memory copy.
    Bench(bench::Arguments),
    /// Find the fastest plans of shapes on this device, and keep them.
    Measure(measure::Arguments),
}

/// The arguments of a program; wrong ones end it.
pub fn arguments<A: CommandFactory + FromArgMatches>() -> A {
    // Negative numbers are taken for values, which are refused for what they are; else they would be unknown flags.
    let mut program = A::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            let value = argument.get_action().takes_values();
            argument.allow_negative_numbers(value)
        })
    });
    match A::from_arg_matches(&program.get_matches_mut()) {
        Ok(arguments) => arguments,
        Err(error) => error.format(&mut program).exit(),
    }
}

/// Runs a program: errors are one line, and so are an abort and rules that cannot be used.
pub fn start(program: fn() -> Result<(), Failure>) -> ExitCode {
    memory::end_on_abort();
    let run = move || match program() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            out::say(error);
            ExitCode::FAILURE
        }
    };
    // Where no thread can be had, the program's own stack has to do.
    let thread = memory::has_room_for_a_thread(STACK_BYTES)
        .then(|| Builder::new().stack_size(STACK_BYTES).spawn(run).ok());
    match thread.flatten() {
        Some(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        None => run(),
    }
}

/// Runs the command of `mmafft` that the arguments name.
///
/// # Errors
/// What the command could not do.
pub fn run() -> Result<(), Failure> {
    let Cli { command } = arguments();
    match command {
        Command::Info => info::run(),
        Command::Transform(arguments) => transform::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Measure(arguments) => measure::run(&arguments),
    }
}
