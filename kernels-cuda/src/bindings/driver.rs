//! The driver's library, and its devices.

use super::functions::Functions;
use cudarc::driver::sys;
use mmafft_backend_traits::{Error, Result};
use mmafft_driver::calls::{symbol, Answer};
use mmafft_driver::{no_device, Api, Interface};
use std::ffi::{c_char, c_int, CStr};
use std::sync::OnceLock;

pub use sys::CUdevice_attribute as Attribute;

/// NVIDIA's driver, by CUDA's driver interface.
pub struct Cuda {
    pub(super) functions: Functions,
}

impl Cuda {
    /// Opens the driver, the first time; later calls repeat what the first one found.
    pub(crate) fn open() -> Result<&'static Api<Cuda>> {
        static CUDA: OnceLock<Result<Api<Cuda>>> = OnceLock::new();
        CUDA.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The newest CUDA that this driver runs, as (13, 0). Needs no device.
    pub(crate) fn version(api: &Api<Cuda>) -> Result<(u32, u32)> {
        let mut version: c_int = 0;
        // SAFETY: writes one int, also before `cuInit`.
        let status = unsafe { (api.own.functions.cuDriverGetVersion)(&mut version) };
        api.check(Answer::of("cuDriverGetVersion", status))?;
        let version = u32::try_from(version).unwrap_or(0);
        Ok((version / 1000, version % 1000 / 10))
    }

    /// Initialises the driver and counts its devices: at least one, or `NoDevice`.
    pub(crate) fn count(api: &Api<Cuda>) -> Result<usize> {
        let remedy = "check that `nvidia-smi` lists a device, and CUDA_VISIBLE_DEVICES";
        let functions = &api.own.functions;
        let absent = |call, status| match status {
            0 => Ok(()),
            _ => {
                let words = api.own.words(status);
                Err(no_device::<Cuda>(format!("{call}: {words}"), remedy))
            }
        };
        // SAFETY: takes the one value that it documents; may be called again.
        absent("cuInit", unsafe { (functions.cuInit)(0) })?;
        let mut count: c_int = 0;
        // SAFETY: writes one int.
        let status = unsafe { (functions.cuDeviceGetCount)(&mut count) };
        absent("cuDeviceGetCount", status)?;
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(no_device::<Cuda>(
                "cuDeviceGetCount: the driver has none",
                remedy,
            )),
        }
    }

    /// One of the devices that [`Cuda::count`] counted.
    pub(crate) fn device(api: &'static Api<Cuda>, ordinal: usize) -> Result<Handle> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let mut device: c_int = 0;
        // SAFETY: writes one int; an ordinal that does not exist is an error.
        let status = unsafe { (api.own.functions.cuDeviceGet)(&mut device, ordinal) };
        api.check(Answer::of("cuDeviceGet", status))?;
        Ok(Handle { api, device })
    }
}

impl std::fmt::Debug for Cuda {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cuda")
    }
}

/// A device that the driver knows; made by [`Cuda::device`] alone.
#[derive(Clone, Copy)]
pub struct Handle {
    pub(super) api: &'static Api<Cuda>,
    pub(super) device: c_int,
}

impl Handle {
    /// The device's name in NVIDIA's words.
    pub fn name(&self) -> Result<String> {
        let mut name: [c_char; 256] = [0; 256];
        let functions = &self.api.own.functions;
        // SAFETY: writes at most the length given, and ends the text with a zero.
        let status = unsafe { (functions.cuDeviceGetName)(name.as_mut_ptr(), 256, self.device) };
        self.api.check(Answer::of("cuDeviceGetName", status))?;
        name[255] = 0;
        // SAFETY: the array holds a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        Ok(name.to_string_lossy().into_owned())
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: writes one size.
        let status =
            unsafe { (self.api.own.functions.cuDeviceTotalMem_v2)(&mut bytes, self.device) };
        self.api.check(Answer::of("cuDeviceTotalMem", status))?;
        Ok(bytes)
    }

    /// One of the driver's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        let mut value: c_int = 0;
        let functions = &self.api.own.functions;
        // SAFETY: writes one int; an attribute that an older driver does not know is an
        // error, not undefined.
        let status = unsafe {
            (functions.cuDeviceGetAttribute)(&mut value, attribute as c_int, self.device)
        };
        self.api.check(Answer::of("cuDeviceGetAttribute", status))?;
        Ok(usize::try_from(value).unwrap_or(0))
    }
}

fn find() -> Result<Api<Cuda>> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    if !unsafe { sys::is_culib_present() } {
        return Err(no_device::<Cuda>(
            "the NVIDIA driver's library, libcuda.so.1, was not found",
            "install the NVIDIA driver, or name its folder in LD_LIBRARY_PATH",
        ));
    }
    // SAFETY: the library is there, so `culib` opens it without panicking, and keeps it.
    let library = unsafe { sys::culib() };
    let symbol = |name| symbol(library, name);
    // SAFETY: the library is the driver, by its name, and is never closed.
    let functions = unsafe { Functions::load(symbol) };
    // SAFETY: as above.
    let api = functions.and_then(|functions| unsafe { Api::load(Cuda { functions }, symbol) });
    api.map_err(|name| {
        no_device::<Cuda>(
            format!("the NVIDIA driver's library has no function {name}"),
            "install a newer NVIDIA driver",
        )
    })
}
