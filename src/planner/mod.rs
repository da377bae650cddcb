//! Request → plan: which trips through memory answer a request on a device.
//!
//! 1. [`problem`] checks the request once and resolves every default.
//! 2. [`nd`] orders the axes and finds each intermediate a place, [`real`] does so for
//!    half spectra that become real arrays; [`rows`] has a better way for those of several axes on
//!    devices, where it can. [`four_step`] splits lines that no tile holds, into what [`factors`] says
//!    ([`fits`] knows which, [`lengths`] makes them), real ones by [`real_columns`] where that is faster, and by [`convolution`]
//!    where their factors are too long.
//! 3. [`fuse`] joins neighbouring axes into one pass where a tile holds them all.
//!    [`cluster`] knows what is too long for one block's tile, and not for several.
//! 4. [`steps`] chooses radices and tile of each pass, for the [`engine`] of all; [`rules`] knows
//!    better where it was measured, and where two passes take [`turns`], by [`pairs`] of tiles that leave few lanes idle
//!    where nobody measured that ([`work`]: what a tile costs; [`tiles`]: what radices, in [`orders`], make of one). What is
//!    [`likely`] the fastest of one pass an effort times first, and passes without a rule take ([`model`], by
//!    [`counts`] of what threads do).
//!
//! Nothing here touches a device: a plan follows from the request and [`Limits`] alone.

pub mod candidates;
mod cluster;
mod convolution;
mod counts;
mod engine;
mod factors;
mod fits;
mod folded;
mod four_step;
mod fuse;
mod joined;
mod lengths;
mod likely;
pub mod measure;
mod model;
mod nd;
mod orders;
mod pairs;
mod parts;
mod problem;
mod real;
mod real_columns;
mod rows;
mod rule;
mod rule_keys;
pub mod rules;
mod sequence;
pub mod sequences;
mod spread;
mod stage;
mod steps;
mod tiles;
mod turns;
mod way;
pub mod wisdom;
mod work;

use mmafft_backend_traits::{
    Domain, Error, Limits, Pass, Plan, Request, Result, ScalarType, Step, Turns,
};
use spread::Clusters;
use stage::Stage;
use turns::Taken;
use way::Way;
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
    plan_with(request, limits, Ways::MEASURED)
}

/// The same by what was measured on the device, where something was.
pub fn plan_by(request: &Request, limits: &Limits, wisdom: &Wisdom) -> Result<Plan> {
    let way = wisdom.way(request).unwrap_or(&Way::Planned);
    plan_in_way(request, limits, way, wisdom)
}

/// The same by this way.
fn plan_in_way(request: &Request, limits: &Limits, way: &Way, wisdom: &Wisdom) -> Result<Plan> {
    let wise = Ways {
        wisdom: Some(wisdom),
        ..Ways::MEASURED
    };
    let pass_by_pass = Ways {
        turns: TurnsAsked::Not,
        ..wise
    };
    match way {
        Way::Planned => plan_with(request, limits, wise),
        Way::PassByPass => plan_with(request, limits, pass_by_pass),
        Way::Clusters => {
            let clusters = Clusters::All;
            let ways = Ways {
                clusters,
                ..pass_by_pass
            };
            plan_with(request, limits, ways)
        }
        Way::Blocks => {
            let limits = Limits {
                cluster_blocks: 0,
                ..limits.clone()
            };
            plan_with(request, &limits, pass_by_pass)
        }
        Way::Turns(turns) => {
            let turns = TurnsAsked::So(*turns);
            plan_with(request, limits, Ways { turns, ..wise })
        }
        Way::Parts(parts) => {
            let parts = Some(&parts[..]);
            plan_with(
                request,
                limits,
                Ways {
                    parts,
                    ..pass_by_pass
                },
            )
        }
    }
}

/// The same, where all that a cluster holds and no block does is spread over one, measured or not, and complex
/// lines that passes share have fewer factors where clusters hold longer ones: to measure it.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_in_clusters(request: &Request, limits: &Limits) -> Result<Plan> {
    let clusters = Clusters::All;
    let ways = Ways {
        clusters,
        ..Ways::PASS_BY_PASS
    };
    plan_with(request, limits, ways)
}

/// The same, where lines that no tile holds are split into these factors, in the order of their passes,
/// if they can be: to measure it.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_in_parts(request: &Request, limits: &Limits, parts: &[usize]) -> Result<Plan> {
    let parts = Some(parts);
    let ways = Ways {
        parts,
        ..Ways::PASS_BY_PASS
    };
    plan_with(request, limits, ways)
}

/// The same, where two passes take these turns, if they can, by the tiles that were measured for that, are likely fast so, or
/// else those that they have without: to measure and to test it.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_in_turns(request: &Request, limits: &Limits, turns: Turns) -> Result<Plan> {
    let turns = TurnsAsked::So(turns);
    let ways = Ways {
        turns,
        ..Ways::MEASURED
    };
    plan_with(request, limits, ways)
}

/// The same, where two passes take turns by these rules, and a line that they share has these factors: to measure them. Where
/// they cannot, the plan has no turns.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_in_turns_by(
    request: &Request,
    limits: &Limits,
    passes: &[rules::Rule; 2],
    parts: Option<&[usize]>,
) -> Result<Plan> {
    let turns = TurnsAsked::By(passes, parts);
    let ways = Ways {
        turns,
        ..Ways::MEASURED
    };
    plan_with(request, limits, ways)
}

