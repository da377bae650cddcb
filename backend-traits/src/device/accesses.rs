//! Which points the lanes of a wave touch at a time, before a step and after it: the kernel's own index arithmetic, on the
//! host.

use super::config::*;
use super::matrices;
use super::places::{from_at, in_share, joined_column, matrix_place, to_at};
use super::real::Side;
use crate::geometry::Vendor;
use crate::precision::Operand;
use crate::real_line::RealLine;
use crate::side::End;

/// Waves whose accesses are counted.
const SAMPLES: usize = 4;
/// What the lanes of one wave touch at a time: line and point of the line, or nothing.
pub type Access = Vec<Option<(usize, usize)>>;

/// The block that exchanges.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub lines: usize,
    /// Blocks that hold the tile together.
    pub blocks: usize,
    pub threads: usize,
    pub wave: usize,
    /// Bytes of a cell: a point, or its real or imaginary part.
    pub cell: usize,
    /// Bytes of shared memory that a block may have.
    pub shared: usize,
    pub vendor: Vendor,
    pub operand: Operand,
    /// Axes of the tile.
    pub axes: usize,
    /// The sides of axes that steps name, [`super::real::side`] of 1 and so on.
    pub reals: [Option<Side>; 2 + MAX_BETWEEN],
}

impl Block {
    /// Of which reals points are made that shared memory has before the step, or what they become after it.
    pub fn reals_of(&self, step: &StepWords, after: bool) -> Option<Side> {
        let number = if after { step.reals_out } else { step.reals_in };
        *self.reals.get(usize::try_from(number - 1).ok()?)?
    }
}

/// The accesses of some waves before the step or after it; where shared memory has reals there, one for each real of a point.
pub fn accesses(step: &StepWords, after: bool, block: &Block) -> Vec<Access> {
    let walk = Walk::new(step, after, block);
    let parts = if walk.reals.is_some() { 2 } else { 1 };
    let mut all = Vec::new();
    for wave in walk.sampled() {
        let groups = (0..walk.neighbours).flat_map(|i| (0..walk.own).map(move |own| (i, own)));
        for (i, own) in groups {
            for (j, part) in (0..walk.points).flat_map(|j| (0..parts).map(move |part| (j, part))) {
                let value = Value { i, own, j, part };
                let lanes = (0..block.wave).map(|lane| walk.cell(wave, lane, value));
                all.push(lanes.collect());
            }
        }
    }
    all
}

/// A value of each lane: of which neighbouring column, of which of a joined product's, which point, and which of its reals.
#[derive(Clone, Copy)]
struct Value {
    i: usize,
    own: usize,
    j: usize,
    part: usize,
}

/// How threads walk the columns of a step.
struct Walk<'a> {
    step: &'a StepWords,
    after: bool,
    block: &'a Block,
    /// The reals that shared memory has there.
    reals: Option<Side>,
    inner: usize,
    outer: usize,
    columns: usize,
    extent: usize,
    /// Of two points of the other part that mirror each other a column has both; the first one's are looked at.
    counted: usize,
    /// Columns of the tile.
    total: usize,
    /// Whether lanes have columns as products do.
    matrix: bool,
    /// What a thread has of each number: columns that products join, or points of theirs that are columns now.
    own: usize,
    /// Values of a column that a thread has.
    points: usize,
    /// Columns beside each other.
    neighbours: usize,
    /// Columns of a wave at a time.
    per_wave: usize,
    /// How many sets of outputs a dense step has; the columns of its threads are of one each (`Pass::number`).
    sets: usize,
}

impl<'a> Walk<'a> {
    fn new(step: &'a StepWords, after: bool, block: &'a Block) -> Self {
        let words = |x: i64| x as usize;
        let (inner, outer, columns) = (words(step.inner), words(step.outer), words(step.columns));
        let counted = match step.images > 0 && step.facing != 0 {
            true => inner / 2,
            false => inner,
        };
        let joined = words(step.joined);
        let matrix = step.engine == ENGINE_MATRIX || joined > 0;
        let mut held = matrices::wave(words(step.rank), block.vendor, block.operand);
        let own = match step.engine {
            _ if joined == 0 => 1,
            ENGINE_MATRIX => joined,
            _ => held.values,
        };
        if joined > 0 {
            held.columns /= held.rows;
            held.rows = 1;
        }
        let neighbours = words(step.neighbours).max(1);
        let lanes = match matrix {
            true => held.columns * words(step.copies) / held.rows,
            false => block.wave,
        };
        Walk {
            step,
            after,
            block,
            reals: block.reals_of(step, after),
            inner,
            outer,
            columns,
            extent: words(if after { step.output } else { step.input }),
            counted,
            total: block.lines * columns * counted * outer,
            matrix,
            own,
            points: match step.op {
                OP_DFT if step.engine == ENGINE_MATRIX => held.values,
                OP_DFT if step.engine == ENGINE_DENSE && after => 2 * words(step.copies),
                OP_DFT => words(step.radix),
                OP_COPY => 1,
                _ => 2,
            },
            neighbours,
            per_wave: neighbours * lanes,
            sets: match step.engine == ENGINE_DENSE {
                true => columns * words(step.radix) / words(step.points),
                false => 1,
            },
        }
    }

    fn dense(&self) -> bool {
        self.step.engine == ENGINE_DENSE
    }

    /// Some of the waves.
    fn sampled(&self) -> Vec<usize> {
        let waves = match self.dense() {
            true => self.block.threads.min(self.total).div_ceil(self.per_wave),
            false => self.total.div_ceil(self.per_wave),
        };
        let mut sampled: Vec<usize> = (0..SAMPLES).map(|i| i * (waves - 1) / SAMPLES).collect();
        sampled.push(waves - 1);
        sampled.dedup();
        sampled
    }

