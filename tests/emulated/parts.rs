//! Lines split into factors that a rule, or whoever measures, asks for: right in every kind, whichever
//! the factors and their order; and as they would be without, where a line cannot have them.

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::{conformance, Launch};
use mmafft::{
    Backend, Direction, Domain, Kind, Limits, Normalization, Plan, Precision, Request, Result,
    Shape, KINDS,
};

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
    plan.passes.iter().map(|pass| pass.axes[0].length).collect()
}

/// Columns and rows of 4096 reals, or of a line of type I, in the order of their passes.
const REAL_COLUMNS: [&[usize]; 3] = [&[64, 64], &[32, 128], &[128, 32]];

/// Real columns by the list that the batch counts.
fn by_columns(request: &Request, limits: &Limits) -> Result<Plan> {
    mmafft::plan_in_parts(request, limits, REAL_COLUMNS[request.batch - 1])
}

#[test]
fn lines_have_real_columns() {
    let real = |kind: &Kind| kind.row().output == Domain::Real && *kind != Kind::Dct4;
    let kinds = KINDS.iter().map(|row| row.kind).filter(real);
    let (mut wrong, mut facing) = (Vec::new(), 0);
    for (k, kind) in kinds.filter(|kind| *kind != Kind::Dst4).enumerate() {
        for (i, list) in REAL_COLUMNS.iter().enumerate() {
            let vendor = Vendor::ALL[(i + k) % 2];
            let order = ORDERS[(i + k) % ORDERS.len()];
            let backend = Probe::new(vendor, order).tile_bytes(TILE).backend();
            for precision in [Precision::F32, Precision::F64] {
                let mut request = of(kind).batch(i + 1).precision(precision);
                if (i + k) % 3 == 0 {
                    request = request.normalization(Normalization::Ortho);
                }
                let planned = by_columns(&request, backend.limits()).expect("a plan");
                assert_eq!(lengths(&planned), **list, "{request:?}");
                let faces = |pass: &mmafft::Pass| pass.mirrored.is_some();
                facing += usize::from(planned.passes.iter().any(faces));
                if let Err(what) = conformance::check(&backend, by_columns, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Types II and III, but for radices that take too many registers of FP64.
    assert!(facing > 4 * REAL_COLUMNS.len(), "{facing}");
}

#[test]
fn rows_and_columns_face_themselves() {
    // Halves are merged and split in registers where a launch says so, which no rule of these does.
    let launched = |request: &Request, limits: &Limits| {
        let mut plan = by_columns(request, limits)?;
        for pass in &mut plan.passes {
            pass.tile.launch = Some(Launch {
                threads: 64,
                residents: 1,
                apart: false,
                neighbours: 1,
                facing: [true; 2],
            });
        }
        Ok(plan)
    };
    let mut wrong = Vec::new();
    for vendor in Vendor::ALL {
        for kind in [
            Kind::Dct1,
            Kind::Dst1,
            Kind::HC2R,
            Kind::R2HC,
            Kind::Dct2,
            Kind::Dct3,
        ] {
            for i in 0..REAL_COLUMNS.len() {
                let backend = Probe::new(vendor, ORDERS[0]).tile_bytes(TILE).backend();
                let request = of(kind).batch(i + 1);
                if let Err(what) = conformance::check(&backend, launched, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
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
