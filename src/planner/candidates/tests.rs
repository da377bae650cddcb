//! Whatever is tried can be lowered.

use super::*;
use crate::planner::likely::likely;
use crate::planner::orders::orders;
use crate::planner::Asked;
use mmafft_backend_traits::device::{lower, Driver};
use mmafft_backend_traits::{Precision, Request, Shape};
use mmafft_emulated::EmulatedDriver;

#[test]
fn columns_may_be_of_clusters() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    for request in [
        Request::forward(Shape::d1(1 << 22)),
        Request::forward(Shape::d1(1 << 22)).precision(Precision::F64),
        Request::forward(Shape::d1(1 << 22)).precision(Precision::SplitF16),
        Request::forward(Shape::d2(4096, 64)),
    ] {
        let shape = request.shape.clone();
        let plan = crate::plan(&request.batch(100), limits).expect("a plan");
        let columns = plan.passes.iter().find(|pass| pass.axes[0].load.stride > 2);
        let pass = columns.expect("columns");
        let mut rules = first(pass, false, true, limits);
        rules.retain(|rule| rule.blocks > 1);
        assert!(rules.len() > 10, "{shape}");
        let best = rules[0].clone();
        rules.extend(near(pass, &best, limits));
        rules.extend(third(pass, &best, limits));
        for rule in rules {
            let mut pass = pass.clone();
            rule.apply(&mut pass, limits);
            let tile = (pass.tile.lines, pass.tile.residency.blocks());
            assert_eq!(tile, (rule.lines, rule.blocks), "{rule:?}");
            let lowered = lower(&pass, &driver.geometry());
            assert!(lowered.is_ok(), "{shape}: {rule:?}: {lowered:?}");
        }
    }
}

#[test]
fn clusters_have_candidates_that_can_be_launched() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    let line = |bits: u32| Request::forward(Shape::d1(1 << bits));
    for request in [
        line(15),
        line(16),
        line(14).precision(Precision::F64),
        Request::forward(Shape::d2(256, 256)),
        Request::r2c(Shape::d1(1 << 16)),
        Request::c2r(Shape::d1(1 << 17)),
        Request::of_kind(Kind::Dht, Shape::d1(1 << 15)).precision(Precision::F64),
        Request::of_kind(Kind::Dct3, Shape::d1(40_000)),
        Request::of_kind(Kind::Dct4, Shape::d1(1 << 16)),
    ] {
        let shape = request.shape.clone();
        let plan = crate::planner::plan_as(&request.batch(100), limits, &Asked::clusters(true))
            .expect("a plan");
        let pass = &plan.passes[0];
        assert!(clustered(pass), "{shape}");
        let mut rules = first(pass, false, true, limits);
        let lines = pass.axes.len() == 1;
        assert!(rules.len() > if lines { 10 } else { 0 }, "{shape}");
        rules.extend(near(pass, &rules[0], limits));
        rules.extend(third(pass, &rules[0], limits));
        for ahead in [Ahead::Early, Ahead::Late] {
            let asks = |rule: &Rule| rule.launch.ahead == Some(ahead);
            assert!(rules.iter().any(asks), "{shape}");
        }
        for rule in rules {
            let mut pass = pass.clone();
            rule.apply(&mut pass, limits);
            assert_eq!(pass.tile.residency.blocks(), rule.blocks, "{rule:?}");
            assert_eq!(pass.tile.launch, Some(rule.launch));
            let lowered = lower(&pass, &driver.geometry());
            assert!(lowered.is_ok(), "{shape}: {rule:?}: {lowered:?}");
        }
    }
}

/// Radices of each of several axes.
#[test]
fn tiles_of_several_axes_have_radices() {
    let driver = EmulatedDriver::nvidia();
    let limits = driver.limits();
    for request in [
        Request::forward(Shape::d2(64, 32)),
        Request::of_kind(Kind::Dct2, Shape::d2(64, 64)),
        Request::of_kind(Kind::R2HC, Shape::d2(60, 64)).precision(Precision::F64),
        Request::of_kind(Kind::Dct3, Shape::d3(16, 16, 16)),
        Request::of_kind(Kind::Dct1, Shape::d2(17, 33)),
        Request::r2c(Shape::d2(32, 64)),
        Request::c2r(Shape::d2(32, 64)),
    ] {
        let shape = request.shape.clone();
        let plan = crate::plan(&request.batch(1000), limits).expect("a plan");
        let pass = &plan.passes[0];
        assert!(pass.axes.len() > 1, "{shape}");
        let orders = orders(pass, limits).expect("orders");
        let rules = likely(pass, &orders, limits, 32, 4).into_iter();
        let rules: Vec<Rule> = rules.filter(|rule| rule.suits(pass, limits)).collect();
        let named = rules.iter().filter(|rule| !rule.sequence.is_empty());
        assert!(named.count() > 3, "{shape}: {rules:?}");
        for rule in rules {
            let mut pass = pass.clone();
            rule.apply(&mut pass, limits);
            let lowered = lower(&pass, &driver.geometry());
            assert!(lowered.is_ok(), "{shape}: {rule:?}: {lowered:?}");
        }
    }
}
