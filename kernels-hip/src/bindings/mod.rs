//! The HIP runtime and hipRTC, opened at run time. All of the crate's `unsafe` is here.
//!
//! A runtime or a hipRTC exists only once its library and every function in use have been found: those that CUDA
//! has too in [`mmafft_driver::calls`], the others in [`functions`]. Only functions whose signatures are the same
//! in HIP 5, 6 and 7 are bound, and no struct crosses: `hipDeviceProp_t` has changed its layout under way.

mod driver;
mod functions;
mod hiprtc;
mod interface;
mod library;

pub use driver::{Attribute, Handle, Hip};
pub use hiprtc::hiprtc;
