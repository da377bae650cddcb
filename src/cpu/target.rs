//! What a planner asks of the CPU.

use mmafft_backend_traits::Target;

/// The CPU: RustFFT transforms lines of any length, and tiles lie in memory as they are.
#[derive(Debug)]
pub struct CpuTarget;

impl Target for CpuTarget {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn line_library(&self) -> Option<&'static str> {
        Some("RustFFT")
    }
}
