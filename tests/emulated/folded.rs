//! Lines of type I by real columns and rows in one tile: the radices and launches that rules may ask for,
//! odd and even ones, columns alone in a thread and in pairs.

use crate::accesses::{launches, launches_of, traffic_of};
use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::head;
use mmafft::lab::rules::Rule;
use mmafft::lab::{plan_as, Asked};
use mmafft::{
    Backend, Engine, Kind, Layout, Limits, Normalization, Plan, Precision, Request, Result, Shape,
    Step, KINDS,
};

/// N of the continued line's 2N reals, and radices whose product is N/2.
const CASES: [(usize, &[usize]); 21] = [
    (68, &[17, 2]),
    (68, &[2, 17]),
    (124, &[31, 2]),
    (646, &[19, 17]),
    (32, &[4, 4]),
    (32, &[2, 8]),
    (36, &[3, 6]),
    (60, &[5, 6]),
    (64, &[8, 4]),
    (100, &[5, 10]),
    (240, &[4, 30]),
    (240, &[12, 2, 5]),
    (512, &[32, 8]),
    (512, &[8, 4, 8]),
    (512, &[4, 4, 4, 4]),
    (1000, &[20, 25]),
    (1000, &[25, 20]),
    (1000, &[10, 5, 10]),
    (1250, &[25, 25]),
    (2048, &[8, 4, 2, 16]),
    (3072, &[16, 6, 16]),
];

/// As many arrays as say which case it is.
fn request(kind: Kind, case: usize, i: usize) -> Request {
    let n = CASES[case].0;
    let length = match kind {
        Kind::Dct1 => n + 1,
        _ => n - 1,
    };
    let precision = [Precision::F32, Precision::F64, Precision::F16][i % 3];
    let request = Request::of_kind(kind, Shape::d1(length));
    let request = request.batch(1 + case).precision(precision);
    match i % 4 {
        1 => request.normalization(Normalization::Ortho),
        2 => request.wanted_output(0, 1..length - 1),
        3 => request.nonzero_input(0, 3..length),
        // Anywhere between two sectors of memory.
        _ => request.output_layout(
            Layout::strided(&[1])
                .distance(length)
                .offset((5 * case + 3 * i) % 37),
        ),
    }
}

/// The plan by a rule of the case's radices; lines of a tile, threads, and whether results are staged, vary.
fn by_rule(request: &Request, limits: &Limits) -> Result<Plan> {
    let (n, radices) = CASES[request.batch - 1];
    let lines = 1 + request.batch % 3;
    let threads = (lines * n / 16).next_multiple_of(64).clamp(64, 512);
    let radices: Vec<String> = radices.iter().map(usize::to_string).collect();
    let mut row = format!("{},{lines},{threads},1,0.5", radices.join("*"));
    if !(request.batch + usize::from(request.kind == Kind::Dst1)).is_multiple_of(2) {
        row.push_str(",staged");
    }
    let rule = Rule::parse(&row).expect("a rule");
    let mut plan = mmafft::plan(request, limits)?;
    assert!(rule.suits(&plan.passes[0], limits), "{row}: {request:?}");
    rule.apply(&mut plan.passes[0], limits);
    assert!(matches!(plan.passes[0].steps[0], Step::RealColumns { .. }));
    Ok(plan)
}

