//! Host memory that the backend hands out, or that another library owns.

use super::memory::View;
use mmafft_backend_traits::{Buffer, Error, Result};

/// Sixty-four bytes, aligned for any vector.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

/// Bytes of a huge page where pages are of 4 KiB.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages for all of what will be written, as NumPy does for its arrays: columns of long lines are in more
/// pages than a processor remembers addresses of.
fn ask_for_huge_pages(memory: &mut Vec<CacheLine>) {
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(HUGE_PAGE);
        let bytes = size_of::<CacheLine>() * memory.capacity();
        let whole = bytes.saturating_sub(skipped) / HUGE_PAGE * HUGE_PAGE;
        if whole > 0 {
            let start = start.wrapping_add(skipped).cast();
            // SAFETY: these bytes are inside memory that is this buffer's alone; the advice changes none of them, and
            // where it is not taken all is as it would be.
            let _ = unsafe { rustix::mm::madvise(start, whole, rustix::mm::Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Host memory, aligned for any vector where it is its own.
#[derive(Debug)]
pub struct CpuBuffer {
    memory: Memory,
    bytes: usize,
}

#[derive(Debug)]
enum Memory {
    Own(Vec<CacheLine>),
    Foreign(Foreign),
}

#[derive(Debug)]
struct Foreign(*mut u8);

// SAFETY: the bytes are the buffer's alone as long as it lives, by the word of who made it.
unsafe impl Send for Foreign {}
// SAFETY: as above; shared, they are only read.
unsafe impl Sync for Foreign {}

impl CpuBuffer {
    /// Zeroed memory of so many bytes.
    pub fn new(bytes: usize) -> Result<Self> {
        let count = bytes.div_ceil(64);
        let mut lines = Vec::new();
        lines
            .try_reserve_exact(count)
            .map_err(|_| Error::OutOfMemory {
                backend: "cpu".into(),
                what: "a buffer".into(),
                bytes,
            })?;
        ask_for_huge_pages(&mut lines);
        lines.resize(count, CacheLine([0; 64]));
        Ok(CpuBuffer {
            memory: Memory::Own(lines),
            bytes,
        })
    }

    /// Memory of another library, which keeps owning it.
    ///
    /// # Safety
    /// `bytes` from `start` are initialised memory that can be read and, of a buffer that is written, be written, as
    /// long as the buffer lives; nobody else writes them meanwhile, nor reads what the buffer is written through. Of a
    /// buffer that is but a run's others may touch what the run does not.
    pub unsafe fn from_raw(start: *mut u8, bytes: usize) -> Self {
        CpuBuffer {
            memory: Memory::Foreign(Foreign(start)),
            bytes,
        }
    }

    /// Its bytes, for a run to read.
    pub fn view(&self) -> View<'_> {
        match &self.memory {
            Memory::Own(_) => self.as_bytes().into(),
            // SAFETY: by the word of who made it.
            Memory::Foreign(start) => unsafe { View::new(start.0, self.bytes) },
        }
    }

    /// Its bytes, for a run to write.
    pub fn view_mut(&mut self) -> View<'_> {
        match &self.memory {
            Memory::Own(_) => self.as_bytes_mut().into(),
            // SAFETY: by the word of who made it.
            Memory::Foreign(start) => unsafe { View::new(start.0, self.bytes) },
        }
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Own(lines) => &bytemuck::cast_slice(lines)[..self.bytes],
            Memory::Foreign(_) if self.bytes == 0 => &[],
            // SAFETY: by the word of who made it.
            Memory::Foreign(start) => unsafe { std::slice::from_raw_parts(start.0, self.bytes) },
        }
    }

    /// Its bytes, to change.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        let bytes = self.bytes;
        match &mut self.memory {
            Memory::Own(lines) => &mut bytemuck::cast_slice_mut(lines)[..bytes],
            Memory::Foreign(_) if bytes == 0 => &mut [],
            // SAFETY: by the word of who made it.
            Memory::Foreign(start) => unsafe { std::slice::from_raw_parts_mut(start.0, bytes) },
        }
    }
}

impl Buffer for CpuBuffer {
    fn bytes(&self) -> usize {
        self.bytes
    }
}
