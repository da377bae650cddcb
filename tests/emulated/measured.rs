//! Whatever was measured is right, also where rules ask for tiles and launches that no rule of thumb
//! does: the rows of the table, in emulation.

#[path = "../common/measured.rs"]
mod requests;

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance;
use mmafft::{Backend, Error};

/// The longest lines.
const LONGEST: usize = 1 << 18;

#[test]
fn every_rule_is_right() {
    let mut wrong = Vec::new();
    let followed = requests::Followed::default();
    for (i, (request, plan)) in requests::requests(LONGEST).iter().enumerate() {
        let backend = Probe::new(Vendor::Nvidia, ORDERS[i % 3]).backend();
        match plan(request, backend.limits()) {
            Err(Error::Unsupported { .. }) => continue,
            plan => followed.add(&plan.expect("a plan")),
        }
        if let Err(what) = conformance::check(&backend, *plan, request, 1.0) {
            wrong.push(format!("{what}: {request:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Longer lines follow the others, or lengths that are nobody's here.
    let (others, rows) = (followed.others(), requests::rows().count());
    let all = others.join("\n");
    assert!(
        4 * others.len() < rows,
        "{} of {rows}:\n{all}",
        others.len()
    );
}
