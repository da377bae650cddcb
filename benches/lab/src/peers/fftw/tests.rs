//! Results beside the definitions, which are those of FFTW's manual, and what keeps the interface safe. tests/tools says
//! where FFTW is not installed: then nothing is checked.

use mmafft::backend_traits::reference::{transform, Random};
use mmafft::reference::{relative_l2, Dd};
use mmafft::{Complex, Direction, Domain, Kind, Normalization, Request, ScalarType, Shape, KINDS};

use super::*;
use crate::peers::Transform;

const SCALARS: [ScalarType; 2] = [ScalarType::F32, ScalarType::F64];

/// Those precisions of which FFTW is there.
fn there() -> impl Iterator<Item = ScalarType> {
    SCALARS
        .into_iter()
        .filter(|&scalar| Fftw::open(scalar).is_ok())
}

fn planned(transform: &Transform, direction: Direction) -> Result<FftwPlan, String> {
    FftwPlan::new(transform, direction, Rigor::Estimate, 1)
}

/// Writes points of a side to memory, and so many reals of a padded row behind each that are none.
fn write(memory: &mut [u8], points: &[Complex<f64>], scalar: ScalarType, domain: Domain) {
    let parts = points.iter().flat_map(|x| match domain {
        Domain::Real => vec![x.re],
        Domain::Complex => vec![x.re, x.im],
    });
    for (to, x) in memory.chunks_exact_mut(scalar.bytes()).zip(parts) {
        match scalar {
            ScalarType::F32 => to.copy_from_slice(&(x as f32).to_ne_bytes()),
            _ => to.copy_from_slice(&x.to_ne_bytes()),
        }
    }
}

fn read(memory: &[u8], scalar: ScalarType, domain: Domain) -> Vec<Complex<f64>> {
    let of = |x: &[u8]| match scalar {
        ScalarType::F32 => f32::from_ne_bytes(x.try_into().unwrap()).into(),
        _ => f64::from_ne_bytes(x.try_into().unwrap()),
    };
    let reals: Vec<f64> = memory.chunks_exact(scalar.bytes()).map(of).collect();
    let point = |x: &[f64]| Complex::new(x[0], x.get(1).copied().unwrap_or(0.0));
    reals.chunks(domain.scalars()).map(point).collect()
}

/// An array as it lies in rows of so many elements, each of which ends with some that are none.
fn padded(points: &[Complex<f64>], row: usize, to: usize) -> Vec<Complex<f64>> {
    let rows = points.chunks(row).flat_map(|row| {
        let none = vec![Complex::default(); to - row.len()];
        [row, &none].concat()
    });
    rows.collect()
}

/// One array in another, or in itself.
fn agrees(kind: Kind, scalar: ScalarType, dims: &[usize], direction: Direction, in_place: bool) {
    let row = kind.row();
    let request = match direction {
        Direction::Inverse => Request::backward(Shape::new(dims)),
        Direction::Forward => Request::of_kind(kind, Shape::new(dims)),
    };
    let request = request.normalization(Normalization::None);
    let mut of = Transform::new(kind, scalar, dims);
    of.in_place = in_place;
    let last = dims[dims.len() - 1];
    let rows: usize = dims[..dims.len() - 1].iter().product();
    let [own, own_out] = kind.lengths(last);
    let mut random = Random::new(dims.len() as u64 + last as u64);
    let mut draw = || random.uniform() - 0.5;
    let input: Vec<Complex<f64>> = (0..rows * own)
        .map(|_| match row.input {
            Domain::Real => Complex::new(draw(), 0.0),
            Domain::Complex => Complex::new(draw(), draw()),
        })
        .collect();
    // As the precision holds them.
    let input: Vec<Complex<f64>> = match scalar {
        ScalarType::F32 => input
            .iter()
            .map(|x| Complex::new(f64::from(x.re as f32), f64::from(x.im as f32)))
            .collect(),
        _ => input,
    };
    let axes: Vec<usize> = (0..dims.len()).collect();
    let request = request.axes(&axes);
    let expected = transform::<Dd>(&request, &axes, &input);

    let plan = planned(&of, direction).unwrap();
    let wide = |domain| of.embed(domain).unwrap()[dims.len() - 1];
    let (_, bytes) = of.distance_and_bytes(row.input).unwrap();
    let (_, out_bytes) = of.distance_and_bytes(row.output).unwrap();
    let mut from = Memory::new::<u8>(bytes.max(out_bytes));
    let mut to = Memory::new::<u8>(out_bytes);
    let lies = padded(&input, own, wide(row.input));
    write(from.bytes(), &lies, scalar, row.input);
    let before = from.bytes().to_vec();
    let written = match in_place {
        true => {
            plan.execute(from.bytes(), None);
            &from.bytes()[..out_bytes]
        }
        false => {
            plan.execute(from.bytes(), Some(to.bytes()));
            let keeps = !matches!(kind, Kind::C2R | Kind::HC2R);
            assert!(!keeps || from.bytes() == before, "the input is kept");
            to.bytes()
        }
    };
    let got = read(written, scalar, row.output);
    let got: Vec<Complex<f64>> = got
        .chunks(wide(row.output))
        .flat_map(|row| row[..own_out].to_vec())
        .collect();
    let allowed = [2e-6, 1e-14][usize::from(scalar == ScalarType::F64)];
    let error = relative_l2(&got, &expected);
    assert!(error < allowed, "{of}, in place {in_place}: {error:e}");
}

