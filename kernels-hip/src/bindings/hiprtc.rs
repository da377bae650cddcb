//! hipRTC, the run-time compiler.

use super::functions::{HiprtcFunctions, Pointer, Status};
use super::library::open;
use super::Hip;
use std::ffi::{c_char, c_int, CStr, CString};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// hipRTC: opened, and with every function in use.
pub struct Hiprtc {
    functions: HiprtcFunctions,
}

/// Why there is no code.
pub struct Failure {
    /// hipRTC's words.
    pub words: String,
    /// The compiler's log, if it got as far.
    pub log: String,
}

impl Hiprtc {
    /// The compiler: a library of its own from HIP 5.3 on, part of the runtime before. Why
    /// there is none, otherwise. Looked for once.
    pub fn open() -> Result<&'static Hiprtc, String> {
        static HIPRTC: OnceLock<Result<Hiprtc, String>> = OnceLock::new();
        let find = || {
            let library = match (open("libhiprtc"), Hip::open()) {
                (Ok(own), _) => own,
                (Err(_), Ok(hip)) => hip.library,
                (Err(reason), Err(_)) => return Err(reason),
            };
            // SAFETY: the library holds hipRTC, by its name or as the runtime of its time
            // does, and `open` never closes it.
            let functions = unsafe { HiprtcFunctions::load(library) };
            let functions = functions.map_err(|name| format!("there is no function {name}"))?;
            Ok(Hiprtc { functions })
        };
        HIPRTC.get_or_init(find).as_ref().map_err(String::clone)
    }

    /// Compiles a translation unit to machine code: the code object and the log. An
    /// architecture that it does not know may end the process.
    pub fn compile(&self, source: &str, options: &[String]) -> Result<(Vec<u8>, String), Failure> {
        let failure = |words: &str| Failure {
            words: words.into(),
            log: String::new(),
        };
        let zero = |_| failure("the source or an option holds a zero");
        let source = CString::new(source).map_err(zero)?;
        let options: Result<Vec<CString>, _> =
            options.iter().map(|o| CString::new(o.as_str())).collect();
        let options = options.map_err(zero)?;
        let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();

        let mut program = Program {
            hiprtc: self,
            raw: null_mut(),
        };
        // SAFETY: writes one handle; the texts end in zeros, and there are no headers.
        let status = unsafe {
            (self.functions.hiprtcCreateProgram)(
                &mut program.raw,
                source.as_ptr(),
                c"mmafft.hip".as_ptr(),
                0,
                null(),
                null(),
            )
        };
        self.check(status).map_err(|words| failure(&words))?;
        // SAFETY: the program is there, and as many options as are said.
        let status = unsafe {
            (self.functions.hiprtcCompileProgram)(
                program.raw,
                options.len() as c_int,
                options.as_ptr(),
            )
        };
        let functions = &self.functions;
        let log = program.text(
            functions.hiprtcGetProgramLogSize,
            functions.hiprtcGetProgramLog,
        );
        let log = String::from_utf8_lossy(&log.unwrap_or_default())
            .trim_end_matches('\0')
            .to_owned();
        let code = self
            .check(status)
            .and_then(|()| program.text(functions.hiprtcGetCodeSize, functions.hiprtcGetCode));
        match code {
            Ok(code) => Ok((code, log)),
            Err(words) => Err(Failure { words, log }),
        }
    }

    fn check(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: takes any status; gives a text that is never freed, or null.
        let text = unsafe { (self.functions.hiprtcGetErrorString)(status) };
        if text.is_null() {
            return Err(format!("error {status}"));
        }
        // SAFETY: not null.
        Err(unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned())
    }
}

/// A program of hipRTC's.
struct Program<'a> {
    hiprtc: &'a Hiprtc,
    raw: Pointer,
}

impl Program<'_> {
    /// What the second function writes, of the size that the first one says.
    fn text(
        &self,
        size: unsafe extern "C" fn(Pointer, *mut usize) -> Status,
        get: unsafe extern "C" fn(Pointer, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, String> {
        let mut bytes = 0;
        // SAFETY: writes one size; the program is there.
        self.hiprtc.check(unsafe { size(self.raw, &mut bytes) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: writes as many bytes as its twin said.
        let status = unsafe { get(self.raw, text.as_mut_ptr().cast()) };
        self.hiprtc.check(status).map(|()| text)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created here, destroyed once.
            unsafe { (self.hiprtc.functions.hiprtcDestroyProgram)(&mut self.raw) };
        }
    }
}
