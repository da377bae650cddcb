//! Several axes in one pass: where a tile holds them all, an array is read and written once.

use super::cluster;
use super::fits::{Fits, LARGEST_RADIX};
use super::folded;
use super::problem::Problem;
use super::spread::Spread;
use super::stage::Stage;
use mmafft_backend_traits::device::MOST_VALUES;
use mmafft_backend_traits::{
    held_points, largest_prime_factor, Engine, Kind, Limits, MAX_TILE_AXES,
};

/// Groups consecutive stages into passes.
pub fn groups(stages: Vec<Stage>, problem: &Problem, fits: &Fits) -> Vec<Vec<Stage>> {
    let mut groups: Vec<Vec<Stage>> = Vec::new();
    let mut stages = &stages[..];
    while let [stage, rest @ ..] = stages {
        let Some(group) = groups.last_mut() else {
            groups.push(vec![stage.clone()]);
            stages = rest;
            continue;
        };
        // One stage; or two, where the axes of one alone leave points of other tiles between.
        let counts = 1..=stages.len().min(2);
        let together = |count: &usize| joins(group, &stages[..*count], problem, fits);
        if let Some(cluster) = spread(group, stage, problem, fits) {
            group[0].cluster = Some(cluster);
            group.push(stage.clone());
            stages = rest;
        } else if let Some(count) = counts.into_iter().find(together) {
            let (next, rest) = stages.split_at(count);
            group.extend_from_slice(next);
            // Where the tile goes.
            let store = next[count - 1].store.clone();
            group.iter_mut().for_each(|s| s.store = store.clone());
            stages = rest;
        } else {
            groups.push(vec![stage.clone()]);
            stages = rest;
        }
    }
    groups
}

/// Whether the `next` stages can run on the tile of `group`: as `beside` says, and it fits a block.
fn joins(group: &[Stage], next: &[Stage], problem: &Problem, fits: &Fits) -> bool {
    // Blocks that share lines have nothing of other axes.
    let alone = group[0].cluster.is_none() && group.len() + next.len() <= MAX_TILE_AXES;
    alone && fit(group, next, problem, fits) && beside(group, next, 1, problem, fits)
}

fn fit(group: &[Stage], next: &[Stage], problem: &Problem, fits: &Fits) -> bool {
    let bytes = tile_bytes(group, next, |d| extent(problem, d), fits);
    bytes.is_some_and(|bytes| bytes <= fits.limits.tile_bytes)
}

/// Points of a dimension, on the side that has more.
fn extent(problem: &Problem, dim: usize) -> usize {
    problem.dims[dim].lengths.into_iter().max().unwrap_or(0)
}

/// How a cluster holds the one stage of `group` and the next, which no block does, if it does.
fn spread(group: &[Stage], stage: &Stage, problem: &Problem, fits: &Fits) -> Option<Spread> {
    let next = std::slice::from_ref(stage);
    let ([first], false) = (group, fit(group, next, problem, fits)) else {
        return None;
    };
    let spread = cluster::plane(first, stage, fits)?;
    beside(group, next, spread.blocks, problem, fits).then_some(spread)
}

/// Whether the `next` stages can follow `group` on a tile of so many blocks: they work where the first one stored (of a
/// device's C2R, the tile of half spectra goes on to the reals), the tile is compact, and there are enough of them for
/// all workers.
fn beside(group: &[Stage], next: &[Stage], blocks: usize, problem: &Problem, fits: &Fits) -> bool {
    let first = &group[0];
    let limits = fits.limits;
    let all = || group.iter().chain(next);
    let plain = |s: &Stage| s.edges.is_none() && s.inner.is_empty();
    let whole = |s: &Stage| s.store_range.len() == problem.dims[s.dim].lengths[1];
    let device = limits.line_library.is_none();
    let there = |s: &Stage| s.store == first.store;
    // Of even length, or of butterflies: an odd one is mirrored while it is loaded, which sums over shared memory and
    // convolutions do not.
    let mirrored = |n: usize| {
        let butterflies = largest_prime_factor(n) <= LARGEST_RADIX;
        n.is_multiple_of(2) || (butterflies && fits.engine == Engine::Simt)
    };
    let goes_on = |s: &Stage| device && blocks == 1 && s.kind == Kind::C2R && mirrored(s.length);
    let follows = |s: &Stage| s.load == first.store && (there(s) || goes_on(s));
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

/// Bytes that the axes of `group` and the `next` stages take on chip together, if they can be there.
fn tile_bytes(
    group: &[Stage],
    next: &[Stage],
    extent: impl Fn(usize) -> usize,
    fits: &Fits,
) -> Option<usize> {
    let mut stages = group.iter().chain(next);
    let reals = group[0].kind.is_real_to_real();
    if fits.limits.line_library.is_some() {
        // The tile lies in memory as it is, and the caches hold it.
        let points = stages.try_fold(1usize, |points, s| points.checked_mul(extent(s.dim)))?;
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
        if folded::in_thread(s, true, fits) {
            return Some(s.length.div_ceil(2));
        }
        let steps = folded::steps(s.dim, s, true, fits).filter(|_| reals)?;
        folded::points(&steps, s.dim)
    };
    // Whole lines, which threads take one after another, as many as they have room for.
    let lines = |length: usize, reals: usize| (reals / length).div_ceil(fits.most_threads());
    let in_lines = || {
        let lengths = stages.clone().map(|s| s.length);
        let all: usize = lengths.clone().product();
        lengths.clone().all(|n| lines(n, all) * n <= MOST_VALUES)
    };
    let short = stages.clone().all(|s| folded::in_thread(s, true, fits)) && in_lines();
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
