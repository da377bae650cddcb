//! Single passes: candidates in rounds, each by what the round before found. Of all passes a round's kernels are compiled together.

use super::parts::scaled;
use super::table::Table;
use super::timing::{alone, prepare_all, time, time_all, Bench};
use super::{compile, Arguments, Failure, Lab, Progress, ALIKE};
use mmafft::backend_traits::radix;
use mmafft::lab::candidates;
use mmafft::lab::rules::{self, Rule, Sequence};
use mmafft::lab::sequences::sequences;
use mmafft::{Backend as _, Engine, Limits, Pass, Plan, Step};
use mmafft_cli::outln;
use std::collections::BTreeMap;

/// How much is tried of a pass.
struct Effort {
    /// Tiles of the first round, of those that are ranked.
    tiles: usize,
    /// Of these the first, in which other columns face each other too.
    faced: usize,
    /// The fastest of a round, from which the next begins.
    kept: usize,
    /// Whether the second round tries other launches.
    launches: bool,
    /// What the third tries of a rule.
    third: fn(&Pass, &Rule, &Limits) -> Vec<Rule>,
}

const WHOLE: Effort = Effort {
    tiles: 16,
    faced: 4,
    kept: 3,
    launches: true,
    third: candidates::third,
};
/// Only some of what could be faster.
const SOME: Effort = Effort { kept: 2, ..WHOLE };
/// Columns face each other in all of them.
const FACING: Effort = Effort {
    faced: WHOLE.tiles,
    ..SOME
};
/// On an H200 the fastest of four to six tiles by the model had 0.96 of the best speed of 73 passes.
const QUICK: Effort = Effort {
    tiles: 5,
    faced: 2,
    kept: 1,
    launches: false,
    third: candidates::otherwise,
};

impl Effort {
    fn of(arguments: &Arguments) -> &'static Effort {
        match arguments {
            Arguments { quick: true, .. } => &QUICK,
            Arguments { facing: true, .. } => &FACING,
            _ if arguments.some() => &SOME,
            _ => &WHOLE,
        }
    }
}

/// Rounds of candidates.
const ROUNDS: usize = 3;
/// Rules of the last round, which are timed again beside what is chosen now.
const LAST: usize = 3;
/// How often.
const AGAIN: usize = 3;
/// How many times as fast as the architecture's row one of the device alone has to be.
const OF_ITS_OWN: f64 = 1.02;

/// A pass that is tuned.
pub struct Tuned {
    key: String,
    plan: Plan,
    pass: Pass,
    /// Whether [`of_name`] finds it by its key.
    named: bool,
    /// What was timed, the fastest first.
    all: Vec<Rule>,
}

/// Fractions of what is to be beaten; no numbers where there is nothing.
struct Was {
    /// Of the table's rule.
    chosen: f64,
    /// Of what is planned without: where a cluster could be, of more passes.
    without: f64,
}

impl Tuned {
    /// One of the passes of the list of transforms.
    pub fn new(key: String, plan: Plan, pass: Pass) -> Self {
        Tuned {
            key,
            plan,
            pass,
            named: true,
            all: Vec::new(),
        }
    }

    /// One of a line by other factors, which no other process knows.
    pub fn of_factors(key: String, plan: Plan, pass: Pass) -> Self {
        let named = false;
        Tuned {
            named,
            ..Tuned::new(key, plan, pass)
        }
    }

    /// Whether blocks share its tiles.
    pub fn is_of_a_cluster(&self) -> bool {
        self.pass.tile.residency.blocks() > 1
    }

    /// What is timed in a round, each rule once; `known` are the table's, the first of which is followed.
    fn candidates(
        &self,
        round: usize,
        known: &[Rule],
        arguments: &Arguments,
        limits: &Limits,
    ) -> Vec<Rule> {
        let pass = &self.pass;
        let suited = |rule: &&Rule| rule.suits(pass, limits);
        if arguments.otherwise {
            let all = known
                .first()
                .filter(suited)
                .filter(|_| round == 0)
                .map(|rule| {
                    let mut all = candidates::otherwise(pass, rule, limits);
                    // As it is, beside them.
                    let same = (!all.is_empty()).then(|| rule.clone());
                    all.extend(same);
                    all
                });
            return all.unwrap_or_default();
        }
        let effort = Effort::of(arguments);
        let best = self.all.iter().take(effort.kept);
        let ranked = ranked(pass);
        let mut all: Vec<Rule> = match round {
            0 => {
                let rows = self.key.contains(",rows,");
                let mut all = candidates::first(pass, rows, limits);
                if ranked {
                    // And of blocks that share a tile, where some can.
                    all.retain(|rule| rule.blocks > 1);
                    let orders = orders(pass, limits);
                    let (tiles, faced) = (effort.tiles, effort.faced);
                    all.extend(rules::likely(pass, &orders, limits, tiles, faced));
                }
                all
            }
            1 if !effort.launches => Vec::new(),
            1 if ranked => best
                .flat_map(|best| candidates::near(pass, best, limits))
                .collect(),
            1 => best
                .flat_map(|best| candidates::second(pass, best))
                .collect(),
            _ => best
                .flat_map(|best| (effort.third)(pass, best, limits))
                .collect(),
        };
        all.retain(|rule| arguments.tries(rule));
        if round == 0 {
            all.extend(known.iter().cloned());
            all.extend(planned(pass).filter(|_| known.is_empty()));
        }
        all.retain(|rule| rule.suits(pass, limits));
        let timed = |rule: &Rule| self.all.iter().any(|other| is_same(other, rule));
        let mut unlike: Vec<Rule> = Vec::new();
        for rule in all {
            if !timed(&rule) && !unlike.iter().any(|other| is_same(other, &rule)) {
                unlike.push(rule);
            }
        }
        unlike
    }

