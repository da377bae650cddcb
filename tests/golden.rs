//! Plans in words, compared exactly: a change of the planner shows up in review.
//!
//! `MMAFFT_BLESS=1 cargo test --test golden` rewrites tests/golden; then read the diff.

mod common;

use common::{cpu_limits, device_limits};
use mmafft::backend_traits::device::{Geometry, Vendor};
use mmafft::backend_traits::radix::BUTTERFLIES;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Direction, Engine, Kind, Layout, Limits, Normalization, Precision, Request, Shape};
use mmafft_testing::PlanFn;
use std::path::{Path, PathBuf};

/// What lowering knows of an H100.
const HOPPER: Geometry = Geometry {
    wave: 32,
    threads: 1024,
    shared_bytes: 227 << 10,
    registers: 1 << 16,
    multiprocessors: 132,
    blocks: 1 << 30,
    access: 0,
    together: true,
    vendor: Vendor::Nvidia,
};

/// A file of tests/golden, and the plan that it is of.
struct Case {
    name: &'static str,
    request: Request,
    limits: Limits,
    plan: PlanFn,
}

fn cases() -> Vec<Case> {
    let on = |limits: fn() -> Limits| {
        move |name, request| Case {
            name,
            request,
            limits: limits(),
            plan: mmafft::plan,
        }
    };
    let cpu = on(cpu_limits);
    let many = on(|| Limits {
        workers: 16,
        ..cpu_limits()
    });
    let device = on(|| device_limits(64));
    // A device whose passes have been measured.
    let hopper = on(|| Limits {
        backend: "invented",
        architecture: "sm_90".into(),
        workers: 132,
        tile_bytes: 227 << 10,
        line_points: usize::MAX,
        cluster_blocks: 8,
        butterflies: BUTTERFLIES,
        geometry: Some(HOPPER),
        ..device_limits(64)
    });
    // The same with nothing measured but what a cluster holds.
    let clusters = |name, request| Case {
        plan: |request, limits| plan_as(request, limits, &Asked::clusters(true)),
        ..hopper(name, request)
    };
    let (d1, d2, d3) = (Shape::d1, Shape::d2, Shape::d3);
    let padded = || Layout::strided(&[43, 1]).distance(24 * 43 + 5).offset(3);
    vec![
        cpu("line", Request::forward(d1(1024))),
        cpu(
            "line-f64-inverse",
            Request::backward(d1(1000))
                .precision(Precision::F64)
                .normalization(Normalization::Backward),
        ),
        cpu(
            "line-split-f16",
            Request::forward(d1(4096))
                .precision(Precision::SplitF16)
                .batch(8),
        ),
        cpu(
            "line-unsplit-matrix",
            Request::forward(d1(64))
                .precision(Precision::SplitF16)
                .split_matrix(false),
        ),
        cpu(
            "line-bf16-simt",
            Request::forward(d1(120))
                .precision(Precision::Bf16)
                .engine(Engine::Simt),
        ),
        cpu("prime", Request::forward(d1(1009))),
        cpu(
            "prime-split-f16",
            Request::forward(d1(1009))
                .precision(Precision::SplitF16)
                .engine(Engine::Matrix),
        ),
        cpu(
            "radices",
            Request::forward(d1(32))
                .radices(&[2])
                .precision(Precision::F16),
        ),
        cpu("point", Request::forward(d1(1))),
        cpu("plane-one-tile", Request::forward(d2(128, 128)).batch(4)),
        cpu("plane-two-passes", Request::forward(d2(1024, 768))),
        cpu(
            "plane-f16",
            Request::forward(d2(1024, 768)).precision(Precision::F16),
        ),
        many(
            "plane-many-workers",
            Request::forward(d2(128, 128)).batch(4),
        ),
        cpu(
            "plane-in-place",
            Request::forward(d2(24, 40))
                .batch(2)
                .input_layout(padded())
                .in_place(),
        ),
        cpu("columns", Request::forward(d2(512, 100)).axes(&[0])),
        cpu(
            "volume-axes",
            Request::forward(Shape::new(&[4, 6, 10, 3]))
                .axes(&[3, 1])
                .batch(2),
        ),
        cpu(
            "r2c",
            Request::r2c(d3(16, 20, 18)).normalization(Normalization::Ortho),
        ),
        cpu(
            "r2c-in-place",
            Request::r2c(d2(300, 31))
                .in_place()
                .precision(Precision::F64),
        ),
        cpu("c2r", Request::c2r(d2(24, 40)).batch(2)),
        cpu(
            "c2r-edges",
            Request::c2r(d2(24, 40)).batch(2).scratch_limit(1 << 20),
        ),
        cpu(
            "c2r-edges-f16",
            Request::c2r(d2(24, 41))
                .precision(Precision::F16)
                .scratch_limit(1 << 20),
        ),
        cpu("c2r-in-place", Request::c2r(d2(24, 40)).in_place()),
        cpu(
            "zero-ranges",
            Request::forward(d2(24, 40))
                .nonzero_input(0, 0..12)
                .wanted_output(1, 0..8),
        ),
        cpu(
            "zero-ranges-scratch",
            Request::forward(d2(24, 40))
                .wanted_output(0, 5..9)
                .wanted_output(1, 3..20),
        ),
        cpu(
            "c2r-zero-ranges",
            Request::c2r(d2(24, 40)).nonzero_input(1, 0..7),
        ),
        cpu(
            "real-to-real",
            Request::of_kind(Kind::Dct2, d2(1024, 2000)).kinds(&[Kind::Dct2, Kind::Dst3]),
        ),
        cpu(
            "dct1-ortho",
            Request::directed(Kind::Dct1, Direction::Inverse, d2(65, 64))
                .normalization(Normalization::Ortho)
                .precision(Precision::F64),
        ),
        cpu("dst4-odd", Request::of_kind(Kind::Dst4, d1(999))),
        device(
            "real-columns-dct1",
            Request::of_kind(Kind::Dct1, d1(1025)).batch(3),
        ),
        device(
            "real-columns-dst3",
            Request::of_kind(Kind::Dst3, d1(1024)).batch(3),
        ),
        device("long-dct2", Request::of_kind(Kind::Dct2, d1(2000)).batch(2)),
        device("long-dct4", Request::of_kind(Kind::Dct4, d1(2000)).batch(2)),
        device("long-dst1-prime", Request::of_kind(Kind::Dst1, d1(1008))),
        device(
            "dct3-plane",
            Request::of_kind(Kind::Dct3, d2(32, 48)).in_place(),
        ),
        device("four-step", Request::forward(d1(4096))),
        device("four-step-twice", Request::forward(d1(1 << 15)).batch(3)),
        device("long-r2c", Request::r2c(d1(2000)).batch(2)),
        device("long-c2r", Request::c2r(d2(6, 2000)).batch(2)),
        hopper("r2c-rows", Request::r2c(d2(1024, 1024)).batch(8)),
        hopper("c2r-rows", Request::c2r(d3(64, 128, 256)).batch(8)),
        hopper(
            "r2c-without-scratch",
            Request::r2c(d2(1024, 1024)).batch(8).scratch_limit(0),
        ),
        // A product beside butterflies.
        hopper(
            "measured-products",
            Request::forward(d1(4096))
                .precision(Precision::SplitF16)
                .batch(1000),
        ),
        // Blocks that ask for later tiles.
        hopper(
            "measured-ahead-f16",
            Request::forward(d1(4096))
                .precision(Precision::F16)
                .batch(4096),
        ),
        hopper("measured-lines", Request::forward(d1(1000)).batch(4096)),
        hopper("measured-planes", Request::forward(d2(1024, 1024)).batch(8)),
        hopper("measured-turns", Request::forward(d1(100_000)).batch(64)),
        // Reals without a rule: even factors, and an even radix where lines face each other.
        hopper(
            "facing-lines",
            Request::of_kind(Kind::Dct4, d1(240_000)).batch(400),
        ),
        hopper(
            "facing-lines-one-by-one",
            Request::of_kind(Kind::Dct4, d1(500_000)),
        ),
        hopper(
            "likely-lines",
            Request::of_kind(Kind::Dct2, d1(351)).batch(4096),
        ),
        hopper(
            "likely-arrays",
            Request::of_kind(Kind::Dct3, d2(25, 32)).batch(4096),
        ),
        hopper(
            "likely-columns",
            Request::of_kind(Kind::HC2R, d2(2080, 330)).batch(100),
        ),
        hopper("measured-few", Request::forward(d1(1 << 20))),
        clusters("cluster-line", Request::forward(d1(1 << 15)).batch(100)),
        clusters("cluster-r2c", Request::r2c(d1(1 << 16)).batch(100)),
        clusters("cluster-columns", Request::forward(d1(1 << 25)).batch(4)),
        clusters("cluster-plane", Request::backward(d2(256, 256)).batch(100)),
        device("long-prime", Request::forward(d1(1009))),
        device(
            "long-prime-f16",
            Request::backward(d2(1009, 2)).precision(Precision::F16),
        ),
        device(
            "four-step-plane",
            Request::backward(d2(200, 128))
                .precision(Precision::SplitF16)
                .engine(Engine::Matrix)
                .normalization(Normalization::Backward),
        ),
    ]
}

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(name).with_extension("txt")
}

