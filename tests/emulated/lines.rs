//! Lines of reals of every length up to 512, by every kind, as [`tests/real.rs`](../real.rs) has them on the CPU: no rule
//! or route leaves out a length.

use crate::probe::{Probe, Vendor, ORDERS};
use crate::reals::kinds;
use mmafft::{Precision, Request, Shape};
use mmafft_testing::{by_products, check};
use rayon::prelude::*;

const LONGEST: usize = 512;

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
    let wrong = |i: usize| {
        let (kind, n) = (kinds[i % kinds.len()], 1 + i / kinds.len());
        // Type I of one cosine is none.
        let all = precisions(i).filter(|_| kind.logical_length(n) > 0);
        let wrong = all.enumerate().filter_map(|(at, (vendor, precision))| {
            let request = Request::of_kind(kind, Shape::d1(n)).precision(precision);
            let request = by_products(request.batch(1 + (i + at) % 3));
            let backend = Probe::new(vendor, ORDERS[(i + at) % ORDERS.len()]).backend();
            let what = check(&backend, mmafft::plan, &request, 1.0).err()?;
            Some(format!("{vendor:?}: {what}: {request:?}"))
        });
        wrong.collect::<Vec<_>>()
    };
    let cases = (0..kinds.len() * LONGEST).into_par_iter();
    let wrong: Vec<String> = cases.flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