#[test]
fn rules_make_columns_and_rows() {
    let mut wrong = Vec::new();
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for case in 0..CASES.len() {
            for (k, kind) in [Kind::Dct1, Kind::Dst1].into_iter().enumerate() {
                for i in [0, 5] {
                    let request = request(kind, case, case + 3 * k + 2 * v + i);
                    let few = (case % 2 == k).then_some(2);
                    let probe = Probe::new(vendor, ORDERS[(case + i) % ORDERS.len()]).blocks(few);
                    wrong.extend(traffic_of(by_rule, probe, &request));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Half of the exchanged points, and fewer exchanges.
#[test]
fn they_move_half_of_the_points_on_chip() {
    // Lengths without a rule of their own.
    for n in [360, 1440] {
        let written = |request: Request| {
            let probe = Probe::new(Vendor::Nvidia, ORDERS[0]);
            let (_, records) = launches(probe, &request).expect("butterflies");
            // Of what is exchanged: results that are staged are no points.
            let staged = head(&records[0].program, "row_of_reals") != 0;
            records[0].counters.shared_writes - if staged { n as u64 + 1 } else { 0 }
        };
        let request = Request::of_kind(Kind::Dct1, Shape::d1(n + 1));
        // Radices that are asked for make the continued line, as half as many complex points.
        let line = written(request.clone().radices(&[16, 9, 8, 5, 4, 3, 2]));
        assert!(written(request) < line / 2, "{n}");
    }
}

/// Factors of lines that two passes share, in the order of the passes: with 67, a convolution.
const PARTS: [[usize; 2]; 2] = [[268, 64], [64, 268]];

fn in_parts(request: &Request, limits: &Limits) -> Result<Plan> {
    plan_as(request, limits, &Asked::parts(&PARTS[request.batch - 1]))
}

/// What knows the half of a line by a value's number is not for the points of a convolution.
#[test]
fn columns_and_rows_may_be_convolutions() {
    let mut wrong = Vec::new();
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for kind in [Kind::Dct1, Kind::Dst1] {
            for (i, parts) in PARTS.iter().enumerate() {
                let half = parts[0] * parts[1] / 2;
                let n = if kind == Kind::Dct1 {
                    half + 1
                } else {
                    half - 1
                };
                let precision = [Precision::F32, Precision::F64][(v + i) % 2];
                let request = Request::of_kind(kind, Shape::d1(n));
                let request = request.batch(1 + i).precision(precision);
                let backend = Probe::new(vendor, ORDERS[i]).backend();
                let plan = in_parts(&request, backend.limits()).expect("a plan");
                let chirp = |s: &Step| matches!(s, Step::Chirp { .. });
                assert!(plan.passes[i].steps.iter().any(chirp), "{request:?}");
                if let Err(what) = mmafft_testing::check(&backend, in_parts, &request, 1.0) {
                    wrong.push(format!("{what}: {request:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Rows of a table may come from anywhere: products have no columns that face each other.
#[test]
fn products_are_not_folded() {
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    let rule = Rule::parse("4*8,4,64,2,0.5").expect("a rule");
    for precision in [Precision::SplitF16, Precision::F16] {
        let request = Request::of_kind(Kind::Dct1, Shape::d1(65))
            .batch(9)
            .precision(precision);
        let request = request.engine(Engine::Matrix);
        let plan = mmafft::plan(&request, backend.limits()).expect("a plan");
        assert!(
            !rule.suits(&plan.passes[0], backend.limits()),
            "{precision:?}"
        );
    }
}

/// Where columns come in pairs a thread has an even number of them: what lowering would refuse is no rule.
#[test]
fn pairs_of_columns_fit_a_thread() {
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    let request = Request::of_kind(Kind::Dct1, Shape::d1(577)).batch(60);
    let plan = mmafft::plan(&request, backend.limits()).expect("a plan");
    let suits = |row: &str| {
        let rule = Rule::parse(row).expect("a rule");
        rule.suits(&plan.passes[0], backend.limits())
    };
    assert!(suits("2*12*12,5,64,2,0.5"));
    // 72 values.
    assert!(!suits("2*12*12,5,32,2,0.5"));
}

/// Lengths of lines of type I by columns, cosines' and sines'.
const LENGTHS: [(Kind, usize); 7] = [
    (Kind::Dct1, 69),
    (Kind::Dct1, 41),
    (Kind::Dst1, 35),
    (Kind::Dct1, 51),
    (Kind::Dst1, 47),
    (Kind::Dct1, 65),
    (Kind::Dst1, 71),
];

/// Arrays with such an axis: first or last, beside any kind, and in three dimensions.
fn arrays() -> Vec<Request> {
    let mut all = Vec::new();
    let kinds = KINDS.iter().map(|row| row.kind);
    for (i, other) in kinds.filter(|kind| kind.is_real_to_real()).enumerate() {
        for (j, (kind, length)) in LENGTHS.into_iter().enumerate() {
            let n = [6, 9, 12, 5, 10][(i + j) % 5];
            all.push((vec![n, length], vec![other, kind]));
            all.push((vec![length, n], vec![kind, other]));
        }
        let n = 3 + i % 4;
        let arrays = [
            (vec![37, n, 7], vec![Kind::Dct1, other, Kind::Dct4]),
            (vec![5, 35, n], vec![Kind::R2HC, Kind::Dst1, other]),
            (vec![n, 3, 49], vec![other, Kind::Dct1, Kind::Dct1]),
            (vec![37, 35, 2], vec![Kind::Dct1, Kind::Dst1, other]),
        ];
        all.extend(arrays.into_iter().skip(i % 2).step_by(2));
    }
    let request = |(i, (dims, kinds)): (usize, (Vec<usize>, Vec<Kind>))| {
        let request = Request::of_kind(kinds[0], Shape::new(&dims)).kinds(&kinds);
        // AMD's 64 KiB hold no more of FP64.
        let large = dims.iter().product::<usize>() > 2000;
        let precision = PRECISIONS[if large { 0 } else { i % 3 }];
        let request = request.batch(1 + i % 4).precision(precision);
        match i / 3 % 6 {
            1 => request.normalization(Normalization::Ortho),
            2 => request.in_place(),
            3 => request.nonzero_input(dims.len() - 1, 1..2),
            4 => request.nonzero_input(0, 1..3),
            // The first one's lines lie apart.
            5 if dims.len() == 2 => request.axes(&[1, 0]).kinds(&[kinds[1], kinds[0]]),
            _ => request,
        }
    };
    all.into_iter().enumerate().map(request).collect()
}

const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::F64, Precision::F16];

/// Between axes their reals are on chip, from both ends of the line.
#[test]
fn they_are_beside_other_axes() {
    let (mut all, mut ran) = (Vec::new(), [0; 3]);
    for vendor in Vendor::ALL {
        for (i, request) in arrays().iter().enumerate() {
            let probe = || Probe::new(vendor, ORDERS[i % ORDERS.len()]).workers(1);
            let plan = mmafft::plan(request, probe().backend().limits()).expect("a plan");
            let columns = |s: &&Step| matches!(s, Step::RealColumns { .. });
            let count = plan.passes[0].steps.iter().filter(columns).count();
            if plan.passes.len() == 1 && count > 0 {
                ran[plan.passes[0].axes.len() - 1] += 1;
            } else {
                all.push(format!(
                    "{} passes, {count}: {request:?}",
                    plan.passes.len()
                ));
            }
            all.extend(traffic_of(mmafft::plan, probe(), request));
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran[1] > 200 && ran[2] > 40, "{ran:?}");
}

/// Lengths, kinds, and radices of all axes in the order of the steps, the last one's first: of columns and rows, or of a
/// continued line.
const RADICES: [([usize; 2], [Kind; 2], &str, usize); 8] = [
    ([65, 65], [Kind::Dct1; 2], "8*4*8*4", 2),
    ([65, 65], [Kind::Dct1; 2], "8*8*2*16", 1),
    ([65, 65], [Kind::Dct1; 2], "8*4*2*8*4*2", 0),
    ([63, 65], [Kind::Dst1, Kind::Dct1], "2*16*4*4*2", 2),
    ([31, 33], [Kind::Dst1, Kind::Dct1], "4*4*2*16", 1),
    ([12, 65], [Kind::Dct2, Kind::Dct1], "2*2*8*2*3", 1),
    ([65, 12], [Kind::Dct1, Kind::Dct2], "6*16*2", 1),
    ([17, 65], [Kind::Dct1; 2], "8*4*2*4", 2),
];

/// By the radices of row `batch - 1`, of as many staged as not; small arrays two a tile.
fn by_radices(request: &Request, limits: &Limits) -> Result<Plan> {
    let (_, _, radices, _) = RADICES[(request.batch - 1) % RADICES.len()];
    let staged = ["", ",staged"][(request.batch - 1) / RADICES.len()];
    let points: usize = request.shape.dims().iter().product();
    let lines = if points < 1200 { 2 } else { 1 };
    let rule = Rule::parse(&format!("{radices},{lines},160,1,0.5{staged}")).expect("a rule");
    let mut plan = mmafft::plan(request, limits)?;
    assert!(
        rule.suits(&plan.passes[0], limits),
        "{radices}: {request:?}"
    );
    rule.apply(&mut plan.passes[0], limits);
    Ok(plan)
}

/// Of several lines a tile too, where memory begins between two sectors; staged or not.
#[test]
fn rules_make_columns_and_rows_of_axes() {
    let mut all = Vec::new();
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for batch in 1..=2 * RADICES.len() {
            let i = (batch - 1) % RADICES.len();
            let (dims, kinds, _, columns) = RADICES[i];
            // AMD's 64 KiB hold no more of FP64.
            let precisions = [Precision::F32, Precision::F16, Precision::F64];
            let few = if dims[0] * dims[1] < 1200 { 3 } else { 2 };
            let precision = precisions[(batch + v) % few];
            let [rows, row] = dims;
            let layout = Layout::strided(&[row, 1]).distance(rows * row);
            let request = Request::of_kind(kinds[0], Shape::new(&dims)).kinds(&kinds);
            let request = request.batch(batch).precision(precision);
            let request = request.output_layout(layout.offset((3 * batch + v) % 11));
            let probe = || Probe::new(vendor, ORDERS[i % ORDERS.len()]).workers(1);
            let (plan, records) =
                launches_of(by_radices, probe(), &request).expect("every device has butterflies");
            let pass = &plan.passes[0];
            let folded = |s: &&Step| matches!(s, Step::RealColumns { .. });
            let count = pass.steps.iter().filter(folded).count();
            assert_eq!(count, columns, "{request:?}");
            // Where the last axis goes by columns.
            let last = |s: &Step| matches!(s, Step::RealColumns { axis: 0, .. });
            let staged = batch > RADICES.len() && pass.steps.iter().any(last);
            let row = head(&records[0].program, "row_of_reals");
            assert_eq!(
                row,
                if staged {
                    (dims[0] * dims[1]) as i64
                } else {
                    0
                }
            );
            all.extend(traffic_of(by_radices, probe(), &request));
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

/// Rows of a table may come from anywhere: reals from both ends of a line are in registers, which those of sums are not.
#[test]
fn sums_are_not_folded() {
    let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
    let suits = |kind: Kind, dims: &[usize], row: &str| {
        let request = Request::of_kind(kind, Shape::new(dims)).batch(300);
        let plan = mmafft::plan(&request, backend.limits()).expect("a plan");
        let rule = Rule::parse(row).expect("a rule");
        rule.suits(&plan.passes[0], backend.limits())
    };
    // Of butterflies they are.
    assert!(suits(Kind::Dct1, &[65], "8*4,1,64,1,0.5"));
    assert!(suits(Kind::Dct1, &[9, 65], "8*4*8,1,64,1,0.5"));
    for row in ["37*2*2*2,1,128,1,0.5", "2*2*2*37,1,128,1,0.5"] {
        assert!(!suits(Kind::Dct1, &[593], row), "{row}");
        assert!(!suits(Kind::Dst1, &[591], row), "{row}");
    }
    assert!(!suits(Kind::Dct1, &[9, 593], "37*2*2*2*8,1,128,1,0.5"));
}
