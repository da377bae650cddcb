//! How many columns of a step lie beside each other in memory, so that one access moves a point
//! of each: a thread then holds neighbours ([`StepWords::neighbours`]).

use super::config::*;
use super::extents;
use crate::geometry::Geometry;
use crate::map::{Map, Runs};
use crate::pass::{Pass, TileAxis};
use crate::side::End;
use crate::Domain;
use std::ops::Range;

/// Values of a thread up to which it is given more columns for the sake of wider accesses: the
/// 8192 points of FP32 that AMD's shared memory holds still occupy all four SIMD units.
pub const VALUES: usize = 32;
/// The same for matrix steps, whose products take the registers of as many again.
pub const MATRIX_VALUES: usize = 16;

/// Where the lines of a tile lie.
pub struct Tile<'a> {
    /// The pass' axes as they lie in memory, the outermost first.
    pub order: &'a [usize],
    /// Its loops, the outermost first.
    pub loops: &'a [usize],
    /// Lines of the tile.
    pub lines: usize,
    /// Where lines come in mirrored pairs, how many lie between two.
    pub within: usize,
}

/// What one side of a pass moves along.
struct Way {
    /// Of a loop the lines, of an axis the points that the step has there.
    count: usize,
    map: Map,
}

/// One side of a pass in memory.
struct Memory {
    offset: usize,
    /// Scalars from a point's real to its imaginary part.
    imaginary: usize,
    /// The axes of the tile, and for each whether all of its points are there.
    axes: Vec<(Way, bool)>,
    loops: Vec<Way>,
    /// Which points of the whole line are there, of the step's own axis; of pairs, `None`.
    range: Option<Range<usize>>,
    /// Whether blocks have shares of an axis.
    shared: bool,
}

impl Memory {
    /// The side on which a step meets memory; `None` where its points are no pairs of scalars.
    fn new(pass: &Pass, step: &StepWords, tile: &Tile, end: End) -> Option<Self> {
        let side = pass.side(end);
        let packed = |a: &TileAxis| side.domain == Domain::Real && extents::packed(a);
        let imaginary = match side.domain {
            Domain::Complex => side.imaginary,
            Domain::Real => pass.axes.iter().find(|a| packed(a))?.map(end).stride,
        };
        let ordered = pass.reals(end).is_some() || side.edges.is_some();
        if ordered || pass.load.hermitian.is_some() {
            return None;
        }
        let own = &pass.axes[tile.order[step.axis as usize]];
        let extent = [step.extent0, step.extent1, step.extent2];
        let axis = |(b, &i): (usize, &usize)| {
            let a = &pass.axes[i];
            let mut map = *a.map(end);
            map.stride *= if packed(a) { 2 } else { 1 };
            let count = extent[b] as usize;
            let there = a.ranges[end] == (0..pass.points_of_axis(a, end));
            (Way { count, map }, there)
        };
        let way = |&l: &usize| Way {
            count: pass.loops[l].count,
            map: *pass.loops[l].map(end),
        };
        Some(Memory {
            offset: side.offset,
            imaginary,
            axes: tile.order.iter().enumerate().map(axis).collect(),
            loops: tile.loops.iter().map(way).collect(),
            range: (!packed(own)).then(|| own.ranges[end].clone()),
            shared: pass.tile.residency.blocks() > 1,
        })
    }

    /// Whether columns w·i, … w·i + w − 1 of the step lie beside each other from a multiple of
    /// their bytes on, all or none of them there.
    fn beside(&self, step: &StepWords, tile: &Tile, end: End, w: usize) -> bool {
        let divides = |x: usize| x.is_multiple_of(w);
        let own = step.axis as usize;
        let last = tile.order.len() - 1;
        // What neighbouring columns differ in, and whether it is cut evenly.
        let (fast, even) = if step.lines_fast == 1 && tile.lines > 1 {
            let innermost = &self.loops[tile.loops.len() - 1];
            (
                innermost,
                divides(innermost.count) && divides(tile.lines) && divides(tile.within),
            )
        } else if step.inner > 1 {
            // In a cluster a share of the other axis, wherever that lies.
            let (way, whole) = &self.axes[if self.shared { 1 - own } else { last }];
            (way, divides(way.count) && *whole)
        } else {
            let (run, points) = match (step.op, end) {
                (OP_DFT, End::Store) => (step.done, step.output),
                (_, End::Store) => (step.columns, step.output),
                (_, End::Load) => (step.columns, step.input),
            };
            let even = [run, points, step.offset]
                .iter()
                .all(|&x| divides(x as usize));
            (&self.axes[own].0, even)
        };
        let slow = |way: &&Way| !std::ptr::eq(*way, fast) && way.count > 1;
        let ways = || self.axes.iter().map(|(way, _)| way).chain(&self.loops);
        let scalars = |way: &Way| way.map.stride.is_multiple_of(2 * w);
        // Runs begin where such neighbours do, and end where they do.
        let whole = |r: Runs| divides(r.points) && r.apart.is_multiple_of(2 * w);
        let runs = |way: &Way| way.map.runs.is_none_or(whole);
        // Of the step's own axis the kernel checks the number of each point in the whole line; of
        // the others, only those in the tile.
        let counted = || self.loops.iter().chain([&self.axes[own].0]);
        let cut = |r: &Range<usize>| divides(r.start) && divides(r.end);
        let steps = || counted().filter(slow).all(|way| divides(way.map.index));
        let there = self.axes[own].1
            || !counted().any(|way| std::ptr::eq(way, fast))
            || fast.map.index == 0
            || (fast.map.index == 1 && self.range.as_ref().is_some_and(cut) && steps());
        even && there
            && fast.map.stride == 2
            && self.imaginary == 1
            && self.offset.is_multiple_of(2 * w)
            && ways().filter(slow).all(scalars)
            && ways().all(runs)
    }
}

/// The most points, a power of two up to `most`, that one access may move where the step, the
/// first of a pass or the last, meets memory.
pub fn points(pass: &Pass, step: &StepWords, tile: &Tile, end: End, most: usize) -> usize {
    let columns = match step.op {
        OP_COPY => true,
        OP_DFT => step.engine != ENGINE_DENSE && step.facing == 0,
        _ => false,
    };
    // What goes to other blocks is in another order than memory's; and steps that share their columns must
    // have them alike.
    let bound = step.target == PLACE_CLUSTER
        || step.target == PLACE_REGISTERS
        || step.source == PLACE_REGISTERS;
    if !columns || step.hermitian != 0 || bound {
        return 1;
    }
    let Some(side) = Memory::new(pass, step, tile, end) else {
        return 1;
    };
    let mut points = 1;
    while 2 * points <= most && side.beside(step, tile, end, 2 * points) {
        points *= 2;
    }
    points
}

/// The pass and the device for memory that begins anywhere, if only at a whole element: each
/// access moves one point.
pub fn narrowed(pass: &Pass, geometry: &Geometry) -> (Pass, Geometry) {
    let mut pass = pass.clone();
    if let Some(launch) = &mut pass.tile.launch {
        launch.neighbours = 1;
        launch.facing = [false; 2];
    }
    // Lines that face each other move neighbouring reals together.
    pass.part_facing_lines();
    (
        pass,
        Geometry {
            access: 0,
            together: false,
            ..*geometry
        },
    )
}
