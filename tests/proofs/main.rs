//! Plans proven by enumeration, without running a transform: every element is read once
//! and written once, nothing else is touched, and tiles do not disturb each other in place.
//! Then four-step plans are run for real.

mod accesses;
#[path = "../common/mod.rs"]
mod common;
mod four_step;
mod interpreter;
mod sides;
mod split_lines;
mod steps;

use common::{cpu_limits, device_limits};
use mmafft::backend_traits::{End, Runs};
use mmafft::lab::{plan_as, Asked};
use mmafft::{Domain, Error, Kind, Limits, Pass, Placement, Plan, Request, Shape};

/// Proves one plan, in every way in which it may be run.
fn prove(plan: &Plan, limits: &Limits) -> Result<(), String> {
    for pass in &plan.passes {
        steps::check(pass, limits)?;
    }
    let asked = plan.request.placement == Placement::InPlace;
    if !asked {
        interpreter::prove(plan, false)?;
    }
    if asked || (plan.request.kind == Kind::C2C && plan.not_in_place.is_none()) {
        interpreter::prove(plan, true).map_err(|e| format!("in place: {e}"))?;
    }
    Ok(())
}

/// Proves the plans of all requests; returns how many the device supports. Panics with a
/// list of those that are wrong.
fn prove_all(limits: &Limits, requests: impl Iterator<Item = (String, Request)>) -> usize {
    prove_by(mmafft::plan, limits, requests)
}

