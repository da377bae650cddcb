//! Memory and files as C has them.

use crate::library::{call, Library};
use crate::wisdom::Wisdom;
use libc::FILE;
use mmafft::Precision;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::fs;

/// Memory begins at multiples of this.
const ALIGNMENT: usize = 64;
/// What vectors of plans would have to be aligned to; these plans need nothing of the kind.
pub const COUNTED: usize = 16;

/// Aligned memory, or null.
pub fn allocate(bytes: usize) -> *mut c_void {
    let mut memory = std::ptr::null_mut();
    // SAFETY: the address is of a pointer of ours.
    match unsafe { libc::posix_memalign(&mut memory, ALIGNMENT, bytes.max(1)) } {
        0 => memory,
        _ => std::ptr::null_mut(),
    }
}

/// Memory for so many elements, or null.
pub fn allocate_many(count: usize, bytes: usize) -> *mut c_void {
    match count.checked_mul(bytes) {
        Some(bytes) => allocate(bytes),
        None => std::ptr::null_mut(),
    }
}

/// A copy of a text in memory of C, which the caller frees.
pub fn text(text: &str) -> *mut c_char {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    match CString::new(bytes) {
        // SAFETY: the text ends with a zero byte.
        Ok(text) => unsafe { libc::strdup(text.as_ptr()) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Writes a text to a file of C's.
///
/// # Safety
/// The file is null or open.
pub unsafe fn print(text: &str, file: *mut FILE) {
    if !file.is_null() {
        // SAFETY: by this function's contract.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), file) };
    }
}

extern "C" {
    static stdout: *mut FILE;
}

/// Writes a text to the standard output as C has it, so that it comes in order with the caller's own.
pub fn print_out(text: &str) {
    // SAFETY: C's library keeps it open.
    unsafe { print(text, stdout) }
}

impl Library {
    fn name(&self) -> &'static str {
        self.precision.row().name
    }

    pub fn export(&self) -> String {
        let state = self.state();
        state.wisdom.export(self.name(), state.planners())
    }

    pub fn import(&self, next: impl FnMut() -> Option<u8>) -> c_int {
        call(0, || {
            // Where it is read from is the caller's code: no lock is held meanwhile.
            let mut read = Wisdom::new();
            let taken = read.import(self.name(), next);
            if taken {
                let mut state = self.state();
                state.wisdom.take(read);
                state.forget_plans();
            }
            taken.into()
        })
    }

    /// Takes wisdom from a text.
    ///
    /// # Safety
    /// The text is null or ends with a zero byte.
    pub unsafe fn import_text(&self, text: *const c_char) -> c_int {
        if text.is_null() {
            return 0;
        }
        // SAFETY: by this function's contract.
        let mut bytes = unsafe { CStr::from_ptr(text) }.to_bytes().iter().copied();
        self.import(|| bytes.next())
    }

    /// Takes wisdom from a file of C's.
    ///
    /// # Safety
    /// The file is null or open.
    pub unsafe fn import_file(&self, file: *mut FILE) -> c_int {
        if file.is_null() {
            return 0;
        }
        // SAFETY: by this function's contract.
        self.import(|| u8::try_from(unsafe { libc::fgetc(file) }).ok())
    }

    /// Takes wisdom from the file of this name.
    ///
    /// # Safety
    /// The name is null or ends with a zero byte.
    pub unsafe fn import_named(&self, name: *const c_char) -> c_int {
        // SAFETY: by this function's contract.
        let Some(bytes) = unsafe { path(name) }.and_then(|path| fs::read(path).ok()) else {
            return 0;
        };
        let mut bytes = bytes.into_iter();
        self.import(|| bytes.next())
    }

    /// Writes wisdom to the file of this name.
    ///
    /// # Safety
    /// As for [`Library::import_named`].
    pub unsafe fn export_named(&self, name: *const c_char) -> c_int {
        call(0, || {
            // SAFETY: by this function's contract.
            let path = unsafe { path(name) };
            let written = path.map(|path| fs::write(path, self.export()));
            written.is_some_and(|written| written.is_ok()).into()
        })
    }

    /// Takes the wisdom that a system keeps for FFTW.
    pub fn import_of_system(&self) -> c_int {
        let file = match self.precision {
            Precision::F32 => c"/etc/fftw/wisdomf",
            _ => c"/etc/fftw/wisdom",
        };
        // SAFETY: the name ends with a zero byte.
        unsafe { self.import_named(file.as_ptr()) }
    }

    /// Forgets what was planned and measured.
    pub fn forget(&self) {
        call((), || {
            let mut state = self.state();
            state.wisdom = Wisdom::new();
            state.forget_plans();
        });
    }
}

/// # Safety
/// The name is null or ends with a zero byte.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a std::path::Path> {
    use std::os::unix::ffi::OsStrExt;
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    Some(std::ffi::OsStr::from_bytes(bytes).as_ref())
}
