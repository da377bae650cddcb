//! What is printed. A reader that has gone away ends the program, without a word; what else goes wrong is one line.
//!
//! All words go through here, so that no name and no file's contents can control the terminal.

use super::excerpt::{line, lines};
use std::fmt::{Arguments, Display};
use std::io::{ErrorKind, Write};

/// Prints to the standard output.
pub fn print(text: Arguments) {
    let written = std::io::stdout()
        .lock()
        .write_all(lines(&text.to_string()).as_bytes());
    if let Err(error) = written {
        if error.kind() != ErrorKind::BrokenPipe {
            say(format_args!("cannot write to the standard output: {error}"));
        }
        std::process::exit(1);
    }
}

/// Says one line on standard error, as the program; nobody may be there to read it.
pub fn say(what: impl Display) {
    let _ = writeln!(std::io::stderr(), "mmafft: {}", line(&what.to_string()));
}

/// Says one line about a result: on standard output, or where that has the result itself on standard error.
pub fn tell(output_is_taken: bool, what: Arguments) {
    match output_is_taken {
        true => {
            let _ = writeln!(std::io::stderr(), "{}", line(&what.to_string()));
        }
        false => print(format_args!("{}\n", line(&what.to_string()))),
    }
}

/// As `print!`.
#[macro_export]
macro_rules! out {
    ($($words:tt)*) => { $crate::out::print(format_args!($($words)*)) };
}

/// As `println!`.
#[macro_export]
macro_rules! outln {
    ($($words:tt)*) => { $crate::out::print(format_args!("{}\n", format_args!($($words)*))) };
}
