//! From the driver's status to an [`Error`].

use super::functions::{Functions, Status};
use crate::BACKEND;
use mmafft_backend_traits::Error;
use std::ffi::{c_char, CStr};

/// `CUDA_ERROR_INVALID_VALUE`.
pub const INVALID_VALUE: Status = 1;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub const OUT_OF_MEMORY: Status = 2;

/// What a kernel that went wrong leaves behind: every later call on the context fails with
/// the same number. From `cuda.h`: "This leaves the process in an inconsistent state and any
/// further CUDA work will return the same error." Uncorrectable memory and link errors,
/// whatever `CUDA_ERROR_UNKNOWN` stands for, and a destroyed context go with them.
const STICKY: &[Status] = &[
    214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999,
];

/// Puts a status into an error that says which call returned it.
pub fn error(functions: &Functions, call: &str, status: Status) -> Error {
    let words = words(functions, status);
    let sticky = STICKY.contains(&status);
    let message = match sticky {
        false => format!("{call}: {words}"),
        true => format!(
            "{call}: {words}. Something launched earlier failed on the device; what was not \
             read back before is lost, and this process cannot use the device again: start it \
             anew, and under `compute-sanitizer` to find the kernel"
        ),
    };
    Error::Device {
        backend: BACKEND.into(),
        message,
        output_touched: sticky,
    }
}

/// The driver's words for a status, and its name.
pub fn words(functions: &Functions, status: Status) -> String {
    let ask = |function: unsafe extern "C" fn(Status, *mut *const c_char) -> Status| {
        let mut text = std::ptr::null();
        // SAFETY: the function writes one pointer, null for a status that it does not know.
        let known = unsafe { function(status, &mut text) } == 0 && !text.is_null();
        // SAFETY: not null, so the driver's own text, which is never freed.
        known.then(|| {
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        })
    };
    let name = ask(functions.cuGetErrorName).unwrap_or_else(|| "unknown to this driver".into());
    let text = ask(functions.cuGetErrorString).unwrap_or_else(|| "an error".into());
    format!("{text} ({name}, {status})")
}
