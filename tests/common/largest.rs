//! Impulses near the largest number, whose results are in range: they come out as those of an impulse that is smaller by
//! a power of two do, as many times larger.

use bytemuck::{cast_slice, cast_slice_mut};
use half::{bf16, f16};
use mmafft::{Complex, Domain, Kind, Planner, Precision, RealElement, Request, Shape, KINDS};
use mmafft_testing::by_products;

/// How much larger than an impulse the largest part of its result can be, by the definition of the kind.
fn most(kind: Kind) -> f64 {
    match kind {
        Kind::R2C | Kind::R2HC | Kind::C2C => 1.0,
        Kind::Dht => std::f64::consts::SQRT_2,
        _ => 2.0,
    }
}

/// Scalars of the input that are not zero, and by how much the values inside of a transform are larger than its results then:
/// turns by an eighth add both parts of a point before they are made smaller, and half spectra are merged to twice as much as
/// comes of them.
fn places(kind: Kind, n: usize) -> Vec<(usize, f64)> {
    let eighth = std::f64::consts::SQRT_2;
    let third = match kind.row().input {
        Domain::Complex => n / 3 / 2 * 2,
        _ => n / 3 / 2 * 2 + 1,
    };
    match kind {
        Kind::C2R | Kind::HC2R | Kind::Dct3 | Kind::Dst3 | Kind::Dst1 => {
            vec![(4, 2.0), (third, 2.0)]
        }
        Kind::C2C | Kind::R2C | Kind::R2HC | Kind::Dct2 => {
            vec![(0, 1.0), (4, eighth), (third, eighth)]
        }
        _ => vec![(2, eighth), (third, eighth)],
    }
}

/// The results of an impulse of this size at this scalar.
fn results<T: RealElement>(
    planner: &Planner,
    request: &Request,
    at: usize,
    size: f64,
    of: fn(f64) -> T,
    to: fn(T) -> f64,
) -> Vec<f64>
where
    Complex<T>: bytemuck::Pod,
{
    let fft = planner.build(request);
    let fft = fft.unwrap_or_else(|e| panic!("{request:?}: {e}"));
    let row = request.kind.row();
    let [from, out] = [row.input, row.output].map(|domain| match domain {
        Domain::Complex => 2,
        _ => 1,
    });
    let mut input = vec![of(0.0); fft.input_len() * from];
    input[at] = of(size);
    let mut output = vec![of(0.0); fft.output_len() * out];
    match [from, out] {
        [1, 1] => fft.process(&input, &mut output),
        [1, _] => fft.process(&input, cast_slice_mut::<T, Complex<T>>(&mut output)),
        [_, 1] => fft.process(cast_slice::<T, Complex<T>>(&input), &mut output),
        _ => fft.process(
            cast_slice::<T, Complex<T>>(&input),
            cast_slice_mut::<T, Complex<T>>(&mut output),
        ),
    }
    .unwrap_or_else(|e| panic!("{request:?}: {e}"));
    output.into_iter().map(to).collect()
}

struct Numbers<T> {
    largest: f64,
    /// What impulses are compared with is smaller by this.
    smaller: f64,
    error: f64,
    of: fn(f64) -> T,
    to: fn(T) -> f64,
}

fn of_request<T: RealElement>(
    planner: &Planner,
    request: &Request,
    numbers: &Numbers<T>,
) -> Vec<String>
where
    Complex<T>: bytemuck::Pod,
{
    let n = request.shape.dims()[0];
    let mut faults = Vec::new();
    for (at, room) in places(request.kind, n) {
        let size = 0.9 * numbers.largest / most(request.kind) / room;
        let run = |size| results(planner, request, at, size, numbers.of, numbers.to);
        let (large, small) = (run(size), run(size / numbers.smaller));
        let differs = |(x, y): (&f64, &f64)| {
            let x = x / numbers.smaller;
            !x.is_finite() || (x - y).abs() > numbers.error * size / numbers.smaller
        };
        let wrong = large
            .iter()
            .zip(&small)
            .filter(|&pair| differs(pair))
            .count();
        if wrong > 0 {
            faults.push(format!(
                "{wrong} of {} for real {at}: {request:?}",
                large.len()
            ));
        }
    }
    faults
}

/// Every kind at these lengths, in every precision that there is.
pub fn check(planner: &Planner, lengths: &[usize]) {
    let mut faults = Vec::new();
    for kind in KINDS.iter().map(|row| row.kind) {
        for &n in lengths {
            let request = Request::of_kind(kind, Shape::d1(n));
            let with = |precision| by_products(request.clone().precision(precision));
            let (doubles, singles) = (Precision::F64, [Precision::F32, Precision::SplitF16]);
            faults.extend(of_request(
                planner,
                &with(doubles),
                &Numbers {
                    largest: f64::MAX,
                    smaller: 2f64.powi(300),
                    error: 1e-13,
                    of: |x| x,
                    to: |x| x,
                },
            ));
            for precision in singles {
                let numbers = Numbers {
                    largest: f64::from(f32::MAX),
                    smaller: 2f64.powi(40),
                    error: 1e-5,
                    of: |x| x as f32,
                    to: f64::from,
                };
                faults.extend(of_request(planner, &with(precision), &numbers));
            }
            faults.extend(of_request(
                planner,
                &with(Precision::F16),
                &Numbers {
                    largest: 65504.0,
                    smaller: 256.0,
                    error: 4e-3,
                    of: f16::from_f64,
                    to: f16::to_f64,
                },
            ));
            faults.extend(of_request(
                planner,
                &with(Precision::Bf16),
                &Numbers {
                    largest: bf16::MAX.to_f64(),
                    smaller: 2f64.powi(40),
                    error: 3e-2,
                    of: bf16::from_f64,
                    to: bf16::to_f64,
                },
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
