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
use std::io::Read;
use std::path::Path;

pub use array::Array;
pub use error::NpyError;
pub use write::write;

use source::Source;

/// The highest number of dimensions that [`read`] and [`parse`] accept.
pub const MAX_RANK: usize = 4;

/// Reads the `.npy` file at `path` into memory, in C order.
///
/// Regular files are decoded while they are read, so that only the decoded
/// values (and one more copy for Fortran order) are held; pipes and devices
/// are read to their end first.
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
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_file() {
        return decode::decode(&mut Source::new(file, metadata.len()));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    parse(&bytes)
}

/// Decodes a complete `.npy` file held in memory; the values are in C order.
///
/// # Errors
///
/// A typed [`NpyError`] if the header is malformed, the dtype or the rank is
/// not supported, or there are fewer or more data bytes than the shape asks
/// for. Never panics, whatever the bytes are.
pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
    decode::decode(&mut Source::new(bytes, bytes.len() as u64))
}
