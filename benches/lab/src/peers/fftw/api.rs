//! The entry points of the shared libraries, looked up once per precision.

use std::error::Error;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use libloading::Library;
use mmafft::Complex;

pub type RawPlan = *mut c_void;
pub type Execute<I, O> = unsafe extern "C" fn(RawPlan, *mut I, *mut O);

/// `fftw_plan_many_dft_r2c` and `_c2r`: rank, n, howmany; then array, nembed, stride and dist of
/// the input and of the output; then the flags.
pub type PlanReal<I, O> = unsafe extern "C" fn(
    c_int,
    *const c_int,
    c_int,
    *mut I,
    *const c_int,
    c_int,
    c_int,
    *mut O,
    *const c_int,
    c_int,
    c_int,
    c_uint,
) -> RawPlan;

/// `fftw_plan_many_dft` and `fftw_plan_many_r2r`: as [`PlanReal`] with the sign or the kinds
/// before the flags.
pub type PlanWith<E, X> = unsafe extern "C" fn(
    c_int,
    *const c_int,
    c_int,
    *mut E,
    *const c_int,
    c_int,
    c_int,
    *mut E,
    *const c_int,
    c_int,
    c_int,
    X,
    c_uint,
) -> RawPlan;

/// The functions of one precision. They stay valid until the process ends, because the libraries
/// are never closed: their worker threads may outlive any handle.
pub struct Api<T> {
    pub plan_many_dft: PlanWith<Complex<T>, c_int>,
    pub plan_many_dft_r2c: PlanReal<T, Complex<T>>,
    pub plan_many_dft_c2r: PlanReal<Complex<T>, T>,
    pub plan_many_r2r: PlanWith<T, *const c_int>,
    pub execute_dft: Execute<Complex<T>, Complex<T>>,
    pub execute_dft_r2c: Execute<T, Complex<T>>,
    pub execute_dft_c2r: Execute<Complex<T>, T>,
    pub execute_r2r: Execute<T, T>,
    pub destroy_plan: unsafe extern "C" fn(RawPlan),
    pub alignment_of: unsafe extern "C" fn(*mut T) -> c_int,
    pub malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub version: String,
    pub threads: Option<Threads>,
}

/// The part of the interface that is in a library of its own.
pub struct Threads {
    pub library: &'static str,
    pub plan_with_nthreads: unsafe extern "C" fn(c_int),
}

/// What differs between the precisions.
pub trait Precision: Sized + 'static {
    /// The prefix of every symbol.
    const PREFIX: &'static str;
    /// The main library, then those with threads in order of preference.
    const LIBRARY: &'static str;
    const THREADS: [&'static str; 2];

    /// Where the result of opening the library is kept.
    fn cell() -> &'static OnceLock<Result<Api<Self>, String>>;
}

impl Precision for f32 {
    const PREFIX: &'static str = "fftwf_";
    const LIBRARY: &'static str = "libfftw3f.so.3";
    const THREADS: [&'static str; 2] = ["libfftw3f_threads.so.3", "libfftw3f_omp.so.3"];

    fn cell() -> &'static OnceLock<Result<Api<Self>, String>> {
        static CELL: OnceLock<Result<Api<f32>, String>> = OnceLock::new();
        &CELL
    }
}

impl Precision for f64 {
    const PREFIX: &'static str = "fftw_";
    const LIBRARY: &'static str = "libfftw3.so.3";
    const THREADS: [&'static str; 2] = ["libfftw3_threads.so.3", "libfftw3_omp.so.3"];

    fn cell() -> &'static OnceLock<Result<Api<Self>, String>> {
        static CELL: OnceLock<Result<Api<f64>, String>> = OnceLock::new();
        &CELL
    }
}

impl<T: Precision> Api<T> {
    /// The functions of this precision; the first call opens the libraries.
    pub fn get() -> Result<&'static Self, String> {
        T::cell()
            .get_or_init(Self::open)
            .as_ref()
            .map_err(Clone::clone)
    }

    fn open() -> Result<Self, String> {
        let symbols = Symbols::<T>::open(T::LIBRARY)?;
        // Threads are optional. They must be set up before the first plan is made, hence here.
        let threads = T::THREADS
            .into_iter()
            .find_map(|library| Threads::open::<T>(library).ok());
        // SAFETY: each field has the type that fftw3.h declares for the function of that name.
        unsafe {
            Ok(Self {
                plan_many_dft: symbols.find("plan_many_dft")?,
                plan_many_dft_r2c: symbols.find("plan_many_dft_r2c")?,
                plan_many_dft_c2r: symbols.find("plan_many_dft_c2r")?,
                plan_many_r2r: symbols.find("plan_many_r2r")?,
                execute_dft: symbols.find("execute_dft")?,
                execute_dft_r2c: symbols.find("execute_dft_r2c")?,
                execute_dft_c2r: symbols.find("execute_dft_c2r")?,
                execute_r2r: symbols.find("execute_r2r")?,
                destroy_plan: symbols.find("destroy_plan")?,
                alignment_of: symbols.find("alignment_of")?,
                malloc: symbols.find("malloc")?,
                free: symbols.find("free")?,
                version: {
                    // `const char fftw_version[]`: the symbol is the string itself.
                    let text: *const c_char = symbols.find("version")?;
                    CStr::from_ptr(text).to_string_lossy().into_owned()
                },
                threads,
            })
        }
    }
}

impl Threads {
    fn open<T: Precision>(library: &'static str) -> Result<Self, String> {
        let symbols = Symbols::<T>::open(library)?;
        // SAFETY: the types are those of fftw3.h. No other function of this precision has been
        // called yet: this runs while its `Api` is made, once.
        unsafe {
            let init: unsafe extern "C" fn() -> c_int = symbols.find("init_threads")?;
            let plan_with_nthreads = symbols.find("plan_with_nthreads")?;
            if init() == 0 {
                return Err(format!("{library}: the threads could not be set up"));
            }
            Ok(Self {
                library,
                plan_with_nthreads,
            })
        }
    }
}

/// A library that is never closed, and the prefix of the symbols in it.
struct Symbols<T> {
    library: &'static Library,
    precision: PhantomData<T>,
}

impl<T: Precision> Symbols<T> {
    fn open(name: &str) -> Result<Self, String> {
        // SAFETY: FFTW's libraries run no code on loading beyond that of the C and OpenMP
        // run-times.
        let library = unsafe { Library::new(name) }.map_err(|error| describe(name, &error))?;
        Ok(Self {
            library: Box::leak(Box::new(library)),
            precision: PhantomData,
        })
    }

    /// The address of a function or object.
    ///
    /// # Safety
    ///
    /// `F` must be the type of a pointer to what the symbol names.
    unsafe fn find<F: Copy>(&self, name: &str) -> Result<F, String> {
        let symbol = format!("{}{name}", T::PREFIX);
        // SAFETY: by the caller's promise.
        let found = unsafe { self.library.get::<F>(&symbol) };
        found
            .map(|found| *found)
            .map_err(|error| describe(&symbol, &error))
    }
}

/// The message of the loader, which is in the source of the error if there is one.
fn describe(name: &str, error: &libloading::Error) -> String {
    match error.source() {
        Some(source) => format!("{name}: {error}: {source}"),
        None => format!("{name}: {error}"),
    }
}

/// Everything of FFTW but the execution of plans must be called by one thread at a time. One lock
/// for both precisions also keeps measurements from disturbing each other.
pub fn lock_planner() -> MutexGuard<'static, ()> {
    static PLANNER: Mutex<()> = Mutex::new(());
    PLANNER.lock().unwrap_or_else(PoisonError::into_inner)
}
