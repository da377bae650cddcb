//! The CUDA driver and NVRTC, opened at run time. All of the crate's `unsafe` is here.
//!
//! cudarc finds the libraries. Its own functions are not used: they panic when a symbol is missing, and take a
//! status for the `enum` of CUDA 13.0 without looking. Instead a driver or an NVRTC exists only once its library
//! and every function in use have been found: those that HIP has too in
//! [`mmafft_driver::calls`], the others in [`functions`].

mod driver;
mod functions;
mod interface;
mod nvrtc;

pub use driver::{Attribute, Cuda};
pub use nvrtc::Nvrtc;
