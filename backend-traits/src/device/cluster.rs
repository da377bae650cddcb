//! Tiles that the blocks of a cluster hold together, see [`Step::AllToAll`].
//!
//! Before points change places, each block has all of the first axis, and of the second its share;
//! after it, all of the second and its share of the first. So each part is lowered as an ordinary
//! tile of a block, with the extent of the other axis divided by the blocks.

use super::config::*;
use super::roots::line_twiddles;
use super::tables::{Tables, Twiddles};
use super::trips::Builder;
use crate::error::{Error, Result};
use crate::kind::{Domain, Kind};
use crate::mirrors::facing_neighbours;
use crate::pass::{Pass, TileAxis};
use crate::precision::ScalarType;
use crate::radix::JOINED_PRODUCT;
use crate::real::CoreLength;
use crate::real_line::{LineForm, RealLine};
use crate::side::{End, Factor, Images, Mirrored, Side};
use crate::step::Step;
use crate::Direction;

/// Whether the blocks of a cluster can have a pass' tile, beside their number: whole lines, planes, or of lines that
/// passes share, complex parts. Neighbouring reals are complex points.
pub fn spreads(pass: &Pass) -> bool {
    let complex = |end| pass.side(end).reals.is_none_or(|line| line.is_complex(end));
    // The step that goes to other blocks may be the first, and has twiddles already.
    let factor = match pass.store.factor {
        None => true,
        Some(Factor::Roots { .. }) => pass.axes.len() == 1,
        Some(Factor::Chirp { .. }) => false,
    };
    let load = (pass.load.hermitian, pass.load.edges, pass.load.factor);
    End::BOTH.into_iter().all(complex)
        && pass.mirrored().is_none()
        && load == (None, None, None)
        && factor
}

/// A line that a cluster holds, as a tile of its two parts; `None` where the tile has two axes of
/// its own, or belongs to one block.
///
/// # Errors
/// `Unsupported` where the parts, or the axes, cannot be shared out among the blocks.
pub fn parts(pass: &Pass) -> Result<Option<Pass>> {
    let blocks = pass.tile.residency.blocks();
    if blocks == 1 {
        return Ok(None);
    }
    let middle = pass.steps.iter().position(|s| *s == Step::AllToAll);
    let refused = |what: String| Error::Unsupported {
        what,
        backend: "the device code".into(),
        instead: "share a tile of two axes out among blocks that divide both".into(),
    };
    let Some(middle) = middle else {
        return Err(refused("a cluster whose blocks exchange nothing".into()));
    };
    if !spreads(pass) {
        return Err(refused("a part of a line in a cluster".into()));
    }
    let whole = match &pass.axes[..] {
        [axis] => axis,
        [first, last] => match [first, last]
            .iter()
            .all(|a| a.length.is_multiple_of(blocks))
        {
            true => return Ok(None),
            false => return Err(refused(format!("a plane in a cluster of {blocks}"))),
        },
        axes => return Err(refused(format!("{} axes in a cluster", axes.len()))),
    };
    let (before, after) = (&pass.steps[..middle], &pass.steps[middle + 1..]);
    let points = |steps: &[Step]| {
        let radix = |s: &Step| match s {
            Step::Dft { radix, .. } => *radix,
            _ => 1,
        };
        steps.iter().map(radix).product::<usize>()
    };
    let (n1, n2) = (points(before), points(after));
    let even = n1.is_multiple_of(blocks) && n2.is_multiple_of(blocks);
    if n1 * n2 != whole.core_length() || !even {
        let what = format!("{} = {n1}·{n2} in a cluster of {blocks}", whole.length);
        return Err(refused(what));
    }
    // A line of reals is packed, and its half spectrum, if it has one, merged where it is loaded, or split where
    // it is stored.
    let row = whole.kind.row();
    let reals = whole.kind != Kind::C2C;
    let halved = row.packed.length == CoreLength::Half && 2 * whole.core_length() == whole.length;
    if reals && !halved {
        return Err(refused(format!("{} in a cluster", row.name)));
    }
    let side = |end: End, domain: Domain| {
        let side = *pass.side(end);
        let line = (reals && domain == Domain::Real).then_some(RealLine {
            kind: whole.kind,
            length: whole.length,
            form: LineForm::Packed,
        });
        let halves = reals && row.packed.middle == end.middle();
        Side {
            reals: side.reals.or(line),
            mirrored: halves.then_some(Mirrored {
                points: whole.core_length(),
                images: Images::Parts,
            }),
            ..side
        }
    };
    let part = |number, length, load, store| {
        let part = whole.part(number, length, load, store);
        let kind = Kind::C2C;
        part.map(|part| TileAxis { kind, ..part })
    };
    let (Some(first), Some(last)) = (part(0, n1, n2, 1), part(1, n2, 1, n1)) else {
        let what = format!("{} = {n1}·{n2} in runs in a cluster", whole.length);
        return Err(refused(what));
    };
    let mut steps = Vec::new();
    for (axis, part) in [before, after].into_iter().enumerate() {
        steps.extend(part.iter().filter_map(|step| match step {
            Step::Dft { radix, engine, .. } => Some(Step::Dft {
                axis,
                radix: *radix,
                engine: *engine,
            }),
            _ => None,
        }));
    }
    Ok(Some(Pass {
        axes: vec![first, last],
        load: side(End::Load, row.input),
        store: side(End::Store, row.output),
        steps,
        ..pass.clone()
    }))
}

