//! The program `mmafft`: transforms of `.npy` files, plans, accuracy tables and benchmarks
//! from the command line.

mod cli;

use std::process::ExitCode;
use std::thread::Builder;

#[global_allocator]
static MEMORY: cli::memory::OrEnd = cli::memory::OrEnd;

/// The stack that the program runs on, however small the system's limit is.
const STACK_BYTES: usize = 4 << 20;

fn main() -> ExitCode {
    cli::memory::end_on_abort();
    // Where no thread can be had, the program's own stack has to do.
    match Builder::new().stack_size(STACK_BYTES).spawn(run) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => run(),
    }
}

fn run() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::out::say(error);
            ExitCode::FAILURE
        }
    }
}
