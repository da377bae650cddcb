//! The same bits whatever the number of threads, the place in the batch and the run; and
//! forward then inverse gives the input back.

use mmafft::{
    AnyBackend, Complex, CpuBackend, CpuOptions, Direction, Element, Kind, Layout, Normalization,
    Planner, Precision, Request, Shape, KINDS,
};
use mmafft_testing::by_products;
use proptest::prelude::*;

type C32 = Complex<f32>;

fn planner(threads: usize) -> Planner {
    let options = CpuOptions {
        threads,
        ..CpuOptions::default()
    };
    Planner::on(AnyBackend::Cpu(CpuBackend::new(options)))
}

/// Values that differ from array to array.
fn values(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The bytes of the result for such values.
fn transform(planner: &Planner, request: &Request, input: &[f64]) -> Vec<u8> {
    fn run<I: Element, O: Element, T: Element>(
        fft: &mmafft::Transform,
        input: &[f64],
        of: impl Fn(f64) -> T,
    ) -> Vec<u8> {
        let scalars: Vec<T> = input.iter().map(|&x| of(x)).collect();
        let mut output = vec![O::default(); fft.output_len()];
        fft.process::<I, O>(bytemuck::cast_slice(&scalars), &mut output)
            .expect("it runs");
        bytemuck::cast_slice(&output).to_vec()
    }
    let fft = planner.build(request).expect("it can be built");
    match (request.precision, request.kind) {
        (Precision::F64, kind) if kind.is_real_to_real() => {
            run::<f64, f64, f64>(&fft, input, |x| x)
        }
        (Precision::F16, kind) if kind.is_real_to_real() => {
            run::<half::f16, half::f16, _>(&fft, input, half::f16::from_f64)
        }
        (_, kind) if kind.is_real_to_real() => run::<f32, f32, f32>(&fft, input, |x| x as f32),
        (Precision::F64, Kind::C2C) => run::<Complex<f64>, Complex<f64>, f64>(&fft, input, |x| x),
        (Precision::F64, Kind::R2C) => run::<f64, Complex<f64>, f64>(&fft, input, |x| x),
        (Precision::F64, _) => run::<Complex<f64>, f64, f64>(&fft, input, |x| x),
        (Precision::F16, Kind::C2C) => {
            run::<Complex<half::f16>, Complex<half::f16>, _>(&fft, input, half::f16::from_f64)
        }
        (Precision::F16, Kind::R2C) => {
            run::<half::f16, Complex<half::f16>, _>(&fft, input, half::f16::from_f64)
        }
        (Precision::F16, _) => {
            run::<Complex<half::f16>, half::f16, _>(&fft, input, half::f16::from_f64)
        }
        (_, Kind::C2C) => run::<C32, C32, f32>(&fft, input, |x| x as f32),
        (_, Kind::R2C) => run::<f32, C32, f32>(&fft, input, |x| x as f32),
        (_, _) => run::<C32, f32, f32>(&fft, input, |x| x as f32),
    }
}

/// Bytes, wherever they begin, as numbers.
fn f64s(bytes: &[u8]) -> Vec<f64> {
    let value = |b: &[u8]| f64::from_ne_bytes(b.try_into().unwrap_or_default());
    bytes.chunks_exact(8).map(value).collect()
}

/// Of the kinds that may be asked for; type I of cosines has two reals at least.
fn request(kind: Kind, dims: &[usize]) -> Request {
    let least = if kind == Kind::Dct1 { 2 } else { 1 };
    let dims: Vec<usize> = dims.iter().map(|n| *n.max(&least)).collect();
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::directed(kind, direction, Shape::new(&dims))
}

/// As often one with complex numbers as one from reals to reals.
fn kinds() -> impl Strategy<Value = Kind> {
    let kinds = KINDS.iter().map(|row| row.kind);
    let (reals, others): (Vec<Kind>, Vec<Kind>) = kinds.partition(|kind| kind.is_real_to_real());
    prop_oneof![prop::sample::select(others), prop::sample::select(reals)]
}

fn precisions() -> impl Strategy<Value = Precision> {
    use Precision::{SplitF16, F32, F64};
    prop::sample::select(vec![F64, F32, SplitF16])
}

/// Runs the request again, on other numbers of threads, and each array of the batch alone. Several axes of reals have the same bits
/// by as many passes: one does them all where that leaves threads enough to do, and sums otherwise than a pass for each.
fn check_same(request: &Request, seed: u64) -> Result<(), TestCaseError> {
    let (one, four) = (planner(1), planner(4));
    let plan = one.plan(request).expect("a plan");
    let reals = request.kind.is_real_to_real();
    let comparable = |planner: &Planner, request: &Request| {
        let other = planner.plan(request).expect("a plan");
        !reals || other.passes.len() == plan.passes.len()
    };
    let input = values(plan.input_scalars, seed);
    let result = transform(&one, request, &input);
    let again = transform(&one, request, &input);
    prop_assert!(result == again, "run to run");
    if comparable(&four, request) {
        let by_four = transform(&four, request, &input);
        prop_assert!(result == by_four, "1 and 4 threads");
    }
    let alone = request.clone().batch(1);
    let each = plan.input_scalars / request.batch;
    let arrays = result.chunks(result.len() / request.batch);
    for (planner, threads) in [(&one, 1), (&four, 4)] {
        if !comparable(planner, &alone) {
            continue;
        }
        for (b, (of_batch, input)) in arrays.clone().zip(input.chunks(each)).enumerate() {
            let by_itself = transform(planner, &alone, input);
            prop_assert!(
                of_batch == by_itself,
                "array {} alone, on {} threads",
                b,
                threads
            );
        }
    }
    Ok(())
}

/// One to three dimensions, enough points in a batch that threads share them.
fn shapes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        prop::collection::vec(1usize..3000, 1),
        prop::collection::vec(1usize..70, 2),
        prop::collection::vec(1usize..20, 3),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(300), ..ProptestConfig::default() })]

    #[test]
    fn threads_runs_and_batch_positions(
        dims in shapes(),
        which in kinds(),
        precision in precisions(),
        batch in 1usize..9,
        seed in any::<u64>(),
    ) {
        let request = request(which, &dims).batch(batch);
        check_same(&by_products(request.precision(precision)), seed)?;
    }

    /// In 16 bits, where a pass more is a rounding more.
    #[test]
    fn the_same_in_16_bits(
        dims in shapes(),
        which in kinds(),
        batch in 1usize..9,
        seed in any::<u64>(),
    ) {
        let request = request(which, &dims).batch(batch);
        check_same(&request.precision(Precision::F16), seed)?;
    }

    /// Batch innermost: neighbouring lanes hold different arrays.
    #[test]
    fn positions_in_an_innermost_batch(
        n in 2usize..300,
        precision in precisions(),
        batch in 2usize..40,
        seed in any::<u64>(),
    ) {
        let layout = || Layout::strided(&[batch]).distance(1);
        let request = Request::forward(Shape::d1(n)).precision(precision).batch(batch)
            .input_layout(layout()).output_layout(layout());
        // Every array the same: so must be every result.
        let array = values(2 * n, seed);
        let input: Vec<f64> = array.chunks(2).flat_map(|x| x.repeat(batch)).collect();
        let result = transform(&planner(1), &request, &input);
        let point = result.len() / (n * batch);
        for points in result.chunks(point * batch) {
            let mut arrays = points.chunks(point);
            let first = arrays.next();
            prop_assert!(arrays.all(|x| Some(x) == first));
        }
    }

    #[test]
    fn forward_then_inverse(
        dims in shapes(),
        real in any::<bool>(),
        batch in 1usize..4,
        norm in 0usize..5,
        seed in any::<u64>(),
    ) {
        let normalization: Normalization = Normalization::ALL[norm].0;
        let shape = || Shape::new(&dims);
        let there = match real {
            true => Request::r2c(shape()),
            false => Request::forward(shape()),
        };
        let planner = planner(2);
        let there = there.precision(Precision::F64).batch(batch).normalization(normalization);
        let back = there.clone().inverse();
        let plan = planner.plan(&there).expect("a plan");
        let input = values(plan.input_scalars, seed);
        let middle = transform(&planner, &there, &input);
        let middle = f64s(&middle);
        let result = transform(&planner, &back, &middle);
        let result = f64s(&result);
        // Each way within the plan's bound, relative to the whole in L2.
        let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
        let error = norm(&mut input.iter().zip(&result).map(|(x, y)| x - y));
        let bound = 2.0 * plan.error_bound * norm(&mut input.iter().copied());
        prop_assert!(error <= bound, "{error:e} of {bound:e}");
    }
}
