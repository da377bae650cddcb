//! The entry points of the shared library, looked up once.

use std::ffi::{c_int, c_longlong, c_void};
use std::sync::OnceLock;

use mmafft::{Error, Result};

use super::status::{self, Status};
use super::BACKEND;
use crate::peers::library::{self, find, Found};

/// `cufftHandle`, a small number.
pub type RawPlan = c_int;

/// `cudaDataType`, an enumeration without negative values.
pub type DataType = c_int;

/// `cufftXtMakePlanMany`: the plan, rank, n; then nembed, stride, dist and type of the input and
/// of the output; then the batch, where to put the size of the work area, and the type to compute
/// with. The arrays are not written to, although the header does not say so.
pub type MakePlanMany = unsafe extern "C" fn(
    RawPlan,
    c_int,
    *mut c_longlong,
    *mut c_longlong,
    c_longlong,
    c_longlong,
    DataType,
    *mut c_longlong,
    c_longlong,
    c_longlong,
    DataType,
    c_longlong,
    *mut usize,
    DataType,
) -> Status;

/// cuFFT's functions. They stay valid until the process ends, because the library is never closed:
/// it keeps state in the driver.
#[derive(Debug)]
pub struct Cufft {
    pub(super) create: unsafe extern "C" fn(*mut RawPlan) -> Status,
    pub(super) make_plan_many: MakePlanMany,
    pub(super) set_stream: unsafe extern "C" fn(RawPlan, *mut c_void) -> Status,
    pub(super) exec: unsafe extern "C" fn(RawPlan, *mut c_void, *mut c_void, c_int) -> Status,
    pub(super) destroy: unsafe extern "C" fn(RawPlan) -> Status,
    version: String,
}

/// The library of CUDA 13, of CUDA 12 (and 11), and of whatever a toolkit's link points to.
const LIBRARIES: [&str; 3] = ["libcufft.so.12", "libcufft.so.11", "libcufft.so"];

impl Cufft {
    /// Opens the library; later calls return what the first one found. No device is asked for yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if the library or a function in it is missing.
    pub fn open() -> Result<&'static Cufft> {
        static CELL: OnceLock<Result<Cufft>> = OnceLock::new();
        CELL.get_or_init(|| Self::open_first(&LIBRARIES))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// cuFFT's version, such as `cufft-12.5.0`. It is not that of CUDA.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The first library that has every function.
    pub(super) fn open_first(libraries: &[&'static str]) -> Result<Self> {
        library::first(libraries, Self::open_library).map_err(|reason| Error::NoDevice {
            backend: BACKEND,
            reason,
            remedy: "install cuFFT of CUDA 12 or 13 (its toolkit, or pip's nvidia-cufft or \
                     nvidia-cufft-cu12) and name its folder in LD_LIBRARY_PATH"
                .into(),
        })
    }

    fn open_library(name: &'static str) -> Found<Self> {
        // SAFETY: cuFFT runs no code on loading beyond that of the C and C++ run-times.
        let library = unsafe { library::open(name)? };
        // SAFETY: each has the type that cufft.h or cufftXt.h declares for the function of that
        // name. `cudaStream_t` is a pointer.
        unsafe {
            Ok(Self {
                create: find(library, name, "cufftCreate")?,
                make_plan_many: find(library, name, "cufftXtMakePlanMany")?,
                set_stream: find(library, name, "cufftSetStream")?,
                exec: find(library, name, "cufftXtExec")?,
                destroy: find(library, name, "cufftDestroy")?,
                version: {
                    let get: unsafe extern "C" fn(*mut c_int) -> Status =
                        find(library, name, "cufftGetVersion")?;
                    let mut version = 0;
                    match get(&mut version) {
                        status::SUCCESS => version_text(version),
                        other => return Err(status::describe("cufftGetVersion", other)),
                    }
                },
            })
        }
    }
}

/// `CUFFT_VERSION` is `1000 * major + 100 * minor + patch`.
pub(super) fn version_text(version: c_int) -> String {
    let (major, minor, patch) = (version / 1000, version / 100 % 10, version % 100);
    format!("cufft-{major}.{minor}.{patch}")
}
