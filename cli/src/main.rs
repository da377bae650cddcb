//! The program `mmafft`: transforms of `.npy` files, plans, accuracy tables and benchmarks
//! from the command line.

use std::process::ExitCode;

#[global_allocator]
static MEMORY: mmafft_cli::memory::OrEnd = mmafft_cli::memory::OrEnd;

fn main() -> ExitCode {
    mmafft_cli::start(mmafft_cli::run)
}
