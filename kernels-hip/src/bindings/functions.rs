//! The functions that mmafft calls, by their names in the libraries, with the signatures of
//! `hip_runtime_api.h` and `hiprtc.h`, 5.2 to 7. A table exists only if the library has all of
//! its functions.

use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// `hipError_t` or `hiprtcResult`; 0 is success.
pub type Status = c_int;
/// Any handle, or an address of the device.
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
    /// What every use of a device needs.
    Functions {
        hipInit(c_uint) -> Status;
        hipRuntimeGetVersion(*mut c_int) -> Status;
        hipGetErrorName(Status) -> *const c_char;
        hipGetErrorString(Status) -> *const c_char;
        hipGetDeviceCount(*mut c_int) -> Status;
        hipDeviceGet(*mut c_int, c_int) -> Status;
        hipDeviceGetName(*mut c_char, c_int, c_int) -> Status;
        hipDeviceGetPCIBusId(*mut c_char, c_int, c_int) -> Status;
        hipDeviceGetAttribute(*mut c_int, c_int, c_int) -> Status;
        hipDeviceTotalMem(*mut usize, c_int) -> Status;
        hipGetDevice(*mut c_int) -> Status;
        hipSetDevice(c_int) -> Status;
        hipMalloc(*mut Pointer, usize) -> Status;
        hipFree(Pointer) -> Status;
        hipMemcpyHtoD(Pointer, *const c_void, usize) -> Status;
        hipMemcpyDtoH(*mut c_void, Pointer, usize) -> Status;
        hipMemcpyHtoDAsync(Pointer, *const c_void, usize, Pointer) -> Status;
        hipMemcpyDtoHAsync(*mut c_void, Pointer, usize, Pointer) -> Status;
        hipMemcpyDtoDAsync(Pointer, Pointer, usize, Pointer) -> Status;
        hipModuleLoadData(*mut Pointer, *const c_void) -> Status;
        hipModuleUnload(Pointer) -> Status;
        hipModuleGetFunction(*mut Pointer, Pointer, *const c_char) -> Status;
        hipFuncGetAttribute(*mut c_int, c_int, Pointer) -> Status;
        hipModuleLaunchKernel(
            Pointer, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Pointer,
            *mut *mut c_void, *mut *mut c_void
        ) -> Status;
        hipStreamCreateWithFlags(*mut Pointer, c_uint) -> Status;
        hipStreamSynchronize(Pointer) -> Status;
        hipStreamDestroy(Pointer) -> Status;
        hipEventCreateWithFlags(*mut Pointer, c_uint) -> Status;
        hipEventRecord(Pointer, Pointer) -> Status;
        hipEventSynchronize(Pointer) -> Status;
        hipEventElapsedTime(*mut f32, Pointer, Pointer) -> Status;
        hipEventDestroy(Pointer) -> Status;
    }
}

table! {
    /// What graphs need; a runtime without them runs everything else.
    GraphFunctions {
        hipThreadExchangeStreamCaptureMode(*mut c_int) -> Status;
        hipStreamBeginCapture(Pointer, c_int) -> Status;
        hipStreamEndCapture(Pointer, *mut Pointer) -> Status;
        hipGraphInstantiateWithFlags(*mut Pointer, Pointer, c_ulonglong) -> Status;
        hipGraphLaunch(Pointer, Pointer) -> Status;
        hipGraphExecDestroy(Pointer) -> Status;
        hipGraphDestroy(Pointer) -> Status;
    }
}

table! {
    /// The run-time compiler.
    HiprtcFunctions {
        hiprtcGetErrorString(Status) -> *const c_char;
        hiprtcCreateProgram(
            *mut Pointer, *const c_char, *const c_char, c_int, *const *const c_char,
            *const *const c_char
        ) -> Status;
        hiprtcCompileProgram(Pointer, c_int, *const *const c_char) -> Status;
        hiprtcDestroyProgram(*mut Pointer) -> Status;
        hiprtcGetProgramLogSize(Pointer, *mut usize) -> Status;
        hiprtcGetProgramLog(Pointer, *mut c_char) -> Status;
        hiprtcGetCodeSize(Pointer, *mut usize) -> Status;
        hiprtcGetCode(Pointer, *mut c_char) -> Status;
    }
}
