//! NVIDIA's library, where the environment names one: for what this one does not do.

use crate::status::{say, Status};
use std::ffi::{c_int, c_void, CStr, CString};
use std::sync::OnceLock;

/// The library, opened so that its own calls find its own functions.
fn library() -> Option<usize> {
    static OPENED: OnceLock<Option<usize>> = OnceLock::new();
    *OPENED.get_or_init(|| {
        let path = std::env::var_os("MMAFFT_CUFFT_REAL")?;
        let name = CString::new(path.into_encoded_bytes()).ok()?;
        let how = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
        // SAFETY: the name ends with a zero byte.
        let opened = unsafe { libc::dlopen(name.as_ptr(), how) };
        if opened.is_null() {
            say(|| format!("{name:?}, of MMAFFT_CUFFT_REAL, cannot be opened"));
            return None;
        }
        Some(opened.expose_provenance())
    })
}

/// Whether there is one.
pub fn is_there() -> bool {
    library().is_some()
}

/// A function of the library.
pub fn function(name: &CStr) -> Option<*mut c_void> {
    let library = std::ptr::with_exposed_provenance_mut(library()?);
    // SAFETY: the library stays open, and the name ends with a zero byte.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    Some(found).filter(|found| !found.is_null())
}

/// Calls a function of at most six numbers or addresses, which processors pass in as many registers.
///
/// # Safety
/// As NVIDIA's documentation says of the function.
pub unsafe fn call(name: &CStr, arguments: [usize; 6]) -> c_int {
    type Function = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> c_int;
    let Some(found) = function(name) else {
        return Status::NotSupported.number();
    };
    say(|| format!("{name:?} goes to NVIDIA's library"));
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: by this function's contract; arguments that a function has not, it does not look at.
    unsafe { std::mem::transmute::<*mut c_void, Function>(found)(a, b, c, d, e, f) }
}

/// A handle as an argument.
pub fn number(handle: c_int) -> usize {
    handle as usize
}
