//! A trip of a tile's points through registers, in numbers.

use super::config::*;
use crate::pass_shape::{TripCount, TripWork};

/// A trip: a step of the kernel, and the tile around it.
#[derive(Debug, Clone, Copy)]
pub struct Trip {
    /// The numbers known so far.
    pub words: StepWords,
}

impl Trip {
    /// Whether a thread's columns come in pairs that mirror each other; the only one of a DFT mirrors itself.
    pub fn in_pairs(&self) -> bool {
        let alone = matches!(self.words.facing, FACING_MERGE | FACING_SPLIT)
            && self.words.radix == self.words.points;
        self.words.facing != 0 && !alone
    }

    /// Small DFTs, pairs or points of one line of the tile.
    pub fn columns(&self) -> usize {
        let pairs = self.words.images > 0 && self.words.facing != 0;
        let inner = self.words.inner / if pairs { 2 } else { 1 };
        (self.words.columns * self.words.outer * inner) as usize
    }

    /// Values of a column.
    pub fn values(&self) -> usize {
        match self.words.op {
            OP_DFT if self.words.engine == ENGINE_DENSE => 2 * self.words.copies as usize,
            // Two columns count as one.
            OP_DFT if self.in_pairs() => 2 * self.words.radix as usize,
            // All that a thread has of a column of the radix that two steps make.
            OP_DFT if self.words.joined > 0 => (self.words.radix * self.words.joined) as usize,
            OP_DFT => self.words.radix as usize,
            OP_COPY => 1,
            _ => 2,
        }
    }

    /// What there is of it in a line or an array.
    pub fn count(&self) -> TripCount {
        let radix = self.words.radix as usize;
        TripCount {
            work: match self.words.op {
                OP_SPLIT => TripWork::Split,
                OP_MERGE => TripWork::Merge,
                OP_COPY => TripWork::Copy,
                _ if self.words.type_one != 0 => TripWork::Line(radix),
                _ if self.words.engine == ENGINE_MATRIX => TripWork::Product(radix),
                _ if self.words.engine == ENGINE_DENSE => TripWork::Sums(radix),
                _ => TripWork::Butterfly(radix),
            },
            columns: self.columns(),
            values: self.values(),
            facing: self.in_pairs(),
        }
    }

    /// Whether it combines what the products before it have made, in registers.
    pub fn combines(&self) -> bool {
        self.words.joined > 0 && self.words.source == PLACE_REGISTERS
    }

    /// How many sets the outputs of a dense DFT are cut into, a column each; else 1.
    pub fn sets(&self) -> usize {
        match self.words.engine {
            ENGINE_DENSE => (self.words.columns * self.words.radix / self.words.points) as usize,
            _ => 1,
        }
    }

    /// Points of a line in shared memory before the trip, as cells: of an axis of `reals`, two are one.
    pub fn points_in(&self, reals: Option<usize>) -> usize {
        self.cells(self.words.input as usize, reals)
    }

    /// The same after the trip.
    pub fn points_out(&self, reals: Option<usize>) -> usize {
        self.cells(self.words.output as usize, reals)
    }

    fn cells(&self, points: usize, reals: Option<usize>) -> usize {
        let others = (self.words.outer * self.words.inner) as usize;
        match reals {
            // All rows of a line, or columns, are one.
            Some(length) => (length * others / self.words.beside.max(1) as usize).div_ceil(2),
            None => points * others,
        }
    }

    /// Points that pass through registers.
    pub fn points(&self) -> usize {
        self.columns() * self.values()
    }

    /// The copy of what this trip loads (or, `after` it, stores) in the order in which it lies
    /// in memory.
    pub fn copy(&self, after: bool, order: &[usize]) -> Trip {
        // In memory the innermost axis is the last.
        let axis = order.len() - 1;
        let own = self.words.axis as usize;
        let mut extent = [self.words.extent0, self.words.extent1, self.words.extent2];
        extent[own] = if after {
            self.words.output
        } else {
            self.words.input
        };
        let length = extent[axis];
        // Lines in pairs, which are of one axis, are around it.
        let outer = match order.len() {
            1 => self.words.outer,
            _ => extent[..axis].iter().product(),
        };
        Trip {
            words: StepWords {
                op: OP_COPY,
                axis: axis as i64,
                radix: 1,
                points: length,
                done: 1,
                outer,
                inner: 1,
                input: length,
                output: length,
                extent0: extent[0],
                extent1: extent[1],
                extent2: extent[2],
                columns: length,
                twiddle: -1,
                before_roots: -1,
                after_roots: -1,
                from_table: -1,
                to_table: -1,
                ..Default::default()
            },
        }
    }
}
