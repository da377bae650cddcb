//! Into which factors a line that no tile holds is split: of lists of as many factors as the planner takes,
//! one more and one fewer, those that are the most nearly equal, each pass by its own rule; the passes of
//! the fastest lists are tuned first.

use super::passes::{self, Tuned};
use super::table::Table;
use super::timing::{prepare_all, time_bytes, Bench};
use super::{Arguments, Failure, Lab, Progress};
use mmafft::backend_traits::real::{CoreLength, Middle};
use mmafft::lab::{lists, rules};
use mmafft::{Backend as _, Domain, Limits, Plan, Request};
use mmafft_cli::outln;
use std::collections::BTreeMap;

/// Lists that are timed: their kernels are all compiled.
const MOST: usize = 60;
/// Lists whose passes are tuned.
const KEPT: usize = 2;
/// How much faster a list must be than the planner's own.
const GAIN: f64 = 1.01;

/// The key of the rule of a request's lines: of one axis, in several passes, or in one that fills a block.
pub fn key(request: &Request, limits: &Limits) -> Option<String> {
    let plan = mmafft::lab::plan_pass_by_pass(request, limits).ok()?;
    let [length] = request.shape.dims()[..] else {
        return None;
    };
    let long = |pass: &mmafft::Pass| pass.line_points() > limits.longest_line(pass.math.storage);
    let plain = match &plan.passes[..] {
        [pass] => long(pass) && pass.tile.residency.blocks() == 1,
        passes => passes.iter().all(is_of_a_line),
    };
    let convolved = |pass: &mmafft::Pass| rules::key(pass, limits).is_none();
    let known = plain && !plan.passes.iter().any(convolved) && !limits.architecture.is_empty();
    let first = plan.passes.first()?;
    let name = request.kind.row().name;
    known.then(|| rules::parts_key(limits, first.math.storage, first.math.engine, name, length))
}

/// The plan by these factors, each pass by the table as it is now.
fn plan(request: &Request, limits: &Limits, factors: &[usize], table: &Table) -> Option<Plan> {
    let mut plan = mmafft::lab::plan_in_parts(request, limits, factors).ok()?;
    (plan.passes.iter().map(length).collect::<Vec<_>>() == factors).then_some(())?;
    for pass in &mut plan.passes {
        if let Some(rule) = table.rule(pass, limits) {
            rule.apply(pass, limits);
        }
    }
    Some(scaled(plan))
}

/// The factor that a pass transforms.
fn length(pass: &mmafft::Pass) -> usize {
    pass.axes[0].length
}

/// A row that says nothing of a launch: these factors.
pub fn row(list: &[usize], fraction: f64) -> String {
    let radices: Vec<String> = list.iter().map(usize::to_string).collect();
    format!("{},1,1,1,no,{fraction:.3}", radices.join("*"))
}

/// Numbers stay as large as they were.
pub fn scaled(mut plan: Plan) -> Plan {
    let points: usize = plan.request.shape.dims().iter().product();
    if let Some(pass) = plan.passes.last_mut() {
        pass.math.scale = (points as f64).sqrt().recip();
    }
    plan
}

/// Fractions of a copy: what goes in and comes out, over the time.
pub fn time_all<L: Lab>(bench: &mut Bench<L>, plans: &[Plan]) -> Vec<Option<f64>> {
    let prepared = prepare_all(bench.lab, plans);
    let timed = plans.iter().zip(prepared).map(|(plan, prepared)| {
        let bytes = plan.passes[0].math.storage.bytes();
        let bytes = (plan.input_scalars * bytes, plan.output_scalars * bytes);
        let row = plan.request.kind.row();
        let complex = (row.input, row.output) == (Domain::Complex, Domain::Complex);
        time_bytes(bench, bytes, complex, &prepared?)
    });
    timed.collect()
}

/// The most nearly equal lists of two factors, the plan's own among them, of a line that its two passes share; none of other
/// plans, which have the axes that they have.
pub fn of_two(plan: &Plan, most: usize) -> Vec<Option<Vec<usize>>> {
    if plan.passes.len() != 2 || !plan.passes.iter().all(is_of_a_line) {
        return vec![None];
    }
    let own: Vec<usize> = plan.passes.iter().map(length).collect();
    let mut all = Vec::new();
    lists(own.iter().product(), 2, &mut Vec::new(), &mut all);
    all.extend(otherwise_packed(&plan.request, own.iter().product(), 2));
    all.sort_by_key(|list| (spread(list), list.clone()));
    all.dedup();
    all.retain(|list| *list != own);
    all.truncate(most.saturating_sub(1));
    all.push(own);
    all.into_iter().map(Some).collect()
}

