//! Strided memory that several workers read and write at once.
//!
//! Tiles of one pass are disjoint, but their rows interleave: no slice covers one. So
//! workers share a raw view. What keeps this sound: [`super::prepare`] proves for every
//! pass that all addresses lie inside the buffers (`Extent`), that two points never store
//! to one address, and a launch checks the buffers' lengths against that.

use super::scalar::Storage;
use std::marker::PhantomData;

/// Bytes of a run, by their address: of an output other runs may write other parts meanwhile, as ranks do.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    start: *mut u8,
    bytes: usize,
    lent: PhantomData<&'a ()>,
}

impl View<'_> {
    /// So many bytes.
    ///
    /// # Safety
    /// They are there as long as the view, to be read and, of an output, written; nobody else writes what a run reads, nor
    /// touches what it writes.
    pub unsafe fn new(start: *mut u8, bytes: usize) -> Self {
        View {
            start,
            bytes,
            lent: PhantomData,
        }
    }
}

impl<'a> From<&'a [u8]> for View<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        // SAFETY: the slice is lent as long as the view.
        unsafe { View::new(bytes.as_ptr().cast_mut(), bytes.len()) }
    }
}

impl<'a> From<&'a mut [u8]> for View<'a> {
    fn from(bytes: &'a mut [u8]) -> Self {
        // SAFETY: as above, and it is nobody else's.
        unsafe { View::new(bytes.as_mut_ptr(), bytes.len()) }
    }
}

/// A buffer as scalars, shared by the workers of one pass.
#[derive(Debug, Clone, Copy)]
pub struct Memory<S> {
    start: *mut S,
    len: usize,
}

// SAFETY: a view is only a pointer; the module's head says why its uses do not race.
unsafe impl<S: Send> Send for Memory<S> {}
// SAFETY: as above.
unsafe impl<S: Send> Sync for Memory<S> {}

impl<S: Storage> Memory<S> {
    /// A view of memory that may be written.
    pub fn of(scalars: &mut [S]) -> Self {
        Memory {
            start: scalars.as_mut_ptr(),
            len: scalars.len(),
        }
    }

    /// The scalars of these bytes; `None` where they are not whole, or not aligned. Of what is only read nothing is
    /// written: plans never store to an out-of-place input.
    pub fn at(view: View<'_>) -> Option<Self> {
        let start = view.start.cast::<S>();
        let whole = view.bytes.is_multiple_of(size_of::<S>());
        let aligned = view.bytes == 0 || start.is_aligned();
        (whole && aligned).then_some(Memory {
            start,
            len: view.bytes / size_of::<S>(),
        })
    }

    /// How many scalars.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The scalar at `index`.
    ///
    /// # Safety
    /// `index` is inside, and no other worker writes it meanwhile.
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> S::Compute {
        debug_assert!(index < self.len);
        // SAFETY: by this function's contract.
        unsafe { self.start.add(index).read().load() }
    }

    /// Stores a scalar at `index`.
    ///
    /// # Safety
    /// `index` is inside, and no other worker touches it meanwhile.
    #[inline(always)]
    pub unsafe fn set(&self, index: usize, x: S::Compute) {
        debug_assert!(index < self.len);
        // SAFETY: by this function's contract.
        unsafe { self.start.add(index).write(S::store(x)) }
    }

    /// The address of the scalar at `index`.
    ///
    /// # Safety
    /// `index + count` scalars are inside.
    #[inline(always)]
    pub unsafe fn address(&self, index: usize, count: usize) -> *mut S {
        debug_assert!(index + count <= self.len);
        // SAFETY: by this function's contract.
        unsafe { self.start.add(index) }
    }

    /// `count` scalars from `index` on, as they are stored.
    ///
    /// # Safety
    /// They are inside, and nobody writes them meanwhile.
    pub unsafe fn stored(&self, index: usize, count: usize) -> &[S] {
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts(self.address(index, count), count) }
    }

    /// The same to write to.
    ///
    /// # Safety
    /// They are inside, and nobody else touches them meanwhile.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn stored_mut(&self, index: usize, count: usize) -> &mut [S] {
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts_mut(self.address(index, count), count) }
    }

    /// `count` scalars from `index` on, where memory holds what arithmetic uses.
    ///
    /// # Safety
    /// They are inside, nobody writes them meanwhile, and `S` is its own `Compute`.
    pub unsafe fn scalars(&self, index: usize, count: usize) -> &[S::Compute] {
        debug_assert!(S::is_compute());
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts(self.address(index, count).cast(), count) }
    }

    /// The same to write to.
    ///
    /// # Safety
    /// They are inside, nobody else touches them meanwhile, and `S` is its own `Compute`.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn scalars_mut(&self, index: usize, count: usize) -> &mut [S::Compute] {
        debug_assert!(S::is_compute());
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts_mut(self.address(index, count).cast(), count) }
    }
}
