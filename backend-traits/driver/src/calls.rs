//! The calls that mmafft makes of a driver and of a run-time compiler: a row each, with its name in CUDA and in
//! HIP and the signature of both. A table exists only if the library has all of its functions.

use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// `CUresult`, `hipError_t`, `nvrtcResult` or `hiprtcResult`; 0 is success.
pub type Status = c_int;
/// Any handle.
pub type Pointer = *mut c_void;
/// An address of the device: `CUdeviceptr`, or the pointer that `hipDeviceptr_t` is, which is passed as the
/// same 64 bits.
pub type Address = u64;

/// `CUDA_ERROR_INVALID_VALUE`, `hipErrorInvalidValue`.
pub(crate) const INVALID_VALUE: Status = 1;
/// `CUDA_ERROR_NOT_SUPPORTED`, `hipErrorNotSupported`.
pub(crate) const NOT_SUPPORTED: Status = 801;
/// `CUDA_ERROR_OUT_OF_MEMORY`, `hipErrorOutOfMemory`.
pub(crate) const OUT_OF_MEMORY: Status = 2;
/// `CUDA_ERROR_NOT_READY`, `hipErrorNotReady`: no error, but that something still runs.
pub(crate) const NOT_READY: Status = 600;

/// A handle that values of Rust hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw(pub Pointer);

// SAFETY: a handle names something inside the driver, which lets every thread use it; it is not read through
// here.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    /// No handle; as a stream, the null stream, which waits for all blocking ones, and they for it.
    pub const NULL: Raw = Raw(std::ptr::null_mut());
}

/// Whose names the functions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `cu...`, `nvrtc...`
    Cuda,
    /// `hip...`, `hiprtc...`
    Hip,
}

impl Names {
    pub(crate) fn of(self, cuda: &'static str, hip: &'static str) -> &'static str {
        match self {
            Names::Cuda => cuda,
            Names::Hip => hip,
        }
    }
}

/// What a call returned, and which it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Answer {
    /// The function's name in its header.
    pub call: &'static str,
    /// What it returned.
    pub status: Status,
}

impl Answer {
    /// Of a function by its name in the library, which may end in a version.
    pub fn of(symbol: &'static str, status: Status) -> Answer {
        let call = symbol.strip_suffix("_v2").unwrap_or(symbol);
        Answer { call, status }
    }
}

/// Where a library that is never closed has a function.
pub fn symbol(library: &'static Library, name: &str) -> Option<Pointer> {
    // SAFETY: only the address is taken.
    let found = unsafe { library.get::<Pointer>(name) };
    found.ok().map(|address| *address)
}

/// A table of a vendor's own functions, by their names.
#[macro_export]
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident {
        $($function:ident($($argument:ty),* $(,)?) -> $returned:ty;)*
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
            /// What `symbol` finds are these functions, which stay where they are.
            #[allow(non_snake_case)]
            pub unsafe fn load(
                symbol: impl Fn(&'static str) -> Option<$crate::calls::Pointer>,
            ) -> ::std::result::Result<Self, &'static str> {
                $(
                    let address = symbol(stringify!($function)).ok_or(stringify!($function))?;
                    // SAFETY: the caller finds the function of this name, which has this signature.
                    let $function = unsafe {
                        ::std::mem::transmute::<
                            $crate::calls::Pointer,
                            unsafe extern "C" fn($($argument),*) -> $returned,
                        >(address)
                    };
                )*
                Ok(Self { $($function),* })
            }
        }
    };
}

