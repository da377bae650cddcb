//! A pass: one trip through memory. It loads a tile, runs its steps, stores it.
//!
//! Strides and offsets count *scalars* (real or imaginary parts), so that one notation
//! covers real lines, interleaved and planar complex ones, and half spectra packed into
//! the real array they belong to.

use crate::kind::{Direction, Kind};
use crate::map::Map;
use crate::precision::{Operand, ScalarType};
use crate::real::{RealSide, Reduction};
use crate::real_line::{LineForm, RealLine};
use crate::side::{End, Ends, Images, Mirrored, Side};
use crate::step::{Engine, Step};
use crate::tile::{held_points, Residency, Tile};
use std::cmp::Reverse;
use std::ops::Range;

/// Tiles or lines repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// How often.
    pub count: usize,
    /// Where they lie on the loading side.
    pub load: Map,
    /// Where they lie on the storing side.
    pub store: Map,
}

impl Loop {
    /// Whole lines, so many scalars from one to the next on either side.
    pub fn of_lines(count: usize, load: usize, store: usize) -> Loop {
        Loop {
            count,
            load: Map::of_lines(load),
            store: Map::of_lines(store),
        }
    }

    /// Where they lie on this side.
    pub fn map(&self, end: End) -> &Map {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }

    /// Whether it counts parts of a line that passes share, on either side.
    pub fn counts_parts(&self) -> bool {
        self.load.index + self.store.index > 0
    }
}

/// An axis that a pass transforms.
#[derive(Debug, Clone, PartialEq)]
pub struct TileAxis {
    /// Its number in the array.
    pub axis: usize,
    /// The kind applied to it.
    pub kind: Kind,
    /// The sign of the exponent.
    pub direction: Direction,
    /// Its logical length (that of the real signal for R2C and C2R).
    pub length: usize,
    /// Where its points lie on the loading side.
    pub load: Map,
    /// Where they lie on the storing side.
    pub store: Map,
    /// The points of the (whole) line that are read, the others count as zero; and those that are written.
    pub ranges: Ends<Range<usize>>,
}

impl TileAxis {
    /// The length of the complex DFT at the kind's core: half of an even real length, as a rule.
    pub fn core_length(&self) -> usize {
        self.kind.core_length(self.length)
    }

    /// The radices of these steps that are the axis' own; `None` where these are not butterflies alone.
    fn butterflies(&self, steps: &[Step]) -> Option<Vec<usize>> {
        let own = steps.iter().filter(|s| s.axis() == Some(self.axis));
        let butterfly = |s: &Step| match *s {
            Step::Dft {
                radix,
                engine: Engine::Simt,
                ..
            } => Some(radix),
            _ => None,
        };
        own.map(butterfly).collect()
    }

    /// Whether a thread of a device has all of a line, of type I, by steps that are those of this axis or of several.
    pub fn in_thread(&self, steps: &[Step]) -> bool {
        let radices = self.butterflies(steps);
        radices.is_some_and(|radices| self.kind.in_thread(self.length, &radices))
    }

    /// Where its points lie on this side.
    pub fn map(&self, end: End) -> &Map {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }

    /// The same to be changed.
    pub fn map_mut(&mut self, end: End) -> &mut Map {
        match end {
            End::Load => &mut self.load,
            End::Store => &mut self.store,
        }
    }

    /// Whether its line is whole on both sides.
    pub fn is_whole(&self) -> bool {
        (self.load.index, self.store.index) == (1, 1)
    }

    /// A part of this axis' line as axis `number` of a tile: of `length` points, and from one to the next
    /// `load` points of the line as the load counts, `store` as the store does; `None` where these are neither whole
    /// runs nor divide one.
    pub fn part(
        &self,
        number: usize,
        length: usize,
        load: usize,
        store: usize,
    ) -> Option<TileAxis> {
        Some(TileAxis {
            axis: number,
            length,
            load: self.load.every(load)?,
            store: self.store.every(store)?,
            ..self.clone()
        })
    }
}

