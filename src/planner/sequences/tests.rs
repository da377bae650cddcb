//! Which radices are tried.

use super::*;
use crate::planner::Asked;
use mmafft_backend_traits::{Request, Shape};

#[test]
fn clusters_try_fewer_radices() {
    let device = mmafft_emulated::EmulatedDriver::nvidia();
    let limits = mmafft_backend_traits::device::Driver::limits(&device);
    let of = |n: usize| {
        let request = Request::forward(Shape::d1(n)).batch(100);
        let plan =
            crate::planner::plan_as(&request, limits, &Asked::clusters(true)).expect("a plan");
        of_one_engine(&plan.passes[0], true, limits)
    };
    // 32·1024 has a radix less than 128·256.
    assert!(of(1 << 15).contains(&vec![32, 32, 32]));
    assert!(of(1 << 16).iter().all(|s| s.len() == 4));
}
