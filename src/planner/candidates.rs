//! What is tried for a pass: radices, tiles and launches that could be the fastest.

use super::rule::{ends_with_rows, Rule};
use super::rule_keys::transformed;
use super::sequence::Sequence;
use super::sequences::{held, sequences};
use super::tiles::{columns, faced, points};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{Ahead, Engine, Kind, Launch, Limits, Pass, ScalarType, TileAxis};

/// Points of a tile of contiguous lines, where a line has no more.
const TILES: [usize; 4] = [1024, 2048, 4096, 8192];
/// Bytes in a row of a tile of scattered lines.
const ROWS: [usize; 4] = [32, 64, 128, 256];
/// The same of a tile that blocks share.
const SPREAD_ROWS: [usize; 3] = [32, 64, 128];
/// Bytes of a block's share of such a tile.
const SHARES: std::ops::RangeInclusive<usize> = 16 << 10..=128 << 10;
/// Registers that a thread needs beside its values, about.
const BESIDE: usize = 36;

fn clustered(pass: &Pass) -> bool {
    pass.tile.residency.blocks() > 1
}

/// Whether a cluster has a line or a plane, no block more of it than a share.
pub fn whole_in_cluster(pass: &Pass) -> bool {
    clustered(pass) && pass.tile.lines == 1
}

/// How many lines a tile may have, and of how many blocks it may be.
fn tiles(
    pass: &Pass,
    sequence: &Sequence,
    rows: bool,
    spread: bool,
    limits: &Limits,
) -> Vec<(usize, usize)> {
    if !spread {
        let all = lines(pass, sequence, rows, limits).into_iter();
        return all.map(|lines| (lines, 1)).collect();
    }
    let counts = || limits.block_counts();
    if whole_in_cluster(pass) {
        return counts().map(|blocks| (1, blocks)).collect();
    }
    let row = |row: usize| (row / (2 * pass.math.storage.bytes())).max(1);
    let line = transformed(pass).unwrap_or(0);
    let share =
        |lines: usize, blocks| lines * line * 2 * pass.math.storage.compute_bytes() / blocks;
    let of_row = |bytes: usize| counts().map(move |blocks| (bytes, blocks));
    let all = SPREAD_ROWS.into_iter().flat_map(of_row);
    all.map(|(bytes, blocks)| (row(bytes), blocks))
        .filter(|&(lines, blocks)| SHARES.contains(&share(lines, blocks)))
        .collect()
}

