//! The functions of AMD's runtime that NVIDIA's driver has otherwise or not at all, by their names in the library,
//! with the signatures of `hip_runtime_api.h`, 5.2 to 7.

use mmafft_driver::calls::Status;
use std::ffi::{c_char, c_int, c_uint};

mmafft_driver::functions! {
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
    }
}
