//! Passes of products and butterflies, as rules ask for them.

use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::lab::rules::Rule;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Backend, Engine, Limits, Plan, Precision, Request, Result, Shape};
use mmafft_testing::check;
use std::cell::Cell;

thread_local! {
    /// The rule of all passes, as the table has it.
    static RULE: Cell<&'static str> = const { Cell::new("") };
}

/// A plan whose passes follow the rule, and no other one.
fn by_rule(request: &Request, limits: &Limits) -> Result<Plan> {
    let rule = Rule::parse(RULE.get()).expect("a rule");
    let free = Limits {
        architecture: String::new(),
        ..limits.clone()
    };
    let mut plan = plan_as(request, &free, &Asked::clusters(true))?;
    for pass in &mut plan.passes {
        assert!(rule.suits(pass, &free), "{rule:?}: {pass:?}");
        rule.apply(pass, &free);
    }
    Ok(plan)
}

/// Runs a request by a rule in all orders of threads, arrays of other scales beside each other.
fn runs(vendor: Vendor, request: &Request, rule: &'static str) {
    RULE.set(rule);
    for order in ORDERS {
        let backend = Probe::new(vendor, order).backend();
        let plan = by_rule(request, backend.limits()).expect("a plan");
        let text = plan.explain().to_string();
        assert!(
            text.contains(" by simt") && text.contains("[matrix"),
            "{text}"
        );
        let wide = request.precision.row().storage.bytes() > 2;
        if let Err(what) = check(&backend, by_rule, request, if wide { 1e3 } else { 1.0 }) {
            panic!("{vendor:?}, {order:?}, {rule}: {what}\n{text}");
        }
    }
}

fn line(n: usize, precision: Precision) -> Request {
    let request = Request::forward(Shape::d1(n)).precision(precision);
    request.engine(Engine::Matrix).batch(5)
}

#[test]
fn lines() {
    for vendor in Vendor::ALL {
        for precision in [
            Precision::SplitF16,
            Precision::F16,
            Precision::Bf16,
            Precision::F64,
        ] {
            for (n, rule) in [
                (256, "16*(16),4,64,4,0"),
                (512, "(32)*16,2,64,4,0,2 neighbours"),
                (512, "(4)*16*8,2,128,2,0,apart"),
                (1024, "16*(8)*8,1,64,4,0"),
                (2000, "16*(25*5),1,256,2,0"),
                (240, "(15)*16,3,64,4,0"),
                (96, "3*(32),3,32,4,0"),
            ] {
                runs(vendor, &line(n, precision), rule);
            }
        }
        // Convolutions: Rader's of 256 points, a chirp's of 512.
        for (n, rule) in [
            (257, "16*(16)"),
            (257, "(16)*16"),
            (227, "16*(32)"),
            (227, "(32)*16"),
        ] {
            let rule: &'static str = format!("{rule},1,64,2,0").leak();
            runs(vendor, &line(n, Precision::SplitF16), rule);
        }
        // Joined products beside a butterfly, and two scaled columns of one line.
        for rule in [
            "64*(16),2,64,2,0",
            "(8)*128,1,64,2,0,2 neighbours",
            "16*(4)*16,1,64,2,0",
        ] {
            runs(vendor, &line(1024, Precision::SplitF16), rule);
        }
    }
}

/// A pass of products has one at least, radices that it can be made of, and threads with room for its values.
#[test]
fn rules_without_products() {
    let driver = Vendor::Nvidia.driver();
    let limits = mmafft::backend_traits::device::Driver::limits(&driver);
    let suits = |n: usize, rule: &str| {
        let plan = plan_as(
            &line(n, Precision::SplitF16),
            limits,
            &Asked::clusters(true),
        )
        .expect("a plan");
        let rule = Rule::parse(rule).expect("a rule");
        rule.suits(&plan.passes[0], limits)
    };
    assert!(suits(256, "(16)*16,4,64,4,0"));
    assert!(suits(1 << 15, "16*(8*16*16),1,256,2,0,8 blocks"));
    assert!(suits(49152, "(8*16*24)*16,1,256,2,0,8 blocks"));
    assert!(suits(4096, "(16*16)*16,4,512,1,0"));
    for (n, rule) in [
        (256, "(16*16),4,64,4,0"),
        (200, "20*(10),4,64,4,0"),
        (1 << 15, "(16*8*16*16),1,256,2,0,8 blocks"),
        // A radix that is no product, ones that are no butterflies.
        (49152, "(8*16*16)*24,1,256,2,0,8 blocks"),
        (1 << 15, "16*(64*32),1,256,2,0,8 blocks"),
        // Threads that would have 512 values.
        (4096, "(16*16)*16,4,32,1,0"),
        (1 << 15, "16*(8*16*16),1,32,2,0,8 blocks"),
        // A joined product whose results go to other blocks.
        (1 << 15, "16*32*(16*4),1,256,2,0,8 blocks"),
    ] {
        assert!(!suits(n, rule), "{rule}");
    }
}

/// Neighbouring columns, and passes that share a line and have its roots.
#[test]
fn columns() {
    let plane = Request::forward(Shape::d2(128, 20)).axes(&[0]);
    let plane = plane.precision(Precision::SplitF16).batch(2);
    let parts = line(1 << 16, Precision::SplitF16).batch(2);
    for vendor in Vendor::ALL {
        for rule in [
            "16*(8),8,128,2,0",
            "(8)*16,8,128,2,0,2 neighbours",
            "(8)*16,8,64,2,0,apart",
        ] {
            runs(vendor, &plane, rule);
        }
        if vendor == Vendor::Amd {
            for rule in ["16*(16),16,256,2,0", "(16)*16,16,256,2,0,2 neighbours"] {
                runs(vendor, &parts, rule);
            }
        }
    }
}

#[test]
fn clusters() {
    // A product at either end, beside the exchange between blocks, and on both sides of it.
    for (bits, rule) in [
        (15, "16*(8*16*16),1,256,2,0,8 blocks"),
        (15, "(16*8*16)*16,1,512,1,0,4 blocks"),
        (15, "16*16*(8*16),1,256,2,0,8 blocks"),
        (15, "(16*16)*8*16,1,512,1,0,4 blocks"),
        (16, "16*(16*8*32),1,512,1,0,8 blocks"),
        (16, "16*16*(8*32),1,512,1,0,8 blocks"),
        (16, "32*(8*16*16),1,512,1,0,8 blocks"),
        (16, "(16*16*8)*32,1,512,1,0,8 blocks"),
        // As the table has it.
        (15, "(16*16*4)*32,1,256,2,0,8 blocks"),
        (16, "(32*16*4)*32,1,512,1,0,8 blocks"),
        (15, "32*64*(16),1,512,1,0,4 blocks"),
    ] {
        runs(
            Vendor::Nvidia,
            &line(1 << bits, Precision::SplitF16).batch(2),
            rule,
        );
    }
    let inverse = Request::backward(Shape::d1(1 << 15)).precision(Precision::F16);
    let rule = "16*(16*8*16),1,256,2,0,8 blocks";
    runs(Vendor::Nvidia, &inverse.engine(Engine::Matrix), rule);
}
