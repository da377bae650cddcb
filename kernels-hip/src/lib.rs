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

#[allow(unsafe_code)]
mod bindings;
mod compile;
mod device;
mod fragments;
mod topology;

pub use bindings::Hip;
pub use compile::{compile, source, OPTIONS, PRIMITIVES};
pub use device::{devices, versions, Device};
pub use fragments::fragments;
pub use mmafft_driver::{Compiled, Versions};

/// An AMD device, opened. Clones are the same device, with the same default stream.
pub type HipDriver = mmafft_driver::DeviceDriver<Hip>;
/// Memory of an AMD device; freed when dropped, once everything that runs is done.
pub type HipMemory = mmafft_driver::Memory<Hip>;
/// Memory over several devices, all of which read and write it.
pub type HipPeerMemory = mmafft_driver::PeerMemory<Hip>;
/// An order of launches. Dropping one that the library created waits for them.
pub type HipStream = mmafft_driver::Stream<Hip>;
/// A moment in a stream, with its time.
pub type HipEvent = mmafft_driver::Event<Hip>;
/// Recorded launches, with all that they use.
pub type HipGraph = mmafft_driver::Graph<Hip>;
/// A kernel, loaded on a device; clones are the same kernel.
pub type HipKernel = mmafft_driver::Kernel<Hip>;
