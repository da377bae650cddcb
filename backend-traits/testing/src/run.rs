//! One request on one backend: poisoned buffers in, error and leftovers out.

use crate::stored::{from_bytes, rounded, to_bytes};
use mmafft_backend_traits::reference::{
    largest_over_rms, relative_l2, root, transform, ComplexOf, Dd, Random, Real,
};
use mmafft_backend_traits::{
    Backend, Bindings, Domain, Limits, Placement, Plan, Prepared, Request, ResolvedLayout,
    ScalarType, Slot,
};
use num_complex::Complex;
use std::ops::Range;

/// What a run measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The worst relative L2 error of an array of the batch.
    pub relative_l2: f64,
    /// The worst element error over the RMS of its array's reference.
    pub largest: f64,
    /// What the plan promised for `relative_l2`.
    pub bound: f64,
}

/// What the arrays of a batch hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Data {
    /// Uniform in [−1, 1); each array this many times as large as the one before.
    Uniform(f64),
    /// Uniform, times this.
    Times(f64),
    /// `exp(±πi·n²/N)` of every n, its real part where points are real: what is nearest to
    /// the convolutions of long primes.
    Chirp(f64),
    /// This value at this index, and zeros.
    Delta(usize, f64),
}

impl Data {
    /// How much larger than 1 the values of an array are.
    fn scale(self, array: usize, batch: usize) -> f64 {
        match self {
            Data::Uniform(growth) => growth.powi(array as i32 - (batch / 2) as i32),
            Data::Times(scale) => scale,
            Data::Chirp(_) => 1.0,
            Data::Delta(_, value) => value,
        }
    }

    /// The point at an index of an array of so many.
    fn point(self, index: usize, points: usize, random: &mut Random) -> Complex<f64> {
        match self {
            Data::Uniform(_) | Data::Times(_) => Complex::new(random.uniform(), random.uniform()),
            Data::Chirp(sign) => {
                let square = index as u128 * index as u128 % (2 * points as u128);
                let chirp = root(square as usize, 2 * points).to_c64();
                if sign < 0.0 {
                    chirp
                } else {
                    chirp.conj()
                }
            }
            Data::Delta(at, _) => Complex::from(f64::from(u8::from(index == at))),
        }
    }
}

/// One side of a request: where each point of each array lies.
struct SideView {
    layout: ResolvedLayout,
    domain: Domain,
    /// What is read or wanted, per dimension of the array.
    ranges: Vec<Range<usize>>,
}

impl SideView {
    fn new(request: &Request, axes: &[usize], side: Slot) -> Self {
        let row = request.kind.row();
        let input = side == Slot::Input;
        let domain = if input { row.input } else { row.output };
        let halved = axes[axes.len() - 1];
        let mut dims = request.shape.dims().to_vec();
        let [from, to] = request.kind.lengths(dims[halved]);
        dims[halved] = if input { from } else { to };
        let last = dims.len() - 1;
        let padded = request.placement == Placement::InPlace
            && domain == Domain::Real
            && row.input != row.output
            && halved == last;
        let width = match padded {
            true => 2 * (dims[last] / 2 + 1),
            false => dims[last],
        };
        let (layout, limits) = match input {
            true => (&request.input, &request.nonzero_input),
            false => (&request.output, &request.wanted_output),
        };
        let mut ranges: Vec<Range<usize>> = dims.iter().map(|&n| 0..n).collect();
        for (axis, range) in limits {
            ranges[*axis] = range.clone();
        }
        SideView {
            layout: layout
                .resolve(side, request.batch, &dims, width, true)
                .expect("the planner took it"),
            domain,
            ranges,
        }
    }

    /// Calls `each(index in the array, scalar address, whether in range)` for one array.
    fn for_each(&self, array: usize, mut each: impl FnMut(usize, usize, bool)) {
        let dims = &self.layout.dims[1..];
        let strides = &self.layout.strides[1..];
        let points: usize = dims.iter().product();
        for index in 0..points {
            let (mut rest, mut inside) = (index, true);
            let mut element = self.layout.offset + array * self.layout.strides[0];
            for d in (0..dims.len()).rev() {
                let i = rest % dims[d];
                rest /= dims[d];
                element += i * strides[d];
                inside &= self.ranges[d].contains(&i);
            }
            each(index, element * self.domain.scalars(), inside);
        }
    }

