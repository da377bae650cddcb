//! Several axes of reals in one tile, each for itself, with reals in shared memory between them: one pass, which reads and
//! writes a byte once.

use crate::accesses::traffic_of;
use crate::planes::{passes, probe, random, wrong};
use crate::probe::{Probe, Vendor, ORDERS};
use mmafft::lab::rules::Rule;
use mmafft::{
    plan, Backend, Engine, Kind, Layout, Limits, Normalization, Plan, Precision, Request, Result,
    Shape, Step, KINDS,
};
use mmafft_testing::check;

const PRECISIONS: [Precision; 5] = [
    Precision::F32,
    Precision::F64,
    Precision::F16,
    Precision::Bf16,
    Precision::SplitF16,
];

pub fn kinds() -> Vec<Kind> {
    let kinds = KINDS.iter().map(|row| row.kind);
    kinds.filter(|kind| kind.is_real_to_real()).collect()
}

/// Each kind beside each, of lengths that are packed, odd, primes summed over shared memory, and convolutions.
#[test]
fn every_kind_beside_every_other() {
    let lengths = [
        [8, 8],
        [2, 16],
        [3, 2],
        [10, 9],
        [32, 12],
        [17, 4],
        [6, 26],
        [38, 5],
        [4, 67],
        [74, 3],
        [24, 20],
    ];
    let (mut all, mut ran) = (Vec::new(), 0);
    for vendor in Vendor::ALL {
        for (i, a) in kinds().into_iter().enumerate() {
            for (j, b) in kinds().into_iter().enumerate() {
                for at in [i + 3 * j, 2 * i + j + 5] {
                    let dims = lengths[at % lengths.len()];
                    let precision = PRECISIONS[(i + j + at) % PRECISIONS.len()];
                    let engine = [Engine::Simt, Engine::Matrix][(i + at / 2) % 2];
                    let scale = [Normalization::Backward, Normalization::Ortho][(at / 3) % 2];
                    let request = Request::of_kind(a, Shape::new(&dims))
                        .kinds(&[a, b])
                        .batch(1 + at % 5)
                        .normalization(scale)
                        .precision(precision)
                        .engine(engine);
                    let request = if at % 2 == 0 {
                        request.in_place()
                    } else {
                        request
                    };
                    let Some(passes) = passes(vendor, &request) else {
                        continue;
                    };
                    ran += 1;
                    if passes != 1 {
                        all.push(format!("{passes} passes: {request:?}"));
                    }
                    all.extend(wrong(vendor, ran, &request));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran > 2 * 11 * 11, "{ran}");
}

/// Three axes; axes in another order, or of more; rows apart from each other; parts; other radices.
#[test]
fn of_all_layouts() {
    let of = |dims: &[usize]| Request::of_kind(Kind::Dct2, Shape::new(dims)).batch(3);
    let loose = |row: usize| Layout::strided(&[row + 3, 1]).distance(12 * (row + 3) + 5);
    let apart = Layout::strided(&[1, 12]).distance(200);
    let requests = [
        of(&[8, 8, 8]),
        of(&[4, 6, 10]).kinds(&[Kind::Dct3, Kind::Dst4, Kind::Dht]),
        of(&[3, 5, 7]).kinds(&[Kind::R2HC, Kind::Dst3, Kind::Dct4]),
        of(&[16, 12]).axes(&[1, 0]),
        of(&[6, 3, 16]).axes(&[0, 2]),
        of(&[6, 8, 16]).axes(&[1, 2]),
        of(&[8, 6, 4]).axes(&[0, 1]),
        of(&[12, 16]).nonzero_input(0, 3..9),
        of(&[12, 16]).nonzero_input(1, 3..9),
        of(&[12, 16]).wanted_output(1, 2..13),
        of(&[12, 16])
            .input_layout(loose(16))
            .output_layout(loose(16)),
        of(&[12, 16]).input_layout(apart.clone()),
        of(&[12, 16]).output_layout(apart),
        of(&[12, 16]).batch(70).in_place(),
        of(&[64, 8]).radices(&[4, 2]),
        of(&[64, 8]).kinds(&[Kind::Dct3, Kind::HC2R]).radices(&[2]),
    ];
    let mut all = Vec::new();
    for vendor in Vendor::ALL {
        for (i, request) in requests.iter().enumerate() {
            for precision in PRECISIONS {
                for engine in [Engine::Simt, Engine::Matrix] {
                    let request = request.clone().precision(precision).engine(engine);
                    if passes(vendor, &request).is_some() {
                        all.extend(wrong(vendor, i, &request));
                    }
                }
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

/// Lengths of an array and radices of all axes in the order of the steps, the last one's first.
const RADICES: [([usize; 2], &str); 13] = [
    ([64, 64], "32*32"),
    ([64, 64], "8*4*4*8"),
    ([64, 64], "2*16*16*2"),
    ([64, 16], "2*2*2*4*4*2"),
    ([24, 20], "10*3*4"),
    ([24, 20], "2*5*12"),
    ([9, 20], "5*2*9"),
    ([15, 9], "3*3*3*5"),
    ([40, 32], "4*4*20"),
    ([8, 128], "8*8*4"),
    ([8, 128], "4*2*8*4"),
    ([32, 128], "8*8*16"),
    ([16, 256], "8*16*8"),
];

/// The plan by a rule of these radices, of the number that the batch says.
fn by_radices(request: &Request, limits: &Limits) -> Result<Plan> {
    let (_, radices) = RADICES[request.batch - 1];
    let row = format!("{radices},1,128,1,0.5");
    let rule = Rule::parse(&row).expect("a rule");
    let mut plan = plan(request, limits)?;
    let pass = &mut plan.passes[0];
    assert!(rule.suits(pass, limits), "{row}: {request:?}");
    rule.apply(pass, limits);
    let radices: Vec<String> = pass
        .steps
        .iter()
        .filter_map(Step::radix)
        .map(|r| r.to_string())
        .collect();
    assert!(row.starts_with(&radices.join("*")), "{row}: {request:?}");
    Ok(plan)
}

/// What lowering would refuse is no rule: where half spectra are split, threads have columns in pairs.
#[test]
fn pairs_of_columns_of_an_axis_fit_a_thread() {
    let request = Request::of_kind(Kind::Dct2, Shape::d2(48, 48)).batch(100);
    let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).workers(1);
    let backend = probe.backend();
    let limits = backend.limits();
    let pass = plan(&request, limits).expect("a plan").passes.remove(0);
    let suits = |threads: usize| {
        let rule = Rule::parse(&format!("2*12*2*12,3,{threads},1,0.9")).expect("a rule");
        rule.suits(&pass, limits)
    };
    assert!(!suits(64) && suits(128));
}

#[test]
fn rules_name_radices_of_all_axes() {
    let (mut all, mut ran) = (Vec::new(), 0);
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for (i, (dims, _)) in RADICES.iter().enumerate() {
            for (j, kind) in kinds().into_iter().enumerate() {
                let precision = [Precision::F32, Precision::F64, Precision::F16][(i + j + v) % 3];
                let request = Request::of_kind(kind, Shape::new(dims)).batch(1 + i);
                let request = request.precision(precision);
                let made = |radices: &str| {
                    radices
                        .split('*')
                        .map(|r| r.parse::<usize>().unwrap_or(0))
                        .product::<usize>()
                };
                let points: usize = dims.iter().map(|&n| kind.core_length(n)).product();
                if made(RADICES[i].1) == points {
                    let probe = Probe::new(vendor, ORDERS[i % ORDERS.len()]).workers(1);
                    all.extend(traffic_of(by_radices, probe, &request));
                    ran += 1;
                }
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
    assert!(ran > 50, "{ran}");
}

/// What is wanted in part is in passes of its own.
#[test]
fn random_reals_in_few_tiles() {
    random(3_000, 300, |request| {
        let whole = request.wanted_output.is_empty();
        request.kind.is_real_to_real() && request.shape.rank() > 1 && whole
    });
}

/// What the planner makes of lines of 16 bits that alternate with those of other arrays, and of memory that begins at one
/// real.
#[test]
fn reals_between_others_and_at_any_place() {
    let f16 = |request: Request| request.precision(Precision::F16);
    let between = Layout::strided(&[64 * 16, 16]).distance(1);
    let of = |dims: &[usize]| Request::of_kind(Kind::Dct2, Shape::new(dims)).batch(16);
    let arrays = f16(of(&[64, 64])
        .input_layout(between.clone())
        .output_layout(between));
    // Each real would be alone in its sector.
    assert_eq!(passes(Vendor::Nvidia, &arrays), Some(2));
    let axes = f16(of(&[32, 32, 256]).axes(&[0, 1]));
    assert_eq!(passes(Vendor::Nvidia, &axes), Some(2));
    assert_eq!(passes(Vendor::Nvidia, &f16(of(&[32, 32]))), Some(1));

    let mut all = Vec::new();
    for vendor in Vendor::ALL {
        for kind in [Kind::Dct1, Kind::Dct2, Kind::Dct3, Kind::Dst4] {
            // Lines that a thread has whole, of even and odd numbers, and longer ones.
            let shapes: [&[usize]; 8] = [
                &[8, 8],
                &[64, 16],
                &[14, 68],
                &[8],
                &[10],
                &[15],
                &[16],
                &[128],
            ];
            for dims in shapes {
                for precision in [Precision::F32, Precision::F64] {
                    let bytes = precision.row().storage.bytes();
                    let request = Request::of_kind(kind, Shape::new(dims)).batch(7);
                    let request = request.precision(precision);
                    let probe = probe(vendor, 0).begins_at(bytes);
                    let checked = check(&probe.backend(), plan, &request, 1.0);
                    all.extend(checked.err());
                }
            }
        }
    }
    assert!(all.is_empty(), "{}:\n{}", all.len(), all.join("\n"));
}

/// Half spectra meet in registers beside an axis that is a convolution, and radices are in another order only for that.
#[test]
fn radices_are_ordered_for_half_spectra() {
    let radices = |dims: &[usize], kind: Kind| -> Vec<Vec<usize>> {
        let backend = Probe::new(Vendor::Nvidia, ORDERS[0]).backend();
        let request = Request::of_kind(kind, Shape::new(dims)).batch(10_000);
        let plan = plan(&request, backend.limits()).expect("a plan");
        let pass = &plan.passes[0];
        let of = |axis: &mmafft::backend_traits::TileAxis| {
            let own = |step: &&Step| matches!(step, Step::Dft { axis: a, .. } if *a == axis.axis);
            let steps = pass.steps.iter().filter(own);
            steps.filter_map(Step::radix).collect()
        };
        pass.axes.iter().map(of).collect()
    };
    // 50 points: of radix 10 there would be five columns.
    assert_eq!(radices(&[100, 100], Kind::Dct3), vec![vec![5, 10]; 2]);
    assert_eq!(radices(&[100, 100], Kind::Dct2), vec![vec![10, 5]; 2]);
    assert_eq!(
        radices(&[4, 134], Kind::Dct2)[0],
        radices(&[134], Kind::Dct2)[0]
    );
}
