//! The program `mmafft-lab`: experiments, which users of the library and of `mmafft` can do without.

use std::process::ExitCode;

#[global_allocator]
static MEMORY: mmafft_cli::memory::OrEnd = mmafft_cli::memory::OrEnd;

fn main() -> ExitCode {
    mmafft_cli::start(mmafft_lab::run)
}
