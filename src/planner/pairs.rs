//! Pairs of tiles for passes in turns, of as many threads and blocks: the cheapest by the [`model`](super::model), where it
//! knows such passes, else the one that leaves the fewest lanes idle, by [`work`](super::work). What is fast alone is not so
//! in turns, as memory takes less of the time.

use super::counts::Counts;
use super::model::{knows, Terms};
use super::rule::Rule;
use super::sequence::Sequence;
use super::work::{facing, middle, residents, tiles, Tile, Tried};
use mmafft_backend_traits::{real::Middle, Launch, Limits, Pass, Target};

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

/// Tiles that store to another device, the better first.
///
/// They have as many bytes beside each other as a link takes at once, for which a block may be alone; half as many; any
/// (docs/lab/2026-11-29-ranks.md).
const REMOTE_STORES: [Tried; 3] = [
    Tried {
        rows: &[128, 160],
        bytes: 200 << 10,
        ..IN_TURNS
    },
    Tried {
        rows: &[64, 80, 96],
        ..IN_TURNS
    },
    IN_TURNS,
];

/// What the tiles of a pass take by so many blocks of a multiprocessor, where these of their columns face each other.
struct Prices<'a> {
    pass: &'a Pass,
    counts: Counts<'a>,
}

impl Prices<'_> {
    /// By one block, two, and so on.
    fn of(&self, tile: &Tile, facing: [bool; 2]) -> Vec<f64> {
        let Some(array) = self.counts.array(tile, facing) else {
            return Vec::new();
        };
        let most = array.most_residents(IN_TURNS.chip_bytes);
        let price = |residents| Terms::of(self.pass, &array, residents).price_in_turns();
        (1..=most).map(price).collect()
    }
}

/// The blocks by which two tiles in turn take the least, and what they take.
fn together([first, second]: [&[f64]; 2]) -> Option<(usize, f64)> {
    let both = first
        .iter()
        .zip(second)
        .map(|(first, second)| first + second);
    let all = both.enumerate().map(|(i, takes)| (i + 1, takes));
    all.min_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// A rule for each pass, and what both take in turns, of the time of a copy, where that is known.
pub struct Pair {
    pub rules: [Rule; 2],
    pub takes: Option<f64>,
}

/// The pair of tiles of as many threads that takes the least; of passes of radices from these `sequences`, where none are the
/// pass' own. The second one may store to another device.
pub fn pair(
    passes: &[Pass; 2],
    sequences: &[Vec<Vec<usize>>; 2],
    arrays: usize,
    remote_store: bool,
    limits: &Limits,
) -> Option<Pair> {
    let seconds = match remote_store {
        true => &REMOTE_STORES[..],
        false => &[IN_TURNS],
    };
    // A tile lies on chip with an eighth more between its banks at most.
    let bytes = limits.tile_bytes / 9 * 8;
    let fits = |tried: &Tried| Tried {
        bytes: tried.bytes.min(bytes),
        ..tried.clone()
    };
    let mut pairs = seconds.iter().filter_map(|second| {
        let tried = [fits(&IN_TURNS), fits(second)];
        pair_of(passes, sequences, arrays, &tried, limits.target)
    });
    pairs.next()
}

/// The same of tiles that are tried of each pass.
fn pair_of(
    passes: &[Pass; 2],
    sequences: &[Vec<Vec<usize>>; 2],
    arrays: usize,
    tried: &[Tried; 2],
    target: &dyn Target,
) -> Option<Pair> {
    let among = |pass: &Pass| {
        let all: usize = pass.loops.iter().map(|l| l.count).product();
        (all / arrays.max(1)).max(1)
    };
    // What meets over shared memory without costs the more the earlier it does: half spectra that are merged face each
    // other in both passes, those that are split in the second.
    let halves = |i: usize, tile: &Tile| match (i, middle(&passes[0])) {
        (0, Middle::Plain | Middle::Split) => [false; 2],
        _ => facing(&passes[i], tile.radices, true),
    };
    let known = passes.iter().all(knows) && sequences.iter().flatten().all(|s| !s.is_empty());
    let tiles = [0, 1].map(|i| tiles(&passes[i], &sequences[i], among(&passes[i]), &tried[i]));
    let prices = [0, 1].map(|i| Prices {
        pass: &passes[i],
        counts: Counts::new(&passes[i], target),
    });
    let mut best: Option<([&Tile; 2], usize, f64)> = None;
    let [firsts, seconds] = &tiles;
    for both in firsts.iter().zip(seconds) {
        let lists = [both.0, both.1];
        let priced = [0, 1].map(|i| {
            let price = |tile: &Tile| match known {
                true => prices[i].of(tile, halves(i, tile)),
                false => Vec::new(),
            };
            lists[i].iter().map(price).collect::<Vec<_>>()
        });
        for (first, of_first) in lists[0].iter().zip(&priced[0]) {
            for (second, of_second) in lists[1].iter().zip(&priced[1]) {
                let pair = [first, second];
                let found = match known {
                    true => together([of_first, of_second]),
                    false => {
                        let faces = [halves(0, first), halves(1, second)];
                        residents(&pair, &faces, passes[0].math.storage, &IN_TURNS)
                    }
                };
                let Some((residents, takes)) = found else {
                    continue;
                };
                if best.is_none_or(|(_, _, least)| takes < least) {
                    best = Some((pair, residents, takes));
                }
            }
        }
    }
    let (tiles, residents, takes) = best?;
    let rule = |i: usize| Rule {
        sequence: Sequence::of_one_engine(tiles[i].radices.to_vec()),
        lines: tiles[i].lines,
        blocks: 1,
        launch: Launch {
            facing: halves(i, tiles[i]),
            ..Launch::new(tiles[i].threads, residents)
        },
        fraction: 0.0,
    };
    Some(Pair {
        rules: [rule(0), rule(1)],
        takes: known.then_some(takes),
    })
}
