//! Threads with columns that mirror each other, which merge and split half spectra in registers: in
//! every kind that does, as where an exchange brings the halves together.

use crate::accesses::{launches_of, traffic_of};
use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::device::shape;
use mmafft::backend_traits::{Launch, TripShape, TripWork};
use mmafft::{
    Direction, Kind, Limits, Normalization, Plan, Precision, Request, Result, Shape, KINDS,
};
use mmafft_testing::PlanFn;

/// Every pass with columns that face each other, where radices allow.
fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
    launched(request, limits, |launch| launch.facing = [true; 2])
}

/// Every pass with launches that `change` makes otherwise.
fn launched(request: &Request, limits: &Limits, change: fn(&mut Launch)) -> Result<Plan> {
    let mut plan = mmafft::plan(request, limits)?;
    for pass in &mut plan.passes {
        let values = 32.max(pass.lengths().into_iter().max().unwrap_or(1) / 512);
        let points: usize = pass.axes.iter().map(|a| a.core_length()).product();
        let mut launch = Launch::new((pass.tile.lines * points).div_ceil(values), 1);
        change(&mut launch);
        pass.tile.launch = Some(launch);
    }
    Ok(plan)
}

/// Those that merge or split half spectra, or are of type IV.
fn kinds() -> impl Iterator<Item = Kind> {
    KINDS
        .iter()
        .map(|row| row.kind)
        .filter(|kind| *kind != Kind::C2C)
}

/// N reals whose complex core has this many points.
fn length(kind: Kind, core: usize) -> usize {
    match kind {
        Kind::Dct1 => core + 1,
        Kind::Dst1 => core - 1,
        _ => 2 * core,
    }
}

fn of(kind: Kind, n: usize) -> Request {
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::directed(kind, direction, Shape::d1(n))
}

/// Orders of the columns' numbers, and what is in a thread of them: shares of one line and of
/// several, odd and even radices, the last columns of a block in part.
#[test]
fn halves_meet_in_registers() {
    let mut wrong = Vec::new();
    let mut faced = 0;
    for vendor in Vendor::ALL {
        for kind in kinds() {
            for (i, core) in [
                4, 6, 16, 30, 36, 50, 90, 100, 128, 210, 256, 500, 512, 1000, 2048,
            ]
            .into_iter()
            .enumerate()
            {
                let n = length(kind, core);
                let precision = [Precision::F32, Precision::F64, Precision::F16][i % 3];
                let mut request = of(kind, n).batch(1 + i % 7).precision(precision);
                if i % 4 == 1 {
                    request = request.normalization(Normalization::Ortho);
                }
                if i % 5 == 2 {
                    request = request.wanted_output(0, 1..kind.lengths(n)[1] - 1);
                }
                if i % 5 == 3 {
                    request = request.nonzero_input(0, 1..kind.lengths(n)[0] - 1);
                }
                let order = ORDERS[i % 3];
                let writes = |plan: PlanFn| {
                    let launched = launches_of(plan, Probe::new(vendor, order), &request);
                    launched.map(|(_, records)| records[0].counters.shared_writes)
                };
                faced += usize::from(writes(plan) < writes(mmafft::plan));
                wrong.extend(traffic_of(plan, Probe::new(vendor, order), &request));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        faced > 200,
        "{faced} passes have columns that face each other"
    );
}

/// Roots of splits and merges may be products of a thread's first one, in a step of their own or beside a DFT.
#[test]
fn roots_may_be_multiplied() {
    let beside = |request: &Request, limits: &Limits| {
        launched(request, limits, |launch| {
            (launch.facing, launch.multiplied) = ([true; 2], true);
        })
    };
    let apart = |request: &Request, limits: &Limits| {
        launched(request, limits, |launch| launch.multiplied = true)
    };
    let plain = |request: &Request, limits: &Limits| launched(request, limits, |_| ());
    let mut other = 0;
    for vendor in Vendor::ALL {
        for kind in kinds() {
            for (i, core) in [6, 30, 100, 512, 2048].into_iter().enumerate() {
                let precision = [Precision::F32, Precision::F64][i % 2];
                let request = of(kind, length(kind, core)).precision(precision);
                let request = request.batch(1 + i % 2);
                let run = |plan: PlanFn| {
                    let backend = Probe::new(vendor, ORDERS[i % 3]).backend();
                    let outcome = mmafft_testing::check(&backend, plan, &request, 1.0);
                    outcome.unwrap_or_else(|what| panic!("{vendor:?}: {what}\n{request:?}"))
                };
                run(beside);
                other += usize::from(run(apart).relative_l2 != run(plain).relative_l2);
            }
        }
    }
    // Where there are several pairs a thread, and a block has one line.
    assert!(other > 30, "{other} transforms have other roots");
}

/// One exchange less.
#[test]
fn they_save_an_exchange() {
    for kind in kinds() {
        let request = of(kind, length(kind, 2048)).radices(&[16, 8]);
        let barriers = |plan: PlanFn| {
            let probe = Probe::new(Vendor::Nvidia, ORDERS[0]);
            let (_, records) = launches_of(plan, probe, &request).expect("butterflies");
            records[0].counters.barriers
        };
        assert!(barriers(plan) < barriers(mmafft::plan), "{kind:?}");
    }
}

/// What one butterfly transforms has the only column of a line, whose half spectrum takes no trip of its own.
#[test]
fn an_only_column_mirrors_itself() {
    fn checked(request: &Request, limits: &Limits) -> Result<Plan> {
        let plan = mmafft::plan(request, limits)?;
        let geometry = limits.geometry.expect("a device");
        for pass in &plan.passes {
            let trips = shape(pass, &geometry)?.trips;
            let meets =
                |trip: &TripShape| matches!(trip.count.work, TripWork::Merge | TripWork::Split);
            assert!(!trips.iter().any(meets), "{}", plan.explain());
        }
        Ok(plan)
    }
    for kind in kinds() {
        for core in [2, 9, 12] {
            let request = of(kind, length(kind, core)).radices(&[core]);
            let probe = Probe::new(Vendor::Nvidia, ORDERS[0]);
            launches_of(checked, probe, &request).expect("a butterfly");
        }
    }
}

/// Where memory begins at an element only, other programs serve, with tables of their own: also for lines
/// that face each other over passes.
#[test]
fn memory_may_begin_at_an_element() {
    let mut wrong = Vec::new();
    for vendor in Vendor::ALL {
        for kind in kinds() {
            for (core, tile) in [(64, None), (90, None), (512, None), (4096, Some(8 << 10))] {
                for precision in [Precision::F32, Precision::F64] {
                    let request = of(kind, length(kind, core)).batch(3).precision(precision);
                    let backend = Probe::new(vendor, ORDERS[0])
                        .tile_bytes(tile)
                        .begins_at(2 * precision.row().storage.bytes())
                        .backend();
                    let facing: PlanFn = if tile.is_some() { mmafft::plan } else { plan };
                    if let Err(what) = mmafft_testing::check(&backend, facing, &request, 1.0) {
                        wrong.push(format!("{what}: {request:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
