//! The HIP runtime's library, and its devices.

use super::functions::{Functions, GraphFunctions, Status};
use super::library::open;
use super::status::{error, words};
use crate::no_device;
use libloading::Library;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_char, c_int, CStr};
use std::sync::OnceLock;

/// The rows of `hipDeviceAttribute_t` in use, by their numbers in the headers of HIP 5.2
/// to 7: rows that went out of use kept their place.
#[derive(Debug, Clone, Copy)]
pub enum Attribute {
    L2CacheSize = 19,
    ComputeCapabilityMajor = 23,
    ComputeCapabilityMinor = 61,
    MultiprocessorCount = 63,
    MaxSharedMemoryPerBlock = 74,
    WarpSize = 87,
}

/// The HIP runtime: opened, and with every function in use.
pub struct Hip {
    pub(super) functions: Functions,
    graphs: std::result::Result<GraphFunctions, &'static str>,
    pub(super) library: &'static Library,
}

impl Hip {
    /// Opens the runtime, the first time; later calls repeat what the first one found.
    pub fn open() -> Result<&'static Hip> {
        static HIP: OnceLock<Result<Hip>> = OnceLock::new();
        HIP.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The functions of graphs.
    pub(super) fn graphs(&self) -> Result<&GraphFunctions> {
        self.graphs.as_ref().map_err(|name| Error::Unsupported {
            what: "recording a graph".into(),
            backend: format!("this HIP runtime, which has no function {name}"),
            instead: "install ROCm 5.3 or later, or launch without a graph".into(),
        })
    }

    /// An error unless the status is success.
    pub(super) fn check(&self, call: &str, status: Status) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => Err(error(&self.functions, call, status)),
        }
    }

    /// The runtime's version, as (6, 4, 43484). Needs no device.
    pub fn version(&self) -> Result<(u32, u32, u32)> {
        let mut version: c_int = 0;
        // SAFETY: the function writes one int.
        let status = unsafe { (self.functions.hipRuntimeGetVersion)(&mut version) };
        self.check("hipRuntimeGetVersion", status)?;
        let version = u32::try_from(version).unwrap_or(0);
        let (major, minor) = (version / 10_000_000, version / 100_000 % 100);
        Ok((major, minor, version % 100_000))
    }

    /// Initialises the runtime and counts its devices: at least one, or `NoDevice`.
    /// Without a device the calls fail, with codes that differ between versions.
    pub fn count(&self) -> Result<usize> {
        let remedy = "check that `rocminfo` lists a GPU, that you may open /dev/kfd (groups \
                      render and video), and HIP_VISIBLE_DEVICES";
        let mut count = 0;
        // SAFETY: the function takes flags, which must be 0.
        let init = unsafe { (self.functions.hipInit)(0) };
        // SAFETY: the function writes one int; after a failed `hipInit` it fails too, and
        // says more clearly why.
        let status = unsafe { (self.functions.hipGetDeviceCount)(&mut count) };
        let reason = match (status, init, usize::try_from(count)) {
            (0, 0, Ok(count)) if count > 0 => return Ok(count),
            (0, 0, _) => "hipGetDeviceCount: the runtime has none".into(),
            (0, init, _) => format!("hipInit: {}", words(&self.functions, init)),
            (status, ..) => format!("hipGetDeviceCount: {}", words(&self.functions, status)),
        };
        Err(no_device(reason, remedy))
    }

    /// One of the devices that [`Hip::count`] counted.
    pub fn device(&'static self, ordinal: usize) -> Result<Handle> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let mut device = 0;
        // SAFETY: the function writes one int, and refuses ordinals that do not exist.
        let status = unsafe { (self.functions.hipDeviceGet)(&mut device, ordinal) };
        self.check("hipDeviceGet", status)?;
        Ok(Handle { hip: self, device })
    }
}

/// A device that the runtime knows; made by [`Hip::device`] alone.
#[derive(Clone, Copy)]
pub struct Handle {
    pub(super) hip: &'static Hip,
    pub(super) device: c_int,
}

impl Handle {
    /// The device's name in AMD's words.
    pub fn name(&self) -> Result<String> {
        self.text("hipDeviceGetName", self.hip.functions.hipDeviceGetName)
    }

    /// The address on the PCI bus, as `0000:c1:00.0`.
    pub fn pci_address(&self) -> Result<String> {
        self.text(
            "hipDeviceGetPCIBusId",
            self.hip.functions.hipDeviceGetPCIBusId,
        )
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: the function writes one size_t; `self.device` came from `hipDeviceGet`.
        let status = unsafe { (self.hip.functions.hipDeviceTotalMem)(&mut bytes, self.device) };
        self.hip.check("hipDeviceTotalMem", status)?;
        Ok(bytes)
    }

    /// One of the runtime's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        let mut value = 0;
        // SAFETY: the function writes one int; `self.device` came from `hipDeviceGet`.
        let status = unsafe {
            (self.hip.functions.hipDeviceGetAttribute)(&mut value, attribute as c_int, self.device)
        };
        self.hip.check("hipDeviceGetAttribute", status)?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    fn text(
        &self,
        call: &str,
        function: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status,
    ) -> Result<String> {
        let mut buffer = [0u8; 256];
        // SAFETY: the function writes at most the length given, one less than the buffer,
        // whose last byte stays 0; `self.device` came from `hipDeviceGet`.
        let status = unsafe { function(buffer.as_mut_ptr().cast(), 255, self.device) };
        self.hip.check(call, status)?;
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }
}

fn find() -> Result<Hip> {
    let remedy = "install ROCm 5 to 7, or name its folder in ROCM_PATH";
    let library = open("libamdhip64").map_err(|reason| no_device(reason, remedy))?;
    // SAFETY: the library is the HIP runtime, by its name, and `open` never closes it.
    let functions = unsafe { Functions::load(library) }.map_err(|name| {
        let reason = format!("the HIP runtime has no function {name}");
        no_device(reason, remedy)
    })?;
    Ok(Hip {
        functions,
        // SAFETY: as above.
        graphs: unsafe { GraphFunctions::load(library) },
        library,
    })
}
