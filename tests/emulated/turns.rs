//! Two passes that take turns: right in every kind, layout and precision, with as little scratch as they say; and what
//! cannot take turns is planned as it was.

use crate::planes::probe;
use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::Turns;
use mmafft::lab::{plan_as, Asked};
use mmafft::{
    Backend, Direction, Kind, Layout, Limits, Normalization, Plan, Precision, Request, Result,
    Shape, KINDS,
};
use mmafft_testing::{check, random_request};

/// Turns that the batch counts: of one array or two, the first pass one to three ahead, in as little scratch as that
/// takes or a turn more.
fn of(batch: usize) -> Turns {
    let ahead = 1 + batch % 3;
    Turns {
        arrays: 1 + batch / 2 % 2,
        ahead,
        kept: Some(ahead + 1 + batch % 2),
    }
}

fn in_turns(request: &Request, limits: &Limits) -> Result<Plan> {
    plan_as(request, limits, &Asked::turns(of(request.batch)))
}

/// What is wrong with a request whose passes take turns; `None` where they do not.
fn wrong(backend_of: impl Fn() -> Probe, request: &Request) -> Option<Vec<String>> {
    let backend = backend_of().backend();
    let plan = in_turns(request, backend.limits()).ok()?;
    let turns = plan.turns?;
    let mut wrong = Vec::new();
    if let Err(what) = check(&backend, in_turns, request, 1.0) {
        wrong.push(format!("{what}: {request:?}\n{}", plan.explain()));
    }
    // Each pass once a turn.
    let count = plan.request.batch.div_ceil(turns.arrays);
    let launches = backend.driver().records().len();
    if !launches.is_multiple_of(2 * count) || launches == 0 {
        wrong.push(format!("{launches} launches of {count} turns: {request:?}"));
    }
    let plain = mmafft::plan(request, backend.limits()).expect("a plan");
    let kept = turns.kept.map_or(0, |kept| kept.min(count) * turns.arrays);
    let expected = plain.scratch_bytes / plan.request.batch * kept;
    if plan.scratch_bytes != expected || turns.kept.is_none() != (plain.scratch_bytes == 0) {
        let got = plan.scratch_bytes;
        wrong.push(format!(
            "{got} bytes of scratch, not {expected}: {request:?}"
        ));
    }
    Some(wrong)
}

