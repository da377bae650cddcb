//! Memory as aligned as FFTW's SIMD code asks for.

use bytemuck::{Pod, Zeroable};

/// What FFTW's own allocator aligns to at the most.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Cell([u8; 64]);

/// Elements, all zero at first.
pub struct Memory {
    cells: Vec<Cell>,
    bytes: usize,
}

impl Memory {
    /// So many elements of a type.
    pub fn new<E>(elements: usize) -> Self {
        let bytes = elements * size_of::<E>();
        Memory {
            cells: vec![Cell::zeroed(); bytes.div_ceil(size_of::<Cell>())],
            bytes,
        }
    }

    /// Their bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.cells)[..self.bytes]
    }
}
