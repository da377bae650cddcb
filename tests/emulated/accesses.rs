//! A pass reads every byte that it needs once, and writes every byte once: the emulator
//! counts what [`Pass::bytes`] promises. (That all of them are written, and none of what is
//! not wanted, the conformance suite checks.)

use crate::cases::cases;
use crate::probe::{Probe, Record, Vendor, ORDERS};
use crate::words::{constant, head, step};
use mmafft::backend_traits::real::Middle;
use mmafft::backend_traits::End;
use mmafft::{Backend, Error, Kind, Pass, Plan, Precision, Request, Shape, Step};
use mmafft_testing::PlanFn;

/// The plan for a device, and what its launches did; `None` where it has no such product.
pub fn launches(probe: Probe, request: &Request) -> Option<(Plan, Vec<Record>)> {
    launches_of(mmafft::plan, probe, request)
}

pub fn launches_of(
    plan_of: PlanFn,
    probe: Probe,
    request: &Request,
) -> Option<(Plan, Vec<Record>)> {
    let backend = probe.backend();
    let plan = match plan_of(request, backend.limits()) {
        Err(Error::Unsupported { .. }) => return None,
        plan => plan.expect("a plan"),
    };
    let checked = mmafft_testing::check(&backend, plan_of, request, 1.0);
    checked.unwrap_or_else(|what| panic!("{what}\n{request:?}"));
    let records = backend.driver().records();
    assert_eq!(records.len(), plan.passes.len());
    Some((plan, records))
}

/// Bytes that a pass reads beyond [`Pass::bytes`], and bytes of those that it does not read.
/// Both are of half spectra, or of lines of reals:
/// - a whole line made of a half spectrum takes most points for two of its own;
/// - a line of reals that is continued, or a whole one of type III, is made of most reals twice, unless it was `copied`
///   to shared memory before;
/// - of an edge point, which is real, the imaginary part stays where it is.
fn again_and_never(pass: &Pass, copied: bool) -> (usize, usize) {
    let axis = &pass.axes[0];
    let (read, _) = pass.bytes();
    if let Some((side, length)) = pass.reals(End::Load) {
        if copied {
            return (0, 0);
        }
        // Every point is made of its own reals; a merge takes two points at a time.
        let reduction = pass.reduction(axis);
        let core = reduction.length.of(axis.length).expect("a length");
        let merged = reduction.middle == Middle::Merge;
        let points: Vec<usize> = match pass.load.reals {
            Some(line) => {
                let merged = pass.load.halves();
                let mut all = points_of_parts(pass);
                // What a convolution pads is zero.
                all.retain(|&p| p < line.points());
                all.extend(merged.map(|_| line.points()));
                all
            }
            None => (0..core + usize::from(merged)).collect(),
        };
        // By real columns, in one tile: of half of them, and one.
        let (side, points) = match pass.steps.first() {
            Some(&Step::RealColumns { columns, rows, .. }) => {
                let of = |n1: usize| (0..=rows / 2).map(move |n2| n1 * rows + n2);
                (
                    &axis.kind.row().whole.load,
                    (0..columns).flat_map(of).collect(),
                )
            }
            _ => (side, points),
        };
        let reals = points.into_iter().flat_map(|p| side.reals(length, p));
        let given = reals.flatten().filter(|r| axis.ranges.load.contains(&r.0));
        let line = axis.ranges.load.len() * pass.math.storage.bytes();
        return (
            read / line * given.count() * pass.math.storage.bytes() - read,
            0,
        );
    }
    let point = pass.load.domain.scalars() * pass.math.storage.bytes();
    let lines = read / point / axis.ranges.load.len();
    let even = axis.length.is_multiple_of(2);
    let inside = |n: usize| usize::from(axis.ranges.load.contains(&n));
    // The line that the load mirrors; odd lines are never split in pairs.
    let mirrored = pass
        .load
        .hermitian
        .or((axis.kind == Kind::C2R && !even).then_some(axis.length));
    let twice = mirrored.map_or(0, |length| {
        let points = match pass.load.hermitian {
            Some(_) => points_of_parts(pass),
            None => (0..length).collect(),
        };
        let points = points.into_iter().filter(|&n| n < length);
        let all: usize = points.map(|n| inside(n.min(length - n))).sum();
        all - axis.ranges.load.len()
    });
    // One pair of reals is one complex point.
    let pair = if axis.kind == Kind::R2C {
        2 * point
    } else {
        point
    };
    let merged = pass.load.halves();
    let length = pass.load.hermitian.or(merged.map(|points| 2 * points));
    let length = length.unwrap_or(axis.length);
    let edges = match pass.load.edges.map_or(0, |e| e.count) {
        0 => 0,
        1 => inside(0),
        _ => inside(0) + inside(length / 2),
    };
    (lines * twice * pair, lines * edges * point / 2)
}

/// The points of the whole line that the pass' parts have: of real columns that mirror each other, and of rows
/// that do, one of two.
fn points_of_parts(pass: &Pass) -> Vec<usize> {
    let axis = &pass.axes[0];
    let parts = pass.loops.iter().filter(|l| l.load.index > 0);
    let own = (0..axis.length).map(|i| i * axis.load.index).collect();
    parts.fold(own, |all: Vec<usize>, l| {
        let of = |p: &usize| {
            (0..l.count)
                .map(|i| p + i * l.load.index)
                .collect::<Vec<_>>()
        };
        all.iter().flat_map(of).collect()
    })
}

