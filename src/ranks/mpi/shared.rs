//! Memory that processes of one host share: rank 0's, which the others map by its number in the process.
//!
//! It has no name in any folder: its file is in memory, and ends with the last process that has it mapped.

use super::super::communicator::{Communicator, Shared, Window};
use super::Mpi;
use mmafft_backend_traits::Result;
use std::time::Duration;

/// Collective: memory of so many bytes on every rank; `Apart` where ranks are on several hosts, or cannot see each other.
#[cfg(target_os = "linux")]
pub fn window(ranks: &Mpi, on_host: bool, bytes: usize, patience: Duration) -> Result<Shared> {
    use linux::{make, open, Made};
    let rank = ranks.station().rank;
    let made: Option<Made> = (rank == 0 && on_host).then(|| make(bytes)).flatten();
    let said = made.as_ref().map(|made| made.address.clone());
    let all = ranks.agree(said.unwrap_or_default().as_bytes(), patience)?;
    let address = String::from_utf8_lossy(&all[0]).into_owned();
    // Rank 0 keeps its file until all have it.
    let (mapped, _file) = match made {
        Some(made) => (Some(made.mapped), Some(made.file)),
        None if on_host && !address.is_empty() => (open(&address, bytes), None),
        None => (None, None),
    };
    let all = ranks.agree(&[u8::from(mapped.is_some())], patience)?;
    let everywhere = all.iter().all(|said| said == &[1]);
    let Some(mapped) = mapped.filter(|_| everywhere) else {
        return Ok(Shared::Apart(apart(on_host).into()));
    };
    let address = mapped.address();
    // SAFETY: the mapping lives as long as the window, and has so many bytes, which were zero.
    let window = unsafe { Window::new(address, bytes, std::sync::Arc::new(mapped)) };
    Ok(Shared::Window(window))
}

/// Elsewhere no memory is shared.
#[cfg(not(target_os = "linux"))]
pub fn window(_: &Mpi, on_host: bool, _: usize, _: Duration) -> Result<Shared> {
    Ok(Shared::Apart(apart(on_host).into()))
}

/// Why processes share no memory.
fn apart(on_host: bool) -> &'static str {
    match on_host {
        true => "ranks are on several hosts, or do not see each other",
        false => "a device's memory is its process' own",
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
    use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
    use std::ffi::c_void;
    use std::fs::File;
    use std::io::{Read, Seek, SeekFrom, Write};
    use std::os::fd::{AsFd, AsRawFd};
    use std::time::{SystemTime, UNIX_EPOCH};

    /// Bytes at the file's end by which a rank knows that it has opened the right one.
    const TOKEN: usize = 16;

    /// Memory that is mapped.
    pub struct Mapped {
        start: *mut c_void,
        bytes: usize,
    }

    // SAFETY: a mapping belongs to the process.
    unsafe impl Send for Mapped {}
    // SAFETY: as above; whoever reads and writes it keeps to its part.
    unsafe impl Sync for Mapped {}

    impl Mapped {
        pub fn address(&self) -> u64 {
            self.start as usize as u64
        }

        fn of(file: &File, bytes: usize) -> Option<Mapped> {
            let bytes = bytes.max(1);
            let both = ProtFlags::READ | ProtFlags::WRITE;
            // SAFETY: a new mapping, over nothing that is there.
            let start = unsafe {
                mmap(
                    std::ptr::null_mut(),
                    bytes,
                    both,
                    MapFlags::SHARED,
                    file.as_fd(),
                    0,
                )
            };
            start.ok().map(|start| Mapped { start, bytes })
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            // SAFETY: the mapping is whole, and nobody has it any more. What the system answers changes nothing.
            let _ = unsafe { munmap(self.start, self.bytes) };
        }
    }

    /// Rank 0's memory, and where the others find it.
    pub struct Made {
        pub address: String,
        pub mapped: Mapped,
        pub file: File,
    }

    /// Makes memory of so many bytes; `None` where the system gives none.
    pub fn make(bytes: usize) -> Option<Made> {
        let mut file = File::from(memfd_create("mmafft", MemfdFlags::CLOEXEC).ok()?);
        ftruncate(&file, (bytes + TOKEN) as u64).ok()?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let token = since.as_nanos() ^ (u128::from(std::process::id()) << 96);
        file.seek(SeekFrom::Start(bytes as u64)).ok()?;
        file.write_all(&token.to_le_bytes()).ok()?;
        let mapped = Mapped::of(&file, bytes)?;
        Some(Made {
            address: format!(
                "/proc/{}/fd/{} {token:x}",
                std::process::id(),
                file.as_raw_fd()
            ),
            mapped,
            file,
        })
    }

    /// Maps what rank 0 has made; `None` where it cannot be seen from here.
    pub fn open(address: &str, bytes: usize) -> Option<Mapped> {
        let (path, token) = address.split_once(' ')?;
        let mut file = File::options().read(true).write(true).open(path).ok()?;
        file.seek(SeekFrom::Start(bytes as u64)).ok()?;
        let mut own = [0; TOKEN];
        file.read_exact(&mut own).ok()?;
        let same = format!("{:x}", u128::from_le_bytes(own)) == token;
        same.then(|| Mapped::of(&file, bytes)).flatten()
    }
}
