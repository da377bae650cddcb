//! The NVIDIA half of mmafft: what a device backend needs of CUDA, and nothing of FFTs.
//!
//! - [`devices`] finds devices and says what each can do ([`Device`], [`fragments()`]);
//!   [`versions`] says which driver and which run-time compiler are there.
//! - [`CudaDriver`] opens one. It implements
//!   [`Driver`](mmafft_backend_traits::device::Driver): memory, kernels, launches; and adds
//!   CUDA's streams, events and graphs, and the use of other libraries' memory and streams
//!   ([`CudaMemory::from_raw`], [`CudaStream::from_raw`]).
//! - [`compile()`] makes machine code with NVRTC, also where there is no device. Code is kept
//!   on disk, in `mmafft/cuda` of the user's cache directory; the environment's
//!   `MMAFFT_CACHE` names another folder, or is `off`.
//!
//! The driver (libcuda) and NVRTC are opened at run time. The crate builds and runs on a
//! machine that has neither; what is missing comes back as `Error::NoDevice`.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod backend;
#[allow(unsafe_code)]
mod bindings;
mod compile;
mod device;
mod fragments;
mod launch;

pub use backend::CudaDriver;
pub use bindings::{CudaEvent, CudaGraph, CudaMemory, CudaStream};
pub use compile::{compile, source, Compiled, OPTIONS, PRIMITIVES};
pub use device::{devices, versions, Device, Versions};
pub use fragments::fragments;
pub use launch::CudaKernel;

use mmafft_backend_traits::Error;

/// The backend's name, as on the command line.
const BACKEND: &str = "cuda";

fn no_device(reason: impl Into<String>, remedy: &str) -> Error {
    Error::NoDevice {
        backend: BACKEND,
        reason: reason.into(),
        remedy: remedy.into(),
    }
}
