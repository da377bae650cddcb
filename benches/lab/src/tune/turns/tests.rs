//! Whatever is tried takes turns, and can be lowered.

use super::*;
use mmafft::backend_traits::device::{lower, Driver};
use mmafft::emulated::EmulatedDriver;
use mmafft::{Kind, Precision, Shape};

#[test]
fn turns_have_candidates_that_can_be_launched() {
    let driver = EmulatedDriver::nvidia();
    // What turns keep is a share of what runs at once.
    let limits = &Limits {
        workers: 132,
        architecture: "sm_90".into(),
        ..driver.limits().clone()
    };
    let real = |kind, shape| Request::of_kind(kind, shape);
    for (request, batch) in [
        (Request::forward(Shape::d2(360, 640)), 500),
        (Request::forward(Shape::d1(1 << 18)), 500),
        (Request::forward(Shape::d3(64, 64, 64)), 500),
        (real(Kind::R2HC, Shape::d2(300, 400)), 2000),
        (
            real(Kind::HC2R, Shape::d2(256, 256)).precision(Precision::F64),
            2000,
        ),
        (real(Kind::Dct2, Shape::d1(1 << 19)), 500),
        (real(Kind::Dct1, Shape::d2(257, 257)), 2000),
        (real(Kind::Dct3, Shape::d3(64, 64, 64)), 500),
    ] {
        let request = request.batch(batch);
        let shape = request.shape.clone();
        let plain = mmafft::lab::plan_pass_by_pass(&request, limits).expect("a plan");
        let (mut taken, mut all) = (0, 0);
        for parts in parts::of_two(&plain, 2) {
            let plan = parts
                .as_ref()
                .map(|parts| mmafft::lab::plan_in_parts(&request, limits, parts));
            let plan = plan.unwrap_or(Ok(plain.clone())).expect("a plan");
            let passes = <&[Pass; 2]>::try_from(&plan.passes[..]).expect("two passes");
            let rules = candidates(passes, batch, limits, 4);
            assert!(rules.len() > 2, "{shape}: {rules:?}");
            let varied = varied(passes, &rules[0], limits);
            assert!(varied.len() > 2, "{shape}: {varied:?}");
            all += rules.len() + varied.len();
            for pair in rules.iter().chain(&varied) {
                let plan = mmafft::lab::plan_in_turns_by(&request, limits, pair, parts.as_deref());
                let plan = plan.expect("a plan");
                taken += usize::from(plan.turns.is_some());
                for pass in &plan.passes {
                    let lowered = lower(pass, &driver.geometry());
                    assert!(lowered.is_ok(), "{shape}: {pair:?}: {lowered:?}");
                }
            }
        }
        // And whole, as `tune` makes it of a request without axes: by keys of the device, then by its rows.
        let mut table = Table::read(std::path::Path::new("no table")).expect("an empty one");
        let first = Trial::new(&request, limits, false, &table).expect("a trial");
        assert!(first.name().contains("first in turns"), "{}", first.name());
        // Rows of the architecture are rows too.
        for (key, rule) in first.keys.iter().zip(&first.all[0].rules) {
            table.rows.insert(key.clone(), rule.row());
            assert!(table.has(key, limits), "{key}");
        }
        if let Some(list) = &first.all[0].parts {
            table
                .rows
                .insert(first.keys[2].clone(), parts::row(list, 0.5));
        }
        let otherwise = Trial::new(&request, limits, true, &table).expect("a trial");
        assert!(otherwise.plans().count() > 1, "{shape}");
        // Blocks of a few threads have too little under way, and some lists of factors take no turns.
        assert!(3 * taken > all, "{shape}: {taken} of {all}");
    }
}
