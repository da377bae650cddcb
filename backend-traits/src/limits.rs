//! What a planner must know of a device, as plain data: it plans without touching one.

use crate::fragment::FragmentShape;
use crate::geometry::Geometry;
use crate::precision::{Precision, ScalarType};
use crate::target::Target;

/// A device's limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The backend's name, as on the command line.
    pub backend: &'static str,
    /// The device, in its vendor's words.
    pub device: String,
    /// What its machine code is compiled for (`sm_90`, `gfx942`), where rules were measured on it;
    /// empty for a CPU.
    pub architecture: String,
    /// How many tiles can be worked on at a time (threads, multiprocessors).
    pub workers: usize,
    /// Bytes that the widest vector operation holds (CPU: a SIMD register; a tile's rows
    /// should be no shorter in memory than this).
    pub vector_bytes: usize,
    /// Bytes of on-chip memory that one tile may fill.
    pub tile_bytes: usize,
    /// The longest line that one pass transforms, where on-chip memory is not less; longer
    /// ones are split. See [`Limits::longest_line`].
    pub line_points: usize,
    /// The most blocks of a cluster, which reach each other's shared memory; 0 where blocks do not.
    pub cluster_blocks: usize,
    /// Radices that butterflies exist for, the preferred first.
    pub butterflies: &'static [usize],
    /// The matrix products at hand.
    pub fragments: Vec<FragmentShape>,
    /// The precisions that this device computes.
    pub precisions: Vec<Precision>,
    /// What else a planner asks of such devices.
    pub target: &'static dyn Target,
    /// What kernels are made for, of a device; `None` of a CPU.
    pub geometry: Option<Geometry>,
}

impl Limits {
    /// On-chip bytes of so many complex points in arithmetic's own type (16-bit storage is
    /// widened), with an eighth more for the padding that keeps banks apart.
    pub fn on_chip_bytes(points: usize, scalar: ScalarType) -> usize {
        points.saturating_mul(2 * scalar.compute_bytes() / 8 * 9)
    }

    /// The longest line that a tile of several holds, in points. A power of two on devices without a
    /// library: what is longer splits into factors that are, but where one line fills the tile.
    pub fn longest_line(&self, scalar: ScalarType) -> usize {
        if self.target.line_library().is_some() {
            return self.line_points;
        }
        self.line_points.min(self.tile_points(scalar))
    }

    /// The longest line for tiles of lines whose points are scattered in memory: enough
    /// neighbouring lines that 32 bytes in a row, a device's least access, are used.
    pub fn longest_scattered(&self, scalar: ScalarType) -> usize {
        if self.target.line_library().is_some() {
            return self.line_points;
        }
        let neighbours = (32 / (2 * scalar.bytes())).max(1);
        let points = (self.tile_points(scalar) / neighbours).max(2);
        self.line_points.min(points)
    }

    /// How many blocks a cluster may have: powers of two.
    pub fn block_counts(&self) -> impl Iterator<Item = usize> + Clone {
        let most = self.cluster_blocks.checked_ilog2().unwrap_or(0);
        (1..=most).map(|bits| 1 << bits)
    }

    /// The largest power of two of points that a tile holds.
    pub fn tile_points(&self, scalar: ScalarType) -> usize {
        let points = self.tile_bytes / Self::on_chip_bytes(1, scalar);
        1 << points.max(2).ilog2()
    }

    /// How many of what computes with scalars of this type fill a vector.
    pub fn lanes(&self, scalar: ScalarType) -> usize {
        (self.vector_bytes / scalar.compute_bytes()).max(1)
    }
}
