//! On a real device: memory, launches, streams, events, graphs, and errors that leave the
//! device usable. Without one they are skipped.

mod driver;
mod errors;
mod graphs;
mod lanes;

use mmafft_backend_traits::device::{Driver, Vendor};
use mmafft_backend_traits::{Error, Result};
use mmafft_kernels_cuda::{compile, versions, PRIMITIVES};
pub use mmafft_kernels_cuda::{
    fragments, CudaDriver as Device, CudaKernel as Kernel, CudaMemory as Memory,
    CudaPeerMemory as PeerMemory, CudaStream as Stream,
};
use mmafft_testing::{or_skip, skip};
use object::{Object, ObjectSection};
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
        errors::a_device_that_is_not_there_is_named,
        errors::a_fault_is_told_and_says_that_the_output_is_touched,
        the_device_is_what_the_planner_hears_of,
        the_probes_compile,
        copies_are_in_the_order_of_their_stream,
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
        skip("needs NVRTC: without it the unit tests of src/compile.rs check little");
    }
}

/// What the shared kernels say for the vendor: 50 million cycles are 10 ms and more, as 5 GHz
/// are more than any device has.
const WORDS: &str = r#"
#define CLOCK() clock64()
#define TICKS 50000000
#define TRAP() asm volatile("trap;")
"#;

/// The products, one a kernel, and lanes of a wave; how their functions' names begin.
const LANES: usize = 32;
const PREFIX: &str = "mma_";
const PROBES: &str = r#"
PROBE(mma_f16_m16n8k8, float, 4, a[0], a[1], b[0])
#if __CUDA_ARCH__ >= 800
PROBE(mma_f16_m16n8k16, float, 4, a[0], a[1], a[2], a[3], b[0], b[1])
PROBE(mma_bf16_m16n8k16, float, 4, a[0], a[1], a[2], a[3], b[0], b[1])
PROBE(mma_bf16_m16n8k8, float, 4, a[0], a[1], b[0])
PROBE(mma_f64_m8n8k4, double, 2, f64_at(a), f64_at(b))
#endif
"#;

fn the_device_is_what_the_planner_hears_of() {
    let driver = device();
    let geometry = driver.geometry();
    assert_eq!((geometry.wave, geometry.threads), (32, 1024));
    assert_eq!(
        (geometry.blocks, geometry.vendor),
        ((1 << 31) - 1, Vendor::Nvidia)
    );
    assert_eq!(
        geometry.shared_bytes,
        driver.device().shared_bytes_per_block
    );
    assert_eq!(driver.limits().backend, "cuda");
    println!("{driver:?}, NVRTC {}", driver.compiler_version());
}

fn the_probes_compile() {
    if versions().compiler.is_none() {
        skip("needs NVRTC");
    }
    for (architecture, probes) in [("sm_75", 1), ("sm_80", 5), ("sm_90", 5), ("sm_120", 5)] {
        let compiled = match compile(&driver::unit(&lanes::probes()), architecture) {
            Err(Error::Unsupported { backend, .. }) => {
                println!("left out: {architecture}, which {backend} does not know");
                continue;
            }
            compiled => compiled.unwrap(),
        };
        // Not by the log: NVRTC 13.0 left its own lines out where others compiled at the same time.
        let file = object::File::parse(&compiled.code[..]).expect("an ELF file");
        let kernel = |s: &object::Section| s.name().is_ok_and(|name| name.starts_with(".text."));
        let kernels = file.sections().filter(kernel).count();
        assert_eq!(kernels, probes, "{architecture}: {}", compiled.log);
    }
}

fn copies_are_in_the_order_of_their_stream() {
    let driver = device();
    let bytes =
        |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_ne_bytes()).collect() };
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let upload = |bytes: &[u8]| {
        let mut memory = driver.allocate(bytes.len()).unwrap();
        driver.write(&mut memory, 0, bytes).unwrap();
        memory
    };
    let (memory, copy) = (upload(&bytes(&values)), upload(&[0; 4000]));
    let stream = driver.stream().unwrap();
    driver.copy(&stream, &memory, &copy, 3600).unwrap();
    stream.synchronize().unwrap();
    let mut got = vec![0; 4000];
    driver.read(&copy, 0, &mut got).unwrap();
    assert_eq!(&got[..3600], &bytes(&values)[..3600]);
    assert_eq!(&got[3600..], &[0; 400][..]);
    driver.copy(&stream, &memory, &copy, 0).unwrap();
    let error = driver.copy(&stream, &memory, &copy, 4001).unwrap_err();
    assert!(matches!(error, Error::BufferTooShort { .. }), "{error}");
}
