//! Several axes in one pass: where a tile holds them all, an array is read and written once.

use super::fits::Fits;
use super::problem::Problem;
use super::stage::Stage;
use mmafft_backend_traits::Limits;

/// Groups consecutive stages into passes.
pub fn groups(stages: Vec<Stage>, problem: &Problem, fits: &Fits) -> Vec<Vec<Stage>> {
    let mut groups: Vec<Vec<Stage>> = Vec::new();
    for stage in stages {
        match groups.last_mut() {
            Some(group) if joins(group, &stage, problem, fits) => group.push(stage),
            _ => groups.push(vec![stage]),
        }
    }
    groups
}

/// Whether `stage` can run on the tile of `group`: the next stages work where the first
/// one stored, the tile is compact, it fits, and there are enough tiles for all workers.
fn joins(group: &[Stage], stage: &Stage, problem: &Problem, fits: &Fits) -> bool {
    let first = &group[0];
    let limits = fits.limits;
    let plain = |s: &Stage| s.edges.is_none() && s.inner.is_empty();
    let whole = |s: &Stage| s.store_range.len() == problem.dims[s.dim].lengths[1];
    // A device's tile holds complex points: what is real again after an axis leaves it.
    let real = group
        .iter()
        .chain([stage])
        .any(|s| s.kind.is_real_to_real());
    if (real && limits.line_library.is_none())
        || !group.iter().chain([stage]).all(|s| plain(s) && whole(s))
        || stage.load != first.store
        || stage.store != first.store
    {
        return false;
    }
    let dims: Vec<usize> = group.iter().chain([stage]).map(|s| s.dim).collect();
    let extent = |d: usize| problem.dims[d].lengths[0].max(problem.dims[d].lengths[1]);
    let Some(bytes) = tile_bytes(group, stage, extent, fits) else {
        return false;
    };
    let tiles: usize = (0..problem.dims.len())
        .filter(|d| !dims.contains(d))
        .map(|d| problem.dims[d].lengths[0])
        .product();
    // Compact: nothing of another tile lies between the tile's own points.
    let compact = [&first.load.strides, &first.store.strides]
        .iter()
        .all(|strides| {
            let widest = dims.iter().map(|&d| strides[d]).max().unwrap_or(0);
            (0..problem.dims.len())
                .filter(|d| !dims.contains(d) && extent(*d) > 1)
                .all(|d| strides[d] >= widest)
        });
    // A tile in 16 bits is widened anyway, and one rounding is better than two.
    let widened = problem.storage().bytes() == 2;
    // There, how many workers and arrays there are must not decide either: results would
    // depend on it. Elsewhere the tile is rounded alike both ways.
    let enough = tiles >= limits.workers || limits.workers == 1;
    (widened || (compact && enough)) && bytes <= limits.tile_bytes
}

/// Bytes that the axes of `group` and `stage` take on chip together, if they can be there.
fn tile_bytes(
    group: &[Stage],
    stage: &Stage,
    extent: impl Fn(usize) -> usize,
    fits: &Fits,
) -> Option<usize> {
    let mut stages = group.iter().chain([stage]);
    if fits.limits.line_library.is_some() {
        // The tile lies in memory as it is, and the caches hold it.
        let points: usize = stages.map(|s| extent(s.dim)).product();
        let scalars = match group[0].kind.is_real_to_real() {
            true => 1,
            false => 2,
        };
        return Some(points * scalars * fits.scalar.bytes());
    }
    let points = stages.try_fold(1usize, |points, stage| {
        points.checked_mul(fits.stage_points(stage)?)
    })?;
    // More would leave a thread too many values.
    if points > fits.tile_capacity() {
        return None;
    }
    Some(Limits::on_chip_bytes(points, fits.scalar))
}
