//! The entry points of the shared libraries, looked up once per precision.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use libloading::Library;
use mmafft::ScalarType;

use crate::peers::library::{self, find, Found};

pub type RawPlan = *mut c_void;
/// Elements of the precision, real or complex.
pub type Array = *mut c_void;
pub type Execute = unsafe extern "C" fn(RawPlan, Array, Array);

/// `fftw_plan_many_dft_r2c` and `_c2r`: rank, n, howmany; then array, nembed, stride and dist of
/// the input and of the output; then the flags.
pub type PlanReal = unsafe extern "C" fn(
    c_int,
    *const c_int,
    c_int,
    Array,
    *const c_int,
    c_int,
    c_int,
    Array,
    *const c_int,
    c_int,
    c_int,
    c_uint,
) -> RawPlan;

/// `fftw_plan_many_dft` and `fftw_plan_many_r2r`: as [`PlanReal`] with the sign or the kinds
/// before the flags.
pub type PlanWith<X> = unsafe extern "C" fn(
    c_int,
    *const c_int,
    c_int,
    Array,
    *const c_int,
    c_int,
    c_int,
    Array,
    *const c_int,
    c_int,
    c_int,
    X,
    c_uint,
) -> RawPlan;

/// FFTW in one precision. Its functions stay valid until the process ends, because the libraries
/// are never closed: their worker threads may outlive any handle.
pub struct Fftw {
    pub(super) plan_many_dft: PlanWith<c_int>,
    pub(super) plan_many_dft_r2c: PlanReal,
    pub(super) plan_many_dft_c2r: PlanReal,
    pub(super) plan_many_r2r: PlanWith<*const c_int>,
    pub(super) execute_dft: Execute,
    pub(super) execute_dft_r2c: Execute,
    pub(super) execute_dft_c2r: Execute,
    pub(super) execute_r2r: Execute,
    pub(super) destroy_plan: unsafe extern "C" fn(RawPlan),
    pub(super) alignment_of: unsafe extern "C" fn(Array) -> c_int,
    version: String,
    /// The part of the interface that is in a library of its own.
    pub(super) plan_with_nthreads: Found<unsafe extern "C" fn(c_int)>,
}

/// The main libraries, in FP32 and in FP64, each with the prefix of its symbols.
const LIBRARIES: [(&str, &str); 2] = [("libfftw3f", "fftwf_"), ("libfftw3", "fftw_")];

impl Fftw {
    /// Opens the library; later calls return what the first one found. Missing threads are not an error here, but
    /// when a plan asks for them.
    ///
    /// # Errors
    /// The library or function that is missing, or that FFTW is not of 16 bits.
    pub fn open(scalar: ScalarType) -> Found<&'static Fftw> {
        static OPENED: [OnceLock<Found<Fftw>>; 2] = [const { OnceLock::new() }; 2];
        let at = match scalar {
            ScalarType::F32 => 0,
            ScalarType::F64 => 1,
            other => return Err(format!("FFTW has no {}", other.name())),
        };
        let opened = OPENED[at].get_or_init(|| Self::open_library(LIBRARIES[at]));
        opened.as_ref().map_err(Clone::clone)
    }

    /// FFTW's description of itself, such as `fftw-3.3.10-sse2-avx`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether plans may have several threads.
    pub fn has_threads(&self) -> bool {
        self.plan_with_nthreads.is_ok()
    }

    fn open_library((stem, prefix): (&str, &str)) -> Found<Self> {
        let name = format!("{stem}.so.3");
        // SAFETY: FFTW's libraries run no code on loading beyond that of the C and OpenMP run-times.
        let library = unsafe { library::open(&name)? };
        let symbol = |function: &str| format!("{prefix}{function}");
        // Threads must be set up before the first plan is made, hence here.
        let threads = |suffix: &str| open_threads(&format!("{stem}{suffix}.so.3"), prefix);
        // SAFETY: each field has the type that fftw3.h declares for the function of that name.
        unsafe {
            Ok(Self {
                plan_many_dft: find(library, &name, &symbol("plan_many_dft"))?,
                plan_many_dft_r2c: find(library, &name, &symbol("plan_many_dft_r2c"))?,
                plan_many_dft_c2r: find(library, &name, &symbol("plan_many_dft_c2r"))?,
                plan_many_r2r: find(library, &name, &symbol("plan_many_r2r"))?,
                execute_dft: find(library, &name, &symbol("execute_dft"))?,
                execute_dft_r2c: find(library, &name, &symbol("execute_dft_r2c"))?,
                execute_dft_c2r: find(library, &name, &symbol("execute_dft_c2r"))?,
                execute_r2r: find(library, &name, &symbol("execute_r2r"))?,
                destroy_plan: find(library, &name, &symbol("destroy_plan"))?,
                alignment_of: find(library, &name, &symbol("alignment_of"))?,
                version: {
                    // `const char fftw_version[]`: the symbol is the string itself.
                    let text: *const c_char = find(library, &name, &symbol("version"))?;
                    CStr::from_ptr(text).to_string_lossy().into_owned()
                },
                plan_with_nthreads: threads("_threads").or_else(|_| threads("_omp")),
            })
        }
    }
}

/// Sets threads up, by the library of this name.
fn open_threads(name: &str, prefix: &str) -> Found<unsafe extern "C" fn(c_int)> {
    // SAFETY: as of the main library.
    let library: &Library = unsafe { library::open(name)? };
    // SAFETY: the types are those of fftw3.h. No other function of this precision has been
    // called yet: this runs while its `Fftw` is made, once.
    unsafe {
        let init: unsafe extern "C" fn() -> c_int =
            find(library, name, &format!("{prefix}init_threads"))?;
        let with_threads = find(library, name, &format!("{prefix}plan_with_nthreads"))?;
        match init() {
            0 => Err(format!("{name}: the threads could not be set up")),
            _ => Ok(with_threads),
        }
    }
}

/// Everything of FFTW but the execution of plans must be called by one thread at a time. One lock
/// for both precisions also keeps measurements from disturbing each other.
pub fn lock_planner() -> MutexGuard<'static, ()> {
    static PLANNER: Mutex<()> = Mutex::new(());
    PLANNER.lock().unwrap_or_else(PoisonError::into_inner)
}
