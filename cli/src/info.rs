//! `mmafft info`: what this build has, what it found, and how to get the rest.

use super::Failure;
use mmafft::backend_traits::FragmentShape;
use mmafft::{AnyBackend, Limits, Planner, ScalarType, BACKENDS};

/// Prints backends, devices, matrix products and limits.
pub fn run() -> Result<(), Failure> {
    outln!("mmafft {}", env!("CARGO_PKG_VERSION"));
    for backend in BACKENDS {
        outln!("\n{}", backend.name);
        if !backend.built {
            outln!(
                "  not in this build: build with `--features {}`",
                backend.feature
            );
            continue;
        }
        match backend.name {
            "cpu" => print_limits(Planner::cpu()?.limits()),
            "cuda" => cuda(),
            "hip" => hip(),
            // Those that need no device; the others are named above.
            name => {
                outln!("  kernels run on the host, for tests: slow");
                print_limits(Planner::on(AnyBackend::from_name(name)?).limits());
            }
        }
    }
    Ok(())
}

/// What the planner knows of a device.
fn print_limits(limits: &Limits) {
    let precisions: Vec<&str> = limits.precisions.iter().map(|p| p.row().name).collect();
    outln!("  {}", limits.device);
    outln!("  precisions       {}", precisions.join(", "));
    outln!("  tile             {} KiB on chip", limits.tile_bytes >> 10);
    if limits.cluster_blocks > 0 {
        outln!(
            "  clusters         of at most {} blocks",
            limits.cluster_blocks
        );
    }
    match limits.longest_line(ScalarType::F32) {
        usize::MAX => outln!("  longest line     any, in one pass"),
        points => {
            let alone = limits.tile_bytes / Limits::on_chip_bytes(1, ScalarType::F32);
            outln!(
                "  longest line     {alone} points of f32 in one pass, {points} as a power of two"
            );
        }
    }
    if let Some(library) = limits.target.line_library() {
        outln!("  contiguous lines {library}, any length");
    }
    outln!("  butterflies      {:?}", limits.butterflies);
    outln!("  matrix products  {}", products(&limits.fragments));
}

fn products(fragments: &[FragmentShape]) -> String {
    let words: Vec<String> = fragments
        .iter()
        .map(|f| format!("{}x{}x{} {}", f.m, f.n, f.k, f.operand.name()))
        .collect();
    match words.is_empty() {
        true => "none".into(),
        false => words.join(", "),
    }
}

/// The lines on a vendor's devices; the two crates have the same names in them.
#[cfg(any(feature = "cuda", feature = "hip"))]
macro_rules! devices {
    ($krate:ident, $compiler:literal, $get:literal) => {{
        let versions = $krate::versions();
        let or_missing = |v: Option<String>| v.unwrap_or_else(|| "not found".into());
        outln!("  driver           {}", or_missing(versions.driver));
        match versions.compiler {
            Some(version) => outln!("  {:<16} {version}", $compiler),
            None => outln!("  {:<16} not found: {}", $compiler, $get),
        }
        match $krate::devices() {
            Err(error) => outln!("  {error}"),
            Ok(devices) => {
                for device in devices {
                    outln!(
                        "  device {}: {}, {}, {} multiprocessors, {} GiB, {} KiB shared",
                        device.ordinal,
                        device.name,
                        device.architecture,
                        device.multiprocessors,
                        device.memory_bytes >> 30,
                        device.shared_bytes_per_block >> 10
                    );
                    match device.check() {
                        Ok(()) => outln!(
                            "    matrix products {}",
                            products(&$krate::fragments(&device.architecture))
                        ),
                        Err(error) => outln!("    {error}"),
                    }
                }
            }
        }
    }};
}

fn cuda() {
    #[cfg(feature = "cuda")]
    use mmafft::cuda as vendor;
    #[cfg(feature = "cuda")]
    devices!(
        vendor,
        "NVRTC",
        "install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` and set LD_LIBRARY_PATH"
    );
}

fn hip() {
    #[cfg(feature = "hip")]
    use mmafft::hip as vendor;
    #[cfg(feature = "hip")]
    devices!(
        vendor,
        "hipRTC",
        "install ROCm's hip-runtime-amd, or Debian's libamdhip64"
    );
}
