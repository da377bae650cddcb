//! Decoded arrays and their conversion to one number type.

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
}

#[cfg(test)]
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

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The conversions copy; to take the values over without a copy, match on
/// [`Array::values`].
impl Array {
    /// All values as single-precision complex numbers; doubles are rounded.
    pub fn to_complex_f32(&self) -> Vec<Complex<f32>> {
        match &self.values {
            Values::Real(v) => convert(v, |x| Complex::from(x as f32)),
            Values::Complex(v) => convert(v, |z| Complex::new(z.re as f32, z.im as f32)),
            Values::RealF32(v) => convert(v, Complex::from),
            Values::ComplexF32(v) => v.clone(),
        }
    }

    /// All values as double-precision complex numbers.
    pub fn to_complex_f64(&self) -> Vec<Complex<f64>> {
        match &self.values {
            Values::Real(v) => convert(v, Complex::from),
            Values::Complex(v) => v.clone(),
            Values::RealF32(v) => convert(v, |x| Complex::from(f64::from(x))),
            Values::ComplexF32(v) => convert(v, |z| Complex::new(z.re.into(), z.im.into())),
        }
    }

    /// All values as single-precision real numbers (doubles are rounded), or
    /// `None` for a complex array.
    pub fn to_real_f32(&self) -> Option<Vec<f32>> {
        match &self.values {
            Values::Real(v) => Some(convert(v, |x| x as f32)),
            Values::RealF32(v) => Some(v.clone()),
            Values::Complex(_) | Values::ComplexF32(_) => None,
        }
    }

    /// All values as double-precision real numbers, or `None` for a complex
    /// array.
    pub fn to_real_f64(&self) -> Option<Vec<f64>> {
        match &self.values {
            Values::Real(v) => Some(v.clone()),
            Values::RealF32(v) => Some(convert(v, f64::from)),
            Values::Complex(_) | Values::ComplexF32(_) => None,
        }
    }
}

fn convert<T: Copy, U>(values: &[T], with: impl Fn(T) -> U) -> Vec<U> {
    values.iter().copied().map(with).collect()
}
