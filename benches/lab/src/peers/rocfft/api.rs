//! The entry points of the shared library, looked up once.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::OnceLock;

use mmafft::{Error, Result};

use super::BACKEND;
use crate::peers::library::{self, find, Found};

/// `rocfft_status`. A number, since a newer library may know more of them.
pub type Status = c_int;
/// `rocfft_plan`, `rocfft_plan_description` or `rocfft_execution_info`.
pub type Handle = *mut c_void;

pub const SUCCESS: Status = 0;
pub const INVALID_DIMENSIONS: Status = 3;
pub const INVALID_ARRAY_TYPE: Status = 4;

/// The names of `rocfft_status` in rocfft.h, from 0 on.
const STATUSES: [&str; 9] = [
    "rocfft_status_success",
    "rocfft_status_failure",
    "rocfft_status_invalid_arg_value",
    "rocfft_status_invalid_dimensions",
    "rocfft_status_invalid_array_type",
    "rocfft_status_invalid_strides",
    "rocfft_status_invalid_distance",
    "rocfft_status_invalid_offset",
    "rocfft_status_invalid_work_buffer",
];

/// `rocfft_plan_create`: where to put the plan, placement, type, precision, rank, lengths, batch,
/// and a description of the layout, which may be null.
pub type CreatePlan = unsafe extern "C" fn(
    *mut Handle,
    c_int,
    c_int,
    c_int,
    usize,
    *const usize,
    usize,
    Handle,
) -> Status;

/// `rocfft_execute`: the plan, arrays of one pointer each for input and output, and the info.
pub type Execute =
    unsafe extern "C" fn(Handle, *mut *mut c_void, *mut *mut c_void, Handle) -> Status;

/// rocFFT's functions. They stay valid until the process ends, because the library is never
/// closed: it keeps compiled kernels.
#[derive(Debug)]
pub struct Rocfft {
    setup: unsafe extern "C" fn() -> Status,
    pub(super) plan_create: CreatePlan,
    pub(super) plan_destroy: unsafe extern "C" fn(Handle) -> Status,
    pub(super) work_buffer_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    pub(super) info_create: unsafe extern "C" fn(*mut Handle) -> Status,
    pub(super) info_destroy: unsafe extern "C" fn(Handle) -> Status,
    pub(super) set_work_buffer: unsafe extern "C" fn(Handle, *mut c_void, usize) -> Status,
    pub(super) set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> Status,
    pub(super) execute: Execute,
    version: String,
}

/// The library by the name that all versions so far have, and by a developer's link.
const LIBRARIES: [&str; 2] = ["librocfft.so.0", "librocfft.so"];

impl Rocfft {
    /// Opens the library; later calls return what the first one found. No device is asked for yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if the library or a function in it is missing.
    pub fn open() -> Result<&'static Rocfft> {
        static CELL: OnceLock<Result<Rocfft>> = OnceLock::new();
        CELL.get_or_init(|| Self::open_first(&LIBRARIES))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// rocFFT's version, such as `rocfft-1.0.31`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Sets the library up, the first time.
    pub(super) fn set_up(&self) -> Result<()> {
        static DONE: OnceLock<Status> = OnceLock::new();
        // SAFETY: called once, before any plan is made.
        let status = *DONE.get_or_init(|| unsafe { (self.setup)() });
        check("rocfft_setup", status, false)
    }

    /// The first library that has every function.
    pub(super) fn open_first(libraries: &[&'static str]) -> Result<Self> {
        library::first(libraries, Self::open_library).map_err(|reason| Error::NoDevice {
            backend: BACKEND,
            reason,
            remedy: "install rocFFT (ROCm's package rocfft) and name its folder in \
                     LD_LIBRARY_PATH"
                .into(),
        })
    }

    fn open_library(name: &'static str) -> Found<Self> {
        // SAFETY: rocFFT runs no code on loading beyond that of the C++ and HIP run-times.
        let library = unsafe { library::open(name)? };
        // SAFETY: each has the type that rocfft.h declares for the function of that name.
        unsafe {
            Ok(Self {
                setup: find(library, name, "rocfft_setup")?,
                plan_create: find(library, name, "rocfft_plan_create")?,
                plan_destroy: find(library, name, "rocfft_plan_destroy")?,
                work_buffer_size: find(library, name, "rocfft_plan_get_work_buffer_size")?,
                info_create: find(library, name, "rocfft_execution_info_create")?,
                info_destroy: find(library, name, "rocfft_execution_info_destroy")?,
                set_work_buffer: find(library, name, "rocfft_execution_info_set_work_buffer")?,
                set_stream: find(library, name, "rocfft_execution_info_set_stream")?,
                execute: find(library, name, "rocfft_execute")?,
                version: {
                    let get: unsafe extern "C" fn(*mut c_char, usize) -> Status =
                        find(library, name, "rocfft_get_version_string")?;
                    // It asks for 30 characters at least.
                    let mut text: [c_char; 128] = [0; 128];
                    match get(text.as_mut_ptr(), text.len() - 1) {
                        SUCCESS => {
                            let text = CStr::from_ptr(text.as_ptr()).to_string_lossy();
                            format!("rocfft-{text}")
                        }
                        other => return Err(words("rocfft_get_version_string", other)),
                    }
                },
            })
        }
    }
}

/// `rocfft_execute: rocfft_status_failure (1)`.
pub(super) fn words(function: &str, status: Status) -> String {
    let name = usize::try_from(status).ok().and_then(|i| STATUSES.get(i));
    format!(
        "{function}: {} ({status})",
        name.unwrap_or(&"an unknown status")
    )
}

pub(super) fn check(function: &str, status: Status, output_touched: bool) -> Result<()> {
    match status {
        SUCCESS => Ok(()),
        other => Err(Error::Device {
            backend: BACKEND.into(),
            message: words(function, other),
            output_touched,
        }),
    }
}
