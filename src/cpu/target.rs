//! What a planner asks of the CPU.

use super::line_price::{way, Workload, LIBRARY};
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
        let of = match kind {
            Kind::C2C => Workload::Many,
            Kind::R2C | Kind::C2R if odd_reals::halves(length) => return ODD_REALS,
            Kind::R2C | Kind::C2R if length.is_multiple_of(2) => Workload::Halves,
            Kind::R2C | Kind::C2R => Workload::Many,
            // Lines that become as many reals are gathered one by one.
            _ => Workload::Single,
        };
        way(kind.core_length(length), of, lanes, bytes)
    }
}
