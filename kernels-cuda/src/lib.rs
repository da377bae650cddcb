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

#[allow(unsafe_code)]
mod bindings;
mod compile;
mod device;
mod fragments;

pub use bindings::Cuda;
pub use compile::{compile, source, OPTIONS, PRIMITIVES};
pub use device::{devices, versions, Device};
pub use fragments::fragments;
pub use mmafft_driver::{Compiled, Versions};

/// An NVIDIA device, opened. Clones are the same device, with the same default stream.
pub type CudaDriver = mmafft_driver::DeviceDriver<Cuda>;
/// Memory of an NVIDIA device; freed when dropped, once everything that runs is done.
pub type CudaMemory = mmafft_driver::Memory<Cuda>;
/// Memory over several devices, all of which read and write it.
pub type CudaPeerMemory = mmafft_driver::PeerMemory<Cuda>;
/// An order of launches. Dropping one that the library created waits for them.
pub type CudaStream = mmafft_driver::Stream<Cuda>;
/// A moment in a stream, with its time.
pub type CudaEvent = mmafft_driver::Event<Cuda>;
/// Recorded launches, with all that they use.
pub type CudaGraph = mmafft_driver::Graph<Cuda>;
/// A kernel, loaded on a device; clones are the same kernel.
pub type CudaKernel = mmafft_driver::Kernel<Cuda>;
