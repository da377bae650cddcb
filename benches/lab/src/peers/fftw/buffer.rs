//! Memory from FFTW's allocator.

use std::alloc::{handle_alloc_error, Layout};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use super::api::{Api, Precision};

/// A slice of fixed length with the alignment that FFTW's SIMD code asks for.
pub struct AlignedVec<E> {
    start: NonNull<E>,
    len: usize,
    free: unsafe extern "C" fn(*mut c_void),
}

impl<E: Copy + Default> AlignedVec<E> {
    /// `len` elements with their default value.
    pub(super) fn new<T: Precision>(api: &Api<T>, len: usize) -> Self {
        /// What `fftw_malloc` promises on every platform.
        const ALIGNMENT: usize = 16;
        const { assert!(align_of::<E>() <= ALIGNMENT) };
        let layout = Layout::array::<E>(len).expect("the buffer does not fit the address space");
        // SAFETY: `malloc` may be called with any size; at least one byte is asked for, since the
        // result for zero may be null.
        let memory = unsafe { (api.malloc)(layout.size().max(1)) };
        let start = NonNull::new(memory.cast::<E>()).unwrap_or_else(|| handle_alloc_error(layout));
        for index in 0..len {
            // SAFETY: inside the allocation of `len` elements, which is aligned for `E`.
            unsafe { start.add(index).write(E::default()) };
        }
        Self {
            start,
            len,
            free: api.free,
        }
    }
}

impl<E> Deref for AlignedVec<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        // SAFETY: `len` initialised elements, borrowed as long as `self` is.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<E> DerefMut for AlignedVec<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<E> Drop for AlignedVec<E> {
    fn drop(&mut self) {
        // SAFETY: the memory came from the `malloc` next to this `free`, and the elements are
        // `Copy`, so they need no drop.
        unsafe { (self.free)(self.start.as_ptr().cast()) };
    }
}

// SAFETY: an `AlignedVec` owns its elements like a `Vec`, and FFTW's allocator is that of the C
// library, which any thread may call.
unsafe impl<E: Send> Send for AlignedVec<E> {}
// SAFETY: as above; shared access only reads the elements.
unsafe impl<E: Sync> Sync for AlignedVec<E> {}
