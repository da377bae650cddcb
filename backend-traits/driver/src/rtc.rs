//! The run-time compiler: NVRTC, or hipRTC, which is made after it.

use crate::calls::{Answer, CompilerCalls, Names, Pointer, Status};
use crate::Compiled;
use mmafft_backend_traits::device::errors_of;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_char, c_int, CStr, CString};
use std::ptr::{null, null_mut};

/// A run-time compiler: opened, and with every function in use.
pub struct RuntimeCompiler {
    calls: CompilerCalls,
    names: Names,
    words: unsafe extern "C" fn(Status) -> *const c_char,
}

impl RuntimeCompiler {
    /// The compiler, or the name of the first function that is missing.
    ///
    /// # Safety
    /// What `symbol` finds are the compiler's functions of these names, which stay where they are.
    pub unsafe fn load(
        names: Names,
        symbol: impl Fn(&'static str) -> Option<Pointer>,
    ) -> std::result::Result<RuntimeCompiler, &'static str> {
        let name = names.of("nvrtcGetErrorString", "hiprtcGetErrorString");
        let words = symbol(name).ok_or(name)?;
        Ok(RuntimeCompiler {
            // SAFETY: the caller's.
            calls: unsafe { CompilerCalls::load(names, symbol) }?,
            names,
            // SAFETY: the caller finds the function of this name, which has this signature.
            words: unsafe {
                std::mem::transmute::<Pointer, unsafe extern "C" fn(Status) -> *const c_char>(words)
            },
        })
    }

    /// Compiles a translation unit to machine code of an architecture, by these options. An architecture that it does not
    /// know may end the process.
    ///
    /// # Errors
    /// `Device` with the compiler's `version`, its words, and the first lines of its log, if it got as far.
    pub fn compile(
        &self,
        source: &str,
        options: &[String],
        [version, architecture]: [&str; 2],
    ) -> Result<Compiled> {
        let failed = |words: &str, log: &str| Error::Device {
            backend: self.names.of("cuda", "hip").into(),
            message: format!(
                "{} {version} did not compile a kernel for {architecture}: {words}\n{}",
                self.names.of("NVRTC", "hipRTC"),
                errors_of(log)
            ),
            output_touched: false,
        };
        let zero = |_| failed("the source or an option holds a zero", "");
        let source = CString::new(source).map_err(zero)?;
        let options = options.iter().map(|o| CString::new(o.as_str()));
        let options: Vec<CString> = options
            .collect::<std::result::Result<_, _>>()
            .map_err(zero)?;
        let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let name = match self.names {
            Names::Cuda => c"mmafft.cu",
            Names::Hip => c"mmafft.hip",
        };

        let mut program = Program {
            compiler: self,
            raw: null_mut(),
        };
        // SAFETY: writes one handle; the texts end in zeros, and there are no headers.
        let answer = unsafe {
            self.calls.create_program(
                &mut program.raw,
                source.as_ptr(),
                name.as_ptr(),
                0,
                null(),
                null(),
            )
        };
        self.check(answer).map_err(|words| failed(&words, ""))?;
        let count = options.len() as c_int;
        // SAFETY: the program is there, and as many options as are said.
        let answer = unsafe {
            self.calls
                .compile_program(program.raw, count, options.as_ptr())
        };
        let log = program.text(CompilerCalls::log_size, CompilerCalls::log);
        let log = String::from_utf8_lossy(&log.unwrap_or_default())
            .trim_end_matches('\0')
            .to_owned();
        let code = self
            .check(answer)
            .and_then(|()| program.text(CompilerCalls::code_size, CompilerCalls::code));
        match code {
            Ok(code) => Ok(Compiled { code, log }),
            Err(words) => Err(failed(&words, &log)),
        }
    }

    fn check(&self, answer: Answer) -> std::result::Result<(), String> {
        let status = answer.status;
        if status == 0 {
            return Ok(());
        }
        // SAFETY: takes any status; gives a text that is never freed, or null.
        let text = unsafe { (self.words)(status) };
        if text.is_null() {
            return Err(format!("error {status}"));
        }
        // SAFETY: not null.
        Err(unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned())
    }
}

/// A program of the compiler's.
struct Program<'a> {
    compiler: &'a RuntimeCompiler,
    raw: Pointer,
}

impl Program<'_> {
    /// What the second function writes, of the size that the first one says.
    fn text(
        &self,
        size: unsafe fn(&CompilerCalls, Pointer, *mut usize) -> Answer,
        get: unsafe fn(&CompilerCalls, Pointer, *mut c_char) -> Answer,
    ) -> std::result::Result<Vec<u8>, String> {
        let calls = &self.compiler.calls;
        let mut bytes = 0;
        // SAFETY: writes one size; the program is there.
        self.compiler
            .check(unsafe { size(calls, self.raw, &mut bytes) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: writes as many bytes as its twin said.
        let answer = unsafe { get(calls, self.raw, text.as_mut_ptr().cast()) };
        self.compiler.check(answer).map(|()| text)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created here, destroyed once.
            let _ = unsafe { self.compiler.calls.destroy_program(&mut self.raw) };
        }
    }
}
