//! FFTW 3, opened at run time, to compare with in the same process.
//!
//! Nothing is linked: [`Fftw::open`] looks for `libfftw3f.so.3` (`f32`) or `libfftw3.so.3` (`f64`)
//! and, for plans with several threads, for the library with the suffix `_threads`, else `_omp`.
//! The interface is safe: plans are made under one lock, and every execution checks the lengths
//! and the alignment of its arrays. Names and meaning follow the manual of FFTW 3.3,
//! <https://www.fftw.org/fftw3_doc/>.

mod api;
mod memory;
mod plan;
#[cfg(test)]
mod tests;

pub use api::Fftw;
pub use memory::Memory;
pub use plan::{FftwPlan, Rigor};
