//! What cuFFT returns, and the errors that become of it.

use std::ffi::c_int;

use mmafft::{Error, ScalarType};

use super::BACKEND;
use crate::peers::Transform;

/// `cufftResult`. A number, since a newer library may know more of them.
pub type Status = c_int;

pub const SUCCESS: Status = 0;
pub const INVALID_TYPE: Status = 3;
pub const INVALID_SIZE: Status = 8;
pub const INVALID_DEVICE: Status = 11;
pub const NOT_IMPLEMENTED: Status = 14;
pub const NOT_SUPPORTED: Status = 16;

/// The name in cufft.h. CUDA 13 has dropped 10, 12 and 15; CUDA 12 has no names from 17 on.
pub fn name(status: Status) -> &'static str {
    match status {
        SUCCESS => "CUFFT_SUCCESS",
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        INVALID_TYPE => "CUFFT_INVALID_TYPE",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        INVALID_SIZE => "CUFFT_INVALID_SIZE",
        9 => "CUFFT_UNALIGNED_DATA",
        10 => "CUFFT_INCOMPLETE_PARAMETER_LIST",
        INVALID_DEVICE => "CUFFT_INVALID_DEVICE",
        12 => "CUFFT_PARSE_ERROR",
        13 => "CUFFT_NO_WORKSPACE",
        NOT_IMPLEMENTED => "CUFFT_NOT_IMPLEMENTED",
        15 => "CUFFT_LICENSE_ERROR",
        NOT_SUPPORTED => "CUFFT_NOT_SUPPORTED",
        17 => "CUFFT_MISSING_DEPENDENCY",
        18 => "CUFFT_NVRTC_FAILURE",
        19 => "CUFFT_NVJITLINK_FAILURE",
        20 => "CUFFT_NVSHMEM_FAILURE",
        _ => "an unknown status",
    }
}

/// `cufftCreate: CUFFT_SETUP_FAILED (7)`.
pub fn describe(function: &str, status: Status) -> String {
    format!("{function}: {} ({status})", name(status))
}

/// The error of a call that failed.
pub fn device_error(function: &str, status: Status, output_touched: bool) -> Error {
    Error::Device {
        backend: BACKEND.into(),
        message: describe(function, status),
        output_touched,
    }
}

/// The error of a plan that was not made: cuFFT's limit, where it is one, else a failure.
///
/// cuFFT is asked first and its documented limits only explain its answer, so that a limit that a
/// newer version lifts is not one here.
pub fn planning_error(function: &str, transform: &Transform, status: Status) -> Error {
    let limit = documented_limit(transform);
    let sixteen_bits = is_sixteen_bits(transform.scalar);
    let refused = match status {
        INVALID_TYPE | INVALID_SIZE | NOT_IMPLEMENTED | NOT_SUPPORTED => true,
        // The documents do not say how a device that is too old answers.
        INVALID_DEVICE => sixteen_bits,
        _ => false,
    };
    if !refused {
        return device_error(function, status, false);
    }
    let instead = match limit {
        Some(limit) => limit,
        None if sixteen_bits => NEEDS_DEVICE,
        None => "use other lengths, a smaller batch or another precision",
    };
    Error::Unsupported {
        what: format!("{transform} ({})", describe(function, status)),
        backend: BACKEND.into(),
        instead: instead.into(),
    }
}

const NEEDS_DEVICE: &str =
    "use f32, or a device of compute capability 5.3 or higher for f16, 8.0 or higher for bf16";

/// What the documents rule out, with a way round it.
pub fn documented_limit(transform: &Transform) -> Option<&'static str> {
    if !is_sixteen_bits(transform.scalar) {
        return None;
    }
    if !transform.shape.iter().all(|n| n.is_power_of_two()) {
        return Some("use f32, or lengths that are powers of two, the only ones in 16 bits");
    }
    let lengths = transform.shape.iter();
    let points = lengths.fold(transform.batch, |points, &n| points.saturating_mul(n));
    // "Transforms spanning more than 4 billion elements".
    (points > 1 << 32).then_some("use f32, or at most 2^32 points at a time in 16 bits")
}

fn is_sixteen_bits(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F16 | ScalarType::Bf16)
}