macro_rules! calls {
    ($(#[$doc:meta])* $table:ident {
        $($call:ident($($argument:ident: $kind:ty),* $(,)?) = $cuda:literal, $hip:literal;)*
    }) => {
        $(#[$doc])*
        pub struct $table {
            names: Names,
            $($call: unsafe extern "C" fn($($kind),*) -> Status,)*
        }

        impl $table {
            /// Every function, or the name of the first that is missing.
            ///
            /// # Safety
            /// What `symbol` finds are the functions of these names, which stay where they are.
            pub unsafe fn load(
                names: Names,
                symbol: impl Fn(&'static str) -> Option<Pointer>,
            ) -> Result<Self, &'static str> {
                $(
                    let name = names.of($cuda, $hip);
                    let address = symbol(name).ok_or(name)?;
                    // SAFETY: the caller finds the function of this name, which has this signature.
                    let $call = unsafe {
                        std::mem::transmute::<Pointer, unsafe extern "C" fn($($kind),*) -> Status>(address)
                    };
                )*
                Ok(Self { names, $($call),* })
            }

            $(
                #[doc = concat!("`", $cuda, "`, `", $hip, "`.")]
                ///
                /// # Safety
                /// What the driver's documentation asks of the arguments.
                // As many as the driver has.
                #[allow(clippy::too_many_arguments)]
                pub unsafe fn $call(&self, $($argument: $kind),*) -> Answer {
                    // SAFETY: the caller's.
                    let status = unsafe { (self.$call)($($argument),*) };
                    Answer::of(self.names.of($cuda, $hip), status)
                }
            )*

            /// The rows' names in CUDA and in HIP.
            #[cfg(test)]
            pub(crate) const ROWS: &'static [[&'static str; 2]] = &[$([$cuda, $hip]),*];
        }
    };
}

calls! {
    /// What every use of a device needs.
    Calls {
        allocate(address: *mut Address, bytes: usize) = "cuMemAlloc_v2", "hipMalloc";
        free(address: Address) = "cuMemFree_v2", "hipFree";
        copy_in(to: Address, from: *const c_void, bytes: usize) = "cuMemcpyHtoD_v2", "hipMemcpyHtoD";
        copy_out(to: *mut c_void, from: Address, bytes: usize) = "cuMemcpyDtoH_v2", "hipMemcpyDtoH";
        enqueue_copy_in(to: Address, from: *const c_void, bytes: usize, stream: Pointer)
            = "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync";
        enqueue_copy_out(to: *mut c_void, from: Address, bytes: usize, stream: Pointer)
            = "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync";
        enqueue_copy(to: Address, from: Address, bytes: usize, stream: Pointer)
            = "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync";
        enqueue_clear(to: Address, word: c_uint, words: usize, stream: Pointer)
            = "cuMemsetD32Async", "hipMemsetD32Async";
        load_module(module: *mut Pointer, code: *const c_void) = "cuModuleLoadData", "hipModuleLoadData";
        unload_module(module: Pointer) = "cuModuleUnload", "hipModuleUnload";
        module_function(function: *mut Pointer, module: Pointer, name: *const c_char)
            = "cuModuleGetFunction", "hipModuleGetFunction";
        function_attribute(value: *mut c_int, attribute: c_int, function: Pointer)
            = "cuFuncGetAttribute", "hipFuncGetAttribute";
        launch(
            function: Pointer, blocks_x: c_uint, blocks_y: c_uint, blocks_z: c_uint, threads_x: c_uint,
            threads_y: c_uint, threads_z: c_uint, shared_bytes: c_uint, stream: Pointer,
            parameters: *mut *mut c_void, extra: *mut *mut c_void,
        ) = "cuLaunchKernel", "hipModuleLaunchKernel";
        create_stream(stream: *mut Pointer, flags: c_uint) = "cuStreamCreate", "hipStreamCreateWithFlags";
        wait_for_stream(stream: Pointer) = "cuStreamSynchronize", "hipStreamSynchronize";
        query_stream(stream: Pointer) = "cuStreamQuery", "hipStreamQuery";
        follow_event(stream: Pointer, event: Pointer, flags: c_uint)
            = "cuStreamWaitEvent", "hipStreamWaitEvent";
        destroy_stream(stream: Pointer) = "cuStreamDestroy_v2", "hipStreamDestroy";
        create_event(event: *mut Pointer, flags: c_uint) = "cuEventCreate", "hipEventCreateWithFlags";
        record_event(event: Pointer, stream: Pointer) = "cuEventRecord", "hipEventRecord";
        wait_for_event(event: Pointer) = "cuEventSynchronize", "hipEventSynchronize";
        elapsed(milliseconds: *mut f32, start: Pointer, end: Pointer)
            = "cuEventElapsedTime", "hipEventElapsedTime";
        destroy_event(event: Pointer) = "cuEventDestroy_v2", "hipEventDestroy";
    }
}

