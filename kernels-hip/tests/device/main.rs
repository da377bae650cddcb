//! On a real device, or on what the HIP runtime takes for one: what the CUDA crate's tests do
//! there, in HIP's words. Without one they are skipped.

#[path = "../../../kernels-cuda/tests/device/driver.rs"]
mod driver;
#[path = "../../../kernels-cuda/tests/device/graphs.rs"]
mod graphs;
#[path = "../../../kernels-cuda/tests/device/lanes.rs"]
mod lanes;

use mmafft_backend_traits::device::{Driver, Vendor};
use mmafft_backend_traits::{Error, Result};
use mmafft_kernels_hip::{compile, versions, PRIMITIVES};
pub use mmafft_kernels_hip::{
    fragments, HipDriver as Device, HipKernel as Kernel, HipMemory as Memory,
    HipPeerMemory as PeerMemory, HipStream as Stream,
};
use mmafft_testing::{or_skip, skip};
use std::sync::OnceLock;

fn main() -> std::process::ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        driver::bytes_come_back,
        driver::every_argument_arrives,
        driver::blocks_may_use_all_shared_memory_and_no_more,
        driver::reading_waits_for_streams,
        driver::synchronizing_waits_for_every_stream,
        driver::memory_and_streams_of_others_serve,
        driver::memory_over_devices_is_as_any,
        driver::events_take_the_time,
        driver::one_driver_serves_many_threads_and_openings,
        driver::too_much_memory_is_an_error_and_the_next_call_works,
        driver::too_large_a_block_is_an_error_with_a_remedy_and_the_next_call_works,
        graphs::a_graph_keeps_what_it_launches,
        graphs::a_failed_recording_leaves_the_device_usable,
        graphs::other_threads_work_while_one_records,
        graphs::recordings_and_waits_of_many_threads_do_not_meet,
        graphs::a_kernel_can_be_dropped_while_recording,
        lanes::a_one_lands_where_the_document_says,
        lanes::whole_matrices,
        lanes::every_product_has_a_table,
        the_device_is_what_the_planner_hears_of,
        a_device_that_is_not_there_is_named,
        the_probes_compile,
        unit_tests_compile,
    ])
}

/// The first device; without one the test is skipped.
fn device() -> &'static Device {
    static DEVICE: OnceLock<Result<Device>> = OnceLock::new();
    or_skip(DEVICE.get_or_init(|| Device::open(0)).as_ref())
}

/// Says of the crate's unit tests, whose harness cannot, that they check little without a compiler.
fn unit_tests_compile() {
    if versions().compiler.is_none() {
        skip("needs hipRTC: without it the unit tests of src/compile.rs check little");
    }
}

/// What the shared kernels say for the vendor. The clock has 100 MHz or less: 2 million ticks
/// are 20 ms and more.
const WORDS: &str = r#"
#define CLOCK() ((long long)__builtin_amdgcn_s_memrealtime())
#define TICKS 2000000
#define TRAP() __builtin_trap()
"#;

/// The products, one a kernel, and lanes of a wave; how their functions' names begin.
const LANES: usize = 64;
const PREFIX: &str = "mfma_";
const PROBES: &str = r#"
PROBE(mfma_f16_16x16x16, float, 4, a[0], a[1], b[0], b[1])
PROBE(mfma_bf16_16x16x16, float, 4, a[0], a[1], b[0], b[1])
PROBE(mfma_f16_4x4x4, float, 4, a[0], a[1], b[0], b[1])
PROBE(mfma_bf16_4x4x4, float, 4, a[0], a[1], b[0], b[1])
PROBE(mfma_f32_4x4x1, float, 4, float_of(a[0]), float_of(b[0]))
PROBE(mfma_f32_16x16x4, float, 4, float_of(a[0]), float_of(b[0]))
PROBE(mfma_f64_16x16x4, double, 4, f64_at(a), f64_at(b))
"#;

fn the_device_is_what_the_planner_hears_of() {
    let driver = device();
    let geometry = driver.geometry();
    assert_eq!((geometry.wave, geometry.threads), (64, 1024));
    // A launch counts threads in 32 bits.
    assert_eq!(
        (geometry.blocks, geometry.vendor),
        ((1 << 22) - 1, Vendor::Amd)
    );
    assert_eq!(
        geometry.shared_bytes,
        driver.device().shared_bytes_per_block
    );
    assert_eq!(driver.limits().backend, "hip");
    println!("{driver:?}, hipRTC {}", driver.compiler_version());
}

fn a_device_that_is_not_there_is_named() {
    match Device::open(4321) {
        Err(Error::NoDevice { reason, remedy, .. }) => {
            let known = [
                "libamdhip64",
                "function hip",
                "hipInit",
                "hipGetDeviceCount",
                "4321",
            ];
            assert!(known.iter().any(|what| reason.contains(what)), "{reason}");
            assert!(!remedy.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

fn the_probes_compile() {
    if versions().compiler.is_none() {
        skip("needs hipRTC");
    }
    for architecture in ["gfx908", "gfx90a", "gfx942"] {
        match compile(&driver::unit(&lanes::probes()), architecture) {
            Err(Error::Unsupported { backend, .. }) => {
                println!("left out: {architecture}, which {backend} does not know");
            }
            compiled => assert!(!compiled.unwrap().code.is_empty()),
        }
    }
}
