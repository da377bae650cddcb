//! Plans that the planner did not make, on devices: lowered or refused.

#[path = "../common/mangled.rs"]
mod plans;

#[test]
fn mangled_plans_never_panic() {
    for name in ["emulated-nvidia", "emulated-amd"] {
        let backend = mmafft::AnyBackend::from_name(name).expect("it is built");
        plans::never_panic(&mmafft::Planner::on(backend), 1 << 17, 60);
    }
}
