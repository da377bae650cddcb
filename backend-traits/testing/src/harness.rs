//! A harness for tests that need a device or a tool.
//!
//! A test that cannot run is reported as ignored, with its reason. Rust's own harness knows
//! that of a test only where it is compiled. A target of it has `harness = false` in its
//! manifest and a `main` that names its tests:
//!
//! ```no_run
//! use mmafft_testing::skip;
//!
//! fn the_sun_shines() {
//!     skip("needs a sun");
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     mmafft_testing::run(mmafft_testing::tests![the_sun_shines])
//! }
//! ```
use libtest_mimic::{Arguments, Completion, Trial};
use mmafft_backend_traits::Error;
use std::borrow::Borrow;
use std::panic::{catch_unwind, resume_unwind};
use std::process::ExitCode;

/// The tests of these paths, each by its path's name.
#[macro_export]
macro_rules! tests {
    ($($test:path),* $(,)?) => {
        vec![$((stringify!($test).replace(' ', ""), $test as fn())),*]
    };
}

/// Runs what the command line asks for, as Rust's own harness does.
pub fn run(tests: impl IntoIterator<Item = Test>) -> ExitCode {
    let trials = tests
        .into_iter()
        .map(|(name, test)| Trial::ignorable_test(name, move || Ok(completion(test))))
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// What became of a test; a panic goes on to the harness.
fn completion(test: fn()) -> Completion {
    let Err(thrown) = catch_unwind(test) else {
        return Completion::Completed;
    };
    match thrown.downcast::<Skipped>() {
        // A line of the report is one test.
        Ok(skipped) => Completion::ignored_with(skipped.0.replace('\n', " ")),
        Err(thrown) => resume_unwind(thrown),
    }
}

/// A test: its name, and what it does.
pub type Test = (String, fn());

/// What [`skip`] throws: why a test cannot run. The harness that catches it says so.
#[derive(Debug)]
pub struct Skipped(pub String);

/// Ends a test that cannot run, by unwinding to its harness without a panic's message.
pub fn skip(reason: impl Into<String>) -> ! {
    std::panic::resume_unwind(Box::new(Skipped(reason.into())))
}

/// What was opened; without a device, or the build's feature for it, the test is skipped.
///
/// # Panics
/// On any other error: a device that is there and cannot be opened is no reason to skip.
#[track_caller]
pub fn or_skip<T, E: Borrow<Error>>(opened: std::result::Result<T, E>) -> T {
    opened.unwrap_or_else(|error| match error.borrow() {
        error @ (Error::NoDevice { .. } | Error::NotBuilt { .. }) => {
            skip(format!("needs a device: {error}"))
        }
        error => panic!("{error}"),
    })
}
