//! How lines, columns and planes are spread over the blocks of a cluster, where they are.
//!
//! Which are spread is in `rules.csv`: rows whose access is `cluster`, of reals those of their kind or of one that is
//! alike. What has no row takes a cluster where that is likely faster than its two passes. And tiles of several lines that lie beside each other in memory, where the rule
//! of their columns says so: long ones leave a block few lines, so that it has pieces of sectors in a row, or all of
//! its memory to one tile.

use super::fits::{Fits, LARGEST_RADIX};
use super::rule_keys::Keys;
use super::rules;
use super::sequence::Sequence;
use super::spread::Spread;
use super::stage::{is_scattered, Stage};
use mmafft_backend_traits::real::CoreLength;
use mmafft_backend_traits::{
    mirrors::halves_radix, radix, End, Engine, Factor, Kind, RealLine, ScalarType,
};

/// Bytes of a block's share that are preferred: 8192 points of FP32.
const SHARE: usize = 64 << 10;

/// What two passes of shorter lines reach at most, as a fraction of a copy.
const TWO_PASSES: f64 = 0.5;

/// Whether a line may be spread over a cluster although a block holds it: one to a block, which leaves a
/// multiprocessor's other blocks little memory.
pub fn pays(core: usize, scalar: ScalarType) -> bool {
    core.saturating_mul(2 * scalar.compute_bytes()) >= SHARE
}

/// How a long line is spread over a cluster, if it is: a complex one, or one of reals that is packed to half its
/// length; `held` says whether one block holds it.
pub fn line(stage: &Stage, held: bool, fits: &Fits) -> Option<Spread> {
    let core = stage.kind.core_length(stage.length);
    let halved = stage.kind.row().packed.length == CoreLength::Half && 2 * core == stage.length;
    if !(plain(stage) || halved && alone(stage)) || is_scattered(stage) {
        return None;
    }
    let whole = halved.then_some((stage.kind, stage.length));
    choose(&[core], whole, held, arrays(stage, &[stage.dim]), fits)
}

/// How complex lines are spread that lie beside each other in memory, or one of whose sides does, and no block holds
/// enough of: by their rule; without one only if they `must`.
pub fn columns(stage: &Stage, fits: &Fits, must: bool) -> Option<Spread> {
    let complex = |line: Option<RealLine>, end| line.is_none_or(|l| l.is_complex(end));
    let plain = stage.kind == Kind::C2C
        && free(stage)
        && stage.mirrored.is_none()
        && !matches!(stage.store_factor, Some(Factor::Chirp { .. }))
        && complex(stage.load_reals, End::Load)
        && complex(stage.store_reals, End::Store);
    if !plain || fits.asked.is_some() {
        return None;
    }
    let lengths = [stage.length];
    let inner = stage.inner.iter().map(|l| l.count);
    let lines = inner.fold(arrays(stage, &[stage.dim]), usize::saturating_mul);
    let must = must || fits.clusters;
    let runs = |s: &Spread| s.cuts_runs(stage.load_runs, stage.store_runs);
    let rules = rules::of_each(Keys::of(fits).of_columns(stage), fits.limits).into_iter();
    let mut rules = rules
        .map(|(_, rule)| rule)
        .filter(|rule| rule.blocks > 1 && rule.lines > 1)
        .filter(|rule| must || rule.fraction > TWO_PASSES)
        .filter_map(|rule| rule.spread(&lengths))
        .filter(runs)
        .filter(|s| s.fits(&lengths, fits.engine, fits.limits, fits.scalar))
        .filter(|s| must || !idle(s, lines.div_ceil(s.lines), fits));
    let measured = rules.next().filter(|_| !fits.clusters);
    let any = || must.then(|| unmeasured_columns(stage.length, fits));
    measured.or_else(|| any().flatten().filter(runs))
}

