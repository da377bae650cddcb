//! The element types of buffers.

use half::{bf16, f16};
use mmafft_backend_traits::{Domain, ScalarType};
use num_complex::Complex;

mod sealed {
    pub trait Sealed {}
}

/// An element of a transform's input or output: `f32`, `f64`, `f16`, `bf16`, or
/// `Complex` of one of them.
pub trait Element: bytemuck::Pod + Default + Send + Sync + sealed::Sealed {
    /// What a scalar is.
    const SCALAR: ScalarType;
    /// Real or complex.
    const DOMAIN: Domain;
    /// The name in errors.
    const NAME: &'static str;
}

/// A real element, which [`Complex`] can be made of.
pub trait RealElement: Element {
    /// The name of the complex element in errors.
    const COMPLEX_NAME: &'static str;
}

macro_rules! element {
    ($t:ty, $scalar:ident, $name:literal, $complex:literal) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            const DOMAIN: Domain = Domain::Real;
            const NAME: &'static str = $name;
        }
        impl RealElement for $t {
            const COMPLEX_NAME: &'static str = $complex;
        }
    };
}

element!(f64, F64, "f64", "Complex<f64>");
element!(f32, F32, "f32", "Complex<f32>");
element!(f16, F16, "f16", "Complex<f16>");
element!(bf16, Bf16, "bf16", "Complex<bf16>");

impl<T: RealElement> sealed::Sealed for Complex<T> {}

impl<T: RealElement> Element for Complex<T> {
    const SCALAR: ScalarType = T::SCALAR;
    const DOMAIN: Domain = Domain::Complex;
    const NAME: &'static str = T::COMPLEX_NAME;
}

/// What request takes scalars of type `got`, where `expected` are not of that type or not of that domain.
pub fn taken_by(got: ScalarType, expected: ScalarType) -> &'static str {
    match got {
        _ if got == expected => "the request's kind says whether a side is real or complex",
        ScalarType::F64 => "set the request\'s .precision(…) to f64 for these",
        ScalarType::F32 => "set the request\'s .precision(…) to f32 for these",
        ScalarType::F16 => "set the request\'s .precision(…) to f16 for these",
        ScalarType::Bf16 => "set the request\'s .precision(…) to bf16 for these",
    }
}

/// The name of the element type with this scalar and domain.
pub fn name(scalar: ScalarType, domain: Domain) -> &'static str {
    match (scalar, domain) {
        (ScalarType::F64, Domain::Real) => f64::NAME,
        (ScalarType::F32, Domain::Real) => f32::NAME,
        (ScalarType::F16, Domain::Real) => f16::NAME,
        (ScalarType::Bf16, Domain::Real) => bf16::NAME,
        (ScalarType::F64, Domain::Complex) => Complex::<f64>::NAME,
        (ScalarType::F32, Domain::Complex) => Complex::<f32>::NAME,
        (ScalarType::F16, Domain::Complex) => Complex::<f16>::NAME,
        (ScalarType::Bf16, Domain::Complex) => Complex::<bf16>::NAME,
    }
}
