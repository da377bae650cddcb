//! The driver's library, and its devices.

use super::functions::{Functions, GraphFunctions, Status};
use super::status::{error, words};
use crate::{no_device, BACKEND};
use cudarc::driver::sys;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_char, c_int, CStr};
use std::sync::OnceLock;

pub use sys::CUdevice_attribute as Attribute;

/// The driver: opened, and with every function in use.
pub struct Cuda {
    pub(super) functions: Functions,
}

impl Cuda {
    /// Opens the driver, the first time; later calls repeat what the first one found.
    pub fn open() -> Result<&'static Cuda> {
        static CUDA: OnceLock<Result<Cuda>> = OnceLock::new();
        CUDA.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The functions of graphs.
    pub(super) fn graphs(&self) -> Result<&'static GraphFunctions> {
        static GRAPHS: OnceLock<std::result::Result<GraphFunctions, &'static str>> =
            OnceLock::new();
        // SAFETY: `self` exists, so the library is there; cudarc never closes it.
        let found = GRAPHS.get_or_init(|| unsafe { GraphFunctions::load(sys::culib()) });
        found.as_ref().map_err(|name| Error::Unsupported {
            what: "recording a graph".into(),
            backend: format!("this NVIDIA driver, which has no function {name}"),
            instead: "install a driver of CUDA 11.4 or later, or launch without a graph".into(),
        })
    }

    /// An error unless the status is success.
    pub(super) fn check(&self, call: &str, status: Status) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => Err(error(&self.functions, call, status)),
        }
    }

    /// The newest CUDA that this driver runs, as (13, 0). Needs no device.
    pub fn version(&self) -> Result<(u32, u32)> {
        let mut version: c_int = 0;
        // SAFETY: writes one int, also before `cuInit`.
        let status = unsafe { (self.functions.cuDriverGetVersion)(&mut version) };
        self.check("cuDriverGetVersion", status)?;
        let version = u32::try_from(version).unwrap_or(0);
        Ok((version / 1000, version % 1000 / 10))
    }

    /// Initialises the driver and counts its devices: at least one, or `NoDevice`.
    pub fn count(&self) -> Result<usize> {
        let remedy = "check that `nvidia-smi` lists a device, and CUDA_VISIBLE_DEVICES";
        let absent = |call, status| match status {
            0 => Ok(()),
            _ => {
                let words = words(&self.functions, status);
                Err(no_device(format!("{call}: {words}"), remedy))
            }
        };
        // SAFETY: takes the one value that it documents; may be called again.
        absent("cuInit", unsafe { (self.functions.cuInit)(0) })?;
        let mut count: c_int = 0;
        // SAFETY: writes one int.
        let status = unsafe { (self.functions.cuDeviceGetCount)(&mut count) };
        absent("cuDeviceGetCount", status)?;
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(no_device("cuDeviceGetCount: the driver has none", remedy)),
        }
    }

    /// One of the devices that [`Cuda::count`] counted.
    pub fn device(&'static self, ordinal: usize) -> Result<Handle> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let mut device: c_int = 0;
        // SAFETY: writes one int; an ordinal that does not exist is an error.
        let status = unsafe { (self.functions.cuDeviceGet)(&mut device, ordinal) };
        self.check("cuDeviceGet", status)?;
        Ok(Handle { cuda: self, device })
    }
}

/// A device that the driver knows; made by [`Cuda::device`] alone.
#[derive(Clone, Copy)]
pub struct Handle {
    pub(super) cuda: &'static Cuda,
    pub(super) device: c_int,
}

impl Handle {
    /// The device's name in NVIDIA's words.
    pub fn name(&self) -> Result<String> {
        let mut name: [c_char; 256] = [0; 256];
        let functions = &self.cuda.functions;
        // SAFETY: writes at most the length given, and ends the text with a zero.
        let status = unsafe { (functions.cuDeviceGetName)(name.as_mut_ptr(), 256, self.device) };
        self.cuda.check("cuDeviceGetName", status)?;
        name[255] = 0;
        // SAFETY: the array holds a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        Ok(name.to_string_lossy().into_owned())
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: writes one size.
        let status = unsafe { (self.cuda.functions.cuDeviceTotalMem_v2)(&mut bytes, self.device) };
        self.cuda.check("cuDeviceTotalMem", status)?;
        Ok(bytes)
    }

    /// One of the driver's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        let mut value: c_int = 0;
        let functions = &self.cuda.functions;
        // SAFETY: writes one int; an attribute that an older driver does not know is an
        // error, not undefined.
        let status = unsafe {
            (functions.cuDeviceGetAttribute)(&mut value, attribute as c_int, self.device)
        };
        self.cuda.check("cuDeviceGetAttribute", status)?;
        Ok(usize::try_from(value).unwrap_or(0))
    }
}

fn find() -> Result<Cuda> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    if !unsafe { sys::is_culib_present() } {
        return Err(no_device(
            "the NVIDIA driver's library, libcuda.so.1, was not found",
            "install the NVIDIA driver, or name its folder in LD_LIBRARY_PATH",
        ));
    }
    // SAFETY: the library is there, so `culib` opens it without panicking, and keeps it.
    match unsafe { Functions::load(sys::culib()) } {
        Ok(functions) => Ok(Cuda { functions }),
        Err(name) => Err(no_device(
            format!("the NVIDIA driver's library has no function {name}"),
            "install a newer NVIDIA driver",
        )),
    }
}

/// An error of ours about a device, before anything ran.
pub(super) fn refused(message: String) -> Error {
    Error::Device {
        backend: BACKEND.into(),
        message,
        output_touched: false,
    }
}
