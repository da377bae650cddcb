//! FP16 between passes: coherent input of 8-bit samples, which grows most, stays in range wherever its results do.

use bytemuck::{cast_slice, cast_slice_mut};
use half::f16;
use mmafft::{
    AnyBackend, Complex, Domain, Kind, Normalization, Planner, Precision, RealElement, Request,
    Shape,
};
use std::f64::consts::TAU;

/// The largest 8-bit sample.
const MOST: f64 = 255.0;

/// A square wave at so many turns, and a quarter of a turn before.
fn square(turns: f64) -> [f64; 2] {
    [turns, turns - 0.25].map(|t| MOST * ((t + 0.01) * TAU).cos().signum())
}

/// The largest sample, with signs of period 13: none that a factor of the lengths below has.
fn sign(i: usize) -> f64 {
    MOST * (if i * 7919 % 13 < 6 { 1.0 } else { -1.0 })
}

/// A point of the input by its number; of a real one the first part counts.
type Points = Box<dyn Fn(usize) -> [f64; 2]>;

/// The scalars of the request's result.
fn results<T: RealElement>(
    planner: &Planner,
    request: &Request,
    points: &Points,
    to: fn(f64) -> T,
    from: fn(T) -> f64,
) -> Vec<f64> {
    let fft = planner.build(request).expect("a plan");
    let row = request.kind.row();
    let scalars = |domain| if domain == Domain::Complex { 2 } else { 1 };
    let point = |i| points(i).map(to).into_iter().take(scalars(row.input));
    let input: Vec<T> = (0..fft.input_len()).flat_map(point).collect();
    let mut output = vec![T::default(); fft.output_len() * scalars(row.output)];
    match (row.input, row.output) {
        (Domain::Real, Domain::Real) => fft.process(&input, &mut output),
        (Domain::Real, _) => fft.process(&input, cast_slice_mut::<T, Complex<T>>(&mut output)),
        (_, Domain::Real) => fft.process(cast_slice::<T, Complex<T>>(&input), &mut output),
        _ => fft.process(
            cast_slice::<T, Complex<T>>(&input),
            cast_slice_mut::<T, Complex<T>>(&mut output),
        ),
    }
    .expect("it runs");
    output.into_iter().map(from).collect()
}

#[test]
fn samples_of_8_bits_stay_in_range() {
    let emulated = Planner::on(AnyBackend::from_name("emulated-nvidia").expect("a backend"));
    let exact = Planner::cpu().expect("a backend");
    let r2r = |kind, n| Request::of_kind(kind, Shape::d1(n));
    let n = 1usize << 16;
    let wave = |turns: f64| -> Points { Box::new(move |i| square(turns * i as f64 / n as f64)) };
    let complex = |turns: f64, n: usize| -> Points {
        Box::new(move |i| {
            let (sine, cosine) = (TAU * (turns * i as f64 / n as f64)).sin_cos();
            [MOST * cosine, MOST * sine]
        })
    };
    // Reals 2i and 2i+1 are one point, which turns.
    let packed = move |turns: f64| -> Points {
        Box::new(move |i| [square(turns * (i / 2) as f64 / (n / 2) as f64)[i % 2], 0.0])
    };
    let cases: Vec<(Request, Points)> = vec![
        (Request::forward(Shape::d1(n)), complex(777.0, n)),
        (Request::forward(Shape::d1(64007)), complex(777.0, 64007)),
        (
            Request::forward(Shape::d2(512, 512)),
            Box::new(move |i| [sign(i / 512), 0.0]),
        ),
        (Request::r2c(Shape::d1(n)), packed(31.0)),
        (
            Request::r2c(Shape::d1(n)),
            Box::new(move |i| [sign(i), 0.0]),
        ),
        (
            Request::r2c(Shape::d2(512, 512)),
            Box::new(move |i| {
                let (row, column) = (i / 512, i % 512);
                let turns = 31.0 * row as f64 / 512.0;
                [square(turns)[column % 2] * (sign(column / 2) / MOST), 0.0]
            }),
        ),
        (
            Request::c2r(Shape::d1(1 << 18)),
            Box::new(|i| [if i.is_multiple_of(512) { MOST } else { 0.0 }, 0.0]),
        ),
        (
            Request::c2r(Shape::d1(n)),
            Box::new(|i| match i % 256 {
                5 | 251 => [180.0, 180.0],
                _ => [0.0; 2],
            }),
        ),
        (
            Request::c2r(Shape::d2(512, 512)),
            Box::new(|i| match i / 257 {
                5 | 507 => [0.0, sign(i % 257)],
                _ => [0.0; 2],
            }),
        ),
        (r2r(Kind::Dct2, n), wave(15.6)),
        (r2r(Kind::Dct3, n), wave(31.3)),
        (r2r(Kind::Dct4, n), wave(31.3)),
        (r2r(Kind::Dst3, n), wave(n as f64 / 4.0 + 31.2)),
        (r2r(Kind::Dht, n), wave(n as f64 / 4.0 + 31.2)),
        (r2r(Kind::R2HC, n), wave(n as f64 / 4.0 + 31.2)),
        (r2r(Kind::HC2R, n), wave(n as f64 / 4.0 + 31.2)),
        (r2r(Kind::Dct1, n + 1), wave(31.3)),
    ];
    for (request, points) in cases {
        let request = request.normalization(Normalization::Ortho);
        let halves = request.clone().precision(Precision::F16);
        let got = results::<f16>(&emulated, &halves, &points, f16::from_f64, f16::to_f64);
        let doubles = request.clone().precision(Precision::F64);
        // Of the samples as FP16 has them.
        let rounded: Points = Box::new(move |i| points(i).map(|x| f16::from_f64(x).to_f64()));
        let wanted = results::<f64>(&exact, &doubles, &rounded, |x| x, |x| x);
        let fits = |x: &f64| x.abs() <= 65504.0;
        let (mut error, mut size) = (0.0, 0.0);
        for (x, w) in got.iter().zip(&wanted).filter(|(_, w)| fits(w)) {
            error += (x - w).powi(2);
            size += w.powi(2);
        }
        let error: f64 = (error / size).sqrt();
        assert!(error <= 6e-4, "{error:e}: {request:?}");
    }
}
