//! What backends are tested by: the conformance suite, and a harness that says what could not run.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod cases;
mod harness;
mod run;
mod stored;
mod suite;

pub use cases::{by_products, random_request, requests};
pub use harness::{or_skip, run, skip, Skipped, Test};
pub use run::{check, check_data, check_each, Data, Outcome};
pub use suite::{
    buffers, faults, is_ours, mixed_scales, products, random, shapes_of_data, split_and_combine,
    table, threads, PlanFn,
};