impl Builder<'_> {
    /// Gives each block of a cluster all of this axis of two, and its share of the other.
    pub fn share_out(&mut self, at: usize, axis: &TileAxis, other: &TileAxis, blocks: usize) {
        self.share_within = match self.trips.is_empty() {
            true => Some(other.load.stride < axis.load.stride),
            // So the blocks' exchange leaves it.
            false => Some(true),
        };
        if !self.trips.is_empty() {
            self.extent[at] *= blocks;
        }
        self.extent[1 - at] /= blocks;
    }

    /// What the part of a line that meets memory here has in pairs: half spectra that it merges or splits; or points whose reals lie
    /// beside those of the points that face them, where blocks can have both and the launch does not forbid it.
    pub fn pairs(&self, end: End) -> Option<Mirrored> {
        let (pass, i) = (self.pass, end as usize);
        let wanted = pass.tile.launch.is_none_or(|launch| launch.facing[i]);
        let even = (pass.axes[1 - i].length).is_multiple_of(2 * pass.tile.residency.blocks());
        let beside = self.together && facing_neighbours(pass, end) > 0;
        let facing = Mirrored {
            points: pass.axes.iter().map(|axis| axis.length).product(),
            images: Images::Facing,
        };
        let halves = pass.side(end).mirrored;
        halves.or((wanted && even && beside).then_some(facing))
    }

    /// Says in the trips of part `i`, those from `begin` on, what goes to other blocks, and whether a block's share of
    /// the other part are pairs, as threads of these trips have a column of each of two.
    ///
    /// # Errors
    /// `Unsupported` where a thread does not have both points of each pair of a half spectrum, or blocks have halves
    /// of one.
    pub fn share_images(&mut self, begin: usize, i: usize) -> Result<()> {
        let pass = self.pass;
        let other = pass.axes[1 - i].length;
        let blocks = pass.tile.residency.blocks();
        let (before, trips) = self.trips.split_at_mut(begin);
        let sum = trips.iter().find_map(|t| match t.words.facing {
            FACING_MERGE | FACING_SPLIT => Some(other as i64),
            FACING_LOAD | FACING_STORE => Some(other as i64 - 1),
            _ => None,
        });
        let halves = self
            .mirrored
            .is_some_and(|(_, m)| m.images != Images::Facing);
        if halves && (sum.is_none() || !other.is_multiple_of(2 * blocks)) {
            return Err(Error::Unsupported {
                what: format!("half spectra of {other} parts in a cluster of {blocks}"),
                backend: "the device code".into(),
                instead: "ask for steps that keep points beside their mirror images".into(),
            });
        }
        let images = sum.unwrap_or(0);
        for trip in trips.iter_mut() {
            trip.words.images = images;
        }
        // Columns of joined products are in another order than those that go to other blocks; the only one is not.
        let several = |words: &StepWords| {
            words.source == PLACE_REGISTERS && words.points != JOINED_PRODUCT as i64 * words.radix
        };
        if i == 0 && trips.last().is_some_and(|t| several(&t.words)) {
            return Err(Error::Unsupported {
                what: "joined products before points change places".into(),
                backend: "the device code".into(),
                instead: "ask for another radix there".into(),
            });
        }
        match (i, trips.last_mut(), before.last_mut()) {
            (0, Some(last), _) => last.words.target = PLACE_CLUSTER,
            (1, _, Some(before)) => before.words.images_out = images,
            _ => {}
        }
        Ok(())
    }
}

/// The twiddles of a line's two parts, at the step before points change places.
pub fn twiddles(line: &Pass, config: &mut Config, tables: &mut Tables) {
    let [first, last] = &line.axes[..] else {
        return;
    };
    let step = config.steps.iter_mut().find(|s| s.target == PLACE_CLUSTER);
    let step = step.expect("blocks exchange");
    let double = line.math.storage == ScalarType::F64;
    let twiddles = Twiddles {
        length: first.length * last.length,
        inverse: first.direction == Direction::Inverse,
        turned: false,
        first: 0,
    };
    step.after_roots = line_twiddles(step, last.length, 1, twiddles, double, tables);
}
