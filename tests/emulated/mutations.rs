//! Every barrier and every wait is needed: without it, a check fails. Those that order nothing
//! in some programs are known, with the reason.

use crate::cases::{cases, Case};
use crate::probe::{Missing, Record, Vendor, ORDERS};
use crate::words::{constant, dense, head, step};
use mmafft::backend_traits::device::{Driver, Program};
use mmafft::{Backend, Error};
use std::collections::BTreeMap;

/// A barrier of a block: what it is for, and why nobody needs it, where that is so.
struct Barrier {
    place: String,
    idle: Option<&'static str>,
}

/// The barriers of a block, in order, as `Pass::run` and `run_tiles` of `device/pass.hpp`
/// have them.
fn barriers(record: &Record, wave: usize) -> Vec<Barrier> {
    let program = &record.program;
    let shared = constant("PLACE_SHARED");
    let mut all = Vec::new();
    let mut push = |place: String, idle| all.push(Barrier { place, idle });
    // A cluster's blocks pass their own.
    let clusters = record.blocks / head(program, "blocks").max(1) as u64;
    for tile in 0..record.tiles.div_ceil(clusters) {
        if tile > 0 {
            push("before the next tile".into(), idle::between_tiles(program));
        }
        let scales = |i| step(program, i, "scaling") == constant("SCALING_LINE");
        if scales(0) {
            push(
                "before magnitudes are raised".into(),
                idle::cleared(program, wave),
            );
        }
        for i in 0..head(program, "steps") as usize {
            let is = |name| step(program, i, name) == shared;
            let what = describe(program, i);
            if step(program, i, "target") == constant("PLACE_CLUSTER") {
                push(format!("of all blocks before {what}"), None);
                push(format!("of all blocks after {what}"), None);
            }
            if scales(i) {
                push(format!("before {what} is scaled"), None);
            }
            if step(program, i, "copy_async") == 0 && is("source") && is("target") {
                // Of joined products by the first of two steps.
                let joins = i > 0 && step(program, i - 1, "target") == constant("PLACE_REGISTERS");
                let scaled = scales(i) || (joins && scales(i - 1));
                let scaled = scaled.then_some("its line was scaled since it was gathered");
                push(
                    format!("before the scatter of {what}"),
                    idle::within(program, i).or(scaled),
                );
            }
            if is("target") {
                push(format!("after {what}"), idle::after(program, i));
                if head(program, "apart") != 0 {
                    push(format!("before the imaginary parts of {what}"), None);
                    push(format!("after the imaginary parts of {what}"), None);
                }
            }
        }
        if head(program, "row_of_reals") != 0 {
            push("before results are staged".into(), None);
            push("after results are staged".into(), None);
        }
    }
    all
}

/// Barriers that order nothing: every thread touches the same cells of shared memory before
/// and after. The emulator has proven each such case: a run without the barrier has no race.
mod idle {
    use super::*;

    /// Between gather and scatter of a step that overwrites what it has read: the last DFT of
    /// an axis reads and writes points c + j·n/r, split and merge points c and n − c. Lines
    /// and outer indices must begin where they did, if only by an unused cell behind each that has fewer points, and points
    /// be in the order of their numbers. Where a convolution turns back, the step before has read the same columns.
    pub fn within(program: &Program, i: usize) -> Option<&'static str> {
        let word = |name| step(program, i, name);
        let turns = i > 0 && step(program, i - 1, "target") == constant("PLACE_REGISTERS");
        let read = |name| step(program, i - usize::from(turns), name);
        let op = |name| word("op") == constant(name);
        let last = op("OP_DFT")
            && word("done") * word("radix") == word("points")
            && word("hermitian") == 0
            && (read("from_table"), word("to_table")) == (-1, -1);
        let outer = word("outer") == 1 || word("input") == word("output");
        let lines = head(program, "lines") == 1 || read("pitch_in") == word("pitch_out");
        let alike = outer && read("row_in") == word("row_out");
        // Of outer indices with no unused cell but behind their points.
        let cells = |points, row| match row {
            0 => Some(points),
            row if row == points => Some(points + 1),
            _ => None,
        };
        let before = cells(word("input"), read("row_in"));
        let apart = word("inner") == 1 && before == cells(word("output"), word("row_out"));
        let same = (last || op("OP_SPLIT") || op("OP_MERGE"))
            && lines
            && (alike || (apart && before.is_some()));
        (same && !dense(program, i)).then_some("a step in place")
    }

    /// Between a DFT of a whole line and a copy or split whose columns, or runs of neighbours, are the
    /// lines.
    pub fn after(program: &Program, i: usize) -> Option<&'static str> {
        let [this, next] = [i, i + 1].map(|i| move |name| step(program, i, name));
        let lines = this("op") == constant("OP_DFT")
            && ["OP_COPY", "OP_SPLIT"].map(constant).contains(&next("op"))
            && this("engine") == constant("ENGINE_SIMT")
            && [
                this("columns"),
                this("outer"),
                this("inner"),
                this("neighbours"),
            ] == [1; 4]
            && next("neighbours") == next("columns");
        lines.then_some("a line by its thread")
    }

    /// Before magnitudes are raised, where one thread has cleared the only one and raises it.
    pub fn cleared(program: &Program, wave: usize) -> Option<&'static str> {
        let alone = head(program, "lines") == 1 && program.threads <= wave;
        alone.then_some("a magnitude by its thread")
    }

    /// Before the next tile, where shared memory is not used; or where the copies on both
    /// sides of a tile move each cell by the same thread.
    pub fn between_tiles(program: &Program) -> Option<&'static str> {
        let last = head(program, "steps") as usize - 1;
        if last == 0 {
            return Some("a pass without shared memory");
        }
        let [first, last] = [0, last].map(|i| move |name| step(program, i, name));
        if first("target") == constant("PLACE_CLUSTER") {
            return Some("the blocks' own comes before they write");
        }
        let both = ["columns", "outer", "inner"];
        let alike = both.iter().all(|&name| first(name) == last(name))
            && (first("output"), first("pitch_out")) == (last("input"), last("pitch_in"));
        // Where lines lie in a row, a cell's number is the column's.
        let rows = |points: i64, pitch| head(program, "lines") == 1 || points == pitch;
        let points = |i| {
            let word = |name| step(program, i, name);
            word("columns") * word("outer") * word("inner")
        };
        let end = head(program, "steps") as usize - 1;
        let in_a_row = rows(points(0), first("pitch_out")) && rows(points(end), last("pitch_in"));
        let same = [first("op"), last("op")] == [constant("OP_COPY"); 2]
            && head(program, "magnitudes") == 0
            && (alike || in_a_row)
            && first("neighbours") == last("neighbours")
            && [first("lines_fast"), last("lines_fast")] == [0; 2];
        same.then_some("copies in and out by the same threads")
    }
}

