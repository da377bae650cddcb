//! NCCL's functions, and RCCL's, which have the same names: found at run time, so that no build depends on one.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mmafft_backend_traits::Error;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::{Mutex, PoisonError};

/// A communicator, or a stream of the device's driver.
pub type Pointer = *mut c_void;

/// `ncclSuccess`, `ncclRemoteError` and `ncclInProgress`.
pub const SUCCESS: c_int = 0;
pub const REMOTE_ERROR: c_int = 6;
pub const IN_PROGRESS: c_int = 7;

/// `ncclUint8`.
pub const BYTES: c_int = 1;

/// The environment's variable that says which library to open.
const VARIABLE: &str = "MMAFFT_NCCL";

/// `ncclUniqueId`, which goes by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Id(pub [u8; super::ID]);

/// `ncclConfig_t` as of 2.17, which later versions take by its size, and RCCL has.
#[repr(C)]
pub struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cluster: c_int,
    least_blocks: c_int,
    most_blocks: c_int,
    network: *const c_char,
    splits: c_int,
}

impl Config {
    /// Calls return at once, and say later how they fared.
    pub fn not_blocking() -> Config {
        // `NCCL_CONFIG_UNDEF_INT`.
        let unsaid = c_int::MIN;
        Config {
            size: size_of::<Config>(),
            magic: 0xcafe_beef,
            version: 21701,
            blocking: 0,
            cluster: unsaid,
            least_blocks: unsaid,
            most_blocks: unsaid,
            network: std::ptr::null(),
            splits: unsaid,
        }
    }
}

/// Declares the table: a row a function.
macro_rules! calls {
    ($($name:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// NCCL's functions by their names without `nccl`.
        pub struct Calls {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            error_string: unsafe extern "C" fn(c_int) -> *const c_char,
            /// The library's name and version.
            pub version: String,
        }

        impl Calls {
            /// The functions of a library, or the name of what is missing.
            fn of(library: &Library, name: &str) -> Result<Calls, String> {
                $(
                    // SAFETY: a function of this name has NCCL's signature.
                    let $name = *unsafe { library.get($symbol.as_bytes()) }
                        .map_err(|_| format!("it has no {}", $symbol))?;
                )*
                // SAFETY: as above.
                let error_string = *unsafe { library.get(b"ncclGetErrorString") }
                    .map_err(|_| "it has no ncclGetErrorString".to_string())?;
                let mut calls = Calls { $($name,)* error_string, version: name.into() };
                let mut version = 0;
                // SAFETY: writes one int.
                if unsafe { (calls.get_version)(&mut version) } == SUCCESS {
                    let (major, rest) = (version / 10000, version % 10000);
                    calls.version = format!("{name} {major}.{}.{}", rest / 100, rest % 100);
                }
                Ok(calls)
            }
        }
    };
}

calls! {
    get_version = "ncclGetVersion" (*mut c_int);
    get_unique_id = "ncclGetUniqueId" (*mut Id);
    init_rank = "ncclCommInitRankConfig" (*mut Pointer, c_int, Id, c_int, *mut Config);
    count = "ncclCommCount" (Pointer, *mut c_int);
    rank = "ncclCommUserRank" (Pointer, *mut c_int);
    async_error = "ncclCommGetAsyncError" (Pointer, *mut c_int);
    abort = "ncclCommAbort" (Pointer);
    finalize = "ncclCommFinalize" (Pointer);
    destroy = "ncclCommDestroy" (Pointer);
    group_start = "ncclGroupStart" ();
    group_end = "ncclGroupEnd" ();
    send = "ncclSend" (*const c_void, usize, c_int, c_int, Pointer, Pointer);
    recv = "ncclRecv" (*mut c_void, usize, c_int, c_int, Pointer, Pointer);
    all_gather = "ncclAllGather" (*const c_void, *mut c_void, usize, c_int, Pointer, Pointer);
}

impl Calls {
    /// An error's words.
    pub fn error(&self, status: c_int) -> String {
        // SAFETY: it takes any number, and returns a string that is never freed.
        let words = unsafe { (self.error_string)(status) };
        if words.is_null() {
            return format!("error {status}");
        }
        // SAFETY: not null, as above.
        let words = unsafe { CStr::from_ptr(words) };
        format!("{} ({status})", words.to_string_lossy())
    }
}

/// The library of a backend, opened once for good: NCCL of NVIDIA's devices, RCCL of AMD's; what `MMAFFT_NCCL` names
/// instead.
///
/// # Errors
/// `NoEngine` with what is missing.
pub fn open(backend: &'static str) -> Result<&'static Calls, Error> {
    static OPEN: Mutex<BTreeMap<&'static str, &'static Calls>> = Mutex::new(BTreeMap::new());
    let no_engine = |reason: String| {
        Error::NoEngine {
        engine: "NCCL",
        reason,
        remedy: "install NCCL 2.17 or later, or RCCL (PyTorch brings one), and name it in MMAFFT_NCCL if it is \
                 nowhere that the system looks"
            .into(),
    }
    };
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(calls) = all.get(backend) {
        return Ok(calls);
    }
    let named = std::env::var_os(VARIABLE);
    let (name, file) = match backend {
        "hip" => ("RCCL", "librccl.so.1"),
        "cuda" => ("NCCL", "libnccl.so.2"),
        // What is emulated has none of its own.
        _ if named.is_some() => ("NCCL", ""),
        backend => return Err(no_engine(format!("{backend} has none"))),
    };
    let file = named.unwrap_or_else(|| file.into());
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| no_engine(error.to_string()))?;
    let calls = Calls::of(&library, name);
    let calls = calls.map_err(|what| no_engine(format!("{}: {what}", file.display())))?;
    // Never closed: communicators of others may be of it.
    std::mem::forget(library);
    let calls: &'static Calls = Box::leak(Box::new(calls));
    all.insert(backend, calls);
    Ok(calls)
}
