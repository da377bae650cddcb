//! Passes that take turns have blocks that are alike, and run at twice the speed of memory: so arithmetic and the cache limit
//! them, and what is fast alone is not so then. Pairs of tiles, of as many threads, that leave few lanes idle, by the model of
//! [`work`](super::work). Which columns face each other was set by what was timed on an H100: docs/lab/2026-11-26-turns.md says how often the
//! first pair, and the best of the first ten, are faster than passes one by one.

use super::rule::Rule;
use super::sequence::Sequence;
use super::work::{facing, middle, residents, tiles, Tile, Tried};
use mmafft_backend_traits::{real::Middle, Launch, Pass, ScalarType};

/// Of the chosen pairs the first, in which other columns face each other too.
const FACED: usize = 5;
/// Tiles of which a multiprocessor can have two.
const IN_TURNS: Tried = Tried {
    threads: 128..=512,
    bytes: 113 << 10,
    points: 6,
    lines: 64,
    rows: &[32, 64, 80, 96, 128, 160],
    values: [20, 34],
    chip_bytes: 226 << 10,
};

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
        let (residents, work) = residents(&tiles, &facing, scalar, &IN_TURNS)?;
        Some(Pair {
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
        (0..2).all(|i| self.tiles[i].is_like(other.tiles[i]))
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
    let among = |pass: &Pass| {
        let all: usize = pass.loops.iter().map(|l| l.count).product();
        (all / arrays.max(1)).max(1)
    };
    let tiles = [0, 1].map(|i| tiles(&passes[i], &sequences[i], among(&passes[i]), &IN_TURNS));
    let mut pairs = Vec::new();
    let [first, second] = &tiles;
    for (first, second) in first.iter().zip(second) {
        let both = |first| second.iter().map(move |second| [first, second]);
        pairs.extend(first.iter().flat_map(both).filter_map(|tiles| {
            let halves = [0, 1].map(|i| facing(&passes[i], tiles[i].radices, true));
            Pair::new(tiles, halves, passes[0].math.storage)
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
            let Some(Pair { residents, .. }) = Pair::new(tiles, *way, passes[0].math.storage)
            else {
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
