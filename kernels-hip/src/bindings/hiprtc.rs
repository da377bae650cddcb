//! hipRTC, the run-time compiler.

use super::library::open;
use super::Hip;
use mmafft_driver::calls::{symbol, Names};
use mmafft_driver::RuntimeCompiler;
use std::sync::OnceLock;

/// The compiler: a library of its own from HIP 5.3 on, part of the runtime before. Why there is none, otherwise.
/// Looked for once.
pub fn hiprtc() -> Result<&'static RuntimeCompiler, String> {
    static HIPRTC: OnceLock<Result<RuntimeCompiler, String>> = OnceLock::new();
    let find = || {
        let library = match (open("libhiprtc"), Hip::open()) {
            (Ok(own), _) => own,
            (Err(_), Ok(hip)) => hip.own.library,
            (Err(reason), Err(_)) => return Err(reason),
        };
        // SAFETY: the library holds hipRTC, by its name or as the runtime of its time does, and `open` never
        // closes it.
        let compiler = unsafe { RuntimeCompiler::load(Names::Hip, |name| symbol(library, name)) };
        compiler.map_err(|name| format!("there is no function {name}"))
    };
    HIPRTC.get_or_init(find).as_ref().map_err(String::clone)
}
