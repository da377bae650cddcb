//! The header of a `.npy` file: magic, version, length and dictionary.

use std::io::Read;

use super::dtype::DType;
use super::error::NpyError;
use super::source::Source;
use crate::excerpt::excerpt;

mod cursor;

use cursor::Cursor;

pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest header accepted, in bytes. Only structured types need more than a
/// few hundred bytes.
const MAX_HEADER: usize = 1 << 20;

/// A validated header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) dtype: DType,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
    /// Product of the shape.
    pub(super) count: usize,
}

impl Header {
    /// Reads the header and leaves `source` at the first data byte.
    pub(super) fn read<R: Read>(source: &mut Source<R>) -> Result<Self, NpyError> {
        let len = read_preamble(source)?;
        if len > MAX_HEADER {
            return Err(NpyError::HeaderTooLong {
                limit: MAX_HEADER,
                got: len,
            });
        }
        source.require_header(len)?;
        let mut text = vec![0; len];
        source.fill_header(&mut text)?;
        Self::parse(&text)
    }

    /// Parses and validates the dictionary.
    fn parse(text: &[u8]) -> Result<Self, NpyError> {
        let Fields {
            dtype,
            fortran_order,
            shape,
        } = Fields::parse(text)?;
        let count = checked_count(&shape, dtype.item_size())?;
        Ok(Self {
            dtype,
            fortran_order,
            shape,
            count,
        })
    }
}

/// Reads magic, version and header length; returns the length.
fn read_preamble<R: Read>(source: &mut Source<R>) -> Result<usize, NpyError> {
    let mut start = [0; 8];
    source.fill_header(&mut start)?;
    if &start[..6] != MAGIC {
        return Err(NpyError::Magic {
            got: start[..6].escape_ascii().to_string(),
        });
    }
    match (start[6], start[7]) {
        (1, 0) => {
            let mut len = [0; 2];
            source.fill_header(&mut len)?;
            Ok(usize::from(u16::from_le_bytes(len)))
        }
        (2 | 3, 0) => {
            let mut len = [0; 4];
            source.fill_header(&mut len)?;
            Ok(usize::try_from(u32::from_le_bytes(len)).unwrap_or(usize::MAX))
        }
        (major, minor) => Err(NpyError::Version { major, minor }),
    }
}

/// The number of elements, if the array can be addressed at all.
///
/// Lengths of zero do not hide overflow in the other axes (as in NumPy), so
/// that callers may multiply any subset of the lengths.
fn checked_count(shape: &[usize], item_size: usize) -> Result<usize, NpyError> {
    let limit = isize::MAX as usize;
    shape
        .iter()
        .try_fold(item_size, |bytes, &len| bytes.checked_mul(len.max(1)))
        .filter(|&bytes| bytes <= limit)
        .map(|_| shape.iter().product())
        .ok_or_else(|| NpyError::ShapeOverflow {
            limit,
            got: format!("shape {}", excerpt(&format!("{shape:?}"))),
        })
}

/// The values of the three keys.
struct Fields {
    dtype: DType,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Fields {
    /// Parses `{'descr': ..., 'fortran_order': ..., 'shape': ..., }` with the
    /// keys in any order.
    fn parse(text: &[u8]) -> Result<Self, NpyError> {
        let mut cursor = Cursor::new(text)?;
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        cursor.expect(b'{', "`{`")?;
        while !cursor.accept(b'}') {
            let key = cursor.string("a quoted key or `}`")?;
            cursor.expect(b':', "`:`")?;
            match key {
                "descr" => set_once(&mut descr, "descr", cursor.descr()?)?,
                "fortran_order" => {
                    set_once(&mut fortran_order, "fortran_order", cursor.boolean()?)?;
                }
                "shape" => set_once(&mut shape, "shape", cursor.shape()?)?,
                _ => return Err(NpyError::UnknownKey { got: excerpt(key) }),
            }
            if !cursor.accept(b',') {
                cursor.expect(b'}', "`,` or `}`")?;
                break;
            }
        }
        cursor.expect_end()?;
        Ok(Self {
            dtype: DType::parse(require(descr, "descr")?)?,
            fortran_order: require(fortran_order, "fortran_order")?,
            shape: require(shape, "shape")?,
        })
    }
}

/// Stores the value of a key that must not have one yet.
fn set_once<T>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), NpyError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(NpyError::DuplicateKey { key }),
    }
}

/// The value of a key that must have one.
fn require<T>(slot: Option<T>, key: &'static str) -> Result<T, NpyError> {
    slot.ok_or(NpyError::MissingKey { key })
}
