//! Libraries that are opened at run time. None is ever closed: they keep threads, kernels or state in a driver.

use libloading::Library;
use std::error::Error as _;
use std::ffi::c_void;

/// What a library has, or why it does not.
pub type Found<F> = std::result::Result<F, String>;

/// Opens a library.
///
/// # Safety
/// It runs no code on loading beyond that of the C and C++ run-times and of its vendor's.
pub unsafe fn open(name: &str) -> Found<&'static Library> {
    // SAFETY: the caller's.
    let library = unsafe { Library::new(name) }.map_err(|error| describe(name, &error))?;
    Ok(Box::leak(Box::new(library)))
}

/// The address of a function or object.
///
/// # Safety
/// `F` is the type of a pointer to what the symbol names, and the library is never closed.
pub unsafe fn find<F: Copy>(library: &Library, name: &str, symbol: &str) -> Found<F> {
    // SAFETY: the caller's.
    let found = unsafe { library.get::<F>(symbol) };
    found
        .map(|found| *found)
        .map_err(|error| describe(name, &error))
}

/// What the first library has that has all of it; else what each lacks.
pub fn first<F>(
    names: &[&'static str],
    of: impl Fn(&'static str) -> Found<F>,
) -> std::result::Result<F, String> {
    let mut reasons = Vec::new();
    for name in names {
        match of(name) {
            Ok(found) => return Ok(found),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join("; "))
}

/// The message of the loader, which says of which library it speaks, where there is one.
fn describe(name: &str, error: &libloading::Error) -> String {
    match error.source() {
        Some(source) => source.to_string(),
        None => format!("{name}: {error}"),
    }
}

/// An address on a device, or a driver's handle, as C interfaces take it.
pub fn pointer(value: u64) -> *mut c_void {
    value as usize as *mut c_void
}