fn describe(program: &Program, i: usize) -> String {
    let word = |name| format!("{name} {}", step(program, i, name));
    let words = [
        "op",
        "axis",
        "radix",
        "points",
        "done",
        "outer",
        "inner",
        "input",
        "output",
        "pitch_in",
        "pitch_out",
    ];
    let (steps, lines) = (head(program, "steps"), head(program, "lines"));
    format!(
        "step {i} of {steps} on {lines} lines ({})",
        words.map(word).join(", ")
    )
}

/// Whether a run in any order notices; `None` where there is no such barrier or wait.
fn noticed(
    case: &Case,
    vendor: Vendor,
    pass: usize,
    what: Missing,
    whole: &Record,
) -> Option<bool> {
    for order in ORDERS {
        let backend = case
            .probe(vendor, order)
            .without(vendor, order, pass, what)
            .backend();
        if mmafft_testing::check(&backend, case.plan, &case.request, 1.0).is_err() {
            return Some(true);
        }
        let record = &backend.driver().records()[pass];
        let (barriers, waits) = (record.counters.barriers, record.counters.waits);
        if (barriers, waits) == (whole.counters.barriers, whole.counters.waits) {
            return None;
        }
    }
    Some(false)
}

/// What leaving out one thing after another has shown.
#[derive(Default)]
struct Findings {
    /// Tried, and missed in some order.
    needed: usize,
    /// Not missed, as expected, and why.
    idle: BTreeMap<&'static str, usize>,
    /// Not missed although needed, or the other way round.
    wrong: Vec<String>,
}

impl Findings {
    /// Leaves out each of a case's barriers or waits in turn.
    fn add(&mut self, vendor: Vendor, case: &Case, missing: fn(u32) -> Missing) {
        let backend = case.probe(vendor, ORDERS[0]).backend();
        match (case.plan)(&case.request, backend.limits()) {
            // Not every vendor has every product.
            Err(Error::Unsupported { .. }) => return,
            other => drop(other.expect("a plan")),
        }
        let whole = mmafft_testing::check(&backend, case.plan, &case.request, 1.0);
        whole.unwrap_or_else(|what| panic!("{vendor:?}, {}, nothing missing: {what}", case.name));
        for (pass, whole) in backend.driver().records().iter().enumerate() {
            let known = match missing(0) {
                Missing::Barrier(_) => barriers(whole, vendor.driver().geometry().wave),
                Missing::Wait(_) => Vec::new(),
            };
            let mut count = 0;
            while let Some(noticed) = noticed(case, vendor, pass, missing(count as u32), whole) {
                let place = known.get(count).map_or("", |b| &b.place);
                match (noticed, known.get(count).and_then(|b| b.idle)) {
                    (true, None) => self.needed += 1,
                    (false, Some(why)) => *self.idle.entry(why).or_default() += 1,
                    (noticed, idle) => self.wrong.push(format!(
                        "{vendor:?}, {}, pass {pass}: {:?} {place}: missed {noticed}, idle {idle:?}",
                        case.name,
                        missing(count as u32)
                    )),
                }
                count += 1;
            }
            assert!(
                known.is_empty() || known.len() == count,
                "{}, pass {pass}: {count} barriers; device/pass.hpp should have {}",
                case.name,
                known.len()
            );
        }
    }
}

fn findings(vendor: Vendor, missing: fn(u32) -> Missing) -> Findings {
    let mut findings = Findings::default();
    cases()
        .iter()
        .for_each(|case| findings.add(vendor, case, missing));
    println!(
        "{vendor:?}: {} are needed, idle are {:?}",
        findings.needed, findings.idle
    );
    let wrong = &findings.wrong;
    assert!(
        wrong.is_empty(),
        "{} are not as expected:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    findings
}

#[test]
fn every_barrier_is_needed_nvidia() {
    assert!(findings(Vendor::Nvidia, Missing::Barrier).needed > 100);
}

#[test]
fn every_barrier_is_needed_amd() {
    assert!(findings(Vendor::Amd, Missing::Barrier).needed > 100);
}

#[test]
fn every_wait_is_needed() {
    for vendor in Vendor::ALL {
        assert!(findings(vendor, Missing::Wait).needed > 5);
    }
}
