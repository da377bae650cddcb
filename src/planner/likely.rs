//! Tiles of one pass that are likely fast: those that `Effort::Measure` times first, and what a pass without a rule takes. By the
//! [`model`](super::model) where it knows such passes, else by that of [`work`](super::work).

use super::counts::Counts;
use super::lines_of_tiles::lines_of_rows;
use super::model::{self, Terms};
use super::orders::orders;
use super::rule::{ends_with_rows, Rule};
use super::rule_keys::access;
use super::sequence::Sequence;
use super::work::{facing, residents, tile, tiles, Tile, Tried};
use mmafft_backend_traits::{
    Engine, Launch, Limits, Pass, Residency, ScalarType, Step, ThreadLimits,
};

/// Of the chosen tiles at most one in so many has the same radices in the same order, and one in so many as many threads.
const SHARE: usize = 4;

/// How much longer blocks that are alone leave memory idle than many do.
const WAITS: f64 = 0.4;

/// A pass without a rule has another tile than the planned one if it takes at most so much of its time.
const GAINS: f64 = 0.97;

/// Threads of a block at most: of FP32, of FP64.
const MOST_THREADS: [usize; 2] = [1024, 512];

/// Lines that a pass without a rule is planned for, as batches are not to differ by more than how many a tile has.
const MANY: usize = 1 << 30;

/// How columns of a tile face each other, how many blocks a multiprocessor then has, and what the pass takes: of a copy's time, or
/// of work a point.
struct Way {
    facing: [bool; 2],
    residents: usize,
    takes: f64,
}

/// Which tiles of a pass are compared, and how.
struct Ranking<'a> {
    pass: &'a Pass,
    counts: Counts<'a>,
    threads: &'static ThreadLimits,
    tried: Tried,
    /// Whether the model knows the pass.
    known: bool,
    rows: bool,
}

impl<'a> Ranking<'a> {
    fn new(pass: &'a Pass, limits: &Limits) -> Self {
        let double = pass.math.storage == ScalarType::F64;
        Ranking {
            pass,
            counts: Counts::new(pass, limits.target),
            threads: limits.target.threads(),
            tried: Tried {
                threads: 32..=MOST_THREADS[usize::from(double)],
                bytes: limits.tile_bytes,
                points: 2,
                lines: 4096,
                // Others were slower: both passes of DST-I of 1759x363 in FP64 ran at 0.09 of a copy by rows of 96 bytes, at 0.37 as
                // planned.
                rows: &[32, 64, 128, 256],
                values: [40, 56],
                // What the device keeps of a multiprocessor's for a block.
                chip_bytes: limits.tile_bytes + (1 << 10),
            },
            known: model::knows(pass),
            rows: access(pass) == "rows",
        }
    }

    /// Of how many lines tiles are cut, of `all`: columns of those beside each other.
    fn among(&self, all: usize) -> usize {
        match (self.rows, self.pass.loops.last()) {
            (false, Some(beside)) => beside.count.max(self.pass.tile.lines),
            (false, None) => 1,
            (true, _) => all,
        }
    }

    /// How many blocks there are, of those `asked` for at most, and what the pass takes.
    fn takes(&self, tile: &Tile, facing: [bool; 2], asked: usize) -> Option<(usize, f64)> {
        if self.known && !tile.radices.is_empty() {
            let array = self.counts.array(tile, facing)?;
            let most = array.most_residents(self.tried.chip_bytes).min(asked);
            let price = |residents| (residents, Terms::of(self.pass, &array, residents).price());
            // With fewer blocks threads have more registers, until these are enough.
            let mut all = (1..=most).rev().map(price);
            let mut best = all.next()?;
            for fewer in all {
                if fewer.1 >= best.1 {
                    break;
                }
                best = fewer;
            }
            return Some(best);
        }
        let (residents, work) = residents(&[tile], &[facing], self.pass.math.storage, &self.tried)?;
        // Memory waits while all blocks work, the rarer the more they are.
        Some((residents, work * (1.0 + WAITS / residents as f64)))
    }

