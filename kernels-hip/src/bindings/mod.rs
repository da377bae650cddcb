//! The HIP runtime and hipRTC, opened at run time. All of the crate's `unsafe` is here.
//!
//! A [`Hip`] or [`Hiprtc`] exists only once its library and every function of its table have
//! been found ([`functions`]). Only functions whose signatures are the same in HIP 5, 6 and 7
//! are bound, and no struct crosses: `hipDeviceProp_t` has changed its layout under way. A
//! status is an `i32`, whatever a later runtime returns.
//!
//! A handle of the runtime (module, stream, ...) is owned by one Rust value, which keeps what
//! the handle depends on alive by an `Arc` and gives the handle back when dropped.

mod context;
mod driver;
mod functions;
mod graph;
mod hiprtc;
mod library;
mod memory;
mod module;
mod status;
mod stream;

pub use context::Context;
pub use driver::{Attribute, Handle, Hip};
pub use graph::HipGraph;
pub use hiprtc::Hiprtc;
pub use memory::HipMemory;
pub use module::Module;
pub use stream::{HipEvent, HipStream};

use std::ffi::c_void;

/// A handle of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Raw(*mut c_void);

// SAFETY: a handle names something inside the runtime, which lets every thread use it; it is
// not read through here.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    const NULL: Raw = Raw(std::ptr::null_mut());
}
