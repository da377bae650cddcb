//! How the lanes of each wave touch memory together: `docs/lab/patterns.md` holds the table of
//! bank conflicts and of memory segments, per kernel, and this test makes it anew.
//! `MMAFFT_BLESS=1` writes it.

use crate::probe::{Probe, Record, Vendor, ORDERS};
use crate::words::head;
use mmafft::emulated::Pattern;
use mmafft::{Backend, Engine, Error, Precision, Request, Shape, Step, KINDS};
use std::fmt::Write;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/lab/patterns.md");

/// Where the table begins in the document; what is above is prose.
const BEGIN: &str = "<!-- made by tests/emulated/patterns.rs: MMAFFT_BLESS=1 -->\n";

/// Each a family of kernels, with whole tiles.
fn families() -> Vec<(String, Request)> {
    let mut all = Vec::new();
    let mut add = |request: Request, precision: Precision, engine: Engine, batch| {
        let name = format!(
            "{} {} {} {}",
            request.kind.row().name,
            request.shape,
            precision.row().name,
            engine.name()
        );
        let request = request.precision(precision).engine(engine).batch(batch);
        all.push((name, request));
    };
    let d1 = |n| Request::forward(Shape::d1(n));
    use Engine::{Matrix, Simt};
    for (precision, engine) in [
        (Precision::F32, Simt),
        (Precision::F64, Simt),
        (Precision::F16, Simt),
        (Precision::F32, Matrix),
        (Precision::F64, Matrix),
        (Precision::SplitF16, Matrix),
    ] {
        for n in [64, 256, 1024, 4096] {
            add(d1(n), precision, engine, (1 << 13) / n);
        }
        add(d1(1000), precision, engine, 8);
        add(d1(1 << 16), precision, engine, 1);
        add(Request::forward(Shape::d2(64, 64)), precision, engine, 2);
    }
    for n in [1024, 4096, 1 << 16] {
        add(Request::r2c(Shape::d1(n)), Precision::F32, Simt, 4);
        add(Request::c2r(Shape::d1(n)), Precision::F32, Simt, 4);
    }
    for n in [193, 1009, 61] {
        add(d1(n), Precision::F32, Simt, 16);
    }
    all
}

/// What the passes of a request did; `None` where the device has no such product.
fn records(vendor: Vendor, request: &Request) -> Option<Vec<Record>> {
    let probe = Probe::new(vendor, ORDERS[0]).patterns();
    let backend = probe.backend();
    match mmafft::plan(request, backend.limits()) {
        Err(Error::Unsupported { .. }) => return None,
        plan => plan.expect("a plan"),
    };
    let checked = mmafft_testing::check(&backend, mmafft::plan, request, 1.0);
    checked.unwrap_or_else(|what| panic!("{what}\n{request:?}"));
    Some(backend.driver().records())
}

/// As `1.25`, or nothing where nothing was touched.
fn excess(pattern: Pattern) -> String {
    match pattern.least {
        0 => "–".into(),
        _ => format!("{:.2}", pattern.excess()),
    }
}

fn table() -> String {
    let mut text = String::new();
    for (vendor, title) in [
        (Vendor::Amd, "AMD: 64 lanes, segments of 64 bytes"),
        (Vendor::Nvidia, "NVIDIA: 32 lanes, segments of 32 bytes"),
    ] {
        let _ = write!(
            text,
            "\n## {title}\n\n| kernel | pass | threads | shared reads | shared writes | memory reads | memory writes |\n\
             | --- | --- | --- | --- | --- | --- | --- |\n"
        );
        for (name, request) in families() {
            let Some(records) = records(vendor, &request) else {
                continue;
            };
            for (i, record) in records.iter().enumerate() {
                let c = &record.counters;
                let _ = writeln!(
                    text,
                    "| {name} | {} of {} | {} | {} | {} | {} | {} |",
                    i + 1,
                    records.len(),
                    head(&record.program, "threads"),
                    excess(c.shared_read_cycles),
                    excess(c.shared_write_cycles),
                    excess(c.read_segments),
                    excess(c.write_segments)
                );
            }
        }
    }
    text
}

