//! Emulated devices: the kernels that GPUs run, compiled for the host from the same text,
//! so that a machine without a GPU tests them.
//!
//! [`EmulatedDriver::nvidia`] has waves of 32 lanes and `mma.sync`, [`EmulatedDriver::amd`]
//! waves of 64 and MFMA. Neither is fast; both find what a device would not report. A
//! launch fails, with the thread, the block and the step, at the first
//! - race: a cell of shared memory that one thread wrote and another touched, or one read
//!   and another wrote, without a barrier between;
//! - touch of a cell to which an asynchronous copy is under way, or end of a thread that
//!   did not wait for its copies;
//! - read of shared memory that the block never wrote;
//! - access outside the launch's regions or its shared memory, or misaligned;
//! - deadlock: not all threads arrive at a barrier, or not all lanes at an operation of
//!   their wave.
//!
//! Threads and blocks run one after another, in an order that tests vary ([`Order`]), and
//! asynchronous copies land when they are waited for. To prove that no barrier or wait is
//! there in vain, or missing without notice, one of them can be left out
//! ([`EmulatedDriver::skip_barrier`], [`EmulatedDriver::skip_wait`]).
//!
//! There are several of each ([`EmulatedDriver::numbered`]), each with memory of its own: a launch that is given memory of
//! another device fails, unless the memory is mapped for both ([`EmulatedDriver::over_devices`]).
//!
//! What is not found: races in device memory (another [`Order`] of blocks changes their
//! outcome). Bank conflicts are counted on request ([`EmulatedDriver::patterns`]), and no error.
#![warn(missing_docs)]

mod bindings;
mod driver;
mod limits;
mod ranges;

pub use bindings::Memory;
pub use driver::{Counters, EmulatedDriver, Kernel, Order, Pattern, DEVICES};

/// 64-bit words of a [`Program`](mmafft_backend_traits::device::Program)'s
/// configuration, as `device/config.hpp` has them.
pub fn config_words() -> usize {
    bindings::config_words()
}
