//! Plans that no planner made: parts of real ones taken away, doubled or set to hostile numbers.

use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::Residency;
use mmafft::{Engine, Kind, Pass, Plan, Planner, Precision, Request, ScalarType, Shape, KINDS};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Numbers at which arithmetic goes wrong.
const HOSTILE: [usize; 9] = [0, 1, 2, 3, 7, 64, 1 << 20, isize::MAX as usize, usize::MAX];

/// Plans of every kind, short and split, of one axis and several, by both engines.
fn plans(planner: &Planner, long: usize) -> Vec<Plan> {
    let mut requests = Vec::new();
    for row in KINDS {
        for shape in [
            &[12][..],
            &[97],
            &[405],
            &[1000],
            &[long],
            &[6, 10],
            &[3, 8, 16],
        ] {
            requests.push(Request::of_kind(row.kind, Shape::new(shape)).batch(3));
        }
    }
    for precision in [Precision::SplitF16, Precision::F16, Precision::F64] {
        requests.push(Request::forward(Shape::d2(64, 48)).precision(precision));
        let matrix = Request::forward(Shape::d1(256)).precision(precision);
        requests.push(matrix.engine(Engine::Matrix));
    }
    requests.push(Request::c2r(Shape::d2(64, 48)).in_place());
    requests
        .iter()
        .filter_map(|request| planner.plan(request).ok())
        .collect()
}

/// Changes one thing of a pass.
fn mangle_pass(pass: &mut Pass, r: &mut Random) {
    let number = r.choose(&HOSTILE);
    match r.below(24) {
        0 => pass.axes.clear(),
        1 => pass.steps.clear(),
        2 => pass.loops.clear(),
        3 => pass.steps.extend(pass.steps.clone()),
        4 => pass.axes.extend(pass.axes.clone()),
        5 => pass.loops.extend(pass.loops.clone()),
        6 => pass.steps.reverse(),
        7 => drop(pass.steps.pop()),
        8 => pass.tile.lines = number,
        9 => pass.tile.bytes = number,
        10 => pass.tile.residency = Residency::Cluster(number),
        11 => pass.math.storage = r.choose(&[ScalarType::F64, ScalarType::F16]),
        12 => pass.math.engine = Engine::Matrix,
        13 => pass.load.offset = number,
        14 => pass.store.offset = number,
        15 => pass.load.hermitian = Some(number),
        16 => pass.load.edges = None,
        17 => (pass.load.mirrored, pass.store.mirrored, pass.load.reals) = (None, None, None),
        18 => pass.load.imaginary = number,
        19 => std::mem::swap(&mut pass.load, &mut pass.store),
        20 => {
            if let Some(l) = pass.loops.first_mut() {
                *[&mut l.count, &mut l.load.stride, &mut l.store.stride][r.below(3)] = number;
            }
        }
        other => {
            let Some(axis) = pass.axes.first_mut() else {
                return;
            };
            match other {
                21 => axis.length = number,
                22 => *[&mut axis.load.stride, &mut axis.store.stride][r.below(2)] = number,
                _ => axis.kind = r.choose(&[Kind::Dct1, Kind::R2C, Kind::C2R, Kind::C2C]),
            }
        }
    }
}

/// Changes one thing of a plan.
fn mangle(plan: &mut Plan, r: &mut Random) {
    match r.below(8) {
        0 => plan.passes.clear(),
        1 => plan.passes.extend(plan.passes.clone()),
        2 => plan.scratch_bytes = r.choose(&HOSTILE),
        3 => plan.passes.reverse(),
        _ => {
            let which = r.below(plan.passes.len());
            mangle_pass(&mut plan.passes[which], r);
        }
    }
}

/// No plan, whoever made it, makes a backend panic: it is prepared, or refused with an error. A `long` line is
/// one that takes several passes.
pub fn never_panic(planner: &Planner, long: usize, rounds: u64) {
    let plans = plans(planner, long);
    let mut failures = Vec::new();
    for (i, plan) in plans.iter().enumerate() {
        for round in 0..rounds {
            let mut r = Random::new(i as u64 * rounds + round);
            let mut mangled = plan.clone();
            mangle(&mut mangled, &mut r);
            let prepared = catch_unwind(AssertUnwindSafe(|| planner.prepare(mangled).is_ok()));
            if prepared.is_err() {
                failures.push(format!("plan {i}, round {round}: {:?}", plan.request));
            }
        }
    }
    let count = failures.len();
    assert!(
        failures.is_empty(),
        "{count} panics:\n{}",
        failures.join("\n")
    );
}
