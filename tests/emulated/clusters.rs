//! Tiles that the blocks of a cluster hold together: lines and planes that no block holds, in one
//! pass, with one read and one write of each point. Long as lines, planes, reals and columns share what runs and counts
//! a pass of a cluster.

use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::{constant, head, step};
use mmafft::backend_traits::device::Driver;
use mmafft::backend_traits::real::CoreLength;
use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::{KindRow, Launch, Step};
use mmafft::lab::rules::{Rule, Sequence};
use mmafft::lab::{plan_as, Asked};
use mmafft::{
    Backend, Kind, Layout, Limits, Normalization, Plan, Precision, Request, Result, Shape, KINDS,
};
use mmafft_testing::{check, PlanFn};

/// What a cluster holds is spread over one, by no rule that was measured.
fn in_clusters(request: &Request, limits: &Limits) -> Result<Plan> {
    let architecture = String::new();
    let limits = Limits {
        architecture,
        ..limits.clone()
    };
    plan_as(request, &limits, &Asked::clusters(true))
}

/// The same on a device whose blocks hold little.
fn in_small_tiles(request: &Request, limits: &Limits) -> Result<Plan> {
    let tile_bytes = 4 << 10;
    let limits = Limits {
        tile_bytes,
        ..limits.clone()
    };
    in_clusters(request, &limits)
}

/// Runs a request in all orders of threads, on launches of at most so many blocks; it takes one
/// pass of clusters of `blocks`.
fn runs(request: &Request, blocks: usize, most: Option<u64>) {
    for order in ORDERS {
        let backend = Probe::new(Vendor::Nvidia, order).blocks(most).backend();
        let plan = in_clusters(request, backend.limits()).expect("a plan");
        let passes = plan.passes.iter().map(|p| p.tile.residency.blocks());
        let passes: Vec<usize> = passes.collect();
        assert_eq!(passes, [blocks], "{request:?}\n{}", plan.explain());
        if let Err(what) = check(&backend, in_clusters, request, 1.0) {
            panic!("{order:?}: {what}\n    {request:?}\n{}", plan.explain());
        }
        let counted = backend.driver().records()[0].counters;
        let (read, written) = plan.passes[0].bytes();
        let got = (counted.bytes_read, counted.bytes_written);
        assert_eq!(got, (read as u64, written as u64), "{request:?}");
    }
}

/// Lines of 5000 are cut into parts that are no whole runs: their factors are the ones asked for, without runs.
#[test]
fn parts_that_are_no_whole_runs() {
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    for (last, in_runs) in [(5000, false), (8192, true)] {
        let plan = plan_as(
            &d1(4096 * last),
            backend.limits(),
            &Asked::parts(&[4096, last]),
        );
        let plan = plan.expect("a plan");
        let axes = plan.passes.iter().map(|pass| &pass.axes[0]);
        let lengths: Vec<usize> = axes.map(|axis| axis.length).collect();
        assert_eq!(lengths, [4096, last]);
        let rows = &plan.passes[1];
        assert!(rows.tile.residency.blocks() > 1, "{}", plan.explain());
        assert_eq!(rows.axes[0].load.runs.is_some(), in_runs);
    }
}

fn d1(n: usize) -> Request {
    Request::forward(Shape::d1(n))
}

#[test]
fn long_lines() {
    runs(&d1(1 << 15).batch(2), 4, None);
    runs(&d1(1 << 14).precision(Precision::F64), 4, None);
    runs(&Request::backward(Shape::d1(1 << 16)), 8, None);
    runs(&d1(1 << 15).precision(Precision::F64), 8, None);
    runs(&d1(30000).in_place(), 4, None);
    runs(&d1(24_000).precision(Precision::F16), 4, None);
    // A prime that a thread does not hold.
    runs(&d1(17 << 11).precision(Precision::Bf16), 8, None);
}