/// How many lines a block's tile may have. Steps leave threads of their last round idle: of contiguous
/// lines also as many are tried as leave the fewest (of 251 points of FP64, by radices 25 and 10, ten: 0.979 of a
/// copy on an H100, eight 0.973).
fn lines(pass: &Pass, sequence: &Sequence, rows: bool, limits: &Limits) -> Vec<usize> {
    let line = points(pass, sequence.radices(), 1);
    let point = 2 * pass.math.storage.bytes();
    let all: usize = pass.loops.iter().map(|l| l.count).product();
    let mut lines: Vec<usize> = match rows {
        true => {
            let together = pass.together();
            let values = held(pass, sequence, limits).unwrap_or(16);
            let lines = |tile: &usize| (tile / line / together).max(1);
            // Of the steps of all radices, each in as many rounds as its columns take.
            let idle = |lines: &usize| {
                let lines = lines * together;
                let threads = threads(points(pass, sequence.radices(), lines), values);
                let of = |columns: usize| {
                    1000 * (columns.next_multiple_of(threads) - columns) / columns.max(1)
                };
                let columns = columns(pass, sequence.radices(), lines);
                columns.into_iter().map(of).sum::<usize>()
            };
            let full = |few: usize| (few..2 * few).min_by_key(idle).unwrap_or(few);
            let all = TILES.iter().map(lines).flat_map(|few| [few, full(few)]);
            all.map(|lines| lines * together).collect()
        }
        false => {
            let row = |row: &usize| (row / point).max(1) * pass.together();
            ROWS.iter().map(row).collect()
        }
    };
    lines.retain(|&l| l <= all.max(1) && l * line <= limits.tile_points(pass.math.storage));
    lines.push(pass.tile.lines);
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn rule(sequence: &Sequence, (lines, blocks): (usize, usize), launch: Launch) -> Rule {
    Rule {
        sequence: sequence.clone(),
        lines,
        blocks,
        launch,
        fraction: 0.0,
    }
}

fn registers(pass: &Pass) -> usize {
    if pass.math.storage == ScalarType::F64 {
        4
    } else {
        2
    }
}

fn threads(points: usize, values: usize) -> usize {
    points.div_ceil(values).next_multiple_of(32).clamp(32, 1024)
}

/// The first round: every sequence and tile of clusters, and `of_blocks` those of one, in an ordinary launch.
pub fn first(pass: &Pass, rows: bool, of_blocks: bool, limits: &Limits) -> Vec<Rule> {
    let mut all = Vec::new();
    // `Rule::suits` says which passes clusters can have.
    let ways = [false, true].into_iter();
    let ways = ways.filter(|spread| *spread || of_blocks && !whole_in_cluster(pass));
    let all_of = |spread| {
        let all = sequences(pass, spread, limits).into_iter();
        all.map(move |sequence| (sequence, spread))
    };
    for (sequence, spread) in ways.flat_map(all_of) {
        let radices = sequence.radices();
        for (lines, blocks) in tiles(pass, &sequence, rows, spread, limits) {
            let points = points(pass, radices, lines) / blocks;
            let largest = held(pass, &sequence, limits).unwrap_or(16);
            let values = (16 / largest).max(1) * largest;
            let threads = threads(points, values);
            let residents = (65536 / (threads * (values * registers(pass) + BESIDE))).max(1);
            let launch = Launch::new(threads, residents);
            all.push(rule(&sequence, (lines, blocks), launch));
            if rows && ends_with_rows(pass, radices) {
                let staged = true;
                let launch = Launch { staged, ..launch };
                all.push(rule(&sequence, (lines, blocks), launch));
            }
            if let Some((facing, radix)) = faced(pass, radices) {
                // Two columns at least.
                let values = values.max(2 * radix);
                let threads = self::threads(points, values);
                let residents = (65536 / (threads * (values * registers(pass) + BESIDE))).max(1);
                let launch = Launch {
                    threads,
                    residents,
                    facing,
                    ..launch
                };
                all.push(rule(&sequence, (lines, blocks), launch));
            }
        }
    }
    all.retain(|rule| rule.suits(pass, limits));
    all
}

/// The second round: more or fewer blocks, threads that hold more or less, other columns that face each
/// other, and parts that are exchanged apart.
pub fn near(pass: &Pass, best: &Rule, limits: &Limits) -> Vec<Rule> {
    let Launch {
        threads, residents, ..
    } = best.launch;
    let with = |launch| Rule {
        launch,
        ..best.clone()
    };
    let resident = |residents| Launch {
        residents,
        ..best.launch
    };
    let of = |threads: usize| Launch {
        threads,
        residents: (best.launch.threads * residents / threads).max(1),
        ..best.launch
    };
    let apart = Launch {
        apart: !best.launch.apart,
        ..best.launch
    };
    let mut launches = vec![resident(residents + 1), apart];
    launches.extend((residents > 1).then(|| resident(residents - 1)));
    let others = [threads * 2 / 3, threads / 2, threads * 3 / 2, threads * 2].into_iter();
    let others = others.map(|threads| threads.next_multiple_of(32));
    launches.extend(others.filter(|t| (32..=1024).contains(t)).map(of));
    if let Some((can, _)) = faced(pass, best.sequence.radices()) {
        let ways = [[false; 2], [true, false], [false, true], [true; 2]].into_iter();
        let ways = ways.filter(|way| (0..2).all(|end| can[end] || !way[end]));
        launches.extend(ways.map(|facing| Launch {
            facing,
            ..best.launch
        }));
    }
    launches.retain(|l| *l != best.launch && l.threads * l.residents <= 2048);
    // Parts apart take half the memory on chip; reals between axes are exchanged as they are.
    let whole = best.blocks > 1 || pass.axes_of_reals();
    launches.retain(|l| !l.apart || !whole);
    let all = launches.into_iter().map(with);
    all.filter(|rule| rule.suits(pass, limits)).collect()
}

/// What a rule would be with the other way to come by twiddles, by reals of type III, by roots of splits and merges, or
/// by points, or to store results of type I, where there are two.
pub fn otherwise(pass: &Pass, rule: &Rule, limits: &Limits) -> Vec<Rule> {
    let twiddles = Launch {
        looked_up: !rule.launch.looked_up,
        ..rule.launch
    };
    let reals = Launch {
        unasked: !rule.launch.unasked,
        ..rule.launch
    };
    // Of a column of up to five points each twiddle but the first's is looked up anyhow, as are all of large radices;
    // the last radix has none but four-step roots.
    let engines: Vec<_> = rule.sequence.engines(pass.math.engine).collect();
    let roots = [pass.load.factor, pass.store.factor];
    let last = usize::from(roots.iter().all(Option::is_none));
    let multiplied = engines[..engines.len().saturating_sub(last)]
        .iter()
        .any(|&(radix, engine)| engine == Engine::Simt && radix > 5);
    let large = engines
        .iter()
        .any(|&(radix, _)| radix > limits.target.threads().multiplied_radix);
    let products = Launch {
        multiplied: !rule.launch.multiplied,
        ..rule.launch
    };
    let staged = Launch {
        staged: !rule.launch.staged,
        ..rule.launch
    };
    // Results that lie beside each other.
    let beside = pass.axes.iter().any(|axis| axis.store.stride == 1);
    let columns = beside && ends_with_rows(pass, rule.sequence.radices());
    let ahead = |ahead| Launch {
        ahead,
        ..rule.launch
    };
    let halves = |axis: &TileAxis| {
        let middle = axis.kind.reduction(axis.length, false).middle;
        middle != Middle::Plain && pass.math.engine == Engine::Simt
    };
    let third = |kind: Kind| matches!(kind, Kind::Dct3 | Kind::Dst3);
    let whole = pass.load.reals.is_none() && !clustered(pass);
    let both = [
        (
            twiddles,
            pass.math.storage == ScalarType::F64 && multiplied && !large,
        ),
        (
            reals,
            whole && !pass.axes_of_reals() && pass.axes.iter().any(|a| third(a.kind)),
        ),
        (
            products,
            whole && pass.mirrored().is_none() && pass.axes.iter().any(halves),
        ),
        (staged, columns),
    ];
    // A block asks between two steps, and early or late where there are three. Rules of planes in clusters name no
    // radices.
    let can_ask = limits
        .geometry
        .is_some_and(|geometry| geometry.asks_ahead());
    let exchanges = match can_ask {
        true if rule.blocks > 1 => 2,
        true => engines.len().saturating_sub(1),
        false => 0,
    };
    let whens = [None, Some(Ahead::Late), Some(Ahead::Early)];
    let asks = whens.into_iter().take(1 + exchanges.min(2));
    let asks = asks
        .filter(|when| *when != rule.launch.ahead)
        .map(|when| (ahead(when), true));
    let rule = |(launch, can): (Launch, bool)| {
        can.then(|| Rule {
            launch,
            ..rule.clone()
        })
    };
    both.into_iter().chain(asks).filter_map(rule).collect()
}

/// The third round: wider accesses of memory for a launch that did well, by as many threads or by
/// those whose values are whole runs of neighbours; or what it does otherwise.
pub fn third(pass: &Pass, best: &Rule, limits: &Limits) -> Vec<Rule> {
    let most = match best.blocks {
        1 if !pass.axes_of_reals() => 16 / (2 * pass.math.storage.bytes()),
        _ => 1,
    };
    let tile = (best.lines, best.blocks);
    let mut all = otherwise(pass, best, limits);
    for neighbours in [2, 4].into_iter().filter(|n| *n <= most) {
        for share in [1, neighbours] {
            let threads = (best.launch.threads / share).next_multiple_of(32);
            let launch = Launch {
                threads,
                residents: (best.launch.residents * best.launch.threads / threads).max(1),
                neighbours,
                ..best.launch
            };
            all.push(rule(&best.sequence, tile, launch));
        }
    }
    all
}

#[cfg(all(test, feature = "emulate"))]
mod tests;
