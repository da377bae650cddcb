//! Choices by a clock that knows what each plan takes.

use super::*;
use crate::planner::{fits::invented, plan_by};
use mmafft_backend_traits::{radix::BUTTERFLIES, Error, Kind, Precision, Shape, Slot};

/// A clock that knows what a plan takes, and counts what it is asked.
struct Known<F>(F, usize);

impl<F: Fn(&Plan) -> Option<f64>> Clock for Known<F> {
    fn seconds(&mut self, plans: &[Plan]) -> Vec<Option<f64>> {
        self.1 += plans.len();
        plans.iter().map(&self.0).collect()
    }
}

fn device() -> Limits {
    Limits {
        architecture: "sm_90".into(),
        workers: 132,
        cluster_blocks: 8,
        butterflies: BUTTERFLIES,
        precisions: vec![Precision::F32, Precision::F64, Precision::F16],
        ..invented(227 << 10)
    }
}

/// A device of an architecture that nobody has measured.
fn unknown() -> Limits {
    Limits {
        architecture: "sm_120".into(),
        ..device()
    }
}

fn threads(plan: &Plan) -> Vec<Option<usize>> {
    let launches = plan.passes.iter().map(|pass| pass.tile.launch);
    launches.map(|launch| launch.map(|l| l.threads)).collect()
}

/// Requests of one pass and of several, on devices with and without rows.
fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for kind in [Kind::C2C, Kind::R2C, Kind::C2R, Kind::Dct2, Kind::Dst1] {
        for shape in [
            Shape::d1(49),
            Shape::d1(1000),
            Shape::d1(211),
            Shape::d1(1 << 18),
            Shape::d2(60, 100),
            Shape::d2(600, 1000),
            Shape::d1(100_000),
            Shape::d2(512, 512),
            Shape::d2(1024, 1024),
        ] {
            all.push(Request::of_kind(kind, shape).batch(64));
        }
    }
    all
}

#[test]
fn the_fastest_is_chosen_and_kept() {
    for limits in [device(), unknown()] {
        for request in requests() {
            for effort in [Effort::Measure, Effort::Patient] {
                let mut wisdom = Wisdom::new(&limits, "kernels");
                // The fewest threads are the fastest, and passes add up.
                let of = |pass: &Pass| pass.tile.launch.map_or(1024, |l| l.threads) as f64;
                let time = |plan: &Plan| Some(plan.passes.iter().map(of).sum());
                let mut clock = Known(time, 0);
                measure(&request, &limits, effort, &mut wisdom, &mut clock).expect("a plan");
                assert!(clock.1 > 1, "{request:?}");
                let before = plan_by(&request, &limits, &Wisdom::new(&limits, "kernels"));
                let (before, plan) = (before.expect("a plan"), plan_by(&request, &limits, &wisdom));
                let plan = plan.expect("a plan");
                assert!(time(&plan) <= time(&before), "{request:?}");
                assert_eq!(wisdom.effort_of(&request), Some(effort));
                // What is known is not timed again, but for whole plans.
                let mut again = Known(time, 0);
                measure(&request, &limits, effort, &mut wisdom, &mut again).expect("a plan");
                assert!(
                    again.1 < clock.1,
                    "{request:?}: {} after {}",
                    again.1,
                    clock.1
                );
                let after = plan_by(&request, &limits, &wisdom).expect("a plan");
                assert_eq!(threads(&after), threads(&plan));
            }
        }
    }
}

