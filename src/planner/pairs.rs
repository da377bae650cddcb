//! Passes that take turns have blocks that are alike, and run at twice the speed of memory: so arithmetic and the cache limit
//! them, and what is fast alone is not so then. Pairs of tiles, of as many threads, that leave few lanes idle, by a model of
//! what their steps issue and of the registers that they need. Its numbers were set by hand, and which columns face each other by
//! what was timed on an H100: docs/measured.md says how often its first pair, and the best of its first ten, are faster than
//! passes one by one.

use super::rule::Rule;
use super::rule_keys::transformed;
use super::sequence::Sequence;
use super::tiles::{columns, faced, points};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{radix, Kind, Launch, Limits, Pass, ScalarType, Step};

/// Of the chosen pairs the first, in which other columns face each other too.
const FACED: usize = 5;
/// Tiles of a pass that are paired with those of the other, of each number of threads.
const TILES: usize = 12;
/// Bytes of a tile at most: two blocks to a multiprocessor.
const TILE_BYTES: usize = 113 << 10;
/// Threads of a block.
const THREADS: std::ops::RangeInclusive<usize> = 128..=512;
/// Registers of a thread that two blocks may do without.
const SPARED: usize = 16;
/// Waves of 32 threads that hide what one waits for, about.
const WAVES: f64 = 20.0;

/// A tile of a pass, and what it takes.
struct Tile<'a> {
    radices: &'a [usize],
    /// Whose step is first, and last: the radices', or the pass' own where there are none.
    ends: [usize; 2],
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

impl Tile<'_> {
    /// Values that a thread holds, two columns of the ends that face others.
    fn held_facing(&self, facing: [bool; 2]) -> usize {
        let columns = |radix: usize| (self.points / radix / 2).div_ceil(self.threads) * 2 * radix;
        let ends = self.ends.into_iter().zip(facing);
        let faced = ends.filter(|(_, faces)| *faces);
        let faced = faced.map(|(radix, _)| columns(radix));
        faced.max().unwrap_or(0).max(self.held)
    }
}

/// The largest butterflies that are tried: threads hold their points.
pub fn largest_butterfly(scalar: ScalarType) -> usize {
    match scalar {
        ScalarType::F64 => 27,
        _ => 32,
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
    tiles: [&'a Tile<'a>; 2],
    residents: usize,
    work: f64,
}

impl<'a> Pair<'a> {
    /// How many blocks a multiprocessor can have, where these columns face each other, and what follows for the work; `None`
    /// where it can have none.
    fn new(tiles: [&'a Tile<'a>; 2], facing: [[bool; 2]; 2], scalar: ScalarType) -> Option<Self> {
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
            let mut radices = tile.radices.to_vec();
            radices.sort_unstable();
            radices
        };
        (0..2).all(|i| sorted(self.tiles[i]) == sorted(other.tiles[i]))
    }

    /// Whether tiles are about as large too.
    fn is_same(&self, other: &Self) -> bool {
        // Of contiguous lines one more or less makes no difference.
        let lines = |pair: &Self| pair.tiles.map(|tile| tile.lines / 8);
        self.is_like(other) && lines(self) == lines(other) && self.threads() == other.threads()
    }
}

