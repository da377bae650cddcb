//! Whatever was measured is right, also where rules ask for tiles and launches that no rule of thumb
//! does: every row of the table, in emulation.

#[path = "../common/measured.rs"]
mod requests;

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance;
use mmafft::Error;

#[test]
fn every_rule_is_right() {
    let mut wrong = Vec::new();
    let mut followed = 0;
    let requests = requests::requests();
    for (i, request) in requests.iter().enumerate() {
        let backend = Probe::new(Vendor::Nvidia, ORDERS[i % 3]).backend();
        let plan = match mmafft::plan(request, mmafft::Backend::limits(&backend)) {
            Err(Error::Unsupported { .. }) => continue,
            plan => plan.expect("a plan"),
        };
        let measured = |pass: &mmafft::Pass| pass.reason.starts_with("as measured");
        followed += usize::from(plan.passes.iter().any(measured));
        if let Err(what) = conformance::check(&backend, mmafft::plan, request, 1.0) {
            wrong.push(format!("{what}: {request:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        10 * followed > 9 * requests.len(),
        "{followed} of {} requests follow a rule",
        requests.len()
    );
}
