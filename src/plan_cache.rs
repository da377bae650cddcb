//! Transforms kept by their requests, for callers that say what they want with every call.

use crate::transform::{Planner, Transform};
use mmafft_backend_traits::{Request, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Transforms of the requests that came last, up to a number and a size in memory.
///
/// ```
/// use mmafft::{Complex, PlanCache, Planner, Request, Shape};
///
/// let cache = PlanCache::new(Planner::cpu()?);
/// for n in [4, 8, 4] {
///     let mut x = vec![Complex::new(1.0f32, 0.0); n];
///     cache.get(&Request::forward(Shape::d1(n)))?.process_in_place(&mut x)?;
/// }
/// assert_eq!(cache.len(), 2);
/// # Ok::<(), mmafft::Error>(())
/// ```
#[derive(Debug)]
pub struct PlanCache {
    planner: Planner,
    most: usize,
    most_bytes: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<Request, Entry>,
    /// The sum of the entries' bytes.
    bytes: usize,
    /// Counts the look-ups.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    transform: Arc<Transform>,
    bytes: usize,
    used: u64,
}

impl PlanCache {
    /// How many transforms a new cache keeps at most.
    pub const TRANSFORMS: usize = 128;
    /// How many bytes, about, those of a new cache take at most.
    pub const BYTES: usize = 256 << 20;

    /// An empty cache of what this planner builds.
    pub fn new(planner: Planner) -> Self {
        PlanCache::bounded(planner, Self::TRANSFORMS, Self::BYTES)
    }

    /// One that keeps so many transforms at most, of so many bytes of tables and scratch; the last one it keeps
    /// whatever its size.
    pub fn bounded(planner: Planner, most: usize, most_bytes: usize) -> Self {
        PlanCache {
            planner,
            most: most.max(1),
            most_bytes,
            kept: Mutex::default(),
        }
    }

    /// The planner that builds what is not there yet.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// The transform of a request, built where it is not there. Others are looked up and built meanwhile.
    pub fn get(&self, request: &Request) -> Result<Arc<Transform>> {
        match self.find(request) {
            Some(transform) => Ok(transform),
            None => Ok(self.insert(request.clone(), self.planner.build(request)?)),
        }
    }

    /// The transform of a request, where it is there.
    pub fn find(&self, request: &Request) -> Option<Arc<Transform>> {
        let kept = &mut *self.lock();
        kept.clock += 1;
        let entry = kept.entries.get_mut(request)?;
        entry.used = kept.clock;
        Some(entry.transform.clone())
    }

    /// Keeps what was built of a request; returns what another thread has put there before.
    pub fn insert(&self, request: Request, transform: Transform) -> Arc<Transform> {
        let bytes = transform.bytes();
        let kept = &mut *self.lock();
        if let Some(there) = kept.entries.get(&request) {
            return there.transform.clone();
        }
        while !kept.entries.is_empty()
            && (kept.entries.len() >= self.most || kept.bytes + bytes > self.most_bytes)
        {
            kept.drop_oldest();
        }
        kept.clock += 1;
        kept.bytes += bytes;
        let transform = Arc::new(transform);
        let entry = Entry {
            transform: transform.clone(),
            bytes,
            used: kept.clock,
        };
        kept.entries.insert(request, entry);
        transform
    }

    /// How many transforms it has.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all; what runs goes on.
    pub fn clear(&self) {
        *self.lock() = Kept::default();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        let oldest = oldest.map(|(request, _)| request.clone());
        if let Some(entry) = oldest.and_then(|request| self.entries.remove(&request)) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(all(test, feature = "cpu"))]
#[path = "plan_cache_tests.rs"]
mod tests;