/// What a pass computes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Math {
    /// What a scalar is in memory.
    pub storage: ScalarType,
    /// How small DFTs are computed: of [`Engine::Matrix`] one at least is a product, and others may be
    /// butterflies, as their steps say.
    pub engine: Engine,
    /// What the matrix engine multiplies.
    pub operand: Operand,
    /// Whether the matrix engine also splits DFT matrices that 16 bits do not hold.
    pub split_matrix: bool,
    /// Whether products of 16 bits may scale all of a line in a tile once, in place of each column before
    /// each product: the last bits of results then depend on what a tile holds.
    pub scale_lines: bool,
    /// Whether edges of real lines are scaled, see [`crate::real::RealSide::edges`].
    pub orthogonal: bool,
    /// Every stored point is multiplied by this.
    pub scale: f64,
}

/// One trip through memory: plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// The axes that the tile holds whole, in the order in which they are transformed.
    pub axes: Vec<TileAxis>,
    /// Everything else, outermost first.
    pub loops: Vec<Loop>,
    /// Where tiles come from.
    pub load: Side,
    /// Where tiles go.
    pub store: Side,
    /// What it computes by.
    pub math: Math,
    /// What happens on chip.
    pub steps: Vec<Step>,
    /// What is on chip at a time.
    pub tile: Tile,
    /// The rule that chose engine and tile.
    pub reason: String,
}

impl Pass {
    /// One of its sides.
    pub fn side(&self, end: End) -> &Side {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }

    /// The same to be changed.
    pub fn side_mut(&mut self, end: End) -> &mut Side {
        match end {
            End::Load => &mut self.load,
            End::Store => &mut self.store,
        }
    }

    /// The lines that it has in pairs, and the side for which it does.
    pub fn mirrored(&self) -> Option<(End, Mirrored)> {
        let of = |end| Some((end, self.side(end).mirrored?));
        End::BOTH.into_iter().find_map(of)
    }

    /// Lets lines that face each other be in no pairs any more.
    pub fn part_facing_lines(&mut self) {
        for end in End::BOTH {
            let side = self.side_mut(end);
            side.mirrored = side.mirrored.filter(|m| m.images != Images::Facing);
        }
    }

    /// The axis that meets memory on this side: the first one, or the last one.
    pub fn axis_at(&self, end: End) -> Option<&TileAxis> {
        match end {
            End::Load => self.axes.first(),
            End::Store => self.axes.last(),
        }
    }

    /// Neighbouring lines that a tile has together or not at all: two in mirrored pairs. A cluster has all of a line.
    pub fn together(&self) -> usize {
        match self.mirrored() {
            Some(_) if self.tile.residency.blocks() > 1 => 1,
            Some(_) => 2,
            None => 1,
        }
    }

