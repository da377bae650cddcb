//! From raw bytes to points in C order, of the type and shape that the caller wants.

use std::io::Read;

use half::f16;

use super::dtype::{DType, Endian, Kind};
use super::error::NpyError;
use super::header::Header;
use super::number::Number;
use super::places::Places;
use super::source::Source;
use crate::memory::may_fail;

/// Bytes decoded at a time: small enough to stay in the cache between the
/// steps, large enough to make each step a bulk operation. A multiple of every
/// element's size.
const BLOCK_BYTES: usize = 1 << 16;

/// A `.npy` file whose header has been read and checked, and whose data have not.
pub struct Reader<R> {
    source: Source<R>,
    header: Header,
}

impl<R: Read> Reader<R> {
    /// Reads the header; of a file of known length also checks that the data are there.
    pub(super) fn new(mut source: Source<R>) -> Result<Self, NpyError> {
        let header = Header::read(&mut source)?;
        if let Some(got) = source.remaining() {
            check_length(&header, got)?;
        }
        Ok(Self { source, header })
    }

    /// The element type in the file.
    pub fn dtype(&self) -> DType {
        self.header.dtype
    }

    /// Length of each axis; empty for a scalar, which has one value.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Reads the data into an array of `shape`, which has as many axes as the file: each axis is cropped, or padded with
    /// zeros at its end.
    ///
    /// Points are stored as they are read, so that no more than the result is held; of pipes and devices no more is read
    /// than their header says, and one byte to see that they end.
    pub fn read<T: Number>(mut self, shape: &[usize]) -> Result<Vec<T>, NpyError> {
        let (dtype, count) = (self.header.dtype, self.header.count);
        let wanted = shape.iter().product();
        let mut values = Vec::new();
        let reserved = may_fail(|| values.try_reserve_exact(wanted));
        reserved.map_err(|_| NpyError::OutOfMemory { values: wanted })?;
        let mut places = Places::new(&self.header, shape);
        let size = dtype.item_size();
        let mut block = vec![0; BLOCK_BYTES.min(count * size)];
        let mut scalars = Vec::new();
        let mut done = 0;
        while done < count {
            let bytes = (block.len() / size).min(count - done) * size;
            let read = self.source.read(&mut block[..bytes])?;
            if read < bytes {
                return Err(NpyError::TruncatedData {
                    expected: (count * size) as u64,
                    got: (done * size + read) as u64,
                });
            }
            widen(dtype, &block[..bytes], &mut scalars);
            store(dtype, &scalars, &mut places, &mut values);
            done += bytes / size;
        }
        // Memory was reserved for all of them.
        values.resize(wanted, T::of(0.0, 0.0));
        self.check_end()?;
        Ok(values)
    }

    /// Checks that a stream ends where its header says.
    fn check_end(&mut self) -> Result<(), NpyError> {
        if self.source.remaining().is_some() || self.source.ends()? {
            return Ok(());
        }
        let expected = (self.header.count * self.header.dtype.item_size()) as u64;
        let got = expected + 1;
        Err(NpyError::TrailingData { expected, got })
    }
}

/// Checks that exactly the bytes that the header promises are there.
fn check_length(header: &Header, got: u64) -> Result<(), NpyError> {
    // The header has checked that this product does not overflow.
    let expected = (header.count * header.dtype.item_size()) as u64;
    match got {
        _ if got < expected => Err(NpyError::TruncatedData { expected, got }),
        _ if got > expected => Err(NpyError::TrailingData { expected, got }),
        _ => Ok(()),
    }
}

/// The values of stored numbers; of complex ones both parts in a row. Integers beyond 2^53 are rounded.
fn widen(dtype: DType, bytes: &[u8], scalars: &mut Vec<f64>) {
    let big = dtype.endian == Endian::Big;
    scalars.clear();
    match dtype.kind {
        Kind::Bool => each(bytes, big, scalars, |[b]| f64::from(b != 0)),
        Kind::Int8 => each(bytes, big, scalars, |b| i8::from_le_bytes(b).into()),
        Kind::UInt8 => each(bytes, big, scalars, |[b]| b.into()),
        Kind::Int16 => each(bytes, big, scalars, |b| i16::from_le_bytes(b).into()),
        Kind::UInt16 => each(bytes, big, scalars, |b| u16::from_le_bytes(b).into()),
        Kind::Int32 => each(bytes, big, scalars, |b| i32::from_le_bytes(b).into()),
        Kind::UInt32 => each(bytes, big, scalars, |b| u32::from_le_bytes(b).into()),
        Kind::Int64 => each(bytes, big, scalars, |b| i64::from_le_bytes(b) as f64),
        Kind::UInt64 => each(bytes, big, scalars, |b| u64::from_le_bytes(b) as f64),
        Kind::Float16 => each(bytes, big, scalars, |b| f16::from_le_bytes(b).to_f64()),
        Kind::Float32 | Kind::Complex64 => {
            each(bytes, big, scalars, |b| f32::from_le_bytes(b).into());
        }
        Kind::Float64 | Kind::Complex128 => each(bytes, big, scalars, f64::from_le_bytes),
    }
}

/// Appends the value of every `N` bytes, which `value` takes with the least significant byte first.
fn each<const N: usize>(
    bytes: &[u8],
    big: bool,
    scalars: &mut Vec<f64>,
    value: impl Fn([u8; N]) -> f64,
) {
    let (numbers, _) = bytes.as_chunks::<N>();
    scalars.extend(numbers.iter().map(|&number| {
        let mut number = number;
        if big {
            number.reverse();
        }
        value(number)
    }));
}

/// Stores the next points of the file at their places.
fn store<T: Number>(dtype: DType, scalars: &[f64], places: &mut Places, values: &mut Vec<T>) {
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let point = |i: usize| match parts {
        1 => T::of(scalars[i], 0.0),
        _ => T::of(scalars[2 * i], scalars[2 * i + 1]),
    };
    let count = scalars.len() / parts;
    let mut done = 0;
    while done < count {
        let run = places.next(count - done);
        for i in 0..run.kept {
            let at = run.start + i * run.stride;
            match at == values.len() {
                true => values.push(point(done + i)),
                false => {
                    // What lies between is written later, or is padding.
                    if at > values.len() {
                        values.resize(at + 1, T::of(0.0, 0.0));
                    }
                    values[at] = point(done + i);
                }
            }
        }
        done += run.count;
    }
}
