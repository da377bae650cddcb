//! Passes that take turns: which radices, tiles and threads both have in their one launch. Passes that are fast alone
//! are not fast so, as blocks of both have to be alike and what limits is arithmetic: so pairs of rules that leave few
//! lanes idle are timed as whole plans.

use super::candidates::{columns, faced, otherwise, points};
use super::sequences::{orders, sequences};
use super::table::Table;
use super::timing::Bench;
use super::{parts, Lab};
use mmafft::backend_traits::real::Middle;
use mmafft::backend_traits::Launch;
use mmafft::rules::{self, Rule, Sequence};
use mmafft::{Backend as _, Engine, Kind, Limits, Pass, Plan, Request, ScalarType};

/// Pairs of tiles that are timed.
const PAIRS: usize = 10;
/// Of these the first, in which other columns face each other too.
const FACED: usize = 5;
/// Tiles of a pass that are paired with those of the other, of each number of threads.
const TILES: usize = 12;
/// Lists of factors of a line that are tried.
const LISTS: usize = 3;
/// How much faster a pair must be than what is planned else.
const GAIN: f64 = 1.02;
/// Bytes of a tile at most: two blocks to a multiprocessor.
const TILE_BYTES: usize = 113 << 10;
/// Threads of a block.
const THREADS: std::ops::RangeInclusive<usize> = 128..=512;
/// Registers of a thread that two blocks may do without.
const SPARED: usize = 16;
/// Waves of 32 threads that hide what one waits for, about.
const WAVES: f64 = 20.0;

