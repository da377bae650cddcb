//! The HIP runtime's library, and its devices.

use super::functions::Functions;
use super::library::open;
use libloading::Library;
use mmafft_backend_traits::{Error, Result};
use mmafft_driver::calls::{symbol, Answer, Status};
use mmafft_driver::{no_device, Api, Interface};
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

/// AMD's runtime, HIP.
pub struct Hip {
    pub(super) functions: Functions,
    pub(super) library: &'static Library,
}

impl Hip {
    /// Opens the runtime, the first time; later calls repeat what the first one found.
    pub(crate) fn open() -> Result<&'static Api<Hip>> {
        static HIP: OnceLock<Result<Api<Hip>>> = OnceLock::new();
        HIP.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The runtime's version, as (6, 4, 43484). Needs no device.
    pub(crate) fn version(api: &Api<Hip>) -> Result<(u32, u32, u32)> {
        let mut version: c_int = 0;
        // SAFETY: the function writes one int.
        let status = unsafe { (api.own.functions.hipRuntimeGetVersion)(&mut version) };
        api.check(Answer::of("hipRuntimeGetVersion", status))?;
        let version = u32::try_from(version).unwrap_or(0);
        let (major, minor) = (version / 10_000_000, version / 100_000 % 100);
        Ok((major, minor, version % 100_000))
    }

    /// Initialises the runtime and counts its devices: at least one, or `NoDevice`.
    /// Without a device the calls fail, with codes that differ between versions.
    pub(crate) fn count(api: &Api<Hip>) -> Result<usize> {
        let remedy = "check that `rocminfo` lists a GPU, that you may open /dev/kfd (groups \
                      render and video), and HIP_VISIBLE_DEVICES";
        let mut count = 0;
        // SAFETY: the function takes flags, which must be 0.
        let init = unsafe { (api.own.functions.hipInit)(0) };
        // SAFETY: the function writes one int; after a failed `hipInit` it fails too, and
        // says more clearly why.
        let status = unsafe { (api.own.functions.hipGetDeviceCount)(&mut count) };
        let reason = match (status, init, usize::try_from(count)) {
            (0, 0, Ok(count)) if count > 0 => return Ok(count),
            (0, 0, _) => "hipGetDeviceCount: the runtime has none".into(),
            (0, init, _) => format!("hipInit: {}", api.own.words(init)),
            (status, ..) => format!("hipGetDeviceCount: {}", api.own.words(status)),
        };
        Err(no_device::<Hip>(reason, remedy))
    }

    /// One of the devices that [`Hip::count`] counted.
    pub(crate) fn device(api: &'static Api<Hip>, ordinal: usize) -> Result<Handle> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let mut device = 0;
        // SAFETY: the function writes one int, and refuses ordinals that do not exist.
        let status = unsafe { (api.own.functions.hipDeviceGet)(&mut device, ordinal) };
        api.check(Answer::of("hipDeviceGet", status))?;
        Ok(Handle { api, device })
    }
}

impl std::fmt::Debug for Hip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hip")
    }
}

/// A device that the runtime knows; made by [`Hip::device`] alone.
#[derive(Clone, Copy)]
pub struct Handle {
    pub(super) api: &'static Api<Hip>,
    pub(super) device: c_int,
}

impl Handle {
    /// The device's name in AMD's words.
    pub fn name(&self) -> Result<String> {
        self.text("hipDeviceGetName", self.api.own.functions.hipDeviceGetName)
    }

    /// The address on the PCI bus, as `0000:c1:00.0`.
    pub fn pci_address(&self) -> Result<String> {
        self.text(
            "hipDeviceGetPCIBusId",
            self.api.own.functions.hipDeviceGetPCIBusId,
        )
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: the function writes one size_t; `self.device` came from `hipDeviceGet`.
        let status = unsafe { (self.api.own.functions.hipDeviceTotalMem)(&mut bytes, self.device) };
        self.api.check(Answer::of("hipDeviceTotalMem", status))?;
        Ok(bytes)
    }

    /// One of the runtime's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        let mut value = 0;
        // SAFETY: the function writes one int; `self.device` came from `hipDeviceGet`.
        let status = unsafe {
            (self.api.own.functions.hipDeviceGetAttribute)(
                &mut value,
                attribute as c_int,
                self.device,
            )
        };
        self.api
            .check(Answer::of("hipDeviceGetAttribute", status))?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    fn text(
        &self,
        call: &'static str,
        function: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status,
    ) -> Result<String> {
        let mut buffer = [0u8; 256];
        // SAFETY: the function writes at most the length given, one less than the buffer,
        // whose last byte stays 0; `self.device` came from `hipDeviceGet`.
        let status = unsafe { function(buffer.as_mut_ptr().cast(), 255, self.device) };
        self.api.check(Answer::of(call, status))?;
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }
}

fn find() -> Result<Api<Hip>> {
    let remedy = "install ROCm 5 to 7, or name its folder in ROCM_PATH";
    let library = open("libamdhip64").map_err(|reason| no_device::<Hip>(reason, remedy))?;
    let symbol = |name| symbol(library, name);
    // SAFETY: the library is the HIP runtime, by its name, and `open` never closes it.
    let functions = unsafe { Functions::load(symbol) };
    let own = functions.map(|functions| Hip { functions, library });
    // SAFETY: as above.
    let api = own.and_then(|own| unsafe { Api::load(own, symbol) });
    api.map_err(|name| no_device::<Hip>(format!("the HIP runtime has no function {name}"), remedy))
}
