//! Lines split into factors that a rule, or whoever measures, asks for: right in every kind, whichever
//! the factors and their order; and as they would be without, where a line cannot have them.

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance;
use mmafft::{Backend, Direction, Kind, Limits, Plan, Precision, Request, Result, Shape, KINDS};

/// Tiles that the lines below are too long for.
const TILE: Option<usize> = Some(8 << 10);

/// Factors of 4096 points. Those of a packed line's 2048 have the last one halved, or the first.
const LISTS: [&[usize]; 5] = [
    &[32, 128],
    &[128, 32],
    &[16, 16, 16],
    &[4, 32, 32],
    &[64, 8, 8],
];

/// The factors that a kind's 4096 reals (or points) can be split into, of list `i`.
fn factors(kind: Kind, i: usize) -> Vec<usize> {
    let mut factors = LISTS[i].to_vec();
    let shared = kind.shared_core_length(4096);
    let halved = mmafft::plan_in_parts(&of(kind), &limits(), &[64, 32]);
    let packed = halved.is_ok_and(|plan| lengths(&plan) == [64, 32]);
    if packed || shared == 2048 {
        let at = factors.iter().position(|f| *f >= 16).unwrap_or(0);
        factors[at] /= 2;
    }
    factors
}

fn of(kind: Kind) -> Request {
    let n = match kind {
        Kind::Dct1 => 2049,
        Kind::Dst1 => 2047,
        _ => 4096,
    };
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::of_kind(kind, direction, Shape::d1(n))
}

fn limits() -> Limits {
    let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(TILE);
    probe.backend().limits().clone()
}

fn lengths(plan: &Plan) -> Vec<usize> {
    plan.passes
        .iter()
        .map(|pass| pass.axes[0].core_length())
        .collect()
}

/// By the list that the batch counts.
fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
    let parts = factors(request.kind, request.batch - 1);
    mmafft::plan_in_parts(request, limits, &parts)
}

#[test]
fn lines_are_split_as_asked() {
    let (mut wrong, mut split) = (Vec::new(), 0);
    for vendor in Vendor::ALL {
        for (k, row) in KINDS.iter().enumerate() {
            for i in 0..LISTS.len() {
                let order = ORDERS[(i + k) % ORDERS.len()];
                let backend = Probe::new(vendor, order).tile_bytes(TILE).backend();
                let precision = [Precision::F32, Precision::F64][(i + k) % 2];
                let request = of(row.kind).batch(i + 1).precision(precision);
                let planned = plan(&request, backend.limits()).expect("a plan");
                split += usize::from(lengths(&planned) == factors(row.kind, i));
                if let Err(what) = conformance::check(&backend, plan, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    let all = 2 * KINDS.len() * LISTS.len();
    assert!(5 * split > 4 * all, "{split} of {all} were split as asked");
}

#[test]
fn what_cannot_be_split_so_is_planned_as_it_was() {
    let limits = limits();
    for kind in [Kind::C2C, Kind::R2C, Kind::Dct2] {
        let request = of(kind);
        let own = mmafft::plan(&request, &limits).expect("a plan");
        for bad in [
            &[][..],
            &[4096],
            &[3, 5],
            &[0, 4096],
            &[4096, 1],
            &[usize::MAX, 2],
            &[1 << 62, 2],
            &[(1 << 63) + 9, 1],
            &[2, 2048],
        ] {
            let plan = mmafft::plan_in_parts(&request, &limits, bad).expect("a plan");
            assert_eq!(lengths(&plan), lengths(&own), "{kind:?} {bad:?}");
        }
    }
}
