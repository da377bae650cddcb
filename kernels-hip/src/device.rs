//! Finding AMD devices, and what a planner must know of one.

use crate::bindings::{Attribute, Handle, Hip};
use crate::compile::{compiler_version, written};
use crate::fragments::{target, ARCHITECTURES};
use crate::{fragments, topology};
use mmafft_backend_traits::device::{Geometry, Lowering, Vendor};
use mmafft_backend_traits::{Limits, Result, PRECISIONS};
use mmafft_driver::{no_device, Interface, Versions};
use std::path::Path;

/// Bytes of the widest access of memory, `global_load_dwordx4`.
const ACCESS: usize = 16;

/// A device, as the HIP runtime describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The device's number for the runtime, from 0; HIP_VISIBLE_DEVICES changes it.
    pub ordinal: usize,
    /// The name in AMD's words.
    pub name: String,
    /// The architecture that kernels are compiled for, as `gfx942`.
    pub architecture: String,
    /// Compute units.
    pub multiprocessors: usize,
    /// Local data share that a block may have.
    pub shared_bytes_per_block: usize,
    /// Bytes of level-2 cache.
    pub l2_bytes: usize,
    /// Bytes of device memory.
    pub memory_bytes: usize,
    /// Threads that run in step.
    pub wave: usize,
}

/// Every device that the runtime shows, those that mmafft cannot use included (see
/// [`Device::check`]).
///
/// # Errors
/// `NoDevice` when the runtime is missing, too old, cannot start, or has no device.
pub fn devices() -> Result<Vec<Device>> {
    let hip = Hip::open()?;
    let ordinals = 0..Hip::count(hip)?;
    let nodes = nodes();
    ordinals
        .map(|ordinal| describe(Hip::device(hip, ordinal)?, ordinal, &nodes))
        .collect()
}

/// The versions of the HIP runtime and of hipRTC. Needs no device.
pub fn versions() -> Versions {
    Versions {
        driver: Hip::open().and_then(Hip::version).ok().map(written),
        compiler: compiler_version(),
    }
}

/// What the kernel driver lists.
pub(crate) fn nodes() -> Vec<topology::Node> {
    topology::nodes(Path::new(topology::NODES))
}

pub(crate) fn describe(device: Handle, ordinal: usize, nodes: &[topology::Node]) -> Result<Device> {
    let name = device.name()?;
    let architecture = match topology::by_address(nodes, &device.pci_address()?) {
        Some(architecture) => architecture.to_string(),
        None => {
            let major = device.attribute(Attribute::ComputeCapabilityMajor)?;
            let minor = device.attribute(Attribute::ComputeCapabilityMinor)?;
            topology::by_capability(major, minor, &name)
        }
    };
    Ok(Device {
        ordinal,
        name,
        architecture,
        multiprocessors: device.attribute(Attribute::MultiprocessorCount)?,
        shared_bytes_per_block: device.attribute(Attribute::MaxSharedMemoryPerBlock)?,
        l2_bytes: device.attribute(Attribute::L2CacheSize)?,
        memory_bytes: device.memory_bytes()?,
        wave: device.attribute(Attribute::WarpSize)?,
    })
}

/// The most threads of a block, on every device so far.
const THREADS: usize = 1024;

/// The most blocks of a launch: it counts threads in 32 bits, and a block has up to 1024.
const MOST_BLOCKS: u64 = u32::MAX as u64 / 1024;

impl Device {
    /// Whether mmafft has kernels for this architecture.
    ///
    /// # Errors
    /// `NoDevice`, with the architecture and what would do.
    pub fn check(&self) -> Result<()> {
        match fragments(&self.architecture).is_empty() {
            false => Ok(()),
            true => Err(no_device::<Hip>(
                format!(
                    "{} is {}, which mmafft has no matrix products for",
                    self.name, self.architecture
                ),
                "use a device of architecture gfx908, gfx90a or gfx942 (MI100 to MI300)",
            )),
        }
    }

    /// What lowering must know. A device that fails [`Device::check`] is as narrow as the
    /// narrowest.
    pub fn geometry(&self) -> Geometry {
        let known = ARCHITECTURES.iter();
        let row = known.filter(|row| row.name == target(&self.architecture));
        let least = ARCHITECTURES.iter().map(|row| row.registers).min();
        let registers = row.map(|row| row.registers).next().or(least).unwrap_or(0);
        Geometry {
            wave: self.wave,
            threads: THREADS,
            shared_bytes: self.shared_bytes_per_block,
            multiprocessors: self.multiprocessors,
            registers,
            blocks: MOST_BLOCKS,
            access: ACCESS,
            together: true,
            vendor: Vendor::Amd,
        }
    }

    /// What a planner must know. A device that fails [`Device::check`] computes in no
    /// precision.
    pub fn limits(&self) -> Limits {
        let fragments = fragments(&self.architecture);
        let precisions = match fragments.is_empty() {
            false => PRECISIONS.iter().map(|row| row.precision).collect(),
            true => Vec::new(),
        };
        let names = [&self.name, &self.architecture].map(String::as_str);
        Limits {
            precisions,
            ..Lowering::limits(Hip::BACKEND, names, fragments, self.geometry())
        }
    }
}

#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;
