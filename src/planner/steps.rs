//! What happens on chip: the pass that stages make which share a tile.

use super::choose;
use super::engine::operand;
use super::fits::Fits;
use super::lines_of_tiles::tile;
use super::problem::Problem;
use super::stage::{Place, Stage};
use super::way::Axis;
use super::ways::radices::put_at_the_end;
use mmafft_backend_traits::device::images_meet;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    largest_prime_factor, Access, Engine, Factor, Normalization, Pass, Result, Step, TileAxis,
};

/// The pass made of stages that share a tile.
pub fn pass(stages: &[Stage], problem: &Problem, fits: &Fits) -> Result<(Pass, Vec<&'static str>)> {
    let first = &stages[0];
    let dims: Vec<usize> = stages.iter().map(|s| s.dim).collect();
    let loops = first.loops(&dims[1..]);
    let request = &problem.request;
    let mut steps = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut axes = Vec::new();
    let mut ways = Vec::new();
    for stage in stages {
        let mut axis = tile_axis(stage, problem);
        // Later axes work where the first one stored; the tile was loaded by the first.
        axis.load_stride = first.load.strides[stage.dim];
        let alone = stages.len() == 1;
        let (chosen, reason, way) = axis_steps(&Axis {
            axis: &axis,
            stage,
            stages,
            problem,
            fits,
        })?;
        ways.push(way);
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
    let mut pass = Pass {
        load: access(&first.load, first, &dims),
        store: access(&first.store, first, &dims),
        edges: first.edges,
        hermitian: first.hermitian,
        mirrored: first.mirrored,
        load_reals: first.load_reals,
        store_reals: first.store_reals,
        orthogonal: request.normalization == Normalization::Ortho,
        load_factor: first.load_factor.map(placed),
        store_factor: first.store_factor.map(placed),
        scale: 1.0,
        storage: problem.storage(),
        operand,
        split_matrix: request.split_matrix,
        // Of several axes another batch may have another tile, a plane in place of rows.
        scale_lines: problem.axes_to_transform().count() == 1,
        engine: fits.engine,
        tile: tile(&axes, first, &steps, problem, fits),
        reason: reasons.join("; "),
        axes,
        loops,
        steps,
    };
    if let Some(spread) = &first.cluster {
        spread.apply(&mut pass);
    }
    Ok((pass, ways))
}

/// Where a side begins: at the first index of every dimension that the tile does not hold.
fn access(place: &Place, stage: &Stage, tile: &[usize]) -> Access {
    let outside = stage.others.iter().filter(|(d, _)| !tile.contains(d));
    let outside: Vec<_> = outside.cloned().collect();
    Access {
        slot: place.slot,
        offset: place.start(&outside),
        domain: place.domain,
        imaginary: place.imaginary,
    }
}

fn tile_axis(stage: &Stage, problem: &Problem) -> TileAxis {
    TileAxis {
        axis: problem.dims[stage.dim].axis.unwrap_or_default(),
        kind: stage.kind,
        direction: stage.direction,
        length: stage.length,
        load_stride: stage.load.strides[stage.dim],
        store_stride: stage.store.strides[stage.dim],
        load_index: stage.load_index,
        store_index: stage.store_index,
        load_range: stage.load_range.clone(),
        store_range: stage.store_range.clone(),
        load_runs: stage.load_runs,
        store_runs: stage.store_runs,
    }
}

/// The steps of an axis of a tile, why it has these, and by which way.
fn axis_steps(axis: &Axis) -> Result<(Vec<Step>, String, &'static str)> {
    let (mut steps, mut reason, way) = choose::steps(axis)?;
    if let Some(convolution) = axis.stage.convolution.clone() {
        let prime = largest_prime_factor(convolution.length);
        reason += &format!("; Bluestein over passes, for the prime factor {prime}");
        // The way back begins with the radix that the way there ends with.
        let mut radices: Vec<usize> = steps.iter().filter_map(Step::radix).collect();
        radices.reverse();
        let number = axis.axis.axis;
        let back = match radices.is_empty() {
            true => steps.clone(),
            false => Step::sequence(number, &radices, axis.fits.engine),
        };
        steps.push(Step::Convolve {
            axis: number,
            length: convolution.length,
            padded: convolution.padded,
            direction: convolution.direction,
            factors: convolution.factors,
        });
        steps.extend(back);
    }
    Ok((steps, reason, way))
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
