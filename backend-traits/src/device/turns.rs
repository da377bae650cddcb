//! Passes that take turns: what an array's share of a pass is, and what a launch of two passes is told.

use super::lower::Lowered;
use super::sides::ordered_loops;
use crate::pass::Pass;
use crate::plan::Turns;
use crate::side::Slot;
use crate::target::Share;
use crate::tile::Residency;

/// The share of each of so many arrays; `None` where a pass does not go from one to the next, as its outermost loop, in
/// blocks that stand alone.
pub fn share(pass: &Pass, arrays: usize) -> Option<Share> {
    let order = ordered_loops(pass);
    let outer = pass.loops[*order.first()?];
    let runs = outer.load.runs.is_some() || outer.store.runs.is_some();
    let alone = pass.tile.residency == Residency::Block && pass.load.edges.is_none();
    if runs || outer.counts_parts() || !alone || arrays == 0 || !outer.count.is_multiple_of(arrays)
    {
        return None;
    }
    let own = outer.count / arrays;
    let within: usize = order[1..].iter().map(|&i| pass.loops[i].count).product();
    let lines = own * within;
    lines.is_multiple_of(pass.together()).then(|| Share {
        lines: lines / pass.together(),
        load: own * outer.load.stride,
        store: own * outer.store.stride,
    })
}

/// One of the passes: `Side` of `device/turns.hpp`, field for field.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SideWords {
    /// Tiles of a whole turn.
    pub tiles: u64,
    /// Its lines.
    pub lines: u64,
    /// Those of the last turn.
    pub last_lines: u64,
    /// Bytes from one turn to the next where it loads.
    pub load: u64,
    /// After how many turns it loads from the same memory again; 0: never.
    pub load_kept: u64,
    /// Bytes from one turn to the next where it stores.
    pub store: u64,
    /// After how many turns it stores to the same memory again; 0: never.
    pub store_kept: u64,
}

/// `Turns` of `device/turns.hpp`, field for field.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnWords {
    /// How many turns there are.
    pub turns: u64,
    /// How many the first pass is ahead.
    pub ahead: u64,
    /// Of how many scratch has the place; 0: of all.
    pub kept: u64,
    /// Both passes.
    pub passes: [SideWords; 2],
}

impl TurnWords {
    /// Of so many arrays, by both passes as they are lowered, with their shares.
    pub fn new(turns: Turns, arrays: usize, passes: [(&Lowered, Share); 2]) -> TurnWords {
        let count = arrays.div_ceil(turns.arrays);
        let last = arrays - (count - 1) * turns.arrays;
        let side = |(lowered, share): (&Lowered, Share)| {
            let kept = |slot| match (slot, turns.kept) {
                (Slot::Scratch, Some(kept)) => kept as u64,
                _ => 0,
            };
            let bytes = |scalars: usize| (turns.arrays * scalars * lowered.scalar_bytes) as u64;
            let lines = (share.lines * turns.arrays) as u64;
            SideWords {
                tiles: lines.div_ceil(lowered.tile_lines),
                lines,
                last_lines: (share.lines * last) as u64,
                load: bytes(share.load),
                load_kept: kept(lowered.load.0),
                store: bytes(share.store),
                store_kept: kept(lowered.store.0),
            }
        };
        TurnWords {
            turns: count as u64,
            ahead: turns.ahead.min(count) as u64,
            kept: turns.kept.unwrap_or(0) as u64,
            passes: passes.map(side),
        }
    }

    /// Blocks of the launch: one for each tile.
    pub fn blocks(&self) -> u64 {
        self.turns * self.passes.iter().map(|p| p.tiles).sum::<u64>()
    }

    /// Bytes of the counters: which tile is next, and of each turn how many tiles of either pass are done.
    pub fn counter_bytes(&self) -> usize {
        4 * (1 + 2 * self.turns as usize)
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
