//! Request → plan: which trips through memory answer a request on a device.
//!
//! 1. [`problem`] checks the request once and resolves every default.
//! 2. [`choose`] takes the cheapest of the [`ways`], one a file, by their [`price`]: from an array to lines, from long lines to
//!    those that tiles hold, to the axes that share a tile, and to their steps. [`way`] has the types between these levels. [`fits`]
//!    knows what a tile holds, [`factors`] and [`lengths`] what lines factor into, [`parts`] what their passes are.
//! 3. [`steps`] makes a pass of the stages that share a tile, of as many lines as [`lines_of_tiles`] says, for the
//!    [`engine`] of all; [`rules`] knows better where it was measured, and [`in_turns`] where two passes take turns, by
//!    [`pairs`] of tiles that leave few lanes idle where nobody measured that ([`work`]: what a tile costs; [`tiles`]: what
//!    radices, in [`orders`], make of one). What is [`likely`] the fastest of one pass an effort times first, and
//!    passes without a rule take ([`model`], by [`counts`] of what threads do).
//!
//! Nothing here touches a device: a plan follows from the request and [`Limits`] alone.

mod asked;
mod candidates;
mod choose;
mod cluster;
mod counts;
mod engine;
mod factors;
mod fits;
mod folded;
mod in_turns;
mod joined;
mod lengths;
mod likely;
mod lines_of_tiles;
pub mod measure;
mod model;
mod orders;
mod pairs;
mod parts;
mod price;
mod problem;
mod rule;
mod rule_keys;
pub mod rules;
mod sequence;
mod sequences;
mod spread;
mod stage;
mod steps;
mod tiles;
mod way;
mod ways;
pub mod wisdom;
mod work;

pub use asked::Asked;
use mmafft_backend_traits::{Error, Limits, Pass, Plan, Request, Result, ScalarType, Step, Turns};
use stage::Stage;
use way::{Method, Taken, TwoPasses};
use wisdom::Wisdom;

/// Plans `request` for a device with these `limits`.
///
/// ```
/// # use mmafft::{plan, CpuBackend, Backend, Request, Shape};
/// let cpu = CpuBackend::default();
/// let plan = plan(&Request::forward(Shape::d2(512, 512)), cpu.limits())?;
/// assert!(plan.passes.len() <= 2);
/// # Ok::<(), mmafft::Error>(())
/// ```
pub fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
    plan_as(request, limits, &Asked::default())
}

/// The same by what was measured on the device, where something was.
pub fn plan_by(request: &Request, limits: &Limits, wisdom: &Wisdom) -> Result<Plan> {
    let planned = Asked::default();
    let asked = wisdom.way(request).unwrap_or(&planned);
    plan_with(request, limits, asked, Some(wisdom))
}

/// The same with what is asked for: to measure and to test it.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_as(request: &Request, limits: &Limits, asked: &Asked) -> Result<Plan> {
    plan_with(request, limits, asked, None)
}

/// The names of all ways.
pub fn ways() -> impl Iterator<Item = &'static str> {
    ways::WAYS.iter().map(|way| way.name)
}

/// A way, and what else has to be asked for so that it makes something.
pub fn of_way(name: &str) -> Asked {
    let way = ways::WAYS.iter().find(|way| way.name == name);
    let turns = Turns {
        arrays: 1,
        ahead: 1,
        kept: Some(2),
    };
    let order = way.is_some_and(|way| matches!(way.method, Method::Order { .. }));
    Asked {
        clusters: ways::OVER_CLUSTERS.contains(&name).then_some(true),
        turns: order.then_some(turns),
        pass_by_pass: !order,
        way: Some(name.into()),
        parts: None,
    }
}

fn plan_with(
    request: &Request,
    limits: &Limits,
    asked: &Asked,
    wisdom: Option<&Wisdom>,
) -> Result<Plan> {
    let blocks = Limits {
        cluster_blocks: 0,
        ..limits.clone()
    };
    let limits = match asked.clusters {
        Some(false) => &blocks,
        _ => limits,
    };
    let problem = problem::Problem::new(request, limits)?;
    let engine = engine::engine(&problem, limits)?;
    let fits = fits::Fits {
        clusters: asked.clusters == Some(true),
        parts: asked.parts.as_deref(),
        way: asked.way.as_deref(),
        ..fits::Fits::new(&problem, limits, engine)
    };
    fits.check_asked(&problem)?;
    let free = !asked.pass_by_pass && in_turns::may_take_turns(&problem, &fits);
    let tiles = match free {
        true => in_turns::Tiles::measured(&problem, &fits),
        false => None,
    };
    // What nobody measured is planned no otherwise where its passes do not take turns.
    let suggested = tiles.is_none() && asked.turns.is_none();
    if !suggested || free && in_turns::may_be_suggested(&problem, &fits) {
        let taken = Taken {
            tiles: tiles.as_ref(),
            turns: asked.turns,
        };
        let measured = tiles.as_ref().and_then(|tiles| tiles.parts.as_deref());
        let fits = fits::Fits {
            parts: fits.parts.or(measured),
            table: fits.table.clone(),
            ..fits
        };
        let plan = planned(&problem, &fits, Some(taken), wisdom);
        if plan
            .as_ref()
            .is_ok_and(|plan| suggested || plan.turns.is_some())
        {
            return plan;
        }
    }
    planned(&problem, &fits, None, wisdom)
}

