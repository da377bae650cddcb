//! Passes that take turns: which radices, tiles and threads both have in their one launch. Passes that are fast alone
//! are not fast so, as blocks of both have to be alike and what limits is arithmetic: so pairs of rules that leave few
//! lanes idle are timed as whole plans.

use super::table::Table;
use super::timing::Bench;
use super::{parts, Lab};
use mmafft::backend_traits::Launch;
use mmafft::lab::candidates::otherwise;
use mmafft::lab::rules::{self, Rule};
use mmafft::lab::sequences::sequences;
use mmafft::{Backend as _, Engine, Limits, Pass, Plan, Request, Step};
use mmafft_cli::outln;

/// Pairs of tiles that are timed.
const PAIRS: usize = 10;
/// Lists of factors of a line that are tried.
const LISTS: usize = 3;
/// How much faster a pair must be than what is planned else, or passes one by one than a pair.
const GAIN: f64 = 1.02;

/// What is tried for the passes of a request.
pub struct Trial {
    pub request: Request,
    /// The keys of the first pass, of the second, of the factors of a line that they share, and of those that take no turns.
    keys: [String; 4],
    all: Vec<Candidate>,
}

struct Candidate {
    rules: [Rule; 2],
    parts: Option<Vec<usize>>,
    plan: Plan,
}

impl Trial {
    /// What could be the fastest for a request, or, where some rows are tried `otherwise`, what these launches could do
    /// otherwise; `None` where its passes take no turns.
    pub fn new(
        request: &Request,
        limits: &Limits,
        tried_otherwise: bool,
        table: &Table,
    ) -> Option<Self> {
        let plain = mmafft::lab::plan_pass_by_pass(request, limits).ok()?;
        let engine = plain.passes.first()?.math.engine;
        if engine != Engine::Simt {
            return None;
        }
        let key = |what: &str| {
            rules::turn_keys(&plain.request, engine, limits, what)
                .into_iter()
                .next()
        };
        let keys = [key("first")?, key("second")?, key("parts")?, key("not")?];
        let mut pairs: Vec<([Rule; 2], Option<Vec<usize>>)> = Vec::new();
        if tried_otherwise {
            let row = |key: &String| table.row(key, limits);
            let chosen = [row(&keys[0])?, row(&keys[1])?];
            let parts = row(&keys[2]).map(|rule| rule.sequence.radices().to_vec());
            let plan =
                mmafft::lab::plan_in_turns_by(request, limits, &chosen, parts.as_deref()).ok()?;
            let passes = <&[Pass; 2]>::try_from(&plan.passes[..]).ok()?;
            let varied = varied(passes, &chosen, limits).into_iter();
            pairs.extend(varied.map(|pair| (pair, parts.clone())));
            pairs.push((chosen, parts));
        } else {
            let lists = parts::of_two(&plain, LISTS);
            for parts in &lists {
                let plan = match parts {
                    Some(parts) => mmafft::lab::plan_in_parts(request, limits, parts).ok(),
                    None => Some(plain.clone()),
                };
                let passes = plan
                    .as_ref()
                    .map(|plan| &plan.passes[..])
                    .unwrap_or_default();
                if let Ok(passes) = <&[Pass; 2]>::try_from(passes) {
                    let most = PAIRS.div_ceil(lists.len().div_ceil(2));
                    let some = candidates(passes, request.batch, limits, most).into_iter();
                    pairs.extend(some.map(|pair| (pair, parts.clone())));
                }
            }
        }
        let plan = |(rules, parts): ([Rule; 2], Option<Vec<usize>>)| {
            let plan =
                mmafft::lab::plan_in_turns_by(request, limits, &rules, parts.as_deref()).ok()?;
            plan.turns.is_some().then(|| Candidate {
                rules,
                parts,
                plan: parts::scaled(plan),
            })
        };
        let all: Vec<Candidate> = pairs.into_iter().filter_map(plan).collect();
        (!all.is_empty()).then(|| Trial {
            request: request.clone(),
            keys,
            all,
        })
    }

    /// What is tuned, as its first key says.
    pub fn name(&self) -> &str {
        &self.keys[0]
    }

    /// Whether one of its keys is so.
    pub fn is(&self, wanted: impl Fn(&String) -> bool) -> bool {
        self.keys[..2].iter().any(wanted)
    }

