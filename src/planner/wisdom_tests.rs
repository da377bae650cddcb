use super::*;
use crate::planner::fits::invented;
use mmafft_backend_traits::{Launch, Shape};

fn pass() -> Pass {
    let plan = crate::plan(&Request::forward(Shape::d1(1024)), &invented(227 << 10));
    plan.expect("a plan").passes[0].clone()
}

fn wise() -> Wisdom {
    let limits = invented(227 << 10);
    let mut wisdom = Wisdom::new(&limits, "kernels");
    let rule =
        Rule::parse("32*32,4,128,2,0.000,facing first+facing last+2 neighbours").expect("a rule");
    let alone = false;
    let tile = Tile::By {
        rule: Box::new(rule),
        alone,
    };
    wisdom.keep_tile(&pass(), tile, Effort::Measure, 1e-5);
    let request = Request::forward(Shape::d1(1024));
    wisdom.keep_way(&request, Asked::default(), Effort::Patient, 2e-5);
    wisdom
}

#[test]
fn what_is_exported_is_imported() {
    let wise = wise();
    let mut other = Wisdom::new(&invented(227 << 10), "kernels");
    assert_eq!(other.import(&wise.export()).expect("wisdom"), 2);
    assert_eq!(other, wise);
    let Some(Tile::By { rule, .. }) = other.tile(&pass()) else {
        panic!("no tile");
    };
    let facing = [true; 2];
    let neighbours = 2;
    let launch = Launch {
        facing,
        neighbours,
        ..Launch::new(128, 2)
    };
    assert_eq!(rule.launch, launch);
}

#[test]
fn other_devices_and_kernels_are_not_followed() {
    let text = wise().export();
    let limits = invented(227 << 10);
    let mut changed = Wisdom::new(&limits, "kernels, changed");
    assert_eq!(changed.import(&text).expect("wisdom"), 0);
    let device = "another".into();
    let mut elsewhere = Wisdom::new(&Limits { device, ..limits }, "kernels");
    assert_eq!(elsewhere.import(&text).expect("wisdom"), 0);
}

#[test]
fn what_is_damaged_is_refused_whole() {
    let good = wise().export();
    let line = good.lines().nth(1).expect("a choice");
    for bad in [
        "nonsense",
        "a\tb\tc\td\tmeasure\ttile x\t1",
        "a\tb\tc\td\tmeasure\tlines 0\t1",
        "a\tb\tc\td\tmeasure\tway over there\t1",
        &format!("{line}\tmore"),
    ] {
        let mut wisdom = Wisdom::new(&invented(227 << 10), "kernels");
        let error = wisdom.import(&format!("{good}{bad}\n")).expect_err(bad);
        assert!(error.to_string().contains("no choice is `"), "{error}");
        assert_eq!(wisdom.len(), 0);
    }
}
