//! Windows over several devices: what each device has of one, and that all links are busy at any time.
//!
//! What bounds an exchange is the link into a device. If all ranks stored to one device at a time, the others' links would
//! wait; a pass that pushes stores to all of them in each of its tiles, or its ranks would have to begin elsewhere.

use super::across::Across;
use super::over::plan_over;
use super::place::{outermost_as_batch, Place};
use super::plan::DistributedPlan;
use super::spread::{grid, Spread};
use crate::transform::Planner;
use mmafft_backend_traits::{Domain, Kind, Map, Pass, Precision, Request, Shape, Slot, KINDS};

/// Planners of the CPU and of both emulated devices, where these are built.
fn planners() -> Vec<Planner> {
    let backends = [
        crate::AnyBackend::cpu(),
        #[cfg(feature = "emulate")]
        crate::AnyBackend::emulated("emulated-nvidia"),
        #[cfg(feature = "emulate")]
        crate::AnyBackend::emulated("emulated-amd"),
    ];
    let planner =
        |backend: mmafft_backend_traits::Result<_>| Planner::on(backend.expect("it is built"));
    backends.into_iter().map(planner).collect()
}

/// How the array lies behind a stage, over several devices.
fn across(plan: &DistributedPlan, stage: usize) -> Option<Across> {
    let two = plan.stages.get(stage..stage + 2)?;
    Some(two[0].across(&two[1], true))
}

/// Where a pass stores each of its points, in scalars: lines in the order in which loops count, the first the fastest, and
/// the points of each.
fn stores(pass: &Pass) -> Vec<Vec<usize>> {
    let all = |before: Vec<usize>, map: Map, count: usize| -> Vec<usize> {
        let of = |i| before.iter().map(move |at| at + map.at(i));
        (0..count).flat_map(of).collect()
    };
    let lines = pass.loops.iter();
    let lines = lines.fold(vec![0], |before, of| all(before, of.store, of.count));
    let points = pass.axes.iter();
    let points = points.fold(vec![0], |before, axis| {
        let halved = axis.store.index == 1 && pass.store.domain == Domain::Complex;
        let count = if halved {
            axis.ranges.store.end
        } else {
            axis.length
        };
        all(before, axis.store, count)
    });
    let begin = pass.store.offset;
    let of = |line: &usize| points.iter().map(|point| begin + line + point).collect();
    lines.iter().map(of).collect()
}

/// The request of a rank's stage over several devices.
fn request_of(plan: &DistributedPlan, stage: usize, rank: usize) -> Option<Request> {
    let own = stage.checked_sub(1).and_then(|before| across(plan, before));
    let next = across(plan, stage);
    let windows = [own.as_ref(), next.as_ref()];
    let request = plan.stages[stage].request(&plan.of_stages(), rank, windows)?;
    Some(outermost_as_batch(request))
}

/// How many points of the stage that a rank's last pass makes in each tile go to which rank, in the order of the tiles.
fn targets(
    planner: &Planner,
    plan: &DistributedPlan,
    stage: usize,
    rank: usize,
) -> Vec<Vec<usize>> {
    let Some(request) = request_of(plan, stage, rank) else {
        return Vec::new();
    };
    let across = across(plan, stage).expect("a window");
    let local = across.stored(planner.plan(&request).expect("a plan"));
    let local = local.expect("rows of one pass, or of parts that divide");
    let pass = local.passes.last().expect("a pass");
    let next = &plan.stages[stage + 1].from;
    let scalars = next.scalars();
    // Where each rank's part begins: a slab is one piece.
    let begins = next.parts.iter().map(|part| across.loads(part).offset);
    let begins: Vec<usize> = begins.collect();
    let owner = |at: usize| {
        let full = (0..begins.len()).filter(|&r| !next.parts[r].is_empty());
        full.filter(|&r| begins[r] <= at / scalars)
            .max_by_key(|&r| begins[r])
            .expect("a part")
    };
    stores(pass)
        .chunks(pass.tile.lines)
        .map(|tile| {
            let mut to = vec![0; plan.ranks];
            tile.iter().flatten().for_each(|&at| to[owner(at)] += 1);
            to
        })
        .collect()
}