/// Pairs of rules by whose tiles few lanes are idle, those with the least work first, of so many pairs of tiles at most; of
/// passes of radices from these `sequences`, where none are the pass' own.
pub fn pairs(
    passes: &[Pass; 2],
    sequences: &[Vec<Vec<usize>>; 2],
    arrays: usize,
    most: usize,
) -> Vec<[Rule; 2]> {
    let tiles = [0, 1].map(|i| tiles(&passes[i], &sequences[i], arrays));
    let mut pairs = Vec::new();
    let [first, second] = &tiles;
    for (first, second) in first.iter().zip(second) {
        let both = |first| second.iter().map(move |second| [first, second]);
        pairs.extend(first.iter().flat_map(both).filter_map(|tiles| {
            let halves = [0, 1].map(|i| facing(&passes[i], tiles[i].radices, true));
            Pair::new(tiles, halves, passes[0].storage)
        }));
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
            .map(|halves| [0, 1].map(|i| facing(&passes[i], tiles[i].radices, halves)));
        let none = [false; 2];
        // What meets over shared memory without costs the more the earlier it does: half spectra that are merged face each
        // other in both passes, those that are split in the second.
        let likely = match middle(&passes[0]) {
            Middle::Merge => halves,
            _ => [none, halves[1]],
        };
        let ways = [likely, all, [none, halves[1]], halves, [none; 2]];
        let count = if i < FACED { ways.len() } else { 2 };
        for way in &ways[..count] {
            let Some(Pair { residents, .. }) = Pair::new(tiles, *way, passes[0].storage) else {
                continue;
            };
            let pair = [0, 1].map(|i| Rule {
                sequence: Sequence::of_one_engine(tiles[i].radices.to_vec()),
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

/// What becomes of the pass' half spectra.
fn middle(pass: &Pass) -> Middle {
    let axis = &pass.axes[0];
    axis.kind.reduction(axis.length, false).middle
}

/// At which ends columns of these radices can face each other; or only where `halves` of spectra meet so.
fn facing(pass: &Pass, radices: &[usize], halves: bool) -> [bool; 2] {
    let Some((facing, _)) = faced(pass, radices) else {
        return [false; 2];
    };
    let middle = middle(pass);
    let ends = [Middle::Merge, Middle::Split].map(|end| middle == end);
    [0, 1].map(|i| facing[i] && (ends[i] || !halves))
}

/// The tiles of a pass with the least work, of each number of threads, those with less first.
fn tiles<'a>(pass: &Pass, sequences: &'a [Vec<usize>], arrays: usize) -> Vec<Vec<Tile<'a>>> {
    let rows = pass
        .axes
        .iter()
        .any(|axis| axis.load_stride <= 2 && axis.store_stride <= 2);
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
    let middle = middle(pass);
    let mut tiles: Vec<Vec<Tile>> = THREADS.step_by(32).map(|_| Vec::new()).collect();
    for radices in sequences {
        let own: Vec<usize> = match radices.is_empty() {
            true => pass.steps.iter().filter_map(Step::radix).collect(),
            false => radices.clone(),
        };
        let (Some(&begin), Some(&end)) = (own.first(), own.last()) else {
            continue;
        };
        let meets = facing(pass, &own, true) != [false; 2];
        let column = |&r: &usize| r as f64 * (butterfly(r) + 8.0) + 16.0;
        let of_columns: Vec<f64> = own.iter().map(column).collect();
        for &lines in lines
            .iter()
            .filter(|&&lines| lines <= of_array.max(together))
        {
            let points = points(pass, radices, lines);
            let bytes = points * 2 * pass.storage.compute_bytes();
            if bytes > TILE_BYTES {
                continue;
            }
            let columns = columns(pass, &own, lines);
            for (threads, tiles) in THREADS.step_by(32).zip(&mut tiles) {
                let rounds = |columns: usize| columns.div_ceil(threads);
                let held = columns.iter().zip(&own).map(|(&n, r)| rounds(n) * r);
                let held = held.max().unwrap_or(0);
                if held > values(pass.storage) || points < 6 * threads {
                    continue;
                }
                let steps = columns.iter().zip(&of_columns);
                let step = |(&n, work): (&usize, &f64)| (rounds(n) * threads) as f64 * work;
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
                let at = tiles.partition_point(|tile| tile.work <= work);
                if at < TILES {
                    tiles.truncate(TILES - 1);
                    let tile = Tile {
                        radices,
                        ends: [begin, end],
                        lines,
                        threads,
                        held,
                        points,
                        bytes,
                        work,
                    };
                    tiles.insert(at, tile);
                }
            }
        }
    }
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

/// Radices of a pass' only axis: butterflies of the fewest and of one more, in every order; those with a 2 only where there
/// are no others. `None` of several axes, convolutions and lines by real columns.
pub fn orders(pass: &Pass, limits: &Limits) -> Option<Vec<Vec<usize>>> {
    let [axis] = &pass.axes[..] else {
        return None;
    };
    let length = transformed(pass).filter(|&n| n == axis.core_length())?;
    if axis.kind.is_symmetric() {
        return None;
    }
    let mut radices = limits.butterflies.to_vec();
    let largest = largest_butterfly(pass.storage);
    radices.retain(|&r| r <= largest && !radix::summed(r, false));
    radices.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = Vec::new();
    descend(length, &radices, &mut Vec::new(), &mut all);
    // A thread that has a line meets nobody, but its lanes lie apart in memory.
    let least = all.iter().map(Vec::len).filter(|&n| n > 1).min();
    all.retain(|s| least.is_some_and(|least| (least..=least + 1).contains(&s.len())));
    if all.iter().any(|s| !s.contains(&2)) {
        all.retain(|s| !s.contains(&2));
    }
    Some(all.iter().flat_map(|s| permutations(s)).collect())
}

fn permutations(sequence: &[usize]) -> Vec<Vec<usize>> {
    if sequence.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in sequence.iter().enumerate() {
        if !sequence[..i].contains(&first) {
            let rest = [&sequence[..i], &sequence[i + 1..]].concat();
            let others = permutations(&rest).into_iter();
            all.extend(others.map(|others| [&[first], &others[..]].concat()));
        }
    }
    all
}

/// Adds to `all` the descending sequences of these descending radices whose product is `n`, of seven at most, each behind what is there `so_far`.
pub fn descend(n: usize, radices: &[usize], so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if n == 1 {
        all.push(so_far.clone());
    }
    if n == 1 || so_far.len() > 6 {
        return;
    }
    for (i, &r) in radices.iter().enumerate() {
        if n.is_multiple_of(r) {
            so_far.push(r);
            descend(n / r, &radices[i..], so_far, all);
            so_far.pop();
        }
    }
}
