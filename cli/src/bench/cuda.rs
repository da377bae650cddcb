//! An NVIDIA device.

use super::device::{DeviceLab, PeerPlan};
use mmafft::cuda::{versions, Cuda};
use mmafft::{CudaBackend, Result};

/// The device, with the library whose plans `P` are.
///
/// # Errors
/// `NoDevice` without that library; `Device` when the device has no stream left.
pub fn lab<P: PeerPlan<Cuda>>(backend: CudaBackend) -> Result<DeviceLab<Cuda, P>> {
    let driver = format!("CUDA {}", versions().driver.unwrap_or_default());
    DeviceLab::new(backend, [&driver, "NVRTC"])
}
