//! Data near the largest number on the CPU.

#[path = "../common/largest.rs"]
mod common;

use mmafft::Planner;

#[test]
fn impulses_near_the_largest_number_stay_in_range() {
    let planner = Planner::cpu().expect("the CPU is built");
    common::check(&planner, &[64, 100, 4096]);
}
