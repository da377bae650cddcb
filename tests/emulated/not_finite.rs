//! Values that are not finite, on the emulated devices.

#[path = "../common/not_finite.rs"]
mod promise;

use mmafft::{AnyBackend, Planner};

fn each(promise: fn(&Planner)) {
    for name in ["emulated-nvidia", "emulated-amd"] {
        promise(&Planner::on(
            AnyBackend::from_name(name).expect("it is built"),
        ));
    }
}

#[test]
fn lines_by_products() {
    each(promise::lines_by_products);
}

#[test]
fn reals_by_products() {
    each(promise::reals_by_products);
}

#[test]
fn columns_and_planes_by_products() {
    each(promise::columns_and_planes_by_products);
}

#[test]
fn butterflies() {
    each(promise::butterflies);
}

#[test]
fn outside_of_a_zero_range() {
    each(promise::outside_of_a_zero_range);
}
