//! Handles that other languages hold: numbers that look like addresses, of which a wrong one is noticed.

use std::ffi::c_void;
use std::sync::{Arc, PoisonError, RwLock};

/// Objects by their handles. A handle that was given back, or never given out, names none.
#[derive(Debug)]
pub struct Handles<T> {
    all: RwLock<Slots<T>>,
}

#[derive(Debug)]
struct Slots<T> {
    slots: Vec<(u32, Option<Arc<T>>)>,
    free: Vec<usize>,
}

/// Bits of a slot's number in a handle; what is above counts how often the slot was used.
const BITS: u32 = 31;
/// Handles are multiples of this, as addresses of objects are.
const STEP: usize = 16;

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles::new()
    }
}

impl<T> Handles<T> {
    /// None yet.
    pub const fn new() -> Self {
        let slots = Slots {
            slots: Vec::new(),
            free: Vec::new(),
        };
        Handles {
            all: RwLock::new(slots),
        }
    }

    /// Keeps an object, and returns its handle, which is not null.
    pub fn insert(&self, object: T) -> *mut c_void {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let place = all.free.pop().unwrap_or_else(|| {
            all.slots.push((0, None));
            all.slots.len() - 1
        });
        let (uses, slot) = &mut all.slots[place];
        *uses = uses.wrapping_add(1) & (u32::MAX >> 4);
        *slot = Some(Arc::new(object));
        let number = (u64::from(*uses) << BITS | (place as u64 + 1)) as usize;
        std::ptr::without_provenance_mut(number.wrapping_mul(STEP))
    }

    /// The object of a handle.
    pub fn get(&self, handle: *const c_void) -> Option<Arc<T>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let (place, uses) = place(handle)?;
        let slot = all.slots.get(place).filter(|slot| slot.0 == uses)?;
        slot.1.clone()
    }

    /// Gives an object back; whoever uses it meanwhile goes on.
    pub fn remove(&self, handle: *const c_void) -> Option<Arc<T>> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let (place, uses) = place(handle)?;
        let slot = all.slots.get_mut(place).filter(|slot| slot.0 == uses)?;
        let object = slot.1.take()?;
        all.free.push(place);
        Some(object)
    }
}

/// The slot of a handle and its use.
fn place(handle: *const c_void) -> Option<(usize, u32)> {
    let address = handle.addr();
    if !address.is_multiple_of(STEP) {
        return None;
    }
    let number = (address / STEP) as u64;
    let place = (number & ((1 << BITS) - 1)).checked_sub(1)?;
    Some((place as usize, (number >> BITS) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_of_one_object() {
        let all = Handles::new();
        let first = all.insert(1);
        assert_eq!(all.get(first).as_deref(), Some(&1));
        assert_eq!(all.remove(first).as_deref(), Some(&1));
        assert!(all.remove(first).is_none() && all.get(first).is_none());
        let second = all.insert(2);
        assert_ne!(first, second);
        assert!(all.get(first).is_none() && all.get(second).is_some());
        for wrong in [0, 1, 16, usize::MAX, second.addr() + 16] {
            assert!(all.get(std::ptr::without_provenance(wrong)).is_none());
        }
    }

    #[test]
    fn memory_does_not_grow() {
        let all = Handles::new();
        for i in 0..1000 {
            let handle = all.insert(i);
            all.remove(handle);
        }
        assert_eq!(all.all.read().map(|all| all.slots.len()).ok(), Some(1));
    }
}
