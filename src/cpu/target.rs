//! What a planner asks of the CPU.

use super::line_price::{way, LIBRARY};
use super::odd_reals::{self, ODD_REALS};
use mmafft_backend_traits::{Kind, Target};

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

    fn line_way(&self, kind: Kind, length: usize, [lanes, bytes]: [usize; 2]) -> &'static str {
        // Lines that become as many reals are gathered one by one.
        let in_batches = !kind.is_real_to_real();
        match in_batches && kind != Kind::C2C && odd_reals::halves(length) {
            true => ODD_REALS,
            false => way(kind.core_length(length), in_batches, lanes, bytes),
        }
    }
}
