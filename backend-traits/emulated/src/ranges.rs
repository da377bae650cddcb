//! Which emulated device has which range of the host's addresses.
//!
//! Devices of one process share the host's memory, so that a pointer alone does not say whose it is. What a launch touches
//! is looked up here: memory of another device is an error, as on devices, unless it was mapped for this one. What nobody
//! has is the host's.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A device of either vendor, as a bit.
pub(crate) type Device = u64;

/// The first address of each range, its end, and the devices that read and write it.
static RANGES: Mutex<BTreeMap<usize, (usize, Device)>> = Mutex::new(BTreeMap::new());

fn ranges() -> MutexGuard<'static, BTreeMap<usize, (usize, Device)>> {
    RANGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many bytes from an address on are of these devices, as long as it is not said otherwise.
pub(crate) fn insert(start: usize, bytes: usize, devices: Device) {
    ranges().insert(start, (start + bytes.max(1), devices));
}

pub(crate) fn remove(start: usize) {
    ranges().remove(&start);
}

/// The devices that have a range of addresses that this one does not reach, if there is such a one.
pub(crate) fn out_of_reach(start: usize, end: usize, device: Device) -> Option<Device> {
    let ranges = ranges();
    let before = ranges.range(..start).next_back();
    let inside = ranges.range(start..end.max(start));
    let mut all = before.into_iter().chain(inside);
    let foreign =
        |(_, &(last, devices)): &(&usize, &(usize, Device))| last > start && devices & device == 0;
    all.find(foreign).map(|(_, &(_, devices))| devices)
}