    /// How columns may face each other.
    fn faces(&self, tile: &Tile) -> Vec<[bool; 2]> {
        let halves = facing(self.pass, tile.radices, true);
        let mut all = vec![halves];
        for other in [facing(self.pass, tile.radices, false), [false; 2]] {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }

    /// The same with the blocks and the time of each, the best first where that is known.
    fn ways(&self, tile: &Tile) -> Vec<Way> {
        let way = |facing| {
            let (residents, takes) = self.takes(tile, facing, usize::MAX)?;
            Some(Way {
                facing,
                residents,
                takes,
            })
        };
        let mut ways: Vec<Way> = self.faces(tile).into_iter().filter_map(way).collect();
        if self.known {
            ways.sort_by(|a, b| a.takes.total_cmp(&b.takes));
        }
        ways
    }

    /// The tiles that are cut from `among` so many lines or arrays, the best first.
    fn tiles<'b>(&self, sequences: &'b [Vec<usize>], among: usize) -> Vec<(f64, Tile<'b>)> {
        let tiles = tiles(self.pass, sequences, among, &self.tried);
        let tiles = tiles.into_iter().flatten();
        let ranked = tiles.filter_map(|tile| Some((self.ways(&tile).first()?.takes, tile)));
        let mut all: Vec<(f64, Tile)> = ranked.collect();
        // Of what takes as long, but for how sums are rounded, larger radices first: 1 % faster, of 130 pairs that were timed.
        let rounded = |takes: f64| (takes * 1e6).round();
        all.sort_by(|(a, this), (b, other)| {
            let by_time = rounded(*a).total_cmp(&rounded(*b));
            by_time.then_with(|| other.radices.cmp(this.radices))
        });
        all
    }

    /// What a pass takes as it is planned, were there many lines or arrays: threads as lowering has them.
    fn planned(&self, limits: &Limits) -> Option<f64> {
        let pass = self.pass;
        let scalar = pass.math.storage;
        let points = pass.tile.bytes / (pass.tile.lines * 2 * scalar.bytes()).max(1);
        let (kind, longest) = (pass.axes[0].kind, limits.tile_points(scalar));
        let lines = match self.rows {
            true => lines_of_rows(kind, pass.axes.len(), points, &pass.steps, scalar, longest),
            // As many as there are beside each other, whatever the batch.
            false => pass.tile.lines,
        };
        let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
        let double = scalar == ScalarType::F64;
        // Registers as lowering reckons them, and 2048 threads of a multiprocessor.
        let most = MOST_THREADS[usize::from(double)];
        let [each, beside] = if double { [4, 72] } else { [2, 48] };
        let takes = |values| {
            // Any threads: how many there are to be follows from what they are to do.
            let some = tile(pass, &radices, lines, 32)?;
            let threads = self.counts.array(&some, [false; 2])?.threads(values);
            let threads = threads.min(most);
            let tile = tile(pass, &radices, lines, threads)?;
            let registers = (each * tile.held.max(values) + beside).next_multiple_of(8);
            let blocks = (65536 / (threads * registers)).clamp(1, 2048 / threads);
            self.takes(&tile, [false; 2], blocks)
        };
        let least = self.threads.values;
        let several = |values: &usize| takes(*values).is_some_and(|(residents, _)| residents > 1);
        let values = (least..=self.threads.many_values[usize::from(double)]).find(several);
        takes(values.unwrap_or(least)).map(|(_, takes)| takes)
    }

    fn rule(&self, tile: &Tile, way: &Way, staged: bool) -> Rule {
        Rule {
            sequence: Sequence::of_one_engine(tile.radices.to_vec()),
            lines: tile.lines,
            blocks: 1,
            launch: Launch {
                facing: way.facing,
                staged,
                ..Launch::new(tile.threads, way.residents)
            },
            fraction: 0.0,
        }
    }
}