#[test]
fn transforms_match_the_definitions() {
    for scalar in there() {
        for kind in KINDS.iter().map(|row| row.kind) {
            for dims in [&[10][..], &[9], &[60], &[5, 7], &[4, 6], &[3, 4, 5]] {
                for in_place in [false, true] {
                    agrees(kind, scalar, dims, Direction::Forward, in_place);
                }
            }
        }
        agrees(Kind::C2C, scalar, &[1], Direction::Forward, true);
        agrees(Kind::C2C, scalar, &[3, 4, 5], Direction::Inverse, false);
    }
}

#[test]
fn arrays_of_a_batch_follow_each_other() {
    for scalar in there() {
        let transform = Transform::new(Kind::R2C, scalar, &[8]).batch(3);
        let plan = planned(&transform, Direction::Forward).unwrap();
        let (mut from, mut to) = (
            Memory::new::<u8>(3 * 8 * scalar.bytes()),
            Memory::new::<u8>(3 * 10 * scalar.bytes()),
        );
        let mut points = vec![Complex::default(); 24];
        (points[0].re, points[8].re, points[16].re) = (1.0, 2.0, 3.0);
        write(from.bytes(), &points, scalar, Domain::Real);
        plan.execute(from.bytes(), Some(to.bytes()));
        for (i, array) in read(to.bytes(), scalar, Domain::Complex)
            .chunks(5)
            .enumerate()
        {
            assert_eq!(array, [Complex::new(i as f64 + 1.0, 0.0); 5]);
        }
    }
}

#[test]
fn version_names_fftw() {
    for scalar in there() {
        let version = Fftw::open(scalar).unwrap().version();
        assert!(version.starts_with("fftw-3"), "{version}");
    }
    assert!(Fftw::open(ScalarType::F16).is_err());
}

#[test]
fn threads_give_the_same_result() {
    for scalar in there() {
        let transform = Transform::new(Kind::C2C, scalar, &[64, 64]);
        let plan = FftwPlan::new(&transform, Direction::Forward, Rigor::Estimate, 2);
        if !Fftw::open(scalar).unwrap().has_threads() {
            assert!(plan.is_err());
            continue;
        }
        let single = planned(&transform, Direction::Forward).unwrap();
        let bytes = 64 * 64 * 2 * scalar.bytes();
        let [mut from, mut to, mut expected] = [(); 3].map(|()| Memory::new::<u8>(bytes));
        let mut random = Random::new(1);
        let points: Vec<_> = (0..4096)
            .map(|_| Complex::new(random.uniform(), 0.5))
            .collect();
        write(from.bytes(), &points, scalar, Domain::Complex);
        single.execute(from.bytes(), Some(expected.bytes()));
        plan.unwrap().execute(from.bytes(), Some(to.bytes()));
        let expected = read(expected.bytes(), scalar, Domain::Complex);
        let got = read(to.bytes(), scalar, Domain::Complex);
        let distance: f64 = got
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a - b).norm_sqr())
            .sum();
        let all: f64 = expected.iter().map(|b| b.norm_sqr()).sum();
        assert!(distance < 1e-12 * all);
    }
}

fn panics(action: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)).is_err()
}

#[test]
fn lengths_and_alignment_are_checked() {
    for scalar in there() {
        let real = Transform::new(Kind::R2C, scalar, &[8]);
        let plan = planned(&real, Direction::Forward).unwrap();
        let [long, half] = [8 * scalar.bytes(), 10 * scalar.bytes()];
        let (mut from, mut to) = (Memory::new::<u8>(2 * long), Memory::new::<u8>(2 * half));
        plan.execute(&mut from.bytes()[..long], Some(&mut to.bytes()[..half]));
        assert!(panics(
            || plan.execute(&mut from.bytes()[1..][..long], Some(to.bytes()))
        ));
        assert!(panics(
            || plan.execute(&mut from.bytes()[..long - 1], Some(to.bytes()))
        ));
        assert!(panics(
            || plan.execute(from.bytes(), Some(&mut to.bytes()[..half - 1]))
        ));
        assert!(panics(|| plan.execute(from.bytes(), None)));
        let plan = planned(&real.in_place(), Direction::Forward).unwrap();
        plan.execute(&mut to.bytes()[..half], None);
        assert!(panics(|| plan.execute(&mut to.bytes()[..half - 1], None)));
        assert!(panics(|| plan.execute(from.bytes(), Some(to.bytes()))));
    }
}

#[test]
fn bad_arguments_are_errors() {
    for scalar in there() {
        let of = |dims: &[usize]| Transform::new(Kind::C2C, scalar, dims);
        for transform in [
            of(&[]),
            of(&[2, 0]),
            of(&[2; 4]),
            of(&[usize::MAX]),
            of(&[1 << 30, 1 << 30, 1 << 30]),
            of(&[8]).batch(0),
            // FFTW itself refuses this one.
            Transform::new(Kind::Dct1, scalar, &[1]),
        ] {
            assert!(
                planned(&transform, Direction::Forward).is_err(),
                "{transform}"
            );
        }
        let none = FftwPlan::new(&of(&[8]), Direction::Forward, Rigor::Estimate, 0);
        assert!(none.is_err());
    }
}
