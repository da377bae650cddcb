//! Numbers as arrays store them.

use half::{bf16, f16};
use mmafft_backend_traits::ScalarType;

/// The value that storage keeps of `x`.
pub(crate) fn rounded(x: f64, scalar: ScalarType) -> f64 {
    match scalar {
        ScalarType::F64 => x,
        ScalarType::F32 => f64::from(x as f32),
        ScalarType::F16 => f16::from_f64(x).to_f64(),
        ScalarType::Bf16 => bf16::from_f64(x).to_f64(),
    }
}

/// Scalars as the backend stores them.
pub(crate) fn to_bytes(values: &[f64], scalar: ScalarType) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * scalar.bytes());
    for &x in values {
        match scalar {
            ScalarType::F64 => bytes.extend(x.to_ne_bytes()),
            ScalarType::F32 => bytes.extend((x as f32).to_ne_bytes()),
            ScalarType::F16 => bytes.extend(f16::from_f64(x).to_ne_bytes()),
            ScalarType::Bf16 => bytes.extend(bf16::from_f64(x).to_ne_bytes()),
        }
    }
    bytes
}

/// The values of stored scalars.
pub(crate) fn from_bytes(bytes: &[u8], scalar: ScalarType) -> Vec<f64> {
    let value = |b: &[u8]| match scalar {
        ScalarType::F64 => f64::from_ne_bytes(b.try_into().unwrap_or_default()),
        ScalarType::F32 => f32::from_ne_bytes(b.try_into().unwrap_or_default()).into(),
        ScalarType::F16 => f16::from_ne_bytes(b.try_into().unwrap_or_default()).to_f64(),
        ScalarType::Bf16 => bf16::from_ne_bytes(b.try_into().unwrap_or_default()).to_f64(),
    };
    bytes.chunks_exact(scalar.bytes()).map(value).collect()
}
