//! One axis of a pass, ready to run: how its lines are found, transformed and put back.

use super::columns::ColumnFft;
use super::half_spectrum::HalfSpectrum;
use super::lines::{Lines, LinesAt};
use super::memory::Memory;
use super::odd_reals::OddReals;
use super::real_columns::RealColumns;
use super::real_lines::RealLines;
use super::scalar::{Real, Storage};
use super::tile::Points;
use super::tile_job::TileJob;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{End, Ends, Kind, Side, Slot, TileAxis};
use num_complex::Complex;

/// The memories that a plan's slots name.
pub struct Slots<S> {
    /// What is transformed; the output's memory in place.
    pub input: Memory<S>,
    /// What the transform produces.
    pub output: Memory<S>,
    /// The plan's scratch.
    pub scratch: Memory<S>,
}

impl<S: Storage> Slots<S> {
    /// The memory that `slot` names.
    pub fn of(&self, slot: Slot) -> Memory<S> {
        match slot {
            Slot::Input => self.input,
            Slot::Output => self.output,
            Slot::Scratch => self.scratch,
        }
    }
}

/// A loop over lines.
#[derive(Debug, Clone, Copy)]
pub struct LineLoop {
    /// How many.
    pub count: usize,
    /// Scalars between them.
    pub apart: Ends<usize>,
    /// Lines between them in the pass' own order, which edge points are in.
    pub order: usize,
}

/// How lines are transformed.
pub enum Path<T> {
    /// Contiguous complex lines, where they lie.
    Rows(Box<dyn Lines<T>>),
    /// Contiguous lines between reals and half spectra, where they lie.
    RealRows(Box<dyn Lines<T>>, HalfSpectrum<T>),
    /// A vector of neighbouring lines at a time, straight from memory to memory.
    Columns(ColumnFft<T>),
    /// Lines from reals to reals, one after the other.
    Real(RealLines<T>),
    /// The same of neighbouring lines, a vector of them at a time.
    RealColumns(RealColumns<T>),
    /// Between reals of odd length and half spectra, one line after the other.
    OddReals(OddReals<T>),
    /// Through a tile of contiguous lines.
    Tile(Box<dyn Lines<T>>, Option<HalfSpectrum<T>>),
}

/// A memory, its first scalar, and scalars from row to row.
type Rows<S> = (Memory<S>, usize, usize);

/// One axis of a pass.
pub struct Stage<S: Storage> {
    /// The axis.
    pub axis: TileAxis,
    /// How its lines are transformed.
    pub path: Path<S::Compute>,
    /// Where they come from.
    pub load: Side,
    /// Where they go.
    pub store: Side,
    /// The lines; the last loop counts neighbours.
    pub loops: Vec<LineLoop>,
    /// Lines transformed together.
    pub lines: usize,
    /// What stored points are multiplied by.
    pub scale: S::Compute,
    /// The sides of the pass where lines come from and go.
    pub sides: [End; 2],
}

/// Neighbouring lines that are transformed together.
pub struct Group {
    /// How many.
    pub lines: usize,
    /// Scalars before the first.
    pub start: Ends<usize>,
    /// The first's number in the pass' own order.
    pub order: usize,
}

impl<S: Storage> Stage<S> {
    /// How many groups of lines there are.
    pub fn groups(&self) -> usize {
        let (inner, outer) = self.loops.split_last().expect("a stage has a loop");
        outer.iter().map(|l| l.count).product::<usize>() * inner.count.div_ceil(self.lines)
    }

    /// Points of all lines, for judging whether threads pay.
    pub fn points(&self) -> usize {
        self.loops.iter().map(|l| l.count).product::<usize>() * self.axis.length
    }

    /// Complex numbers of workspace that one worker needs.
    pub fn workspace(&self) -> usize {
        match &self.path {
            Path::Rows(lines) => lines.scratch(),
            Path::RealRows(lines, _) => lines.real_scratch(self.lines),
            Path::Columns(columns) => {
                let rows = if S::is_compute() { 0 } else { columns.rows() };
                (rows + columns.workspace()).div_ceil(2)
            }
            Path::Real(lines) => lines.workspace(self.lines),
            Path::RealColumns(columns) => columns.workspace().div_ceil(2),
            Path::OddReals(reals) => self.lines * reals.half() + reals.scratch(),
            Path::Tile(lines, real) => {
                let half = match self.axis.kind {
                    Kind::C2C => 0,
                    _ => self.axis.length / 2 + 1,
                };
                let scratch = match (self.axis.kind, real) {
                    (Kind::R2C | Kind::C2R, Some(_)) => lines.real_scratch(self.lines),
                    _ => lines.scratch(),
                };
                self.lines * (lines.length() + half) + scratch
            }
        }
    }

