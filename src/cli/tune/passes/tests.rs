//! Whatever a round tries can be lowered, and is found by its name.

use super::*;
use mmafft::backend_traits::device::{lower, Driver};
use mmafft::emulated::EmulatedDriver;
use mmafft::{Kind, Precision, Request, Shape};

/// No more than a user waits for.
const MOST: usize = 40;

fn arguments() -> Arguments {
    use clap::{Args, Command, FromArgMatches};
    let command = Arguments::augment_args(Command::new("tune"));
    let matches = command.get_matches_from(["tune", "-o", "rules.csv"]);
    Arguments::from_arg_matches(&matches).expect("arguments")
}

#[test]
fn rounds_have_candidates_that_can_be_launched() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let real = |kind, shape| Request::real(kind, shape);
    for (request, count) in [
        (Request::forward(Shape::d1(1000)), 1),
        (Request::forward(Shape::d1(14)).precision(Precision::F64), 1),
        (
            Request::forward(Shape::d1(4096)).precision(Precision::F16),
            1,
        ),
        (Request::forward(Shape::d1(1 << 18)), 2),
        (Request::forward(Shape::d2(48, 50)), 1),
        (Request::forward(Shape::d1(1021)), 1),
        (Request::r2c(Shape::d2(32, 64)), 1),
        (Request::c2r(Shape::d2(360, 640)), 2),
        (
            real(Kind::R2HC, Shape::d1(6000)).precision(Precision::F64),
            1,
        ),
        (real(Kind::HC2R, Shape::d1(1001)), 1),
        (real(Kind::Dct1, Shape::d1(513)), 1),
        (real(Kind::Dst1, Shape::d2(49, 49)), 1),
        (real(Kind::Dct3, Shape::d1(18)), 1),
        (real(Kind::Dct2, Shape::d2(256, 256)), 2),
        (
            real(Kind::Dct4, Shape::d3(24, 24, 24)).precision(Precision::F64),
            1,
        ),
    ] {
        let request = request.batch(1000);
        let shape = request.shape.clone();
        let plan = mmafft::plan_pass_by_pass(&request, limits).expect("a plan");
        assert_eq!(plan.passes.len(), count, "{shape}");
        for pass in &plan.passes {
            let key = rules::key(pass, limits).expect("a key");
            let mut tuned = Tuned::new(key.clone(), plan.clone(), pass.clone());
            let passes = BTreeMap::from([(key.clone(), (plan.clone(), pass.clone()))]);
            for round in 0..ROUNDS {
                let all = tuned.candidates(round, None, &arguments(), limits);
                let least = [6, 1, 0][round];
                if std::env::var_os("SHOW").is_some() {
                    println!("{key} {round} {}", all.len());
                    for r in all.iter().take(if round == 0 { 50 } else { 4 }) {
                        println!("    {}", r.row());
                    }
                }
                let few = !ranked(pass) || (least..=MOST).contains(&all.len());
                assert!(few, "{key}, round {round}: {}", all.len());
                for rule in &all {
                    let plan = of_name(&name(&key, rule), &passes, limits).expect("a plan");
                    let named = &plan.passes[0];
                    let lowered = lower(named, &driver.geometry());
                    assert!(lowered.is_ok(), "{key}: {rule:?}: {lowered:?}");
                    let mut pass = pass.clone();
                    rule.apply(&mut pass, limits);
                    assert_eq!(pass.tile, named.tile);
                    assert_eq!(pass.steps, named.steps);
                }
                tuned.all.extend(all);
            }
        }
    }
}
