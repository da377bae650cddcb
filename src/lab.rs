//! The library's inside for our own program, lab and tests: nothing here is promised to stay.

pub use crate::planner::measure::lists;
pub use crate::planner::{
    candidates, plan_by_way, plan_in_clusters, plan_in_parts, plan_in_turns, plan_in_turns_by,
    plan_pass_by_pass, rules, sequences, ways,
};
#[cfg(feature = "cpu")]
pub mod rustfft_lines;