/// Of the tiles that are under way at once, on all ranks together, no device gets more than twice its share.
#[test]
fn no_device_gets_all_stores_at_once() {
    let planner = Planner::on(crate::AnyBackend::cpu().expect("the CPU"));
    let cube = Shape::d3(16, 16, 16);
    for ranks in [2, 4] {
        for request in [
            Request::forward(cube.clone()),
            Request::forward(cube.clone()).inverse(),
            Request::r2c(cube.clone()),
            Request::of_kind(Kind::Dct2, cube.clone()),
            Request::forward(Shape::d2(32, 32)),
        ] {
            let plan = plan_over(&planner, &request, ranks, [None, None]).expect("a plan");
            let all = (0..ranks).map(|rank| targets(&planner, &plan, 0, rank));
            let all: Vec<Vec<Vec<usize>>> = all.collect();
            for tile in 0..all[0].len() {
                let tiles = all.iter().filter_map(|rank| rank.get(tile));
                let mut to = vec![0; ranks];
                for tile in tiles {
                    to.iter_mut().zip(tile).for_each(|(to, n)| *to += n);
                }
                let (sum, most) = (to.iter().sum::<usize>(), to.iter().max().expect("ranks"));
                assert!(most * ranks <= 2 * sum, "{request:?}, tile {tile}: {to:?}");
            }
        }
    }
}

/// What other devices have is stored to once, by the last pass, and never loaded.
#[test]
fn passes_go_over_a_link_once() {
    let planners = planners();
    let mut stages = 0;
    let kinds = || KINDS.iter().map(|row| row.kind);
    for (planner, kind) in planners.iter().flat_map(|p| kinds().map(move |k| (p, k))) {
        for dims in [&[64, 64, 64][..], &[20, 31, 45], &[512, 256], &[4096]] {
            let request = Request::of_kind(kind, Shape::new(dims));
            let spread = Spread::slab(0);
            for output in [None, Some(&spread)] {
                // Lines of reals are not spread.
                let Ok(plan) = plan_over(planner, &request, 2, [None, output]) else {
                    continue;
                };
                for stage in 0..plan.stages.len() - 1 {
                    let request = request_of(&plan, stage, 0).expect("a part");
                    let local = planner.plan(&request).expect("a plan");
                    let last = local.passes.last().expect("a pass");
                    let loads = local.passes.iter().any(|p| p.load.slot == Slot::Output);
                    let stores = local.passes.iter().filter(|p| p.store.slot == Slot::Output);
                    assert!(!loads && stores.count() == 1, "{}", local.explain());
                    assert_eq!(last.store.slot, Slot::Output, "{}", local.explain());
                    stages += 1;
                }
            }
        }
    }
    assert!(stages > 100, "{stages}");
}

