//! The real family on the CPU: every length against the definition in higher precision, and
//! back again.

use mmafft::backend_traits::reference::{Definition, Random};
use mmafft::reference::{relative_l2, ComplexDd};
use mmafft::{
    largest_prime_factor, Complex, CpuBackend, CpuOptions, Direction, Kind, Normalization, Planner,
    Precision, RealElement, Request, Shape, KINDS,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// A scalar type, and its bound per root of the number of levels.
pub trait Tested: RealElement {
    const PRECISION: Precision;
    const BOUND: f64;
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
}

impl Tested for f64 {
    const PRECISION: Precision = Precision::F64;
    const BOUND: f64 = 5e-16;
    fn of(x: f64) -> f64 {
        x
    }
    fn value(self) -> f64 {
        self
    }
}

impl Tested for f32 {
    const PRECISION: Precision = Precision::F32;
    const BOUND: f64 = 2e-7;
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn value(self) -> f64 {
        self.into()
    }
}

fn kinds() -> impl Iterator<Item = Kind> {
    let kinds = KINDS.iter().map(|row| row.kind);
    kinds.filter(|kind| kind.is_real_to_real())
}

fn planner() -> Planner {
    let options = CpuOptions {
        threads: 1,
        ..Default::default()
    };
    Planner::on(mmafft::AnyBackend::Cpu(CpuBackend::new(options)))
}

/// By the reals that there are, though the line that a kind continues them to is longer; three times that only where both
/// lengths have a large prime.
pub fn bound<T: Tested>(kind: Kind, n: usize) -> f64 {
    let lengths = [n, kind.logical_length(n)];
    let convolved = lengths.map(largest_prime_factor).iter().all(|&p| p > 13);
    T::BOUND * (1.0 + (n as f64).log2()).sqrt() * if convolved { 3.0 } else { 1.0 }
}

pub fn run<T: Tested>(request: &Request, x: &[T]) -> Vec<T> {
    let fft = planner()
        .build(&request.clone().precision(T::PRECISION))
        .expect("a transform");
    let mut y = vec![T::default(); fft.output_len()];
    fft.process(x, &mut y).expect("it runs");
    y
}

pub fn input<T: Tested>(n: usize) -> Vec<T> {
    let mut random = Random::new(n as u64);
    (0..n).map(|_| T::of(random.uniform())).collect()
}

pub fn complex<T: Tested>(values: &[T]) -> Vec<Complex<f64>> {
    values.iter().map(|x| Complex::from(x.value())).collect()
}

/// One kind and length against the definition, with each way of normalising in turn.
fn against_definition<T: Tested>(kind: Kind, n: usize) -> Result<(), String> {
    let x = input::<T>(n);
    beside(kind, &x, &defined(kind, &x))
}

/// The same in both precisions, beside one result: of reals that either has.
fn against_definition_in_both(kind: Kind, n: usize) -> Result<(), String> {
    let narrow = input::<f32>(n);
    let x: Vec<f64> = narrow.iter().map(|&x| x.into()).collect();
    let expected = defined(kind, &x);
    beside(kind, &x, &expected).and(beside(kind, &narrow, &expected))
}

fn normalization(n: usize) -> (Normalization, &'static str) {
    Normalization::ALL[n % 5]
}

/// Of these reals by the definition, not scaled.
fn defined<T: Tested>(kind: Kind, x: &[T]) -> Vec<ComplexDd> {
    let (normalization, _) = normalization(x.len());
    let definition = Definition::new(kind, x.len(), normalization == Normalization::Ortho);
    let line: Vec<ComplexDd> = complex(x).into_iter().map(ComplexDd::from).collect();
    definition.apply(&line)
}

fn beside<T: Tested>(kind: Kind, x: &[T], expected: &[ComplexDd]) -> Result<(), String> {
    let n = x.len();
    let (normalization, name) = normalization(n);
    let request = Request::of_kind(kind, Shape::d1(n)).normalization(normalization);
    let got = run(&request, x);
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    let factor = normalization.factor(kind.logical_length(n) as f64, direction);
    let got: Vec<Complex<f64>> = complex(&got).iter().map(|y| y / factor).collect();
    let error = relative_l2(&got, expected);
    let allowed = bound::<T>(kind, n);
    match error <= allowed {
        true => Ok(()),
        false => {
            let kind = kind.row().name;
            let precision = T::PRECISION.row().name;
            Err(format!(
                "{kind} of {n}, {precision}, {name}: {error:.2e} > {allowed:.2e}"
            ))
        }
    }
}

/// Runs all cases on all threads; panics with a list of those that fail.
pub fn all(cases: Vec<(Kind, usize)>, case: impl Fn(Kind, usize) -> Result<(), String> + Sync) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&(kind, n)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(what) = case(kind, n) {
                failures.lock().expect("nothing panics here").push(what);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("nothing panics here");
    let count = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{count:?}:\n{}", failures.join("\n"));
}

/// Lines are at most so long, unless the feature `thorough` asks for all.
const LONGEST: usize = match cfg!(feature = "thorough") {
    true => 1 << 40,
    false => 20_250,
};

pub fn cases(lengths: impl Iterator<Item = usize> + Clone) -> Vec<(Kind, usize)> {
    let possible = |&(kind, n): &(Kind, usize)| n <= LONGEST && kind.logical_length(n) > 0;
    let all = kinds().flat_map(|kind| lengths.clone().map(move |n| (kind, n)));
    all.filter(possible).collect()
}

#[test]
fn every_length_f64() {
    all(cases(1..=512), against_definition::<f64>);
}

#[test]
fn every_length_f32() {
    all(cases(1..=512), against_definition::<f32>);
}

/// What an emulated processor has the time for.
#[test]
fn short_lines() {
    all(cases(1..=64), against_definition_in_both);
}

/// Long lines, all kinds in both precisions: powers of two, mixed radices, a large prime and its neighbours.
#[test]
fn long_lines() {
    let lengths = [
        1350,
        4096,
        4099,
        6750,
        20250,
        65536,
        100_003,
        1 << 18,
        1_000_000,
        1 << 20,
    ];
    all(cases(lengths.into_iter()), against_definition_in_both);
}

/// A kind and the one that undoes it, with every normalisation, give the input back.
#[test]
fn inverse_pairs() {
    let lengths = [1usize, 2, 3, 8, 15, 64, 97, 100, 257, 1350, 4096];
    all(cases(lengths.into_iter()), |kind, n| {
        let x = input::<f64>(n);
        for (normalization, name) in Normalization::ALL {
            let there = Request::of_kind(kind, Shape::d1(n)).normalization(normalization);
            let y = run(&there, &x);
            let z = complex(&run(&there.inverse(), &y));
            let expected: Vec<ComplexDd> = complex(&x).into_iter().map(ComplexDd::from).collect();
            let error = relative_l2(&z, &expected);
            if error > 3.0 * bound::<f64>(kind, n) {
                let kind = kind.row().name;
                return Err(format!("{kind} of {n} and back, {name}: {error:.2e}"));
            }
        }
        Ok(())
    });
}

/// In two dimensions, a different kind on each axis, the transform is that of the rows and then
/// that of the columns.
#[test]
fn planes_are_rows_then_columns() {
    let kinds: Vec<Kind> = kinds().collect();
    for (i, &down) in kinds.iter().enumerate() {
        for (rows, columns) in [(40, 36), (33, 70), (256, 24), (324, 40)] {
            let across = kinds[(i + 4) % kinds.len()];
            let x = input::<f64>(rows * columns);
            let shape = || Shape::d2(rows, columns);
            let request = Request::of_kind(down, shape());
            let both = run(&request.clone().kinds(&[down, across]), &x);
            let one = run(&Request::of_kind(across, shape()).axes(&[1]), &x);
            let two = run(&request.axes(&[0]), &one);
            let two: Vec<ComplexDd> = complex(&two).into_iter().map(ComplexDd::from).collect();
            let error = relative_l2(&complex(&both), &two);
            assert!(
                error < 1e-15,
                "{down:?} {across:?} of {rows}x{columns}: {error:.1e}"
            );
        }
    }
}