/// What is wrong with the traffic of a request, if anything.
pub fn traffic(probe: Probe, request: &Request) -> Vec<String> {
    traffic_of(mmafft::plan, probe, request)
}

pub fn traffic_of(plan: PlanFn, probe: Probe, request: &Request) -> Vec<String> {
    let Some((plan, records)) = launches_of(plan, probe, request) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for (i, (pass, record)) in plan.passes.iter().zip(&records).enumerate() {
        let (read, written) = pass.bytes();
        let copied = step(&record.program, 1, "reals_in") == constant("REALS_LOADED");
        let (again, never) = again_and_never(pass, copied);
        let expected = ((read + again - never) as u64, written as u64);
        let got = (record.counters.bytes_read, record.counters.bytes_written);
        let program = &record.program;
        let most = record.tiles as i64 * head(program, "threads") * head(program, "values");
        let most = most as u64 * 2 * pass.math.storage.bytes() as u64;
        let more = (expected.0..=most.max(expected.0)).contains(&got.0) && got.1 == expected.1;
        // Lanes beyond the last column, which nobody asks, read once more what caches have.
        let more = more && head(program, "unasked") != 0;
        if got != expected && !more {
            wrong.push(format!(
                "pass {i} reads and writes {got:?}, not {expected:?}: {request:?}"
            ));
        }
    }
    wrong
}

#[test]
fn every_byte_is_read_once_and_written_once() {
    let mut wrong = Vec::new();
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for case in cases() {
            wrong.extend(traffic_of(
                case.plan,
                case.probe(vendor, ORDERS[0]),
                &case.request,
            ));
        }
        let probe = || Probe::new(vendor, ORDERS[0]);
        let requests = mmafft_testing::requests(probe().backend().limits());
        for request in requests.iter().skip(v).step_by(5) {
            wrong.extend(traffic(probe(), request));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What all passes of a request read and write.
fn total(request: Request, tile_bytes: Option<usize>) -> (usize, u64, u64) {
    let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(tile_bytes);
    let (plan, records) = launches(probe, &request).expect("every device has butterflies");
    let sum = |f: fn(&Record) -> u64| records.iter().map(f).sum();
    let read = sum(|r| r.counters.bytes_read);
    (plan.passes.len(), read, sum(|r| r.counters.bytes_written))
}

#[test]
fn zero_ranges_save_their_bytes() {
    let line = || Request::forward(Shape::d1(200)).batch(3);
    assert_eq!(total(line(), None), (1, 4800, 4800));
    assert_eq!(
        total(line().nonzero_input(0, 3..77), None),
        (1, 3 * 74 * 8, 4800)
    );
    assert_eq!(
        total(line().wanted_output(0, 5..31), None),
        (1, 4800, 3 * 26 * 8)
    );
    let real = || Request::r2c(Shape::d1(200)).precision(Precision::F64);
    assert_eq!(total(real(), None), (1, 1600, 1616));
    // An odd beginning and end cut pairs in halves.
    let part = real().nonzero_input(0, 3..78).wanted_output(0, 7..9);
    assert_eq!(total(part, None), (1, 75 * 8, 2 * 16));
    let half = Request::c2r(Shape::d1(200)).wanted_output(0, 3..78);
    assert_eq!(total(half, None), (1, 101 * 8, 75 * 4));
    // Two passes: what lies between them is whole.
    let long = || Request::forward(Shape::d1(1024));
    let tile = Some(4 << 10);
    assert_eq!(total(long(), tile), (2, 2 * 8192, 2 * 8192));
    let part = long().nonzero_input(0, 100..300).wanted_output(0, 7..9);
    assert_eq!(total(part, tile), (2, 8192 + 200 * 8, 8192 + 2 * 8));
}

/// Butterflies look up each twiddle once a value, and nothing else; but those of values 4a + b are products of
/// two, where a launch does not say that FP64 looks up each.
#[test]
fn twiddles_are_looked_up_once() {
    for n in [16, 64, 96, 360, 1155] {
        for (precision, pair) in [(Precision::F32, 8), (Precision::F64, 16)] {
            let request = Request::forward(Shape::d1(n)).precision(precision).batch(5);
            let probe = Probe::new(Vendor::Nvidia, ORDERS[0]);
            let (plan, records) = launches(probe, &request).expect("every device has butterflies");
            let Record {
                program,
                tiles,
                counters,
                ..
            } = &records[0];
            let pass = &plan.passes[0];
            let large = pass.steps.iter().filter_map(Step::radix).any(|r| r > 27);
            let asked = pass.tile.launch.is_some_and(|launch| launch.looked_up);
            let each = precision == Precision::F64 && (large || asked);
            assert_eq!(
                head(program, "powers"),
                i64::from(!each),
                "{n} {precision:?}"
            );
            let factors = |i| match step(program, i, "twiddle") {
                _ if step(program, i, "op") != constant("OP_DFT") => 0,
                -1 => 0,
                _ => {
                    let others = step(program, i, "radix") - 1;
                    let looked_up = match head(program, "powers") {
                        0 => others,
                        _ => others.min(3) + others / 4,
                    };
                    step(program, i, "groups") * looked_up
                }
            };
            let steps = head(program, "steps") as usize;
            let factors: i64 = (0..steps).map(factors).sum::<i64>() * head(program, "threads");
            assert_eq!(
                counters.constant_bytes,
                tiles * factors as u64 * pair,
                "{n} {precision:?}"
            );
        }
    }
}
