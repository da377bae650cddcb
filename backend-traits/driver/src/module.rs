//! A loaded piece of machine code and its one kernel.

use crate::calls::{Raw, OUT_OF_MEMORY};
use crate::{refused, Context, Interface, Stream};
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_int, c_uint, c_void, CString};
use std::sync::Arc;

// `CUfunction_attribute`, `hipFunction_attribute`.
const MAX_THREADS_PER_BLOCK: c_int = 0;
const SHARED_SIZE_BYTES: c_int = 1;
const LOCAL_SIZE_BYTES: c_int = 3;
const NUM_REGS: c_int = 4;

/// A kernel on a device, unloaded when dropped.
#[derive(Debug)]
pub(crate) struct Module<I: Interface> {
    context: Arc<Context<I>>,
    module: Raw,
    function: Raw,
    threads: c_uint,
    shared_bytes: c_uint,
    registers: usize,
    local_bytes: usize,
}

impl<I: Interface> Module<I> {
    /// Loads machine code and makes its kernel ready for blocks of `threads` with `shared_bytes`, of a device
    /// that has `shared_most` for one.
    pub fn load(
        context: &Arc<Context<I>>,
        code: &[u8],
        entry: &str,
        threads: usize,
        shared_bytes: usize,
        shared_most: usize,
    ) -> Result<Module<I>> {
        let (api, calls) = (context.api(), context.calls());
        let name = CString::new(entry)
            .map_err(|_| refused::<I>(format!("a kernel's name holds a zero: {entry:?}")))?;
        let unsupported = |what: String, instead: String| Error::Unsupported {
            what: format!("{entry} {what}"),
            backend: I::BACKEND.into(),
            instead,
        };
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
        // SAFETY: writes one handle. Machine code carries its own size: it came from the compiler, or from the
        // cache, whose checksum says that it did.
        let answer = unsafe { calls.load_module(&mut module.module.0, code.as_ptr().cast()) };
        if answer.status == OUT_OF_MEMORY {
            return Err(Error::OutOfMemory {
                backend: I::BACKEND.into(),
                what: format!("the code of {entry}"),
                bytes: code.len(),
            });
        }
        api.check(answer)?;
        // SAFETY: writes one handle, which lives as long as the module; the name ends in a zero.
        let answer = unsafe {
            calls.module_function(&mut module.function.0, module.module.0, name.as_ptr())
        };
        api.check(answer)?;

        // Asking now also makes the driver load code that it would else load lazily, in the middle of the first
        // launch.
        let most = module.attribute(MAX_THREADS_PER_BLOCK)?;
        if threads == 0 || threads > most {
            return Err(unsupported(
                format!("in blocks of {threads} threads"),
                format!("use blocks of 1 to {most} threads, as its registers allow"),
            ));
        }
        module.registers = module.attribute(NUM_REGS)?;
        module.local_bytes = module.attribute(LOCAL_SIZE_BYTES)?;
        let most = shared_most.saturating_sub(module.attribute(SHARED_SIZE_BYTES)?);
        if shared_bytes > most {
            return Err(unsupported(
                format!("with {shared_bytes} bytes of shared memory a block"),
                format!("use at most {most} bytes"),
            ));
        }
        if shared_bytes > I::SHARED_UNASKED {
            // SAFETY: the function is there.
            unsafe { I::ask_shared(api, module.function.0, shared_bytes)? };
        }
        Ok(module)
    }

    fn attribute(&self, attribute: c_int) -> Result<usize> {
        let mut value: c_int = 0;
        let calls = self.context.calls();
        // SAFETY: writes one int; the function lives as long as `self`.
        let answer = unsafe { calls.function_attribute(&mut value, attribute, self.function.0) };
        self.context.api().check(answer)?;
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

    /// The device that the module is loaded on.
    pub fn context(&self) -> &Arc<Context<I>> {
        &self.context
    }

    /// Enqueues the kernel, whose parameter these arguments are. What they point to is the caller's to answer for, as for every launch:
    /// [`crate::Kernel`] takes them from memory that is there.
    pub fn enqueue<A: Copy>(
        self: &Arc<Self>,
        stream: &Stream<I>,
        blocks: u32,
        mut arguments: A,
    ) -> Result<()> {
        stream.keep(self);
        let _entered = self.context.enter()?;
        let mut parameters = [std::ptr::from_mut(&mut arguments).cast::<c_void>()];
        // SAFETY: the function takes one parameter, of which the driver makes a copy before it
        // returns; function and stream are there. Numbers that the device cannot take are errors.
        let answer = unsafe {
            self.context.calls().launch(
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
        self.context.api().check(answer)
    }
}

impl<I: Interface> Drop for Module<I> {
    fn drop(&mut self) {
        if self.module == Raw::NULL {
            return;
        }
        if let Ok(entered) = self.context.enter_beside_capture() {
            // The kernel may still be running, and neither vendor says that unloading its code waits. An error
            // is one that an earlier launch left.
            let _ = self.context.wait(&entered);
            // SAFETY: loaded here, unloaded once.
            let _ = unsafe { self.context.calls().unload_module(self.module.0) };
        }
    }
}
