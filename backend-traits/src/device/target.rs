//! What passes are lowered to, in a planner's words.

use super::banks::WAVEFRONT;
use super::cluster::spreads;
use super::config::DENSE_PAIRS;
use super::groups::MOST_VALUES;
use super::numbers::PRODUCTS_OF_TWIDDLES;
use super::outline::Outline;
use super::threads::{places_beside_twiddles, MANY_VALUES, VALUES};
use super::trip::Trip;
use super::turns::share;
use crate::fragment::FragmentShape;
use crate::geometry::Geometry;
use crate::limits::Limits;
use crate::pass::Pass;
use crate::pass_shape::TripCount;
use crate::precision::PRECISIONS;
use crate::radix;
use crate::target::{Share, Target, ThreadLimits};

/// Devices that run the kernels of this library.
#[derive(Debug)]
pub struct Lowering;

/// Bytes that a thread of any of them loads at a time.
const VECTOR_BYTES: usize = 16;

impl Lowering {
    /// The limits of such a device, by its name and architecture, in all precisions, without clusters.
    pub fn limits(
        backend: &'static str,
        [device, architecture]: [&str; 2],
        fragments: Vec<FragmentShape>,
        geometry: Geometry,
    ) -> Limits {
        Limits {
            backend,
            device: device.into(),
            architecture: architecture.into(),
            workers: geometry.multiprocessors,
            vector_bytes: VECTOR_BYTES,
            tile_bytes: geometry.shared_bytes,
            // No limit but the tile's.
            line_points: usize::MAX,
            cluster_blocks: 0,
            target: &Lowering,
            butterflies: radix::BUTTERFLIES,
            fragments,
            precisions: PRECISIONS.iter().map(|row| row.precision).collect(),
            geometry: Some(geometry),
        }
    }
}

/// What a thread of the kernels holds.
static THREADS: ThreadLimits = ThreadLimits {
    values: VALUES,
    many_values: MANY_VALUES,
    most_values: MOST_VALUES,
    dense_pairs: DENSE_PAIRS,
    multiplied_radix: PRODUCTS_OF_TWIDDLES,
    wavefront: WAVEFRONT,
};

impl Target for Lowering {
    fn name(&self) -> &'static str {
        "kernels"
    }

    fn line_library(&self) -> Option<&'static str> {
        None
    }

    fn threads(&self) -> &'static ThreadLimits {
        &THREADS
    }

    /// Without the numbers that follow from threads.
    fn trips(&self, pass: &Pass) -> Option<Vec<TripCount>> {
        let outline = Outline::new(pass, true, None).ok()?;
        Some(outline.trips.iter().map(Trip::count).collect())
    }

    fn spreads(&self, pass: &Pass) -> bool {
        spreads(pass)
    }

    fn places_beside_twiddles(&self, pass: &Pass) -> bool {
        places_beside_twiddles(pass)
    }

    fn share(&self, pass: &Pass, arrays: usize) -> Option<Share> {
        share(pass, arrays)
    }
}