    /// The plans that are timed.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.all.iter().map(|candidate| &candidate.plan)
    }

    /// The plans that are timed, and at last passes one by one and what is planned now.
    pub fn all_plans(&self, limits: &Limits) -> Vec<Plan> {
        let others = [
            mmafft::lab::plan_pass_by_pass(&self.request, limits),
            mmafft::plan(&self.request, limits),
        ];
        let others = others.into_iter().flatten().map(parts::scaled);
        self.plans().cloned().chain(others).collect()
    }

    /// Writes the rows of the fastest pair, where it is faster than passes one by one and than what is planned now; or one that
    /// says that there are to be none, where passes one by one are faster than that.
    pub fn time<L: Lab>(&self, bench: &mut Bench<L>, table: &mut Table) {
        let limits = bench.lab.backend().limits().clone();
        let timed = parts::time_all(bench, &self.all_plans(&limits));
        let (timed, others) = timed.split_at(self.all.len());
        let [one_by_one, now] = [0, 1].map(|i| others.get(i).copied().flatten().unwrap_or(0.0));
        let timed = self.all.iter().zip(timed);
        let timed = timed.filter_map(|(candidate, fraction)| Some((candidate, (*fraction)?)));
        let Some((best, fraction)) = timed.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let better = fraction > GAIN * now.max(one_by_one);
        let keys = self.keys.clone().map(|key| rules::of_device(&key, &limits));
        let [first, second, parts, not] = &keys;
        for (key, rule) in [first, second].into_iter().zip(&best.rules) {
            let rule = Rule {
                fraction,
                ..rule.clone()
            };
            outln!(
                "{key},{} (was {now:.3}, one by one {one_by_one:.3})",
                rule.row()
            );
            if better {
                table.rows.insert(key.clone(), rule.row());
            }
        }
        if better {
            table.rows.remove(not);
            table.rows.remove(parts);
            if let Some(list) = &best.parts {
                table.rows.insert(parts.clone(), parts::row(list, fraction));
            }
        } else if one_by_one > GAIN * now {
            // Rows in turns, or what is suggested without, are slower.
            keys.iter().for_each(|key| {
                table.rows.remove(key);
            });
            outln!("{not}: one by one {one_by_one:.3}, was {now:.3}");
            table.rows.insert(not.clone(), parts::row(&[], one_by_one));
        }
    }
}

/// Pairs of rules that could be the fastest, the likeliest first, of so many pairs of tiles at most.
fn candidates(passes: &[Pass; 2], arrays: usize, limits: &Limits, most: usize) -> Vec<[Rule; 2]> {
    let others = |pass: &Pass| {
        let all = sequences(pass, false, limits).into_iter();
        all.map(|sequence| sequence.radices().to_vec()).collect()
    };
    let sequences = [0, 1].map(|i| {
        let pass = &passes[i];
        rules::orders_of_line(pass, limits).unwrap_or_else(|| others(pass))
    });
    rules::pairs(passes, &sequences, arrays, most)
}

/// What these launches could do otherwise, of either pass; and with a block more or less to a multiprocessor.
fn varied(passes: &[Pass; 2], chosen: &[Rule; 2], limits: &Limits) -> Vec<[Rule; 2]> {
    let mut all = Vec::new();
    for (i, pass) in passes.iter().enumerate() {
        let Rule { launch, .. } = chosen[i];
        let own: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
        let can = rules::faced(pass, &own).map_or([false; 2], |(facing, _)| facing);
        let ways = [[false; 2], [true, false], [false, true], [true; 2]].into_iter();
        let ways = ways.filter(|way| (0..2).all(|end| can[end] || !way[end]));
        let facing = ways.map(|facing| Launch { facing, ..launch });
        let wide = [1, 2].into_iter();
        let wide = wide.filter(|n| n * 2 * pass.math.storage.bytes() <= 16);
        let wide = wide.map(|neighbours| Launch {
            neighbours,
            ..launch
        });
        let others = otherwise(pass, &chosen[i], limits).into_iter();
        let others = others.map(|rule| rule.launch);
        // A launch of both passes asks for no later tiles: those of either follow each other.
        let others = others.filter(|launch| launch.ahead.is_none());
        for launch in facing.chain(wide).chain(others).filter(|l| *l != launch) {
            let mut pair = chosen.clone();
            pair[i].launch = launch;
            all.push(pair);
        }
    }
    let Launch {
        threads, residents, ..
    } = chosen[0].launch;
    for residents in [residents - 1, residents + 1] {
        if residents > 0 && residents * threads <= 2048 {
            let mut pair = chosen.clone();
            for rule in &mut pair {
                rule.launch.residents = residents;
            }
            all.push(pair);
        }
    }
    all
}

#[cfg(all(test, feature = "emulate"))]
mod tests;