/// Lines of reals that are packed to half as many points.
#[test]
fn lines_of_reals() {
    let packed = |row: &&KindRow| row.packed.length == CoreLength::Half;
    let kinds: Vec<_> = KINDS.iter().filter(packed).map(|row| row.kind).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    for kind in kinds {
        let of = |n: usize| match kind {
            Kind::R2C => Request::r2c(Shape::d1(n)),
            Kind::C2R => Request::c2r(Shape::d1(n)),
            kind => Request::of_kind(kind, Shape::d1(n)),
        };
        runs(&of(1 << 16).batch(2), 4, None);
        runs(&of(1 << 15).precision(Precision::F64), 4, None);
        runs(&of(40_000), 2, None);
        runs(&of(1 << 17).normalization(Normalization::Ortho), 8, None);
    }
    // 16 bits; reals that lie apart; halves of lines.
    runs(
        &Request::r2c(Shape::d1(1 << 16)).precision(Precision::F16),
        4,
        None,
    );
    let apart = Layout::strided(&[3]).distance(200_001).offset(1);
    runs(
        &Request::r2c(Shape::d1(1 << 16))
            .batch(2)
            .input_layout(apart.clone()),
        4,
        None,
    );
    let dht = || Request::of_kind(Kind::Dht, Shape::d1(1 << 16));
    runs(&dht().batch(2).output_layout(apart), 4, None);
    runs(
        &dht()
            .nonzero_input(0, 5..60_000)
            .wanted_output(0, 9..40_007),
        4,
        None,
    );
    let r2hc = Request::of_kind(Kind::R2HC, Shape::d1(1 << 16));
    runs(&r2hc.wanted_output(0, 9..40_007), 4, None);
    // In place, and a part of the line.
    runs(
        &Request::r2c(Shape::d1(1 << 16)).in_place().batch(3),
        4,
        Some(8),
    );
    runs(&Request::c2r(Shape::d1(1 << 16)).in_place(), 4, None);
    let part = Request::r2c(Shape::d1(1 << 16)).wanted_output(0, 3..20_000);
    runs(&part.nonzero_input(0, 70..30_011), 4, None);
    runs(
        &Request::c2r(Shape::d1(1 << 16)).nonzero_input(0, 1..32_768),
        4,
        None,
    );
}

/// Types II to IV move reals that lie beside each other together, but not where a launch forbids it or memory
/// begins at an element.
#[test]
fn reals_of_points_that_face_each_other() {
    fn forbidden(request: &Request, limits: &Limits) -> Result<Plan> {
        let mut plan = in_clusters(request, limits)?;
        let double = request.precision == Precision::F64;
        plan.passes[0].tile.launch = Some(Launch::new(if double { 256 } else { 512 }, 1));
        Ok(plan)
    }
    let ends = ["FACING_LOAD", "FACING_STORE"].map(constant);
    for (kind, facing) in [
        (Kind::Dct2, [true, false]),
        (Kind::Dst3, [false, true]),
        (Kind::Dct4, [true, true]),
        (Kind::Dst4, [true, true]),
    ] {
        for precision in [Precision::F32, Precision::F64] {
            let scalar = precision.row().storage.bytes();
            let n = (1 << 18) / scalar;
            let request = Request::of_kind(kind, Shape::d1(n))
                .batch(2)
                .precision(precision);
            for (plan, begins, wanted) in [
                (in_clusters as PlanFn, 0, facing),
                (in_clusters, scalar, [false; 2]),
                (forbidden, 0, [false; 2]),
            ] {
                let backend = Probe::new(Vendor::Nvidia, ORDERS[2])
                    .begins_at(begins)
                    .backend();
                if let Err(what) = check(&backend, plan, &request, 1.0) {
                    panic!("{what}\n    {request:?}");
                }
                let program = &backend.driver().records()[0].program;
                let last = head(program, "steps") as usize - 1;
                let at = [0, last].map(|i| step(program, i, "facing"));
                let got = [at[0] == ends[0], at[1] == ends[1]];
                assert_eq!(got, wanted, "{request:?}, from byte {begins}");
            }
        }
    }
}

#[test]
fn planes() {
    runs(&Request::forward(Shape::d2(256, 256)), 8, None);
    let double = Request::backward(Shape::d2(128, 128)).precision(Precision::F64);
    runs(&double.in_place(), 4, None);
    runs(&Request::forward(Shape::d2(120, 300)).batch(2), 4, None);
}

#[test]
fn several_tiles_for_a_cluster() {
    runs(&d1(1 << 15).batch(3), 4, Some(9));
    let plane = Request::forward(Shape::d2(128, 128)).precision(Precision::F64);
    runs(&plane.batch(3), 4, Some(4));
}

#[test]
fn strides_and_ranges() {
    let n = 24000;
    let gaps = || Layout::strided(&[2]).distance(2 * n + 3).offset(1);
    runs(&d1(n).batch(2).input_layout(gaps()), 4, None);
    runs(&d1(n).batch(2).output_layout(gaps()), 4, None);
    runs(&d1(n).batch(2).input_layout(gaps()).in_place(), 4, None);
    let part = d1(n)
        .nonzero_input(0, 700..20011)
        .wanted_output(0, 3..n - 7);
    runs(&part, 4, None);
    // More than a part's points, and not the line's.
    let first = d1(n).nonzero_input(0, 0..n - 1).wanted_output(0, 0..n / 2);
    runs(&first, 4, None);
    let plane = || Request::forward(Shape::d2(144, 160));
    let rows = || Layout::strided(&[163, 1]).distance(144 * 163 + 1).offset(2);
    runs(&plane().batch(2).input_layout(rows()), 4, None);
    let part = plane().nonzero_input(0, 5..80).nonzero_input(1, 0..99);
    runs(&part, 4, None);
}

