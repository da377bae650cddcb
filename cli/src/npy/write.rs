//! Writing `.npy` files, whole or not at all.

use std::io::Write;
use std::path::Path;

use bytemuck::Pod;
use num_complex::Complex;

use super::dtype::Endian;
use super::error::NpyError;
use super::header::MAGIC;
use crate::files::create;

/// NumPy aligns the data to this many bytes.
const ALIGNMENT: usize = 64;

/// A number type that [`write`] can store: `f32`, `f64`, `Complex<f32>` or
/// `Complex<f64>`.
pub trait Element: Pod + sealed::Sealed {
    /// The dtype code without its byte-order prefix, such as `f8`.
    const CODE: &'static str;
}

mod sealed {
    /// Keeps [`Element`](super::Element) to the types of this module.
    pub trait Sealed {}
}

macro_rules! elements {
    ($($element:ty => $code:literal),+ $(,)?) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            const CODE: &'static str = $code;
        }
    )+};
}

elements! {
    f32 => "f4",
    f64 => "f8",
    Complex<f32> => "c8",
    Complex<f64> => "c16",
}

/// Values turned into bytes at a time.
const BLOCK_VALUES: usize = 1 << 13;

/// Writes `values`, in C order with the lengths `shape`, to the `.npy` file at
/// `path`, in native byte order.
///
/// As [`create`] writes: whole or not at all; `-` is the standard output. No more than a block of the values is held.
///
/// # Errors
///
/// [`NpyError::ShapeMismatch`] if the product of `shape` is not the number of
/// `values`; [`NpyError::Write`] if the file cannot be written.
pub fn write<T: Element>(
    path: impl AsRef<Path>,
    shape: &[usize],
    mut values: impl ExactSizeIterator<Item = T>,
) -> Result<(), NpyError> {
    let path = path.as_ref();
    check_shape(shape, values.len())?;
    let mut write = || {
        let mut output = create(path)?;
        output.write_all(&header(T::CODE, shape))?;
        let mut block: Vec<T> = Vec::with_capacity(BLOCK_VALUES.min(values.len()));
        loop {
            block.clear();
            block.extend(values.by_ref().take(BLOCK_VALUES));
            if block.is_empty() {
                return output.finish();
            }
            output.write_all(bytemuck::cast_slice(&block))?;
        }
    };
    write().map_err(|reason| NpyError::Write {
        path: path.to_path_buf(),
        reason,
    })
}

/// Checks that `shape` describes `got` values.
fn check_shape(shape: &[usize], got: usize) -> Result<(), NpyError> {
    // Saturation cannot reach the length of a slice, so it is a mismatch too.
    let expected = match shape.contains(&0) {
        true => 0,
        false => shape.iter().fold(1, |n: usize, &len| n.saturating_mul(len)),
    };
    if expected == got {
        return Ok(());
    }
    Err(NpyError::ShapeMismatch {
        shape: shape.to_vec(),
        expected,
        got,
    })
}

/// Everything before the data, a multiple of [`ALIGNMENT`] bytes long.
pub(super) fn header(code: &str, shape: &[usize]) -> Vec<u8> {
    let order = match Endian::NATIVE {
        Endian::Little => '<',
        Endian::Big => '>',
    };
    let lengths: String = shape.iter().map(|len| format!("{len}, ")).collect();
    // A trailing comma is needed for one axis and allowed for more.
    let lengths = lengths.trim_end();
    let dict =
        format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // Magic, version, a two-byte length, and the final newline.
    let short = pad(10 + dict.len() + 1) - 10;
    match u16::try_from(short) {
        Ok(len) => assemble(1, &len.to_le_bytes(), &dict, short),
        Err(_) => {
            let long = pad(12 + dict.len() + 1) - 12;
            assemble(2, &(long as u32).to_le_bytes(), &dict, long)
        }
    }
}

/// Joins the parts of the header; `text_len` counts dictionary and padding.
fn assemble(major: u8, len_field: &[u8], dict: &str, text_len: usize) -> Vec<u8> {
    let mut header = [MAGIC.as_slice(), &[major, 0], len_field].concat();
    let end = header.len() + text_len;
    header.extend_from_slice(dict.as_bytes());
    header.resize(end - 1, b' ');
    header.push(b'\n');
    header
}

fn pad(len: usize) -> usize {
    len.next_multiple_of(ALIGNMENT)
}
