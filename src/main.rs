//! The program `mmafft`: transforms of `.npy` files, plans, accuracy tables and benchmarks
//! from the command line.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mmafft: {error}");
            ExitCode::FAILURE
        }
    }
}
