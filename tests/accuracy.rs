//! The accuracy that the README promises, against the conformance suite's reference: relative L2
//! at most the precision's bound times √(1 + log2 N), threefold for convolved lengths.

use mmafft::backend_traits::radix::RADICES;
use mmafft::backend_traits::reference::Random;
use mmafft::reference::{relative_l2, root, ComplexDd, Dd, ReferenceFft};
use mmafft::{Complex, CpuBackend, Engine, Kind, Planner, Precision, Request, Shape};
use mmafft_testing::{by_products, check, check_data, Data, Outcome};

/// Every line is at most so long, unless the feature `thorough` asks for all.
const LONGEST: usize = match cfg!(feature = "thorough") {
    true => 1 << 40,
    false => 20_000,
};

/// Every length is tried up to this one.
const EVERY: usize = match cfg!(feature = "thorough") {
    true => 2048,
    false => 512,
};

fn measure(request: &Request) -> Outcome {
    let outcome = check(&CpuBackend::default(), mmafft::plan, request, 1.0);
    outcome.unwrap_or_else(|what| panic!("{request:?}: {what}"))
}

fn every_length(precision: Precision, lengths: impl Iterator<Item = usize>) {
    let mut worst = (0.0, 0);
    for n in lengths.filter(|n| *n <= LONGEST) {
        let request = Request::forward(Shape::d1(n)).precision(precision);
        let outcome = measure(&by_products(request));
        let part = outcome.relative_l2 / outcome.bound;
        if part > worst.0 {
            worst = (part, n);
        }
    }
    println!(
        "{}: worst {:.2} of the bound, at {}",
        precision.row().name,
        worst.0,
        worst.1
    );
}

#[test]
fn f64_every_length() {
    every_length(Precision::F64, 1..=EVERY);
}

#[test]
fn f32_every_length() {
    every_length(Precision::F32, 1..=EVERY);
}

#[test]
fn split_f16_every_length_to_300() {
    every_length(Precision::SplitF16, 1..=300);
}

/// Powers of two and three, mixed radices, primes of each kind (Rader's, Bluestein's).
const LONG: [usize; 14] = [
    4096,
    6561,
    10_007,
    15_015,
    30_030,
    65_536,
    65_537,
    100_000,
    196_608,
    531_441,
    1_000_003,
    1 << 20,
    3 << 20,
    1 << 22,
];

#[test]
fn f64_long() {
    every_length(Precision::F64, LONG.into_iter());
}

#[test]
fn f32_long() {
    every_length(Precision::F32, LONG.into_iter());
}

