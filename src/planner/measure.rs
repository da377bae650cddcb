//! Which tiles and which way are the fastest, by timing them where they run.
//!
//! Each pass is timed alone, by tiles that a model ranks, then by other launches of the fastest; then
//! whole plans are timed, each way of passes by the tiles that its passes got. What is chosen is
//! [`Wisdom`].

use super::asked::Asked;
use super::candidates;
use super::likely::likely;
use super::orders::orders;
use super::plan_with;
use super::rule::Rule;
use super::wisdom::{Tile, Wisdom};
use mmafft_backend_traits::{
    radix, Effort, Engine, Limits, Pass, Plan, Request, Residency, Result, Step, Turns,
};

/// What times plans.
pub trait Clock {
    /// Seconds that each plan takes; `None` where it cannot be prepared or does not run.
    fn seconds(&mut self, plans: &[Plan]) -> Vec<Option<f64>>;
}

/// How much is tried of a pass.
struct Trials {
    /// Tiles of the first round.
    tiles: usize,
    /// Of these the first, in which other columns face each other too.
    faced: usize,
    /// The fastest of a round, from which the next begins.
    kept: usize,
    /// Other launches of these.
    second: fn(&Pass, &Rule, &Limits) -> Vec<Rule>,
    /// What their launches could do otherwise.
    third: fn(&Pass, &Rule, &Limits) -> Vec<Rule>,
}

const MEASURE: Trials = Trials {
    tiles: 5,
    faced: 2,
    kept: 1,
    second: |_, _, _| Vec::new(),
    third: candidates::otherwise,
};
const PATIENT: Trials = Trials {
    tiles: 16,
    faced: 4,
    kept: 3,
    second: candidates::near,
    third: candidates::third,
};
/// Candidates of a pass that no model ranks are timed up to so many: by `Measure`, by `Patient`.
const UNRANKED: [usize; 2] = [8, 160];
/// Lists of factors of a long line that are timed.
const LISTS: usize = 12;
/// How much larger the largest factor may be than the smallest.
const SPREAD: usize = 8;
/// How much faster something must be than what is planned without measurements.
const GAIN: f64 = 1.01;

/// Puts a chosen tile on a pass as it is planned before; false where it does not suit.
pub fn apply(tile: &Tile, pass: &mut Pass, limits: &Limits) -> bool {
    let mut chosen = pass.clone();
    match tile {
        Tile::Planned => return false,
        Tile::By { rule, alone } => {
            if *alone {
                chosen.part_facing_lines();
            }
            if !rule.suits(&chosen, limits) {
                return false;
            }
            rule.apply(&mut chosen, limits);
        }
        Tile::Lines(lines) => {
            let all: usize = pass.loops.iter().map(|l| l.count).product();
            if limits.target.line_library().is_none() || *lines > all {
                return false;
            }
            chosen.tile.bytes = pass.tile.bytes / pass.tile.lines.max(1) * lines;
            chosen.tile.lines = *lines;
        }
    }
    chosen.reason = "the fastest that was timed here".into();
    *pass = chosen;
    true
}

/// Chooses tiles and way of a request by timing them, and keeps them.
///
/// # Errors
/// Those of planning without measurements.
pub fn measure(
    request: &Request,
    limits: &Limits,
    effort: Effort,
    wisdom: &mut Wisdom,
    clock: &mut dyn Clock,
) -> Result<()> {
    let planned = plan_with(request, limits, &Asked::default(), Some(wisdom))?;
    let mut best: Option<(Asked, f64)> = None;
    let mut plans: Vec<Plan> = Vec::new();
    for way in ways(request, &planned, limits, effort) {
        let Ok(plan) = plan_with(request, limits, &way, Some(wisdom)) else {
            continue;
        };
        // Scratch between passes in turns has no room for one of them alone; they are timed one by one.
        if request.radices.is_none() && plan.turns.is_none() {
            for pass in &plan.passes {
                let known = wisdom
                    .effort_of_tile(pass)
                    .is_some_and(|known| known >= effort);
                if !known {
                    time_pass(&plan, pass, limits, effort, wisdom, clock);
                }
            }
        }
        let Ok(plan) = plan_with(request, limits, &way, Some(wisdom)) else {
            continue;
        };
        if plans.contains(&plan) {
            continue;
        }
        let seconds = clock.seconds(&[scaled(&plan)])[0];
        plans.push(plan);
        let Some(seconds) = seconds else { continue };
        let gain = if best.is_some() { GAIN } else { 1.0 };
        if best
            .as_ref()
            .is_none_or(|(_, least)| gain * seconds < *least)
        {
            best = Some((way, seconds));
        }
    }
    if let Some((way, seconds)) = best {
        wisdom.keep_way(request, way, effort, seconds);
    }
    Ok(())
}

