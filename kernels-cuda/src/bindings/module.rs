//! A loaded CUBIN and its one kernel.

use super::driver::{refused, Attribute};
use super::status::OUT_OF_MEMORY;
use super::{Context, CudaStream, Raw};
use crate::BACKEND;
use mmafft_backend_traits::device::Arguments;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_int, c_uint, c_void, CString};
use std::sync::Arc;

// `CUfunction_attribute`.
const MAX_THREADS_PER_BLOCK: c_int = 0;
const SHARED_SIZE_BYTES: c_int = 1;
const LOCAL_SIZE_BYTES: c_int = 3;
const NUM_REGS: c_int = 4;
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;

/// Shared memory that every kernel may have without asking.
const SHARED_UNASKED: usize = 48 << 10;

/// Shared memory that a kernel may ask for.
const SHARED_ASKED: Attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;

/// A kernel on a device, unloaded when dropped.
#[derive(Debug)]
pub struct Module {
    context: Arc<Context>,
    module: Raw,
    function: Raw,
    threads: c_uint,
    shared_bytes: c_uint,
    registers: usize,
    local_bytes: usize,
}

impl Module {
    /// Loads a CUBIN and makes its kernel ready for blocks of `threads` with `shared_bytes`.
    pub fn load(
        context: &Arc<Context>,
        cubin: &[u8],
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<Module> {
        let functions = &context.cuda().functions;
        let name = CString::new(entry)
            .map_err(|_| refused(format!("a kernel's name holds a zero: {entry:?}")))?;
        let _entered = context.enter_beside_capture()?;
        let mut module = Module {
            context: context.clone(),
            module: Raw::NULL,
            function: Raw::NULL,
            threads: threads as c_uint,
            shared_bytes: shared_bytes as c_uint,
            registers: 0,
            local_bytes: 0,
        };
        // SAFETY: writes one handle. A CUBIN carries its own size: it came from NVRTC, or
        // from the cache, whose checksum says that it did.
        let status =
            unsafe { (functions.cuModuleLoadData)(&mut module.module.0, cubin.as_ptr().cast()) };
        if status == OUT_OF_MEMORY {
            return Err(Error::OutOfMemory {
                backend: BACKEND.into(),
                what: format!("the code of {entry}"),
                bytes: cubin.len(),
            });
        }
        context.check("cuModuleLoadData", status)?;
        // SAFETY: writes one handle, which lives as long as the module; the name ends in a
        // zero.
        let status = unsafe {
            (functions.cuModuleGetFunction)(&mut module.function.0, module.module.0, name.as_ptr())
        };
        context.check("cuModuleGetFunction", status)?;

        // Asking now also makes the driver load code that it would else load lazily, in
        // the middle of the first launch.
        let most = module.attribute(MAX_THREADS_PER_BLOCK)?;
        if threads == 0 || threads > most {
            return Err(Error::Unsupported {
                what: format!("{entry} in blocks of {threads} threads"),
                backend: BACKEND.into(),
                instead: format!("use blocks of 1 to {most} threads, as its registers allow"),
            });
        }
        module.registers = module.attribute(NUM_REGS)?;
        module.local_bytes = module.attribute(LOCAL_SIZE_BYTES)?;
        if shared_bytes > SHARED_UNASKED {
            let most = context.device().attribute(SHARED_ASKED)?;
            let most = most.saturating_sub(module.attribute(SHARED_SIZE_BYTES)?);
            if shared_bytes > most {
                return Err(Error::Unsupported {
                    what: format!("{entry} with {shared_bytes} bytes of shared memory a block"),
                    backend: BACKEND.into(),
                    instead: format!("use at most {most} bytes"),
                });
            }
            let bytes = c_int::try_from(shared_bytes).unwrap_or(c_int::MAX);
            // SAFETY: the function is there.
            let status = unsafe {
                (functions.cuFuncSetAttribute)(
                    module.function.0,
                    MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    bytes,
                )
            };
            context.check(
                &format!("cuFuncSetAttribute for {shared_bytes} bytes of shared memory"),
                status,
            )?;
        }
        Ok(module)
    }

    fn attribute(&self, attribute: c_int) -> Result<usize> {
        let mut value: c_int = 0;
        // SAFETY: writes one int; the function lives as long as `self`.
        let status = unsafe {
            (self.context.cuda().functions.cuFuncGetAttribute)(
                &mut value,
                attribute,
                self.function.0,
            )
        };
        self.context.check("cuFuncGetAttribute", status)?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    /// Registers of a thread.
    pub fn registers(&self) -> usize {
        self.registers
    }

    /// Bytes of a thread outside its registers: spills, and arrays indexed at run time.
    pub fn local_bytes(&self) -> usize {
        self.local_bytes
    }

    /// The context that the module is loaded in.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Enqueues the kernel. What the arguments point to is the caller's to answer for, as
    /// for every launch: `crate::launch` takes them from memory that is there.
    pub fn enqueue(
        self: &Arc<Self>,
        stream: &CudaStream,
        blocks: u32,
        mut arguments: Arguments,
    ) -> Result<()> {
        stream.keep(self);
        let _entered = self.context.enter()?;
        let mut parameters = [std::ptr::from_mut(&mut arguments).cast::<c_void>()];
        // SAFETY: the function takes one parameter, `Arguments`, of which the driver makes
        // a copy before it returns; function and stream are there. Numbers that the device
        // cannot take are errors.
        let status = unsafe {
            (self.context.cuda().functions.cuLaunchKernel)(
                self.function.0,
                blocks,
                1,
                1,
                self.threads,
                1,
                1,
                self.shared_bytes,
                stream.raw().0,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.context.check("cuLaunchKernel", status)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.module == Raw::NULL {
            return;
        }
        let functions = &self.context.cuda().functions;
        if let Ok(entered) = self.context.enter_beside_capture() {
            // The kernel may still be running, and CUDA does not say that unloading its code
            // waits. An error is one that an earlier launch left.
            let _ = self.context.wait(&entered);
            // SAFETY: loaded here, unloaded once.
            unsafe { (functions.cuModuleUnload)(self.module.0) };
        }
    }
}
