//! NaN and infinities: carried through, and kept out of the other arrays of a batch.

use half::{bf16, f16};
use mmafft::{Complex, Element, Engine, Kind, Planner, Precision, Request, Shape, KINDS};

/// What this test needs of a real element.
trait Real: Element + PartialEq {
    fn of(x: f32) -> Self;
    fn finite(self) -> bool;
    fn nan(self) -> bool;
}

macro_rules! real {
    ($t:ty, $of:expr) => {
        impl Real for $t {
            fn of(x: f32) -> Self {
                $of(x)
            }
            fn finite(self) -> bool {
                self.is_finite()
            }
            fn nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}
real!(f64, f64::from);
real!(f32, f32::from);
real!(f16, f16::from_f32);
real!(bf16, bf16::from_f32);

const BATCH: usize = 5;
const MARKED: usize = 2;

/// Shapes for lines, butterflies across columns, Bluestein's convolution, planes.
const SHAPES: [&[usize]; 9] = [
    &[1],
    &[2],
    &[8],
    &[60],
    &[64],
    &[97],
    &[1000],
    &[12, 16],
    &[17, 5],
];

/// Transforms the batch once with array [`MARKED`] of finite values and once with `value`
/// as one of its points: every point of that array's result must be `found`, or of reals from reals,
/// which not each real has a part in, one; and the other arrays are the same bit for bit.
fn check<T: Real, I: Element, O: Element>(
    request: &Request,
    scalars: impl Fn(usize) -> Vec<T>,
    value: T,
    found: fn(T) -> bool,
    everywhere: bool,
) where
    Complex<T>: bytemuck::Pod,
{
    let planner = Planner::cpu().expect("the CPU is built");
    let fft = planner.build(request).expect("it can be built");
    let (in_points, out_points) = (fft.input_len() / BATCH, fft.output_len() / BATCH);
    let parts = |of: usize| size_of::<T>() * of;
    let (in_parts, out_parts) = (size_of::<I>() / parts(1), size_of::<O>() / parts(1));
    let mut input = scalars(fft.input_len() * in_parts);
    let mut run = |mark: Option<usize>| {
        if let Some(point) = mark {
            let at = (MARKED * in_points + point) * in_parts;
            input[at..][..in_parts].fill(value);
        }
        let mut output = vec![T::default(); fft.output_len() * out_parts];
        let (from, to): (&[I], &mut [O]) = (
            bytemuck::cast_slice(&input),
            bytemuck::cast_slice_mut(&mut output),
        );
        fft.process(from, to).expect("it runs");
        output
    };
    let clean = run(None);
    assert!(clean.iter().all(|x| x.finite()), "{request:?}");
    let marked = run(Some(in_points / 2));
    let array = out_points * out_parts;
    for (b, (clean, marked)) in clean.chunks(array).zip(marked.chunks(array)).enumerate() {
        if b == MARKED {
            // A point with a part that is not finite is not finite.
            let mut points = marked.chunks(out_parts);
            let mut has = |p: &[T]| p.iter().any(|&x| found(x));
            let carried = match everywhere {
                true => points.all(&mut has),
                false => points.any(&mut has),
            };
            assert!(carried, "{request:?}");
        } else {
            let same =
                bytemuck::cast_slice::<T, u8>(clean) == bytemuck::cast_slice::<T, u8>(marked);
            assert!(same, "array {b} of {request:?}");
        }
    }
}

fn check_precision<T: Real + mmafft::RealElement>(precision: Precision, engine: Option<Engine>)
where
    Complex<T>: bytemuck::Pod,
{
    let scalars = |n: usize| -> Vec<T> {
        let value = |i: usize| T::of(((i * 37 + 11) % 64) as f32 / 64.0 - 0.5);
        (0..n).map(value).collect()
    };
    let not_finite: fn(T) -> bool = |x| !x.finite();
    for shape in SHAPES {
        for (value, found) in [
            (f32::NAN, T::nan as fn(T) -> bool),
            (f32::INFINITY, not_finite),
            (f32::NEG_INFINITY, not_finite),
        ] {
            let with = |mut request: Request| {
                request.engine = engine;
                request.batch(BATCH).precision(precision)
            };
            let shape = || Shape::new(shape);
            let value = T::of(value);
            let forward = with(Request::forward(shape()));
            check::<T, Complex<T>, Complex<T>>(&forward, scalars, value, found, true);
            check::<T, T, Complex<T>>(&with(Request::r2c(shape())), scalars, value, found, true);
            check::<T, Complex<T>, T>(&with(Request::c2r(shape())), scalars, value, found, true);
            let short = shape().dims().iter().any(|&n| n < 2);
            let kinds = KINDS.iter().map(|row| row.kind);
            let kinds = kinds.filter(|kind| kind.is_real_to_real());
            for kind in kinds.filter(|kind| !(short && *kind == Kind::Dct1)) {
                let reals = with(Request::of_kind(kind, shape()));
                check::<T, T, T>(&reals, scalars, value, found, false);
            }
        }
    }
}

#[test]
fn f64() {
    check_precision::<f64>(Precision::F64, None);
}

#[test]
fn f32() {
    check_precision::<f32>(Precision::F32, None);
}

#[test]
fn split_f16() {
    check_precision::<f32>(Precision::SplitF16, None);
    check_precision::<f32>(Precision::SplitF16, Some(Engine::Matrix));
}

#[test]
fn f16() {
    check_precision::<half::f16>(Precision::F16, None);
    check_precision::<half::f16>(Precision::F16, Some(Engine::Simt));
}

#[test]
fn bf16() {
    check_precision::<half::bf16>(Precision::Bf16, None);
    check_precision::<half::bf16>(Precision::Bf16, Some(Engine::Simt));
}
