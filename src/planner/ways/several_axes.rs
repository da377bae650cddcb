//! Several axes in one tile: a tile that holds them all is read and written once.
//!
//! ```text
//! X[k1, k2] = Σ_n1 (Σ_n2 x[n1, n2]·exp(∓2πi·n2·k2/N2))·exp(∓2πi·n1·k1/N1)
//! ```
//! What lies between the sums stays on chip.

use super::{type_one, type_one_in_threads};
use crate::planner::fits::LARGEST_RADIX;
use crate::planner::folded;
use crate::planner::problem::Problem;
use crate::planner::stage::Stage;
use crate::planner::way::{Joined, Joint, Method, Way};
use mmafft_backend_traits::{
    held_points, largest_prime_factor, Engine, Kind, Limits, Slot, MAX_TILE_AXES,
};

pub const WAY: Way = Way {
    name: "several axes in a tile",
    method: Method::Tile { applies, joined },
};

/// Blocks that share lines have nothing of other axes.
fn applies(joint: &Joint) -> bool {
    joint.tile[0].cluster.is_none()
}

/// The tile with one stage more; or two, where the axes of one alone leave points of other tiles between.
fn joined(joint: &Joint) -> Option<Joined> {
    let mut counts = 1..=joint.rest.len().min(2);
    let taken = counts.find(|&count| joins(joint, count))?;
    let (next, _) = joint.rest.split_at(taken);
    let mut tile = [joint.tile, next].concat();
    // Where the tile goes.
    let store = next[taken - 1].store.clone();
    tile.iter_mut().for_each(|s| s.store = store.clone());
    Some(Joined { tile, taken })
}

/// Whether the next stages can run on the tile: as [`are_beside`] says, and it fits a block.
fn joins(joint: &Joint, count: usize) -> bool {
    let few = joint.tile.len() + count <= MAX_TILE_AXES;
    few && fit_a_block(joint, count) && are_beside(joint, count, 1)
}

/// Whether a block holds the tile and so many stages more.
pub fn fit_a_block(joint: &Joint, count: usize) -> bool {
    let bytes = tile_bytes(joint, count);
    bytes.is_some_and(|bytes| bytes <= joint.fits.limits.tile_bytes)
}

/// Points of a dimension, on the side that has more.
fn extent(problem: &Problem, dim: usize) -> usize {
    problem.dims[dim].lengths.into_iter().max().unwrap_or(0)
}

/// Whether the next stages can follow on a tile of so many blocks: they work where the first one stored (of C2R
/// the tile of half spectra goes on to the reals), the tile is compact, and there are enough of them for
/// all workers.
pub fn are_beside(joint: &Joint, count: usize, blocks: usize) -> bool {
    let (problem, fits) = (joint.problem, joint.fits);
    let (first, next) = (&joint.tile[0], &joint.rest[..count]);
    let limits = fits.limits;
    let all = || joint.tile.iter().chain(next);
    let plain = |s: &Stage| s.edges.is_none() && s.inner.is_empty();
    let whole = |s: &Stage| s.store_range.len() == problem.dims[s.dim].lengths[1];
    let device = fits.by_kernels();
    let there = |s: &Stage| s.store == first.store;
    // Of even length, or of butterflies: an odd one is mirrored while it is loaded, which sums over shared memory and
    // convolutions do not.
    let mirrored = |n: usize| {
        let butterflies = largest_prime_factor(n) <= LARGEST_RADIX;
        n.is_multiple_of(2) || (butterflies && fits.engine == Engine::Simt)
    };
    let goes_on = |s: &Stage| match device {
        true => blocks == 1 && s.kind == Kind::C2R && mirrored(s.length),
        // Half spectra stay where they are loaded.
        false => first.load == first.store && s.kind == Kind::C2R,
    };
    // What lay in scratch before the output lies on chip now.
    let ends = |s: &Stage| {
        let domains = s.store.domain == first.store.domain;
        let scratch = first.store.slot == Slot::Scratch && s.store.slot == Slot::Output;
        device && blocks == 1 && domains && scratch && problem.only_writes_output()
    };
    let follows = |s: &Stage| s.load == first.store && (there(s) || goes_on(s) || ends(s));
    let (Some(last), true) = (next.last(), next.iter().all(follows)) else {
        return false;
    };
    if !all().all(|s| plain(s) && whole(s)) {
        return false;
    }
    let dims: Vec<usize> = all().map(|s| s.dim).collect();
    let tiles: usize = (0..problem.dims.len())
        .filter(|d| !dims.contains(d))
        .map(|d| problem.dims[d].lengths[0])
        .product();
    // Compact: nothing of another tile lies between the tile's own points.
    let compact = [&first.load.strides, &last.store.strides]
        .iter()
        .all(|strides| {
            let widest = dims.iter().map(|&d| strides[d]).max().unwrap_or(0);
            (0..problem.dims.len())
                .filter(|d| !dims.contains(d) && extent(problem, *d) > 1)
                .all(|d| strides[d] >= widest)
        });
    // A tile in 16 bits is widened anyway, and one rounding is better than two.
    let widened = problem.storage().bytes() == 2;
    // There, how many workers and arrays there are must not decide either: results would
    // depend on it. Elsewhere they are rounded as often both ways, though not alike where radices differ.
    let enough = tiles * blocks >= limits.workers || limits.workers == 1;
    match widened {
        // But reals of 16 bits between those of other tiles would each be alone in a sector.
        true => compact || !device || !first.kind.is_real_to_real(),
        false => compact && enough,
    }
}

