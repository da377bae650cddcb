//! Planners: one for each device, or for each number of threads.

use crate::status::{call, invalid, mmafft_status, Result};
use crate::text::{give, read, write};
use mmafft::{AnyBackend, CpuBackend, CpuOptions, PlanCache, Planner};
use mmafft_guru::Handles;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Where transforms run.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_backend {
    /// The first of CUDA, HIP and CPU that can run plans.
    MMAFFT_AUTO = 0,
    /// The CPU.
    MMAFFT_CPU = 1,
    /// An NVIDIA device.
    MMAFFT_CUDA = 2,
    /// An AMD device.
    MMAFFT_HIP = 3,
}

/// Makes plans, and keeps those that were asked for last. Any number of threads may use one.
pub struct mmafft_planner {
    _handle: [u8; 0],
}

static PLANNERS: Handles<PlanCache> = Handles::new();

fn open(backend: i32, number: usize) -> mmafft::Result<Option<Planner>> {
    let cpu = |threads| {
        let backend = CpuBackend::new(CpuOptions {
            threads,
            ..CpuOptions::default()
        });
        Planner::on(AnyBackend::Cpu(backend))
    };
    Ok(Some(match backend {
        b if b == mmafft_backend::MMAFFT_AUTO as i32 => Planner::auto()?,
        b if b == mmafft_backend::MMAFFT_CPU as i32 && number == 0 => Planner::cpu()?,
        b if b == mmafft_backend::MMAFFT_CPU as i32 => cpu(number),
        b if b == mmafft_backend::MMAFFT_CUDA as i32 => Planner::cuda(number)?,
        b if b == mmafft_backend::MMAFFT_HIP as i32 => Planner::hip(number)?,
        _ => return Ok(None),
    }))
}

/// Opens a backend, which is an mmafft_backend. The number is a device's, from 0 on; of the CPU
/// it is how many threads are used, all of them for 0.
///
/// # Safety
/// `planner` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_planner_create(
    backend: i32,
    number: usize,
    planner: *mut *mut mmafft_planner,
) -> mmafft_status {
    call(|| {
        let opened = open(backend, number)?;
        let opened = opened.ok_or_else(|| invalid(format!("no backend has number {backend}")))?;
        let handle = PLANNERS.insert(PlanCache::new(opened));
        // SAFETY: by this function's contract.
        let written = unsafe { write(planner, handle.cast(), "the place for the planner") };
        if written.is_err() {
            PLANNERS.remove(handle);
        }
        written
    })
}

/// Destroys a planner. Its plans live on. Null, or one that was destroyed, is nothing.
#[no_mangle]
pub extern "C" fn mmafft_planner_destroy(planner: *mut mmafft_planner) {
    call(|| {
        PLANNERS.remove(planner.cast());
        Ok(())
    });
}

pub(crate) fn find(planner: *const mmafft_planner) -> Result<Arc<PlanCache>> {
    let found = PLANNERS.get(planner.cast::<c_void>());
    found.ok_or_else(|| invalid("no planner has this handle"))
}

/// The device in words, to be freed by mmafft_text_free().
///
/// # Safety
/// `text` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_planner_device(
    planner: *const mmafft_planner,
    text: *mut *mut c_char,
) -> mmafft_status {
    call(|| {
        let cache = find(planner)?;
        let limits = cache.planner().limits();
        // SAFETY: by this function's contract.
        unsafe { give(&format!("{}: {}", limits.backend, limits.device), text) }
    })
}

/// All that was measured on the planner's device, as text to be freed by mmafft_text_free().
///
/// # Safety
/// `text` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_wisdom_export(
    planner: *const mmafft_planner,
    text: *mut *mut c_char,
) -> mmafft_status {
    call(|| {
        let wisdom = find(planner)?.planner().export_wisdom();
        // SAFETY: by this function's contract.
        unsafe { give(&wisdom, text) }
    })
}

/// Takes what such a device has measured, from text of mmafft_wisdom_export(); says how many
/// choices that were where count is not null. Plans that the planner keeps are made anew.
///
/// # Safety
/// `text` is null or ends with a zero byte, `count` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_wisdom_import(
    planner: *const mmafft_planner,
    text: *const c_char,
    count: *mut usize,
) -> mmafft_status {
    call(|| {
        let cache = find(planner)?;
        // SAFETY: by this function's contract.
        let taken = cache.planner().import_wisdom(unsafe { read(text) }?)?;
        cache.clear();
        match count.is_null() {
            true => Ok(()),
            // SAFETY: by this function's contract.
            false => unsafe { write(count, taken, "count") },
        }
    })
}