/// Lines that differ, `-` as expected and `+` as planned, the others indented.
fn difference(expected: &str, got: &str) -> String {
    let (expected, got): (Vec<_>, Vec<_>) = (expected.lines().collect(), got.lines().collect());
    let mut text = String::new();
    for i in 0..expected.len().max(got.len()) {
        match (expected.get(i), got.get(i)) {
            (Some(a), Some(b)) if a == b => text += &format!("    {a}\n"),
            (a, b) => {
                text.extend(a.map(|a| format!("  - {a}\n")));
                text.extend(b.map(|b| format!("  + {b}\n")));
            }
        }
    }
    text
}

#[test]
fn explained_as_before() {
    let bless = std::env::var_os("MMAFFT_BLESS").is_some();
    let mut changed = Vec::new();
    for case in cases() {
        let plan = (case.plan)(&case.request, &case.limits)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let (got, path) = (plan.explain(), path(case.name));
        if bless {
            std::fs::write(&path, got).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            continue;
        }
        // A missing file differs in every line.
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != got {
            changed.push(format!("{}:\n{}", case.name, difference(&expected, &got)));
        }
    }
    assert!(
        changed.is_empty(),
        "{} plans changed; MMAFFT_BLESS=1 accepts them:\n{}",
        changed.len(),
        changed.join("\n")
    );
}

