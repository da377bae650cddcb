//! Finding NVIDIA devices, and what a planner must know of one.

use crate::bindings::{Attribute, Cuda};
use crate::compile::compiler_version;
use crate::fragments;
use crate::fragments::capability;
use mmafft_backend_traits::device::{Geometry, Lowering, Vendor};
use mmafft_backend_traits::{Limits, Result, PRECISIONS};
use mmafft_driver::{no_device, Api, Interface, Versions};

/// A device, as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The device's number for the driver, from 0; CUDA_VISIBLE_DEVICES changes it.
    pub ordinal: usize,
    /// The name in NVIDIA's words.
    pub name: String,
    /// The architecture that kernels are compiled for, as `sm_90`.
    pub architecture: String,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Shared memory that a block may have when it asks for more than the usual 48 KiB.
    pub shared_bytes_per_block: usize,
    /// Bytes of level-2 cache.
    pub l2_bytes: usize,
    /// Bytes of device memory.
    pub memory_bytes: usize,
    /// Threads that run in step.
    pub wave: usize,
    /// Whether blocks can run as a cluster, reaching each other's shared memory.
    pub clusters: bool,
}

/// Every device that the driver shows, those that mmafft cannot use included (see
/// [`Device::check`]).
///
/// # Errors
/// `NoDevice` when the driver is missing, too old, cannot start, or has no device.
pub fn devices() -> Result<Vec<Device>> {
    let driver = Cuda::open()?;
    let ordinals = 0..Cuda::count(driver)?;
    ordinals.map(|ordinal| describe(driver, ordinal)).collect()
}

/// The versions of the driver and of NVRTC. Needs no device.
pub fn versions() -> Versions {
    let driver = Cuda::open().and_then(Cuda::version);
    Versions {
        driver: driver.ok().map(|(major, minor)| format!("{major}.{minor}")),
        compiler: compiler_version(),
    }
}

pub(crate) fn describe(driver: &'static Api<Cuda>, ordinal: usize) -> Result<Device> {
    use Attribute::*;
    let device = Cuda::device(driver, ordinal)?;
    let major = device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // A driver older than clusters does not know the attribute: it cannot launch them.
    let clusters = device.attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    Ok(Device {
        ordinal,
        name: device.name()?,
        architecture: format!("sm_{major}{minor}"),
        multiprocessors: device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_bytes_per_block: device
            .attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        l2_bytes: device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        memory_bytes: device.memory_bytes()?,
        wave: device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        clusters: clusters.is_ok_and(|yes| yes != 0),
    })
}

/// The first architecture with tensor cores; NVRTC's support of older ones ends before its
/// C++17 does.
const OLDEST: u32 = 70;

/// The most threads of a block, on every device so far.
const THREADS: usize = 1024;

/// Registers of a multiprocessor, on every device with tensor cores so far.
const REGISTERS: usize = 1 << 16;

/// The most blocks of a launch, along its first axis.
const MOST_BLOCKS: u64 = i32::MAX as u64;

/// Blocks that a cluster may have on every device that has clusters.
const PORTABLE_CLUSTER: usize = 8;

impl Device {
    /// Whether mmafft has kernels for this architecture.
    ///
    /// # Errors
    /// `NoDevice`, with the architecture and what would do.
    pub fn check(&self) -> Result<()> {
        match self.supported() {
            true => Ok(()),
            false => Err(no_device::<Cuda>(
                format!(
                    "{} is {}, without tensor cores",
                    self.name, self.architecture
                ),
                "use a device of architecture sm_70 (Volta) or later",
            )),
        }
    }

    /// What lowering must know.
    pub fn geometry(&self) -> Geometry {
        Geometry {
            wave: self.wave,
            threads: THREADS,
            shared_bytes: self.shared_bytes_per_block,
            multiprocessors: self.multiprocessors,
            registers: REGISTERS,
            blocks: MOST_BLOCKS,
            // Wider ones where a measured rule says so.
            access: 0,
            together: true,
            vendor: Vendor::Nvidia,
        }
    }

    fn supported(&self) -> bool {
        capability(&self.architecture).is_some_and(|capability| capability >= OLDEST)
    }

    /// What a planner must know. A device that fails [`Device::check`] computes in no
    /// precision.
    pub fn limits(&self) -> Limits {
        let fragments = fragments(&self.architecture);
        let precisions = match self.supported() {
            true => PRECISIONS.iter().map(|row| row.precision).collect(),
            false => Vec::new(),
        };
        let names = [&self.name, &self.architecture].map(String::as_str);
        Limits {
            cluster_blocks: if self.clusters { PORTABLE_CLUSTER } else { 0 },
            precisions,
            ..Lowering::limits(Cuda::BACKEND, names, fragments, self.geometry())
        }
    }
}

#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;
