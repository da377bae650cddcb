//! Pipelined passes: two passes take turns in one launch, of so few arrays at a time that what lies between them stays in the
//! device's cache.
//!
//! ```text
//! pass 1 of turn t + a, beside pass 2 of turn t       (a turns ahead)
//! ```
//! Memory is read once and written once. Where the second pass stores to another device it waits for the link, and the first
//! one has the time to go through memory besides.

use crate::planner::in_turns::Tiles;
use crate::planner::problem::Problem;
use crate::planner::way::{InTurns, Method, TwoPasses, Way};
use mmafft_backend_traits::{Limits, Pass, Slot, Target, Turns};

pub const WAY: Way = Way {
    name: "pipelined passes",
    method: Method::Order { applies, turns },
};

/// Bytes of the largest arrays whose passes were so.
const SUGGESTED_BYTES: usize = 9 << 20;

/// Bytes of a turn, about: of fewer blocks would wait for each other at the end of each turn.
const TURN_BYTES: usize = 2 << 20;

fn applies(passes: &TwoPasses) -> bool {
    between(
        passes.planned,
        passes.scratch_bytes,
        passes.problem,
        passes.limits.target,
    )
    .is_some()
}

/// How these passes take turns; `None` where they do not.
fn turns(two: &TwoPasses) -> Option<InTurns> {
    let TwoPasses {
        planned,
        scratch_bytes,
        problem,
        limits,
        taken,
        ..
    } = *two;
    let arrays = problem.request.batch;
    let lies_between = between(planned, scratch_bytes, problem, limits.target)?;
    let remote_store = problem.only_writes_output();
    let suggested = || Tiles::suggested(planned, problem, limits)?.apply(planned, limits);
    let passes = match (taken.tiles, taken.turns) {
        (Some(tiles), _) => tiles.apply(planned, limits)?,
        (None, Some(_)) => suggested().unwrap_or_else(|| two.followed.to_vec()),
        (None, None) if !remote_store && !lies_between.can_be_kept(arrays, limits) => return None,
        (None, None) => suggested()?,
    };
    let between = between(&passes, scratch_bytes, problem, limits.target)?;
    let turns = match taken.turns {
        Some(turns) => turns,
        None => sized(&passes, &between, arrays, limits, remote_store)?,
    };
    let turns = Turns {
        kept: turns.kept.filter(|_| between.in_scratch),
        ..turns
    };
    if !turns.are_possible(arrays, between.in_scratch) {
        return None;
    }
    let kept = turns.kept.unwrap_or(0).min(arrays.div_ceil(turns.arrays));
    Some(InTurns {
        scratch_bytes: kept * turns.arrays * between.bytes,
        passes,
        turns,
    })
}

/// What lies between two passes.
struct Between {
    /// Bytes of an array.
    bytes: usize,
    in_scratch: bool,
}

impl Between {
    /// Arrays of a turn: as many as make about as many bytes as one is of.
    fn arrays_of_a_turn(&self) -> usize {
        (TURN_BYTES / self.bytes.max(1)).max(1)
    }

    /// Whether tiles of whatever size could be right for the fewest turns, see [`sized`], of arrays that are no larger than those
    /// that were measured.
    fn can_be_kept(&self, arrays: usize, limits: &Limits) -> bool {
        let of_a_turn = self.arrays_of_a_turn();
        let least = FEWEST_KEPT.saturating_mul(of_a_turn * self.bytes) / 2;
        self.bytes <= SUGGESTED_BYTES
            && least <= limits.tile_bytes * limits.workers
            && arrays / of_a_turn >= 2 * FEWEST_KEPT
    }
}

/// Turns that are kept at least: one that the first pass is ahead, and two more.
const FEWEST_KEPT: usize = 3;

/// What lies between two passes that can take turns: what one leaves of an array the other takes, from the same place.
fn between(
    passes: &[Pass],
    scratch_bytes: usize,
    problem: &Problem,
    target: &dyn Target,
) -> Option<Between> {
    let [first, second] = passes else {
        return None;
    };
    let arrays = problem.request.batch;
    let shares = [target.share(first, arrays)?, target.share(second, arrays)?];
    let slots = [
        first.load.slot,
        first.store.slot,
        second.load.slot,
        second.store.slot,
    ];
    let in_scratch = match slots {
        [Slot::Input, Slot::Scratch, Slot::Scratch, Slot::Output] => true,
        [Slot::Input, Slot::Output, Slot::Output, Slot::Output] => false,
        _ => return None,
    };
    // In place the second pass stores where the first will not load again.
    let in_place = problem.not_in_place().is_none();
    let alike = shares[0].load == shares[1].store || !in_place;
    let bytes = shares[0].store.checked_mul(problem.storage().bytes())?;
    // Arrays lie in scratch one after the other, and nothing else does.
    let begins = first.store.offset + second.load.offset;
    let apart = begins == 0 && bytes.checked_mul(arrays) == Some(scratch_bytes);
    let whole = !in_scratch || apart;
    (shares[0].store == shares[1].load && alike && whole).then_some(Between { bytes, in_scratch })
}

/// Turns of passes whose tiles were measured: what is under way at once is a multiple of the multiprocessors, half of it of
/// either pass. On an H100, of 16.5 MiB under way, 2^18 points of FP32 ran at 0.65 of a copy with the first pass 12 MiB
/// ahead and 20 MiB kept, at 0.55 to 0.60 with 8 or 24, and at 0.49 with 16 kept or none.
///
/// Where the second pass stores to other devices, what lies between may leave the cache: there is time to load it again.
fn sized(
    passes: &[Pass],
    between: &Between,
    arrays: usize,
    limits: &Limits,
    remote_store: bool,
) -> Option<Turns> {
    let under_way = passes.iter().map(|pass| {
        let residents = pass.tile.launch.map_or(1, |launch| launch.residents);
        pass.tile.bytes.saturating_mul(residents * limits.workers)
    });
    let under_way = under_way.max()?;
    let of_a_turn = between.arrays_of_a_turn();
    let turn = (of_a_turn * between.bytes).max(1);
    let ahead = (under_way / 10 * 7).div_ceil(turn).max(1);
    let kept = ahead + (under_way / 2 / turn).max(2);
    // More would not stay in the cache; and few turns are over before the passes overlap.
    let stays = remote_store || kept.saturating_mul(turn) / 2 <= under_way;
    (stays && arrays / of_a_turn >= 2 * kept).then_some(Turns {
        arrays: of_a_turn,
        ahead,
        kept: Some(kept),
    })
}

#[cfg(test)]
#[path = "pipelined_tests.rs"]
mod tests;
