//! Arrays as they are stored, for tests and fuzzing: the program reads points of the type that it transforms.

use std::io::Read;

use num_complex::Complex;

use super::decode::Reader;
use super::dtype::{DType, Kind};
use super::error::NpyError;

/// An array read from a `.npy` file, in C order (last axis fastest).
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The element type in the file.
    pub dtype: DType,
    /// Length of each axis; empty for a scalar, which has one value.
    pub shape: Vec<usize>,
    /// The values; their number is the product of `shape`.
    pub values: Values,
}

/// The values of an [`Array`], in the narrowest type that the file calls for.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// From `float64` and from 32-bit and 64-bit integers; integers beyond
    /// 2^53 are rounded.
    Real(Vec<f64>),
    /// From `complex128`.
    Complex(Vec<Complex<f64>>),
    /// From `float16`, `float32`, `bool` and integers of up to 16 bits; exact.
    RealF32(Vec<f32>),
    /// From `complex64`.
    ComplexF32(Vec<Complex<f32>>),
}

#[cfg_attr(not(test), allow(dead_code, reason = "for tests and fuzzing"))]
impl Values {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(v) => v.len(),
            Self::Complex(v) => v.len(),
            Self::RealF32(v) => v.len(),
            Self::ComplexF32(v) => v.len(),
        }
    }
}

impl Array {
    /// All that a reader has.
    pub(super) fn of<R: Read>(reader: Reader<R>) -> Result<Self, NpyError> {
        let (dtype, shape) = (reader.dtype(), reader.shape().to_vec());
        let values = match (dtype.kind, dtype.is_single()) {
            (Kind::Complex64, _) => Values::ComplexF32(reader.read(&shape)?),
            (Kind::Complex128, _) => Values::Complex(reader.read(&shape)?),
            (_, true) => Values::RealF32(reader.read(&shape)?),
            (_, false) => Values::Real(reader.read(&shape)?),
        };
        Ok(Self {
            dtype,
            shape,
            values,
        })
    }
}