    fn scalars(&self) -> usize {
        self.layout.required * self.domain.scalars()
    }

    fn points(&self) -> usize {
        self.layout.dims[1..].iter().product()
    }
}

/// Plans, runs and judges one request. Array b of the batch is scaled by
/// `growth^(b − batch/2)`. The error says what is wrong.
pub fn check<B: Backend>(
    backend: &B,
    plan: impl Fn(&Request, &Limits) -> mmafft_backend_traits::Result<Plan>,
    request: &Request,
    growth: f64,
) -> Result<Outcome, String> {
    check_each(std::slice::from_ref(backend), plan, request, growth)
}

/// The same with other data than uniform ones.
pub fn check_data<B: Backend>(
    backend: &B,
    plan: impl Fn(&Request, &Limits) -> mmafft_backend_traits::Result<Plan>,
    request: &Request,
    data: Data,
) -> Result<Outcome, String> {
    let plan = plan(request, backend.limits()).map_err(|e| format!("planning: {e}"))?;
    judged(std::slice::from_ref(backend), &plan, data)
}

/// The same on each of several backends of the same limits: a plan and a reference serve them all. Of
/// the outcomes the worst.
pub fn check_each<B: Backend>(
    backends: &[B],
    plan: impl Fn(&Request, &Limits) -> mmafft_backend_traits::Result<Plan>,
    request: &Request,
    growth: f64,
) -> Result<Outcome, String> {
    let limits = backends.first().ok_or("no backend")?.limits();
    let plan = plan(request, limits).map_err(|e| format!("planning: {e}"))?;
    judged(backends, &plan, Data::Uniform(growth))
}

/// Runs a plan beside a reference that is as good as exact: beside FP32's errors FP64 is, and double-double took half of
/// the suite's time.
fn judged<B: Backend>(backends: &[B], plan: &Plan, data: Data) -> Result<Outcome, String> {
    match plan.request.precision.row().storage {
        ScalarType::F64 => judge::<B, Dd>(backends, plan, data),
        _ => judge::<B, f64>(backends, plan, data),
    }
}