    /// Runs one group of lines, with everything shifted by so many scalars.
    ///
    /// # Safety
    /// The slots have the extents that `prepare` computed, and no other worker runs the
    /// same group at the same shift.
    pub unsafe fn run(
        &self,
        slots: &Slots<S>,
        shift: (usize, usize),
        group: usize,
        workspace: &mut [Complex<S::Compute>],
    ) {
        let mut group = self.group(group);
        group.start.load += shift.0;
        group.start.store += shift.1;
        // SAFETY: by this function's contract.
        unsafe {
            match &self.path {
                Path::Rows(lines) => {
                    let ends = self.rows(slots, &group);
                    lines.run(ends, group.lines, self.scale, workspace);
                }
                Path::RealRows(lines, half) => {
                    let ends = self.rows(slots, &group);
                    let middle = match self.axis.kind {
                        Kind::R2C => Middle::Split,
                        _ => Middle::Merge,
                    };
                    lines.run_real(half, middle, ends, group.lines, self.scale, workspace);
                }
                Path::Columns(columns) => {
                    let [from, to] = End::BOTH.map(|end| {
                        let memory = slots.of(self.side(end).slot);
                        (memory, group.start[end], self.axis.map(end).stride)
                    });
                    let workspace = bytemuck::cast_slice_mut(workspace);
                    match S::is_compute() {
                        true => columns.process(from, to, group.lines, self.scale, workspace),
                        false => self.widened(columns, (from, to), group.lines, workspace),
                    }
                }
                Path::Real(lines) => lines.run(self, slots, &group, workspace),
                Path::RealColumns(columns) => {
                    columns.run(self, slots, &group, bytemuck::cast_slice_mut(workspace));
                }
                Path::OddReals(reals) => {
                    let (tile, scratch) = workspace.split_at_mut(self.lines * reals.half());
                    let job = TileJob {
                        stage: self,
                        slots,
                        group: &group,
                    };
                    job.odd_reals(reals, tile, scratch);
                }
                Path::Tile(lines, real) => {
                    let (tile, rest) = workspace.split_at_mut(self.lines * lines.length());
                    let half = match self.axis.kind {
                        Kind::C2C => 0,
                        _ => self.lines * (self.axis.length / 2 + 1),
                    };
                    let (half, scratch) = rest.split_at_mut(half);
                    let job = TileJob {
                        stage: self,
                        slots,
                        group: &group,
                    };
                    let (lines, real) = (&**lines, real.as_ref());
                    match self.axis.kind {
                        Kind::R2C => job.real_to_half((lines, real), tile, half, scratch),
                        Kind::C2R => job.half_to_real((lines, real), tile, half, scratch),
                        _ => job.complex(lines, tile, scratch),
                    }
                }
            }
        }
    }

    fn group(&self, index: usize) -> Group {
        let (inner, outer) = self.loops.split_last().expect("a stage has a loop");
        let per_inner = inner.count.div_ceil(self.lines);
        let first = index % per_inner * self.lines;
        let mut rest = index / per_inner;
        let mut group = Group {
            lines: self.lines.min(inner.count - first),
            start: Ends {
                load: self.load.offset,
                store: self.store.offset,
            },
            order: 0,
        };
        let mut step = |l: &LineLoop, i: usize| {
            group.start.load += i * l.apart.load;
            group.start.store += i * l.apart.store;
            group.order += i * l.order;
        };
        step(inner, first);
        for l in outer.iter().rev() {
            step(l, rest % l.count);
            rest /= l.count;
        }
        group
    }

    /// Where its lines come from, or go.
    pub fn side(&self, end: End) -> &Side {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }

    /// The lines of a group in memory, from point `first` on.
    pub fn points_from(
        &self,
        end: End,
        slots: &Slots<S>,
        group: &Group,
        first: usize,
    ) -> Points<S> {
        let stride = self.axis.map(end).stride;
        Points {
            memory: slots.of(self.side(end).slot),
            start: group.start[end] + first * stride,
            stride,
            line_stride: self.inner().apart[end],
            imaginary: self.side(end).imaginary,
        }
    }

    /// The loop that counts neighbours.
    pub fn inner(&self) -> &LineLoop {
        self.loops.last().expect("a stage has a loop")
    }

    /// Neighbouring lines by way of rows of what arithmetic uses.
    unsafe fn widened(
        &self,
        columns: &ColumnFft<S::Compute>,
        ((from, load, load_stride), (to, store, store_stride)): (Rows<S>, Rows<S>),
        lines: usize,
        workspace: &mut [S::Compute],
    ) {
        let (rows, workspace) = workspace.split_at_mut(columns.rows());
        let (width, count) = (2 * columns.lines(), 2 * lines);
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            // SAFETY: by the contract of `run`.
            let from = unsafe { from.stored(load + i * load_stride, count) };
            S::widen(from, &mut row[..count]);
        }
        let one = S::Compute::rounded(1.0);
        let at = (Memory::of(&mut *rows), 0, width);
        // SAFETY: these rows are all of the lines.
        unsafe { columns.process(at, at, lines, one, workspace) };
        for (i, row) in rows.chunks_exact(width).enumerate() {
            // SAFETY: by the contract of `run`.
            let to = unsafe { to.stored_mut(store + i * store_stride, count) };
            S::narrow(&row[..count], to, self.scale);
        }
    }

    /// Where a group of contiguous lines lies and goes.
    ///
    /// # Safety
    /// As for [`Stage::run`]; memory holds what arithmetic uses.
    unsafe fn rows(&self, slots: &Slots<S>, group: &Group) -> [LinesAt<S::Compute>; 2] {
        End::BOTH.map(|end| {
            let memory = slots.of(self.side(end).slot);
            // SAFETY: by this function's contract.
            let first = unsafe { memory.address(group.start[end], 0) };
            LinesAt {
                first: first.cast::<Complex<S::Compute>>(),
                apart: self.inner().apart[end] / 2,
            }
        })
    }
}
