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

macro_rules! element {
    ($t:ty, $scalar:ident, $domain:ident, $name:literal) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            const DOMAIN: Domain = Domain::$domain;
            const NAME: &'static str = $name;
        }
    };
}

element!(f64, F64, Real, "f64");
element!(f32, F32, Real, "f32");
element!(f16, F16, Real, "f16");
element!(bf16, Bf16, Real, "bf16");
element!(Complex<f64>, F64, Complex, "Complex<f64>");
element!(Complex<f32>, F32, Complex, "Complex<f32>");
element!(Complex<f16>, F16, Complex, "Complex<f16>");
element!(Complex<bf16>, Bf16, Complex, "Complex<bf16>");

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