/// Whether a pass is one of those that share a line.
fn is_of_a_line(pass: &mmafft::Pass) -> bool {
    let mut loops = pass.loops.iter();
    loops.any(|l| l.load.index + l.store.index > 0)
}

/// Of reals that are packed to half their length, or have real columns: lists of the other way's length.
fn otherwise_packed(request: &Request, n: usize, count: usize) -> Vec<Vec<usize>> {
    let reals = request.shape.dims()[0];
    let row = request.kind.row();
    let either = row.packed.length == CoreLength::Half && row.packed.middle != Middle::Plain;
    let mut all = Vec::new();
    for m in [reals, reals / 2].into_iter().filter(|&m| either && m != n) {
        lists(m, count, &mut Vec::new(), &mut all);
    }
    all
}

/// How much larger the largest factor is than the smallest, in thousandths.
fn spread(list: &[usize]) -> usize {
    let (least, most) = (list.iter().min(), list.iter().max());
    1000 * most.unwrap_or(&1) / least.unwrap_or(&1)
}

/// Writes the row of the fastest factors, where they are faster than the planner's own.
pub fn tune<L: Lab>(
    bench: &mut Bench<L>,
    request: &Request,
    key: &str,
    arguments: &Arguments,
    table: &mut Table,
    progress: &Progress,
) -> Result<(), Failure> {
    let limits = bench.lab.backend().limits().clone();
    // By a rule of before, or factors of the fewest passes.
    let Ok(default) = mmafft::lab::plan_pass_by_pass(request, &limits) else {
        return Ok(());
    };
    let own: Vec<usize> = default.passes.iter().map(length).collect();
    let (n, count) = (own.iter().product(), own.len());
    let mut all = Vec::new();
    for count in [count.saturating_sub(1).max(2), count, count + 1] {
        lists(n, count, &mut Vec::new(), &mut all);
    }
    all.extend(otherwise_packed(request, n, 2));
    all.sort_by_key(|list| (spread(list), list.clone()));
    all.dedup();
    all.truncate(MOST);
    if !all.contains(&own) {
        all.push(own.clone());
    }
    let mut timed = Vec::new();
    for round in 0..2 {
        let plans: Vec<(Vec<usize>, Plan)> = all
            .iter()
            .filter_map(|list| Some((list.clone(), plan(request, &limits, list, table)?)))
            .collect();
        let (names, plans): (Vec<_>, Vec<_>) = plans.into_iter().unzip();
        timed = names
            .into_iter()
            .zip(time_all(bench, &plans))
            .filter_map(|(list, fraction)| Some((list, fraction?)))
            .collect();
        timed.sort_by(|a, b| b.1.total_cmp(&a.1));
        if round > 0 {
            break;
        }
        all = timed
            .iter()
            .take(KEPT)
            .map(|(list, _)| list.clone())
            .collect();
        if !all.contains(&own) {
            all.push(own.clone());
        }
        let mut missing: BTreeMap<String, Tuned> = BTreeMap::new();
        for list in &all {
            let Some(plan) = plan(request, &limits, list, table) else {
                continue;
            };
            for pass in &plan.passes {
                let key = rules::key(pass, &limits).filter(|k| !table.has(k, &limits));
                if let Some(key) = key {
                    let tuned = Tuned::of_factors(key.clone(), plan.clone(), pass.clone());
                    missing.entry(key).or_insert(tuned);
                }
            }
        }
        let mut missing: Vec<Tuned> = missing.into_values().collect();
        passes::tune(bench, &mut missing, arguments, table, progress)?;
    }
    let was = timed.iter().find(|(list, _)| *list == own).map(|(_, f)| *f);
    let Some((list, fraction)) = timed.first() else {
        return Ok(());
    };
    outln!(
        "{key},{list:?},{fraction:.3} (was {own:?}, {:.3})",
        was.unwrap_or(f64::NAN)
    );
    if *list == own || was.is_some_and(|was| *fraction < GAIN * was) {
        return Ok(());
    }
    // On a device whose memory is faster or slower others may be.
    table
        .rows
        .insert(rules::of_device(key, &limits), row(list, *fraction));
    Ok(())
}
