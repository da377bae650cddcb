//! On a real device: memory, launches, streams, events, graphs, and errors that leave the
//! device usable. Without one every test says that it was skipped.

mod driver;
mod errors;
mod graphs;
mod lanes;

use mmafft_backend_traits::conformance;
use mmafft_backend_traits::device::{Driver, Vendor};
use mmafft_backend_traits::{Error, Result};
use mmafft_kernels_cuda::{compile, versions, PRIMITIVES};
pub use mmafft_kernels_cuda::{
    fragments, CudaDriver as Device, CudaKernel as Kernel, CudaMemory as Memory,
    CudaStream as Stream,
};
use object::{Object, ObjectSection};
use std::sync::OnceLock;

fn device(name: &str) -> Option<&'static Device> {
    static DEVICE: OnceLock<Result<Device>> = OnceLock::new();
    let device = DEVICE.get_or_init(|| Device::open(0)).as_ref();
    device
        .inspect_err(|error| conformance::skip(&format!("device::{name}"), error))
        .ok()
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

#[test]
fn the_device_is_what_the_planner_hears_of() {
    let Some(driver) = device("the_device_is_what_the_planner_hears_of") else {
        return;
    };
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

#[test]
fn the_probes_compile() {
    if versions().compiler.is_none() {
        println!("skipped: device::lanes::the_probes_compile, needs NVRTC");
        return;
    }
    for (architecture, probes) in [("sm_75", 1), ("sm_80", 5), ("sm_90", 5), ("sm_120", 5)] {
        let compiled = match compile(&driver::unit(&lanes::probes()), architecture) {
            Err(Error::Unsupported { backend, .. }) => {
                println!("skipped: {architecture}, which {backend} does not know");
                continue;
            }
            compiled => compiled.unwrap(),
        };
        // Not by the log: NVRTC 13.0 left its own lines out where others compiled at the same time.
        let file = object::File::parse(&compiled.cubin[..]).expect("an ELF file");
        let kernel = |s: &object::Section| s.name().is_ok_and(|name| name.starts_with(".text."));
        let kernels = file.sections().filter(kernel).count();
        assert_eq!(kernels, probes, "{architecture}: {}", compiled.log);
    }
}

#[test]
fn copies_are_in_the_order_of_their_stream() {
    let Some(driver) = device("copies_are_in_the_order_of_their_stream") else {
        return;
    };
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