/// The same, where no passes take turns: to measure each of them.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_pass_by_pass(request: &Request, limits: &Limits) -> Result<Plan> {
    plan_with(request, limits, Ways::PASS_BY_PASS)
}

/// Whether passes take turns.
#[derive(Clone, Copy)]
enum TurnsAsked<'a> {
    Measured,
    Not,
    So(Turns),
    By(&'a [rules::Rule; 2], Option<&'a [usize]>),
}

/// What is planned as it was measured, or otherwise.
#[derive(Clone, Copy)]
struct Ways<'a> {
    clusters: Clusters,
    parts: Option<&'a [usize]>,
    turns: TurnsAsked<'a>,
    wisdom: Option<&'a Wisdom>,
}

impl Ways<'_> {
    const MEASURED: Ways<'static> = Ways {
        clusters: Clusters::Measured,
        parts: None,
        turns: TurnsAsked::Measured,
        wisdom: None,
    };
    const PASS_BY_PASS: Ways<'static> = Ways {
        turns: TurnsAsked::Not,
        ..Ways::MEASURED
    };
}

fn plan_with(request: &Request, limits: &Limits, ways: Ways) -> Result<Plan> {
    let problem = problem::Problem::new(request, limits)?;
    let engine = engine::engine(&problem, limits)?;
    let fits = fits::Fits {
        clusters: ways.clusters,
        parts: ways.parts,
        ..fits::Fits::new(&problem, limits, engine)
    };
    fits.check_asked(&problem)?;
    let free = turns::may_take_turns(&problem, &fits);
    let tiles = match ways.turns {
        TurnsAsked::By(passes, parts) => Some(turns::Tiles::tried(passes, parts)),
        _ if free => turns::Tiles::measured(&problem, &fits),
        _ => None,
    };
    let taken = match (ways.turns, &tiles) {
        (TurnsAsked::Not, _) => None,
        (TurnsAsked::So(turns), tiles) => Some(Taken::So(tiles.as_ref(), turns)),
        (_, Some(tiles)) => Some(Taken::By(tiles)),
        (_, None) => (free && turns::may_be_suggested(&problem, &fits)).then_some(Taken::Suggested),
    };
    if let Some(taken) = taken {
        let parts = tiles.as_ref().and_then(|tiles| tiles.parts.as_deref());
        let fits = fits::Fits {
            parts,
            ..fits::Fits::new(&problem, limits, engine)
        };
        let plan = planned(&problem, &fits, Some(taken), ways.wisdom);
        // What is suggested has no factors of its own: else it is planned as it would be without.
        let same = matches!(taken, Taken::Suggested);
        if plan.as_ref().is_ok_and(|plan| same || plan.turns.is_some()) {
            return plan;
        }
    }
    planned(&problem, &fits, None, ways.wisdom)
}

/// A plan of what fits, whose passes take turns so, if they can.
fn planned(
    problem: &problem::Problem,
    fits: &fits::Fits,
    taken: Option<Taken>,
    wisdom: Option<&Wisdom>,
) -> Result<Plan> {
    let limits = fits.limits;
    let row = problem.request.kind.row();
    let route = match (row.input, row.output) {
        (Domain::Complex, Domain::Real) => real::route(problem),
        _ => nd::route(problem),
    };
    let bytes = |scalars: usize| scalars * problem.storage().bytes();
    let in_passes = |route| {
        let route = four_step::split_long_lines(route, problem, fits)?;
        let groups = fuse::groups(route.stages, problem, fits);
        // Nothing lies between the axes of one tile.
        let between = groups.len() > 1 || groups.iter().any(|g| g[0].edges.is_some());
        let scalars = if between { route.scratch_scalars } else { 0 };
        Ok::<_, Error>((groups, bytes(scalars)))
    };
    let (mut groups, mut scratch_bytes) = in_passes(route)?;
    // Other ways, unless they take too much scratch: rows in mirrored pairs where they cost no pass more, but for those
    // of edges; the halved axis and its neighbours last where a tile takes these, which spares a pass, or it is odd.
    let passes = |groups: &[Vec<Stage>]| groups.iter().filter(|g| !g[0].beside).count();
    let limit = problem.request.scratch_limit.unwrap_or(usize::MAX);
    let others = [
        (rows::route(problem, fits), 0),
        (real::neighbours_last(problem, fits), real::spared(problem)),
    ];
    for (way, spared) in others {
        if let Some(Ok((others, scratch))) = way.map(in_passes) {
            if passes(&others) + spared <= passes(&groups) && scratch <= limit {
                (groups, scratch_bytes) = (others, scratch);
            }
        }
    }
    let planned: Vec<Pass> = groups
        .iter()
        .map(|stages| steps::pass(stages, problem, fits))
        .collect::<Result<_>>()?;
    let mut passes = planned.clone();
    let asked = fits.asked.is_some();
    for pass in &mut passes {
        let tile = wisdom.and_then(|wisdom| wisdom.tile(pass));
        if !tile.is_some_and(|tile| !asked && measure::apply(tile, pass, limits)) {
            rules::follow(pass, limits, asked);
        }
    }
    let mut turns = None;
    let in_turns = |taken| turns::take(&planned, &passes, scratch_bytes, problem, limits, taken);
    if let Some(in_turns) = taken.and_then(in_turns) {
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
