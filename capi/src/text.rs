//! Text that crosses the border.

use crate::status::{invalid, Result};
use std::ffi::{c_char, CStr, CString};

/// Frees a text that this library made. Null is nothing.
///
/// # Safety
/// The text comes from a function of this library that says so, and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn mmafft_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: by this function's contract.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Gives the caller a text to free.
///
/// # Safety
/// `place` is null or an address to write.
pub(crate) unsafe fn give(text: &str, place: *mut *mut c_char) -> Result<()> {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    let text = CString::new(bytes).map_err(|_| invalid("the text has a zero byte"))?;
    // SAFETY: by this function's contract.
    unsafe { write(place, text.into_raw(), "the place for the text") }
}

/// Writes a result.
///
/// # Safety
/// `place` is null or an address to write.
pub(crate) unsafe fn write<T>(place: *mut T, value: T, what: &str) -> Result<()> {
    if place.is_null() {
        return Err(invalid(format!("{what} is null")));
    }
    // SAFETY: by this function's contract.
    unsafe { place.write(value) };
    Ok(())
}

/// A text of the caller's.
///
/// # Safety
/// `text` is null or ends with a zero byte.
pub(crate) unsafe fn read<'a>(text: *const c_char) -> Result<&'a str> {
    if text.is_null() {
        return Err(invalid("the text is null"));
    }
    // SAFETY: by this function's contract.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| invalid("the text is not UTF-8"))
}
