//! Decoded arrays, and their values as numbers of one type.

use num_complex::Complex;

use super::dtype::DType;

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

impl Values {
    /// Whether single precision holds them all.
    pub fn are_single(&self) -> bool {
        matches!(self, Self::RealF32(_) | Self::ComplexF32(_))
    }

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
    /// The value at a position of the C order; reals have imaginary parts of zero.
    pub fn at(&self, position: usize) -> Complex<f64> {
        match &self.values {
            Values::Real(v) => Complex::from(v[position]),
            Values::Complex(v) => v[position],
            Values::RealF32(v) => Complex::from(f64::from(v[position])),
            Values::ComplexF32(v) => Complex::new(v[position].re.into(), v[position].im.into()),
        }
    }

    /// All values, as [`Array::at`] gives them.
    pub fn points(&self) -> impl ExactSizeIterator<Item = Complex<f64>> + '_ {
        (0..self.values.len()).map(|position| self.at(position))
    }
}