/// Runs a plan beside a reference of these numbers.
fn judge<B: Backend, T: Real>(backends: &[B], plan: &Plan, data: Data) -> Result<Outcome, String> {
    let request = &plan.request;
    let axes = request.axes.clone().unwrap_or_default();
    let scalar = request.precision.row().storage;
    let input = SideView::new(request, &axes, Slot::Input);
    let output = SideView::new(request, &axes, Slot::Output);
    let scale = |b: usize| data.scale(b, request.batch);

    // Values in range; NaN in every gap and wherever nothing may be read.
    let mut random = Random::new(request.batch as u64 * 31 + input.points() as u64);
    let mut memory = vec![f64::NAN; input.scalars()];
    let mut arrays = vec![vec![Complex::default(); input.points()]; request.batch];
    for (b, array) in arrays.iter_mut().enumerate() {
        input.for_each(b, |index, at, inside| {
            if !inside {
                return;
            }
            let point = data.point(index, input.points(), &mut random) * scale(b);
            memory[at] = rounded(point.re, scalar);
            array[index].re = memory[at];
            if input.domain == Domain::Complex {
                memory[at + 1] = rounded(point.im, scalar);
                array[index].im = memory[at + 1];
            }
        });
    }
    let before = vec![f64::NAN; output.scalars()];
    let many = backends.len() > 1;
    let whose = |i: usize, what: String| match many {
        true => format!("backend {i}: {what}"),
        false => what,
    };
    let run = |(i, backend)| execute(backend, plan, &memory, &before).map_err(|e| whose(i, e));
    let runs: Vec<Vec<f64>> = backends
        .iter()
        .enumerate()
        .map(run)
        .collect::<Result<_, _>>()?;

    let mut outcome = Outcome {
        relative_l2: 0.0,
        largest: 0.0,
        bound: plan.error_bound,
    };
    let mut written = vec![false; before.len()];
    for (b, array) in arrays.iter().enumerate() {
        let expected = transform::<T>(request, &axes, array);
        // Squares of values far from 1 would leave the range of FP64.
        let down = (1.0 / scale(b)).clamp(1e-300, 1e300);
        for (i, after) in runs.iter().enumerate() {
            let mut wanted: Vec<ComplexOf<T>> = Vec::new();
            let mut got: Vec<Complex<f64>> = Vec::new();
            output.for_each(b, |index, at, inside| {
                if !inside {
                    return;
                }
                written[at] = true;
                let mut x = Complex::new(after[at] * down, 0.0);
                if output.domain == Domain::Complex {
                    written[at + 1] = true;
                    x.im = after[at + 1] * down;
                }
                got.push(x);
                wanted.push(expected[index].scale(T::from(down)));
            });
            let error = relative_l2(&got, &wanted);
            // A NaN must not get lost in a maximum.
            if error.is_nan() || error > outcome.relative_l2 {
                outcome.relative_l2 = error;
            }
            outcome.largest = outcome.largest.max(largest_over_rms(&got, &wanted));
            // Errors spread over all points, so that a part smaller than the mean has no smaller ones.
            let norm = |points: &[ComplexOf<T>], factor: f64| {
                let squares = points.iter().map(|x| x.to_c64().norm_sqr());
                factor * squares.sum::<f64>().sqrt()
            };
            let part = (got.len() as f64 / expected.len() as f64).sqrt();
            let (own, whole) = (norm(&wanted, 1.0), norm(&expected, down * part));
            let absolute = down * plan.underflow_error() * (got.len() as f64).sqrt();
            let bound = (plan.error_bound * own.max(whole) + absolute) / own;
            if error.is_nan() || error > bound {
                let what = format!("array {b}: relative L2 {error:.2e}, allowed {bound:.2e}");
                return Err(whose(i, what));
            }
        }
    }
    if request.placement == Placement::InPlace {
        // Passes may use points of either side, wanted or not; what is no point stays as it is.
        written.resize(before.len().max(memory.len()), false);
        for b in 0..request.batch {
            for side in [&input, &output] {
                side.for_each(b, |_, at, _| {
                    written[at..at + side.domain.scalars()].fill(true)
                });
            }
        }
    }
    for (i, after) in runs.iter().enumerate() {
        let stray = |&at: &usize| !written[at] && !after[at].is_nan();
        if let Some(at) = (0..after.len()).find(stray) {
            let what = format!("scalar {at} was written, which is not wanted");
            return Err(whose(i, what));
        }
    }
    Ok(outcome)
}

/// Runs the plan on these scalars; returns the output's, in place those of both sides.
fn execute<B: Backend>(
    backend: &B,
    plan: &Plan,
    input: &[f64],
    output: &[f64],
) -> Result<Vec<f64>, String> {
    let scalar = plan.request.precision.row().storage;
    let said = |e: mmafft_backend_traits::Error| e.to_string();
    let prepared = backend.prepare(plan).map_err(said)?;
    let mut scratch = backend.allocate(prepared.scratch_bytes()).map_err(said)?;
    let in_place = plan.request.placement == Placement::InPlace;
    let mut first = if in_place {
        let mut both = input.to_vec();
        both.resize(input.len().max(output.len()), f64::NAN);
        to_bytes(&both, scalar)
    } else {
        to_bytes(output, scalar)
    };
    let mut memory = backend.allocate(first.len()).map_err(said)?;
    backend.write(&mut memory, 0, &first).map_err(said)?;
    let mut source = backend.allocate(0).map_err(said)?;
    let bytes = to_bytes(input, scalar);
    if !in_place {
        source = backend.allocate(bytes.len()).map_err(said)?;
        backend.write(&mut source, 0, &bytes).map_err(said)?;
    }
    let bindings = Bindings {
        input: (!in_place).then_some(&source),
        output: &mut memory,
        scratch: &mut scratch,
    };
    backend.launch(&prepared, bindings).map_err(said)?;
    backend.synchronize().map_err(said)?;
    backend.read(&memory, 0, &mut first).map_err(said)?;
    if !in_place {
        let mut kept = vec![0; bytes.len()];
        backend.read(&source, 0, &mut kept).map_err(said)?;
        if kept != bytes {
            return Err("the input was overwritten".into());
        }
    }
    Ok(from_bytes(&first, scalar))
}
