//! What happens on chip: engine, radices and tile of a pass, by rules that say their name. Long because each choice
//! depends on the one before it, in this order.

use super::engine::operand;
use super::fits::{Fits, LARGEST_RADIX};
use super::folded;
use super::joined::joined;
use super::problem::Problem;
use super::stage::Stage;
use mmafft_backend_traits::device::{images_meet, lines_face, WAVEFRONT};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    held_points, radix, End, Ends, Engine, Error, Factor, Images, Kind, Limits, Map, Math,
    Mirrored, Normalization, Pass, Residency, Result, ScalarType, Side, Step, Tile, TileAxis,
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

/// The largest of complex contiguous lines, where it spares a step beyond three: 3000 points of FP32 by 20·15·10 ran at 0.98 of a copy
/// on an H100, by 10·10·6·5 at 0.97; 6144 points by 24·16·16 at 0.97, by 12·8·8·8 at 0.83. Radix 25 was no faster.
const LARGEST_SPARING: usize = 24;

/// The pass made of stages that share a tile.
pub fn pass(stages: &[Stage], problem: &Problem, fits: &Fits) -> Result<Pass> {
    let first = &stages[0];
    let dims: Vec<usize> = stages.iter().map(|s| s.dim).collect();
    let loops = first.loops(&dims[1..]);
    let request = &problem.request;
    let mut steps = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut axes = Vec::new();
    for stage in stages {
        let mut axis = tile_axis(stage, problem);
        // Later axes work where the first one stored; the tile was loaded by the first.
        axis.load.stride = first.load.strides[stage.dim];
        let alone = stages.len() == 1;
        let (chosen, reason) = axis_steps(&axis, stage, stages, problem, fits)?;
        steps.extend(match alone {
            true => chosen,
            false => images_in_threads(chosen, &axis, fits),
        });
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
        axes.push(axis);
    }
    let operand = operand(fits.engine, request.precision);
    // Factors name a loop among the inner ones.
    let outer = loops.len() - first.inner.len();
    let placed = |factor: Factor| match factor {
        Factor::Roots {
            length,
            line_loop,
            direction,
            turned,
        } => Factor::Roots {
            length,
            line_loop: outer + line_loop,
            direction,
            turned,
        },
        chirp => chirp,
    };
    let side = |end: End| {
        let (place, factor, reals) = match end {
            End::Load => (&first.load, first.load_factor, first.load_reals),
            End::Store => (&first.store, first.store_factor, first.store_reals),
        };
        let mirrored = first.mirrored.filter(|(at, _)| *at == end);
        Side {
            factor: factor.map(placed),
            reals,
            mirrored: mirrored.map(|(_, mirrored)| mirrored),
            ..memory(place, first, &dims)
        }
    };
    let mut pass = Pass {
        load: Side {
            edges: first.edges,
            hermitian: first.hermitian,
            ..side(End::Load)
        },
        store: side(End::Store),
        math: Math {
            storage: problem.storage(),
            engine: fits.engine,
            operand,
            split_matrix: request.split_matrix,
            // Of several axes another batch may have another tile, a plane in place of rows.
            scale_lines: problem.axes_to_transform().count() == 1,
            orthogonal: request.normalization == Normalization::Ortho,
            scale: 1.0,
        },
        tile: tile(&axes, first, &steps, problem, fits),
        reason: reasons.join("; "),
        axes,
        loops,
        steps,
    };
    if let Some(spread) = &first.cluster {
        spread.apply(&mut pass);
    }
    Ok(pass)
}

/// Where a side begins: at the first index of every dimension that the tile does not hold.
fn memory(place: &super::stage::Place, stage: &Stage, tile: &[usize]) -> Side {
    let outside = stage.others.iter().filter(|(d, _)| !tile.contains(d));
    let outside: Vec<_> = outside.cloned().collect();
    Side::new(
        place.slot,
        place.start(&outside),
        place.domain,
        place.imaginary,
    )
}

fn tile_axis(stage: &Stage, problem: &Problem) -> TileAxis {
    TileAxis {
        axis: problem.dims[stage.dim].axis.unwrap_or_default(),
        kind: stage.kind,
        direction: stage.direction,
        length: stage.length,
        load: Map {
            stride: stage.load.strides[stage.dim],
            runs: stage.load_runs,
            index: stage.load_index,
        },
        store: Map {
            stride: stage.store.strides[stage.dim],
            runs: stage.store_runs,
            index: stage.store_index,
        },
        ranges: Ends {
            load: stage.load_range.clone(),
            store: stage.store_range.clone(),
        },
    }
}

