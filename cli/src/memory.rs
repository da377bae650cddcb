//! Memory that the system does not give: one line and an end, wherever it was asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Whether what this thread asks for may be refused.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, which ends the program where there is no memory, with one line.
///
/// Libraries take memory for granted: without it the program would abort, in the midst of saying why.
pub struct OrEnd;

/// Asks for memory in a way that says where there is none.
pub fn may_fail<T>(ask: impl FnOnce() -> T) -> T {
    MAY_FAIL.set(true);
    let answer = ask();
    MAY_FAIL.set(false);
    answer
}

/// Bytes that a thread takes beside its stack, and more.
const BESIDE_STACK: usize = 256 << 10;

/// Whether there is room for a thread with such a stack.
///
/// A thread that begins without it says so in the system's words, which are several lines.
pub fn has_room_for_a_thread(stack_bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    may_fail(|| room.try_reserve_exact(stack_bytes + BESIDE_STACK)).is_ok()
}

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
    // A thread at its end has nothing that may fail.
    if piece.is_null() && !MAY_FAIL.try_with(Cell::get).unwrap_or(false) {
        end(bytes);
    }
    piece
}

/// Says one line and ends the program, without asking for memory. Other threads may find none at the same time.
#[cfg(unix)]
fn end(bytes: usize) {
    static ENDS: AtomicBool = AtomicBool::new(false);
    while ENDS.swap(true, Ordering::Relaxed) {
        // SAFETY: the thread waits for the end, in which it has no part.
        unsafe { libc::pause() };
    }
    let mut line = [0; 96];
    let mut rest = &mut line[..];
    // The line is long enough for every number.
    let _ = writeln!(
        rest,
        "mmafft: the system gives no memory for {bytes} bytes more"
    );
    let length = 96 - rest.len();
    // SAFETY: so much of the line is there, and the program ends without running anything else.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length);
        libc::_exit(1)
    }
}

/// Where the program cannot be ended so, it aborts.
#[cfg(not(unix))]
fn end(_: usize) {}

/// Makes an abort end the program as every other error does.
///
/// A stack that overflows is an abort, after a line that says so.
pub fn end_on_abort() {
    #[cfg(unix)]
    // SAFETY: the handler does nothing but end the program, which handlers may do.
    unsafe {
        let handler = || libc::_exit(1);
        // Without the handler the program ends by the signal itself.
        let _ = signal_hook::low_level::register(libc::SIGABRT, handler);
    }
}