    /// The axes' lengths.
    pub fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.length).collect()
    }

    /// Points of the whole line of which each of the pass' lines is a part, as the load counts; of the first
    /// axis where there are several.
    pub fn line_points(&self) -> usize {
        self.points_of_line(End::Load)
    }

    /// The same as this side counts: rows of real columns are whole lines on one side.
    pub fn points_of_line(&self, end: End) -> usize {
        let parts = self.loops.iter().filter(|l| l.map(end).index > 0);
        let own = match (&self.axes[..], self.tile.residency) {
            // A line that a cluster holds is lowered as its two parts.
            ([first, last], Residency::Cluster(_)) if first.load.index != 1 => {
                first.length * last.length
            }
            (axes, _) => axes.first().map_or(1, |axis| axis.length),
        };
        own * parts.map(|l| l.count).product::<usize>()
    }

    /// Whether an axis is a part of a line that several passes transform.
    pub fn has_part(&self, axis: &TileAxis) -> bool {
        self.load.hermitian.is_some()
            || self.mirrored().is_some()
            || self.loops.iter().any(Loop::counts_parts)
            || !axis.is_whole()
    }

    /// Points that this side counts of the line of an axis, were all there.
    pub fn points_of_axis(&self, axis: &TileAxis, end: End) -> usize {
        let side = self.side(end);
        match (side.reals, side.hermitian, side.halves()) {
            (Some(line), ..) => line.length,
            (None, Some(length), _) => length / 2 + 1,
            (None, None, Some(points)) => points + 1,
            _ if axis.kind == Kind::C2C && self.has_part(axis) => self.points_of_line(end),
            _ => axis.kind.lengths(axis.length)[end as usize],
        }
    }

    /// Whether its tile has several axes, each of reals, with reals between them.
    pub fn axes_of_reals(&self) -> bool {
        let real = |axis: &TileAxis| axis.kind.is_real_to_real();
        self.axes.len() > 1 && self.axes.iter().all(real)
    }

    /// Its axes as they lie in memory, the outermost first.
    pub fn axes_in_memory(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        let stride = |axis: &TileAxis| axis.load.stride.max(axis.store.stride);
        order.sort_by_key(|&i| Reverse(stride(&self.axes[i])));
        order
    }

    /// Whether an array that it loads lies in a row in memory: all of it, each axis behind the next inner one.
    pub fn loads_a_row(&self) -> bool {
        let mut end = 1;
        self.axes_in_memory().into_iter().rev().all(|i| {
            let axis = &self.axes[i];
            let follows = axis.load.stride == end && axis.ranges.load == (0..axis.length);
            end *= axis.length;
            follows
        })
    }

    /// The line of an axis that goes by real columns on chip, see [`Step::RealColumns`].
    pub fn real_columns(&self, axis: &TileAxis) -> Option<RealLine> {
        let columns = self.steps.iter().find_map(|step| match *step {
            Step::RealColumns {
                axis: own, columns, ..
            } if own == axis.axis => Some(columns),
            _ => None,
        });
        Some(RealLine {
            kind: axis.kind,
            length: axis.length,
            form: LineForm::Columns(columns?),
        })
    }

    /// Whether a thread of a device has all of a line of this axis, of type I.
    pub fn in_thread(&self, axis: &TileAxis) -> bool {
        let whole = self.load.reals.is_none() && self.store.reals.is_none();
        whole && axis.in_thread(&self.steps)
    }

    /// How a device takes the lines of an axis that the pass has whole.
    pub fn reduction(&self, axis: &TileAxis) -> &'static Reduction {
        match &axis.kind.row().in_thread {
            Some(reduction) if self.in_thread(axis) => reduction,
            _ => axis.kind.reduction(axis.length, false),
        }
    }

    /// Points that its tile holds of an array, where each axis has so many.
    pub fn held_points(&self, own: impl Fn(&TileAxis) -> usize) -> usize {
        let axes: Vec<_> = self
            .axes
            .iter()
            .map(|axis| (own(axis), axis.length))
            .collect();
        held_points(&axes, self.axes_of_reals()).unwrap_or(usize::MAX)
    }

    /// How points are made of the reals that the pass loads, or become those that it stores, and of how many: of a
    /// real line or a part of one.
    pub fn reals(&self, end: End) -> Option<(&'static RealSide, usize)> {
        let axis = self.axis_at(end)?;
        match self.side(end).reals.or_else(|| self.real_columns(axis)) {
            Some(line) => Some((line.side(end), line.length)),
            None if !axis.kind.is_real_to_real() => None,
            None => Some((self.reduction(axis).side(end), axis.length)),
        }
    }

    /// Bytes read from and written to memory.
    pub fn bytes(&self) -> (usize, usize) {
        let [read, written] = End::BOTH.map(|end| {
            // Ranges are of whole lines: loops over the parts of one are counted by them.
            let lines = self.loops.iter().filter(|l| l.map(end).index == 0);
            let points = self.axes.iter().map(|a| a.ranges[end].len());
            let scalars = self.side(end).domain.scalars() * self.math.storage.bytes();
            lines.map(|l| l.count).chain(points).product::<usize>() * scalars
        });
        (read, written)
    }
}
