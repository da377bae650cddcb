//! Bad input: the exact error, in one clear sentence, with the output untouched, and never
//! a panic. Then what must hold for any input: requests drawn at random, hostile ones
//! among them, and values that are not finite.

mod build;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod largest;