    /// Line and cell of a lane's value, if it has one.
    fn cell(&self, wave: usize, lane: usize, value: Value) -> Option<(usize, usize)> {
        let (number, own, j) = self.in_wave(lane, value);
        let number = wave * self.per_wave + number * self.neighbours + value.i;
        if number >= self.total || (self.matrix && j >= self.step.radix as usize) {
            return None;
        }
        let (rest, set) = match self.dense() {
            true => {
                let each = self.block.threads / self.sets;
                (number % each, number / each)
            }
            false => (number, 0),
        };
        if set >= self.sets || rest >= self.total / self.sets {
            return None;
        }
        match self.step.target {
            PLACE_CLUSTER => Some(self.cell_of_block(rest, set, own, j)),
            _ => self.cell_of_line(rest, set, own, Value { j, ..value }),
        }
    }

    /// The number of a lane's column in its wave, which of a joined product's it is, and which point.
    fn in_wave(&self, lane: usize, Value { own, j, .. }: Value) -> (usize, usize, usize) {
        match self.matrix {
            true if self.step.engine == ENGINE_MATRIX => {
                let (number, j) = matrix_place(self.step, self.block.vendor, lane, j);
                (number, own, j)
            }
            true => {
                let (number, own) = matrix_place(self.step, self.block.vendor, lane, own);
                (number, own, j)
            }
            false => (lane, own, j),
        }
    }

    /// Takes the line, and the number in a run, from a column's number where lanes follow lines.
    fn lines_first(&self, rest: &mut usize) -> (usize, usize) {
        let run = self.run();
        if self.step.lines_fast == 0 {
            return (0, 0);
        }
        let in_run = *rest % run;
        *rest /= run;
        let line = *rest % self.block.lines;
        *rest /= self.block.lines;
        (line, in_run)
    }

    /// Columns of a line that lanes have before those of the next.
    fn run(&self) -> usize {
        (self.step.lines_fast as usize).max(1)
    }

    /// Where a value goes, or comes from, of a step that leaves it to whichever block, in rows of its share.
    fn cell_of_block(&self, rest: usize, set: usize, own: usize, j: usize) -> (usize, usize) {
        let step = self.step;
        let mut rest = rest;
        let (mut line, _) = self.lines_first(&mut rest);
        let columns = self.columns / self.sets;
        // Columns first.
        let (column, mut other) = (rest % columns + set * columns, rest / columns);
        if step.lines_fast == 0 {
            let all = self.counted * self.outer;
            (line, other) = (other / all, other % all);
        }
        let column = joined_column(step, column, own);
        let width = self.extent / self.block.blocks;
        let cell = match self.after {
            true => other * width + in_share(step, to_at(step, column, j), width),
            false => {
                let at = from_at(step, column, j);
                (other / self.inner * self.extent + at) * self.inner + other % self.inner
            }
        };
        (line, cell)
    }

    /// Where a value of a line is.
    fn cell_of_line(
        &self,
        rest: usize,
        set: usize,
        own: usize,
        value: Value,
    ) -> Option<(usize, usize)> {
        let step = self.step;
        let mut rest = rest;
        let (mut line, in_run) = self.lines_first(&mut rest);
        let (run, columns) = (self.run(), self.columns / self.sets);
        let mut outer_at = 0;
        if step.outer_fast != 0 {
            outer_at = rest % self.outer;
            rest /= self.outer;
        }
        let inner_at = rest % self.counted;
        rest /= self.counted;
        let column = rest % (columns / run) * run + in_run + set * columns;
        let column = joined_column(step, column, own);
        rest /= columns / run;
        if step.outer_fast == 0 {
            outer_at = rest % self.outer;
            rest /= self.outer;
        }
        if step.lines_fast == 0 {
            line = rest;
        }
        let at = match self.after {
            true => to_at(step, column, value.j),
            false => from_at(step, column, value.j),
        };
        if at >= self.extent {
            return None;
        }
        let cell = match self.reals {
            None => (outer_at * self.extent + at) * self.inner + inner_at,
            Some(of) => self.cell_of_real(of, at, value.part, [outer_at, inner_at])?,
        };
        Some((line, cell))
    }

    /// Where one of a point's two reals is.
    fn cell_of_real(
        &self,
        of: Side,
        at: usize,
        part: usize,
        [outer_at, inner_at]: [usize; 2],
    ) -> Option<usize> {
        let step = self.step;
        let words = |x: i64| x as usize;
        // Columns, or rows, that lie beside each other are of one line.
        let by_columns = |whole: RealLine, other: usize| {
            let p = other + (2 * at + part) * words(step.reals_apart);
            match self.after {
                true => whole.stored(p)[0],
                false => whole.side(End::Load).reals(whole.length, p)[0],
            }
        };
        let beside = words(step.beside).max(1);
        let within = self.inner / beside;
        let (real, outer_at, inner_at) = match (of.columns, step.folded) {
            (Some(whole), FOLDED_COLUMNS) => (
                by_columns(whole, inner_at / within),
                outer_at,
                inner_at % within,
            ),
            // Rows.
            (Some(whole), _) => (
                by_columns(whole, outer_at % beside),
                outer_at / beside,
                inner_at,
            ),
            (None, _) => (of.side.reals(of.length, at)[part], outer_at, inner_at),
        };
        let [around, stride] = match self.after {
            true => [step.around_out, step.stride_out],
            false => [step.around_in, step.stride_in],
        };
        Some(outer_at * words(around) + real?.0 * words(stride) + inner_at)
    }
}
