//! The functions that mmafft calls, by their names in the libraries, with the signatures of
//! `cuda.h` and `nvrtc.h`. A table exists only if the library has all of its functions.

use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// `CUresult` or `nvrtcResult`; 0 is success.
pub type Status = c_int;
/// Any handle.
pub type Pointer = *mut c_void;

macro_rules! table {
    ($(#[$doc:meta])* $table:ident {
        $($function:ident($($argument:ty),*) -> $returned:ty;)*
    }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        pub struct $table {
            $(pub $function: unsafe extern "C" fn($($argument),*) -> $returned,)*
        }

        impl $table {
            /// Every function, or the name of the first that is missing.
            ///
            /// # Safety
            /// The library is the one that the table was written for, and is never closed.
            pub unsafe fn load(library: &Library) -> Result<Self, &'static str> {
                $(
                    // SAFETY: the caller gave the library in which this name is a function
                    // of this signature.
                    #[allow(non_snake_case)]
                    let $function = *unsafe {
                        library.get::<unsafe extern "C" fn($($argument),*) -> $returned>(
                            stringify!($function),
                        )
                    }
                    .map_err(|_| stringify!($function))?;
                )*
                Ok(Self { $($function),* })
            }
        }
    };
}

table! {
    /// What every use of a device needs. The newest are from CUDA 11.
    Functions {
        cuInit(c_uint) -> Status;
        cuDriverGetVersion(*mut c_int) -> Status;
        cuGetErrorName(Status, *mut *const c_char) -> Status;
        cuGetErrorString(Status, *mut *const c_char) -> Status;
        cuDeviceGetCount(*mut c_int) -> Status;
        cuDeviceGet(*mut c_int, c_int) -> Status;
        cuDeviceGetName(*mut c_char, c_int, c_int) -> Status;
        cuDeviceGetAttribute(*mut c_int, c_int, c_int) -> Status;
        cuDeviceTotalMem_v2(*mut usize, c_int) -> Status;
        cuDevicePrimaryCtxRetain(*mut Pointer, c_int) -> Status;
        cuDevicePrimaryCtxRelease_v2(c_int) -> Status;
        cuCtxGetCurrent(*mut Pointer) -> Status;
        cuCtxSetCurrent(Pointer) -> Status;
        cuThreadExchangeStreamCaptureMode(*mut c_int) -> Status;
        cuMemAlloc_v2(*mut u64, usize) -> Status;
        cuMemFree_v2(u64) -> Status;
        cuMemcpyHtoD_v2(u64, *const c_void, usize) -> Status;
        cuMemcpyDtoH_v2(*mut c_void, u64, usize) -> Status;
        cuMemcpyDtoDAsync_v2(u64, u64, usize, Pointer) -> Status;
        cuModuleLoadData(*mut Pointer, *const c_void) -> Status;
        cuModuleUnload(Pointer) -> Status;
        cuModuleGetFunction(*mut Pointer, Pointer, *const c_char) -> Status;
        cuFuncGetAttribute(*mut c_int, c_int, Pointer) -> Status;
        cuFuncSetAttribute(Pointer, c_int, c_int) -> Status;
        cuLaunchKernel(
            Pointer, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Pointer,
            *mut *mut c_void, *mut *mut c_void
        ) -> Status;
        cuStreamCreate(*mut Pointer, c_uint) -> Status;
        cuStreamSynchronize(Pointer) -> Status;
        cuStreamDestroy_v2(Pointer) -> Status;
        cuEventCreate(*mut Pointer, c_uint) -> Status;
        cuEventRecord(Pointer, Pointer) -> Status;
        cuEventSynchronize(Pointer) -> Status;
        cuEventElapsedTime(*mut f32, Pointer, Pointer) -> Status;
        cuEventDestroy_v2(Pointer) -> Status;
    }
}

table! {
    /// What graphs need; looked for when the first one is recorded.
    GraphFunctions {
        cuStreamBeginCapture_v2(Pointer, c_int) -> Status;
        cuStreamEndCapture(Pointer, *mut Pointer) -> Status;
        cuGraphInstantiateWithFlags(*mut Pointer, Pointer, u64) -> Status;
        cuGraphLaunch(Pointer, Pointer) -> Status;
        cuGraphExecDestroy(Pointer) -> Status;
        cuGraphDestroy(Pointer) -> Status;
    }
}

table! {
    /// The run-time compiler. The newest are from CUDA 11.2.
    NvrtcFunctions {
        nvrtcVersion(*mut c_int, *mut c_int) -> Status;
        nvrtcGetErrorString(Status) -> *const c_char;
        nvrtcGetNumSupportedArchs(*mut c_int) -> Status;
        nvrtcGetSupportedArchs(*mut c_int) -> Status;
        nvrtcCreateProgram(
            *mut Pointer, *const c_char, *const c_char, c_int, *const *const c_char,
            *const *const c_char
        ) -> Status;
        nvrtcCompileProgram(Pointer, c_int, *const *const c_char) -> Status;
        nvrtcDestroyProgram(*mut Pointer) -> Status;
        nvrtcGetProgramLogSize(Pointer, *mut usize) -> Status;
        nvrtcGetProgramLog(Pointer, *mut c_char) -> Status;
        nvrtcGetCUBINSize(Pointer, *mut usize) -> Status;
        nvrtcGetCUBIN(Pointer, *mut c_char) -> Status;
    }
}
