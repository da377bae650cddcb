//! Lines of reals of every length up to 512, by every kind, as [`tests/real.rs`](../real.rs) has them on the CPU: no rule
//! or route leaves out a length.

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::backend_traits::conformance::check;
use mmafft::{Kind, Precision, Request, Shape, KINDS};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const LONGEST: usize = 512;

fn kinds() -> Vec<Kind> {
    let kinds = KINDS.iter().map(|row| row.kind);
    kinds.filter(|kind| kind.is_real_to_real()).collect()
}

/// On both vendors in single and double precision, and on one in another, in one order of threads each.
#[test]
fn every_length_of_every_kind() {
    let narrow = [Precision::F16, Precision::Bf16, Precision::SplitF16];
    let precisions = |i: usize| {
        let wide = [Precision::F32, Precision::F64].into_iter();
        let wide = wide.flat_map(|precision| Vendor::ALL.map(|vendor| (vendor, precision)));
        let one = (Vendor::ALL[i % 2], narrow[i % narrow.len()]);
        wide.chain([one])
    };
    let kinds = kinds();
    let cases = kinds.len() * LONGEST;
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        if i >= cases {
            return;
        }
        let (kind, n) = (kinds[i % kinds.len()], 1 + i / kinds.len());
        if kind.logical_length(n) == 0 {
            continue;
        }
        for (at, (vendor, precision)) in precisions(i).enumerate() {
            let request = Request::real(kind, Shape::d1(n)).precision(precision);
            let request = request.batch(1 + (i + at) % 3);
            let backend = Probe::new(vendor, ORDERS[(i + at) % ORDERS.len()]).backend();
            if let Err(what) = check(&backend, mmafft::plan, &request, 1.0) {
                let what = format!("{vendor:?}: {what}: {request:?}");
                wrong.lock().expect("no thread panics").push(what);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
