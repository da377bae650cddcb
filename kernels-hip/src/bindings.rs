//! The HIP runtime and hipRTC, opened at run time. All of the crate's `unsafe` is here.
//!
//! A [`Driver`] exists only once the library and every function in use have been found.
//! Only functions whose signatures are the same in HIP 5, 6 and 7 are bound: no struct
//! crosses, since `hipDeviceProp_t` has changed its layout under way.

use crate::{no_device, BACKEND};
use libloading::Library;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_char, c_int, c_uint, CStr};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// `hipError_t`. A plain number, since a newer runtime may know more of them.
type Status = c_int;

/// Declares the table of functions, and how it is filled from a library.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            /// Looks every function up; the name of the first missing one otherwise.
            fn find(library: &Library) -> std::result::Result<Self, &'static str> {
                Ok(Functions {
                    // SAFETY: the signatures are those of hip_runtime_api.h, 5.2 to 7.
                    $($field: *unsafe {
                        library.get::<unsafe extern "C" fn($($argument),*) -> $result>($symbol)
                    }
                    .map_err(|_| $symbol)?,)*
                })
            }
        }
    };
}

functions! {
    init = "hipInit": fn(c_uint) -> Status;
    runtime_version = "hipRuntimeGetVersion": fn(*mut c_int) -> Status;
    device_count = "hipGetDeviceCount": fn(*mut c_int) -> Status;
    device = "hipDeviceGet": fn(*mut c_int, c_int) -> Status;
    name = "hipDeviceGetName": fn(*mut c_char, c_int, c_int) -> Status;
    pci_bus_id = "hipDeviceGetPCIBusId": fn(*mut c_char, c_int, c_int) -> Status;
    attribute = "hipDeviceGetAttribute": fn(*mut c_int, c_int, c_int) -> Status;
    total_memory = "hipDeviceTotalMem": fn(*mut usize, c_int) -> Status;
    error_name = "hipGetErrorName": fn(Status) -> *const c_char;
    error_string = "hipGetErrorString": fn(Status) -> *const c_char;
}

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
pub struct Driver {
    functions: Functions,
    library: Library,
}

impl Driver {
    /// Opens the runtime, the first time; later calls repeat what the first one found. It
    /// stays open to the end of the process: its threads would not survive closing it.
    pub fn open() -> Result<&'static Driver> {
        static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
        DRIVER.get_or_init(find).as_ref().map_err(Error::clone)
    }

    /// The runtime's version, as `6.4.43484`.
    pub fn version(&self) -> Result<String> {
        let mut version = 0;
        // SAFETY: the function writes one int.
        let status = unsafe { (self.functions.runtime_version)(&mut version) };
        self.check("hipRuntimeGetVersion", status)?;
        let (major, minor) = (version / 10_000_000, version / 100_000 % 100);
        Ok(format!("{major}.{minor}.{}", version % 100_000))
    }

    /// Initialises the runtime and counts its devices: at least one, or `NoDevice`.
    /// Without a device the calls fail, with codes that differ between versions.
    pub fn count(&self) -> Result<usize> {
        let remedy = "check that `rocminfo` lists a GPU, that you may open /dev/kfd (groups \
                      render and video), and HIP_VISIBLE_DEVICES";
        let mut count = 0;
        // SAFETY: the function takes flags, which must be 0.
        let init = unsafe { (self.functions.init)(0) };
        // SAFETY: the function writes one int; after a failed `hipInit` it fails too, and
        // says more clearly why.
        let status = unsafe { (self.functions.device_count)(&mut count) };
        let reason = match (status, init, usize::try_from(count)) {
            (0, 0, Ok(count)) if count > 0 => return Ok(count),
            (0, 0, _) => "hipGetDeviceCount: the runtime has none".into(),
            (0, init, _) => format!("hipInit: {}", self.words(init)),
            (status, ..) => format!("hipGetDeviceCount: {}", self.words(status)),
        };
        Err(no_device(reason, remedy))
    }

    /// One of the devices that [`Driver::count`] counted.
    pub fn device(&self, ordinal: usize) -> Result<Handle<'_>> {
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let mut device = 0;
        // SAFETY: the function writes one int, and refuses ordinals that do not exist.
        let status = unsafe { (self.functions.device)(&mut device, ordinal) };
        self.check("hipDeviceGet", status)?;
        Ok(Handle {
            driver: self,
            device,
        })
    }

    fn check(&self, call: &str, status: Status) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => Err(Error::Device {
                backend: BACKEND.into(),
                message: format!("{call}: {}", self.words(status)),
                output_touched: false,
            }),
        }
    }

    /// The runtime's words for an error, and its name.
    fn words(&self, status: Status) -> String {
        // SAFETY: the functions take any number, and return strings that are never freed.
        let text = borrowed(unsafe { (self.functions.error_string)(status) });
        // SAFETY: as above.
        let name = borrowed(unsafe { (self.functions.error_name)(status) });
        match text == name {
            true => name, // HIP 5.2 has no words.
            false => format!("{text} ({name})"),
        }
    }
}

