//! The C interface of the emulators, and the memory that they work on: all the `unsafe` of
//! this crate.

use crate::driver::Counters;
use crate::ranges::{self, Device};
use mmafft_backend_traits::device::{Launch, Region, Vendor};
use std::alloc::{alloc, dealloc, Layout};
use std::ffi::{c_char, c_int, CStr};
use std::ptr::{self, NonNull};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// As devices align what they allocate.
const ALIGNMENT: usize = 256;

/// Memory of an emulated device. Starts as bytes of ones: NaN in every storage, so that
/// what is read before it is written shows.
#[derive(Debug)]
pub struct Memory {
    start: NonNull<u8>,
    /// `None` for another's memory.
    layout: Option<Layout>,
    bytes: usize,
    /// Held, exclusively for writing, by everyone who touches the bytes.
    lock: RwLock<()>,
}

// SAFETY: the allocation is owned, or its owner vouches for it, and its bytes are only touched under `lock`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory of these devices; `None` where the host has no more.
    pub(crate) fn new(bytes: usize, devices: Device) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        // SAFETY: just allocated, of this size.
        unsafe { start.write_bytes(0xff, layout.size()) };
        ranges::insert(start.as_ptr() as usize, bytes, devices);
        Some(Memory {
            start,
            layout: Some(layout),
            bytes,
            lock: RwLock::new(()),
        })
    }

    /// Host memory of another owner, in the place of a device's.
    ///
    /// # Safety
    /// `bytes` from `pointer` are initialised and stay as long as the value; nobody else writes them meanwhile, nor
    /// reads them while a launch writes them.
    pub unsafe fn from_raw(pointer: u64, bytes: usize) -> Memory {
        Memory {
            start: NonNull::new(pointer as usize as *mut u8).unwrap_or(NonNull::dangling()),
            layout: None,
            bytes,
            lock: RwLock::new(()),
        }
    }

    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    /// Panics outside the memory: callers have checked.
    pub(crate) fn write(&mut self, offset: usize, from: &[u8]) {
        self.check(offset, from.len());
        // SAFETY: inside the allocation; nobody else touches it, for `self` is exclusive.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), self.at(offset), from.len()) }
    }

    /// Panics outside the memory: callers have checked.
    pub(crate) fn read(&self, offset: usize, to: &mut [u8]) {
        self.check(offset, to.len());
        let _shared = self.shared();
        // SAFETY: inside the allocation, every byte of which is initialised; nobody writes
        // while the lock is held.
        unsafe { ptr::copy_nonoverlapping(self.at(offset), to.as_mut_ptr(), to.len()) }
    }

    fn check(&self, offset: usize, length: usize) {
        let end = offset.checked_add(length);
        assert!(end.is_some_and(|end| end <= self.bytes), "outside memory");
    }

    /// `offset` is at most `self.bytes`.
    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.bytes);
        // SAFETY: inside the allocation, or at its end.
        unsafe { self.start.as_ptr().add(offset) }
    }

    /// A launch that panicked elsewhere has left bytes, which are as good as any.
    fn shared(&self) -> RwLockReadGuard<'_, ()> {
        self.lock
            .read()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, ()> {
        let lock = self.lock.write();
        lock.unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            ranges::remove(self.start.as_ptr() as usize);
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawMemory {
    begin: *mut u8,
    end: *mut u8,
}

/// `EmulatedLaunch` of `device/host/machine.hpp`.
#[repr(C)]
struct RawLaunch {
    config: *const i64,
    entry: *const c_char,
    memory: [RawMemory; 5],
    lines: u64,
    scale: f64,
    threads: u64,
    shared_bytes: u64,
    blocks: u64,
    order: u64,
    seed: u64,
    skip_barrier: i64,
    skip_wait: i64,
    patterns: u64,
}

/// `EmulatedReport` of `device/host/machine.hpp`.
#[repr(C)]
struct RawReport {
    counters: Counters,
    message: [c_char; 480],
}

extern "C" {
    fn mmafft_emulated_nvidia_config_words() -> u64;
    fn mmafft_emulated_nvidia_has_entry(name: *const c_char) -> c_int;
    fn mmafft_emulated_nvidia_run(launch: *const RawLaunch, report: *mut RawReport) -> c_int;
    fn mmafft_emulated_amd_has_entry(name: *const c_char) -> c_int;
    fn mmafft_emulated_amd_run(launch: *const RawLaunch, report: *mut RawReport) -> c_int;
}

pub(crate) fn config_words() -> usize {
    // SAFETY: takes nothing and returns a constant.
    unsafe { mmafft_emulated_nvidia_config_words() as usize }
}

pub(crate) fn has_entry(vendor: Vendor, name: &CStr) -> bool {
    // SAFETY: reads a string that ends with a zero.
    let found = unsafe {
        match vendor {
            Vendor::Nvidia => mmafft_emulated_nvidia_has_entry(name.as_ptr()),
            Vendor::Amd => mmafft_emulated_amd_has_entry(name.as_ptr()),
        }
    };
    found != 0
}

/// What a launch is beside its arguments.
pub(crate) struct Run<'a> {
    pub(crate) vendor: Vendor,
    pub(crate) device: Device,
    pub(crate) entry: &'a CStr,
    /// As many words as [`config_words`].
    pub(crate) config: &'a [i64],
    pub(crate) threads: usize,
    pub(crate) shared_bytes: usize,
    /// The number in `enum Order`, and the seed.
    pub(crate) order: (u64, u64),
    pub(crate) skip_barrier: Option<u32>,
    pub(crate) skip_wait: Option<u32>,
    pub(crate) patterns: bool,
}

