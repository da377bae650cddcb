//! The program `mmafft-lab` as its user runs it.

mod bench;
#[path = "../../../../tests/common/program.rs"]
pub mod program;
mod refusals;
pub mod report;

use program::Row;
pub use program::{folder, text};
use std::process::Output;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mmafft-lab");

fn lab(arguments: &[&str]) -> Output {
    program::run(PROGRAM, arguments)
}

fn refused(arguments: &[&str]) -> String {
    program::refused(PROGRAM, arguments)
}

pub fn bench(name: &str, arguments: &[&str]) -> (String, Vec<Row>) {
    program::bench(PROGRAM, name, arguments)
}
