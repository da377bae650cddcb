//! Lines of type I that a thread has whole: all lengths that have a butterfly, alone, beside other axes and between passes.

use crate::accesses::{launches, traffic_of};
use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::{constant, step};
use mmafft::backend_traits::device::{lower, Driver};
use mmafft::backend_traits::radix::BUTTERFLIES;
use mmafft::backend_traits::real::LARGEST_TYPE_ONE;
use mmafft::{Backend, Kind, Layout, Normalization, Precision, Request, Shape};

const PRECISIONS: [Precision; 4] = [
    Precision::F32,
    Precision::F64,
    Precision::F16,
    Precision::Bf16,
];

/// Cosines and sines, and how many reals a line has more than N.
const KINDS: [(Kind, isize); 2] = [(Kind::Dct1, 1), (Kind::Dst1, -1)];

/// Every N of which a thread has lines.
fn lengths() -> Vec<usize> {
    let mut all = BUTTERFLIES.to_vec();
    all.retain(|n| *n <= LARGEST_TYPE_ONE);
    all.sort_unstable();
    all
}

/// Lines; planes and volumes, of odd and even numbers of reals, in a row and not; columns.
fn requests(kind: Kind, length: usize, i: usize) -> Vec<Request> {
    let of = |shape: Shape| Request::of_kind(kind, shape).batch(2 + i % 6);
    let beside = |dims: &[usize], kinds: &[Kind]| {
        let request = Request::of_kind(kinds[0], Shape::new(dims));
        request.kinds(kinds).batch(1 + i % 4)
    };
    let line = || of(Shape::d1(length));
    let spread = Layout::strided(&[2 * length + 6, 2]).offset(1 + i % 3);
    let all = [
        line(),
        line().normalization(Normalization::Ortho).in_place(),
        line().wanted_output(0, 0..length.div_ceil(2)),
        line().nonzero_input(0, length / 2..length),
        of(Shape::d2(length, length)),
        of(Shape::d2(length, length)).normalization(Normalization::Ortho),
        of(Shape::d3(3, length, 4)).in_place(),
        of(Shape::d2(length, 4)).nonzero_input(1, 1..3),
        of(Shape::d2(3, length)).batch(1).input_layout(spread),
        of(Shape::d2(length, 6)).axes(&[0]),
        beside(&[9, length], &[Kind::Dct2, kind]),
        beside(&[length, 7], &[kind, Kind::Dst4]),
        beside(&[5, length, 6], &[Kind::R2HC, kind, Kind::Dct3]),
    ];
    let precision = PRECISIONS[i % PRECISIONS.len()];
    all.map(|request| request.precision(precision)).into()
}

#[test]
fn a_thread_takes_a_line_of_any_length() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for (i, n) in lengths().into_iter().enumerate() {
        for (kind, more) in KINDS {
            let length = n.checked_add_signed(more).expect("a length");
            for (j, request) in requests(kind, length, i).iter().enumerate() {
                let vendor = Vendor::ALL[(i + j) % 2];
                let probe = || Probe::new(vendor, ORDERS[(i + j) % ORDERS.len()]).workers(1);
                let plan = mmafft::plan(request, probe().backend().limits()).expect("a plan");
                let alone = plan.passes.iter().flat_map(|pass| {
                    let axes = pass.axes.iter().filter(|axis| axis.kind == kind);
                    axes.map(|axis| pass.in_thread(axis))
                });
                // Columns may go by real columns.
                let columns = request.axes.is_some();
                if !columns && (!alone.clone().all(|alone| alone) || alone.count() == 0) {
                    wrong.push(format!("not of a thread: {}", plan.explain()));
                }
                wrong.extend(traffic_of(mmafft::plan, probe(), request));
                ran += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 600, "{ran}");
}

/// An array's axes take a step each, whose threads read every real once.
#[test]
fn reals_are_on_chip_once_an_axis() {
    for (kind, length) in [(Kind::Dct1, 21), (Kind::Dst1, 19)] {
        let request = Request::of_kind(kind, Shape::d3(length, length, length)).batch(3);
        let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).workers(1);
        let (plan, records) = launches(probe, &request).expect("butterflies");
        assert_eq!(plan.passes.len(), 1, "{}", plan.explain());
        let program = &records[0].program;
        // The copy of what memory has, in pairs, comes first.
        assert_eq!(
            step(program, 1, "reals_in"),
            constant("REALS_LOADED"),
            "{length}"
        );
        for i in 1..4 {
            assert_ne!(step(program, i, "type_one"), constant("TYPE_ONE_NONE"));
            assert_eq!(step(program, i, "radix"), length as i64);
        }
        let reals = (3 * length.pow(3)) as u64;
        let counters = &records[0].counters;
        // Cells of two reals, the last of an array half full; reals between axes.
        let written = 3 * (length.pow(3).div_ceil(2) as u64) + 2 * reals;
        assert_eq!(counters.shared_writes, written, "{length}");
    }
}

/// Tiles of as many lines as threads have room for are planned, and no more.
#[test]
fn threads_have_room_for_their_lines() {
    let driver = Probe::new(Vendor::Nvidia, ORDERS[0]).workers(1).backend();
    let geometry = driver.driver().geometry();
    for dims in [[33, 32, 23], [33, 33, 22], [33, 33, 33], [32, 32, 32]] {
        for precision in [Precision::F64, Precision::F32] {
            let request = Request::of_kind(Kind::Dct1, Shape::new(&dims)).precision(precision);
            let request = request
                .kinds(&[Kind::Dct1, Kind::Dct1, Kind::Dst1])
                .batch(500);
            let plan = mmafft::plan(&request, driver.limits()).expect("a plan");
            for pass in &plan.passes {
                let lowered = lower(pass, &geometry);
                assert!(lowered.is_ok(), "{:?}: {}", lowered.err(), plan.explain());
            }
        }
    }
}
