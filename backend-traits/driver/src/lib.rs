//! What a device backend needs of CUDA's driver and of HIP's runtime, once for both: memory, streams, events,
//! graphs, kernels, and the run-time compiler. The two have the same calls under two names ([`calls`]); what
//! one has otherwise than the other is an [`Interface`].
//!
//! A handle of the driver (context, module, stream, ...) is owned by one Rust value, which keeps what the
//! handle depends on alive by an `Arc` and gives the handle back when dropped. A status is an `i32`, whatever
//! a later driver returns.
//!
//! Users have these types by the names that `mmafft-kernels-cuda` and `mmafft-kernels-hip` give them.
#![warn(missing_docs)]

pub mod calls;
mod context;
mod driver;
mod graph;
mod interface;
mod kernel;
mod memory;
mod module;
mod peers;
mod rtc;
mod stream;
#[cfg(test)]
mod tests;

pub use context::Context;
pub use driver::{DeviceDriver, OpenDevices, Shared};
pub use graph::Graph;
pub use interface::{no_device, refused, Api, Compiled, Compiler, Found, Interface, Versions};
pub use kernel::Kernel;
pub use memory::Memory;
pub use peers::PeerMemory;
pub use rtc::RuntimeCompiler;
pub use stream::{Event, Stream};
