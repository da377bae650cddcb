//! Passes that take turns: where it was measured that they do, or what was measured suggests it, of so few arrays at a time
//! that what lies between them stays in the device's cache.

use super::fits::Fits;
use super::likely::least;
use super::model;
use super::orders::orders_of_line;
use super::pairs::pair;
use super::problem::Problem;
use super::rules::{self, Rule};
use mmafft_backend_traits::device::share;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{Engine, Kind, Limits, Pass, ScalarType, Slot, Step, Turns};

/// How two passes take turns.
#[derive(Clone, Copy)]
pub enum Taken<'a> {
    /// By these tiles.
    By(&'a Tiles),
    /// By tiles that leave few lanes idle, if such passes were faster so.
    Suggested,
    /// So many arrays at a time, by these tiles, else by some that leave few lanes idle, else by those that they have without.
    So(Option<&'a Tiles>, Turns),
}

/// The tiles of two passes that take turns, as rules.
pub struct Tiles {
    /// That of each pass.
    passes: [Rule; 2],
    /// The factors of a line that passes share, in their order, if they are others than else.
    pub parts: Option<Vec<usize>>,
    /// Why the passes are so.
    reason: String,
}

impl Tiles {
    /// Those of the request's rules, if it has some.
    pub fn measured(problem: &Problem, fits: &Fits) -> Option<Self> {
        let of = |what| rules::in_turns(problem, fits, what);
        let (name, first) = of("first")?;
        let (_, second) = of("second")?;
        let parts = of("parts").map(|(_, rule)| rule.sequence.radices().to_vec());
        Some(Tiles {
            passes: [first.clone(), second.clone()],
            parts,
            reason: format!("as measured for {name}: {:.2} of a copy", first.fraction),
        })
    }

    /// What was not measured, and is likely faster so: complex transforms, arrays of reals of FP64, and lines of reals. On an H100
    /// of 80 of the first two that nobody had tuned (26 November 2026) 48 ran 1.05 to 1.39 times as fast so, 29 about the same,
    /// three slower, the slowest at 0.92; docs/lab/2026-11-26-turns.md has the lines. Arrays of reals that merge half spectra but for C2R, and
    /// all of FP32, were about as often slower as faster.
    fn suggested(planned: &[Pass], problem: &Problem, limits: &Limits) -> Option<Self> {
        let passes = <&[Pass; 2]>::try_from(planned).ok()?;
        let plain = |pass: &Pass| {
            let pays = |kind: Kind| match kind {
                Kind::C2C | Kind::R2C | Kind::C2R => true,
                kind if kind.is_symmetric() => false,
                kind => kind.row().packed.middle != Middle::Merge,
            };
            let transformed =
                |s: &Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange);
            pass.math.engine == Engine::Simt
                && pass.axes.iter().all(|axis| pays(axis.kind))
                && pass.steps.iter().all(transformed)
        };
        let request = &problem.request;
        let reals = request.kind != Kind::C2C;
        let arrays = request.axes.as_ref().is_some_and(|axes| axes.len() > 1);
        let faster = match problem.storage() {
            ScalarType::F64 => true,
            ScalarType::F32 => !reals || !arrays,
            _ => false,
        };
        if !model::is_of(limits) || !faster || !passes.iter().all(plain) {
            return None;
        }
        let sequences =
            [0, 1].map(|i| orders_of_line(&passes[i], limits).unwrap_or_else(|| vec![Vec::new()]));
        let pair = pair(passes, &sequences, request.batch)?;
        // What is not cheaper so is left.
        let alone = [0, 1].map(|i| least(&passes[i], limits));
        if let (Some(takes), [Some(first), Some(second)]) = (pair.takes, alone) {
            if takes > CHEAPER * (first + second) {
                return None;
            }
        }
        let reason = match pair.takes {
            Some(takes) => format!("in turns, the cheapest so: {:.2} of a copy", 1.0 / takes),
            None => "in turns, as few lanes are idle so".into(),
        };
        Some(Tiles {
            passes: pair.rules,
            parts: None,
            reason,
        })
    }

    /// Those of these rules, to measure them.
    pub fn tried(passes: &[Rule; 2], parts: Option<&[usize]>) -> Self {
        Tiles {
            passes: passes.clone(),
            parts: parts.map(<[usize]>::to_vec),
            reason: "tried".into(),
        }
    }

    /// Two passes as they say, if they can be so.
    fn apply(&self, planned: &[Pass], limits: &Limits) -> Option<Vec<Pass>> {
        let mut passes = planned.to_vec();
        for (pass, rule) in passes.iter_mut().zip(&self.passes) {
            if rule.blocks > 1 || !rule.suits(pass, limits) {
                return None;
            }
            rule.apply(pass, limits);
            pass.reason.clone_from(&self.reason);
        }
        // Blocks of one launch are alike.
        let threads = |pass: &Pass| pass.tile.launch.map(|launch| launch.threads);
        (threads(&passes[0]) == threads(&passes[1])).then_some(passes)
    }
}

/// Whether passes of the request may take turns at all: where no radices were asked for, and no rule says that they were slower
/// so.
pub fn may_take_turns(problem: &Problem, fits: &Fits) -> bool {
    fits.asked.is_none() && !rules::not_in_turns(problem, fits)
}

/// Whether they may where that was not measured: those of a batch, on devices of the architecture that was, if none of these is
/// known to be faster so.
pub fn may_be_suggested(problem: &Problem, fits: &Fits) -> bool {
    let batch = problem.request.batch > 1;
    let there = model::is_of(fits.limits);
    batch && there && !rules::in_turns_elsewhere(problem, fits)
}