/// A line or plane with gaps and ranges, drawn at random.
fn drawn(r: &mut Random) -> Request {
    use Precision::{Bf16, F16, F32, F64};
    let precision = r.choose(&[F32, F64, F16, Bf16]);
    let line = r.once_in(2);
    let dims = match line {
        true => vec![16 * (8 + r.below(80))],
        false => vec![8 * (2 + r.below(6)), 4 * (2 + r.below(12))],
    };
    let request = Request::forward(Shape::new(&dims));
    let batch = 4 + r.below(4);
    let request = request.precision(precision).batch(batch);
    let mut layout = || {
        let within = 1 + r.below(3);
        let rows = dims[dims.len() - 1] * within + r.below(4);
        let strides = if line {
            vec![within]
        } else {
            vec![rows, within]
        };
        let array = if line { rows } else { dims[0] * rows };
        let layout = Layout::strided(&strides).distance(array + r.below(4));
        layout.offset(r.below(3))
    };
    let (input, output) = (layout(), layout());
    let mut part = |n: usize| {
        let start = r.below(n);
        start..start + 1 + r.below(n - start)
    };
    let nonzero = part(dims[0]);
    let wanted = part(dims[0]);
    match r.below(4) {
        0 => request,
        1 => request.input_layout(input).in_place(),
        2 => request.input_layout(input).output_layout(output),
        _ if line => request.nonzero_input(0, nonzero).wanted_output(0, wanted),
        _ => request.nonzero_input(0, nonzero),
    }
}

/// On a device whose blocks hold little. (The conformance suite's table runs so too.)
#[test]
fn small_tiles() {
    let limits = Vendor::Nvidia.driver().limits().clone();
    let spread = |request: &Request| {
        let passes = in_small_tiles(request, &limits).map_or(Vec::new(), |plan| plan.passes);
        passes.iter().any(|pass| pass.tile.residency.blocks() > 1)
    };
    let mut random = Random::new(3);
    let mut all: Vec<Request> = (0..400).map(|_| drawn(&mut random)).collect();
    all.retain(spread);
    assert!(all.len() > 150, "only {} requests", all.len());
    for (i, request) in all.iter().enumerate() {
        let probe = Probe::new(Vendor::Nvidia, ORDERS[i % 3]).blocks(Some(11));
        if let Err(what) = check(&probe.backend(), in_small_tiles, request, 1.0) {
            panic!("{what}\n    {request:?}");
        }
    }
}

/// Real parts first, then imaginary ones, between blocks too; and two points an access.
#[test]
fn neighbours_and_no_parts_apart() {
    // Points of 16 bytes.
    fn wide(request: &Request) -> usize {
        match request.precision {
            Precision::F64 => 1,
            _ => 2,
        }
    }
    fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
        let mut plan = in_clusters(request, limits)?;
        assert!(plan.passes[0].steps.contains(&Step::AllToAll));
        plan.passes[0].tile.launch = Some(Launch {
            apart: true,
            neighbours: wide(request),
            ..Launch::new(512 / wide(request), 2)
        });
        Ok(plan)
    }
    for order in ORDERS {
        for request in [
            d1(1 << 15),
            Request::forward(Shape::d2(160, 120)).batch(2),
            d1(30000).precision(Precision::F64),
        ] {
            let backend = Probe::new(Vendor::Nvidia, order).backend();
            if let Err(what) = check(&backend, plan, &request, 1.0) {
                panic!("{order:?}: {what}\n    {request:?}");
            }
            let record = &backend.driver().records()[0];
            // Asked for, and not done: real parts first and imaginary ones later went wrong between blocks.
            assert_eq!(head(&record.program, "apart"), 0);
            let expected = wide(&request) as i64;
            let vectors = ["load_vector", "store_vector"].map(|name| head(&record.program, name));
            assert_eq!(vectors, [expected; 2], "{request:?}");
        }
    }
}

/// Each pass that can be is of two blocks, or of four.
fn by_rules(request: &Request, limits: &Limits) -> Result<Plan> {
    let mut plan = mmafft::plan(request, limits)?;
    for pass in &mut plan.passes {
        let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
        let rule = |lines, blocks| Rule {
            sequence: Sequence::of_one_engine(radices.clone()),
            lines,
            blocks,
            launch: Launch::new(128, 1),
            fraction: 1.0,
        };
        let all = [(8, 4), (4, 2), (16, 2), (2, 4), (3, 2)];
        let rules = all.map(|(lines, blocks)| rule(lines, blocks));
        if let Some(rule) = rules.iter().find(|rule| rule.suits(pass, limits)) {
            rule.apply(pass, limits);
        }
    }
    Ok(plan)
}

