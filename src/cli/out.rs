//! What is printed. A reader that has gone away ends the program, without a word; what else goes wrong is one line.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Prints to the standard output.
pub fn print(text: Arguments) {
    let written = std::io::stdout().lock().write_fmt(text);
    if let Err(error) = written {
        if error.kind() != ErrorKind::BrokenPipe {
            eprintln!("mmafft: cannot write to the standard output: {error}");
        }
        std::process::exit(1);
    }
}

/// As `print!`.
macro_rules! out {
    ($($words:tt)*) => { $crate::cli::out::print(format_args!($($words)*)) };
}

/// As `println!`.
macro_rules! outln {
    ($($words:tt)*) => { $crate::cli::out::print(format_args!("{}\n", format_args!($($words)*))) };
}