/// What people transform: ones, data with a mean, and tones, whose sums a convolution of a prime must not be wrong by; and noise.
fn kinds_of_data(n: usize) -> [(&'static str, Vec<Complex<f64>>); 5] {
    let mut random = Random::new(n as u64);
    let tone = |k: usize| move |j: usize| root(j * k % n, n).to_c64().conj();
    let mut noise = |mean: f64, spread: f64| mean + spread * random.uniform();
    [
        ("ones", vec![Complex::new(1.0, 0.0); n]),
        ("a mean", (0..n).map(|_| noise(0.5, 0.5).into()).collect()),
        ("a tone", (0..n).map(tone(n / 3)).collect()),
        ("another", (0..n).map(tone(n - 1)).collect()),
        (
            "noise",
            (0..n)
                .map(|_| Complex::new(noise(0.0, 1.0), noise(0.0, 1.0)))
                .collect(),
        ),
    ]
}

/// Compares lines of a batch of so many, all alike, with the reference.
fn keeps_its_accuracy(planner: &Planner, n: usize, batch: usize) {
    let reference = ReferenceFft::<Dd>::new(n);
    let request = |precision| {
        let request = Request::forward(Shape::d1(n)).precision(precision);
        planner.build(&request.batch(batch)).expect("a plan")
    };
    let (in_f64, in_f32) = (request(Precision::F64), request(Precision::F32));
    for (what, line) in kinds_of_data(n) {
        let narrow = |x: &Complex<f64>| Complex::new(x.re as f32, x.im as f32);
        let wide = |x: &Complex<f32>| Complex::new(f64::from(x.re), f64::from(x.im));
        let narrow: Vec<Complex<f32>> = line.iter().map(narrow).collect();
        let widened: Vec<Complex<f64>> = narrow.iter().map(wide).collect();
        let mut got = line.repeat(batch);
        in_f64.process_in_place(&mut got).expect("it runs");
        let mut got_narrow = narrow.repeat(batch);
        in_f32.process_in_place(&mut got_narrow).expect("it runs");
        let got_narrow: Vec<Complex<f64>> = got_narrow.iter().map(wide).collect();
        for (transform, line, got) in [(&in_f64, line, got), (&in_f32, widened, got_narrow)] {
            let exact: Vec<ComplexDd> = line.iter().map(|&x| x.into()).collect();
            let exact = reference.forward(&exact);
            let bound = transform.plan().error_bound;
            for got in [&got[..n], &got[(batch - 1) * n..]] {
                let error = relative_l2(got, &exact);
                assert!(
                    error <= bound,
                    "{what} of {n} in {batch} lines: {error:.1e}, allowed {bound:.1e}"
                );
            }
        }
    }
}

/// Primes p whose p − 1 has small factors, which convolve p − 1 points, alone and beside other factors, and others.
#[test]
fn means_and_tones_keep_their_accuracy() {
    let planner = Planner::cpu().expect("the CPU is built");
    let primes = [101, 127, 701, 1453, 2311, 12_289, 51_031, 65_537];
    let multiples = primes.iter().flat_map(|p| [1, 2, 15].map(|m| m * p));
    let multiples = multiples.filter(|n| *n < LONGEST.min(200_000));
    for n in multiples.chain(
        // RustFFT alone would miss the bound of the last three in f64.
        [
            103 * 101,
            719 * 701,
            719,
            10_007,
            1000,
            4096,
            12_288,
            19_683,
            30_000,
        ]
        .into_iter()
        .filter(|n| *n <= LONGEST),
    ) {
        keeps_its_accuracy(&planner, n, 1);
    }
}

/// Every length is tried in batches up to this one.
const EVERY_LINE: usize = 4096;

/// Products of two powers of primes are tried up to this length.
const PRODUCTS: usize = 1 << 18;

/// Every length in a batch, powers of primes to 2^23, and products of two: `cargo test --release --test accuracy -- --ignored`.
#[test]
#[ignore = "takes many minutes: cargo test --release --test accuracy -- --ignored"]
fn all_data_of_all_lengths() {
    let planner = Planner::cpu().expect("the CPU is built");
    for n in 1..=EVERY_LINE {
        keeps_its_accuracy(&planner, n, 9);
        if n.is_power_of_two() || n % 512 == 0 {
            println!("every length to {n}");
        }
    }
    let primes = [3usize, 5, 7, 11, 13, 17, 19, 23];
    let powers = |prime: usize, most: usize| {
        let powers = (1..).map(move |e| prime.pow(e));
        powers.take_while(move |n| *n <= most)
    };
    for n in primes.iter().flat_map(|&prime| powers(prime, 1 << 23)) {
        keeps_its_accuracy(&planner, n, 1);
        println!("{n}");
    }
    let firsts = primes
        .iter()
        .flat_map(|&p| powers(p, PRODUCTS).map(move |n| (p, n)));
    for (prime, first) in firsts {
        let others = primes.iter().filter(|&&other| other > prime);
        for n in others.flat_map(|&other| powers(other, PRODUCTS / first).map(|n| n * first)) {
            if n > EVERY_LINE {
                keeps_its_accuracy(&planner, n, 1);
            }
        }
        println!("products of {first} and powers of larger primes");
    }
}

/// Primes and their powers, of which convolutions are made: p − 1 with small factors only, with large ones, safe primes.
const CONVOLVED: [usize; 40] = [
    13, 17, 29, 31, 37, 47, 61, 97, 101, 103, 127, 169, 211, 251, 257, 289, 509, 719, 961, 1009,
    2197, 2209, 4099, 4913, 6859, 9409, 10_007, 12_289, 16_127, 29_791, 51_031, 65_537, 83_521,
    104_729, 262_147, 371_293, 524_309, 742_586, 912_673, 1_000_003,
];

/// A chirp is what a convolution of a long prime is least accurate at, in one of its two directions.
#[test]
fn chirps_keep_their_accuracy() {
    let mut failures = Vec::new();
    for precision in [
        Precision::F64,
        Precision::F32,
        Precision::F16,
        Precision::Bf16,
    ] {
        let most = match precision {
            Precision::F64 => usize::MAX,
            Precision::F32 => 300_000,
            _ => 20_000,
        };
        for n in CONVOLVED.into_iter().filter(|n| *n <= most.min(LONGEST)) {
            for sign in [-1.0, 1.0] {
                let request = Request::forward(Shape::d1(n))
                    .precision(precision)
                    .normalization(mmafft::Normalization::Ortho);
                let backend = CpuBackend::default();
                if let Err(what) = check_data(&backend, mmafft::plan, &request, Data::Chirp(sign)) {
                    failures.push(format!("{precision:?} {n} {sign:+}: {what}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Arrays of two and three axes keep the bounds, of noise and of chirps: powers of two, mixed lengths, primes of each kind.
#[test]
fn planes_and_cubes_keep_their_accuracy() {
    let shapes: [&[usize]; 12] = [
        &[2, 3],
        &[64, 64],
        &[37, 41],
        &[100, 30],
        &[97, 128],
        &[13, 169],
        &[509, 16],
        &[3, 1009],
        &[8, 8, 8],
        &[13, 17, 19],
        &[30, 7, 37],
        &[4, 211, 6],
    ];
    let kinds = [
        Kind::C2C,
        Kind::R2C,
        Kind::C2R,
        Kind::R2HC,
        Kind::Dct1,
        Kind::Dst3,
    ];
    let mut failures = Vec::new();
    for shape in shapes {
        for kind in kinds {
            for precision in [Precision::F64, Precision::F32, Precision::Bf16] {
                let request = Request::of_kind(kind, Shape::new(shape)).precision(precision);
                for data in [Data::Uniform(1.0), Data::Chirp(1.0), Data::Chirp(-1.0)] {
                    let outcome = check_data(&CpuBackend::default(), mmafft::plan, &request, data);
                    if let Err(what) = outcome {
                        failures.push(format!("{what}: {data:?} {request:?}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn halves_at_every_radix() {
    for (precision, most) in [(Precision::F16, 6e-4), (Precision::Bf16, 5e-3)] {
        for row in RADICES {
            for power in 1..=4 {
                let n = row.radix.pow(power);
                // Sums of tens of thousands would leave FP16's range: scale by 1/√N.
                let request = Request::forward(Shape::d1(n))
                    .precision(precision)
                    .radices(&[row.radix])
                    .normalization(mmafft::Normalization::Ortho)
                    .engine(Engine::Matrix);
                let error = measure(&request).relative_l2;
                assert!(error <= most, "{precision:?} {n}: {error:e}");
            }
        }
    }
}

#[test]
fn split_f16_is_within_twice_f32() {
    for row in RADICES {
        let mut n = row.radix;
        while n <= 16_384 {
            // Batches even out what chance there is in one small array.
            let request = Request::forward(Shape::d1(n)).batch((4096 / n).max(1));
            let single = rms(&request);
            let split = request.precision(Precision::SplitF16).radices(&[row.radix]);
            let error = rms(&split);
            assert!(
                error <= 2.0 * single,
                "radix {}, {n} points: {error:e}, and f32 {single:e}",
                row.radix
            );
            n *= row.radix;
        }
    }
}

/// The error of a whole batch; `measure` gives that of its worst array.
fn rms(request: &Request) -> f64 {
    let batch = request.batch;
    let mut whole = request.clone().batch(1).axes(&[1]);
    whole.shape = Shape::d2(batch, request.shape.dims()[0]);
    measure(&whole).relative_l2
}

/// The matrix unsplit loses three digits at radix 8, as in the 2019 report, and none at
/// the exact radices 2 and 4.
#[test]
fn an_unsplit_matrix_shows_the_papers_loss() {
    let error = |radix: usize, split| {
        let request = Request::forward(Shape::d1(4096))
            .precision(Precision::SplitF16)
            .radices(&[radix])
            .split_matrix(split);
        check(
            &CpuBackend::default(),
            |r, l| {
                // The bound is that of the split matrix: it is not judged here.
                mmafft::plan(r, l).map(|p| mmafft::Plan {
                    error_bound: 1.0,
                    ..p
                })
            },
            &request,
            1.0,
        )
        .expect("it runs")
        .relative_l2
    };
    for radix in [2, 4] {
        assert_eq!(error(radix, true), error(radix, false));
    }
    for radix in [8, 16] {
        let (split, unsplit) = (error(radix, true), error(radix, false));
        assert!(
            unsplit > 500.0 * split,
            "radix {radix}: {unsplit:e} {split:e}"
        );
    }
}

#[test]
fn real_kinds_of_every_length() {
    for precision in [Precision::F64, Precision::F32] {
        for n in (1..=256).chain(
            [1000, 1009, 1155, 2187, 4096, 6561, 10_000, 65_536]
                .into_iter()
                .filter(|n| *n <= LONGEST),
        ) {
            for kind in [Kind::R2C, Kind::C2R] {
                let direction = kind.row().direction.expect("real kinds have one");
                let request = Request::directed(kind, direction, Shape::d1(n));
                measure(&request.precision(precision));
            }
        }
    }
}

/// Error grows like √log N: from 2^10 to 2^20 by √1.9, from 2^10 to 2^14 by √1.4, with half as much again allowed for
/// the different algorithms that different lengths take.
#[test]
fn error_grows_like_the_root_of_the_logarithm() {
    let levels = if LONGEST < 1 << 20 { 14 } else { 20 };
    for precision in [Precision::F64, Precision::F32, Precision::SplitF16] {
        let error = |n: usize| {
            rms(&Request::forward(Shape::d1(n))
                .batch((1 << levels) / n)
                .precision(precision))
        };
        let (short, long) = (error(1 << 10), error(1 << levels));
        assert!(
            long < short * (f64::from(1 + levels) / 11.0).sqrt() * 1.5,
            "{precision:?} {short:e} {long:e}"
        );
    }
}
