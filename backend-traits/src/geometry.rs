//! The numbers of a device that kernels are made for.

/// The numbers of a device that the shape of a launch follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Threads that run in step.
    pub wave: usize,
    /// The most threads of a block.
    pub threads: usize,
    /// Shared memory that one block may have.
    pub shared_bytes: usize,
    /// 32-bit registers that the resident threads of a multiprocessor share.
    pub registers: usize,
    /// How many multiprocessors there are.
    pub multiprocessors: usize,
    /// The most blocks of a launch; kernels stride over what is more.
    pub blocks: u64,
    /// Bytes that an access of memory is to move, where points lie beside each other; more
    /// than a point's only where no launch was measured.
    pub access: usize,
    /// Whether reals of two points may move together where they lie beside each other: not of memory that
    /// begins at any element.
    pub together: bool,
    /// Whose fragments a matrix step uses.
    pub vendor: Vendor,
}

impl Geometry {
    /// Whether a block can ask that a later tile be brought to the second-level cache: AMD's have no instruction for it.
    pub fn asks_ahead(&self) -> bool {
        self.vendor == Vendor::Nvidia
    }
}

/// Parts of a multiprocessor that each have a share of its registers, and of its waves.
const PARTS: usize = 4;

/// Registers of a thread where a multiprocessor with so many has so many blocks, each of so many threads in such waves.
///
/// A part that has one wave more than another has no more registers for it. They are given by eights.
pub fn registers_of_thread(all: usize, wave: usize, threads: usize, residents: usize) -> usize {
    let waves = (threads.div_ceil(wave) * residents).div_ceil(PARTS).max(1);
    all / (PARTS * wave * waves) / 8 * 8
}

/// Whose lane tables the device's fragments have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// `mma.sync`, 32 lanes.
    Nvidia,
    /// MFMA, 64 lanes.
    Amd,
}
