//! Whatever was measured is right, also where rules ask for tiles and launches that no rule of thumb
//! does: the rows of the table, in emulation.

#[path = "../common/measured.rs"]
mod requests;

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::Turns;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Backend, Error, Limits, Plan, Request, Result};
use requests::LimitsFn;

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
        if let Err(what) = mmafft_testing::check(&backend, *plan, request, 1.0) {
            wrong.push(format!("{what}: {request:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Longer lines follow the others, or lengths that are nobody's here.
    let (others, rows) = (followed.others(), requests::asked_rows().count());
    let all = others.join("\n");
    assert!(
        rows == 0 || 4 * others.len() < rows,
        "{} of {rows}:\n{all}",
        others.len()
    );
}

/// Lines, arrays and columns that nobody measured, by the tiles that are likely the fastest: others than the planned ones.
#[test]
fn what_nobody_measured_is_right() {
    let mut wrong = Vec::new();
    let (mut likely, requests) = (0, requests::likely());
    for (i, (request, plan)) in requests.iter().enumerate() {
        let backend = Probe::new(Vendor::Nvidia, ORDERS[i % 3]).backend();
        let planned = plan(request, backend.limits()).expect("a plan");
        if !planned.explain().contains(requests::LIKELY) {
            continue;
        }
        likely += 1;
        if let Err(what) = mmafft_testing::check(&backend, *plan, request, 1.0) {
            wrong.push(format!("{what}: {request:?}"));
        }
    }
    assert!(
        likely > requests.len() / 4,
        "{likely} of {}",
        requests.len()
    );
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Tiles of passes that take turns: by the rules of the device that has them, of so few arrays that they are soon over.
#[test]
fn tiles_in_turns_are_right() {
    let requests = requests::in_turns(1 << 18);
    let few = requests.len() <= 10 && requests::asked().is_none();
    assert!(!few, "{}", requests.len());
    are_right(requests, "first in turns");
}

/// How the reason of passes begins that nobody measured.
const SUGGESTED: &str = ": in turns, ";

/// The same of passes that nobody measured in turns, and that take them all the same.
#[test]
fn tiles_that_are_suggested_are_right() {
    let requests = requests::suggested(1 << 17).into_iter();
    let another: LimitsFn = requests::another;
    // Some are cheaper one by one.
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    let suggested = |request: &Request| {
        let plan = in_turns_on(&another(backend.limits()), &request.clone().batch(3));
        plan.expect("a plan").explain().contains(SUGGESTED)
    };
    let requests = requests.filter(suggested);
    let requests: Vec<_> = requests.map(|request| (request, another)).collect();
    assert!(requests.len() > 20, "{}", requests.len());
    are_right(requests, SUGGESTED);
}

/// Three arrays of each of these, whose plans say for what reason they take turns.
fn are_right(requests: Vec<(Request, LimitsFn)>, reason: &str) {
    let mut wrong = Vec::new();
    for (i, (request, of_device)) in requests.into_iter().enumerate() {
        let request = request.batch(3);
        let backend = Probe::new(Vendor::Nvidia, ORDERS[i % 3]).backend();
        let plan = |request: &Request, limits: &Limits| in_turns_on(&of_device(limits), request);
        let planned = plan(&request, backend.limits()).expect("a plan");
        let text = planned.explain();
        assert!(
            text.contains("take turns") && text.contains(reason),
            "{text}"
        );
        if let Err(what) = mmafft_testing::check(&backend, plan, &request, 1.0) {
            wrong.push(format!("{what}: {request:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn in_turns_on(device: &Limits, request: &Request) -> Result<Plan> {
    let limits = Limits {
        architecture: "sm_90".into(),
        // Few arrays would have smaller tiles.
        workers: 1,
        ..device.clone()
    };
    let turns = Turns {
        arrays: 1,
        ahead: 1,
        kept: Some(2),
    };
    plan_as(request, &limits, &Asked::turns(turns))
}
