//! What a planner asks of the CPU.

use super::line_price::{way, LIBRARY};
use mmafft_backend_traits::Target;

/// The CPU: lines of any length are transformed where they lie, and tiles lie in memory as they are.
#[derive(Debug)]
pub struct CpuTarget;

impl Target for CpuTarget {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn line_library(&self) -> Option<&'static str> {
        Some(LIBRARY)
    }

    fn line_way(&self, points: usize, in_batches: bool, vector: [usize; 2]) -> &'static str {
        way(points, in_batches, vector[0], vector[1])
    }
}
