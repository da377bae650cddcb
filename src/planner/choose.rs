//! Which way answers each part of a request: of those that apply the cheapest; of those that cost the same the first
//! of [`WAYS`].

use super::factors::measured_factors;
use super::fits::Fits;
use super::price::{price, Price};
use super::problem::Problem;
use super::stage::{Route, Stage};
use super::way::{Axis, InTurns, Joint, Line, Method, TwoPasses};
use super::ways::{self, WAYS};
use mmafft_backend_traits::{Error, Result, Step};

/// The passes of a route, as the stages that share a tile each.
pub struct Passes {
    pub tiles: Vec<Vec<Stage>>,
    /// Scalars of scratch.
    pub scratch: usize,
    /// The ways that made them.
    pub ways: Vec<&'static str>,
}

/// What the cheapest way makes, and its name; the way that is asked for, where it makes something.
fn cheapest<T>(
    fits: &Fits,
    made_by: impl Fn(&Method) -> Option<Result<T>>,
    price: impl Fn(&T) -> Price,
) -> Result<Option<(&'static str, T)>> {
    let asked = WAYS.iter().filter(|way| fits.way == Some(way.name));
    let mut asked = asked.filter_map(|way| Some((way.name, made_by(&way.method)?.ok()?)));
    if let Some(found) = asked.next() {
        return Ok(Some(found));
    }
    let mut best: Option<(Price, &'static str, T)> = None;
    let mut refused = None;
    for way in WAYS {
        let made = match made_by(&way.method) {
            Some(Ok(made)) => made,
            Some(Err(error)) => {
                refused = refused.or(Some(error));
                continue;
            }
            None => continue,
        };
        let price = price(&made);
        if best.as_ref().is_none_or(|(least, ..)| price < *least) {
            best = Some((price, way.name, made));
        }
        if price <= Price::LEAST {
            break;
        }
    }
    match (best, refused) {
        (None, Some(error)) => Err(error),
        (best, _) => Ok(best.map(|(_, name, made)| (name, made))),
    }
}

/// The passes of a request.
pub fn passes(problem: &Problem, fits: &Fits) -> Result<Passes> {
    let limit = problem.request.scratch_limit.unwrap_or(usize::MAX);
    let allowed = limit / problem.storage().bytes();
    let made_by = |method: &Method| {
        let Method::Array { applies, stages } = method else {
            return None;
        };
        let route = applies(problem, fits).then(|| stages(problem, fits));
        Some(in_passes(route??, problem, fits))
    };
    let price = |passes: &Passes| {
        // Edges are transformed beside the others, and are few.
        let tiles = passes.tiles.iter().map(Vec::as_slice);
        let most = tiles.filter(|tile| !tile[0].beside);
        price(most, [passes.scratch, allowed], fits)
    };
    let (way, mut passes) =
        cheapest(fits, made_by, price)?.ok_or_else(|| none(fits, "such axes"))?;
    passes.ways.insert(0, way);
    Ok(passes)
}

fn none(fits: &Fits, what: &str) -> Error {
    Error::Unsupported {
        what: format!("a plan of {what}"),
        backend: fits.limits.backend.into(),
        instead: "use another backend".into(),
    }
}

/// The passes of a route: its long lines are split, and what a tile holds together joins.
fn in_passes(route: Route, problem: &Problem, fits: &Fits) -> Result<Passes> {
    let mut ways = Vec::new();
    let mut stages = Vec::new();
    let mut scratch = route.scratch_scalars;
    for stage in route.stages {
        // Intermediates of long lines lie behind whatever scratch the route has already.
        let (way, lines) = lines(&stage, route.scratch_scalars, problem, fits)?;
        ways.push(way);
        stages.extend(lines.stages);
        scratch = scratch.max(lines.scratch_scalars);
    }
    let tiles = tiles(&stages, problem, fits, &mut ways)?;
    // Nothing lies between the axes of one tile.
    let between = tiles.len() > 1 || tiles.iter().any(|tile| tile[0].edges.is_some());
    Ok(Passes {
        tiles,
        scratch: if between { scratch } else { 0 },
        ways,
    })
}

/// The stages that replace one, and the scalars of scratch that they reach.
fn lines(
    stage: &Stage,
    base: usize,
    problem: &Problem,
    fits: &Fits,
) -> Result<(&'static str, Route)> {
    let held = ways::whole_lines::are_held(stage, problem, fits);
    let line = |given| Line {
        stage,
        base,
        problem,
        fits,
        held,
        given,
    };
    // What was measured, or is asked for, comes before what is reckoned.
    let given = measured_factors(stage, fits).filter(|_| !held);
    let given = given.map(|given| line(Some(given)));
    for line in given.into_iter().chain([line(None)]) {
        let made_by = |method: &Method| match method {
            Method::Line { applies, stages } if applies(&line) => stages(&line),
            _ => None,
        };
        let price = |route: &Route| {
            let alone = route.stages.iter().map(std::slice::from_ref);
            price(alone, [0; 2], fits)
        };
        if let Some(found) = cheapest(fits, made_by, price)? {
            return Ok(found);
        }
    }
    Err(none(fits, &format!("lines of {} points", stage.length)))
}

/// Consecutive stages as tiles: each takes as many as it can.
fn tiles(
    mut rest: &[Stage],
    problem: &Problem,
    fits: &Fits,
    ways: &mut Vec<&'static str>,
) -> Result<Vec<Vec<Stage>>> {
    let mut tiles: Vec<Vec<Stage>> = Vec::new();
    while let [stage, others @ ..] = rest {
        let joined = match tiles.last() {
            Some(tile) => cheapest(
                fits,
                |method| match method {
                    Method::Tile { applies, joined } => {
                        let joint = Joint {
                            tile,
                            rest,
                            problem,
                            fits,
                        };
                        let joined = applies(&joint).then(|| joined(&joint));
                        joined.flatten().map(Ok)
                    }
                    _ => None,
                },
                |_| Price::LEAST,
            )?,
            None => None,
        };
        match joined {
            Some((way, joined)) => {
                ways.push(way);
                tiles.pop();
                tiles.push(joined.tile);
                rest = &rest[joined.taken..];
            }
            None => {
                tiles.push(vec![stage.clone()]);
                rest = others;
            }
        }
    }
    Ok(tiles)
}

/// The steps of an axis of a tile, the reason, and the way. All take one trip.
pub fn steps(axis: &Axis) -> Result<(Vec<Step>, String, &'static str)> {
    let made_by = |method: &Method| match method {
        Method::Axis { applies, steps } if applies(axis) => Some(steps(axis)),
        _ => None,
    };
    let found = cheapest(axis.fits, made_by, |_| Price::LEAST)?;
    let (way, (steps, reason)) =
        found.ok_or_else(|| none(axis.fits, &format!("lines of {} points", axis.length())))?;
    Ok((steps, reason, way))
}

/// How two passes take turns, and by which way, if they do.
pub fn order(two: &TwoPasses, fits: &Fits) -> Option<(&'static str, InTurns)> {
    let made_by = |method: &Method| match method {
        Method::Order { applies, turns } if applies(two) => turns(two).map(Ok),
        _ => None,
    };
    cheapest(fits, made_by, |_| Price::LEAST).ok().flatten()
}

/// The names, each once.
pub fn each_once(mut ways: Vec<&'static str>) -> Vec<&'static str> {
    let mut seen = Vec::new();
    ways.retain(|way| {
        let new = !seen.contains(way);
        seen.push(way);
        new
    });
    ways
}
