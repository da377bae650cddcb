//! A device's primary context, which the CUDA runtime and every library in the process
//! share: memory, streams and kernels of theirs and of ours can be used together.

use super::driver::{Cuda, Handle};
use super::functions::Status;
use super::Raw;
use mmafft_backend_traits::Result;
use std::ffi::c_int;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`.
const RELAXED: c_int = 2;

/// A primary context, retained until dropped.
pub struct Context {
    device: Handle,
    raw: Raw,
}

impl Context {
    /// Retains the device's primary context.
    pub fn retain(device: Handle) -> Result<Context> {
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; the device came from the driver.
        let status =
            unsafe { (device.cuda.functions.cuDevicePrimaryCtxRetain)(&mut raw.0, device.device) };
        device.cuda.check("cuDevicePrimaryCtxRetain", status)?;
        Ok(Context { device, raw })
    }

    pub(super) fn cuda(&self) -> &'static Cuda {
        self.device.cuda
    }

    pub(super) fn check(&self, call: &str, status: Status) -> Result<()> {
        self.cuda().check(call, status)
    }

    /// Whether both are of one device. There may be several of one, retained at different
    /// times.
    pub fn same(&self, other: &Context) -> bool {
        self.raw == other.raw
    }

    /// Makes the context the calling thread's until the guard is dropped. A thread that had
    /// none keeps it: nothing of the thread's owner can depend on having none.
    pub(super) fn enter(&self) -> Result<Entered<'_>> {
        let functions = &self.cuda().functions;
        let mut previous = Raw::NULL;
        // SAFETY: writes one handle.
        let status = unsafe { (functions.cuCtxGetCurrent)(&mut previous.0) };
        self.check("cuCtxGetCurrent", status)?;
        if previous == self.raw {
            previous = Raw::NULL;
        } else {
            // SAFETY: the context is retained.
            let status = unsafe { (functions.cuCtxSetCurrent)(self.raw.0) };
            self.check("cuCtxSetCurrent", status)?;
        }
        Ok(Entered {
            context: self,
            previous,
            mode: None,
        })
    }

    /// As [`Context::enter`], for calls that do not belong to what the thread may be
    /// recording into a graph and must not end it: allocating, freeing, loading.
    pub(super) fn enter_beside_capture(&self) -> Result<Entered<'_>> {
        let mut entered = self.enter()?;
        let mut mode = RELAXED;
        // SAFETY: reads the thread's new mode from, and writes the old one to, one int.
        let status =
            unsafe { (self.cuda().functions.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        self.check("cuThreadExchangeStreamCaptureMode", status)?;
        entered.mode = Some(mode);
        Ok(entered)
    }

    /// Waits for everything on the device.
    pub fn synchronize(&self) -> Result<()> {
        let _entered = self.enter()?;
        // SAFETY: a context is current.
        let status = unsafe { (self.cuda().functions.cuCtxSynchronize)() };
        self.check("cuCtxSynchronize", status)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, released once. What lives in the context holds it by `Arc`.
        unsafe { (self.cuda().functions.cuDevicePrimaryCtxRelease_v2)(self.device.device) };
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.device.device)
    }
}

/// The time during which a context is the thread's. Not `Send`: it is about one thread.
pub(super) struct Entered<'a> {
    context: &'a Context,
    previous: Raw,
    mode: Option<c_int>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let functions = &self.context.cuda().functions;
        if let Some(mut mode) = self.mode {
            // SAFETY: the mode that the driver gave.
            unsafe { (functions.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        }
        if self.previous != Raw::NULL {
            // SAFETY: the context that was current in this thread. Should its owner have
            // destroyed it meanwhile, the driver answers with an error.
            unsafe { (functions.cuCtxSetCurrent)(self.previous.0) };
        }
    }
}
