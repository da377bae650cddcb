//! Whatever a round tries can be lowered, and is found by its name.

use super::*;
use mmafft::backend_traits::device::{lower, Driver};
use mmafft::emulated::EmulatedDriver;
use mmafft::{Kind, Precision, Request, Shape};

/// Candidates of a round: compiling and timing more takes long.
const MOST: usize = 40;

fn arguments(others: &[&str]) -> Arguments {
    use clap::{Args, Command, FromArgMatches};
    let command = Arguments::augment_args(Command::new("tune"));
    let matches = command.get_matches_from([&["tune", "-o", "rules.csv"], others].concat());
    Arguments::from_arg_matches(&matches).expect("arguments")
}

#[test]
fn rounds_have_candidates_that_can_be_launched() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let real = |kind, shape| Request::of_kind(kind, shape);
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
        let plan = mmafft::lab::plan_pass_by_pass(&request, limits).expect("a plan");
        assert_eq!(plan.passes.len(), count, "{shape}");
        for pass in &plan.passes {
            let key = rules::key(pass, limits).expect("a key");
            let mut tuned = Tuned::new(key.clone(), plan.clone(), pass.clone());
            let passes = BTreeMap::from([(key.clone(), (plan.clone(), pass.clone()))]);
            for round in 0..ROUNDS {
                let all = tuned.candidates(round, &[], &arguments(&[]), limits);
                let least = [6, 1, 0][round];
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

/// A quick one times fewer, none of them near the best.
#[test]
fn quick_rounds_have_few_candidates() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let request = Request::of_kind(Kind::Dct3, Shape::d1(1000)).batch(1000);
    let mut tuned = tuned(&request, limits);
    let count = |tuned: &Tuned, round, others: &[&str]| {
        tuned
            .candidates(round, &[], &arguments(others), limits)
            .len()
    };
    let first = tuned.candidates(0, &[], &arguments(&["--quick"]), limits);
    assert!((2..=QUICK.tiles + 4 * QUICK.faced).contains(&first.len()));
    assert!(first.len() < count(&tuned, 0, &[]));
    tuned.all = first;
    assert_eq!(count(&tuned, 1, &["--quick"]), 0);
    assert!((1..count(&tuned, 2, &[])).contains(&count(&tuned, 2, &["--quick"])));
}

fn tuned(request: &Request, limits: &Limits) -> Tuned {
    let plan = mmafft::lab::plan_pass_by_pass(request, limits).expect("a plan");
    let pass = plan.passes[0].clone();
    let key = rules::key(&pass, limits).expect("a key");
    Tuned::new(key, plan, pass)
}

/// What is chosen stays where some of what could be faster is tried, and is timed beside it.
#[test]
fn some_candidates_are_beside_what_is_chosen() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let request = Request::of_kind(Kind::Dct2, Shape::d1(1000)).batch(1000);
    let tuned = tuned(&request, limits);
    let chosen = Rule::parse("10*5*10,2,128,4,no,0.900").expect("a rule");
    let all = |others: &[&str]| {
        tuned.candidates(0, std::slice::from_ref(&chosen), &arguments(others), limits)
    };
    let has = |all: &[Rule]| all.iter().any(|rule| is_same(rule, &chosen));
    assert!(has(&all(&[])));
    let facing = all(&["--facing"]);
    assert!(has(&facing) && facing.len() > 8, "{facing:?}");
    let faces = |rule: &&Rule| rule.launch.facing != [false; 2];
    assert_eq!(facing.iter().filter(faces).count(), facing.len() - 1);
    assert!(has(&all(&["--otherwise"])));
    // And the architecture's, where the device has a row of its own.
    let both = [
        Rule::parse("20*25,2,64,4,no,0.900").expect("a rule"),
        chosen.clone(),
    ];
    let all = tuned.candidates(0, &both, &arguments(&[]), limits);
    assert!(both
        .iter()
        .all(|rule| all.iter().any(|other| is_same(other, rule))));
    let none = tuned.candidates(0, &[], &arguments(&["--otherwise"]), limits);
    assert!(none.is_empty(), "{none:?}");
}

