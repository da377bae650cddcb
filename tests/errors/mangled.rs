//! Plans that the planner did not make, on the CPU.

#[path = "../common/mangled.rs"]
mod plans;

#[test]
fn mangled_plans_never_panic() {
    let planner = mmafft::Planner::cpu().expect("the CPU is built");
    plans::never_panic(&planner, 1 << 12, 60);
}
