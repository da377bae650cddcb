//! The library's inside for our own program, lab and tests: nothing here is promised to stay.

pub use crate::clock::BackendClock;
pub use crate::planner::measure::{alone, Clock};
pub use crate::planner::{of_way, plan_as, rules, ways, Asked};
#[cfg(feature = "cpu")]
pub mod rustfft_lines;
/// What a planner asks of the CPU.
#[cfg(feature = "cpu")]
pub const CPU: &dyn mmafft_backend_traits::Target = &crate::cpu::target::CpuTarget;
