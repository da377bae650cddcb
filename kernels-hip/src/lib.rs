//! The AMD half of mmafft.
//!
//! Today this crate finds devices, and says what each can do ([`Device`], [`fragments()`])
//! and which HIP runtime and run-time compiler are there ([`versions`]). It does not run
//! passes yet: there is no `Driver` here. How AMD's matrix products hold a pass' data is in
//! `device/fragments.hpp`, which the emulated device uses.
//!
//! The HIP runtime (libamdhip64) and hipRTC are opened at run time. The crate builds and
//! runs on a machine that has neither; what is missing comes back as `Error::NoDevice`.
#![deny(unsafe_code)]
#![warn(missing_docs)]

#[allow(unsafe_code)]
mod bindings;
mod device;
mod fragments;
mod topology;

pub use device::{devices, versions, Device, Versions};
pub use fragments::fragments;

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
