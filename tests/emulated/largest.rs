//! Data near the largest number on the emulated devices.

#[path = "../common/largest.rs"]
mod common;

use mmafft::{AnyBackend, Planner};

#[test]
fn impulses_near_the_largest_number_stay_in_range() {
    for name in ["emulated-nvidia", "emulated-amd"] {
        let backend = AnyBackend::from_name(name).expect("a backend");
        common::check(&Planner::on(backend), &[64, 100]);
    }
}