/// A few clusters leave most of the device idle, which more passes do not. In 16 bits how many arrays there are must not
/// decide, as each pass rounds.
fn idle(spread: &Spread, tiles: usize, fits: &Fits) -> bool {
    fits.scalar.bytes() > 2 && tiles.saturating_mul(spread.blocks) < fits.limits.workers
}

/// How a tile of lines of so many points that lie beside each other is spread where nothing was measured: in rows of 64
/// bytes, or of a sector, over the fewest blocks whose shares have the preferred size, or that hold them.
pub fn unmeasured_columns(length: usize, fits: &Fits) -> Option<Spread> {
    let rows = [64, 32].map(|bytes| (bytes / (2 * fits.scalar.bytes())).max(1));
    let most = fits.limits.tile_points(fits.scalar) * fits.limits.cluster_blocks;
    let mut rows = rows.into_iter().filter(|lines| length <= most / lines);
    rows.find_map(|lines| {
        let of = |blocks| unmeasured(&[length], None, blocks, fits);
        let all = fits.limits.block_counts().filter_map(of);
        let all = all.map(|spread| Spread { lines, ..spread });
        let can = |s: &Spread| s.fits(&[length], fits.engine, fits.limits, fits.scalar);
        fewest(all.filter(can).collect(), lines * length, fits)
    })
}

/// Of several ways to share these points out, the fewest blocks whose shares have the preferred size, or the most.
fn fewest(mut all: Vec<Spread>, points: usize, fits: &Fits) -> Option<Spread> {
    let bytes = points.saturating_mul(2 * fits.scalar.compute_bytes());
    let large = all.iter().take_while(|s| bytes / s.blocks > SHARE).count();
    let chosen = large.min(all.len().checked_sub(1)?);
    Some(all.swap_remove(chosen))
}

/// How a plane is, of which `first` is the axis that is transformed first.
pub fn plane(first: &Stage, last: &Stage, fits: &Fits) -> Option<Spread> {
    // What lies beside each other is shared out when it is stored.
    let rows = |strides: &[usize]| strides[first.dim] < strides[last.dim];
    let ordered = rows(&first.load.strides) && rows(&first.store.strides);
    if !ordered || !plain(first) || !plain(last) {
        return None;
    }
    let arrays = arrays(first, &[first.dim, last.dim]);
    choose(&[first.length, last.length], None, false, arrays, fits)
}

fn plain(stage: &Stage) -> bool {
    stage.kind == Kind::C2C && alone(stage)
}

/// Whether nothing else is to be done on the way, and the line is whole.
fn alone(stage: &Stage) -> bool {
    stage.inner.is_empty() && stage.store_factor.is_none() && free(stage)
}

/// Whether nothing is to be done that no cluster does, of whole lines or of parts.
fn free(stage: &Stage) -> bool {
    stage.cluster.is_none()
        && stage.convolution.is_none()
        && stage.load_factor.is_none()
        && stage.hermitian.is_none()
        && stage.edges.is_none()
}

/// How many tiles there are, each of these dimensions of the problem.
fn arrays(stage: &Stage, tile: &[usize]) -> usize {
    let others = stage.others.iter().filter(|(d, _)| !tile.contains(d));
    let all = |arrays: usize, n: usize| arrays.saturating_mul(n);
    others.map(|(_, range)| range.len()).fold(1, all)
}

