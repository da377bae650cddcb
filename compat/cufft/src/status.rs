//! What calls return.

use mmafft::Error;
use std::ffi::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// cuFFT's results, by their numbers.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Success = 0,
    InvalidPlan = 1,
    AllocFailed = 2,
    InvalidType = 3,
    InvalidValue = 4,
    InternalError = 5,
    ExecFailed = 6,
    SetupFailed = 7,
    InvalidSize = 8,
    NotSupported = 16,
}

pub type Result<T> = std::result::Result<T, Status>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        say(|| error.to_string());
        match error {
            Error::Rank { .. }
            | Error::Empty { .. }
            | Error::TooShort { .. }
            | Error::Overflow { .. } => Status::InvalidSize,
            Error::StrideCount { .. }
            | Error::NegativeStride { .. }
            | Error::Overlap { .. }
            | Error::BufferTooShort { .. }
            | Error::NotInPlace { .. } => Status::InvalidValue,
            Error::OutOfMemory { .. } => Status::AllocFailed,
            Error::Unsupported { .. } => Status::NotSupported,
            Error::NoDevice { .. } | Error::NotBuilt { .. } => Status::SetupFailed,
            Error::Device { .. } => Status::ExecFailed,
            _ => Status::InternalError,
        }
    }
}

/// Runs a call's work. What it panics with is an error of the library.
pub fn call(work: impl FnOnce() -> Result<()>) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Status::InternalError));
    match done {
        Ok(()) => Status::Success as c_int,
        Err(status) => status as c_int,
    }
}

/// Prints what there is to say about plans, where the environment asks for it.
pub fn say(text: impl FnOnce() -> String) {
    let value = std::env::var_os("MMAFFT_VERBOSE");
    if value.is_some_and(|value| !value.is_empty() && value != *"0") {
        eprintln!("mmafft, in cuFFT's place: {}", text());
    }
}