/// The steps of an axis, of a stage of those that share a tile.
fn axis_steps(
    axis: &TileAxis,
    stage: &Stage,
    stages: &[Stage],
    problem: &Problem,
    fits: &Fits,
) -> Result<(Vec<Step>, String)> {
    let (mut steps, mut reason) = line_steps(axis, stage, stages, problem, fits)?;
    if let Some(convolution) = stage.convolution.clone() {
        let prime = mmafft_backend_traits::largest_prime_factor(convolution.length);
        reason += &format!("; Bluestein over passes, for the prime factor {prime}");
        // The way back begins with the radix that the way there ends with.
        let mut radices: Vec<usize> = steps.iter().filter_map(Step::radix).collect();
        radices.reverse();
        let back = match radices.is_empty() {
            true => steps.clone(),
            false => Step::sequence(axis.axis, &radices, fits.engine),
        };
        steps.push(Step::Convolve {
            axis: axis.axis,
            length: convolution.length,
            padded: convolution.padded,
            direction: convolution.direction,
            factors: convolution.factors,
        });
        steps.extend(back);
    }
    Ok((steps, reason))
}

/// The steps of the DFT that is at the core of an axis.
fn line_steps(
    axis: &TileAxis,
    stage: &Stage,
    stages: &[Stage],
    problem: &Problem,
    fits: &Fits,
) -> Result<(Vec<Step>, String)> {
    let (limits, engine, asked) = (fits.limits, fits.engine, fits.asked);
    let (length, radices) = (axis.core_length(), fits.radices());
    if length == 1 && engine == Engine::Matrix {
        return Ok((Vec::new(), "a single point".into()));
    }
    if let Some(library) = fits.library() {
        let lanes = limits.lanes(problem.storage());
        if !columns_pay(stage, problem, limits) || radix::factor(length, radices).is_none() {
            let step = Step::Line {
                axis: axis.axis,
                length,
                library,
            };
            return Ok((vec![step], format!("lines by {library}")));
        }
        let reason = format!("butterflies across {lanes} neighbouring lines");
        return Ok((factored(stage, axis.axis, length, fits), reason));
    }
    let several = stages.len() > 1;
    if folded::in_thread(stage, several, fits) {
        let steps = Step::sequence(axis.axis, &[length], Engine::Simt);
        return Ok((steps, "simt engine, a line of type I to a thread".into()));
    }
    // Between axes of reals lie these, of which columns are made.
    let reals = !several || stages.iter().all(|s| s.kind.is_real_to_real());
    let folded = reals.then(|| folded::steps(axis.axis, stage, several, fits));
    if let Some(steps) = folded.flatten() {
        return Ok((
            steps,
            "simt engine, the fewest radices of real columns".into(),
        ));
    }
    match radix::factor(length, radices) {
        Some(_) => {
            let reason = match asked {
                Some(asked) => format!("radices {asked:?}, as asked for"),
                None if engine == Engine::Simt && limits.line_library.is_none() => {
                    "simt engine, the fewest radices".into()
                }
                None => format!("{} engine, largest radices first", engine.name()),
            };
            Ok((factored(stage, axis.axis, length, fits), reason))
        }
        None if asked.is_some() => Err(Error::Radices {
            radices: radices.to_vec(),
            length,
            reason: "they leave a factor over".into(),
        }),
        None if fits.rader(length).is_some() => {
            let mut steps = vec![Step::Rader {
                axis: axis.axis,
                length,
            }];
            steps.extend(factored(stage, axis.axis, length - 1, fits));
            Ok((steps, "Rader, as one less than the prime is smooth".into()))
        }
        None => {
            let padded = fits.padded(length);
            let chirp = Step::Chirp {
                axis: axis.axis,
                length,
                padded,
            };
            let mut steps = vec![chirp];
            steps.extend(factored(stage, axis.axis, padded, fits));
            let prime = mmafft_backend_traits::largest_prime_factor(length);
            Ok((steps, format!("Bluestein, for the prime factor {prime}")))
        }
    }
}

