//! Values that are not finite, on the CPU: all other transforms keep their bits.

#[path = "../common/not_finite.rs"]
mod promise;

#[test]
fn others_keep_their_bits() {
    let planner = mmafft::Planner::cpu().expect("the CPU is built");
    promise::lines_by_products(&planner);
    promise::reals_by_products(&planner);
    promise::columns_and_planes_by_products(&planner);
    promise::butterflies(&planner);
    promise::outside_of_a_zero_range(&planner);
}