/// How a tile is spread: by its rule, or over the fewest blocks whose shares have the preferred size.
///
/// Without a rule a tile is spread where that is likely faster and it is not `held` by one block. Of a line of reals,
/// `whole` are its kind and length.
fn choose(
    lengths: &[usize],
    whole: Option<(Kind, usize)>,
    held: bool,
    arrays: usize,
    fits: &Fits,
) -> Option<Spread> {
    // Half spectra meet in butterflies, planes were never faster by products.
    let lines = lengths.len() == 1 && whole.is_none();
    let known = fits.engine == Engine::Simt || lines;
    if !known || fits.asked.is_some() || fits.limits.cluster_blocks < 2 {
        return None;
    }
    let (kind, named) = match whole {
        Some((kind, length)) => (kind, vec![length]),
        None => (Kind::C2C, lengths.to_vec()),
    };
    let halves = |spread: &Spread| whole.is_none() || spread.halves(kind, fits.scalar);
    let can = |s: &Spread| s.fits(lengths, fits.engine, fits.limits, fits.scalar);
    let rules = rules::of_each(Keys::of(fits).of_cluster(kind, &named), fits.limits).into_iter();
    let mut rules = rules
        .map(|(_, rule)| rule)
        .filter(|rule| rule.blocks > 1 && rule.lines == 1)
        .filter_map(|rule| rule.spread(lengths))
        .filter(|spread| halves(spread) && can(spread));
    if let Some(measured) = rules.next() {
        return Some(measured).filter(|spread| fits.clusters || !idle(spread, arrays, fits));
    }
    let all = (fits.limits.block_counts())
        .filter_map(|blocks| unmeasured(lengths, whole.map(|(kind, _)| kind), blocks, fits))
        .filter(halves)
        .filter(can);
    let times = |points: usize, &n: &usize| points.saturating_mul(n);
    let spread = fewest(all.collect(), lengths.iter().fold(1, times), fits)?;
    let free = || is_faster(lengths, &spread, fits) && !idle(&spread, arrays, fits);
    (fits.clusters || !held && free()).then_some(spread)
}

/// Whether a tile is likely faster over a cluster than by two passes.
///
/// Powers of two are, by shares of the preferred size and two steps on either side of the all-to-all. Most other tiles were
/// slower so (docs/lab/2026-11-29-price.md).
fn is_faster(lengths: &[usize], spread: &Spread, fits: &Fits) -> bool {
    let steps = |length: &usize| radix::fewest(*length, fits.limits.butterflies, LARGEST_RADIX);
    let of_line = spread.line.as_ref().map(|(sequence, before)| {
        let all = sequence.radices().len();
        [*before, all - before].into_iter().max().unwrap_or(all)
    });
    let of_axes = || lengths.iter().filter_map(steps).map(|r| r.len()).max();
    let points: usize = lengths.iter().product();
    fits.scalar.bytes() > 2
        && lengths.iter().all(|n| n.is_power_of_two())
        && points * 2 * fits.scalar.compute_bytes() <= spread.blocks * SHARE
        && of_line.or_else(of_axes).is_some_and(|most| most <= 2)
}

fn unmeasured(
    lengths: &[usize],
    halved: Option<Kind>,
    blocks: usize,
    fits: &Fits,
) -> Option<Spread> {
    // Of half spectra a block has points of the other part beside their mirror images.
    let share = if halved.is_some() { 2 * blocks } else { blocks };
    let even = |n: usize| n.is_multiple_of(share);
    let most = match halved {
        Some(_) => LARGEST_RADIX.min(halves_radix(fits.scalar)),
        None => LARGEST_RADIX,
    };
    let radices = |n: usize| radix::fewest(n, fits.limits.butterflies, most);
    let line = match *lengths {
        [length] => {
            let divides = |n1: &usize| length.is_multiple_of(*n1);
            let factors = (2..=length.isqrt()).rev().filter(divides);
            let both = factors.map(|n1| (n1, length / n1));
            let mut even = both.filter(|&(n1, n2)| even(n1) && even(n2));
            let [before, after] = even.find_map(|(n1, n2)| Some([radices(n1)?, radices(n2)?]))?;
            let all = [&before[..], &after].concat();
            // One product, and what is fastest beside it.
            let butterflies = match fits.engine {
                Engine::Simt => 0..0,
                Engine::Matrix => 1..all.len(),
            };
            Some((Sequence::mixed(all, butterflies), before.len()))
        }
        _ => lengths
            .iter()
            .all(|&n| even(n) && radices(n).is_some())
            .then_some(None)?,
    };
    Some(Spread {
        blocks,
        lines: 1,
        line,
        launch: None,
    })
}
