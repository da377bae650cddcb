//! rocFFT, opened at run time, to compare with on the same AMD device.
//!
//! Nothing is linked, and no ROCm is needed to build: [`Rocfft::open`] looks where the loader does.
//! Names and meaning follow <https://rocm.docs.amd.com/projects/rocFFT/>; transforms are not scaled
//! in either direction. rocFFT's lengths begin with the contiguous one, ours end with it.
//!
//! Memory and streams are the caller's, the work area included: pointers and handles come in as
//! `u64`. Transforms are of contiguous arrays, so that rocFFT's default layouts are the right ones.

mod api;
mod plan;
#[cfg(test)]
mod tests;

pub use api::Rocfft;
pub use plan::RocfftPlan;

/// The name in errors.
const BACKEND: &str = "rocfft";
