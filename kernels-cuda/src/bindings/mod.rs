//! The CUDA driver and NVRTC, opened at run time. All of the crate's `unsafe` is here.
//!
//! cudarc finds the libraries. Its own functions are not used: they panic when a symbol is
//! missing, and take a status for the `enum` of CUDA 13.0 without looking. Instead a
//! [`Cuda`] or [`Nvrtc`] exists only once its library and every function of its table have
//! been found ([`functions`]), and a status is an `i32`, whatever a later driver returns.
//!
//! A handle of the driver (context, module, stream, ...) is owned by one Rust value, which
//! keeps what the handle depends on alive by an `Arc` and gives the handle back when dropped.

mod context;
mod driver;
mod functions;
mod graph;
mod memory;
mod module;
mod nvrtc;
mod status;
mod stream;

pub use context::Context;
pub use driver::{Attribute, Cuda};
pub use graph::CudaGraph;
pub use memory::CudaMemory;
pub use module::Module;
pub use nvrtc::Nvrtc;
pub use stream::{CudaEvent, CudaStream};

use std::ffi::c_void;

/// A handle of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Raw(*mut c_void);

// SAFETY: a handle names something inside the driver, which lets every thread use it; it is
// not read through here.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    const NULL: Raw = Raw(std::ptr::null_mut());
}