    /// The pass by a rule.
    fn by(&self, rule: &Rule, limits: &Limits) -> Plan {
        let mut pass = self.pass.clone();
        rule.apply(&mut pass, limits);
        alone(&self.plan, pass)
    }

    /// What is to be beaten without a rule of the table.
    fn without(&self, limits: &Limits, table: &Table) -> Option<Plan> {
        let whole = candidates::whole_in_cluster(&self.pass);
        match (whole, self.is_of_a_cluster()) {
            (true, _) => without_clusters(&self.plan, limits, table),
            // Lines beside each other that no block holds: whether plans have them, factors of lines say.
            (_, true) => None,
            _ => Some(alone(&self.plan, self.pass.clone())),
        }
    }

    /// Times the fastest again, beside what is to be beaten.
    fn last<L: Lab>(&mut self, bench: &mut Bench<L>, table: &Table) -> Was {
        let limits = bench.lab.backend().limits().clone();
        self.all.truncate(LAST);
        let chosen = table.row(&self.key, &limits);
        let chosen = chosen.filter(|rule| rule.suits(&self.pass, &limits));
        let rules = self.all.iter().chain(&chosen);
        let mut plans: Vec<Plan> = rules.map(|rule| self.by(rule, &limits)).collect();
        plans.extend(self.without(&limits, table));
        let prepared = prepare_all(bench.lab, &plans);
        let mut fractions = vec![Vec::new(); plans.len()];
        for _ in 0..AGAIN {
            for (fractions, prepared) in fractions.iter_mut().zip(&prepared) {
                let prepared = prepared.as_ref();
                fractions.extend(prepared.and_then(|p| time(bench, &self.pass, p)));
            }
        }
        let median = |mut fractions: Vec<f64>| {
            fractions.sort_by(f64::total_cmp);
            let middle = fractions.len() / 2;
            fractions.get(middle).copied().unwrap_or(f64::NAN)
        };
        let mut medians = fractions.into_iter().map(median);
        for (rule, median) in self.all.iter_mut().zip(&mut medians) {
            rule.fraction = median;
        }
        let mut next = |is: bool| is.then(|| medians.next()).flatten().unwrap_or(f64::NAN);
        let was = Was {
            chosen: next(chosen.is_some()),
            without: next(true),
        };
        // What did not run this time is not the fastest.
        self.all.retain(|rule| rule.fraction.is_finite());
        self.sort();
        was
    }

    fn sort(&mut self) {
        self.all.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    }

    /// Writes the row of the fastest rule, if it is faster than the table's and than what is planned without; a row of a cluster
    /// goes where more passes are faster, of the device alone where it is one. A row of the device alone stays one.
    fn write(&self, was: &Was, table: &mut Table, limits: &Limits, arguments: &Arguments) {
        let chosen = table.row(&self.key, limits);
        let own = rules::of_device(&self.key, limits);
        let has_own = table.rows.contains_key(&own);
        let key = match arguments.this_device || has_own {
            true => own,
            false => self.key.clone(),
        };
        let Some(best) = self.all.first() else { return };
        let Was {
            chosen: before,
            without,
        } = *was;
        let beaten = if before.is_nan() { without } else { before };
        outln!("{key},{} (was {beaten:.3})", best.row());
        let whole = candidates::whole_in_cluster(&self.pass);
        // A fraction that is no number is nothing to beat.
        if whole && !arguments.otherwise && best.fraction.max(before) <= ALIKE * without {
            table.rows.remove(&key);
            return;
        }
        if arguments.this_device && !has_own && best.fraction <= OF_ITS_OWN * beaten {
            return;
        }
        let row = match chosen {
            // What was chosen is still the fastest.
            Some(rule) if best.fraction <= ALIKE * before => {
                let fraction = before;
                Rule { fraction, ..rule }.row()
            }
            None if best.fraction <= ALIKE * without => return,
            _ => best.row(),
        };
        table.rows.insert(key, row);
    }
}

