//! The library's inside for our own program, lab and tests: nothing here is promised to stay.

pub use crate::planner::measure::alone;
pub use crate::planner::{
    plan_by_way, plan_in_clusters, plan_in_parts, plan_in_turns, plan_pass_by_pass, rules, ways,
};
#[cfg(feature = "cpu")]
pub mod rustfft_lines;
