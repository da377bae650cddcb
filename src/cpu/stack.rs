//! A stack on which vectors are aligned.
//!
//! What registers have no room for lies on the stack. The compiler aligns that for what it knows of before it gives out
//! registers, and not for more; a vector of 64 bytes is then in two lines of a cache three times of four.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// A line of a cache, which the widest vectors fill.
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

/// Aligns the stack of the function that this is inlined into.
#[inline(always)]
pub fn align() {
    let mut line = MaybeUninit::<Line>::uninit();
    black_box(&mut line);
}