/// Rules of the tiles by which the pass takes the least, the best first, of so many tiles at most, the first
/// `faced` of them with other columns that face each other too; by radices of these `sequences`, where none are the pass' own. All of
/// one block, of butterflies that threads hold; some may be there twice, or not suit.
pub fn likely(
    pass: &Pass,
    sequences: &[Vec<usize>],
    limits: &Limits,
    most: usize,
    faced: usize,
) -> Vec<Rule> {
    let ranking = Ranking::new(pass, limits);
    let among = ranking.among(pass.loops.iter().map(|l| l.count).product());
    let all = ranking.tiles(sequences, among);
    // Some that differ, by their radices where there are several.
    let alike = most.div_ceil(SHARE.min(sequences.len().max(1)));
    let mut chosen: Vec<&Tile> = Vec::new();
    for (_, tile) in &all {
        let same = |other: &&&Tile| other.radices == tile.radices;
        let wide = |other: &&&Tile| other.threads == tile.threads;
        let near = |other: &&Tile| {
            let near = |a: usize, b: usize| 6 * a.abs_diff(b) < a;
            let close = near(tile.lines, other.lines) && near(tile.threads, other.threads);
            close && other.is_like(tile)
        };
        let few = chosen.iter().filter(same).count() < alike
            && chosen.iter().filter(wide).count() < most.div_ceil(SHARE);
        if few && !chosen.iter().any(near) {
            chosen.push(tile);
        }
        if chosen.len() == most {
            break;
        }
    }
    let mut rules: Vec<Rule> = Vec::new();
    for (i, tile) in chosen.into_iter().enumerate() {
        let ways = ranking.ways(tile);
        let count = if i < faced { ways.len() } else { 1 };
        for way in &ways[..count] {
            let stages = ranking.rows && ends_with_rows(pass, tile.radices);
            let ways = [false, true].into_iter().take(1 + usize::from(stages));
            rules.extend(ways.map(|staged| ranking.rule(tile, way, staged)));
        }
    }
    rules
}

/// A tile of a pass by some launch, what its price is made of, and the price.
pub struct Priced {
    /// The tile and its launch.
    pub rule: Rule,
    /// What the price is made of.
    pub terms: Terms,
    /// The time that the pass takes, of a copy's.
    pub price: f64,
}

/// All tiles of a pass of butterflies in one block, the cheapest first: to see how well the price ranks them.
pub fn priced(pass: &Pass, limits: &Limits) -> Vec<Priced> {
    let ranking = Ranking::new(pass, limits);
    let sequences = orders(pass, limits).unwrap_or_default();
    let among = ranking.among(pass.loops.iter().map(|l| l.count).product());
    let mut all = Vec::new();
    for (_, tile) in ranking.tiles(&sequences, among) {
        for facing in ranking.faces(&tile) {
            let Some(array) = ranking.counts.array(&tile, facing) else {
                continue;
            };
            let most = array.most_residents(ranking.tried.chip_bytes);
            // Half as many have twice as many registers.
            for residents in (most / 2).max(1)..=most {
                let terms = Terms::of(pass, &array, residents);
                let price = terms.price();
                let way = Way {
                    facing,
                    residents,
                    takes: price,
                };
                let rule = ranking.rule(&tile, &way, false);
                if rule.suits(pass, limits) {
                    all.push(Priced { rule, terms, price });
                }
            }
        }
    }
    all.sort_by(|a, b| a.price.total_cmp(&b.price));
    all
}

/// The rule of a pass that has none, and what it is to reach of a copy, where the model has a tile that is cheaper than the
/// planned one: on devices whose waves are those of the model's numbers.
pub fn suggested(pass: &Pass, limits: &Limits) -> Option<(Rule, f64)> {
    let ranking = Ranking::new(pass, limits);
    let priced = model::is_of(limits)
        && pass.math.engine == Engine::Simt
        && pass.tile.residency == Residency::Block
        && matches!(pass.math.storage, ScalarType::F32 | ScalarType::F64);
    let steps = pass.steps.iter().filter_map(Step::radix).count();
    if !priced || !ranking.known || steps < 2 {
        return None;
    }
    let most = GAINS * ranking.planned(limits)?;
    let sequences = orders(pass, limits)?;
    let all = ranking.tiles(&sequences, ranking.among(MANY));
    let better = all.iter().take_while(|(takes, _)| *takes <= most);
    let mut rules = better.filter_map(|(takes, tile)| {
        let rule = ranking.rule(tile, ranking.ways(tile).first()?, false);
        rule.suits(pass, limits).then_some((rule, 1.0 / takes))
    });
    rules.next()
}

/// What the pass takes at least, of the time of a copy, where the model knows such.
pub fn least(pass: &Pass, limits: &Limits) -> Option<f64> {
    let ranking = Ranking::new(pass, limits);
    let sequences = orders(pass, limits).filter(|_| ranking.known)?;
    let all = ranking.tiles(&sequences, ranking.among(MANY));
    let least = all.first().map(|(takes, _)| *takes);
    least
        .into_iter()
        .chain(ranking.planned(limits))
        .reduce(f64::min)
}

#[cfg(test)]
#[path = "likely_tests.rs"]
mod tests;
