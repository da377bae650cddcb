//! The price of passes, by which ways are compared: trips through memory.
//!
//! Memory limits transforms, so that a pass costs its two sides, whatever it computes. A pass whose tile has pieces
//! shorter than a sector moves more than it uses: it costs more than any number of passes saves.

use super::fits::Fits;
use super::stage::{is_scattered, Stage};
use mmafft_backend_traits::Images;

/// What passes cost; the less, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price {
    /// Scalars of scratch beyond what the request allows.
    excess: usize,
    /// Sides of passes.
    sides: usize,
}

/// Sides that a pass of short pieces is as dear as: more than splits of a line ever have.
const SHORT_PIECES: usize = 64;

impl Price {
    /// One pass, of scratch that is allowed: no way costs less.
    pub const LEAST: Price = Price {
        excess: 0,
        sides: 2,
    };
}

/// The price of passes of the stages that share a tile each, with so many scalars of scratch where so many are allowed.
pub fn price<'a>(
    passes: impl Iterator<Item = &'a [Stage]>,
    [scratch, allowed]: [usize; 2],
    fits: &Fits,
) -> Price {
    Price {
        excess: scratch.saturating_sub(allowed),
        sides: passes.map(|tile| sides(tile, fits)).sum(),
    }
}

fn sides(tile: &[Stage], fits: &Fits) -> usize {
    let [stage] = tile else {
        return 2;
    };
    // Lines in mirrored pairs are as one of both.
    let pairs = stage
        .mirrored
        .is_some_and(|(_, m)| m.images != Images::Facing);
    let longest = fits.longest_scattered() / if pairs { 2 } else { 1 };
    let core = stage.kind.core_length(stage.length);
    if stage.cluster.is_none() && are_beside(stage) && !fits.line(core, longest) {
        return SHORT_PIECES;
    }
    // A row without its edge points begins in the middle of a sector where these are an odd number.
    let shifted = stage.edges.is_some_and(|e| !e.count.is_multiple_of(2));
    2 + usize::from(shifted)
}

/// Whether points of neighbouring lines lie between a line's own.
fn are_beside(stage: &Stage) -> bool {
    let own = [
        stage.load.strides[stage.dim],
        stage.store.strides[stage.dim],
    ];
    is_scattered(stage)
        || stage
            .inner
            .iter()
            .any(|l| l.load.stride < own[0] || l.store.stride < own[1])
}