fn prove_by(
    plan: mmafft_testing::PlanFn,
    limits: &Limits,
    requests: impl Iterator<Item = (String, Request)>,
) -> usize {
    let mut proven = 0;
    let mut failures = Vec::new();
    for (name, request) in requests {
        let result = match plan(&request, limits) {
            Ok(plan) => prove(&plan, limits),
            // `four_step::asked_radices` is about these.
            Err(Error::Radices { .. }) if limits.line_points < usize::MAX => continue,
            Err(error) => Err(error.to_string()),
        };
        proven += 1;
        if let Err(what) = result {
            failures.push(format!("{name}: {what}\n    {request:?}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {proven} plans are wrong:\n{}",
        failures.len(),
        failures.join("\n")
    );
    proven
}

fn table(limits: &Limits) -> impl Iterator<Item = (String, Request)> {
    let requests = mmafft_testing::requests(limits).into_iter().enumerate();
    requests.map(|(i, request)| (format!("table-{i}"), request))
}

fn random(limits: &Limits) -> impl Iterator<Item = (String, Request)> + '_ {
    let request = |seed| mmafft_testing::random_request(seed, limits);
    (0..2000).map(move |seed| (format!("random-{seed}"), request(seed)))
}

#[test]
fn table_on_the_cpu() {
    let limits = cpu_limits();
    assert_eq!(prove_all(&limits, table(&limits)), table(&limits).count());
}

#[test]
fn random_on_the_cpu() {
    let limits = cpu_limits();
    assert_eq!(prove_all(&limits, random(&limits)), 2000);
}

/// Lines are limited by their points, or by what tiles hold: fewer of scattered lines.
fn small_devices() -> Vec<Limits> {
    let tiles = |tile_bytes| Limits {
        tile_bytes,
        ..device_limits(usize::MAX)
    };
    vec![
        device_limits(8),
        device_limits(16),
        device_limits(64),
        tiles(300),
        tiles(1 << 10),
    ]
}

#[test]
fn table_on_small_devices() {
    for limits in small_devices() {
        let proven = prove_all(&limits, table(&limits));
        let asked = table(&limits).filter(|(_, r)| r.radices.is_some()).count();
        assert!(
            proven >= table(&limits).count() - asked,
            "only {proven} plans on {limits:?}"
        );
    }
}

#[test]
fn random_on_small_devices() {
    for limits in small_devices() {
        assert_eq!(prove_all(&limits, random(&limits)), 2000);
    }
}

/// What a block's tile does not hold, and a cluster's does.
#[test]
fn table_and_random_in_clusters() {
    let mut proven = 0;
    for tile_bytes in [1 << 10, 4 << 10] {
        let limits = Limits {
            tile_bytes,
            cluster_blocks: 8,
            ..device_limits(usize::MAX)
        };
        let spread = |(_, request): &(String, Request)| {
            let plan = plan_as(request, &limits, &Asked::clusters(true));
            let passes = plan.map_or(Vec::new(), |plan| plan.passes);
            passes.iter().any(|pass| pass.tile.residency.blocks() > 1)
        };
        let requests = table(&limits).chain(random(&limits)).filter(spread);
        proven += prove_by(
            |request, limits| plan_as(request, limits, &Asked::clusters(true)),
            &limits,
            requests,
        );
    }
    assert!(proven > 100, "only {proven} plans have clusters");
}

/// With more workers than tiles, axes are not joined: other passes, the same proof.
#[test]
fn table_with_many_workers() {
    let limits = Limits {
        architecture: String::new(),
        workers: 64,
        ..cpu_limits()
    };
    prove_all(&limits, table(&limits));
}

/// The proof would be worth nothing if it found nothing: one fault at a time in plans that
/// are right.
#[test]
fn faults_are_found() {
    let requests = [
        Request::forward(Shape::d2(24, 40)).batch(2),
        Request::r2c(Shape::d2(24, 40)).batch(2),
        Request::c2r(Shape::d2(24, 40)).batch(2),
        Request::forward(Shape::d1(2048)).batch(2),
        Request::forward(Shape::d2(24, 40)).wanted_output(1, 2..9),
        Request::forward(Shape::d1(257)).batch(2),
        Request::r2c(Shape::d1(300)).batch(2),
        Request::c2r(Shape::d2(6, 300)).batch(2),
        Request::r2c(Shape::d1(480)).batch(2),
        Request::c2r(Shape::d1(480)).batch(2),
    ];
    type Fault = (&'static str, fn(&mut Pass));
    let faults: [Fault; 9] = [
        ("load offset", |p| p.load.offset += 2),
        ("store offset", |p| p.store.offset += 1),
        ("load stride", |p| p.axes[0].load.stride += 1),
        ("store stride", |p| p.axes[0].store.stride += 1),
        ("imaginary parts", |p| p.store.imaginary += 2),
        ("a point less read", |p| p.axes[0].ranges.load.end -= 1),
        ("a point less written", |p| p.axes[0].ranges.store.end -= 1),
        ("a tile more", |p| p.loops[0].count += 1),
        ("a tile less", |p| p.loops[0].count -= 1),
    ];
    let limits = device_limits(64);
    for request in requests {
        let good = mmafft::plan(&request, &limits).expect("a plan");
        prove(&good, &limits).expect("it is right");
        for (name, fault) in faults {
            for pass in 0..good.passes.len() {
                let mut plan = good.clone();
                fault(&mut plan.passes[pass]);
                // The imaginary parts of a real store are never used.
                let unused =
                    name.starts_with("imag") && plan.passes[pass].store.domain == Domain::Real;
                let found = interpreter::prove(&plan, false).is_err();
                assert!(found || unused, "{name} of pass {} in\n{good:?}", pass + 1);
            }
        }
        let mut plan = good.clone();
        plan.passes.pop();
        assert!(
            interpreter::prove(&plan, false).is_err(),
            "a pass is missing"
        );
    }
    // Runs of scratch, at each of which another fault.
    let shorter = |r: &mut Runs| r.points -= 1;
    let closer = |r: &mut Runs| r.apart -= 2;
    let columns = Limits {
        butterflies: &[8, 4, 2, 3, 5],
        ..device_limits(32)
    };
    let plans = [
        mmafft::plan(&Request::forward(Shape::d1(2048)).batch(2), &limits),
        plan_as(
            &Request::of_kind(Kind::HC2R, Shape::d1(128)),
            &columns,
            &Asked::parts(&[16, 8]),
        ),
    ];
    let mut found = Vec::new();
    for good in plans.map(|plan| plan.expect("a plan")) {
        for fault in [shorter as fn(&mut Runs), closer] {
            for at in 0..good.passes.len() * 4 {
                let mut plan = good.clone();
                let Some(runs) = runs(&mut plan.passes[at / 4], at % 4) else {
                    continue;
                };
                fault(runs);
                assert!(
                    interpreter::prove(&plan, false).is_err(),
                    "side {at} of\n{good:?}"
                );
                found.push(at);
            }
        }
    }
    // Stored by a loop and loaded by an axis; then the reverse.
    assert_eq!(found, [1, 6, 1, 6, 3, 4, 3, 4]);
    // Lines that run across each other in place: a transposition.
    let mut plan =
        mmafft::plan(&Request::forward(Shape::d2(8, 8)).axes(&[1]), &limits).expect("a plan");
    let pass = &mut plan.passes[0];
    (pass.axes[0].store.stride, pass.loops[0].store.stride) = (16, 2);
    assert_eq!(interpreter::prove(&plan, false), Ok(()));
    assert!(interpreter::prove(&plan, true).is_err());
}

/// The runs of the last loop or of the axis, where it loads (even) or stores.
fn runs(pass: &mut Pass, side: usize) -> Option<&mut Runs> {
    let end = End::BOTH[side % 2];
    let map = match side {
        0 | 1 => match (pass.loops.last_mut()?, end) {
            (l, End::Load) => &mut l.load,
            (l, End::Store) => &mut l.store,
        },
        _ => pass.axes[0].map_mut(end),
    };
    map.runs.as_mut()
}

/// Real columns by columns and rows of so many reals, in the order of their passes.
fn by_columns(request: &Request, limits: &Limits) -> mmafft::Result<Plan> {
    let parts = [[8, 16], [16, 8], [12, 20]][request.batch - 1];
    plan_as(request, limits, &Asked::parts(&parts))
}

#[test]
fn real_columns() {
    let limits = Limits {
        butterflies: &[8, 4, 2, 3, 5],
        ..device_limits(32)
    };
    let mut all = Vec::new();
    for row in mmafft::KINDS {
        let (kind, direction) = (
            row.kind,
            row.direction.unwrap_or(mmafft::Direction::Forward),
        );
        if row.output != Domain::Real || matches!(kind, Kind::Dct4 | Kind::Dst4) {
            continue;
        }
        for (batch, whole) in [(1, 128), (2, 128), (3, 240)] {
            let n = match kind {
                Kind::Dct1 => whole / 2 + 1,
                Kind::Dst1 => whole / 2 - 1,
                _ => whole,
            };
            let line = Request::directed(kind, direction, Shape::d1(n)).batch(batch);
            let parts = by_columns(&line, &limits).expect("a plan");
            let columns = |p: &Pass| {
                [p.load.reals, p.store.reals]
                    .iter()
                    .flatten()
                    .any(is_columns)
            };
            assert!(parts.passes.iter().any(columns), "{line:?}");
            let plane = Request::directed(kind, direction, Shape::d2(3, n)).batch(batch);
            all.push(line.clone());
            all.push(plane.clone());
            all.push(plane.axes(&[1]).wanted_output(1, 2..n - 3));
            if kind != Kind::C2R {
                all.push(line.clone().in_place());
                all.push(line.nonzero_input(0, 5..n - 1));
            }
        }
    }
    let count = all.len();
    let named = all
        .into_iter()
        .map(|r| (format!("{} {:?}", r.kind.row().name, r.shape), r));
    assert_eq!(prove_by(by_columns, &limits, named), count);
}

fn is_columns(line: &mmafft::backend_traits::RealLine) -> bool {
    matches!(line.form, mmafft::backend_traits::LineForm::Columns(_))
}
