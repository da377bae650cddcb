//! Half spectra that become real arrays: the halved axis comes last, and what lies before
//! it, half a spectrum, is a little larger than the real output.
//!
//! - In place it fits: rows are padded.
//! - Out of place the input is not to be overwritten. Point k of a row's half spectrum,
//!   where it has an imaginary part to keep, goes to reals 2k and 2k+1 of its row of the
//!   output (2k−1 and 2k for an odd length). The edge points, 0 and the last of an even
//!   length, wait in scratch, see [`mmafft_backend_traits::Edges`].
//! - With zero ranges the whole intermediate lies in scratch.
//! - So it does on a device where its tile holds the halved axis and its neighbours, and the plan has a pass less by that, and
//!   where the halved length is odd: edge points of such rows would be a pass of their own, and other points begin in the
//!   middle of a sector ([`neighbours_last`]).

use super::fits::Fits;
use super::problem::{Dim, Problem, INPUT, OUTPUT};
use super::stage::{Place, Route, Stage};
use mmafft_backend_traits::{Domain, Edges, Kind, Placement};

/// The stages of a C2R problem.
pub fn route(problem: &Problem) -> Route {
    let (mut builder, others) = Builder::new(problem);
    if others.is_empty() {
        builder.last(Place::of_side(problem, INPUT), None);
    } else if problem.request.placement == Placement::InPlace {
        builder.within(Place::of_side(problem, INPUT), &others);
    } else if restricted(problem) {
        builder.through_scratch(&others);
    } else {
        builder.with_edges(&others);
    }
    builder.route
}

/// Whether some points are not read, or not wanted.
fn restricted(problem: &Problem) -> bool {
    let part = |dim: &Dim| (0..2).any(|side| dim.ranges[side].len() < dim.lengths[side]);
    problem.dims.iter().any(part)
}

/// The stages of a device's C2R problem of several axes, the halved axis and its neighbours last: a tile that holds these
/// reads them once. Out of place the half spectrum lies in scratch between them.
pub fn neighbours_last(problem: &Problem, fits: &Fits) -> Option<Route> {
    let row = problem.request.kind.row();
    let real = (row.input, row.output) == (Domain::Complex, Domain::Real);
    let device = fits.limits.line_library.is_none();
    let (mut builder, mut others) = (real && device).then(|| Builder::new(problem))?;
    if others.is_empty() {
        return None;
    }
    others.reverse();
    match problem.request.placement {
        Placement::InPlace => builder.within(Place::of_side(problem, INPUT), &others),
        Placement::OutOfPlace => builder.through_scratch(&others),
    }
    Some(builder.route)
}

/// How many passes less that has to have: none where it is in place of edges of odd rows. On an H100, of a copy, C2R of 255x255 in FP32
/// ran at 0.26 by edges, at 0.46 so, of 1000x1001 in FP64 at 0.25 and 0.35.
pub fn spared(problem: &Problem) -> usize {
    let odd = |dim: &Dim| dim.kind == Some(Kind::C2R) && !dim.length.is_multiple_of(2);
    let apart = problem.request.placement == Placement::OutOfPlace;
    let edges = apart && !restricted(problem) && problem.dims.iter().any(odd);
    usize::from(!edges)
}

struct Builder<'a> {
    problem: &'a Problem,
    halved: usize,
    done: Vec<bool>,
    route: Route,
}

/// A part of the half spectrum: points `first`, `first + step`, … of the halved axis.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    step: usize,
    count: usize,
    /// Whether other stages transform the other points at the same time.
    beside: bool,
}

impl<'a> Builder<'a> {
    /// A route without stages, and the axes beside the halved one, the innermost first.
    fn new(problem: &'a Problem) -> (Self, Vec<usize>) {
        let is_halved = |i: &usize| problem.dims[*i].kind == Some(Kind::C2R);
        let transformed = problem.axes_to_transform().rev();
        let (halved, others): (Vec<usize>, Vec<usize>) = transformed.partition(is_halved);
        let builder = Builder {
            problem,
            halved: halved[0],
            done: vec![false; problem.dims.len()],
            route: Route::default(),
        };
        (builder, others)
    }