/// Lines that lie beside each other, of several dimensions or of passes that share a line, as tiles that the blocks
/// of a cluster have: lines that no block holds, and by rules those that one does.
#[test]
fn lines_beside_each_other() {
    /// How many passes of a plan have clusters of columns.
    fn columns(plan: &Plan) -> usize {
        let spread = |p: &&mmafft::Pass| p.tile.residency.blocks() > 1 && p.tile.lines > 1;
        plan.passes.iter().filter(spread).count()
    }
    let runs = |plan: PlanFn, request: Request, least: usize| {
        for order in ORDERS {
            let backend = Probe::new(Vendor::Nvidia, order).backend();
            let planned = plan(&request, backend.limits()).expect("a plan");
            let got = columns(&planned);
            assert!(got >= least, "{got}: {request:?}\n{}", planned.explain());
            if let Err(what) = check(&backend, plan, &request, 1.0) {
                panic!("{order:?}: {what}\n    {request:?}\n{}", planned.explain());
            }
        }
    };
    let d2 = |a, b| Request::forward(Shape::d2(a, b));
    runs(in_small_tiles, d2(256, 24), 1);
    runs(in_small_tiles, d2(320, 19).precision(Precision::F64), 1);
    runs(
        in_small_tiles,
        d2(256, 40).precision(Precision::F16).batch(2),
        1,
    );
    runs(by_rules, d2(256, 64).batch(3), 1);
    // As the table has them: of a plane, whose last tile is not full, and its inverse in place.
    runs(mmafft::plan, d2(8192, 28), 1);
    let inverse = Request::backward(Shape::d2(8192, 10)).precision(Precision::F64);
    runs(mmafft::plan, inverse.in_place(), 1);
    // Rows that are stored as columns; twiddles between two passes, of few lines and of many.
    runs(by_rules, d1(1 << 18), 2);
    runs(
        by_rules,
        Request::backward(Shape::d1(1 << 16)).precision(Precision::F64),
        2,
    );
    runs(by_rules, d1(1 << 21), 2);
    runs(by_rules, d1(1000 * 720).precision(Precision::Bf16), 1);
    runs(by_rules, d1(1 << 17).precision(Precision::F64).batch(2), 2);
    // A part of the line.
    let part = d1(1 << 17)
        .nonzero_input(0, 70..110_011)
        .wanted_output(0, 9..40_007);
    runs(by_rules, part, 2);
    // Reals whose pairs are points, on either side.
    runs(by_rules, Request::r2c(Shape::d1(1 << 18)), 1);
    runs(
        by_rules,
        Request::of_kind(Kind::R2HC, Shape::d1(1 << 18)),
        1,
    );
    runs(by_rules, Request::c2r(Shape::d1(1 << 18)), 1);
    // Products.
    let products = |n: usize| d1(n).precision(Precision::SplitF16);
    runs(by_rules, products(1 << 18), 1);
    runs(
        by_rules,
        products(1 << 18).engine(mmafft::Engine::Matrix),
        1,
    );
}

/// Nothing of another axis joins them, not even in 16 bits, where a tile need not lie together.
#[test]
fn columns_are_alone() {
    let deep = Request::forward(Shape::d3(2, 8192, 2)).axes(&[0, 1]);
    let deep = deep.precision(Precision::F16);
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    let plan = in_clusters(&deep, backend.limits()).expect("a plan");
    let spread = |p: &&mmafft::Pass| p.tile.residency.blocks() > 1;
    assert_eq!(plan.passes.iter().filter(spread).count(), 1);
    if let Err(what) = check(&backend, in_clusters, &deep, 1.0) {
        panic!("{what}\n{}", plan.explain());
    }
}

/// Neighbours are the lines that lie the closest, not those of the innermost loop: so memory is read by whole sectors.
#[test]
fn the_closest_columns_are_together() {
    let pairs = Request::forward(Shape::d2(1 << 18, 2)).axes(&[0]);
    let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).patterns();
    let backend = probe.backend();
    if let Err(what) = check(&backend, by_rules, &pairs, 1.0) {
        panic!("{what}");
    }
    for record in backend.driver().records().iter() {
        assert!(head(&record.program, "blocks") > 1);
        let read = record.counters.read_segments;
        assert_eq!(read.taken, read.least);
    }
}