/// Every plan that is timed has the scratch that its passes reach.
#[test]
fn passes_have_room_alone() {
    let mut turned = 0;
    for request in requests() {
        let limits = device();
        let request = request.batch(2000);
        let mut wisdom = Wisdom::new(&limits, "kernels");
        let planned = plan_by(&request, &limits, &wisdom).expect("a plan");
        turned += usize::from(planned.turns.is_some());
        let whole = plan_with(&request, &limits, &Asked::pass_by_pass(), Some(&wisdom));
        let whole = whole.expect("a plan").scratch_bytes;
        let scratch = |pass: &Pass| [pass.load.slot, pass.store.slot].contains(&Slot::Scratch);
        let time = |plan: &Plan| {
            let reaches = plan.turns.is_none() && plan.passes.iter().any(scratch);
            assert!(
                !reaches || plan.scratch_bytes >= whole,
                "{}",
                plan.explain()
            );
            Some(1.0)
        };
        let mut clock = Known(time, 0);
        measure(&request, &limits, Effort::Measure, &mut wisdom, &mut clock).expect("a plan");
    }
    assert!(turned > 3, "{turned}");
}

#[test]
fn what_does_not_run_is_not_chosen() {
    let (limits, request) = (device(), Request::forward(Shape::d1(1000)).batch(64));
    let mut wisdom = Wisdom::new(&limits, "kernels");
    let planned = plan_by(&request, &limits, &wisdom).expect("a plan");
    let mut never = Known(|_: &Plan| None, 0);
    measure(&request, &limits, Effort::Measure, &mut wisdom, &mut never).expect("a plan");
    assert_eq!(
        plan_by(&request, &limits, &wisdom).expect("a plan"),
        planned
    );
}

/// A gain within what timings differ by changes nothing.
#[test]
fn what_is_hardly_faster_stays_as_planned() {
    let (limits, request) = (device(), Request::forward(Shape::d1(1000)).batch(64));
    let mut wisdom = Wisdom::new(&limits, "kernels");
    let planned = plan_by(&request, &limits, &wisdom).expect("a plan");
    let launch = planned.passes[0].tile.launch;
    let time = |plan: &Plan| match plan.passes[0].tile.launch == launch {
        true => Some(1.0),
        false => Some(0.995),
    };
    let mut clock = Known(time, 0);
    measure(&request, &limits, Effort::Measure, &mut wisdom, &mut clock).expect("a plan");
    assert_eq!(
        plan_by(&request, &limits, &wisdom).expect("a plan"),
        planned
    );
}

#[test]
fn efforts_are_bounded() {
    for request in requests() {
        let count = |effort| {
            let (limits, time) = (unknown(), |_: &Plan| Some(1.0));
            let mut clock = Known(time, 0);
            let mut wisdom = Wisdom::new(&limits, "kernels");
            measure(&request, &limits, effort, &mut wisdom, &mut clock).expect("a plan");
            clock.1
        };
        let (measured, patient) = (count(Effort::Measure), count(Effort::Patient));
        let plan = plan_by(&request, &unknown(), &Wisdom::new(&unknown(), ""));
        let passes = plan.expect("a plan").passes.len();
        assert!(measured <= 2 + 28 * passes, "{measured}: {request:?}");
        assert!(patient >= measured, "{request:?}");
    }
}

/// Text from elsewhere: rules that do not suit are not followed.
#[test]
fn hostile_wisdom_costs_speed_alone() {
    let (limits, request) = (device(), Request::forward(Shape::d1(1000)).batch(64));
    let mut wisdom = Wisdom::new(&limits, "kernels");
    let planned = plan_by(&request, &limits, &wisdom).expect("a plan");
    let rules = [
        "7*7,1,1024,1,0",
        "10*10*10,65536,1024,1,0",
        "1000,1,32,32,0,apart",
    ];
    for rule in rules {
        let tile = Tile::By {
            rule: Box::new(Rule::parse(rule).expect("a rule")),
            alone: true,
        };
        wisdom.keep_tile(&planned.passes[0], tile, Effort::Patient, 1.0);
        assert_eq!(
            plan_by(&request, &limits, &wisdom).expect("a plan"),
            planned,
            "{rule}"
        );
    }
    wisdom.keep_way(&request, Asked::parts(&[3, 5]), Effort::Patient, 1.0);
    match plan_by(&request, &limits, &wisdom) {
        Ok(plan) => assert_eq!(plan.passes.len(), planned.passes.len()),
        Err(error) => assert!(matches!(error, Error::Unsupported { .. }), "{error}"),
    }
}