/// Rows are written of what is faster, and none of what did not run.
#[test]
fn rows_are_of_what_is_faster() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let row = |text: &str| Rule::parse(text).expect("a rule");
    let written = |request: &Request, before: Option<&str>, best: &[&str], was: Was| {
        let mut tuned = tuned(request, limits);
        tuned.all = best.iter().map(|text| row(text)).collect();
        let mut table = Table::read(std::path::Path::new("no table")).expect("an empty one");
        if let Some(before) = before {
            table.rows.insert(tuned.key.clone(), before.into());
        }
        tuned.write(&was, &mut table, limits, &arguments(&[]));
        table.rows.remove(&tuned.key)
    };
    let line = Request::of_kind(Kind::Dct2, Shape::d1(1000)).batch(1000);
    let new = "10*5*10,2,128,4,no,0.900";
    let old = "10*5*10,3,128,4,no,0.700";
    let was = |chosen, without| Was { chosen, without };
    let nothing = f64::NAN;
    for (before, best, was, expected) in [
        (None, &[new][..], was(nothing, 0.8), Some(new)),
        (None, &[new], was(nothing, nothing), Some(new)),
        (None, &[new], was(nothing, 0.895), None),
        (Some(old), &[new], was(0.8, 0.95), Some(new)),
        (
            Some(old),
            &[new],
            was(0.895, 0.8),
            Some("10*5*10,3,128,4,no,0.895"),
        ),
        (Some(old), &[], was(0.7, 0.8), Some(old)),
    ] {
        let row = written(&line, before, best, was);
        assert_eq!(row.as_deref(), expected, "{before:?}");
    }
    // A line in a cluster, or more passes.
    let cluster = Request::forward(Shape::d1(1 << 15)).batch(100);
    let plan = mmafft::lab::plan_in_clusters(&cluster, limits).expect("a plan");
    let key = rules::key(&plan.passes[0], limits).expect("a key");
    let of_cluster = Tuned::new(key, plan.clone(), plan.passes[0].clone());
    let all = of_cluster.candidates(0, &[], &arguments(&[]), limits);
    let mut best = all[0].clone();
    best.fraction = 0.6;
    let otherwise = &["--otherwise"][..];
    for (without, others, stays) in [
        (0.5, &[][..], true),
        (0.7, &[], false),
        (0.7, otherwise, true),
    ] {
        let mut table = Table::read(std::path::Path::new("no table")).expect("an empty one");
        table.rows.insert(of_cluster.key.clone(), all[0].row());
        let mut timed = Tuned::new(of_cluster.key.clone(), plan.clone(), plan.passes[0].clone());
        timed.all = vec![best.clone()];
        timed.write(&was(0.55, without), &mut table, limits, &arguments(others));
        assert_eq!(table.rows.contains_key(&timed.key), stays, "{without}");
    }
}

/// Beside a row of the architecture one of the device alone is written where it is faster by 2 %; it stays one.
#[test]
fn rows_of_a_device_are_beside_the_architectures() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let request = Request::of_kind(Kind::Dct2, Shape::d1(1000)).batch(1000);
    let best = |fraction| Rule {
        fraction,
        ..Rule::parse("10*5*10,2,128,4,no,0").expect("a rule")
    };
    let before = "10*5*10,3,128,4,no,0.700".to_string();
    for (own, others, fraction, expected) in [
        (false, &["--this-device"][..], 0.83, [None, Some(0.7)]),
        (false, &["--this-device"], 0.84, [Some(0.84), Some(0.7)]),
        (true, &["--this-device"], 0.825, [Some(0.825), Some(0.7)]),
        (true, &[], 0.84, [Some(0.84), Some(0.7)]),
        (false, &[], 0.84, [None, Some(0.84)]),
    ] {
        let mut tuned = tuned(&request, limits);
        tuned.all = vec![best(fraction)];
        let keys = [rules::of_device(&tuned.key, limits), tuned.key.clone()];
        let mut table = Table::read(std::path::Path::new("no table")).expect("an empty one");
        let there = if own { &keys[..] } else { &keys[1..] };
        let rows = there.iter().map(|key| (key.clone(), before.clone()));
        table.rows.extend(rows);
        let was = Was {
            chosen: 0.815,
            without: 0.5,
        };
        tuned.write(&was, &mut table, limits, &arguments(others));
        let row = |key| Some(Rule::parse(table.rows.get(key)?).expect("a rule").fraction);
        assert_eq!(keys.each_ref().map(row), expected, "{own}, {others:?}");
    }
}
