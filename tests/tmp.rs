use mmafft::*;
#[test]
fn t() {
    let b = CpuBackend::default();
    let r = backend_traits::conformance::random_request(16, b.limits());
    for e in [None, Some(Engine::Simt), Some(Engine::Matrix)] {
        let mut r = r.clone();
        r.engine = e;
        println!(
            "{:?}",
            backend_traits::conformance::check(&b, plan, &r, 1.0)
        );
        println!("{}", plan(&r, b.limits()).unwrap().explain());
    }
}
