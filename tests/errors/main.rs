//! Bad input: the exact error, in one clear sentence, with the output untouched, and never
//! a panic. Then what must hold for any input: requests drawn at random, hostile ones
//! among them, and values that are not finite.

mod build;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod largest;
mod mangled;
mod nonfinite;
mod not_finite;
mod panics;
mod plans;
mod requests;
mod runs;
mod same;

use mmafft::Error;

/// Of so many cases drawn at random the fourth part, unless the feature `thorough` asks for all.
fn cases(all: u32) -> u32 {
    if cfg!(feature = "thorough") {
        all
    } else {
        all / 4
    }
}

/// Checks what every error of a call that was refused has in common.
fn check_words(error: &Error) {
    let words = error.to_string();
    assert!(!error.output_touched(), "{words}");
    assert!(!words.is_empty() && !words.contains('\n'), "{words:?}");
    // Traces of Debug: braces, quotes, options, paths.
    for trace in ["{", "}", "\"", "Some(", "None", "::", "  "] {
        assert!(!words.contains(trace), "{trace:?} in: {words}");
    }
    assert!(words.len() < 300, "{words}");
}
