//! What cuFFT has and these libraries have not: each function is there, so that programs load, and says so.

use crate::status::Status;
use std::ffi::c_int;

/// Functions that do nothing; of C's calls none looks at arguments.
macro_rules! not_supported {
    ($($name:ident)*) => {
        $(
            #[no_mangle]
            pub extern "C" fn $name() -> c_int {
                Status::NotSupported as c_int
            }
        )*
    };
}

not_supported! {
    // Several devices.
    cufftXtSetGPUs cufftXtMalloc cufftXtMemcpy cufftXtFree cufftXtSetWorkArea cufftXtQueryPlan
    cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z
    cufftXtExecDescriptorZ2D
    // Callbacks.
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback
    __cufftXtSetJITCallback_12_7
    // What no header declares.
    cufftMakePlanGuru64 cufftXtMakePlanGuru64
    // Functions for kernels of the caller's.
    cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionSetTraitInt64
    cufftDescriptionGetTraitInt64 cufftDeviceCreate cufftDeviceDestroy cufftDeviceIsSupported
    cufftDeviceGetVersion cufftDeviceGetSemanticVersion cufftDeviceGetDatabaseStr
    cufftDeviceGetDatabaseStrSize cufftDeviceGetDeviceFunctions cufftDeviceGetNumDeviceFunctions
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetLTOIRs cufftDeviceGetLTOIRSizes
    cufftDeviceGetNumLTOIRs
}
