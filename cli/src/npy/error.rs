//! The error type of the `.npy` reader and writer.

use std::io;
use std::path::PathBuf;

/// Why a `.npy` file could not be read or written.
///
/// Each message is one complete sentence. The messages of the variants that
/// wrap an [`io::Error`] already contain its text, so it is not also reported
/// through [`std::error::Error::source`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file could not be opened or inspected, or a stream could not be read.
    #[error("cannot read `{}`: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// The file could not be written; nothing was left in its place.
    #[error("cannot write `{}`: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// The file failed while its contents were being read.
    #[error("reading the contents of the .npy file failed: {reason}")]
    Contents {
        /// What the operating system said.
        reason: io::Error,
    },
    /// The first six bytes are not those of a `.npy` file.
    #[error("not a .npy file: expected it to start with \"\\x93NUMPY\", got \"{got}\"")]
    Magic {
        /// The first bytes, escaped.
        got: String,
    },
    /// A format version that NumPy has not defined (or not yet).
    #[error("unsupported .npy version: expected 1.0, 2.0 or 3.0, got {major}.{minor}")]
    Version {
        /// Major version found.
        major: u8,
        /// Minor version found.
        minor: u8,
    },
    /// The file ends before its header does.
    #[error(
        "the .npy header is truncated: expected at least {expected} bytes in the file, got {got}"
    )]
    TruncatedHeader {
        /// Bytes that the file must have at least.
        expected: u64,
        /// Bytes that it has.
        got: u64,
    },
    /// The header is longer than any supported array needs.
    #[error("the .npy header is too long: expected at most {limit} bytes, got {got}")]
    HeaderTooLong {
        /// The longest header accepted, in bytes.
        limit: usize,
        /// The length that the file declares, in bytes.
        got: usize,
    },
    /// A byte of the header is outside ASCII.
    #[error("the .npy header is not text: expected ASCII, got byte {byte:#04x} at offset {offset} of the header")]
    NotAscii {
        /// The offending byte.
        byte: u8,
        /// Its offset from the start of the header text.
        offset: usize,
    },
    /// The header is not the dictionary literal that the format prescribes.
    #[error("the .npy header is invalid at offset {offset}: expected {expected}, got {got}")]
    Syntax {
        /// Offset from the start of the header text.
        offset: usize,
        /// What the format allows there.
        expected: &'static str,
        /// What is there.
        got: String,
    },
    /// One of the three keys is missing.
    #[error("the .npy header is incomplete: expected the key '{key}', got a header without it")]
    MissingKey {
        /// The missing key.
        key: &'static str,
    },
    /// A key occurs twice.
    #[error("the .npy header is ambiguous: expected the key '{key}' once, got it twice")]
    DuplicateKey {
        /// The repeated key.
        key: &'static str,
    },
    /// A key that the format does not define.
    #[error(
        "unknown key in the .npy header: expected 'descr', 'fortran_order' or 'shape', got '{got}'"
    )]
    UnknownKey {
        /// The key, shortened.
        got: String,
    },
    /// A dtype that has no real or complex number type here.
    #[error(
        "unsupported dtype: expected bool, int8 to int64, uint8 to uint64, \
         float16, float32, float64, complex64 or complex128, got {got}"
    )]
    DType {
        /// The dtype, by name and as written in the file.
        got: String,
    },
    /// A length in the shape is negative.
    #[error("invalid shape: expected lengths of zero or more, got -{got} for axis {axis}")]
    NegativeLength {
        /// The axis, from 0.
        axis: usize,
        /// The digits after the minus sign, shortened.
        got: String,
    },
    /// The shape describes more bytes than this machine can address.
    #[error("the shape is too large: expected at most {limit} bytes, got {got}")]
    ShapeOverflow {
        /// The most bytes that an array may have.
        limit: usize,
        /// The shape, or the one length, that does not fit.
        got: String,
    },
    /// Fewer data bytes than the shape asks for.
    #[error("the array data is truncated: expected {expected} bytes, got {got}")]
    TruncatedData {
        /// Data bytes that shape and dtype ask for.
        expected: u64,
        /// Data bytes in the file.
        got: u64,
    },
    /// More data bytes than the shape asks for.
    #[error("there is trailing data after the array: expected {expected} bytes, got {got}")]
    TrailingData {
        /// Data bytes that shape and dtype ask for.
        expected: u64,
        /// Data bytes in the file.
        got: u64,
    },
    /// The decoded values do not fit in memory.
    #[error("not enough memory for the array: expected room for {values} values, got none")]
    OutOfMemory {
        /// Number of values in the array.
        values: usize,
    },
    /// The data handed to [`write`](super::write) do not have the shape given.
    #[error("shape and data disagree: expected {expected} values for shape {shape:?}, got {got}")]
    ShapeMismatch {
        /// The shape given.
        shape: Vec<usize>,
        /// The number of values that it describes.
        expected: usize,
        /// The number of values given.
        got: usize,
    },
}