/// A device that the runtime knows; made by [`Driver::device`] alone.
pub struct Handle<'a> {
    driver: &'a Driver,
    device: c_int,
}

impl Handle<'_> {
    /// The device's name in AMD's words.
    pub fn name(&self) -> Result<String> {
        self.text("hipDeviceGetName", self.driver.functions.name)
    }

    /// The address on the PCI bus, as `0000:c1:00.0`.
    pub fn pci_address(&self) -> Result<String> {
        self.text("hipDeviceGetPCIBusId", self.driver.functions.pci_bus_id)
    }

    /// Bytes of device memory.
    pub fn memory_bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: the function writes one size_t; `self.device` came from `hipDeviceGet`.
        let status = unsafe { (self.driver.functions.total_memory)(&mut bytes, self.device) };
        self.driver.check("hipDeviceTotalMem", status)?;
        Ok(bytes)
    }

    /// One of the runtime's numbers about the device; none of those in use is negative.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize> {
        let mut value = 0;
        // SAFETY: the function writes one int; `self.device` came from `hipDeviceGet`.
        let status = unsafe {
            (self.driver.functions.attribute)(&mut value, attribute as c_int, self.device)
        };
        self.driver.check("hipDeviceGetAttribute", status)?;
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
        self.driver.check(call, status)?;
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }
}

/// hipRTC's version, in its own numbering (HIP 5.2 has 9.0), if it is found: a library of
/// its own in later versions, part of the runtime before.
pub fn compiler_version() -> Option<String> {
    static COMPILER: OnceLock<Option<Library>> = OnceLock::new();
    let own = COMPILER.get_or_init(|| open("libhiprtc").ok());
    match own {
        Some(library) => compiler_version_in(library),
        None => compiler_version_in(&Driver::open().ok()?.library),
    }
}

fn compiler_version_in(library: &Library) -> Option<String> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    // SAFETY: the signature is hiprtc.h's, in all versions.
    let version = unsafe { library.get::<Version>("hiprtcVersion") }.ok()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the function writes two ints.
    let status = unsafe { version(&mut major, &mut minor) };
    (status == 0).then(|| format!("{major}.{minor}"))
}

fn find() -> Result<Driver> {
    let remedy = "install ROCm 5 to 7, or name its folder in ROCM_PATH";
    let library = open("libamdhip64").map_err(|reason| no_device(reason, remedy))?;
    match Functions::find(&library) {
        Ok(functions) => Ok(Driver { functions, library }),
        Err(name) => {
            let reason = format!("the HIP runtime has no function {name}");
            Err(no_device(reason, remedy))
        }
    }
}

/// Opens the first of [`candidates`] that opens, or says why none does. A library that
/// is there but lacks one of its own needs says more than that others are not there.
fn open(stem: &str) -> std::result::Result<Library, String> {
    let mut reason = format!("the HIP library {stem}.so was not found");
    for path in candidates(stem, std::env::var_os("ROCM_PATH").map(PathBuf::from)) {
        // SAFETY: opening runs the library's initialisers, and nothing of ours.
        match unsafe { Library::new(&path) } {
            Ok(library) => return Ok(library),
            Err(libloading::Error::DlOpen { source }) => {
                let source = source.to_string();
                if !source.starts_with(&format!("{}: cannot open", path.display())) {
                    reason = format!("the HIP library {stem}.so cannot be opened: {source}");
                }
            }
            Err(_) => {}
        }
    }
    Err(reason)
}

/// Where a library may lie: where the user says, where the system looks, where ROCm is
/// installed by default. The newest first; the bare name last, as it may be of any age.
fn candidates(stem: &str, rocm: Option<PathBuf>) -> Vec<PathBuf> {
    let folders = [
        rocm.map(|path| path.join("lib")),
        Some(PathBuf::new()),
        Some(Path::new("/opt/rocm/lib").into()),
    ];
    let names = [".so.7", ".so.6", ".so.5", ".so"].map(|suffix| format!("{stem}{suffix}"));
    let folders = folders.iter().flatten();
    folders
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .collect()
}

fn borrowed(text: *const c_char) -> String {
    if text.is_null() {
        return "unknown error".into();
    }
    // SAFETY: not null; the caller has it from a function that returns constant strings.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_folder_comes_first_and_the_newest_name() {
        let paths = candidates("libamdhip64", Some("/rocm".into()));
        assert_eq!(paths.len(), 12);
        assert_eq!(paths[0], Path::new("/rocm/lib/libamdhip64.so.7"));
        assert_eq!(paths[4], Path::new("libamdhip64.so.7"));
        assert_eq!(paths[11], Path::new("/opt/rocm/lib/libamdhip64.so"));
        assert_eq!(candidates("libhiprtc", None).len(), 8);
    }

    #[test]
    fn a_library_that_is_nowhere_is_named() {
        let reason = open("libmmafft-is-not-here").unwrap_err();
        assert!(reason.ends_with("libmmafft-is-not-here.so was not found"));
    }
}