/// What is tried for the passes of a request.
pub struct Trial {
    pub request: Request,
    /// The keys of the first pass, of the second, and of the factors of a line that they share.
    keys: [String; 3],
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
        let plain = mmafft::plan_pass_by_pass(request, limits).ok()?;
        let engine = plain.passes.first()?.engine;
        if engine != Engine::Simt {
            return None;
        }
        let key = |what: &str| {
            rules::turn_keys(&plain.request, engine, limits, what)
                .into_iter()
                .next()
        };
        let keys = [key("first")?, key("second")?, key("parts")?];
        let keys = keys.map(|key| rules::of_device(&key, limits));
        let mut pairs: Vec<([Rule; 2], Option<Vec<usize>>)> = Vec::new();
        if tried_otherwise {
            let row = |key: &String| table.rows.get(key).and_then(|row| Rule::parse(row));
            let chosen = [row(&keys[0])?, row(&keys[1])?];
            let parts = row(&keys[2]).map(|rule| rule.sequence.radices().to_vec());
            let plan = mmafft::plan_in_turns_by(request, limits, &chosen, parts.as_deref()).ok()?;
            let passes = <&[Pass; 2]>::try_from(&plan.passes[..]).ok()?;
            let varied = varied(passes, &chosen, limits).into_iter();
            pairs.extend(varied.map(|pair| (pair, parts.clone())));
            pairs.push((chosen, parts));
        } else {
            let lists = parts::of_two(&plain, LISTS);
            for parts in &lists {
                let plan = match parts {
                    Some(parts) => mmafft::plan_in_parts(request, limits, parts).ok(),
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
            let plan = mmafft::plan_in_turns_by(request, limits, &rules, parts.as_deref()).ok()?;
            plan.turns
                .is_some()
                .then_some(Candidate { rules, parts, plan })
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

    /// Writes the rows of the fastest pair, where it is faster than what is planned now.
    pub fn time<L: Lab>(&self, bench: &mut Bench<L>, table: &mut Table) {
        let limits = bench.lab.backend().limits().clone();
        let Ok(now) = mmafft::plan(&self.request, &limits) else {
            return;
        };
        let plans: Vec<Plan> = self.plans().cloned().chain([now]).collect();
        let mut timed: Vec<Option<f64>> = parts::time_all(bench, &plans);
        let was = timed.pop().flatten().unwrap_or(f64::NAN);
        let timed = self.all.iter().zip(timed);
        let timed = timed.filter_map(|(candidate, fraction)| Some((candidate, fraction?)));
        let Some((best, fraction)) = timed.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let better = fraction > GAIN * was;
        let [first, second, parts] = &self.keys;
        for (key, rule) in [first, second].into_iter().zip(&best.rules) {
            let rule = Rule {
                fraction,
                ..rule.clone()
            };
            outln!("{key},{} (was {was:.3})", rule.row());
            if better {
                table.rows.insert(key.clone(), rule.row());
            }
        }
        if let Some(list) = best.parts.as_ref().filter(|_| better) {
            let radices: Vec<String> = list.iter().map(usize::to_string).collect();
            let row = format!("{},1,1,1,no,{fraction:.3}", radices.join("*"));
            table.rows.insert(parts.clone(), row);
        }
    }
}

/// A tile of a pass, and what it takes.
#[derive(Clone)]
struct Tile {
    radices: Vec<usize>,
    lines: usize,
    threads: usize,
    /// Values that a thread holds, were none of its columns to face others.
    held: usize,
    points: usize,
    /// Bytes on chip.
    bytes: usize,
    /// Instructions a point, about.
    work: f64,
}

impl Tile {
    /// Values that a thread holds, two columns of the ends that face others.
    fn held_facing(&self, facing: [bool; 2]) -> usize {
        let ends = [self.radices.first(), self.radices.last()];
        let columns = |radix: usize| (self.points / radix / 2).div_ceil(self.threads) * 2 * radix;
        let faced = ends.into_iter().zip(facing).filter(|(_, faces)| *faces);
        let faced = faced.filter_map(|(radix, _)| radix.copied().map(columns));
        faced.max().unwrap_or(0).max(self.held)
    }
}

/// Values that a thread holds at most.
fn values(scalar: ScalarType) -> usize {
    match scalar {
        ScalarType::F64 => 20,
        _ => 34,
    }
}

/// A tile of each pass, of as many threads.
struct Pair<'a> {
    tiles: [&'a Tile; 2],
    residents: usize,
    work: f64,
}

impl<'a> Pair<'a> {
    /// How many blocks a multiprocessor can have, where these columns face each other, and what follows for the work; `None`
    /// where it can have none.
    fn new(tiles: [&'a Tile; 2], facing: [[bool; 2]; 2], scalar: ScalarType) -> Option<Self> {
        let [first, second] = tiles;
        let threads = first.threads;
        let held = |i: usize| tiles[i].held_facing(facing[i]);
        let held = held(0).max(held(1));
        if held > values(scalar) {
            return None;
        }
        let held = held as f64;
        // Values and what is beside them, as NVRTC's kernels of reals have it.
        let registers = match scalar {
            ScalarType::F64 => 44.0 + 4.6 * held,
            _ => 36.0 + 2.6 * held,
        };
        let registers = (registers as usize).next_multiple_of(8).min(255);
        let bytes = first.bytes.max(second.bytes) + (1 << 10);
        let room = (2 * TILE_BYTES / bytes).min(2048 / threads);
        // Of two blocks some registers may go to memory.
        let pair = 65536 / (threads * (registers - SPARED)).max(1);
        let residents = (65536 / (threads * registers)).max(pair.min(2)).min(room);
        let waves = (residents * threads / 32) as f64;
        let waits = 1.0 + 0.25 * (WAVES / waves - 1.0).max(0.0);
        // Blocks that are alone wait at their barriers; large ones longer.
        let alone = if residents == 1 { 1.05 } else { 1.0 };
        let barriers = 1.0 + 0.0002 * threads as f64;
        let work = (first.work + second.work) * waits * alone * barriers;
        (residents > 0).then_some(Pair {
            tiles,
            residents,
            work,
        })
    }

    fn threads(&self) -> usize {
        self.tiles[0].threads
    }

    /// Whether radices are the same, in whatever order.
    fn is_like(&self, other: &Self) -> bool {
        let sorted = |tile: &Tile| {
            let mut radices = tile.radices.clone();
            radices.sort_unstable();
            radices
        };
        (0..2).all(|i| sorted(self.tiles[i]) == sorted(other.tiles[i]))
    }

    /// Whether tiles are about as large too.
    fn is_same(&self, other: &Self) -> bool {
        let lines = |pair: &Self| (pair.tiles[0].lines / 8, pair.tiles[1].lines);
        self.is_like(other) && lines(self) == lines(other) && self.threads() == other.threads()
    }
}

/// Pairs of rules by whose tiles few lanes are idle, those with the least work first, of so many pairs of tiles at most.
fn candidates(passes: &[Pass; 2], arrays: usize, limits: &Limits, most: usize) -> Vec<[Rule; 2]> {
    let tiles = [0, 1].map(|i| tiles(&passes[i], arrays, limits));
    let mut pairs = Vec::new();
    for threads in THREADS.step_by(32) {
        let of = |i: usize| {
            let tiles = tiles[i].iter();
            tiles.filter(move |t| t.threads == threads).take(TILES)
        };
        for first in of(0) {
            pairs.extend(of(1).filter_map(|second| {
                let tiles = [first, second];
                let halves = [0, 1].map(|i| facing(&passes[i], &tiles[i].radices, true));
                Pair::new(tiles, halves, passes[0].storage)
            }));
        }
    }
    pairs.sort_by(|a, b| a.work.total_cmp(&b.work));
    // Some that differ.
    let mut chosen: Vec<Pair> = Vec::new();
    for pair in pairs {
        let like = chosen.iter().filter(|other| other.is_like(&pair)).count();
        let same = chosen.iter().any(|other| other.is_same(&pair));
        let wide = chosen
            .iter()
            .filter(|other| other.threads() == pair.threads());
        if like < 2 && !same && wide.count() < most.div_ceil(2) {
            chosen.push(pair);
        }
        if chosen.len() == most {
            break;
        }
    }
    let mut rules: Vec<[Rule; 2]> = Vec::new();
    for (i, Pair { tiles, .. }) in chosen.into_iter().enumerate() {
        let [all, halves] = [false, true]
            .map(|halves| [0, 1].map(|i| facing(&passes[i], &tiles[i].radices, halves)));
        let none = [false; 2];
        let ways = [all, [none, halves[1]], halves, [none; 2]];
        let count = if i < FACED { ways.len() } else { 2 };
        for way in &ways[..count] {
            let Some(Pair { residents, .. }) = Pair::new(tiles, *way, passes[0].storage) else {
                continue;
            };
            let pair = [0, 1].map(|i| Rule {
                sequence: Sequence::of_one_engine(tiles[i].radices.clone()),
                lines: tiles[i].lines,
                blocks: 1,
                launch: Launch {
                    facing: way[i],
                    ..Launch::new(tiles[i].threads, residents)
                },
                fraction: 0.0,
            });
            if !rules.contains(&pair) {
                rules.push(pair);
            }
        }
    }
    rules
}

/// At which ends columns of these radices can face each other; or only where `halves` of spectra meet so.
fn facing(pass: &Pass, radices: &[usize], halves: bool) -> [bool; 2] {
    let Some((facing, _)) = faced(pass, radices) else {
        return [false; 2];
    };
    let middle = pass.axes[0]
        .kind
        .reduction(pass.axes[0].length, false)
        .middle;
    let ends = [Middle::Merge, Middle::Split].map(|end| middle == end);
    [0, 1].map(|i| facing[i] && (ends[i] || !halves))
}

/// The tiles of a pass of as many threads as are tried, those with the least work first.
fn tiles(pass: &Pass, arrays: usize, limits: &Limits) -> Vec<Tile> {
    let rows = pass
        .axes
        .iter()
        .any(|axis| axis.load_stride <= 2 && axis.store_stride <= 2);
    let one = pass.axes.len() == 1;
    let together = pass.together();
    let all: usize = pass.loops.iter().map(|l| l.count).product();
    let of_array = (all / arrays.max(1)).max(1);
    let scalar = pass.storage.bytes();
    // What lies beside each other in memory: points, or reals.
    let complex = pass.axes[0].kind == Kind::C2C;
    let beside = if complex { 2 * scalar } else { scalar };
    let lines: Vec<usize> = match rows {
        true => (1..=64).map(|n| n * together).collect(),
        false => {
            let rows = [32, 64, 80, 96, 128, 160].into_iter();
            rows.map(|bytes| (bytes / beside).max(1) * together)
                .collect()
        }
    };
    let plain = one && !pass.axes[0].kind.is_symmetric();
    let sequences: Vec<Vec<usize>> = match rules::transformed(pass).filter(|_| plain) {
        Some(length) => orders(length, pass, limits),
        None => {
            let all = sequences(pass, false, limits).into_iter();
            all.map(|sequence| sequence.radices().to_vec()).collect()
        }
    };
    let middle = pass.axes[0]
        .kind
        .reduction(pass.axes[0].length, false)
        .middle;
    let mut tiles = Vec::new();
    for radices in sequences {
        let own: Vec<usize> = match radices.is_empty() {
            true => pass.steps.iter().filter_map(mmafft::Step::radix).collect(),
            false => radices.clone(),
        };
        let meets = facing(pass, &own, true) != [false; 2];
        for &lines in lines
            .iter()
            .filter(|&&lines| lines <= of_array.max(together))
        {
            let points = points(pass, &radices, lines);
            let bytes = points * 2 * pass.storage.compute_bytes();
            if bytes > TILE_BYTES {
                continue;
            }
            let columns = columns(pass, &own, lines);
            for threads in THREADS.step_by(32) {
                let rounds = |columns: usize| columns.div_ceil(threads);
                let steps = columns.iter().zip(&own);
                let held = steps
                    .clone()
                    .map(|(&n, r)| rounds(n) * r)
                    .max()
                    .unwrap_or(0);
                if held > values(pass.storage) || points < 6 * threads {
                    continue;
                }
                let step = |(&n, &r): (&usize, &usize)| {
                    (rounds(n) * threads) as f64 * (r as f64 * (butterfly(r) + 8.0) + 16.0)
                };
                let mut work: f64 = steps.map(step).sum();
                if middle != Middle::Plain {
                    work += (rounds(points / 2 + lines) * threads) as f64 * 48.0;
                    // Half spectra that meet over shared memory.
                    work *= if meets { 1.0 } else { 1.1 };
                }
                // A point; the last tile of an array is not full.
                let taken = of_array.next_multiple_of(lines) as f64 / of_array as f64;
                work *= taken / points as f64;
                if !rows {
                    // Parts of sectors, and of the pairs that caches take.
                    work *= match lines * beside {
                        row if row < 64 => 1.25,
                        row if !row.is_multiple_of(64) => 1.08,
                        _ => 1.0,
                    };
                }
                tiles.push(Tile {
                    radices: radices.clone(),
                    lines,
                    threads,
                    held,
                    points,
                    bytes,
                    work,
                });
            }
        }
    }
    tiles.sort_by(|a, b| a.work.total_cmp(&b.work));
    tiles
}

/// Instructions a point of a butterfly: about twice the sum of its prime factors.
fn butterfly(radix: usize) -> f64 {
    let (mut rest, mut sum) = (radix, 0.0);
    for prime in 2..=radix {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            sum += 1.75 * prime as f64 - 1.2;
        }
    }
    sum
}

/// What these launches could do otherwise, of either pass; and with a block more or less to a multiprocessor.
fn varied(passes: &[Pass; 2], chosen: &[Rule; 2], limits: &Limits) -> Vec<[Rule; 2]> {
    let mut all = Vec::new();
    for (i, pass) in passes.iter().enumerate() {
        let Rule { launch, .. } = chosen[i];
        let own: Vec<usize> = pass.steps.iter().filter_map(mmafft::Step::radix).collect();
        let can = faced(pass, &own).map_or([false; 2], |(facing, _)| facing);
        let ways = [[false; 2], [true, false], [false, true], [true; 2]].into_iter();
        let ways = ways.filter(|way| (0..2).all(|end| can[end] || !way[end]));
        let facing = ways.map(|facing| Launch { facing, ..launch });
        let wide = [1, 2].into_iter();
        let wide = wide.filter(|n| n * 2 * pass.storage.bytes() <= 16);
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
