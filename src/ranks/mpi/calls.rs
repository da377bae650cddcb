//! MPI's functions, found at run time in whichever MPI there is: no build depends on one.
//!
//! MPI's C signatures are the standard's; what the handles of predefined objects are is not. The standard ABI of MPI 5
//! makes them small numbers, Open MPI addresses of its own. Both are pointers, so that one table of functions does for both.
//! MPICH before 5 has other handles still, integers, and is refused.

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{c_char, c_int, c_void, CStr, OsStr};
use std::path::PathBuf;

/// Any handle: a communicator, a type, a request.
pub type Handle = *mut c_void;

/// The environment's variable that says which library to open.
pub const VARIABLE: &str = "MMAFFT_MPI";

/// `MPI_THREAD_MULTIPLE` of the standard ABI, and of Open MPI.
const MULTIPLE: [c_int; 2] = [4096, 3];

/// Libraries whose handles are neither: MPICH's own ABI, which is that of Intel MPI too.
const OTHERS: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];

/// By what name a library says whether it takes memory of NVIDIA's devices, and of AMD's: extensions of Open MPI.
const SUPPORTS: [&[u8]; 2] = [b"MPIX_Query_cuda_support", b"MPIX_Query_rocm_support"];

/// Declares the table: a row a function.
macro_rules! calls {
    ($($name:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// MPI's functions by their names without `MPI_`, and what its predefined handles are.
        pub struct Calls {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            /// `MPI_COMM_WORLD`.
            pub world: Handle,
            /// `MPI_BYTE`.
            pub byte: Handle,
            /// `MPI_ERRORS_RETURN`.
            pub errors_return: Handle,
            /// `MPI_THREAD_MULTIPLE`.
            pub multiple: c_int,
            /// What says whether the library takes memory of NVIDIA's devices, and of AMD's, once it is initialised.
            pub takes_memory: [Option<unsafe extern "C" fn() -> c_int>; 2],
            /// The library's own words for itself, the first line of them.
            pub version: String,
        }

        impl Calls {
            /// The functions of a library, or the name of what is missing.
            fn of(library: &Library) -> Result<Calls, String> {
                let (handles, multiple) = handles(library)?;
                let [world, byte, errors_return] = handles;
                $(
                    // SAFETY: a function of this name has the standard's signature.
                    let $name = *unsafe { library.get($symbol.as_bytes()) }
                        .map_err(|_| format!("it has no {}", $symbol))?;
                )*
                let mut calls = Calls {
                    $($name,)*
                    world,
                    byte,
                    errors_return,
                    multiple,
                    takes_memory: SUPPORTS.map(|name| {
                        // SAFETY: extensions of these names take nothing and return a number.
                        let query = unsafe { library.get::<unsafe extern "C" fn() -> c_int>(name) };
                        query.ok().map(|query| *query)
                    }),
                    version: String::new(),
                };
                calls.version = calls.words();
                Ok(calls)
            }
        }
    };
}

calls! {
    initialized = "MPI_Initialized" (*mut c_int);
    finalized = "MPI_Finalized" (*mut c_int);
    init_thread = "MPI_Init_thread" (*mut c_int, *mut c_void, c_int, *mut c_int);
    finalize = "MPI_Finalize" ();
    get_library_version = "MPI_Get_library_version" (*mut c_char, *mut c_int);
    error_string = "MPI_Error_string" (c_int, *mut c_char, *mut c_int);
    comm_dup = "MPI_Comm_dup" (Handle, *mut Handle);
    comm_free = "MPI_Comm_free" (*mut Handle);
    comm_rank = "MPI_Comm_rank" (Handle, *mut c_int);
    comm_size = "MPI_Comm_size" (Handle, *mut c_int);
    comm_set_errhandler = "MPI_Comm_set_errhandler" (Handle, Handle);
    type_contiguous = "MPI_Type_contiguous" (c_int, Handle, *mut Handle);
    type_commit = "MPI_Type_commit" (*mut Handle);
    type_free = "MPI_Type_free" (*mut Handle);
    iallgather = "MPI_Iallgather"
        (*const c_void, c_int, Handle, *mut c_void, c_int, Handle, Handle, *mut Handle);
    ialltoallv = "MPI_Ialltoallv"
        (*const c_void, *const c_int, *const c_int, Handle,
         *mut c_void, *const c_int, *const c_int, Handle, Handle, *mut Handle);
    isend = "MPI_Isend" (*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    irecv = "MPI_Irecv" (*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    test = "MPI_Test" (*mut Handle, *mut c_int, *mut c_void);
}

// SAFETY: handles of predefined objects are the same for all threads, and functions are not changed.
unsafe impl Send for Calls {}
// SAFETY: as above; which threads may call at once is what MPI_Init_thread says.
unsafe impl Sync for Calls {}

impl Calls {
    /// The library's words for itself; it may be asked before it is initialised.
    fn words(&self) -> String {
        let (mut words, mut length) = (vec![0u8; 8193], 0);
        // SAFETY: the longest version of any MPI has 8192 characters.
        let status = unsafe { (self.get_library_version)(words.as_mut_ptr().cast(), &mut length) };
        let text = CStr::from_bytes_until_nul(&words).unwrap_or_default();
        let text = text.to_string_lossy();
        let line = text.lines().next().unwrap_or_default();
        let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match status == 0 && !line.is_empty() {
            true => line,
            false => "MPI".into(),
        }
    }

    /// An error's words.
    pub fn error(&self, status: c_int) -> String {
        let (mut words, mut length) = (vec![0u8; 1025], 0);
        // SAFETY: the longest message of any MPI has 1024 characters at most.
        let known = unsafe { (self.error_string)(status, words.as_mut_ptr().cast(), &mut length) };
        let text = CStr::from_bytes_until_nul(&words).unwrap_or_default();
        match known {
            0 => text.to_string_lossy().into_owned(),
            _ => format!("error {status}"),
        }
    }
}

/// Whether a library says that it has the standard ABI: MPICH 5 has its old one beside it, in another library.
fn has_standard_abi(library: &Library) -> bool {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    // SAFETY: a function of this name has the standard's signature, and may be called at any time.
    let major = unsafe {
        let Ok(version) = library.get::<Version>(b"MPI_Abi_get_version") else {
            return false;
        };
        let (mut major, mut minor) = (0, 0);
        match version(&mut major, &mut minor) {
            0 => major,
            _ => 0,
        }
    };
    major >= 1
}

/// `MPI_COMM_WORLD`, `MPI_BYTE` and `MPI_ERRORS_RETURN`, and `MPI_THREAD_MULTIPLE`.
fn handles(library: &Library) -> Result<([Handle; 3], c_int), String> {
    let has = |name: &str| -> Option<Handle> {
        // SAFETY: only the address is taken.
        let found = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
        found.ok().map(|address| address.as_raw_ptr())
    };
    if has_standard_abi(library) {
        let numbers = [0x101usize, 0x247, 0x143].map(|number| number as Handle);
        return Ok((numbers, MULTIPLE[0]));
    }
    let own = [
        has("ompi_mpi_comm_world"),
        has("ompi_mpi_byte"),
        has("ompi_mpi_errors_return"),
    ];
    match own {
        [Some(world), Some(byte), Some(errors)] => Ok(([world, byte, errors], MULTIPLE[1])),
        _ => Err("it has neither the standard ABI of MPI 5 nor Open MPI's handles".into()),
    }
}

/// Opens an MPI: the one that the user names, the one that the process has, the one whose launcher started it.
pub fn open() -> Result<&'static Calls, String> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let standard = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];
    let open_mpi = ["libmpi.so.40", "libmpi.so"];
    let theirs = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some();
    let all = match theirs {
        true => open_mpi.into_iter().chain(standard).collect::<Vec<_>>(),
        false => standard.into_iter().chain(open_mpi).collect(),
    };
    let (own, others) = (loaded(&all), loaded(&OTHERS));
    // A communicator of one library is no handle of another's, so that none is loaded beside what the process has.
    let names = match (named, own.first().or(others.first())) {
        (Some(path), Some(open)) if loaded(&[&path]).is_empty() => {
            return Err(format!(
                "this process has {} open, and {VARIABLE} names another library, {}",
                open.display(),
                path.display()
            ));
        }
        (Some(path), _) => vec![path],
        (None, None) => all.iter().map(PathBuf::from).collect(),
        (None, Some(_)) if own.is_empty() => {
            return Err(format!(
                "this process has {} open, which has MPICH's own handles and not the standard ABI's (mpi4py: take a \
                 build for that ABI, or Open MPI)",
                OTHERS[0]
            ));
        }
        (None, Some(_)) => own,
    };
    let mut reason = "no MPI library was found".to_string();
    for name in names {
        // SAFETY: opening runs the library's initialisers, and nothing of ours. Open MPI's own plugins look for its
        // symbols among all.
        match unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_GLOBAL) } {
            // It stays open to the end of the process.
            Ok(library) => match Calls::of(Box::leak(Box::new(library))) {
                Ok(calls) => return Ok(Box::leak(Box::new(calls))),
                Err(missing) => reason = format!("{}: {missing}", name.display()),
            },
            Err(error) if std::env::var_os(VARIABLE).is_some() => reason = error.to_string(),
            Err(_) => {}
        }
    }
    Err(reason)
}

/// Those of these libraries that the process has open already, as a program that uses MPI itself has.
fn loaded<N: AsRef<OsStr>>(names: &[N]) -> Vec<PathBuf> {
    /// Only what is open already.
    const RTLD_NOLOAD: c_int = 4;
    let open = |name: &&N| {
        // SAFETY: nothing is loaded, so that nothing is run.
        unsafe { Library::open(Some(name.as_ref()), RTLD_NOW | RTLD_NOLOAD) }.is_ok()
    };
    let names = names.iter().filter(open);
    names.map(|name| PathBuf::from(name.as_ref())).collect()
}
