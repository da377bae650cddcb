//! NVRTC, the run-time compiler.

use super::functions::{NvrtcFunctions, Pointer, Status};
use libloading::Library;
use std::ffi::{c_char, c_int, CStr, CString};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// An NVRTC: opened, and with every function in use.
pub struct Nvrtc {
    functions: NvrtcFunctions,
    /// Its version, as (13, 0).
    pub version: (u32, u32),
    /// What it compiles for: 90 for `sm_90`. In ascending order.
    pub architectures: Vec<u32>,
}

/// Why there is no code.
pub struct Failure {
    /// NVRTC's words.
    pub words: String,
    /// The compiler's log, if it got as far.
    pub log: String,
}

impl Nvrtc {
    /// Every NVRTC that the loader finds, one per version; a system may have one for CUDA
    /// 12 beside one for 13. Looked for once.
    pub fn all() -> &'static [Nvrtc] {
        static ALL: OnceLock<Vec<Nvrtc>> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut all: Vec<Nvrtc> = Vec::new();
            for name in cudarc::get_lib_name_candidates("nvrtc") {
                if let Some(nvrtc) = open(&name) {
                    if all.iter().all(|known| known.version != nvrtc.version) {
                        all.push(nvrtc);
                    }
                }
            }
            // NVRTC opens its second library, of built-in functions, by a bare name when it
            // first compiles. Opened here by path, it is found also where the loader does
            // not look; and where it is not there, NVRTC says so.
            for folder in folders() {
                open_builtins(&folder);
            }
            all
        })
    }

    /// Compiles a translation unit to machine code: the CUBIN and the log.
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
            nvrtc: self,
            raw: null_mut(),
        };
        // SAFETY: writes one handle; the texts end in zeros, and there are no headers.
        let status = unsafe {
            (self.functions.nvrtcCreateProgram)(
                &mut program.raw,
                source.as_ptr(),
                c"mmafft.cu".as_ptr(),
                0,
                null(),
                null(),
            )
        };
        self.check(status).map_err(|words| failure(&words))?;
        // SAFETY: the program is there, and as many options as are said.
        let status = unsafe {
            (self.functions.nvrtcCompileProgram)(
                program.raw,
                options.len() as c_int,
                options.as_ptr(),
            )
        };
        let functions = &self.functions;
        let log = program.text(
            functions.nvrtcGetProgramLogSize,
            functions.nvrtcGetProgramLog,
        );
        let log = String::from_utf8_lossy(&log.unwrap_or_default())
            .trim_end_matches('\0')
            .to_owned();
        let cubin = self
            .check(status)
            .and_then(|()| program.text(functions.nvrtcGetCUBINSize, functions.nvrtcGetCUBIN));
        match cubin {
            Ok(cubin) => Ok((cubin, log)),
            Err(words) => Err(Failure { words, log }),
        }
    }

    fn check(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: takes any status; gives a text that is never freed, or null.
        let text = unsafe { (self.functions.nvrtcGetErrorString)(status) };
        if text.is_null() {
            return Err(format!("error {status}"));
        }
        // SAFETY: not null.
        Err(unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned())
    }
}

/// A program of NVRTC's.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
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
        self.nvrtc.check(unsafe { size(self.raw, &mut bytes) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: writes as many bytes as its twin said.
        let status = unsafe { get(self.raw, text.as_mut_ptr().cast()) };
        self.nvrtc.check(status).map(|()| text)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created here, destroyed once.
            unsafe { (self.nvrtc.functions.nvrtcDestroyProgram)(&mut self.raw) };
        }
    }
}

fn open(name: &str) -> Option<Nvrtc> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    let library = unsafe { Library::new(name) }.ok()?;
    // Never closed: its functions are kept.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the library is NVRTC, by its name.
    let functions = unsafe { NvrtcFunctions::load(library) }.ok()?;

    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: writes two ints.
    if unsafe { (functions.nvrtcVersion)(&mut major, &mut minor) } != 0 {
        return None;
    }
    // SAFETY: writes one int.
    if unsafe { (functions.nvrtcGetNumSupportedArchs)(&mut count) } != 0 {
        return None;
    }
    let mut numbers: Vec<c_int> = vec![0; usize::try_from(count).ok()?];
    // SAFETY: writes as many ints as its twin said.
    if unsafe { (functions.nvrtcGetSupportedArchs)(numbers.as_mut_ptr()) } != 0 {
        return None;
    }
    let numbers = numbers.into_iter().filter_map(|n| u32::try_from(n).ok());
    let mut architectures: Vec<u32> = numbers.collect();
    architectures.sort_unstable();
    Some(Nvrtc {
        functions,
        version: (u32::try_from(major).ok()?, u32::try_from(minor).ok()?),
        architectures,
    })
}

/// Where the NVRTCs of this process lie, as Linux tells; elsewhere nobody does, and the
/// second library must lie where the loader looks.
fn folders() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let nvrtc = paths.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("libnvrtc.so"))
    });
    let mut folders: Vec<PathBuf> = nvrtc
        .filter_map(|path| path.parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    folders
}

fn open_builtins(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("libnvrtc-builtins.so") {
            // SAFETY: as for NVRTC itself, beside which it lies and which would open it.
            if let Ok(library) = unsafe { Library::new(entry.path()) } {
                std::mem::forget(library);
            }
        }
    }
}
