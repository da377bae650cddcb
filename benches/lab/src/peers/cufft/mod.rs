//! cuFFT, opened at run time, to compare with on the same device.
//!
//! Nothing is linked, and no CUDA toolkit is needed to build: [`Cufft::open`] looks where the
//! loader does for the library of CUDA 13, then of CUDA 12. Every precision and size goes through
//! `cufftXtMakePlanMany` and `cufftXtExec`, the only functions that know 16-bit types, and which
//! take 64-bit sizes. Names and meaning follow <https://docs.nvidia.com/cuda/cufft/>; transforms
//! are not scaled in either direction.
//!
//! Memory, streams and contexts are the caller's: pointers and handles come in as `u64`.

mod api;
mod dims;
mod plan;
mod status;
#[cfg(test)]
mod tests;

pub use crate::peers::Transform;
pub use api::Cufft;
pub use plan::CufftPlan;

/// The name in errors.
const BACKEND: &str = "cufft";
