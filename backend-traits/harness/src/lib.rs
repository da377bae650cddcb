//! A harness for tests that need a device or a tool.
//!
//! A test that cannot run is reported as ignored, with its reason. Rust's own harness knows
//! that of a test only where it is compiled. A target of it has `harness = false` in its
//! manifest and a `main` that names its tests:
//!
//! ```no_run
//! use mmafft_backend_traits::conformance::skip;
//!
//! fn the_sun_shines() {
//!     skip("needs a sun");
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     mmafft_harness::run(mmafft_harness::tests![the_sun_shines])
//! }
//! ```
#![warn(missing_docs)]

use libtest_mimic::{Arguments, Completion, Trial};
use mmafft_backend_traits::conformance::{Skipped, Test};
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