#[test]
fn each_device_has_what_its_rank_loads() {
    let lengths = [1, 8, 6, 4];
    let place = |counts: &[usize]| Place {
        domain: Domain::Complex,
        lengths: lengths.to_vec(),
        parts: grid(&lengths, counts),
        order: vec![0, 1, 2, 3],
    };
    // Three slabs of two planes of 8·4 points, of 8 bytes each.
    let slabs = place(&[1, 1, 3, 1]);
    let before = place(&[1, 1, 1, 1]);
    let lies = |place: &Place, apart| Across::new(&before, place, apart);
    let homes = |place: &Place, granule| lies(place, true).homes(place, 8, granule);
    assert_eq!(homes(&slabs, 256), [0, 0, 1, 1, 2, 2]);
    assert_eq!(homes(&slabs, 512), [0, 1, 2]);
    // A granule that several have is with the one that has most of it: of 3 planes the first two are one rank's.
    assert_eq!(homes(&slabs, 768), [0, 2]);
    assert_eq!(homes(&slabs, 1 << 20), [0]);
    let pencils = place(&[1, 1, 3, 2]);
    let of_each = homes(&pencils, 64);
    assert_eq!(of_each.len(), 24);
    for rank in 0..6 {
        assert_eq!(of_each.iter().filter(|&&home| home == rank).count(), 4);
    }
    let loads = |apart| lies(&slabs, apart).loads(&slabs.parts[1]);
    assert_eq!(loads(true).offset, 64);
    assert_eq!(loads(false).strides, Some(vec![24, 4, 1]));
    // Rows that are cut: each part lies in rows of two points, and the third rank has none.
    let cut = place(&[1, 1, 1, 3]);
    let (across, part) = (lies(&cut, true), &cut.parts[1]);
    assert_eq!((across.points(), across.loads(part).offset), (96 * 2, 96));
    assert_eq!(across.loads(part).strides, Some(vec![12, 2, 1]));
    // Index (2, 3, 3) is planned in rows of eight points.
    assert_eq!(across.place_of(2 * 48 + 3 * 8 + 3), 96 + 2 * 12 + 3 * 2 + 1);
}

/// Every point of rows that are cut is stored where it belongs, by plans of one pass and of several.
#[test]
fn cut_rows_are_stored_where_they_belong() {
    let planners = planners();
    let forward = |dims: &[usize]| Request::forward(Shape::new(dims));
    // Each with whether planners find steps that blocks are multiples of.
    let cases = [
        (forward(&[5, 96]), 2, true),
        (forward(&[4, 9]), 2, true),
        (forward(&[4, 90]), 4, true),
        (forward(&[3, 1009]), 3, true),
        (forward(&[2, 1 << 15]), 2, true),
        (forward(&[2, 1 << 17]), 2, true),
        (forward(&[2, 1 << 17]).precision(Precision::F64), 4, true),
        (forward(&[2, 65536]), 4, true),
        (forward(&[2, 60000]), 4, false),
        (forward(&[2, 59049]), 2, false),
        (forward(&[3, 4, 2048]).axes(&[0, 2]), 3, true),
        (forward(&[6, 40]).batch(3), 4, true),
        (Request::r2c(Shape::d2(5, 4096)), 2, true),
    ];
    let mut several = 0;
    for (planner, (request, ranks, fits)) in planners
        .iter()
        .flat_map(|planner| cases.iter().map(move |case| (planner, case)))
    {
        let plan = plan_over(planner, request, *ranks, [None, None]).expect("a plan");
        for (stage, rank) in
            (0..plan.stages.len() - 1).flat_map(|s| (0..*ranks).map(move |r| (s, r)))
        {
            let across = across(&plan, stage).expect("a window");
            let Some(request) = request_of(&plan, stage, rank).filter(|_| across.is_cut()) else {
                continue;
            };
            let planned = planner.plan(&request).expect("a plan");
            let last = planned.passes.last().expect("a pass").clone();
            let Some(stored) = across.stored(planned) else {
                assert!(!fits || planner.limits().backend == "cpu", "{request:?}");
                continue;
            };
            let own = stored.passes.last().expect("a pass");
            let scalars = own.store.domain.scalars();
            for (from, to) in stores(&last)
                .iter()
                .flatten()
                .zip(stores(own).iter().flatten())
            {
                assert_eq!(
                    across.place_of(from / scalars) * scalars,
                    *to,
                    "{request:?}"
                );
            }
            several += usize::from(stored.passes.len() > 1);
        }
    }
    // The CPU has lines in one pass.
    let devices = planners.iter().any(|p| p.limits().backend != "cpu");
    assert!(
        several > 0 || !devices,
        "no rows of several passes are stored as they are"
    );
}
