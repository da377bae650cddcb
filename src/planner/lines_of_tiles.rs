//! How many lines a tile holds, by rules of thumb where nothing was measured.

use super::fits::Fits;
use super::folded;
use super::problem::Problem;
use super::stage::{is_contiguous, Stage};
use mmafft_backend_traits::{
    held_points, radix, Engine, Kind, Limits, Residency, ScalarType, Step, Tile, TileAxis,
};

/// Bytes of contiguous lines that are transformed together: enough that the calls cost
/// nothing beside the work.
const LINE_BYTES: usize = 256 << 10;

/// The same for real lines, which wait in the tile between transform and split: half of a
/// first-level cache.
const REAL_LINE_BYTES: usize = 16 << 10;

/// Points of FP32 that keep a block of a device busy; half as many on the matrix engine.
const TILE_POINTS: usize = 2048;

/// The same of contiguous lines of reals, of any precision: so many have the tiles that were the
/// fastest of those measured, of R2C, C2R and the real kinds.
const REAL_TILE_POINTS: usize = 512;

/// Threads of one line that are enough for a block.
const FULL_BLOCK: usize = 64;

/// How many lines a tile holds.
pub fn tile(axes: &[TileAxis], stage: &Stage, steps: &[Step], p: &Problem, fits: &Fits) -> Tile {
    let points = |axis: &TileAxis| {
        let padded = steps.iter().find_map(|step| match step {
            Step::Chirp {
                axis: a, padded, ..
            } if *a == axis.axis => Some(*padded),
            _ => None,
        });
        match (padded, fits.by_kernels()) {
            (Some(padded), _) => padded,
            (None, true) => folded::on_chip(steps, axis),
            (None, false) => axis.core_length(),
        }
    };
    // Lines in pairs are as one of both.
    let together = if stage.mirrored.is_some() { 2 } else { 1 };
    let reals = axes[0].kind.is_real_to_real();
    let held: Vec<(usize, usize)> = axes
        .iter()
        .map(|axis| (points(axis), axis.length))
        .collect();
    let points = held_points(&held, reals).expect("a tile has what integers hold") * together;
    let all: usize = stage.others.iter().map(|(_, r)| r.len()).product::<usize>()
        * stage.inner.iter().map(|l| l.count).product::<usize>();
    let lines = match fits.by_kernels() {
        false => lines_in_caches(axes, stage, steps, points, p, fits.limits),
        true => lines_on_chip(stage, points, axes.len(), steps, all, fits),
    };
    let lines = lines.min((all / together).max(1));
    Tile {
        lines: lines * together,
        bytes: lines * points * 2 * p.storage().bytes(),
        residency: Residency::Block,
        launch: None,
    }
}

/// On a CPU as many as neighbour each other within a vector where lines are scattered, as
/// many as the first-level cache takes where they are contiguous.
fn lines_in_caches(
    axes: &[TileAxis],
    stage: &Stage,
    steps: &[Step],
    points: usize,
    p: &Problem,
    l: &Limits,
) -> usize {
    let bytes = points * 2 * p.storage().bytes();
    let library = matches!(steps.first(), Some(Step::Line { .. }));
    match (axes.len(), library && is_contiguous(stage)) {
        (1, true) => {
            let complex = axes[0].kind == Kind::C2C;
            let most = if complex { LINE_BYTES } else { REAL_LINE_BYTES };
            let lines = (most / bytes.max(1)).max(1);
            // Groups of lines that begin where a vector of them does stay as aligned as the
            // array; odd ones cost 15 % at three points.
            if lines >= 16 {
                lines - lines % 16
            } else {
                lines
            }
        }
        (1, false) => l.lanes(p.storage()),
        _ => 1,
    }
}

