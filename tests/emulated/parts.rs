//! Lines split into factors that a rule, or whoever measures, asks for: right in every kind, whichever
//! the factors and their order; and as they would be without, where a line cannot have them.

use crate::probe::{Probe, Record, Vendor, ORDERS};
use crate::words::{head, step};
use mmafft::backend_traits::Launch;
use mmafft::lab::{plan_as, Asked};
use mmafft::{
    Backend, Direction, Domain, Engine, Kind, Layout, Limits, Normalization, Plan, Precision,
    Request, Result, Shape, KINDS,
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
    let halved = plan_as(&of(kind), &limits(), &Asked::parts(&[64, 32]));
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
    Request::directed(kind, direction, Shape::d1(n))
}

fn limits() -> Limits {
    let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(TILE);
    probe.backend().limits().clone()
}

fn lengths(plan: &Plan) -> Vec<usize> {
    plan.passes.iter().map(|pass| pass.axes[0].length).collect()
}

/// Columns and rows of a line of reals, or of type I's continued one, in the order of their passes: of
/// powers of two, of columns with an odd half, of primes that are butterflies, and Rader's.
const REAL_COLUMNS: [&[usize]; 7] = [
    &[64, 64],
    &[32, 128],
    &[128, 32],
    &[54, 40],
    &[40, 54],
    &[34, 64],
    &[64, 74],
];

/// Real columns by the list that the batch counts.
fn by_columns(request: &Request, limits: &Limits) -> Result<Plan> {
    plan_as(
        request,
        limits,
        &Asked::parts(REAL_COLUMNS[request.batch - 1]),
    )
}

/// A line of the kind for that list, and an array whose last axis is one.
fn with_columns(kind: Kind, i: usize) -> Request {
    let whole: usize = REAL_COLUMNS[i].iter().product();
    let n = match kind {
        Kind::Dct1 => whole / 2 + 1,
        Kind::Dst1 => whole / 2 - 1,
        _ => whole,
    };
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::directed(kind, direction, Shape::d1(n)).batch(i + 1)
}

/// Kinds whose lines can have real columns.
fn kinds_of_columns() -> impl Iterator<Item = Kind> {
    let kinds = KINDS.iter().map(|row| row.kind);
    kinds.filter(|kind| {
        kind.row().output == Domain::Real && !matches!(kind, Kind::Dct4 | Kind::Dst4)
    })
}