/// What the guide shows is what a plan says.
#[test]
fn the_guide_shows_a_plan() {
    let guide = include_str!("../docs/guide.md");
    let request = Request::forward(Shape::d2(1024, 768)).batch(8);
    let words = mmafft::plan(&request, &cpu_limits())
        .expect("a plan")
        .explain();
    assert!(guide.contains(&words), "{words}");
}

/// Every file belongs to a case, and no two cases share one.
#[test]
fn no_file_is_left_over() {
    let mut expected: Vec<_> = cases().iter().map(|case| path(case.name)).collect();
    let folder = std::fs::read_dir(path("x").parent().expect("a folder")).expect("tests/golden");
    let mut files: Vec<_> = folder
        .map(|entry| entry.expect("an entry").path())
        .collect();
    expected.sort();
    files.sort();
    assert_eq!(files, expected);
}

/// A part that ends where the half spectrum does is a part all the same.
#[test]
fn a_zero_range_of_half_the_length_is_told() {
    for request in [
        Request::r2c(Shape::d1(40)).nonzero_input(0, 0..21),
        Request::c2r(Shape::d1(40)).wanted_output(0, 0..21),
    ] {
        let plan = mmafft::plan(&request, &cpu_limits()).expect("a plan");
        let words = plan.explain();
        assert!(words.contains("only 0..21"), "{words}");
    }
}
