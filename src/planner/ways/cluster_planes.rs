//! Planes over a cluster: two axes that no block holds and the blocks of a cluster do, in one pass.
//!
//! ```text
//! X[k1, k2] = Σ_n1 (Σ_n2 x[n1, n2]·exp(∓2πi·n2·k2/N2))·exp(∓2πi·n1·k1/N1)
//! ```
//! Each block has some of the rows, and after an all-to-all of the blocks' shares some of the columns.

use super::several_axes::{are_beside, fit_a_block};
use crate::planner::cluster;
use crate::planner::way::{Joined, Joint, Method, Way};

pub const WAY: Way = Way {
    name: "planes over a cluster",
    method: Method::Tile { applies, joined },
};

fn applies(joint: &Joint) -> bool {
    joint.tile.len() == 1 && !fit_a_block(joint, 1)
}

fn joined(joint: &Joint) -> Option<Joined> {
    let mut tile = vec![joint.tile.first()?.clone(), joint.rest.first()?.clone()];
    let spread = cluster::plane(&tile[0], &tile[1], joint.fits)?;
    if !are_beside(joint, 1, spread.blocks) {
        return None;
    }
    tile[0].cluster = Some(spread);
    Some(Joined { tile, taken: 1 })
}