/// Bytes that the axes of the tile and the next stages take on chip together, if they can be there.
fn tile_bytes(joint: &Joint, count: usize) -> Option<usize> {
    let (fits, problem) = (joint.fits, joint.problem);
    let mut stages = joint.tile.iter().chain(&joint.rest[..count]);
    let reals = joint.tile[0].kind.is_real_to_real();
    if !fits.by_kernels() {
        // The tile lies in memory as it is, and the caches hold it.
        let points = stages.try_fold(1usize, |points, s| {
            points.checked_mul(extent(problem, s.dim))
        })?;
        let scalars = if reals { 1 } else { 2 };
        return points.checked_mul(scalars * fits.scalar.bytes());
    }
    let held = |of: &dyn Fn(&Stage) -> Option<usize>| {
        let axes = stages.clone().map(|s| Some((of(s)?, s.length)));
        held_points(&axes.collect::<Option<Vec<_>>>()?, reals)
    };
    // Of type I: by real columns, which are those of threads as well, or reals, two a point, of which threads have twice as many
    // values as others have of points.
    let folded = |s: &Stage| {
        if type_one_in_threads::is_in_thread(s, true, fits) {
            return Some(s.length.div_ceil(2));
        }
        let steps = type_one::steps_of(s.dim, s, true, fits).filter(|_| reals)?;
        folded::points(&steps, s.dim)
    };
    // Whole lines, which threads take one after another, as many as they have room for.
    let lines = |length: usize, reals: usize| (reals / length).div_ceil(fits.most_threads());
    let most = fits.limits.target.threads().most_values;
    let in_lines = || {
        let lengths = stages.clone().map(|s| s.length);
        let all: usize = lengths.clone().product();
        lengths.clone().all(|n| lines(n, all) * n <= most)
    };
    let in_thread = |s: &Stage| type_one_in_threads::is_in_thread(s, true, fits);
    let short = stages.clone().all(in_thread) && in_lines();
    let points = held(&|s| folded(s).or_else(|| fits.stage_points(s)))?;
    // More would leave a thread too many values. Those of a half spectrum of reals beside the DFT's are in no thread.
    let in_threads = match reals {
        // Lines of type I may be longer than others.
        true => held(&|s| {
            if let Some(points) = folded(s) {
                return Some(points);
            }
            let points = fits.tile_points(s.kind.core_length(s.length))?;
            (points <= fits.longest_line()).then_some(points)
        })?,
        false => points,
    };
    (short || in_threads <= fits.tile_capacity())
        .then(|| Limits::on_chip_bytes(points, fits.scalar))
}