    /// All of the half spectrum in scratch between the axes.
    fn through_scratch(&mut self, others: &[usize]) {
        let dims = self.problem.dims.iter();
        let extents: Vec<usize> = dims.map(|d| d.lengths[INPUT]).collect();
        let (place, scalars) = Place::in_scratch(0, &extents, Domain::Complex);
        self.route.scratch_scalars = scalars;
        self.within(place, others);
    }

    /// All of the half spectrum in `place` between the axes.
    fn within(&mut self, place: Place, others: &[usize]) {
        self.complex(others, &place, None);
        self.last(place, None);
    }

    /// The complex transforms of `axes`, the first from the input to `place`, the others
    /// within `place`; of all lines, or of those of a part of the half spectrum, whose
    /// points `place` counts from 0.
    fn complex(&mut self, axes: &[usize], place: &Place, part: Option<Part>) {
        let mut done = self.done.clone();
        let mut from = Place::of_side(self.problem, INPUT);
        if let Some(part) = part {
            let stride = &mut from.strides[self.halved];
            from.offset += (part.first * *stride) as isize;
            *stride *= part.step;
        }
        for &dim in axes {
            done[dim] = true;
            let mut stage = Stage::new(self.problem, dim, &done, from, place.clone());
            if let Some(part) = part {
                let halved = stage.others.iter_mut().find(|(d, _)| *d == self.halved);
                let halved = halved.expect("the halved axis is not among the complex ones");
                halved.1 = 0..part.count;
                stage.beside = part.beside;
            }
            self.route.stages.push(stage);
            from = place.clone();
        }
    }

    /// The halved axis, from `place` to the output.
    fn last(&mut self, place: Place, edges: Option<Edges>) {
        let output = Place::of_side(self.problem, OUTPUT);
        let done = vec![true; self.problem.dims.len()];
        let mut stage = Stage::new(self.problem, self.halved, &done, place, output);
        stage.edges = edges;
        self.route.stages.push(stage);
    }

    fn with_edges(&mut self, others: &[usize]) {
        let dim = &self.problem.dims[self.halved];
        let (half, even) = (dim.lengths[INPUT], dim.length.is_multiple_of(2));
        let count = if even { half.min(2) } else { 1 };

        // The output's memory as half spectra without their edges: point k, counted from
        // 0 at point 1, takes two reals of its row.
        let mut interior = Place::of_side(self.problem, OUTPUT);
        let real = interior.strides[self.halved];
        interior.domain = Domain::Complex;
        interior.imaginary = real;
        interior.strides[self.halved] = 2 * real;
        interior.offset += (if even { 2 * real } else { real }) as isize;
        let part = Part {
            first: 1,
            step: 1,
            count: half - count,
            beside: false,
        };
        let has_interior = part.count > 0;
        if has_interior {
            self.complex(others, &interior, Some(part));
        }

        // The edges, in scratch, in the order of the last stage's lines.
        let mut extents: Vec<usize> = self
            .problem
            .dims
            .iter()
            .map(|d| d.lengths[OUTPUT])
            .collect();
        extents.remove(self.halved);
        extents.push(count);
        let (mut edges, scalars) = Place::in_scratch(0, &extents, Domain::Complex);
        let stride = edges.strides.pop().expect("extents are not empty");
        edges.strides.insert(self.halved, stride);
        self.route.scratch_scalars = scalars;
        let part = Part {
            first: 0,
            step: (half - 1).max(1),
            count,
            beside: has_interior,
        };
        self.complex(others, &edges, Some(part));
        self.last(interior, Some(Edges { offset: 0, count }));
    }
}
