//! What only a device can show: every length, large ones, streams, graphs, another library's
//! pointers, times. Without one every test is skipped.

mod families;
#[path = "../../examples/foreign_memory.rs"]
mod foreign_memory;
#[path = "../common/largest.rs"]
mod largest;
mod lengths;
mod measured;
#[path = "../common/not_finite.rs"]
mod not_finite;
mod ranks;
mod sharing;
mod times;

use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::{Bindings, Prepared};
use mmafft::{Backend, Complex, CudaBackend, Plan, Request, Result};

fn main() -> std::process::ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        families::families,
        lengths::every_length_to_2048,
        lengths::random_lengths_to_2_22,
        lengths::large_batches,
        measured::in_turns,
        measured::measured,
        measured::likely,
        ranks::ranks_on_one_device,
        ranks::ranks_on_several_devices,
        ranks::a_sample_of_ranks,
        sharing::the_same_bits,
        sharing::the_same_bits_in_turns,
        sharing::eight_streams,
        sharing::graphs_and_foreign_pointers,
        sharing::out_of_memory,
        times::plan_creation,
        times::operations_apart,
        memory_and_a_stream_of_others,
        what_is_not_finite_stays_in_its_transform,
        impulses_near_the_largest_number,
    ])
}

/// The first device; without one the test is skipped.
fn cuda() -> CudaBackend {
    let driver = mmafft::cuda::CudaDriver::open(0);
    CudaBackend::new(mmafft_testing::or_skip(driver))
}

/// The example, which without a device says so and succeeds.
fn memory_and_a_stream_of_others() {
    cuda();
    foreign_memory::main().expect("the example runs");
}

fn planner() -> mmafft::Planner {
    mmafft::Planner::on(mmafft::AnyBackend::Cuda(cuda()))
}

fn what_is_not_finite_stays_in_its_transform() {
    let planner = planner();
    for promise in [
        not_finite::lines_by_products,
        not_finite::reals_by_products,
        not_finite::columns_and_planes_by_products,
        not_finite::butterflies,
        not_finite::outside_of_a_zero_range,
    ] {
        promise(&planner);
    }
}

fn impulses_near_the_largest_number() {
    largest::check(&planner(), &[64, 100, 4096]);
}

/// Uniform in [−1, 1).
fn values(count: usize, seed: u64) -> Vec<Complex<f32>> {
    let mut random = Random::new(seed);
    let mut draw = || random.uniform() as f32;
    (0..count).map(|_| Complex::new(draw(), draw())).collect()
}

/// Runs a plan in place on single-precision values.
fn run(backend: &CudaBackend, plan: &Plan, data: &mut [Complex<f32>]) -> Result<()> {
    let prepared = backend.prepare(plan)?;
    let bytes = bytemuck::cast_slice_mut(data);
    let mut memory = backend.allocate(bytes.len())?;
    backend.write(&mut memory, 0, bytes)?;
    let mut scratch = backend.allocate(prepared.scratch_bytes())?;
    let bindings = Bindings {
        input: None,
        output: &mut memory,
        scratch: &mut scratch,
    };
    backend.launch(&prepared, bindings)?;
    backend.read(&memory, 0, bytes)
}

fn plan(backend: &CudaBackend, request: &Request) -> Plan {
    mmafft::plan(request, backend.limits()).expect("a plan")
}

/// Calls `work` for every index on all cores, or on this process' share of them.
fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..mmafft_testing::threads() {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if i >= count {
                    return;
                }
                work(i);
            });
        }
    });
}
