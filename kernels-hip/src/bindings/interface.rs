//! What HIP has in its own way.

use super::driver::Hip;
use crate::compile::Compiler;
use crate::device::{describe, nodes, Device};
use mmafft_backend_traits::Result;
use mmafft_driver::calls::{Answer, Names, Pointer, Status};
use mmafft_driver::{no_device, Api, Found, Interface, OpenDevices};
use std::ffi::{c_char, c_int, CStr};
use std::sync::OnceLock;

/// HIP has no contexts of its own: a thread has a current device, by its number.
impl Interface for Hip {
    const BACKEND: &'static str = "hip";
    const NAMES: Names = Names::Hip;
    // What a kernel that went wrong leaves behind (illegal address, assertion, launch failure),
    // and `hipErrorUnknown`: later calls may fail with the same.
    const STICKY: &'static [Status] = &[700, 710, 719, 999];
    const AFTER_STICKY: &'static str =
        "this process may not use the device again: start it anew, with \
         AMD_LOG_LEVEL=3 to find the kernel";
    const WITHOUT_GRAPHS: [&'static str; 2] = ["this HIP runtime", "install ROCm 5.3 or later"];
    const NULL_ENDS_RECORDINGS: bool = true;
    // What a device has for a block, every kernel may have.
    // No device was there to try it on.
    const TURNS: bool = false;
    const SHARED_UNASKED: usize = usize::MAX;

    type Device = Device;
    type Compiler = Compiler;
    type Held = c_int;
    type Current = c_int;

    fn open_devices() -> &'static OpenDevices<Hip> {
        static OPEN: OnceLock<OpenDevices<Hip>> = OnceLock::new();
        OPEN.get_or_init(OpenDevices::default)
    }

    fn find(ordinal: usize) -> Result<Found<Hip>> {
        let api = Hip::open()?;
        let count = Hip::count(api)?;
        if ordinal >= count {
            return Err(no_device::<Self>(
                format!("there is no device {ordinal}: the runtime shows {count}, from 0"),
                "choose one that `rocminfo` lists, and check HIP_VISIBLE_DEVICES",
            ));
        }
        let device = describe(Hip::device(api, ordinal)?, ordinal, &nodes())?;
        device.check()?;
        let compiler = Compiler::find(&device.architecture)?;
        Ok(Found {
            api,
            limits: device.limits(),
            geometry: device.geometry(),
            device,
            compiler,
        })
    }

    fn hold(api: &'static Api<Hip>, ordinal: usize) -> Result<c_int> {
        Ok(Hip::device(api, ordinal)?.device)
    }

    fn of(held: &c_int) -> c_int {
        *held
    }

    fn number(held: &c_int) -> c_int {
        *held
    }

    fn current(api: &Api<Hip>) -> Result<Option<c_int>> {
        let mut current: c_int = 0;
        // SAFETY: writes one int.
        let status = unsafe { (api.own.functions.hipGetDevice)(&mut current) };
        api.check(Answer::of("hipGetDevice", status))?;
        Ok(Some(current))
    }

    unsafe fn make_current(api: &Api<Hip>, current: c_int) -> Result<()> {
        // SAFETY: the device is one that the runtime counted.
        let status = unsafe { (api.own.functions.hipSetDevice)(current) };
        api.check(Answer::of("hipSetDevice", status))
    }

    unsafe fn ask_shared(_: &Api<Hip>, _: Pointer, _: usize) -> Result<()> {
        Ok(())
    }

    fn words(&self, status: Status) -> String {
        // SAFETY: the functions take any number, and return strings that are never freed.
        let text = borrowed(unsafe { (self.functions.hipGetErrorString)(status) });
        // SAFETY: as above.
        let name = borrowed(unsafe { (self.functions.hipGetErrorName)(status) });
        match text == name {
            true => format!("{name} ({status})"), // HIP 5.2 has no words.
            false => format!("{text} ({name}, {status})"),
        }
    }
}

fn borrowed(text: *const c_char) -> String {
    if text.is_null() {
        return "unknown error".into();
    }
    // SAFETY: not null; the caller has it from a function that returns constant strings.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
