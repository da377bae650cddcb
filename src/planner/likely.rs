//! Tiles of one pass that are likely fast: those that `mmafft tune` times first, by the model of [`work`](super::work).

use super::rule::{ends_with_rows, Rule};
use super::rule_keys::access;
use super::sequence::Sequence;
use super::work::{facing, residents, tiles, Tile, Tried};
use mmafft_backend_traits::{Launch, Limits, Pass};

/// Of the chosen tiles at most one in so many has the same radices in the same order, and one in so many as many threads.
const SHARE: usize = 4;

/// How much longer blocks that are alone leave memory idle than many do.
const WAITS: f64 = 0.4;

/// Rules of the tiles by which the pass has the least work, those with less first, of so many tiles at most, the first
/// `faced` of them with other columns that face each other too; by radices of these `sequences`, where none are the pass' own. All of
/// one block, of butterflies that threads hold; some may be there twice, or not suit.
pub fn likely(
    pass: &Pass,
    sequences: &[Vec<usize>],
    limits: &Limits,
    most: usize,
    faced: usize,
) -> Vec<Rule> {
    let tried = Tried {
        threads: 32..=1024,
        bytes: limits.tile_bytes,
        points: 2,
        lines: 4096,
        rows: &[32, 64, 96, 128, 192, 256],
        values: [32, 40],
        // What the device keeps of a multiprocessor's for a block.
        chip_bytes: limits.tile_bytes + (1 << 10),
    };
    let rows = access(pass) == "rows";
    let among = match rows {
        true => pass.loops.iter().map(|l| l.count).product(),
        false => pass
            .loops
            .last()
            .map_or(1, |l| l.count)
            .max(pass.tile.lines),
    };
    let tiles = tiles(pass, sequences, among, &tried);
    let halves = |tile: &Tile| facing(pass, tile.radices, true);
    let chip = |tile: &Tile, facing| residents(&[tile], &[facing], pass.storage, &tried);
    let work = |tile| {
        let (residents, work) = chip(tile, halves(tile))?;
        // Memory waits while all blocks work, the rarer the more they are.
        Some(work * (1.0 + WAITS / residents as f64))
    };
    let all = tiles.iter().flatten();
    let mut all: Vec<(f64, &Tile)> = all.filter_map(|tile| Some((work(tile)?, tile))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Some that differ.
    let mut chosen: Vec<&Tile> = Vec::new();
    for (_, tile) in all {
        let same = |other: &&&Tile| other.radices == tile.radices;
        let wide = |other: &&&Tile| other.threads == tile.threads;
        let near = |other: &&Tile| {
            let near = |a: usize, b: usize| 6 * a.abs_diff(b) < a;
            let alike = near(tile.lines, other.lines) && near(tile.threads, other.threads);
            alike && other.is_like(tile)
        };
        let share = most.div_ceil(SHARE);
        let few = chosen.iter().filter(same).count() < share
            && chosen.iter().filter(wide).count() < share;
        if few && !chosen.iter().any(near) {
            chosen.push(tile);
        }
        if chosen.len() == most {
            break;
        }
    }
    let mut rules: Vec<Rule> = Vec::new();
    for (i, tile) in chosen.into_iter().enumerate() {
        let all = facing(pass, tile.radices, false);
        let ways = [halves(tile), all, [false; 2]];
        let count = if i < faced { ways.len() } else { 1 };
        for &way in &ways[..count] {
            let Some((residents, _)) = chip(tile, way) else {
                continue;
            };
            let rule = |staged| Rule {
                sequence: Sequence::of_one_engine(tile.radices.to_vec()),
                lines: tile.lines,
                blocks: 1,
                launch: Launch {
                    facing: way,
                    staged,
                    ..Launch::new(tile.threads, residents)
                },
                fraction: 0.0,
            };
            let stages = rows && ends_with_rows(pass, tile.radices);
            let ways = [false, true].into_iter().take(1 + usize::from(stages));
            rules.extend(ways.map(rule));
        }
    }
    rules
}
