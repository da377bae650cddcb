//! One axis' trip through memory, before stages are joined into passes.

use super::problem::{Problem, INPUT, OUTPUT};
use super::spread::Spread;
use mmafft_backend_traits::{
    Direction, Domain, Edges, End, Factor, Kind, Loop, Mirrored, RealLine, Runs, Slot,
};
use std::ops::Range;

/// Where an array lies: an address for every index of every dimension of the problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The memory.
    pub slot: Slot,
    /// Scalars before index 0 of every dimension; negative where index 0 is never used.
    pub offset: isize,
    /// What a point is.
    pub domain: Domain,
    /// Scalars from the real to the imaginary part.
    pub imaginary: usize,
    /// Scalars from index to index, per dimension of the problem.
    pub strides: Vec<usize>,
}

/// One axis of all lines, from one place to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The dimension of the problem that is transformed.
    pub dim: usize,
    /// The kind applied to it.
    pub kind: Kind,
    /// The sign of the exponent.
    pub direction: Direction,
    /// Its logical length.
    pub length: usize,
    /// Where lines come from; along `dim`, the stride from point to point.
    pub load: Place,
    /// Where lines go.
    pub store: Place,
    /// Points of the whole line from point to point, as the load counts; 1 for whole lines.
    pub load_index: usize,
    /// The same as the store counts.
    pub store_index: usize,
    /// The runs in which the line's own points lie where they are loaded.
    pub load_runs: Option<Runs>,
    /// The same where they are stored.
    pub store_runs: Option<Runs>,
    /// The points read of the whole line.
    pub load_range: Range<usize>,
    /// The points written of the whole line.
    pub store_range: Range<usize>,
    /// The indices of every other dimension for which there are lines.
    pub others: Vec<(usize, Range<usize>)>,
    /// Loops that are no dimension of the problem: the other factors of a split line.
    pub inner: Vec<Loop>,
    /// What points are multiplied by when loaded; `line_loop` counts `inner`.
    pub load_factor: Option<Factor>,
    /// What points are multiplied by when stored; `line_loop` counts `inner`.
    pub store_factor: Option<Factor>,
    /// The middle of a convolution.
    pub convolution: Option<Convolution>,
    /// The length of a real line, of whose half spectrum the points are loaded.
    pub hermitian: Option<usize>,
    /// Whether the stage merges or splits half spectra of lines in mirrored pairs.
    pub mirrored: Option<(End, Mirrored)>,
    /// The real line of whose reals the points are made.
    pub load_reals: Option<RealLine>,
    /// The real line of which the points become reals.
    pub store_reals: Option<RealLine>,
    /// Points that lie in scratch.
    pub edges: Option<Edges>,
    /// How the tile, of this stage or this and the next, is spread over a cluster.
    pub cluster: Option<Spread>,
    /// Why the line that the stage is a part of was split so, where that was measured.
    pub split: Option<String>,
    /// Whether the stage transforms edge points, beside others that transform the rest.
    pub beside: bool,
    /// A power of two: how often larger the largest point may become, packing and merging aside. FP16
    /// storage keeps in range by it.
    pub growth: f64,
}

/// What [`mmafft_backend_traits::Step::Convolve`] says of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    /// The length of the DFT.
    pub length: usize,
    /// The length of the convolution.
    pub padded: usize,
    /// The sign of the DFT's exponent.
    pub direction: Direction,
    /// The factors of `padded`.
    pub factors: Vec<usize>,
}

/// Stages in order, and the scratch they share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Route {
    /// The stages.
    pub stages: Vec<Stage>,
    /// Scalars of scratch.
    pub scratch_scalars: usize,
}

impl Route {
    /// One pass, without scratch.
    pub fn of_stage(stage: Stage) -> Self {
        Route {
            stages: vec![stage],
            scratch_scalars: 0,
        }
    }
}

impl Place {
    /// The input or the output of the problem.
    pub fn of_side(problem: &Problem, side: usize) -> Self {
        Place {
            slot: if side == INPUT {
                Slot::Input
            } else {
                Slot::Output
            },
            offset: problem.offsets[side] as isize,
            domain: problem.domain(side),
            imaginary: 1,
            strides: problem.dims.iter().map(|d| d.strides[side]).collect(),
        }
    }

    /// A contiguous array in scratch with these extents, starting at `offset`
    /// scalars; also returns how many scalars it takes.
    pub fn in_scratch(offset: usize, extents: &[usize], domain: Domain) -> (Self, usize) {
        let mut strides = vec![0; extents.len()];
        let mut scalars = domain.scalars();
        for (stride, &n) in strides.iter_mut().zip(extents).rev() {
            *stride = scalars;
            scalars *= n;
        }
        let place = Place {
            slot: Slot::Scratch,
            offset: offset as isize,
            domain,
            imaginary: 1,
            strides,
        };
        (place, scalars)
    }

