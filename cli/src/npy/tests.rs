//! Tests of the `.npy` reader and writer; the files are built by hand here,
//! independently of the writer.

use super::array::Values;
use super::dtype::DType;
use super::*;

mod decoding;
mod hostile;
mod writing;

/// A file of the given version whose header text is `text`, unpadded.
fn file(major: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([major, 0]);
    let len = text.len() as u32;
    match major {
        1 => bytes.extend((len as u16).to_le_bytes()),
        _ => bytes.extend(len.to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// A version 1.0 file with a header as NumPy writes it; `shape` is Python text.
fn array(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}       \n");
    file(1, &text, data)
}

/// Writes these values.
fn write<T: write::Element>(
    path: impl AsRef<Path>,
    shape: &[usize],
    data: &[T],
) -> Result<(), NpyError> {
    super::write(path, shape, data.iter().copied())
}

/// Reads a whole file.
fn read(path: &Path) -> Result<Array, NpyError> {
    Array::of(open(path)?)
}

/// The message of the error that parsing `bytes` must give.
fn message(bytes: &[u8]) -> String {
    match parse(bytes) {
        Ok(array) => panic!("parsed as {array:?}"),
        Err(error) => error.to_string(),
    }
}