/// The ways that are timed, that without measurements first.
fn ways(request: &Request, planned: &Plan, limits: &Limits, effort: Effort) -> Vec<Asked> {
    let mut ways = vec![Asked::default()];
    let several = planned.passes.len() > 1;
    if planned.turns.is_some() {
        ways.push(Asked::pass_by_pass());
    }
    let spread = |pass: &Pass| pass.tile.residency != Residency::Block;
    if planned.passes.iter().any(spread) {
        ways.push(Asked::clusters(false));
    }
    if effort < Effort::Patient {
        return ways;
    }
    if limits.cluster_blocks > 0 && several {
        ways.push(Asked::clusters(true));
    }
    if several && request.batch > 1 {
        let ahead = [(1, 2), (2, 4), (4, 8)];
        ways.extend(ahead.map(|(ahead, kept)| {
            Asked::turns(Turns {
                arrays: 1,
                ahead,
                kept: Some(kept),
            })
        }));
    }
    ways.extend(
        lists_of(planned)
            .into_iter()
            .map(|parts| Asked::parts(&parts)),
    );
    ways
}

/// Other factors of a line that passes share, those first that are the most nearly equal.
fn lists_of(plan: &Plan) -> Vec<Vec<usize>> {
    let line = |pass: &Pass| pass.axes.len() == 1;
    if plan.passes.len() < 2 || plan.request.shape.rank() > 1 || !plan.passes.iter().all(line) {
        return Vec::new();
    }
    let own: Vec<usize> = plan.passes.iter().map(|pass| pass.axes[0].length).collect();
    let mut all = Vec::new();
    let n = own.iter().product();
    for count in [own.len(), own.len() + 1] {
        lists(n, count, &mut Vec::new(), &mut all);
    }
    all.retain(|list| *list != own);
    let spread = |list: &Vec<usize>| {
        let (least, most) = (list.iter().min(), list.iter().max());
        (
            list.len(),
            most.zip(least).map(|(most, least)| most - least),
        )
    };
    all.sort_by_key(|list| (spread(list), list.clone()));
    all.truncate(LISTS);
    all
}

/// Lists of `count` factors in any order, the largest at most eight times the smallest.
fn lists(n: usize, count: usize, so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if count == 1 {
        so_far.push(n);
        let least = so_far.iter().min().copied().unwrap_or(1);
        if so_far.iter().all(|&f| f <= SPREAD * least) {
            all.push(so_far.clone());
        }
        so_far.pop();
        return;
    }
    let mean = (n as f64).powf(1.0 / count as f64) as usize;
    for f in (mean / SPREAD).max(2)..=(mean * SPREAD).min(n / 2) {
        if n.is_multiple_of(f) {
            so_far.push(f);
            lists(n / f, count - 1, so_far, all);
            so_far.pop();
        }
    }
}

/// What a pass may be by, and what it took.
struct Timed {
    tile: Tile,
    seconds: f64,
}

/// Times a pass by all that could be the fastest, and keeps what is.
fn time_pass(
    plan: &Plan,
    pass: &Pass,
    limits: &Limits,
    effort: Effort,
    wisdom: &mut Wisdom,
    clock: &mut dyn Clock,
) {
    let trials = match effort {
        Effort::Patient => &PATIENT,
        _ => &MEASURE,
    };
    let mut timed: Vec<Timed> = Vec::new();
    let first = match limits.target.line_library() {
        Some(_) => lines(pass),
        None => first_round(pass, limits, trials, effort),
    };
    // As it is planned, beside all others.
    let planned = [Tile::Planned].into_iter();
    let mut round: Vec<Tile> = planned.chain(first).collect();
    for next in [trials.second, trials.third] {
        time_tiles(plan, pass, &round, limits, &mut timed, clock);
        let best = timed.iter().take(trials.kept);
        let rules = best.filter_map(|timed| match &timed.tile {
            Tile::By { rule, .. } => Some(next(pass, rule, limits)),
            _ => None,
        });
        let rules: Vec<Rule> = rules.flatten().collect();
        round = tiles(pass, rules, limits);
        round.retain(|tile| timed.iter().all(|timed| timed.tile != *tile));
    }
    time_tiles(plan, pass, &round, limits, &mut timed, clock);
    let planned = timed.iter().find(|timed| timed.tile == Tile::Planned);
    let planned = planned.map_or(f64::INFINITY, |timed| timed.seconds);
    let faster = timed.first().filter(|best| GAIN * best.seconds < planned);
    let tile = faster.map_or(Tile::Planned, |best| best.tile.clone());
    let seconds = faster.map_or(planned, |best| best.seconds);
    if seconds.is_finite() {
        wisdom.keep_tile(pass, tile, effort, seconds);
    }
}