/// Why a launch failed, and whether it had begun.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) begun: bool,
}

/// Runs a launch to its end, in the calling thread.
pub(crate) fn run(run: &Run<'_>, launch: &Launch<'_, Memory>) -> (Counters, Result<(), Failure>) {
    assert_eq!(run.config.len(), config_words());
    let regions = [
        Some(launch.load),
        Some(launch.store),
        launch.extra,
        launch.tables,
        launch.matrices,
    ];
    let passes = [c"mmafft_pass", c"mmafft_cluster"].contains(&run.entry);
    let written = [false, true, !passes, false, !passes];
    let _locks = lock(&regions, written);
    let foreign = regions.iter().find_map(|region| {
        let RawMemory { begin, end } = raw_memory(*region);
        ranges::out_of_reach(begin as usize, end as usize, run.device)
    });
    if let Some(devices) = foreign {
        let number = |bits: Device| bits.trailing_zeros() / 2;
        let message = format!(
            "device {} is given memory of device {}, which is not mapped for it",
            number(run.device),
            number(devices)
        );
        let begun = false;
        return (Counters::default(), Err(Failure { message, begun }));
    }
    let raw = RawLaunch {
        config: run.config.as_ptr(),
        entry: run.entry.as_ptr(),
        memory: regions.map(raw_memory),
        lines: launch.lines,
        scale: launch.scale,
        threads: run.threads as u64,
        shared_bytes: run.shared_bytes as u64,
        blocks: launch.blocks,
        order: run.order.0,
        seed: run.order.1,
        skip_barrier: run.skip_barrier.map_or(-1, i64::from),
        skip_wait: run.skip_wait.map_or(-1, i64::from),
        patterns: u64::from(run.patterns),
    };
    let mut report = RawReport {
        counters: Counters::default(),
        message: [0; 480],
    };
    // SAFETY: the configuration has as many words as the emulator reads, the entry ends
    // with a zero, and both outlive the call. The emulator touches device memory only
    // inside the regions given, each inside an allocation that outlives the call, reads
    // under a lock, and writes only to those that are locked exclusively.
    let status = unsafe {
        match run.vendor {
            Vendor::Nvidia => mmafft_emulated_nvidia_run(&raw, &mut report),
            Vendor::Amd => mmafft_emulated_amd_run(&raw, &mut report),
        }
    };
    // SAFETY: the emulator ends its message with a zero, inside the array.
    let message = unsafe { CStr::from_ptr(report.message.as_ptr()) };
    let failure = || Failure {
        message: message.to_string_lossy().into_owned(),
        begun: status != 1,
    };
    let result = if status == 0 { Ok(()) } else { Err(failure()) };
    (report.counters, result)
}

fn raw_memory(region: Option<Region<'_, Memory>>) -> RawMemory {
    let (begin, end) = region.map_or((ptr::null_mut(), ptr::null_mut()), |r| {
        let begin = r.offset.min(r.memory.bytes);
        let end = r.offset.saturating_add(r.bytes).min(r.memory.bytes);
        (r.memory.at(begin), r.memory.at(end.max(begin)))
    });
    RawMemory { begin, end }
}

/// Kept until the launch has ended.
enum Lock<'a> {
    Shared { _guard: RwLockReadGuard<'a, ()> },
    Exclusive { _guard: RwLockWriteGuard<'a, ()> },
}

/// Locks each memory once, in the order of addresses: launches in several threads cannot
/// wait for each other.
fn lock<'a>(regions: &[Option<Region<'a, Memory>>; 5], written: [bool; 5]) -> Vec<Lock<'a>> {
    let named = regions.iter().zip(written);
    let mut all: Vec<(&Memory, bool)> = named
        .filter_map(|(region, written)| region.map(|r| (r.memory, written)))
        .collect();
    // Of the same memory, the one that is written comes first and stays.
    all.sort_by_key(|&(memory, written)| (ptr::from_ref(memory), !written));
    all.dedup_by_key(|(memory, _)| ptr::from_ref(*memory));
    let lock = |(memory, written): (&'a Memory, bool)| match written {
        false => Lock::Shared {
            _guard: memory.shared(),
        },
        true => Lock::Exclusive {
            _guard: memory.exclusive(),
        },
    };
    all.into_iter().map(lock).collect()
}
