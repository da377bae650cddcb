//! The AMD half of mmafft: what a device backend needs of HIP, and nothing of FFTs.
//!
//! - [`devices`] finds devices and says what each can do ([`Device`], [`fragments()`]);
//!   [`versions`] says which HIP runtime and which run-time compiler are there.
//! - [`HipDriver`] opens one. It implements
//!   [`Driver`](mmafft_backend_traits::device::Driver): memory, kernels, launches; and adds
//!   HIP's streams, events and graphs, and the use of other libraries' memory and streams
//!   ([`HipMemory::from_raw`], [`HipStream::from_raw`]).
//! - [`compile()`] makes machine code with hipRTC, also where there is no device. Code is kept
//!   on disk, in `mmafft/hip` of the user's cache directory; the environment's
//!   `MMAFFT_CACHE` names another folder, or is `off`.
//!
//! The HIP runtime (libamdhip64) and hipRTC are opened at run time. The crate builds and
//! runs on a machine that has neither; what is missing comes back as `Error::NoDevice`.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod backend;
#[allow(unsafe_code)]
mod bindings;
mod compile;
mod device;
mod fragments;
mod launch;
mod topology;

pub use backend::HipDriver;
pub use bindings::{HipEvent, HipGraph, HipMemory, HipStream};
pub use compile::{compile, source, Compiled, OPTIONS, PRIMITIVES};
pub use device::{devices, versions, Device, Versions};
pub use fragments::fragments;
pub use launch::HipKernel;

use mmafft_backend_traits::Error;

/// The backend's name, as on the command line.
const BACKEND: &str = "hip";

fn no_device(reason: impl Into<String>, remedy: &str) -> Error {
    Error::NoDevice {
        backend: BACKEND,
        reason: reason.into(),
        remedy: remedy.into(),
    }
}
