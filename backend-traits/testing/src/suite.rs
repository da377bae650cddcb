//! The suite that every backend passes, instantiated in one line:
//!
//! ```ignore
//! mmafft_testing::conformance_suite!(cpu, Ok(CpuBackend::default()), mmafft::plan);
//! ```
//!
//! Requests from a table ([`requests`]) and at random are planned for the backend's own limits
//! and run on poisoned buffers: every gap of a layout, everything outside of a zero range
//! and the whole output hold NaN before the run. Results are compared with a double-double
//! DFT (one in FP64 where the arrays' numbers are shorter), array by array, with the bound of
//! the precision's row; whatever is not wanted must be as it was. A failing case names itself; `MMAFFT_CASE=NAME` runs it alone.
//! `MMAFFT_PART=3/16` runs the third of sixteen parts of the cases: threads of a process wait for each
//! other in run-time compilers, so that a device whose host has many cores is tested soonest by as many processes.

use crate::cases::{random_request, requests};
use crate::run::{check, check_data, check_each, Data};
use half::f16;
use mmafft_backend_traits::reference::Random;
use mmafft_backend_traits::{split, Backend, Error, Limits, Plan, Request, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// A planner: the suite is told which, as this crate has none.
pub type PlanFn = fn(&Request, &Limits) -> Result<Plan>;

/// Runs every request of the table that `part` of `parts` covers on several backends of the same limits: each on one of
/// them, as they differ in the order of their threads. Panics with the names of all that fail.
pub fn table<B: Backend>(backends: &[B], plan: PlanFn, part: usize, parts: usize) {
    let requests = requests(backends[0].limits());
    let chosen = requests.iter().enumerate();
    let chosen = chosen.filter(|(i, _)| i % parts == part);
    let one = |case: usize| std::slice::from_ref(&backends[case % backends.len()]);
    let named = chosen.map(|(i, r)| (format!("table-{i}"), r.clone()));
    run_all(one, plan, named);
}

/// Runs `count` random requests, each on all backends.
pub fn random<B: Backend>(backends: &[B], plan: PlanFn, count: u64) {
    let limits = backends[0].limits();
    let request = |seed| (format!("random-{seed}"), random_request(seed, limits));
    run_all(|_| backends, plan, (0..count).map(request));
}

/// Whether the case of this number is of the part that `MMAFFT_PART` asks for; all are where it is not set.
///
/// # Panics
/// Where it is no part.
pub fn is_ours(case: usize) -> bool {
    let (part, parts) = part();
    case % parts == part - 1
}

/// Threads of this process, where the others that `MMAFFT_PART` tells of run beside it: a core each.
///
/// # Panics
/// Where it is no part.
pub fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / part().1).max(1)
}

/// Which part of the cases the environment asks for, of how many.
fn part() -> (usize, usize) {
    let Ok(text) = std::env::var("MMAFFT_PART") else {
        return (1, 1);
    };
    let part = text
        .split_once('/')
        .and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    part.filter(|(part, parts)| (1..=*parts).contains(part))
        .unwrap_or_else(|| panic!("MMAFFT_PART={text} is no part, as 3/16 is"))
}

