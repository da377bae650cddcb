//! What happens on chip: the pass that stages make which share a tile.

use super::choose;
use super::engine::operand;
use super::fits::Fits;
use super::lines_of_tiles::tile;
use super::problem::Problem;
use super::stage::{Place, Stage};
use super::way::Axis;
use super::ways::radices::put_at_the_end;
use mmafft_backend_traits::mirrors::images_meet;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    largest_prime_factor, End, Ends, Engine, Factor, Map, Math, Normalization, Pass, Result, Side,
    Step, TileAxis,
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
        // The first axis loads the tile; the others work where it was stored, or where half spectra stay.
        axis.load.stride = first.load.strides[stage.dim];
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
            first,
        } => Factor::Roots {
            length,
            line_loop: outer + line_loop,
            direction,
            turned,
            first,
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
    Ok((pass, ways))
}

/// Where a side begins: at the first index of every dimension that the tile does not hold.
fn memory(place: &Place, stage: &Stage, tile: &[usize]) -> Side {
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
    let free = fits.by_kernels() && fits.asked.is_none();
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