/// A plan of what fits, whose passes take turns so, if they can.
fn planned(
    problem: &problem::Problem,
    fits: &fits::Fits,
    taken: Option<Taken>,
    wisdom: Option<&Wisdom>,
) -> Result<Plan> {
    let limits = fits.limits;
    let limit = problem.request.scratch_limit.unwrap_or(usize::MAX);
    let made = choose::passes(problem, fits)?;
    let (groups, mut ways) = (made.tiles, made.ways);
    let mut scratch_bytes = made.scratch * problem.storage().bytes();
    let mut planned = Vec::new();
    for stages in &groups {
        let (pass, of_axes) = steps::pass(stages, problem, fits)?;
        planned.push(pass);
        ways.extend(of_axes);
    }
    let mut passes = planned.clone();
    let asked = fits.asked.is_some();
    for pass in &mut passes {
        let tile = wisdom.and_then(|wisdom| wisdom.tile(pass));
        if !tile.is_some_and(|tile| !asked && measure::apply(tile, pass, limits)) {
            rules::follow(pass, limits, asked);
        }
    }
    let mut turns = None;
    let in_turns = |taken| {
        let two = TwoPasses {
            planned: &planned,
            followed: &passes,
            scratch_bytes,
            problem,
            limits,
            taken,
        };
        choose::order(&two, fits)
    };
    if let Some((way, in_turns)) = taken.and_then(in_turns) {
        ways.push(way);
        passes = in_turns.passes;
        scratch_bytes = in_turns.scratch_bytes;
        turns = Some(in_turns.turns);
    }
    if scratch_bytes > limit {
        return Err(Error::ScratchLimit {
            expected: scratch_bytes,
            got: limit,
        });
    }
    for (pass, stages) in passes.iter_mut().zip(&groups) {
        if let Some(reason) = &stages[0].split {
            pass.reason = format!("{}; {reason}", pass.reason);
        }
    }
    scale_passes(&mut passes, &groups, problem);
    let chirps = |step: &Step| matches!(step, Step::Chirp { .. } | Step::Convolve { .. });
    let convolved = passes.iter().flat_map(|p| &p.steps).any(chirps);
    let precision = problem.request.precision.row();
    let bound = problem.request.precision.error_bound(
        problem.request.kind,
        &problem.request.logical_lengths(),
        convolved,
    );
    // A part may be so few numbers that the errors of storing them do not average.
    let part = precision.flat && !problem.request.wanted_output.is_empty();
    let error_bound = match part {
        true => bound.max(passes.len() as f64 * precision.storage.round_off()),
        false => bound,
    };
    Ok(Plan {
        backend: limits.backend,
        passes,
        geometry: limits.geometry,
        turns,
        ways: choose::each_once(ways),
        scratch_bytes,
        input_scalars: problem.input_scalars,
        output_scalars: problem.output_scalars,
        not_in_place: problem.not_in_place(),
        error_bound,
        request: problem.request.clone(),
    })
}

/// What points of magnitude 1 may grow to where FP16 stores them between passes. Those that are packed from two
/// reals or merged from half spectra are 2√2 times as large as these, at most: so 8-bit samples, 255, stay in range
/// (65504), and as many digits are left below for small ones.
const HALF_ROOM: f64 = 64.0;

/// Puts the normalisation on the last store. In FP16 the earlier ones scale by powers of two that
/// the last one undoes: down no further than [`HALF_ROOM`] takes, or the result's own range.
fn scale_passes(passes: &mut [Pass], groups: &[Vec<Stage>], problem: &problem::Problem) {
    let normalization = problem.request.scale();
    if problem.storage() != ScalarType::F16 {
        if let Some(last) = passes.last_mut() {
            last.math.scale = normalization;
        }
        return;
    }
    let growth = |stages: &Vec<Stage>| stages.iter().map(|s| s.growth).product::<f64>();
    let whole: f64 = groups.iter().filter(|g| !g[0].beside).map(growth).product();
    // How large points of magnitude 1 may become in memory.
    let largest = (whole * normalization)
        .clamp(1.0, HALF_ROOM)
        .log2()
        .floor()
        .exp2();
    let scaled = |grown: f64| (largest / grown).min(1.0);
    // Edge points take the same trips as the others, beside them.
    let mut grown = [1.0, 1.0];
    let last = passes.len().saturating_sub(1);
    for (i, (pass, stages)) in passes.iter_mut().zip(groups).enumerate() {
        let grown = &mut grown[usize::from(stages[0].beside)];
        let before = scaled(*grown);
        *grown *= growth(stages);
        let after = if i == last {
            normalization
        } else {
            scaled(*grown)
        };
        pass.math.scale = after / before;
    }
}
