//! The device that is current, and the transforms that are prepared on it.

use crate::status::Result;
use mmafft::{AnyBackend, PlanCache, Planner};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// `cuCtxGetDevice` of the driver.
type GetDevice = unsafe extern "C" fn(*mut c_int) -> c_int;

fn get_device() -> Option<GetDevice> {
    static FOUND: OnceLock<Option<GetDevice>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: the names end with a zero byte; the driver stays loaded, and the function is of this type.
        unsafe {
            let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
            if driver.is_null() {
                return None;
            }
            let found = libc::dlsym(driver, c"cuCtxGetDevice".as_ptr());
            (!found.is_null()).then(|| std::mem::transmute::<*mut libc::c_void, GetDevice>(found))
        }
    })
}

/// The device of the caller's context; the first one where there is no context yet.
fn current() -> usize {
    let mut device = 0;
    // SAFETY: the place is of a number.
    let status = get_device().map(|get_device| unsafe { get_device(&mut device) });
    match status {
        Some(0) => usize::try_from(device).unwrap_or(0),
        _ => 0,
    }
}

/// The transforms of the current device.
pub fn cache() -> Result<Arc<PlanCache>> {
    static CACHES: Mutex<BTreeMap<usize, Arc<PlanCache>>> = Mutex::new(BTreeMap::new());
    let device = current();
    let mut caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cache) = caches.get(&device) {
        return Ok(cache.clone());
    }
    // Tests name a device that is emulated.
    let planner = match std::env::var("MMAFFT_CUFFT_BACKEND") {
        Ok(name) => Planner::on(AnyBackend::from_name(&name)?),
        Err(_) => Planner::cuda(device)?,
    };
    let cache = Arc::new(PlanCache::new(planner));
    caches.insert(device, cache.clone());
    Ok(cache)
}
