//! Half spectra of several axes in one tile: R2C makes them there, C2R makes reals of them. Both take as many passes, but
//! where an odd halved axis has a prime factor above 13, and each pass reads and writes a byte once.

use crate::accesses::traffic;
use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::device::{lower, Driver};
use mmafft::{Backend, Direction, Engine, Error, Kind, Layout, Precision, Request, Shape};
use mmafft_testing::{check, random_request};

/// On one multiprocessor a tile need not leave others to do.
pub fn probe(vendor: Vendor, number: usize) -> Probe {
    let probe = Probe::new(vendor, ORDERS[number % ORDERS.len()]);
    probe.tile_bytes(Some(16 << 10)).workers(1)
}

/// What is wrong with a request, in one order of threads.
pub fn wrong(vendor: Vendor, number: usize, request: &Request) -> Vec<String> {
    let backend = probe(vendor, number).backend();
    let mut wrong = traffic(probe(vendor, number), request);
    if let Err(what) = check(&backend, mmafft::plan, request, 1.0) {
        let plan = mmafft::plan(request, backend.limits()).expect("a plan");
        wrong.push(format!("{vendor:?}: {what}\n{}", plan.explain()));
    }
    wrong
}

/// Passes of a request; `None` where the device has it not.
pub fn passes(vendor: Vendor, request: &Request) -> Option<usize> {
    match mmafft::plan(request, probe(vendor, 0).backend().limits()) {
        Err(Error::Unsupported { .. }) => None,
        plan => Some(plan.expect("a plan").passes.len()),
    }
}

/// Random requests of so many seeds of each vendor that are `of` some sort, more than `least`.
pub fn random(seeds: u64, least: usize, of: fn(&Request) -> bool) {
    let (mut all, mut ran) = (Vec::new(), 0);
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        let limits = probe(vendor, 0).backend().limits().clone();
        for seed in 0..seeds {
            let request = random_request(seed + 100_000 * (v as u64 + 1), &limits);
            if of(&request) {
                ran += 1;
                all.extend(wrong(vendor, seed as usize, &request));
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran > least, "{ran}");
}

#[test]
fn half_spectra_take_as_many_passes_both_ways() {
    let mut all = Vec::new();
    for vendor in Vendor::ALL {
        for (shape, expected) in [
            (Shape::d2(32, 32), 1),
            (Shape::d2(30, 50), 1),
            (Shape::d2(15, 22), 1),
            (Shape::d2(8, 15), 1),
            (Shape::d2(22, 13), 1),
            (Shape::d2(9, 75), 1),
            (Shape::d2(5, 3), 1),
            (Shape::d3(7, 4, 9), 1),
            (Shape::d3(26, 4, 5), 1),
            (Shape::d3(5, 40, 15), 2),
            (Shape::d2(4, 74), 1),
            (Shape::d2(3, 134), 1),
            (Shape::d3(8, 8, 8), 1),
            (Shape::d3(6, 9, 10), 1),
            (Shape::d3(5, 40, 36), 2),
            (Shape::d3(5, 27, 26), 2),
        ] {
            let c2r = Request::c2r(shape.clone());
            for request in [Request::r2c(shape), c2r.clone().in_place(), c2r] {
                let request = request.batch(3);
                if passes(vendor, &request) != Some(expected) {
                    all.push(format!("{vendor:?}: not {expected} passes: {request:?}"));
                }
                all.extend(wrong(vendor, all.len(), &request));
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

/// Odd halved axes, among them sums over shared memory, Rader's and Bluestein's convolutions; axes in another order;
/// rows apart from each other; parts.
#[test]
fn half_spectra_of_all_lengths_become_reals() {
    let of = |dims: &[usize]| Request::c2r(Shape::new(dims)).batch(3);
    let mut requests: Vec<Request> = [
        &[4, 17][..],
        &[4, 37],
        &[6, 111],
        &[4, 85],
        &[5, 67],
        &[7, 47],
        &[21, 37],
        &[3, 3, 134],
        &[9, 3, 17],
        &[3, 5, 11],
    ]
    .map(of)
    .to_vec();
    requests.push(of(&[16, 12]).axes(&[1, 0]));
    requests.push(of(&[17, 12]).axes(&[1, 0]));
    requests.push(of(&[6, 3, 16]).axes(&[0, 2]));
    requests.push(of(&[12, 16]).nonzero_input(0, 3..9));
    requests.push(of(&[12, 16]).wanted_output(1, 2..13));
    let loose = |row: usize| Layout::strided(&[row + 3, 1]).distance(12 * (row + 3) + 5);
    let apart = of(&[12, 16]).input_layout(loose(9));
    requests.push(apart.output_layout(loose(16)));

    let (mut all, mut ran) = (Vec::new(), 0);
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for (i, request) in requests.iter().enumerate() {
            for precision in [
                Precision::F32,
                Precision::F64,
                Precision::F16,
                Precision::Bf16,
                Precision::SplitF16,
            ] {
                for engine in [Engine::Simt, Engine::Matrix] {
                    let request = request.clone().precision(precision).engine(engine);
                    if passes(vendor, &request).is_none() {
                        continue;
                    }
                    ran += 1;
                    all.extend(wrong(vendor, i + v, &request));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    // NVIDIA has no products of FP32.
    assert_eq!(ran, (9 + 10) * requests.len());
}

#[test]
fn random_half_spectra_in_few_tiles() {
    random(12_000, 1000, |request| {
        matches!(request.kind, Kind::R2C | Kind::C2R) && request.shape.rank() > 1
    });
}

/// The planner has odd halved axes in a pass of their own where they begin with a sum; a pass made by hand is refused.
#[test]
fn sums_over_half_spectra_in_a_tile_are_refused() {
    for vendor in Vendor::ALL {
        let probe = probe(vendor, 0);
        let geometry = probe.geometry();
        let backend = probe.backend();
        let request = Request::c2r(Shape::d2(4, 74)).batch(3);
        let plan = mmafft::plan(&request, backend.limits()).expect("a plan");
        let mut pass = plan.passes[0].clone();
        assert_eq!((plan.passes.len(), pass.axes[1].length), (1, 74));
        assert!(lower(&pass, &geometry).is_ok());
        pass.axes[1].length = 37;
        pass.axes[1].ranges.load = 0..19;
        pass.axes[1].ranges.store = 0..37;
        let error = lower(&pass, &geometry)
            .expect_err("no such pass")
            .to_string();
        assert!(error.contains("a sum over a half spectrum"), "{error}");
    }
}

/// A plan that may have no scratch takes a way without, of more passes.
#[test]
fn without_scratch_half_spectra_become_reals_by_more_passes() {
    let limits = Probe::new(Vendor::Nvidia, ORDERS[0])
        .backend()
        .limits()
        .clone();
    let of = |shape| Request::directed(Kind::C2R, Direction::Inverse, shape).batch(limits.workers);
    let passes = |request: &Request| {
        let plan = mmafft::plan(request, &limits).expect("a plan");
        (plan.passes.len(), plan.scratch_bytes > 0)
    };
    let request = of(Shape::d3(64, 64, 64));
    assert_eq!(passes(&request), (2, true));
    assert_eq!(passes(&request.scratch_limit(0)), (3, false));
    let whole = of(Shape::d3(8, 8, 8)).scratch_limit(0);
    assert_eq!(passes(&whole), (1, false));
}
