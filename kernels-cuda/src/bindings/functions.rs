//! The functions of NVIDIA's libraries that AMD's have otherwise or not at all, by their names in the libraries, with
//! the signatures of `cuda.h` and `nvrtc.h`.

use mmafft_driver::calls::{Pointer, Status};
use std::ffi::{c_char, c_int, c_uint};

mmafft_driver::functions! {
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
        cuFuncSetAttribute(Pointer, c_int, c_int) -> Status;
    }
}

mmafft_driver::functions! {
    /// What says which NVRTC it is. The newest are from CUDA 11.2.
    NvrtcFunctions {
        nvrtcVersion(*mut c_int, *mut c_int) -> Status;
        nvrtcGetNumSupportedArchs(*mut c_int) -> Status;
        nvrtcGetSupportedArchs(*mut c_int) -> Status;
    }
}