/// Whether butterflies across neighbouring lines can serve: lines from complex points to as many,
/// or from reals to as many, whose neighbours lie beside each other on both sides, in the precisions that need no
/// conversion, short enough for two copies of the tile in the cache.
fn columns_pay(stage: &Stage, problem: &Problem, limits: &Limits) -> bool {
    let (load, store) = (&stage.load, &stage.store);
    let lanes = limits.lanes(problem.storage());
    let beside = stage.others.iter().map(|(d, r)| (*d, r.len()));
    let neighbours = beside
        .filter(|&(d, n)| n >= lanes.div_ceil(2) && load.strides[d] == 2 && store.strides[d] == 2)
        .count();
    if stage.kind.is_real_to_real() {
        let real = |d: usize, n: usize| {
            n >= lanes.div_ceil(2) && (load.strides[d], store.strides[d]) == (1, 1)
        };
        let mut others = stage.others.iter().map(|(d, r)| (*d, r.len()));
        let core = stage.kind.core_length(stage.length);
        return others.any(|(d, n)| real(d, n))
            && stage.inner.is_empty()
            && matches!(problem.storage(), ScalarType::F32 | ScalarType::F64)
            && core > 1
            && core * limits.vector_bytes * 2 <= 2 * limits.tile_bytes;
    }
    let in_lanes = neighbours > 0
        || stage.inner.last().is_some_and(|l| {
            l.load.stride == 2 && l.store.stride == 2 && l.count >= lanes.div_ceil(2)
        });
    stage.kind == Kind::C2C
        && in_lanes
        && load.imaginary == 1
        && store.imaginary == 1
        && matches!(problem.storage(), ScalarType::F32 | ScalarType::F64)
        && stage.length > 1
        && stage.length * limits.vector_bytes * 2 <= 2 * limits.tile_bytes
}

/// DFT, twiddle, exchange; DFT, twiddle, exchange; …
fn factored(stage: &Stage, axis: usize, length: usize, fits: &Fits) -> Vec<Step> {
    let radices = fits.radices();
    let free = fits.limits.line_library.is_none() && fits.asked.is_none();
    let factors = match fits.engine {
        Engine::Simt if free && length > fits.longest_line() => fits.radices_alone(length),
        Engine::Simt if free => few_radices(stage, length, fits),
        Engine::Simt => radix::factor(length, radices).map(balance),
        Engine::Matrix if free => radix::factor(length, radices).map(|f| joined(f, fits)),
        Engine::Matrix => radix::factor(length, radices),
    };
    Step::sequence(axis, &factors.unwrap_or_default(), fits.engine)
}

/// The fewest radices of a line in a tile. Those of complex contiguous lines, each for itself, are larger where that spares
/// a step and a multiprocessor holds two of the tiles: alone on it, threads with as many values wait for memory. The first
/// is the one whose columns fill the threads, as idle lanes load nothing: 6400 points of FP32 by 416 threads ran at 0.64 of
/// a copy on an H100 by 20·20·16, where 320 load, at 0.83 by 16·20·20, where 400 do. Of several it is none of the larger
/// ones, behind which FP64 spilled (3000, 4000 points).
fn few_radices(stage: &Stage, length: usize, fits: &Fits) -> Option<Vec<usize>> {
    let mut few = radix::fewest(length, fits.radices(), LARGEST_RADIX)?;
    // What is loaded faces each other only by rules, see `rules::follow`.
    let stores = |(end, m): (End, Mirrored)| (end, m.images) == (End::Store, Images::Facing);
    if stage.mirrored.is_some_and(stores) {
        put_at_the_end(&mut few, Middle::Split, |&r| lines_face(r, fits.scalar));
    }
    if stage.kind != Kind::C2C || !contiguous(stage) || stage.mirrored.is_some() {
        return Some(few);
    }
    let held = 2 * Limits::on_chip_bytes(length, fits.scalar) <= fits.limits.tile_bytes;
    let larger = held.then(|| radix::fewest(length, fits.radices(), LARGEST_SPARING));
    let mut radices = match larger.flatten() {
        Some(larger) if (3..few.len()).contains(&larger.len()) => larger,
        _ => few,
    };
    let in_threads = radices.iter().filter(|r| !radix::summed(**r, false));
    let values = in_threads.clone().copied().fold(LARGEST_RADIX, usize::max);
    if let Some(&first) = in_threads.min_by_key(|&&r| (values / r * r, r > LARGEST_RADIX)) {
        radices.sort_by_key(|&r| r != first);
    }
    Some(radices)
}