#[test]
fn the_table_of_patterns_is_as_committed() {
    let document = std::fs::read_to_string(DOCUMENT).expect("docs/lab/patterns.md");
    let at = document.find(BEGIN).expect("where the table begins") + BEGIN.len();
    let made = table();
    if std::env::var_os("MMAFFT_BLESS").is_some() {
        let text = format!("{}{made}", &document[..at]);
        std::fs::write(DOCUMENT, text).expect("docs/lab/patterns.md is written");
        return;
    }
    let changed = made.lines().zip(document[at..].lines());
    for (now, then) in changed {
        assert_eq!(now, then, "MMAFFT_BLESS=1 writes the table anew");
    }
    assert_eq!(made, document[at..], "MMAFFT_BLESS=1 writes the table anew");
}

/// The paper's Algorithm 1: two steps of radix 16 fused to radix 256, on every operand: one
/// read and one write of memory for each of 256·k points.
#[test]
fn radix_256_reads_once_and_writes_once() {
    for vendor in Vendor::ALL {
        for precision in mmafft::PRECISIONS.iter().map(|row| row.precision) {
            for k in [1, 7, 32] {
                let request = Request::forward(Shape::d1(256))
                    .radices(&[16])
                    .precision(precision)
                    .engine(Engine::Matrix)
                    .batch(k);
                let Some(records) = records(vendor, &request) else {
                    continue;
                };
                let [record] = &records[..] else {
                    panic!("{vendor:?} {precision:?}: {} passes", records.len());
                };
                let bytes = (256 * k * 2 * precision.row().storage.bytes()) as u64;
                let c = &record.counters;
                assert_eq!((c.bytes_read, c.bytes_written), (bytes, bytes));
                assert_eq!(
                    head(&record.program, "steps"),
                    2,
                    "{vendor:?} {precision:?}"
                );
            }
        }
    }
}

/// What is counted, on accesses whose patterns are known.
#[test]
fn contiguous_lanes_take_the_least() {
    let line = Request::forward(Shape::d1(4096))
        .engine(Engine::Simt)
        .batch(2);
    for vendor in Vendor::ALL {
        let records = records(vendor, &line).expect("butterflies");
        let c = &records[0].counters;
        assert_eq!(c.read_segments.taken, c.read_segments.least);
        assert_eq!(c.write_segments.taken, c.write_segments.least);
        assert!(c.shared_read_cycles.taken >= c.shared_read_cycles.least);
    }
}

/// Lines of reals so short that a thread has a whole one: what neighbouring threads store lies beside each other all the same.
/// Of lines of an odd number the even reals are stored before the odd ones, and a split's on AMD devices from both ends of a
/// line in a segment; else each real would be in a segment of its own, at most 16 times the least.
#[test]
fn threads_with_whole_lines_of_reals_store_neighbours() {
    let kinds = KINDS.iter().filter(|row| row.kind.is_real_to_real());
    for row in kinds.filter(|row| !row.kind.is_symmetric()) {
        for (vendor, length) in Vendor::ALL
            .into_iter()
            .flat_map(|vendor| (2..=32).map(move |n| (vendor, n)))
        {
            for precision in [Precision::F32, Precision::F64] {
                let lines = Request::of_kind(row.kind, Shape::d1(length)).batch(512);
                let lines = lines.precision(precision).engine(Engine::Simt);
                let probe = Probe::new(vendor, ORDERS[0]);
                let plan = mmafft::plan(&lines, probe.backend().limits()).expect("a plan");
                if plan.passes[0].steps.iter().filter_map(Step::radix).count() != 1 {
                    continue;
                }
                let records = records(vendor, &lines).expect("butterflies");
                let stores = records[0].counters.write_segments;
                let name = format!("{vendor:?} {} of {length} {precision:?}", row.name);
                assert!(stores.taken <= 4 * stores.least, "{name}: {stores:?}");
            }
        }
    }
}
