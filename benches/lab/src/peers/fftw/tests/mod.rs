mod checks;
mod transforms;

use std::f64::consts::PI;

use mmafft::Complex;

use super::*;

/// The two precisions, for tests that compare in `f64`.
trait Number: Real + Into<f64> + PartialEq + std::fmt::Debug {
    /// The relative error allowed.
    const TOLERANCE: f64;

    fn from_f64(value: f64) -> Self;
}

impl Number for f32 {
    const TOLERANCE: f64 = 1e-6;

    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Number for f64 {
    const TOLERANCE: f64 = 1e-14;

    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Runs a generic test in both precisions; tests/tools says where FFTW is not installed.
macro_rules! test_both {
    ($module:ident, $name:ident) => {
        #[test]
        fn $name() {
            Fftw::<f32>::open().iter().for_each($module::$name);
            Fftw::<f64>::open().iter().for_each($module::$name);
        }
    };
}

test_both!(transforms, complex_transforms_match_the_definition);
test_both!(transforms, batches_may_interleave);
test_both!(transforms, real_transforms_match_the_definition);
test_both!(transforms, real_transforms_work_in_place);
test_both!(transforms, cosine_and_sine_transforms_match_the_definition);
test_both!(transforms, threads_give_the_same_result);
test_both!(checks, version_names_fftw);
test_both!(checks, alignment_is_checked);
test_both!(checks, lengths_are_checked);
test_both!(checks, bad_arguments_are_errors);

const ESTIMATE: Options = Options {
    rigor: Rigor::Estimate,
    threads: 1,
    in_place: false,
    unaligned: false,
};

const IN_PLACE: Options = Options {
    in_place: true,
    ..ESTIMATE
};

fn signal<T: Number>(len: usize) -> Vec<T> {
    let value = |j: usize| ((j * j * 7 + 3 * j) % 31) as f64 / 15.5 - 1.0;
    (0..len).map(|j| T::from_f64(value(j))).collect()
}

fn complex_signal<T: Number>(len: usize) -> Vec<Complex<T>> {
    let parts = signal(2 * len);
    let pairs = parts.chunks_exact(2);
    pairs.map(|pair| Complex::new(pair[0], pair[1])).collect()
}

fn wide<T: Number>(value: Complex<T>) -> Complex<f64> {
    Complex::new(value.re.into(), value.im.into())
}

/// The definition of a transform of three dimensions.
fn naive<T: Number>(shape: [usize; 3], sign: f64, x: &[Complex<T>]) -> Vec<Complex<f64>> {
    let [a, b, c] = shape;
    let index = |k: usize| [k / (b * c), k / c % b, k % c];
    let bin = |k: usize| {
        let term = |(j, &value): (usize, &Complex<T>)| {
            let turns: f64 = (0..3)
                .map(|axis| (index(j)[axis] * index(k)[axis]) as f64 / shape[axis] as f64)
                .sum();
            wide(value) * Complex::cis(sign * 2.0 * PI * turns)
        };
        x.iter().enumerate().map(term).sum()
    };
    (0..a * b * c).map(bin).collect()
}

fn assert_close<T: Number>(actual: &[Complex<T>], expected: &[Complex<f64>]) {
    assert_eq!(actual.len(), expected.len());
    let pairs = actual.iter().zip(expected);
    let error: f64 = pairs.map(|(&a, e)| (wide(a) - e).norm_sqr()).sum();
    let size: f64 = expected.iter().map(|e| e.norm_sqr()).sum();
    let error = (error / size).sqrt();
    assert!(error < T::TOLERANCE, "relative error {error:e}");
}

fn assert_real_close<T: Number>(actual: &[T], expected: impl IntoIterator<Item = f64>) {
    let actual: Vec<_> = actual
        .iter()
        .map(|&x| Complex::new(x, T::default()))
        .collect();
    let expected: Vec<_> = expected.into_iter().map(Complex::from).collect();
    assert_close(&actual, &expected);
}

fn panics(action: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)).is_err()
}