/// What passes in turns may take at most, of what they take one by one.
const CHEAPER: f64 = 0.97;

/// Bytes of the largest arrays whose passes were so.
const SUGGESTED_BYTES: usize = 9 << 20;

/// Bytes of a turn, about: of fewer blocks would wait for each other at the end of each turn.
const TURN_BYTES: usize = 2 << 20;

/// Two passes that take turns, and the scratch that they need.
pub struct InTurns {
    pub passes: Vec<Pass>,
    pub turns: Turns,
    pub scratch_bytes: usize,
}

/// How these passes take turns, `planned` as they are without rules and `followed` as they would be else, with so much
/// scratch; `None` where they do not.
pub fn take(
    planned: &[Pass],
    followed: &[Pass],
    scratch_bytes: usize,
    problem: &Problem,
    limits: &Limits,
    taken: Taken,
) -> Option<InTurns> {
    let arrays = problem.request.batch;
    let lies_between = between(planned, scratch_bytes, problem)?;
    let passes = match taken {
        Taken::By(tiles) | Taken::So(Some(tiles), _) => tiles.apply(planned, limits)?,
        Taken::Suggested if !lies_between.can_be_kept(arrays, limits) => return None,
        Taken::Suggested => Tiles::suggested(planned, problem, limits)?.apply(planned, limits)?,
        Taken::So(None, _) => {
            let suggested = Tiles::suggested(planned, problem, limits);
            let passes = suggested.and_then(|suggested| suggested.apply(planned, limits));
            passes.unwrap_or_else(|| followed.to_vec())
        }
    };
    let between = between(&passes, scratch_bytes, problem)?;
    let turns = match taken {
        Taken::So(_, turns) => turns,
        _ => sized(&passes, &between, arrays, limits)?,
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
fn between(passes: &[Pass], scratch_bytes: usize, problem: &Problem) -> Option<Between> {
    let [first, second] = passes else {
        return None;
    };
    let arrays = problem.request.batch;
    let shares = [share(first, arrays)?, share(second, arrays)?];
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
fn sized(passes: &[Pass], between: &Between, arrays: usize, limits: &Limits) -> Option<Turns> {
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
    let stays = kept.saturating_mul(turn) / 2 <= under_way;
    (stays && arrays / of_a_turn >= 2 * kept).then_some(Turns {
        arrays: of_a_turn,
        ahead,
        kept: Some(kept),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmafft_backend_traits::{Direction, Precision, Request, Shape};

    fn takes_turns(request: &Request, device: &str, architecture: &str) -> bool {
        let limits = Limits {
            device: device.into(),
            ..super::super::fits::invented_device(architecture)
        };
        let plan = crate::plan(request, &limits).expect("a plan");
        plan.turns.is_some()
    }

    /// A plane that nobody tuned.
    fn plane(kind: Kind, n: usize) -> Request {
        let request = Request::of_kind(kind, Shape::d2(n, n));
        request.batch(800)
    }

    /// A line of reals that nobody tuned.
    fn line(kind: Kind, n: usize) -> Request {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        Request::directed(kind, direction, Shape::d1(n)).batch(800)
    }

    #[test]
    fn what_is_likely_faster_is_suggested() {
        for request in [
            plane(Kind::C2C, 320),
            plane(Kind::C2C, 315),
            plane(Kind::C2C, 320).precision(Precision::F64),
            plane(Kind::R2C, 320).precision(Precision::F64),
            plane(Kind::C2R, 320).precision(Precision::F64),
            plane(Kind::Dht, 320).precision(Precision::F64),
            plane(Kind::Dst2, 320).precision(Precision::F64),
            plane(Kind::Dct4, 320).precision(Precision::F64),
            Request::forward(Shape::d1(150_000)).batch(800),
            line(Kind::R2HC, 150_000),
            line(Kind::Dct3, 240_000),
            line(Kind::Dct4, 150_000),
            line(Kind::Dct1, 98_305),
            line(Kind::R2HC, 1_000_000),
            line(Kind::C2R, 98_304).precision(Precision::F64),
        ] {
            let shape = request.shape.clone();
            assert!(
                takes_turns(&request, "new", "sm_90"),
                "{:?} {shape}",
                request.kind
            );
        }
    }

    #[test]
    fn nothing_else_is_suggested() {
        let double = |kind, n| plane(kind, n).precision(Precision::F64);
        for request in [
            plane(Kind::C2C, 320).batch(1),
            plane(Kind::C2C, 320).batch(12),
            plane(Kind::C2C, 320).radices(&[8, 8, 5]),
            // No tile has a prime of their lengths.
            plane(Kind::C2C, 331),
            // 12.5 MiB an array.
            plane(Kind::C2C, 1280),
            plane(Kind::R2C, 320),
            plane(Kind::Dht, 320),
            double(Kind::HC2R, 320),
            double(Kind::HC2R, 315),
            double(Kind::Dct3, 320),
            double(Kind::Dst3, 315),
            double(Kind::Dct1, 321),
            line(Kind::R2HC, 2_400_000),
        ] {
            let shape = request.shape.clone();
            assert!(
                !takes_turns(&request, "new", "sm_90"),
                "{:?} {shape}",
                request.kind
            );
        }
        // An H100 has a rule, an H200 was as fast without.
        let line = Request::forward(Shape::d1(1 << 20)).batch(128);
        assert!(!takes_turns(&line, "NVIDIA H200", "sm_90"));
        // One that says so.
        let line = Request::forward(Shape::d1(250_000)).batch(800);
        assert!(!takes_turns(&line, "NVIDIA H100 80GB HBM3", "sm_90"));
        assert!(takes_turns(&line, "new", "sm_90"));
    }
}
