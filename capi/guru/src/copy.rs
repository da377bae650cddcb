//! Copies between memory of any strides and contiguous memory.

/// A dimension of a copy: its length and its strides in scalars, in the caller's memory and in ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub n: usize,
    pub theirs: isize,
    pub ours: isize,
}

/// Which way scalars go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the caller's memory.
    In,
    /// To the caller's memory.
    Out,
}

/// Copies scalars of so many bytes over all dimensions.
///
/// # Safety
/// Every element of the dimensions is inside of both memories, and nobody else uses it meanwhile.
pub unsafe fn copy(way: Way, scalar: usize, spans: &[Span], theirs: *mut u8, ours: *mut u8) {
    // SAFETY: by this function's contract.
    unsafe {
        match scalar {
            2 => each(way, spans, theirs.cast::<u16>(), ours.cast()),
            4 => each(way, spans, theirs.cast::<u32>(), ours.cast()),
            _ => each(way, spans, theirs.cast::<u64>(), ours.cast()),
        }
    }
}

/// # Safety
/// As for [`copy`]. Addresses may begin at any byte.
unsafe fn each<T: Copy>(way: Way, spans: &[Span], theirs: *mut T, ours: *mut T) {
    let Some((span, inner)) = spans.split_first() else {
        // SAFETY: by this function's contract.
        unsafe {
            match way {
                Way::In => ours.write_unaligned(theirs.read_unaligned()),
                Way::Out => theirs.write_unaligned(ours.read_unaligned()),
            }
        }
        return;
    };
    for i in 0..span.n as isize {
        let (theirs, ours) = (
            theirs.wrapping_offset(i * span.theirs),
            ours.wrapping_offset(i * span.ours),
        );
        // SAFETY: by this function's contract.
        unsafe { each(way, inner, theirs, ours) }
    }
}
