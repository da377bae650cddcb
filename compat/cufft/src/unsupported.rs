//! What cuFFT has and these libraries have not: each function is there, so that programs load. It goes to NVIDIA's
//! library where the environment names one, and says otherwise that it is not supported.

use crate::{plan, real};
use std::ffi::{c_int, CStr};

/// The name of a function for the loader.
macro_rules! name {
    ($name:ident) => {
        CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()).unwrap_or(c"")
    };
}

/// Functions of at most six numbers or addresses, the first of which is a plan: that is NVIDIA's from then on.
macro_rules! of_plans {
    ($($name:ident)*) => {
        $(
            /// SAFETY: cuFFT's documentation says what callers promise.
            #[allow(clippy::missing_safety_doc)]
            #[no_mangle]
            pub unsafe extern "C" fn $name(
                plan: c_int,
                a: usize,
                b: usize,
                c: usize,
                d: usize,
                e: usize,
            ) -> c_int {
                let theirs = match plan::give_away(plan) {
                    Ok(theirs) => real::number(theirs),
                    Err(status) => return status.number(),
                };
                // SAFETY: as above.
                unsafe { real::call(name!($name), [theirs, a, b, c, d, e]) }
            }
        )*
    };
}

/// The same of what has no plan.
macro_rules! of_others {
    ($($name:ident)*) => {
        $(
            /// SAFETY: cuFFT's documentation says what callers promise.
            #[allow(clippy::missing_safety_doc)]
            #[no_mangle]
            pub unsafe extern "C" fn $name(
                a: usize,
                b: usize,
                c: usize,
                d: usize,
                e: usize,
                f: usize,
            ) -> c_int {
                // SAFETY: as above.
                unsafe { real::call(name!($name), [a, b, c, d, e, f]) }
            }
        )*
    };
}

of_plans! {
    // Several devices.
    cufftXtSetGPUs cufftXtMalloc cufftXtMemcpy cufftXtSetWorkArea cufftXtQueryPlan
    cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z
    cufftXtExecDescriptorZ2D
    // Callbacks.
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback
    __cufftXtSetJITCallback_12_7
}

of_others! {
    cufftXtFree
    // Functions for kernels of the caller's.
    cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionSetTraitInt64
    cufftDescriptionGetTraitInt64 cufftDeviceCreate cufftDeviceDestroy cufftDeviceIsSupported
    cufftDeviceGetVersion cufftDeviceGetSemanticVersion cufftDeviceGetDatabaseStr
    cufftDeviceGetDatabaseStrSize cufftDeviceGetDeviceFunctions cufftDeviceGetNumDeviceFunctions
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetLTOIRs cufftDeviceGetLTOIRSizes
    cufftDeviceGetNumLTOIRs
}

/// What no header declares is not forwarded, as it may have more arguments.
macro_rules! not_supported {
    ($($name:ident)*) => {
        $(
            #[no_mangle]
            pub extern "C" fn $name() -> c_int {
                crate::status::Status::NotSupported.number()
            }
        )*
    };
}

not_supported! { cufftMakePlanGuru64 cufftXtMakePlanGuru64 }
