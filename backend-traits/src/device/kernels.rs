//! Loaded kernels by their programs, so that the same plan again compiles and loads nothing.

use super::program::Program;
use crate::error::Result;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Kernels kept although no plan uses them; one takes some ten kilobytes of the device.
const KEPT: usize = 1024;

/// A program's place: empty while the first thread to ask compiles, and the others wait.
type Slot<K> = Arc<Mutex<Option<Arc<K>>>>;

/// The kernels of one context.
#[derive(Debug)]
pub struct Kernels<K> {
    slots: RwLock<HashMap<Program, Slot<K>>>,
}

impl<K> Default for Kernels<K> {
    fn default() -> Self {
        Kernels {
            slots: RwLock::default(),
        }
    }
}

impl<K> Kernels<K> {
    /// The program's kernel, made if there is none. Other programs do not wait for the
    /// making; it is tried again after a failure.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get(&self, program: &Program, make: impl FnOnce() -> Result<K>) -> Result<Arc<K>> {
        let slot = self.slot(program);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = &*slot {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(make()?);
        *slot = Some(kernel.clone());
        Ok(kernel)
    }

    fn slot(&self, program: &Program) -> Slot<K> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(program) {
            return slot.clone();
        }
        drop(slots);
        // Dropped after the lock, which others wait for: unloading waits for the device.
        let mut unused = Vec::new();
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= KEPT {
            unused.extend(slots.extract_if(|_, slot| !in_use(slot)));
        }
        slots.entry(program.clone()).or_default().clone()
    }
}

/// Whether someone beside the map holds the kernel, or the place where it will be.
fn in_use<K>(slot: &Slot<K>) -> bool {
    if Arc::strong_count(slot) > 1 {
        return true;
    }
    let kernel = slot.lock().unwrap_or_else(PoisonError::into_inner);
    kernel
        .as_ref()
        .is_some_and(|kernel| Arc::strong_count(kernel) > 1)
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
