//! NumPy `.npy` files, format versions 1.0, 2.0 and 3.0.
//!
//! [`open`] and [`parse`] treat their input as hostile: the header is parsed by
//! hand and never evaluated, every size is checked against the number of bytes
//! that are really there before memory is reserved, and running out of memory
//! is an error instead of an abort. [`write()`] leaves either the whole file or
//! nothing.
//!
//! Layout of a file (all lengths little-endian):
//!
//! ```text
//! "\x93NUMPY" | major u8 | minor u8 | header length (u16, or u32 from 2.0 on)
//! {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  padding  \n
//! raw element data, C or Fortran order
//! ```

mod array;
mod decode;
mod dtype;
mod error;
mod header;
mod number;
mod places;
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub use array::Array;
pub use decode::Reader;
pub use dtype::DType;
pub use error::NpyError;
pub use number::Number;
pub use write::write;

use source::Source;

/// Opens the `.npy` file at `path` and reads its header; `-` is the standard input.
///
/// # Errors
///
/// [`NpyError::Read`] if the file cannot be opened or read, otherwise a typed
/// [`NpyError`] if the header is malformed, the dtype is not supported, or a
/// file has fewer or more data bytes than the shape asks for.
pub fn open(path: &Path) -> Result<Reader<Box<dyn Read>>, NpyError> {
    if path == Path::new("-") {
        return Reader::new(Source::unbounded(Box::new(io::stdin())));
    }
    let failed = |reason| NpyError::Read {
        path: path.to_path_buf(),
        reason,
    };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    match metadata.is_file() {
        true => Reader::new(Source::new(Box::new(file), metadata.len())),
        false => Reader::new(Source::unbounded(Box::new(file))),
    }
}

/// Decodes a complete `.npy` file held in memory; the values are in C order.
///
/// # Errors
///
/// As [`open`]. Never panics, whatever the bytes are.
#[cfg_attr(not(test), allow(dead_code, reason = "for tests and fuzzing"))]
pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
    Array::of(Reader::new(Source::new(bytes, bytes.len() as u64))?)
}