calls! {
    /// What graphs need; a driver without them runs everything else.
    GraphCalls {
        exchange_mode(mode: *mut c_int)
            = "cuThreadExchangeStreamCaptureMode", "hipThreadExchangeStreamCaptureMode";
        begin_capture(stream: Pointer, mode: c_int) = "cuStreamBeginCapture_v2", "hipStreamBeginCapture";
        end_capture(stream: Pointer, graph: *mut Pointer) = "cuStreamEndCapture", "hipStreamEndCapture";
        instantiate(executable: *mut Pointer, graph: Pointer, flags: u64)
            = "cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags";
        launch_graph(executable: Pointer, stream: Pointer) = "cuGraphLaunch", "hipGraphLaunch";
        destroy_executable(executable: Pointer) = "cuGraphExecDestroy", "hipGraphExecDestroy";
        destroy_graph(graph: Pointer) = "cuGraphDestroy", "hipGraphDestroy";
    }
}

/// Where memory is: `CUmemLocation`, `hipMemLocation`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Location {
    kind: c_int,
    device: c_int,
}

/// What memory is made: `CUmemAllocationProp`, `hipMemAllocationProp`, whose last words HIP leaves out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Properties {
    kind: c_int,
    handles: c_int,
    location: Location,
    metadata: Pointer,
    flags: [u8; 8],
}

/// Who reads and writes memory: `CUmemAccessDesc`, `hipMemAccessDesc`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Access {
    location: Location,
    flags: c_int,
}

impl Properties {
    /// Ordinary memory of a device, by the driver's number for it.
    pub(crate) fn of(device: c_int) -> Properties {
        Properties {
            // `CU_MEM_ALLOCATION_TYPE_PINNED`, `hipMemAllocationTypePinned`.
            kind: 1,
            handles: 0,
            location: Location::of(device),
            metadata: std::ptr::null_mut(),
            flags: [0; 8],
        }
    }
}

impl Location {
    fn of(device: c_int) -> Location {
        // `CU_MEM_LOCATION_TYPE_DEVICE`, `hipMemLocationTypeDevice`.
        Location { kind: 1, device }
    }
}

impl Access {
    /// A device reads and writes.
    pub(crate) fn both(device: c_int) -> Access {
        Access {
            location: Location::of(device),
            // `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`, `hipMemAccessFlagsProtReadWrite`.
            flags: 3,
        }
    }
}

calls! {
    /// What memory over several devices needs; a driver without them runs everything else.
    PeerCalls {
        reaches(whether: *mut c_int, device: c_int, other: c_int)
            = "cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer";
        granule(bytes: *mut usize, properties: *const Properties, option: c_int)
            = "cuMemGetAllocationGranularity", "hipMemGetAllocationGranularity";
        reserve(address: *mut Address, bytes: usize, alignment: usize, wanted: Address, flags: u64)
            = "cuMemAddressReserve", "hipMemAddressReserve";
        free_addresses(address: Address, bytes: usize) = "cuMemAddressFree", "hipMemAddressFree";
        create(handle: *mut u64, bytes: usize, properties: *const Properties, flags: u64)
            = "cuMemCreate", "hipMemCreate";
        release(handle: u64) = "cuMemRelease", "hipMemRelease";
        map(address: Address, bytes: usize, offset: usize, handle: u64, flags: u64)
            = "cuMemMap", "hipMemMap";
        unmap(address: Address, bytes: usize) = "cuMemUnmap", "hipMemUnmap";
        allow(address: Address, bytes: usize, who: *const Access, count: usize)
            = "cuMemSetAccess", "hipMemSetAccess";
    }
}

calls! {
    /// The run-time compiler.
    CompilerCalls {
        create_program(
            program: *mut Pointer, source: *const c_char, name: *const c_char, headers: c_int,
            texts: *const *const c_char, names: *const *const c_char,
        ) = "nvrtcCreateProgram", "hiprtcCreateProgram";
        compile_program(program: Pointer, count: c_int, options: *const *const c_char)
            = "nvrtcCompileProgram", "hiprtcCompileProgram";
        destroy_program(program: *mut Pointer) = "nvrtcDestroyProgram", "hiprtcDestroyProgram";
        log_size(program: Pointer, bytes: *mut usize)
            = "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize";
        log(program: Pointer, text: *mut c_char) = "nvrtcGetProgramLog", "hiprtcGetProgramLog";
        code_size(program: Pointer, bytes: *mut usize) = "nvrtcGetCUBINSize", "hiprtcGetCodeSize";
        code(program: Pointer, code: *mut c_char) = "nvrtcGetCUBIN", "hiprtcGetCode";
    }
}