#[test]
fn lines_and_arrays_of_every_kind() {
    let (mut all, mut ran) = (Vec::new(), 0);
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for (k, row) in KINDS.iter().enumerate() {
            for (i, shape) in [
                Shape::d1(4096),
                Shape::d1(5000),
                Shape::d2(60, 100),
                Shape::d2(8, 1024),
                Shape::d3(6, 20, 50),
            ]
            .into_iter()
            .enumerate()
            {
                let direction = row.direction.unwrap_or(Direction::Forward);
                let precision = [Precision::F32, Precision::F64, Precision::F16][(i + k) % 3];
                let mut request = Request::directed(row.kind, direction, shape)
                    .batch(2 + (i + 2 * k + v) % 6)
                    .precision(precision);
                if (i + k) % 2 == 0 && !row.kind.is_real_to_real() {
                    request = request.in_place();
                }
                if k % 4 == 1 {
                    request = request.normalization(Normalization::Ortho);
                }
                let order = ORDERS[(i + k) % ORDERS.len()];
                let backend = || {
                    Probe::new(vendor, order)
                        .tile_bytes(Some(8 << 10))
                        .workers(1)
                };
                let result = wrong(backend, &request);
                ran += usize::from(result.is_some());
                all.extend(result.unwrap_or_default());
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran > 60, "{ran}");
}

/// Arrays apart from each other, or between each other's points; ranges; single axes.
#[test]
fn random_requests() {
    let (mut all, mut ran, mut without) = (Vec::new(), 0, 0);
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        let limits = probe(vendor, 0).backend().limits().clone();
        for seed in 0..4000 {
            let request = random_request(seed + 300_000 * (v as u64 + 1), &limits);
            if request.batch < 2 {
                continue;
            }
            if let Some(result) = wrong(|| probe(vendor, seed as usize), &request) {
                ran += 1;
                let plan = in_turns(&request, &limits).expect("a plan");
                without += usize::from(plan.scratch_bytes == 0);
                all.extend(result);
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran > 100 && without > 20, "{ran}, {without}");
}

/// Planes whose rows and columns are passes, of arrays that lie in each other's gaps.
#[test]
fn arrays_between_each_other() {
    let limits = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(Some(8 << 10));
    let limits = limits.backend().limits().clone();
    let (n, batch) = (64, 4);
    let layout = Layout {
        strides: Some(vec![n * batch, batch]),
        distance: Some(1),
        ..Layout::default()
    };
    let request = Request::forward(Shape::d2(n, n))
        .batch(batch)
        .input_layout(layout.clone())
        .output_layout(layout);
    let plan = in_turns(&request, &limits).expect("a plan");
    assert!(plan.turns.is_none(), "{}", plan.explain());
}

#[test]
fn what_cannot_take_turns_is_planned_as_it_was() {
    let limits = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(Some(8 << 10));
    let limits = limits.backend().limits().clone();
    for request in [
        Request::forward(Shape::d1(256)).batch(3),
        Request::forward(Shape::d1(1 << 20)).batch(3),
        Request::of_kind(Kind::Dct2, Shape::d1(4099)).batch(3),
    ] {
        let plain = mmafft::plan(&request, &limits).expect("a plan");
        assert_ne!(plain.passes.len(), 2);
        assert_eq!(in_turns(&request, &limits).expect("a plan"), plain);
    }
    // Scratch that would take the place of what was not taken, or none; passes that would wait for each other; no arrays,
    // or more than there are.
    let request = Request::forward(Shape::d1(4096)).batch(5);
    let plain = mmafft::plan(&request, &limits).expect("a plan");
    let good = in_turns(&request, &limits).expect("a plan");
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0])
        .tile_bytes(Some(8 << 10))
        .backend();
    for (arrays, ahead, kept) in [
        (1, 2, Some(2)),
        (1, 1, None),
        (1, 0, Some(1)),
        (0, 1, Some(2)),
        (6, 1, Some(2)),
        (usize::MAX, 1, Some(2)),
        (1, usize::MAX, Some(usize::MAX)),
    ] {
        let turns = Turns {
            arrays,
            ahead,
            kept,
        };
        let plan = plan_as(&request, &limits, &Asked::turns(turns)).expect("a plan");
        assert_eq!(plan, plain, "{turns:?}");
        let bad = Plan {
            turns: Some(turns),
            ..good.clone()
        };
        let error = backend.prepare(&bad).err().expect("it is refused");
        assert!(error.to_string().contains("take turns"), "{error}");
    }
}

/// Rows of arrays that lie between each other's, whose passes go from row to row before they go to the next array, where
/// scratch has array after array.
#[test]
fn rows_of_arrays_between_each_other() {
    let (n, batch) = (4096, 4);
    for rows in [batch, 2 * batch] {
        let layout = Layout {
            strides: Some(vec![n * batch, 1]),
            distance: Some(n),
            ..Layout::default()
        };
        let request = Request::forward(Shape::d2(rows, n)).axes(&[1]).batch(batch);
        let request = request.input_layout(layout.clone()).output_layout(layout);
        let backend = Probe::new(Vendor::Nvidia, ORDERS[0])
            .tile_bytes(Some(8 << 10))
            .backend();
        let plan = in_turns(&request, backend.limits()).expect("a plan");
        assert!(plan.turns.is_none(), "{}", plan.explain());
        check(&backend, in_turns, &request, 1.0).expect("it is right");
    }
}
