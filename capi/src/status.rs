//! What a call returns, and what it says besides.

use mmafft::Error;
use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What a call returns. A message in words is left for mmafft_error_message().
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_status {
    /// All went well.
    MMAFFT_OK = 0,
    /// An argument is null, a handle is of no object, or a number is none of its enumeration.
    MMAFFT_INVALID = 1,
    /// Lengths, axes or ranks that no transform has.
    MMAFFT_SHAPE = 2,
    /// Strides that the library cannot take, even by copies.
    MMAFFT_LAYOUT = 3,
    /// Memory that is shorter or longer than the plan's.
    MMAFFT_BUFFER = 4,
    /// The plan cannot do so by this request: in place, in so little scratch, by these radices.
    MMAFFT_PLAN = 5,
    /// Text that is no wisdom.
    MMAFFT_WISDOM = 6,
    /// What this backend does not do; the message says what to do instead.
    MMAFFT_UNSUPPORTED = 7,
    /// A backend that this build leaves out.
    MMAFFT_NOT_BUILT = 8,
    /// No device, or no driver.
    MMAFFT_NO_DEVICE = 9,
    /// No memory left.
    MMAFFT_OUT_OF_MEMORY = 10,
    /// The device failed; the output may have been written.
    MMAFFT_DEVICE = 11,
    /// A fault of the library itself, which is worth a report.
    MMAFFT_INTERNAL = 12,
    /// Another rank failed, was lost, or asks for another transform; or ranks cannot reach each other.
    MMAFFT_RANKS = 13,
}

use mmafft_status::*;

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: mmafft_status,
    message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// An argument that is wrong, in words.
pub(crate) fn invalid(message: impl Into<String>) -> Failure {
    Failure {
        status: MMAFFT_INVALID,
        message: message.into(),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Rank { .. }
            | Error::Empty { .. }
            | Error::AxisCount { .. }
            | Error::AxisOutOfRange { .. }
            | Error::AxisRepeated { .. }
            | Error::KindCount { .. }
            | Error::TooShort { .. }
            | Error::Overflow { .. }
            | Error::HalfLength { .. }
            | Error::ZeroRange { .. } => MMAFFT_SHAPE,
            Error::StrideCount { .. } | Error::NegativeStride { .. } | Error::Overlap { .. } => {
                MMAFFT_LAYOUT
            }
            Error::BufferTooShort { .. }
            | Error::BufferTooLong { .. }
            | Error::BufferLength { .. }
            | Error::ElementType { .. }
            | Error::ArrayShape { .. } => MMAFFT_BUFFER,
            Error::NotInPlace { .. } | Error::Radices { .. } | Error::ScratchLimit { .. } => {
                MMAFFT_PLAN
            }
            Error::Wisdom { .. } => MMAFFT_WISDOM,
            Error::Unsupported { .. } => MMAFFT_UNSUPPORTED,
            Error::NotBuilt { .. } => MMAFFT_NOT_BUILT,
            Error::NoDevice { .. } => MMAFFT_NO_DEVICE,
            Error::OutOfMemory { .. } => MMAFFT_OUT_OF_MEMORY,
            Error::Device { .. } => MMAFFT_DEVICE,
            Error::Spread { .. } => MMAFFT_LAYOUT,
            Error::Disagree { .. } | Error::OtherRank { .. } | Error::Lost { .. } => MMAFFT_RANKS,
            Error::NoEngine { .. } => MMAFFT_RANKS,
            _ => MMAFFT_INTERNAL,
        };
        Failure {
            status,
            message: error.to_string(),
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs a call's work. What it panics with is an error of the library.
pub(crate) fn call(work: impl FnOnce() -> Result<()>) -> mmafft_status {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure {
            status: MMAFFT_INTERNAL,
            message: "the library failed; please report what it was asked for".into(),
        })
    });
    let Err(failure) = done else {
        return MMAFFT_OK;
    };
    let message: Vec<u8> = failure.message.into_bytes();
    let message = message
        .into_iter()
        .filter(|&byte| byte != 0)
        .collect::<Vec<_>>();
    // A thread that ends has no message any more.
    let _ = MESSAGE.try_with(|kept| kept.replace(CString::new(message).unwrap_or_default()));
    failure.status
}

/// What went wrong in this thread's last call that failed, in one sentence; empty before any has.
///
/// The text is valid until another call of this thread fails.
#[no_mangle]
pub extern "C" fn mmafft_error_message() -> *const c_char {
    let kept = MESSAGE.try_with(|kept| kept.borrow().as_ptr());
    static NOTHING: c_char = 0;
    kept.unwrap_or(&NOTHING)
}

/// The library's version, as "0.1.0".
#[no_mangle]
pub extern "C" fn mmafft_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
