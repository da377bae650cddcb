//! An AMD device.

use super::device::{DeviceLab, PeerPlan};
use mmafft::hip::{versions, Hip};
use mmafft::{HipBackend, Result};

/// The device, with the library whose plans `P` are.
///
/// # Errors
/// `NoDevice` without that library; `Device` when the device has no stream left.
pub fn lab<P: PeerPlan<Hip>>(backend: HipBackend) -> Result<DeviceLab<Hip, P>> {
    let driver = format!("HIP {}", versions().driver.unwrap_or_default());
    DeviceLab::new(backend, [&driver, "hipRTC"])
}
