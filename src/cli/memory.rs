//! Memory that the system does not give: one line and an end, wherever it was asked for.

use std::alloc::{GlobalAlloc, Layout, System};

/// What asks for more bytes than this may do without: arrays are asked for in ways that fail.
const SMALL: usize = 1 << 16;

/// The system's allocator, which ends the program where not even a little memory is left.
///
/// Libraries take small pieces for granted: without them the program would abort, in the midst of saying why.
pub struct OrEnd;

// SAFETY: every piece comes from the system's allocator and goes back to it, with the layout it was asked for.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        or_end(unsafe { System.realloc(piece, layout, size) }, size)
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(piece, layout) }
    }
}

fn or_end(piece: *mut u8, bytes: usize) -> *mut u8 {
    if piece.is_null() && bytes <= SMALL {
        end();
    }
    piece
}

/// Says one line and ends the program, without asking for memory.
#[cfg(unix)]
fn end() {
    let line = b"mmafft: the system gives no more memory\n";
    // SAFETY: the line is there, and the program ends without running anything else.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(1)
    }
}

/// Where the program cannot be ended so, it aborts.
#[cfg(not(unix))]
fn end() {}

/// Makes an abort end the program as every other error does.
///
/// A large piece that a library asks for and does not get is an abort, after one line that says so; what files there are
/// by then is for the system to remove.
pub fn end_on_abort() {
    #[cfg(unix)]
    // SAFETY: the handler does nothing but end the program, which handlers may do.
    unsafe {
        let handler = || libc::_exit(1);
        // Without the handler the program ends by the signal itself.
        let _ = signal_hook::low_level::register(libc::SIGABRT, handler);
    }
}