    /// Lines along dimension `dim` in scratch, of `points` points each that lie in a row, behind `base`
    /// scalars; and where they end, unless that is nowhere.
    pub fn lines_in_scratch(
        problem: &Problem,
        dim: usize,
        points: usize,
        base: usize,
    ) -> Option<(Self, usize)> {
        let dims = problem.dims.iter().enumerate();
        let extents: Vec<usize> = dims
            .map(|(i, d)| match i == dim {
                true => 1,
                false => d.lengths[0].max(d.lengths[1]),
            })
            .collect();
        let (mut place, scalars) = Place::in_scratch(base, &extents, Domain::Complex);
        for stride in &mut place.strides {
            *stride = stride.checked_mul(points)?;
        }
        place.strides[dim] = Domain::Complex.scalars();
        let end = scalars.checked_mul(points)?.checked_add(base)?;
        (end <= isize::MAX as usize / problem.storage().bytes()).then_some((place, end))
    }

    /// The address, in scalars, of the first index of each of these ranges.
    pub fn start(&self, ranges: &[(usize, Range<usize>)]) -> usize {
        let start: usize = ranges.iter().map(|(d, r)| r.start * self.strides[*d]).sum();
        usize::try_from(self.offset + start as isize)
            .expect("the first index in use has an address, or the place is wrong")
    }
}

impl Stage {
    /// The stage that transforms dimension `dim` where `done` tells which dimensions
    /// already are: those have the output's ranges, the others still the input's.
    pub fn new(problem: &Problem, dim: usize, done: &[bool], load: Place, store: Place) -> Self {
        let d = &problem.dims[dim];
        let others = (0..problem.dims.len()).filter(|&e| e != dim).map(|e| {
            let side = if done[e] { OUTPUT } else { INPUT };
            (e, problem.dims[e].ranges[side].clone())
        });
        let kind = d.kind.expect("only transformed dimensions have stages");
        Stage {
            dim,
            kind,
            direction: kind.core_direction(problem.request.direction()),
            length: d.length,
            load_index: 1,
            store_index: 1,
            load_runs: None,
            store_runs: None,
            load_range: d.ranges[INPUT].clone(),
            store_range: d.ranges[OUTPUT].clone(),
            others: others.collect(),
            inner: Vec::new(),
            load_factor: None,
            store_factor: None,
            convolution: None,
            hermitian: None,
            mirrored: None,
            load_reals: None,
            store_reals: None,
            edges: None,
            cluster: None,
            split: None,
            beside: false,
            growth: next_power_of_two(match kind.is_real_to_real() {
                // Two terms of up to two for each of n points, as a rule less.
                true => 2 * d.length,
                false => d.length,
            }),
            load,
            store,
        }
    }

    /// A stage over a part of this one's lines, without what the first or the last part alone does.
    pub fn part(&self) -> Self {
        Stage {
            kind: Kind::C2C,
            load_index: 1,
            store_index: 1,
            load_runs: None,
            store_runs: None,
            inner: Vec::new(),
            load_factor: None,
            store_factor: None,
            hermitian: None,
            mirrored: None,
            load_reals: None,
            store_reals: None,
            edges: None,
            ..self.clone()
        }
    }

    /// The stage's loops, outermost first, neighbours merged where one stride serves both.
    pub fn loops(&self, without: &[usize]) -> Vec<Loop> {
        let dims = self.others.iter().filter(|(d, _)| !without.contains(d));
        let mut loops: Vec<Loop> = dims
            .map(|(d, range)| {
                Loop::of_lines(range.len(), self.load.strides[*d], self.store.strides[*d])
            })
            .filter(|l| l.count > 1)
            .collect();
        merge(&mut loops);
        loops.extend_from_slice(&self.inner);
        loops
    }
}

/// Whether points of other lines lie between a line's own, on either side.
pub fn is_scattered(stage: &Stage) -> bool {
    [&stage.load.strides, &stage.store.strides]
        .iter()
        .any(|strides| {
            let mut others = stage.others.iter().filter(|(_, range)| range.len() > 1);
            others.any(|(d, _)| strides[*d] < strides[stage.dim])
        })
}

/// Whether neighbouring points of a stage's lines lie beside each other, on both sides.
pub fn is_contiguous(stage: &Stage) -> bool {
    stage.load.strides[stage.dim] <= 2 && stage.store.strides[stage.dim] <= 2
}

/// The least power of two that is no less.
pub fn next_power_of_two(n: usize) -> f64 {
    n.next_power_of_two() as f64
}

/// Merges a loop into the next inner one where their strides continue each other.
fn merge(loops: &mut Vec<Loop>) {
    let mut merged: Vec<Loop> = Vec::with_capacity(loops.len());
    for inner in loops.drain(..) {
        match merged.last_mut() {
            Some(outer)
                if outer.load.stride == inner.count * inner.load.stride
                    && outer.store.stride == inner.count * inner.store.stride =>
            {
                *outer = Loop {
                    count: outer.count * inner.count,
                    ..inner
                };
            }
            _ => merged.push(inner),
        }
    }
    *loops = merged;
}
