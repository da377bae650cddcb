//! From the runtime's status to an [`Error`].

use super::functions::{Functions, Status};
use crate::BACKEND;
use mmafft_backend_traits::Error;
use std::ffi::{c_char, CStr};

/// `hipErrorInvalidValue`.
pub const INVALID_VALUE: Status = 1;
/// `hipErrorOutOfMemory`.
pub const OUT_OF_MEMORY: Status = 2;

/// What a kernel that went wrong leaves behind (illegal address, assertion, launch failure),
/// and `hipErrorUnknown`: later calls may fail with the same.
const STICKY: &[Status] = &[700, 710, 719, 999];

/// Puts a status into an error that says which call returned it.
pub fn error(functions: &Functions, call: &str, status: Status) -> Error {
    let words = words(functions, status);
    let sticky = STICKY.contains(&status);
    let message = match sticky {
        false => format!("{call}: {words}"),
        true => format!(
            "{call}: {words}. Something launched earlier failed on the device; what was not \
             read back before is lost, and this process may not use the device again: start it \
             anew, with AMD_LOG_LEVEL=3 to find the kernel"
        ),
    };
    Error::Device {
        backend: BACKEND.into(),
        message,
        output_touched: sticky,
    }
}

/// An error of ours about a device, before anything ran.
pub fn refused(message: String) -> Error {
    Error::Device {
        backend: BACKEND.into(),
        message,
        output_touched: false,
    }
}

/// The runtime's words for a status, and its name.
pub fn words(functions: &Functions, status: Status) -> String {
    // SAFETY: the functions take any number, and return strings that are never freed.
    let text = borrowed(unsafe { (functions.hipGetErrorString)(status) });
    // SAFETY: as above.
    let name = borrowed(unsafe { (functions.hipGetErrorName)(status) });
    match text == name {
        true => format!("{name} ({status})"), // HIP 5.2 has no words.
        false => format!("{text} ({name}, {status})"),
    }
}

fn borrowed(text: *const c_char) -> String {
    if text.is_null() {
        return "unknown error".into();
    }
    // SAFETY: not null; the caller has it from a function that returns constant strings.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
