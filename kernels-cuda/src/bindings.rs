//! The CUDA driver and NVRTC, opened at run time through cudarc. All of the crate's
//! `unsafe` is here.
//!
//! cudarc panics when it is called and the library, or that one function, is missing. So
//! a [`Driver`] exists only once the library and every function in [`FUNCTIONS`] have been
//! found, and whoever holds one may call them.
//!
//! cudarc also takes a status for the `enum` of CUDA 13.0 without looking. That is sound
//! for the calls made here, whose documented codes are all older than that.

use crate::{no_device, BACKEND};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;
use cudarc::nvrtc::sys as nvrtc;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

pub use sys::CUdevice_attribute as Attribute;

/// What this module calls, by the names in the library. cudarc calls `cuGetErrorString`
/// to put an error into words.
const FUNCTIONS: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuGetErrorString",
];

/// The driver: opened, and with every function in use.
pub struct Driver(());

impl Driver {
    /// Opens the driver, the first time; later calls repeat what the first one found.
    pub fn open() -> Result<&'static Driver> {
        static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
        DRIVER.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The newest CUDA that this driver runs, as `13.0`. Needs no device.
    pub fn version(&self) -> Result<String> {
        let mut version: c_int = 0;
        // SAFETY: the function is there (`self`); it writes one int, also before `cuInit`.
        let status = unsafe { sys::cuDriverGetVersion(&mut version) };
        status
            .result()
            .map_err(|e| failed("cuDriverGetVersion", e))?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// Initialises the driver and counts its devices: at least one, or `NoDevice`.
    pub fn count(&self) -> Result<usize> {
        let remedy = "check that `nvidia-smi` lists a device, and CUDA_VISIBLE_DEVICES";
        let absent = |call, e| no_device(format!("{call}: {}", words(e)), remedy);
        result::init().map_err(|e| absent("cuInit", e))?;
        let count = result::device::get_count().map_err(|e| absent("cuDeviceGetCount", e))?;
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(no_device("cuDeviceGetCount: the driver has none", remedy)),
        }
    }

    /// One of the devices that [`Driver::count`] counted.
    pub fn device(&self, ordinal: usize) -> Result<Handle> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let device = result::device::get(ordinal).map_err(|e| failed("cuDeviceGet", e))?;
        Ok(Handle(device))
    }
}

/// A device that the driver knows; made by [`Driver::device`] alone.
pub struct Handle(sys::CUdevice);

impl Handle {
    /// The device's name in NVIDIA's words.
    pub fn name(&self) -> Result<String> {
        result::device::get_name(self.0).map_err(|e| failed("cuDeviceGetName", e))
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        // SAFETY: `self.0` came from `cuDeviceGet`.
        unsafe { result::device::total_mem(self.0) }.map_err(|e| failed("cuDeviceTotalMem", e))
    }

    /// One of the driver's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        // SAFETY: `self.0` came from `cuDeviceGet`; an attribute that an older driver does
        // not know is an error, not undefined.
        let value = unsafe { result::device::get_attribute(self.0, attribute) }
            .map_err(|e| failed("cuDeviceGetAttribute", e))?;
        Ok(usize::try_from(value).unwrap_or(0))
    }
}

/// NVRTC's version, as `13.0`, if it can be opened.
pub fn compiler_version() -> Option<String> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    if !unsafe { nvrtc::is_culib_present() } {
        return None;
    }
    // SAFETY: the library is there, so `culib` opens it; the symbol is looked for and not
    // called.
    unsafe { nvrtc::culib().get::<*const c_void>("nvrtcVersion") }.ok()?;
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: the function is there; it writes two ints.
    let status = unsafe { nvrtc::nvrtcVersion(&mut major, &mut minor) };
    status.result().ok()?;
    Some(format!("{major}.{minor}"))
}

fn find() -> Result<Driver> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    if !unsafe { sys::is_culib_present() } {
        return Err(no_device(
            "the NVIDIA driver's library, libcuda.so.1, was not found",
            "install the NVIDIA driver, or name its folder in LD_LIBRARY_PATH",
        ));
    }
    // SAFETY: the library is there, so `culib` opens it; symbols are looked for and not
    // called.
    let has = |name: &str| unsafe { sys::culib().get::<*const c_void>(name) }.is_ok();
    match FUNCTIONS.iter().find(|name| !has(name)) {
        None => Ok(Driver(())),
        Some(name) => Err(no_device(
            format!("the NVIDIA driver's library has no function {name}"),
            "install a newer NVIDIA driver",
        )),
    }
}

fn failed(call: &str, error: DriverError) -> Error {
    Error::Device {
        backend: BACKEND.into(),
        message: format!("{call}: {}", words(error)),
        output_touched: false,
    }
}

/// The driver's words for an error, and its name.
fn words(error: DriverError) -> String {
    match error.error_string() {
        Ok(text) => format!("{} ({:?})", text.to_string_lossy(), error.0),
        Err(_) => format!("{:?}", error.0),
    }
}
