//! What a planner must know of a device, as plain data: it plans without touching one.

use crate::fragment::FragmentShape;
use crate::precision::{Precision, ScalarType};

/// A device's limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The backend's name, as on the command line.
    pub backend: &'static str,
    /// The device, in its vendor's words.
    pub device: String,
    /// How many tiles can be worked on at a time (threads, multiprocessors).
    pub workers: usize,
    /// Bytes that the widest vector operation holds (CPU: a SIMD register; a tile's rows
    /// should be no shorter in memory than this).
    pub vector_bytes: usize,
    /// Bytes of on-chip memory that one tile may fill.
    pub tile_bytes: usize,
    /// The longest line that one pass transforms; longer ones are split four-step.
    pub line_points: usize,
    /// A library that transforms contiguous lines of any length in one step, if any.
    pub line_library: Option<&'static str>,
    /// Radices that butterflies exist for, the preferred first.
    pub butterflies: &'static [usize],
    /// The matrix products at hand.
    pub fragments: Vec<FragmentShape>,
    /// The precisions that this device computes.
    pub precisions: Vec<Precision>,
}

impl Limits {
    /// How many scalars of this type fill a vector.
    pub fn lanes(&self, scalar: ScalarType) -> usize {
        (self.vector_bytes / scalar.bytes()).max(1)
    }
}