/// Whether a model ranks the tiles of a pass: of butterflies that threads hold, in one block, and no convolution.
fn ranked(pass: &Pass) -> bool {
    let convolved = |step: &Step| matches!(step, Step::Rader { .. } | Step::Chirp { .. });
    let mut radices = pass.steps.iter().filter_map(Step::radix);
    let block = pass.tile.residency.blocks() == 1 && !radices.any(|r| radix::summed(r, false));
    pass.math.engine == Engine::Simt && block && !pass.steps.iter().any(convolved)
}

/// The rule that a pass is planned by, which may be that of a kind alike; `None` where it goes by no rule, or is not ranked.
fn planned(pass: &Pass) -> Option<Rule> {
    let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
    let launch = pass.tile.launch.filter(|_| ranked(pass))?;
    Some(Rule {
        sequence: Sequence::of_one_engine(radices),
        lines: pass.tile.lines,
        blocks: 1,
        launch,
        fraction: 0.0,
    })
}

/// Radices of a pass' axes, in all orders that are tried.
fn orders(pass: &Pass, limits: &Limits) -> Vec<Vec<usize>> {
    let all = sequences(pass, false, limits).into_iter();
    let mut all: Vec<Vec<usize>> = all.map(|s| s.radices().to_vec()).collect();
    all.extend(rules::orders(pass, limits).unwrap_or_default());
    all.sort();
    all.dedup();
    // None are the pass' own.
    let own: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
    if all.contains(&own) {
        all.retain(|s| !s.is_empty());
    }
    all
}

/// Whether two rules say the same, however fast they were.
fn is_same(a: &Rule, b: &Rule) -> bool {
    let tile = |rule: &Rule| (rule.lines, rule.blocks);
    a.sequence == b.sequence && tile(a) == tile(b) && a.launch == b.launch
}

/// How the plan of a pass by a rule is named to the processes that compile it.
fn name(key: &str, rule: &Rule) -> String {
    format!("{key},{}", rule.row())
}

/// The plan of this name, of one of these passes.
pub fn of_name(
    name: &str,
    passes: &BTreeMap<String, (Plan, Pass)>,
    limits: &Limits,
) -> Option<Plan> {
    let (key, row) = rules::key_and_row(name)?;
    let (plan, pass) = passes.get(key)?;
    let mut pass = pass.clone();
    Rule::parse(row)?.apply(&mut pass, limits);
    Some(alone(plan, pass))
}

/// Tunes these passes, and writes their rows.
pub fn tune<L: Lab>(
    bench: &mut Bench<L>,
    passes: &mut [Tuned],
    arguments: &Arguments,
    table: &mut Table,
    progress: &Progress,
) -> Result<(), Failure> {
    let limits = bench.lab.backend().limits().clone();
    for round in 0..ROUNDS {
        let candidates = |t: &Tuned| {
            let known = table.of_key(&t.key, &limits);
            t.candidates(round, &known, arguments, &limits)
        };
        let all: Vec<Vec<Rule>> = passes.iter().map(candidates).collect();
        let named = passes.iter().zip(&all).filter(|(t, _)| t.named);
        let names = named.flat_map(|(t, rules)| rules.iter().map(|rule| name(&t.key, rule)));
        let names: Vec<String> = names.collect();
        let count = passes.len();
        progress.doing(&format!("round {} of {count} passes", round + 1));
        compile::in_processes(&names, limits.backend);
        for (tuned, rules) in passes.iter_mut().zip(all) {
            progress.doing(&tuned.key);
            let timed = time_all(bench, &tuned.plan, &tuned.pass, rules);
            bench.timings.add(&tuned.key, &timed);
            tuned.all.extend(timed);
            tuned.sort();
        }
    }
    for tuned in passes.iter_mut().filter(|t| !t.all.is_empty()) {
        progress.doing(&tuned.key);
        let was = tuned.last(bench, table);
        tuned.write(&was, table, &limits, arguments);
        table.write(&arguments.output, &limits.device)?;
    }
    bench.timings.write(&limits.device)
}

/// What would be planned on a device without clusters, its passes by the table's rows as they are now; factors
/// of long lines are tuned later.
fn without_clusters(plan: &Plan, limits: &Limits, table: &Table) -> Option<Plan> {
    let cluster_blocks = 0;
    let limits = Limits {
        cluster_blocks,
        ..limits.clone()
    };
    let mut plan = mmafft::lab::plan_pass_by_pass(&plan.request, &limits).ok()?;
    for pass in &mut plan.passes {
        if let Some(rule) = table.rule(pass, &limits) {
            rule.apply(pass, &limits);
        }
    }
    Some(scaled(plan))
}

#[cfg(all(test, feature = "emulate"))]
mod tests;