/// On a device as many as give a block enough to do; where lines are scattered, as many as
/// make rows of a whole cache line in memory, while the tile stays small enough for two
/// blocks a multiprocessor, and never rows of less than a sector where they fit at all.
fn lines_on_chip(
    stage: &Stage,
    points: usize,
    axes: usize,
    steps: &[Step],
    all: usize,
    fits: &Fits,
) -> usize {
    let points = points.max(1);
    let scalar = fits.scalar;
    let longest = fits.tile_capacity();
    let share = if fits.engine == Engine::Matrix { 2 } else { 1 };
    let contiguous = is_contiguous(stage);
    let enough = match stage.kind != Kind::C2C && contiguous && axes == 1 {
        true => REAL_TILE_POINTS,
        false => TILE_POINTS * 4 / scalar.compute_bytes() / share,
    };
    let enough = (enough.min(longest) / points).max(1);
    if contiguous || axes > 1 {
        let few = 1 << enough.ilog2();
        // But so few that all multiprocessors have some.
        let most = (longest / 2 / points).min(all / fits.limits.workers.max(1));
        let folded = (axes == 1).then(|| folded::lines(steps, few, most, scalar));
        if let Some(lines) = folded.flatten() {
            return lines;
        }
        if let (Some(Step::Rader { .. }), Kind::C2C, 1) = (steps.first(), stage.kind, axes) {
            // Lanes that shared memory looks at together have one point of as many lines, where powers of a generator
            // are in whichever banks: 193 points of FP32 went from 0.71 of a copy to 0.89 on an H100, by 16 lines for 13.
            let tile =
                points * fits.limits.target.threads().wavefront / (2 * scalar.compute_bytes());
            let two_blocks = 2 * Limits::on_chip_bytes(tile, scalar) <= fits.limits.tile_bytes;
            if tile <= longest && two_blocks {
                return few.max(tile / points);
            }
        }
        return match fits.engine {
            Engine::Simt => lines_of_rows(stage.kind, axes, points, steps, scalar, longest),
            Engine::Matrix => few,
        };
    }
    let row = |bytes: usize| (bytes / (2 * scalar.bytes())).max(1);
    let fitting = |tile: usize| (tile / points).max(1);
    let wide = row(128).min(fitting(longest / 2));
    // Fragments of padded radices hold more than their points.
    let full = match fits.engine {
        Engine::Matrix => longest / 2,
        Engine::Simt => longest,
    };
    let least = row(32).min(fitting(full));
    1 << enough.max(wide).max(least).ilog2()
}

/// Contiguous lines, or arrays of several axes, that a tile of butterflies has where there are many, each of so many points by these
/// steps; `longest` are those that a tile may have.
pub fn lines_of_rows(
    kind: Kind,
    axes: usize,
    points: usize,
    steps: &[Step],
    scalar: ScalarType,
    longest: usize,
) -> usize {
    let enough = match (kind, axes) {
        (Kind::C2C, _) | (_, 2..) => TILE_POINTS * 4 / scalar.compute_bytes(),
        _ => REAL_TILE_POINTS,
    };
    let few = 1 << (enough.min(longest) / points).max(1).ilog2();
    if axes > 1 {
        return few;
    }
    // Of type I that threads have whole.
    let radices = steps.iter().filter_map(Step::radix).count();
    if kind.is_symmetric() && radices == 1 {
        return few.max(FULL_BLOCK);
    }
    full_waves(points, few, longest / 2, steps)
}

/// From `few` lines to twice as many, so many that the fewest lanes of the last wave idle: a
/// thread holds the points of one small DFT or some. One line of [`FULL_BLOCK`] threads is enough: 1600 points of FP32 and
/// FP64 ran at 0.80 and 0.76 of a copy on an H100 by two lines, at 0.97 and 0.98 by one.
fn full_waves(points: usize, few: usize, longest: usize, steps: &[Step]) -> usize {
    let held = |r: &usize| !radix::summed(*r, false);
    let radices = steps.iter().filter_map(Step::radix).filter(held);
    let largest = radices.max().unwrap_or(1);
    let values = (16 / largest).max(1) * largest;
    let idle = |lines: usize| {
        let threads = (lines * points).div_ceil(values);
        1000 * (threads.next_multiple_of(32) - threads) / threads
    };
    let most = (2 * few).min((longest / points).max(1)).max(few);
    if few == 1 && points >= FULL_BLOCK * values {
        return few;
    }
    (few..=most).min_by_key(|&lines| idle(lines)).unwrap_or(few)
}
