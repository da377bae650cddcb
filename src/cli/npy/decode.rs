//! From raw bytes to values in C order.

use std::io::Read;
use std::mem::size_of;

use bytemuck::{Pod, Zeroable};
use half::f16;
use num_complex::Complex;

use super::array::{Array, Values};
use super::dtype::{DType, Endian, Kind};
use super::error::NpyError;
use super::header::Header;
use super::source::Source;

/// Bytes decoded at a time: small enough to stay in the cache between the
/// steps, large enough to make each step a bulk operation.
const BLOCK_BYTES: usize = 1 << 16;

/// Side of the square tiles of [`to_c_order`], in elements.
const TILE: usize = 32;

/// Decodes a whole file.
pub(super) fn decode<R: Read>(source: &mut Source<R>) -> Result<Array, NpyError> {
    let header = Header::read(source)?;
    check_length(&header, source.remaining())?;
    let values = read_values(source, &header)?;
    Ok(Array {
        dtype: header.dtype,
        shape: header.shape,
        values,
    })
}

/// Decodes a stream, of which the header says how long it is.
pub(super) fn decode_stream<R: Read>(source: &mut Source<R>) -> Result<Array, NpyError> {
    let header = Header::read(source)?;
    let values = read_values(source, &header)?;
    if !source.ends()? {
        let expected = (header.count * header.dtype.item_size()) as u64;
        let got = expected + 1;
        return Err(NpyError::TrailingData { expected, got });
    }
    Ok(Array {
        dtype: header.dtype,
        shape: header.shape,
        values,
    })
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

/// Reads the data and widens it to the type that [`Values`] prescribes.
fn read_values<R: Read>(source: &mut Source<R>, header: &Header) -> Result<Values, NpyError> {
    Ok(match header.dtype.kind {
        Kind::Bool => Values::RealF32(load(source, header, |x: u8| f32::from(x != 0))?),
        Kind::Int8 => Values::RealF32(load(source, header, |x: i8| x.into())?),
        Kind::UInt8 => Values::RealF32(load(source, header, |x: u8| x.into())?),
        Kind::Int16 => Values::RealF32(load(source, header, |x: i16| x.into())?),
        Kind::UInt16 => Values::RealF32(load(source, header, |x: u16| x.into())?),
        Kind::Float16 => Values::RealF32(load(source, header, f16::to_f32)?),
        Kind::Float32 => Values::RealF32(load(source, header, |x: f32| x)?),
        Kind::Int32 => Values::Real(load(source, header, |x: i32| x.into())?),
        Kind::UInt32 => Values::Real(load(source, header, |x: u32| x.into())?),
        Kind::Int64 => Values::Real(load(source, header, |x: i64| x as f64)?),
        Kind::UInt64 => Values::Real(load(source, header, |x: u64| x as f64)?),
        Kind::Float64 => Values::Real(load(source, header, |x: f64| x)?),
        Kind::Complex64 => Values::ComplexF32(load(source, header, |z: Complex<f32>| z)?),
        Kind::Complex128 => Values::Complex(load(source, header, |z: Complex<f64>| z)?),
    })
}

/// Reads all elements of stored type `S`, converted to `T`, in C order.
fn load<R, S, T>(
    source: &mut Source<R>,
    header: &Header,
    convert: impl Fn(S) -> T,
) -> Result<Vec<T>, NpyError>
where
    R: Read,
    S: Pod,
    T: Copy + Zeroable,
{
    let stored = stream(source, header.count, header.dtype, convert)?;
    if header.fortran_order && header.shape.len() > 1 {
        return to_c_order(&stored, &header.shape);
    }
    Ok(stored)
}

/// Reads `count` elements block by block, in the order of the file.
fn stream<R, S, T>(
    source: &mut Source<R>,
    count: usize,
    dtype: DType,
    convert: impl Fn(S) -> T,
) -> Result<Vec<T>, NpyError>
where
    R: Read,
    S: Pod,
{
    let mut values = reserve(count)?;
    let mut block = vec![S::zeroed(); count.min(BLOCK_BYTES / size_of::<S>())];
    while values.len() < count {
        let len = block.len().min(count - values.len());
        let bytes = bytemuck::cast_slice_mut(&mut block[..len]);
        let read = source.read(bytes)?;
        if read < bytes.len() {
            let size = size_of::<S>();
            return Err(NpyError::TruncatedData {
                expected: (count * size) as u64,
                got: (values.len() * size + read) as u64,
            });
        }
        if dtype.endian != Endian::NATIVE {
            swap_bytes(bytes, dtype.scalar_size());
        }
        values.extend(block[..len].iter().map(|&stored| convert(stored)));
    }
    Ok(values)
}

/// Reverses the bytes of every number, `width` bytes each. The bytes are those
/// of a slice of such numbers, so they are aligned for the cast.
fn swap_bytes(bytes: &mut [u8], width: usize) {
    match width {
        2 => swap_each(bytes, u16::swap_bytes),
        4 => swap_each(bytes, u32::swap_bytes),
        8 => swap_each(bytes, u64::swap_bytes),
        _ => {}
    }
}

fn swap_each<T: Pod>(bytes: &mut [u8], swap: impl Fn(T) -> T) {
    for number in bytemuck::cast_slice_mut::<u8, T>(bytes) {
        *number = swap(*number);
    }
}

/// An empty vector with room for `count` values.
fn reserve<T>(count: usize) -> Result<Vec<T>, NpyError> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(count)
        .map_err(|_| NpyError::OutOfMemory { values: count })?;
    Ok(values)
}

/// Reorders an array of rank 2 or more from Fortran to C order.
///
/// Every choice of the middle axes leaves a matrix (first axis by last axis)
/// to transpose.
fn to_c_order<T: Copy + Zeroable>(stored: &[T], shape: &[usize]) -> Result<Vec<T>, NpyError> {
    let mut out = reserve(stored.len())?;
    out.resize(stored.len(), T::zeroed());
    if let (&[first, ref middle @ .., last], false) = (shape, stored.is_empty()) {
        let planes = middle.iter().product();
        for plane in 0..planes {
            let matrix = Matrix {
                rows: first,
                columns: last,
                planes,
            };
            let from = first * fortran_position(plane, middle);
            matrix.transpose(&stored[from..], &mut out[plane * last..]);
        }
    }
    Ok(out)
}

/// The position in Fortran order of the element at C-order position `index`.
fn fortran_position(mut index: usize, shape: &[usize]) -> usize {
    let mut stride: usize = shape.iter().product();
    let mut position = 0;
    for &len in shape.iter().rev() {
        stride /= len;
        position += index % len * stride;
        index /= len;
    }
    position
}

/// One plane of the array: first axis by last axis, the middle axes fixed.
struct Matrix {
    rows: usize,
    columns: usize,
    /// Number of planes, which is how far apart the lines of one plane are.
    planes: usize,
}

impl Matrix {
    /// Copies the plane from column-major `from` to row-major `to`, tile by
    /// tile so that both sides stay in the cache.
    fn transpose<T: Copy>(&self, from: &[T], to: &mut [T]) {
        for top in (0..self.rows).step_by(TILE) {
            for left in (0..self.columns).step_by(TILE) {
                self.transpose_tile(from, to, top, left);
            }
        }
    }

    fn transpose_tile<T: Copy>(&self, from: &[T], to: &mut [T], top: usize, left: usize) {
        let right = (left + TILE).min(self.columns);
        for row in top..(top + TILE).min(self.rows) {
            let line = row * self.planes * self.columns;
            for column in left..right {
                to[line + column] = from[row + column * self.planes * self.rows];
            }
        }
    }
}