/// Times the pass by these tiles, the fastest of all first.
fn time_tiles(
    plan: &Plan,
    pass: &Pass,
    tiles: &[Tile],
    limits: &Limits,
    timed: &mut Vec<Timed>,
    clock: &mut dyn Clock,
) {
    let plans = tiles.iter().map(|tile| {
        let mut pass = pass.clone();
        apply(tile, &mut pass, limits);
        alone(plan, pass)
    });
    let plans: Vec<Plan> = plans.collect();
    if plans.is_empty() {
        return;
    }
    let seconds = clock.seconds(&plans);
    timed.extend(tiles.iter().zip(seconds).filter_map(|(tile, seconds)| {
        Some(Timed {
            tile: tile.clone(),
            seconds: seconds?,
        })
    }));
    timed.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
}

/// Rules as tiles of the pass, each once, that suit it.
fn tiles(pass: &Pass, rules: Vec<Rule>, limits: &Limits) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for rule in rules.into_iter().filter(|rule| rule.suits(pass, limits)) {
        let fraction = 0.0;
        let tile = Tile::By {
            rule: Box::new(Rule { fraction, ..rule }),
            alone: pass.mirrored().is_none(),
        };
        if !tiles.contains(&tile) {
            tiles.push(tile);
        }
    }
    tiles
}

/// Tiles that could be fast: by the model where it knows such passes, else all, of which some are taken.
fn first_round(pass: &Pass, limits: &Limits, trials: &Trials, effort: Effort) -> Vec<Tile> {
    let rows = super::rule_keys::access(pass) == "rows";
    let all = candidates::first(pass, rows, !ranked(pass), limits);
    let most = UNRANKED[usize::from(effort == Effort::Patient)];
    let step = all.len().div_ceil(most).max(1);
    let mut all: Vec<Rule> = all.into_iter().step_by(step).collect();
    if ranked(pass) {
        let orders = all_orders(pass, limits);
        all.extend(likely(pass, &orders, limits, trials.tiles, trials.faced));
    }
    tiles(pass, all, limits)
}

/// Whether a model ranks the tiles of a pass: of butterflies that threads hold, in one block, and no convolution.
fn ranked(pass: &Pass) -> bool {
    let convolved = |step: &Step| matches!(step, Step::Rader { .. } | Step::Chirp { .. });
    let mut radices = pass.steps.iter().filter_map(Step::radix);
    let block = pass.tile.residency.blocks() == 1 && !radices.any(|r| radix::summed(r, false));
    pass.math.engine == Engine::Simt && block && !pass.steps.iter().any(convolved)
}

/// Radices of a pass' axes, in all orders that are tried; none are the pass' own, if they are not among them.
fn all_orders(pass: &Pass, limits: &Limits) -> Vec<Vec<usize>> {
    let mut all = orders(pass, limits).unwrap_or_default();
    let own: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
    if !all.contains(&own) {
        all.push(Vec::new());
    }
    all
}

/// More and fewer lines a tile, on a CPU.
fn lines(pass: &Pass) -> Vec<Tile> {
    let all: usize = pass.loops.iter().map(|l| l.count).product();
    let planned = pass.tile.lines.max(1);
    let lines = [planned / 4, planned / 2, 2 * planned, 4 * planned].into_iter();
    let there = lines.filter(|&lines| (1..=all).contains(&lines));
    there.map(Tile::Lines).collect()
}

/// A plan of nothing but this pass, after which numbers are as large as before.
pub fn alone(plan: &Plan, mut pass: Pass) -> Plan {
    let points: usize = pass.axes.iter().map(|axis| axis.core_length()).product();
    pass.math.scale = (points as f64).sqrt().recip();
    Plan {
        passes: vec![pass],
        ..plan.clone()
    }
}

/// The plan, after which numbers are as large as before.
fn scaled(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let points: usize = plan.request.logical_lengths().iter().product();
    if let Some(pass) = plan.passes.last_mut() {
        pass.math.scale = (points as f64).sqrt().recip();
    }
    plan
}

#[cfg(test)]
mod tests;
