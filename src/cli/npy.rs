//! NumPy `.npy` files, format versions 1.0, 2.0 and 3.0.
//!
//! [`read`] and [`parse`] treat their input as hostile: the header is parsed by
//! hand and never evaluated, every size is checked against the number of bytes
//! that are really there before memory is reserved, and running out of memory
//! is an error instead of an abort. [`write`] leaves either the whole file or
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
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::fs::File;
use std::path::Path;

pub use array::Array;
pub use error::NpyError;
pub use write::write;

use source::Source;

/// The highest number of dimensions that [`read`] and [`parse`] accept.
pub const MAX_RANK: usize = 4;

/// Reads the `.npy` file at `path` into memory, in C order.
///
/// Files are decoded while they are read, so that only the decoded values (and
/// one more copy for Fortran order) are held; of pipes and devices no more is
/// read than their header says, and one byte to see that they end.
///
/// # Errors
///
/// [`NpyError::Read`] if the file cannot be opened or read, otherwise as for
/// [`parse`].
pub fn read(path: &Path) -> Result<Array, NpyError> {
    let failed = |reason| NpyError::Read {
        path: path.to_path_buf(),
        reason,
    };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_file() {
        return decode::decode(&mut Source::new(file, metadata.len()));
    }
    decode::decode_stream(&mut Source::unbounded(file))
}

/// Decodes a complete `.npy` file held in memory; the values are in C order.
///
/// # Errors
///
/// A typed [`NpyError`] if the header is malformed, the dtype or the rank is
/// not supported, or there are fewer or more data bytes than the shape asks
/// for. Never panics, whatever the bytes are.
#[cfg_attr(not(test), allow(dead_code, reason = "for tests and fuzzing"))]
pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
    decode::decode(&mut Source::new(bytes, bytes.len() as u64))
}
