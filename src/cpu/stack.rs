//! A stack on which vectors are aligned.
//!
//! What registers have no room for lies on the stack. The compiler aligns that for what it knows of before it gives out
//! registers, and not for more; a vector of 64 bytes is then in two lines of a cache three times of four.

/// Aligns the stack of the function that this is inlined into.
#[inline(always)]
pub fn align() {
    #[cfg(target_arch = "x86_64")]
    {
        /// A line of a cache, which the widest vectors fill.
        #[repr(align(64))]
        struct Line {
            _bytes: [u8; 64],
        }
        let mut line = std::mem::MaybeUninit::<Line>::uninit();
        // SAFETY: it does nothing. For the compiler the address is used, and no memory is touched.
        unsafe {
            std::arch::asm!("/* {} */", in(reg) line.as_mut_ptr() as usize, options(nomem, nostack, preserves_flags));
        }
    }
}
