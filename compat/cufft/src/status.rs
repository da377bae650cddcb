//! What calls return.

use mmafft::Error;
use std::ffi::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// cuFFT's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Success,
    InvalidPlan,
    AllocFailed,
    InvalidType,
    InvalidValue,
    InternalError,
    ExecFailed,
    SetupFailed,
    InvalidSize,
    NotSupported,
    /// What NVIDIA's library says.
    Theirs(c_int),
}

impl Status {
    /// Its number.
    pub fn number(self) -> c_int {
        match self {
            Status::Success => 0,
            Status::InvalidPlan => 1,
            Status::AllocFailed => 2,
            Status::InvalidType => 3,
            Status::InvalidValue => 4,
            Status::InternalError => 5,
            Status::ExecFailed => 6,
            Status::SetupFailed => 7,
            Status::InvalidSize => 8,
            Status::NotSupported => 16,
            Status::Theirs(number) => number,
        }
    }

    /// What a call of NVIDIA's library returned.
    pub fn of_theirs(number: c_int) -> Result<()> {
        match number {
            0 => Ok(()),
            number => Err(Status::Theirs(number)),
        }
    }
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
        Ok(()) => Status::Success.number(),
        Err(status) => status.number(),
    }
}

/// Prints what there is to say about plans, where the environment asks for it.
pub fn say(text: impl FnOnce() -> String) {
    let value = std::env::var_os("MMAFFT_VERBOSE");
    if value.is_some_and(|value| !value.is_empty() && value != *"0") {
        eprintln!("mmafft, in cuFFT's place: {}", text());
    }
}
