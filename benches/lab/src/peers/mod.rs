//! Other libraries, run beside ours in one process. For benches; not part of the API.
#![allow(missing_docs)]

pub mod cufft;
pub mod fftw;
mod library;
pub mod rocfft;
mod transform;

pub use transform::Transform;