#[test]
fn lines_have_real_columns() {
    let (mut wrong, mut facing) = (Vec::new(), 0);
    for (k, kind) in kinds_of_columns().enumerate() {
        for (i, list) in REAL_COLUMNS.iter().enumerate() {
            let vendor = Vendor::ALL[(i + k) % 2];
            let order = ORDERS[(i + k) % ORDERS.len()];
            let backend = Probe::new(vendor, order).tile_bytes(TILE).backend();
            for precision in [Precision::F32, Precision::F64, Precision::F16] {
                let mut request = with_columns(kind, i).precision(precision);
                if (i + k) % 3 == 0 {
                    request = request.normalization(Normalization::Ortho);
                }
                let planned = by_columns(&request, backend.limits()).expect("a plan");
                // Tiles have fewer rows of 16 bits.
                let asked = lengths(&planned) == **list;
                assert!(asked || precision == Precision::F16, "{request:?}");
                let faces = |pass: &mmafft::Pass| pass.mirrored().is_some();
                facing += usize::from(planned.passes.iter().any(faces));
                if let Err(what) = mmafft_testing::check(&backend, by_columns, &request, 1.0) {
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
fn real_columns_of_other_layouts() {
    let mut wrong = Vec::new();
    for (k, kind) in kinds_of_columns().enumerate() {
        let lists = [0, 3, 5];
        for i in lists {
            let backend = Probe::new(Vendor::ALL[(i + k) % 2], ORDERS[k % 3]);
            let backend = backend.tile_bytes(TILE).backend();
            let request = with_columns(kind, i);
            let n = request.shape.dims()[0];
            // What begins anywhere, and reals that are apart; zeros, and what is not wanted.
            let spread = |by: usize| Layout::strided(&[by]).distance(by * n + 3).offset(1);
            let mut all = vec![
                request.clone().output_layout(spread(1)),
                request.clone().output_layout(spread(3)),
                request.clone().wanted_output(0, 3..n / 2 + 5),
            ];
            if kind != Kind::C2R {
                all.push(request.clone().input_layout(spread(1)));
                all.push(request.clone().nonzero_input(0, 5..n - 7));
                all.push(request.clone().in_place());
            }
            // Beside other axes: what is real comes last.
            let plane = Request::directed(kind, request.direction(), Shape::d2(3, n));
            all.push(plane.clone().batch(i + 1));
            all.push(plane.batch(i + 1).axes(&[1]));
            for request in all {
                if let Err(what) = mmafft_testing::check(&backend, by_columns, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn edges_come_before_real_columns() {
    // Rows of a half spectrum without its edges, which wait in scratch for the last axis.
    let request = Request::c2r(Shape::d2(3, 4096));
    let by =
        |request: &Request, limits: &Limits| plan_as(request, limits, &Asked::parts(&[64, 64]));
    for vendor in Vendor::ALL {
        let backend = Probe::new(vendor, ORDERS[0]).tile_bytes(TILE).backend();
        let plan = by(&request, backend.limits()).expect("a plan");
        let edges = plan.passes.iter().filter(|pass| pass.load.edges.is_some());
        assert_eq!(edges.count(), 1, "{plan:?}");
        assert_eq!(lengths(&plan)[plan.passes.len() - 2..], [64, 64]);
        mmafft_testing::check(&backend, by, &request, 1.0).expect("it is right");
    }
}

#[test]
fn a_line_is_packed_where_scratch_is_short() {
    let real = |plan: &Plan| {
        plan.passes
            .iter()
            .any(|pass| pass.axes[0].kind == Kind::C2R)
    };
    let limits = limits();
    let request = of(Kind::HC2R).precision(Precision::F32);
    let plan = mmafft::plan(&request, &limits).expect("a plan");
    assert!(real(&plan) && plan.scratch_bytes > 4 * 4096);
    let plan = mmafft::plan(&request.scratch_limit(4 * 4096), &limits).expect("a plan");
    assert!(!real(&plan) && plan.scratch_bytes <= 4 * 4096);
}

#[test]
fn rows_and_columns_face_themselves() {
    // Halves are merged and split in registers where a launch says so, which no rule of these does.
    let launched = |request: &Request, limits: &Limits| {
        let mut plan = by_columns(request, limits)?;
        for pass in &mut plan.passes {
            pass.tile.launch = Some(Launch {
                facing: [true; 2],
                ..Launch::new(64, 1)
            });
        }
        Ok(plan)
    };
    let faces = |record: &Record| {
        let program = &record.program;
        let steps = head(program, "steps") as usize;
        (0..steps).any(|i| step(program, i, "facing") != 0)
    };
    let (mut wrong, mut faced, mut all) = (Vec::new(), 0, 0);
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
                let request = with_columns(kind, i);
                if let Err(what) = mmafft_testing::check(&backend, launched, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
                let records = backend.driver().records();
                all += records.len();
                faced += records.iter().filter(|record| faces(record)).count();
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        faced > all / 3,
        "{faced} of {all} launches have columns that face each other"
    );
}

/// By the list that the batch counts.
fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
    let parts = factors(request.kind, request.batch - 1);
    plan_as(request, limits, &Asked::parts(&parts))
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
                if let Err(what) = mmafft_testing::check(&backend, plan, &request, 1.0) {
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
            let plan = plan_as(&request, &limits, &Asked::parts(bad)).expect("a plan");
            assert_eq!(lengths(&plan), lengths(&own), "{kind:?} {bad:?}");
        }
    }
}

/// Products of 3, which points pad, of so many lines that their twiddles are looked up in two levels: padding has no
/// place in these tables, and looks nothing up.
#[test]
fn padded_products_of_many_lines() {
    const FACTORS: [usize; 3] = [27, 243, 243];
    let n = FACTORS.iter().product();
    let line = Request::forward(Shape::d1(n)).precision(Precision::F64);
    let request = line.engine(Engine::Matrix);
    let plan =
        |request: &Request, limits: &Limits| plan_as(request, limits, &Asked::parts(&FACTORS));
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0])
        .tile_bytes(Some(64 << 10))
        .backend();
    let whole = plan(&request, backend.limits()).expect("a plan");
    assert_eq!(lengths(&whole), FACTORS);
    if let Err(what) = mmafft_testing::check(&backend, plan, &request, 1.0) {
        panic!("{what}");
    }
    let first = &backend.driver().records()[0].program;
    let last = head(first, "steps") as usize - 1;
    assert!(step(first, last, "roots_low") > 0);
}
