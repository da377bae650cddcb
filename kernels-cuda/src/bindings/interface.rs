//! What CUDA has in its own way.

use super::driver::{Cuda, Handle};
use crate::compile::Compiler;
use crate::device::{describe, Device};
use mmafft_backend_traits::Result;
use mmafft_driver::calls::{Answer, Names, Pointer, Raw, Status};
use mmafft_driver::{no_device, Api, Found, Interface, OpenDevices};
use std::ffi::{c_char, c_int, CStr};
use std::sync::OnceLock;

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;

/// A device's primary context, which the CUDA runtime and every library in the process share; retained until
/// dropped.
pub struct Primary {
    device: Handle,
    raw: Raw,
}

impl Drop for Primary {
    fn drop(&mut self) {
        let functions = &self.device.api.own.functions;
        // SAFETY: retained once, released once. What lives in the context holds it by `Arc`.
        unsafe { (functions.cuDevicePrimaryCtxRelease_v2)(self.device.device) };
    }
}

impl Interface for Cuda {
    const BACKEND: &'static str = "cuda";
    const NAMES: Names = Names::Cuda;
    // What a kernel that went wrong leaves behind: every later call on the context fails with
    // the same number. From `cuda.h`: "This leaves the process in an inconsistent state and any
    // further CUDA work will return the same error." Uncorrectable memory and link errors,
    // whatever `CUDA_ERROR_UNKNOWN` stands for, and a destroyed context go with them.
    const STICKY: &'static [Status] = &[
        214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999,
    ];
    const AFTER_STICKY: &'static str =
        "this process cannot use the device again: start it anew, and under \
         `compute-sanitizer` to find the kernel";
    const WITHOUT_GRAPHS: [&'static str; 2] = [
        "this NVIDIA driver",
        "install a driver of CUDA 11.4 or later",
    ];
    const NULL_ENDS_RECORDINGS: bool = false;
    const TURNS: bool = true;
    const SHARED_UNASKED: usize = 48 << 10;

    type Device = Device;
    type Compiler = Compiler;
    type Held = Primary;
    type Current = Raw;

    fn open_devices() -> &'static OpenDevices<Cuda> {
        static OPEN: OnceLock<OpenDevices<Cuda>> = OnceLock::new();
        OPEN.get_or_init(OpenDevices::default)
    }

    fn find(ordinal: usize) -> Result<Found<Cuda>> {
        let api = Cuda::open()?;
        let count = Cuda::count(api)?;
        if ordinal >= count {
            return Err(no_device::<Self>(
                format!("there is no device {ordinal}: the driver shows {count}, from 0"),
                "choose one that `nvidia-smi` lists, and check CUDA_VISIBLE_DEVICES",
            ));
        }
        let device = describe(api, ordinal)?;
        device.check()?;
        let compiler = Compiler::find(&device.architecture, Some(Cuda::version(api)?))?;
        Ok(Found {
            api,
            limits: device.limits(),
            geometry: device.geometry(),
            device,
            compiler,
        })
    }

    fn hold(api: &'static Api<Cuda>, ordinal: usize) -> Result<Primary> {
        let device = Cuda::device(api, ordinal)?;
        let mut raw = Raw::NULL;
        // SAFETY: writes one handle; the device came from the driver.
        let status =
            unsafe { (api.own.functions.cuDevicePrimaryCtxRetain)(&mut raw.0, device.device) };
        api.check(Answer::of("cuDevicePrimaryCtxRetain", status))?;
        Ok(Primary { device, raw })
    }

    fn of(held: &Primary) -> Raw {
        held.raw
    }

    fn number(held: &Primary) -> c_int {
        held.device.device
    }

    fn current(api: &Api<Cuda>) -> Result<Option<Raw>> {
        let mut current = Raw::NULL;
        // SAFETY: writes one handle.
        let status = unsafe { (api.own.functions.cuCtxGetCurrent)(&mut current.0) };
        api.check(Answer::of("cuCtxGetCurrent", status))?;
        Ok((current != Raw::NULL).then_some(current))
    }

    unsafe fn make_current(api: &Api<Cuda>, current: Raw) -> Result<()> {
        // SAFETY: the context is retained, or was the thread's own.
        let status = unsafe { (api.own.functions.cuCtxSetCurrent)(current.0) };
        api.check(Answer::of("cuCtxSetCurrent", status))
    }

    unsafe fn ask_shared(api: &Api<Cuda>, function: Pointer, bytes: usize) -> Result<()> {
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        let set = api.own.functions.cuFuncSetAttribute;
        // SAFETY: the function is there, as the caller says.
        let status = unsafe { set(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes) };
        api.check(Answer::of("cuFuncSetAttribute", status))
    }

    fn words(&self, status: Status) -> String {
        let ask = |function: unsafe extern "C" fn(Status, *mut *const c_char) -> Status| {
            let mut text = std::ptr::null();
            // SAFETY: the function writes one pointer, null for a status that it does not know.
            let known = unsafe { function(status, &mut text) } == 0 && !text.is_null();
            // SAFETY: not null, so the driver's own text, which is never freed.
            known.then(|| {
                unsafe { CStr::from_ptr(text) }
                    .to_string_lossy()
                    .into_owned()
            })
        };
        let name =
            ask(self.functions.cuGetErrorName).unwrap_or_else(|| "unknown to this driver".into());
        let text = ask(self.functions.cuGetErrorString).unwrap_or_else(|| "an error".into());
        format!("{text} ({name}, {status})")
    }
}
