//! Passes, timed beside a copy.

use mmafft::backend_traits::{Backend, Bindings, Slot};
use mmafft::lab::alone;
use mmafft::{Kind, Pass, Plan};
use mmafft_cli::bench::lab::{BufferOf, Lab, PreparedOf};
use mmafft_cli::bench::ready::on_threads;
use mmafft_cli::Failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Bytes of the transforms whose passes are timed.
pub const BYTES: usize = 1 << 30;

/// Bytes that a plan and its passes may reach of any memory: one line may be more than the others' bytes, and half
/// spectra and convolutions take more.
pub fn room(plan: &Plan) -> usize {
    let scalars = plan.input_scalars.max(plan.output_scalars);
    let scalar = plan.request.precision.row().storage.bytes();
    let most = (scalars * scalar).max(plan.scratch_bytes);
    most + (most >> 1)
}

/// Memory for a pass: what it loads and what it stores.
pub struct Memory<B> {
    pub input: B,
    pub output: B,
    pub scratch: B,
}

impl<B> Memory<B> {
    /// So many bytes of noise each.
    pub fn new<L>(lab: &L, bytes: usize) -> Result<Self, Failure>
    where
        L: Lab,
        L::Backend: Backend<Buffer = B>,
    {
        Ok(Memory {
            input: noise(lab, bytes)?,
            output: noise(lab, bytes)?,
            scratch: noise(lab, bytes)?,
        })
    }
}

/// What times passes: a device, its memory, and the bytes a second of a copy.
pub struct Bench<'a, L: Lab> {
    pub lab: &'a L,
    pub memory: Memory<BufferOf<L>>,
    pub copy: f64,
}

/// What each pass reaches of a copy; `None` where it cannot be prepared.
pub fn time_all<L: Lab>(bench: &mut Bench<L>, plan: &Plan, passes: Vec<Pass>) -> Vec<Option<f64>> {
    let plans: Vec<Plan> = passes.into_iter().map(|pass| alone(plan, pass)).collect();
    let prepared = prepare_all(bench.lab, &plans);
    let timed = plans.iter().zip(prepared);
    timed
        .map(|(plan, prepared)| time(bench, &plan.passes[0], &prepared?))
        .collect()
}

/// Plans, prepared on all cores; `None` what cannot be.
fn prepare_all<L: Lab>(lab: &L, plans: &[Plan]) -> Vec<Option<PreparedOf<L>>> {
    let next = AtomicUsize::new(0);
    let prepared: Vec<Mutex<Option<_>>> = plans.iter().map(|_| Mutex::new(None)).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    on_threads(cores, || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(plan) = plans.get(i) else { return };
        *prepared[i].lock().expect("no thread panics") = lab.backend().prepare(plan).ok();
    });
    let inner = |p: Mutex<_>| p.into_inner().expect("no thread panics");
    prepared.into_iter().map(inner).collect()
}

/// The pass' rate over that of a copy; `None` where it does not run.
fn time<L: Lab>(bench: &mut Bench<L>, pass: &Pass, prepared: &PreparedOf<L>) -> Option<f64> {
    // As it is timed in `mmafft bench`: rows of complex transforms are, in place.
    let in_place = (pass.load.slot, pass.store.slot) == (Slot::Input, Slot::Output)
        && pass.load.domain == pass.store.domain
        && pass.mirrored().is_none()
        && pass.axes.iter().all(|a| a.kind == Kind::C2C);
    time_bytes(bench, pass.bytes(), in_place, prepared)
}

/// The rate of what reads and writes so many bytes, over that of a copy.
fn time_bytes<L: Lab>(
    bench: &mut Bench<L>,
    (read, written): (usize, usize),
    in_place: bool,
    prepared: &PreparedOf<L>,
) -> Option<f64> {
    let Bench {
        lab, memory, copy, ..
    } = bench;
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let from = lab.mark().ok()?;
        let bindings = Bindings {
            input: (!in_place).then_some(&memory.input),
            output: &mut memory.output,
            scratch: &mut memory.scratch,
        };
        lab.launch(lab.stream(), prepared, bindings).ok()?;
        let to = lab.mark().ok()?;
        seconds.push(lab.seconds(&from, &to).ok()?);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    Some((read + written) as f64 / seconds[1] / *copy)
}

/// Bytes a second, read and written.
pub fn copy<L: Lab>(lab: &L, memory: &mut Memory<BufferOf<L>>) -> Result<f64, Failure> {
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..9 {
        let from = lab.mark()?;
        lab.copy(lab.stream(), &memory.input, &mut memory.output, BYTES)?;
        let to = lab.mark()?;
        seconds.push(lab.seconds(&from, &to)?);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(2.0 * BYTES as f64 / seconds[4])
}

/// So many bytes of random numbers in (−1, 1), as FP32.
fn noise<L: Lab>(lab: &L, bytes: usize) -> Result<BufferOf<L>, Failure> {
    let mut state = 1u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX / 2) - 1.0) as f32
    };
    let some: Vec<u8> = (0..1 << 22).flat_map(|_| draw().to_ne_bytes()).collect();
    let mut buffer = lab.backend().allocate(bytes)?;
    for at in (0..bytes).step_by(some.len()) {
        lab.backend()
            .write(&mut buffer, at, &some[..some.len().min(bytes - at)])?;
    }
    Ok(buffer)
}