/// The steps of one of several axes, of reals in the order in which the one that merges or splits half spectra has mirror
/// images in a thread, if there is one: it saves an exchange. Not of convolutions, or of radices asked for.
fn images_in_threads(steps: Vec<Step>, axis: &TileAxis, fits: &Fits) -> Vec<Step> {
    let free = fits.limits.line_library.is_none() && fits.asked.is_none();
    let mut radices: Vec<usize> = steps.iter().filter_map(Step::radix).collect();
    let core = axis.core_length();
    let whole = radices.iter().product::<usize>() == core;
    if !free || !whole || fits.engine != Engine::Simt || !axis.kind.is_real_to_real() {
        return steps;
    }
    let middle = axis.kind.reduction(axis.length, false).middle;
    if middle == Middle::Plain {
        return steps;
    }
    put_at_the_end(&mut radices, middle, |&r| images_meet(core, r, fits.scalar));
    Step::sequence(axis.axis, &radices, fits.engine)
}

/// The radices in the order in which one that `can` is where threads need it: the first to merge, the last to split.
fn put_at_the_end(radices: &mut [usize], middle: Middle, can: impl Fn(&usize) -> bool) {
    match middle {
        Middle::Merge => {
            if let Some(i) = radices.iter().position(can) {
                radices[..=i].rotate_right(1);
            }
        }
        Middle::Split => {
            if let Some(i) = radices.iter().rposition(can) {
                radices[i..].rotate_left(1);
            }
        }
        Middle::Plain => {}
    }
}

/// Whether neighbouring points of a stage's lines lie beside each other, on both sides.
fn contiguous(stage: &Stage) -> bool {
    stage.load.strides[stage.dim] <= 2 && stage.store.strides[stage.dim] <= 2
}

/// The powers of two among the factors, as equal as they can be: 8·8·4·4 costs as many steps
/// as 8·8·8·2, and a little less arithmetic.
fn balance(mut factors: Vec<usize>) -> Vec<usize> {
    let twos = |f: &usize| f.is_power_of_two();
    let count = factors.iter().filter(|f| twos(f)).count();
    let product: usize = factors.iter().filter(|f| twos(f)).product();
    let mut bits = product.trailing_zeros() as usize;
    let mut left = count;
    for factor in factors.iter_mut().filter(|f| twos(f)) {
        let share = bits.div_ceil(left);
        *factor = 1 << share;
        bits -= share;
        left -= 1;
    }
    factors
}

/// How many lines a tile holds.
fn tile(axes: &[TileAxis], stage: &Stage, steps: &[Step], p: &Problem, fits: &Fits) -> Tile {
    let points = |axis: &TileAxis| {
        let padded = steps.iter().find_map(|step| match step {
            Step::Chirp {
                axis: a, padded, ..
            } if *a == axis.axis => Some(*padded),
            _ => None,
        });
        match (padded, fits.limits.line_library) {
            (Some(padded), _) => padded,
            (None, None) => folded::on_chip(steps, axis),
            (None, Some(_)) => axis.core_length(),
        }
    };
    // Lines in pairs are as one of both.
    let together = if stage.mirrored.is_some() { 2 } else { 1 };
    let reals = axes[0].kind.is_real_to_real();
    let held: Vec<(usize, usize)> = axes
        .iter()
        .map(|axis| (points(axis), axis.length))
        .collect();
    let points = held_points(&held, reals).expect("`fuse` joins what integers hold") * together;
    let all: usize = stage.others.iter().map(|(_, r)| r.len()).product::<usize>()
        * stage.inner.iter().map(|l| l.count).product::<usize>();
    let lines = match fits.limits.line_library {
        Some(_) => lines_in_caches(axes, stage, steps, points, p, fits.limits),
        None => lines_on_chip(stage, points, axes.len(), steps, all, fits),
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
    match (axes.len(), library && contiguous(stage)) {
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
    let contiguous = contiguous(stage);
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
            let tile = points * WAVEFRONT / (2 * scalar.compute_bytes());
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