fn run_all<'a, B: Backend + 'a>(
    backends: impl Fn(usize) -> &'a [B] + Sync,
    plan: PlanFn,
    requests: impl Iterator<Item = (String, Request)>,
) {
    let only = std::env::var("MMAFFT_CASE").ok();
    let wanted = |name: &String| only.as_ref().is_none_or(|only| only == name);
    let ours = |i: usize| only.is_some() || is_ours(i);
    let requests: Vec<_> = requests
        .enumerate()
        .filter(|(i, (name, _))| wanted(name) && ours(*i))
        .map(|(_, request)| request)
        .collect();
    let ran = requests.len();
    let failures = Mutex::new(Vec::new());
    // The error nearest to its bound, and whose it is.
    let worst = Mutex::new((0.0, String::new()));
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, request)) = requests.get(case) else {
                break;
            };
            match check_each(backends(case), plan, request, 1.0) {
                Ok(outcome) => {
                    let share = outcome.relative_l2 / outcome.bound;
                    let mut worst = worst.lock().expect("nothing panics here");
                    if share > worst.0 {
                        *worst = (share, format!("{name}: {:.2e}", outcome.relative_l2));
                    }
                }
                Err(what) => {
                    let line = format!("MMAFFT_CASE={name}: {what}\n    {request:?}");
                    // A run that is cut short has said so.
                    println!("{line}");
                    failures.lock().expect("nothing panics here").push(line);
                }
            }
        }
    };
    // A backend is used from many threads at once by its users too.
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 1..threads.min(ran) {
            scope.spawn(work);
        }
        work();
    });
    let mut failures = failures.into_inner().expect("nothing panics here");
    failures.sort();
    let (share, whose) = worst.into_inner().expect("nothing panics here");
    println!("{ran} cases; the worst, {share:.2} of its bound, is {whose}");
    assert!(ran > 0 || only.is_some() || part().1 > 1, "no case ran");
    assert!(
        failures.is_empty(),
        "{} of {ran} cases failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Inputs of very different magnitude in one batch must not disturb each other, nor lose digits.
pub fn mixed_scales<B: Backend>(backend: &B, plan: PlanFn) {
    use mmafft_backend_traits::{radix::RADICES, Normalization, Precision, Shape};
    let has = |precision| backend.limits().precisions.contains(&precision);
    if has(Precision::SplitF16) {
        for row in RADICES {
            for power in 1..=2 {
                let request = Request::forward(Shape::d1(row.radix.pow(power)))
                    .radices(&[row.radix])
                    .batch(61)
                    .precision(Precision::SplitF16);
                // Array b of the batch is scaled by 10^(b − 30).
                if let Err(what) = check(backend, plan, &request, 10.0) {
                    panic!("radix {} to the power of {power}: {what}", row.radix);
                }
            }
        }
    }
    if has(Precision::F16) {
        let requests = [
            Request::forward(Shape::d3(64, 48, 80)),
            Request::forward(Shape::d1(20011)),
            Request::r2c(Shape::d2(3, 53872)),
        ];
        for request in requests {
            let request = request.normalization(Normalization::Ortho);
            let request = request.precision(Precision::F16).batch(5);
            // By 1/256 to 256 a part, between passes too.
            if let Err(what) = check(backend, plan, &request, 16.0) {
                panic!("{what}\n    {request:?}");
            }
        }
    }
}

/// Buffers keep what is written, and refuse what does not fit.
pub fn buffers<B: Backend>(backend: &B) {
    let data: Vec<u8> = (0..=255).collect();
    let mut buffer = backend.allocate(300).expect("300 bytes");
    backend.write(&mut buffer, 13, &data).expect("it fits");
    let mut back = vec![0; 256];
    backend.read(&buffer, 13, &mut back).expect("it fits");
    assert_eq!(back, data);
    for offset in [45, usize::MAX] {
        let error = backend.write(&mut buffer, offset, &data);
        assert!(
            matches!(error, Err(Error::BufferTooShort { .. })),
            "{error:?}"
        );
        let error = backend.read(&buffer, offset, &mut back);
        assert!(
            matches!(error, Err(Error::BufferTooShort { .. })),
            "{error:?}"
        );
    }
    backend.allocate(0).expect("an empty buffer");
}

/// Splitting agrees with the reference bit for bit, and combining restores the value.
pub fn split_and_combine<B: Backend>(backend: &B) {
    let vector = 8;
    let mut random = Random::new(7);
    let values: Vec<f32> = (0..61 * vector)
        .map(|i| random.uniform() as f32 * 10f32.powi((i / vector) as i32 - 30))
        .collect();
    let count = values.len();
    let allocate = |bytes| backend.allocate(bytes).expect("memory");
    let mut input = allocate(4 * count);
    let (mut hi, mut lo) = (allocate(2 * count), allocate(2 * count));
    let (mut exponents, mut back) = (allocate(4 * count / vector), allocate(4 * count));
    backend
        .write(&mut input, 0, bytemuck::cast_slice(&values))
        .expect("it fits");
    backend
        .split(&input, vector, &mut hi, &mut lo, &mut exponents)
        .expect("split");
    backend
        .combine(&hi, &lo, &exponents, vector, &mut back)
        .expect("combine");
    let mut restored = vec![0f32; count];
    let mut got_hi = vec![f16::ZERO; count];
    let bytes = bytemuck::cast_slice_mut(&mut restored);
    backend.read(&back, 0, bytes).expect("it fits");
    let bytes = bytemuck::cast_slice_mut(&mut got_hi);
    backend.read(&hi, 0, bytes).expect("it fits");
    let pairs = values.chunks(vector).zip(restored.chunks(vector));
    for ((values, restored), got_hi) in pairs.zip(got_hi.chunks(vector)) {
        let (mut hi, mut lo) = (vec![f16::ZERO; vector], vec![f16::ZERO; vector]);
        let e = split::split(values, &mut hi, &mut lo);
        assert_eq!(hi, got_hi);
        let unit = split::power_of_two(e - 23);
        for (x, y) in values.iter().zip(restored) {
            assert!(f64::from((x - y).abs()) <= unit, "{x} became {y}");
        }
    }
    let error = backend.split(&input, 7, &mut hi, &mut lo, &mut exponents);
    assert!(error.is_err(), "488 values are not whole vectors of 7");
}

/// Split vectors times the DFT matrix, for every radix and both directions.
pub fn products<B: Backend>(backend: &B) {
    use mmafft_backend_traits::reference::{relative_l2, ComplexDd, ReferenceFft};
    use mmafft_backend_traits::{radix::RADICES, Direction};
    use num_complex::Complex;
    let vectors = 61;
    for row in RADICES {
        for direction in [Direction::Forward, Direction::Inverse] {
            let mut random = Random::new(row.radix as u64);
            let mut draw = |i: usize| random.uniform() as f32 * 10f32.powi(i as i32 - 30);
            let reals = 2 * row.radix;
            let values: Vec<f32> = (0..vectors * reals).map(|i| draw(i / reals)).collect();
            let bytes = 4 * values.len();
            let allocate = |bytes| backend.allocate(bytes).expect("memory");
            let (mut input, mut output) = (allocate(bytes), allocate(bytes));
            let (mut hi, mut lo) = (allocate(bytes / 2), allocate(bytes / 2));
            let mut exponents = allocate(4 * vectors);
            let data = bytemuck::cast_slice(&values);
            backend.write(&mut input, 0, data).expect("it fits");
            backend
                .split(&input, reals, &mut hi, &mut lo, &mut exponents)
                .expect("split");
            backend
                .product(row.radix, direction, &hi, &lo, &exponents, &mut output)
                .expect("product");
            let mut got = vec![0f32; values.len()];
            let to = bytemuck::cast_slice_mut(&mut got);
            backend.read(&output, 0, to).expect("it fits");
            let complex = |x: &[f32]| Complex::new(f64::from(x[0]), f64::from(x[1]));
            for (from, got) in values.chunks(reals).zip(got.chunks(reals)) {
                let from: Vec<ComplexDd> = from
                    .chunks(2)
                    .map(|x| ComplexDd::from(complex(x)))
                    .collect();
                let fft = ReferenceFft::new(row.radix);
                let expected = match direction {
                    Direction::Forward => fft.forward(&from),
                    Direction::Inverse => fft.inverse(&from),
                };
                let got: Vec<Complex<f64>> = got.chunks(2).map(complex).collect();
                let error = relative_l2(&got, &expected);
                assert!(error < 4e-7, "radix {}: {error:.1e}", row.radix);
            }
        }
    }
}

/// Data of other shapes than noise keep the bounds: chirps, by which convolutions of long primes lose digits, and numbers
/// that fall below the precision's range.
pub fn shapes_of_data<B: Backend>(backend: &B, plan: PlanFn) {
    use mmafft_backend_traits::{Kind, Normalization, ScalarType, Shape, KINDS};
    let mut failures = Vec::new();
    let mut check = |request: &Request, data| {
        if let Err(what) = check_data(backend, plan, request, data) {
            failures.push(format!("{what}: {data:?}\n    {request:?}"));
        }
    };
    for &precision in &backend.limits().precisions {
        for n in CHIRPS {
            for kind in [Kind::C2C, Kind::R2C, Kind::Dct2] {
                let request = Request::of_kind(kind, Shape::d1(n)).precision(precision);
                for sign in [-1.0, 1.0] {
                    check(
                        &request.clone().normalization(Normalization::Ortho),
                        Data::Chirp(sign),
                    );
                }
            }
        }
        let least = match precision.row().storage {
            ScalarType::F64 => 1e-313,
            ScalarType::F32 | ScalarType::Bf16 => 1e-41,
            ScalarType::F16 => 1e-5,
        };
        for n in [1, 16, 97, 100, 1000, 4099] {
            for row in KINDS.iter().filter(|row| row.kind.logical_length(n) > 0) {
                let request = Request::of_kind(row.kind, Shape::d1(n)).precision(precision);
                for normalization in [Normalization::None, Normalization::Ortho] {
                    let request = request.clone().normalization(normalization);
                    check(&request, Data::Times(least));
                    check(&request, Data::Times(least * 1e4));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Primes of each kind, their squares and powers.
const CHIRPS: [usize; 12] = [13, 97, 101, 127, 169, 211, 257, 529, 961, 1009, 2197, 4099];

/// A run that cannot succeed leaves the output as it was, and the next one succeeds.
pub fn faults<B: Backend>(backend: &B, plan: PlanFn) {
    use mmafft_backend_traits::{Bindings, Prepared, Shape};
    let made = plan(&Request::forward(Shape::d1(64)), backend.limits()).expect("a plan");
    let prepared = backend.prepare(&made).expect("prepared");
    let full = 64 * 8;
    let poison = vec![0xffu8; full];
    for (input_bytes, output_bytes, short_scratch) in [
        (full - 8, full, false),
        (full, full - 8, false),
        (full, full, true),
    ] {
        let allocate = |bytes| backend.allocate(bytes).expect("memory");
        let mut input = allocate(input_bytes);
        let mut output = allocate(output_bytes);
        let zeros = vec![0; input_bytes];
        backend.write(&mut input, 0, &zeros).expect("it fits");
        backend
            .write(&mut output, 0, &poison[..output_bytes])
            .expect("it fits");
        let needed = prepared.scratch_bytes();
        if short_scratch && needed == 0 {
            continue;
        }
        let mut scratch = allocate(if short_scratch { needed - 1 } else { needed });
        let bindings = Bindings {
            input: Some(&input),
            output: &mut output,
            scratch: &mut scratch,
        };
        let error = backend.launch(&prepared, bindings);
        let error = error.expect_err("a buffer is too short");
        assert!(!error.output_touched());
        backend.synchronize().expect("nothing is pending");
        let mut after = vec![0; output_bytes];
        backend.read(&output, 0, &mut after).expect("it fits");
        assert_eq!(after, poison[..output_bytes], "{error}");
    }
    let outcome = check(backend, plan, &Request::forward(Shape::d1(64)), 1.0);
    outcome.expect("the next run is not disturbed");
}

/// Instantiates the suite as the module `$name`, whose `tests()` are for a harness that tells
/// [`crate::Skipped`] from a failure.
///
/// `$backend` is a `Result<impl Backend, Error>`: without a device the tests are skipped. After
/// `each` it is one of an array of backends of the same limits.
#[macro_export]
macro_rules! conformance_suite {
    ($name:ident, each $backends:expr, $plan:expr) => {
        mod $name {
            use super::*;
            use $crate as suite;

            /// The suite's tests, named after its module.
            pub fn tests() -> Vec<suite::Test> {
                let mut tests: Vec<suite::Test> = Vec::new();
                // A target's own name is not in its tests' names.
                let module = module_path!().split_once("::").map_or("", |(_, path)| path);
                macro_rules! case {
                    ($test:ident, $run:expr) => {{
                        fn $test() {
                            $run(&suite::or_skip($backends));
                        }
                        tests.push((format!("{module}::{}", stringify!($test)), $test));
                    }};
                }

                case!(buffers, |b: &[_]| b.iter().for_each(suite::buffers));
                case!(split_and_combine, |b: &[_]| b
                    .iter()
                    .for_each(suite::split_and_combine));
                case!(products, |b: &[_]| b.iter().for_each(suite::products));
                case!(faults, |b: &[_]| b
                    .iter()
                    .for_each(|b| suite::faults(b, $plan)));
                case!(shapes_of_data, |b: &[_]| b
                    .iter()
                    .for_each(|b| suite::shapes_of_data(b, $plan)));
                case!(mixed_scales, |b: &[_]| b
                    .iter()
                    .for_each(|b| suite::mixed_scales(b, $plan)));
                case!(table_first_half, |b: &[_]| suite::table(b, $plan, 0, 2));
                case!(table_second_half, |b: &[_]| suite::table(b, $plan, 1, 2));
                case!(random_requests, |b: &[_]| suite::random(b, $plan, 2000));
                tests
            }
        }
    };
    ($name:ident, $backend:expr, $plan:expr) => {
        $crate::conformance_suite!($name, each $backend.map(|backend| [backend]), $plan);
    };
}
