//! Estimates of known errors.

use super::*;
use mmafft::{Kind, Normalization, Shape};

/// A request with its axes filled in, and points for its input.
fn case(kind: Kind, dims: &[usize]) -> (Request, Vec<Complex<f64>>) {
    let axes: Vec<usize> = (0..dims.len()).collect();
    let request = Request::of_kind(kind, Shape::new(dims))
        .axes(&axes)
        .normalization(Normalization::Ortho)
        .precision(Precision::F64);
    let noise = |i: usize| ((i * i % 1013) as f64 / 500.0).sin();
    let real = request.kind.row().input == mmafft::Domain::Real;
    let point = |i| Complex::new(noise(i), if real { 0.0 } else { noise(i + 7) });
    let input = (0..request_inputs(&request)).map(point).collect();
    (request, input)
}

/// The exact output, and one whose points are off by a part of their size, up or down.
fn outputs(request: &Request, input: &[Complex<f64>], error: f64) -> [Vec<Complex<f64>>; 2] {
    let axes = request.axes.clone().expect("axes");
    let exact = transform::<Dd>(request, &axes, input);
    let exact: Vec<Complex<f64>> = exact.iter().map(|x| x.to_c64()).collect();
    let off =
        |(i, x): (usize, &Complex<f64>)| x * if i % 3 == 1 { 1.0 + error } else { 1.0 - error };
    [exact.clone(), exact.iter().enumerate().map(off).collect()]
}

/// A sample finds the same error as all points, of combs on any last axis.
#[test]
fn samples_find_the_error() {
    for (kind, dims) in [
        (Kind::C2C, &[256][..]),
        (Kind::C2C, &[61]),
        (Kind::C2C, &[6, 60]),
        (Kind::R2C, &[128]),
        (Kind::R2C, &[5, 4, 96]),
        (Kind::C2R, &[101]),
        (Kind::C2R, &[8, 90]),
        (Kind::Dct2, &[120]),
        (Kind::Dst3, &[7, 30]),
    ] {
        let (request, input) = case(kind, dims);
        let at = |i: usize| input[i];
        for error in [0.0, 1e-6] {
            let [_, output] = outputs(&request, &input, error);
            let found = sampled(&request, &at, &|i| output[i], output.len(), 80);
            let Estimate::Error { error: got, .. } = found else {
                panic!("no estimate of {kind:?} {dims:?}");
            };
            let close = got <= error * 1.5 + 1e-14 && got >= error / 1.5;
            assert!(close, "{kind:?} {dims:?}: {got:e}, {error:e}");
        }
    }
}

/// The sizes of data do not matter, up to the ends of the range of doubles.
#[test]
fn scales_do_not_matter() {
    let (request, input) = case(Kind::C2C, &[64]);
    let [_, output] = outputs(&request, &input, 1e-6);
    for power in [-1020, -900, 0, 900, 1010] {
        let input: Vec<Complex<f64>> = input.iter().map(|&x| scaled(x, -power)).collect();
        let output = |i: usize| scaled(output[i], -power);
        let found = estimate(&request, &input, &output, 64);
        let Estimate::Error {
            error,
            points: 64,
            all: true,
        } = found
        else {
            panic!("{power}: {found:?}");
        };
        assert!((error / 1e-6 - 1.0).abs() < 1e-3, "{power}: {error:e}");
    }
    let zeros = vec![Complex::default(); 64];
    let found = estimate(&request, &zeros, &|i| zeros[i], 64);
    assert!(
        matches!(found, Estimate::Error { error: 0.0, .. }),
        "{found:?}"
    );
}
