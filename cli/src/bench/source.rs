//! Random data on the device, from which inputs are copied.

use super::lab::{BufferOf, Lab};
use super::ready::Ready;
use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::{Backend, Bindings, Buffer, Prepared};
use mmafft::{Plan, Result, ScalarType};

/// Bytes that are drawn and written at a time.
const PART: usize = 16 << 20;

/// The same data in every run.
const SEED: u64 = 1;

/// Uniform random scalars, kept from case to case while they are of one type, and what only one
/// case begins from.
pub struct Source<L: Lab> {
    random: Option<(ScalarType, BufferOf<L>)>,
    /// Half spectra, or arrays with zeros.
    own: Option<BufferOf<L>>,
}

impl<L: Lab> Default for Source<L> {
    fn default() -> Self {
        Source {
            random: None,
            own: None,
        }
    }
}

impl<L: Lab> Source<L> {
    /// The input of a case.
    pub fn filled(&mut self, lab: &L, ready: &Ready<L>) -> Result<&BufferOf<L>> {
        self.own = None;
        let scalar = ready.plan.request.precision.row().storage;
        if !ready.plan.request.nonzero_input.is_empty() {
            let nonzero = nonzero(&ready.plan);
            let buffer = drawn(lab.backend(), scalar, ready.bytes().0, nonzero)?;
            return Ok(self.own.insert(buffer));
        }
        let Some((plan, prepared)) = &ready.spectrum else {
            return self.random(lab, scalar, ready.bytes().0);
        };
        let backend = lab.backend();
        let real = self.random(lab, scalar, plan.input_scalars * scalar.bytes())?;
        let mut spectra = backend.allocate(plan.output_scalars * scalar.bytes())?;
        let mut scratch = backend.allocate(prepared.scratch_bytes())?;
        let bindings = Bindings {
            input: Some(real),
            output: &mut spectra,
            scratch: &mut scratch,
        };
        lab.launch(lab.stream(), prepared, bindings)?;
        backend.synchronize()?;
        Ok(self.own.insert(spectra))
    }

    /// At least so many bytes of scalars in [−1, 1); of 16 bits times 1e-2, so that the sums of
    /// peers that compute in 16 bits stay in range.
    fn random(&mut self, lab: &L, scalar: ScalarType, bytes: usize) -> Result<&BufferOf<L>> {
        let kept = self.random.take();
        let kept = kept.filter(|(of, buffer)| *of == scalar && buffer.bytes() >= bytes);
        let (_, buffer) = match kept {
            Some(kept) => self.random.insert(kept),
            None => self
                .random
                .insert((scalar, drawn(lab.backend(), scalar, bytes, |_| true)?)),
        };
        Ok(buffer)
    }
}

/// Which scalars of the input lie in its zero ranges' complement.
fn nonzero(plan: &Plan) -> impl Fn(usize) -> bool + '_ {
    let request = &plan.request;
    let dims = request.shape.dims();
    let scalars = request.kind.row().input.scalars();
    move |scalar| {
        let mut point = scalar / scalars;
        let mut inside = true;
        for (axis, &n) in dims.iter().enumerate().rev() {
            let mut ranges = request.nonzero_input.iter().filter(|(a, _)| *a == axis);
            inside &= ranges.all(|(_, range)| range.contains(&(point % n)));
            point /= n;
        }
        inside
    }
}

/// A buffer of random scalars, zero where `nonzero` says so.
fn drawn<B: Backend>(
    backend: &B,
    scalar: ScalarType,
    bytes: usize,
    nonzero: impl Fn(usize) -> bool,
) -> Result<B::Buffer> {
    let mut buffer = backend.allocate(bytes)?;
    let mut random = Random::new(SEED);
    let mut part = Vec::with_capacity(PART.min(bytes));
    for start in (0..bytes).step_by(PART) {
        part.clear();
        let end = bytes.min(start + PART);
        while part.len() < end - start {
            let number = (start + part.len()) / scalar.bytes();
            let x = random.uniform() * if nonzero(number) { 1.0 } else { 0.0 };
            match scalar {
                ScalarType::F64 => part.extend(x.to_ne_bytes()),
                ScalarType::F32 => part.extend((x as f32).to_ne_bytes()),
                ScalarType::F16 => part.extend(mmafft::f16::from_f64(x * 1e-2).to_ne_bytes()),
                ScalarType::Bf16 => part.extend(mmafft::bf16::from_f64(x * 1e-2).to_ne_bytes()),
            }
        }
        backend.write(&mut buffer, start, &part)?;
    }
    Ok(buffer)
}
