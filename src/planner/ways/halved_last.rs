//! The halved axis last: half spectra that become real arrays, one axis after another (rows and columns).
//!
//! ```text
//! x[n1, n2] = Σ_k2 (Σ_k1 X[k1, k2]·exp(2πi·n1·k1/N1))·exp(2πi·n2·k2/N2)      X[−k1, −k2] = conj X[k1, k2]
//! ```
//! What lies before the last axis, half a spectrum k2 ≤ N2/2, is a little larger than the real output.
//! - In place it fits: rows are padded.
//! - Out of place the input is not to be overwritten. Point k of a row's half spectrum,
//!   where it has an imaginary part to keep, goes to reals 2k and 2k+1 of its row of the
//!   output (2k−1 and 2k for an odd length). The edge points, 0 and the last of an even
//!   length, wait in scratch, see [`mmafft_backend_traits::Edges`].
//! - With zero ranges, where the output is slow to read, and for a library of lines, the whole intermediate lies in scratch.

use crate::planner::fits::Fits;
use crate::planner::problem::{Dim, Problem, INPUT, OUTPUT};
use crate::planner::stage::{Place, Route, Stage};
use crate::planner::way::{Method, Way};
use mmafft_backend_traits::{Domain, Edges, Kind, Placement};

pub const WAY: Way = Way {
    name: "the halved axis last",
    method: Method::Array { applies, stages },
};

fn applies(problem: &Problem, _: &Fits) -> bool {
    problem.becomes_real()
}

fn stages(problem: &Problem, fits: &Fits) -> Option<Route> {
    let (mut builder, others) = Builder::new(problem);
    if others.is_empty() {
        builder.last(Place::of_side(problem, INPUT), None);
    } else if problem.request.placement == Placement::InPlace {
        builder.within(Place::of_side(problem, INPUT), &others);
    } else if restricted(problem) || problem.only_writes_output() || scratch_pays(problem, fits) {
        builder.through_scratch(&others);
    } else {
        builder.with_edges(&others);
    }
    Some(builder.route)
}

/// Whether some points are not read, or not wanted.
fn restricted(problem: &Problem) -> bool {
    let part = |dim: &Dim| (0..2).any(|side| dim.ranges[side].len() < dim.lengths[side]);
    problem.dims.iter().any(part)
}

/// Whether half spectra that lie as they are save more than their scratch costs.
///
/// A library of lines takes no others. Any limit turns it off, as what threads take for themselves counts against it too.
fn scratch_pays(problem: &Problem, fits: &Fits) -> bool {
    !fits.by_kernels() && problem.request.scratch_limit.is_none()
}

/// A route in the making.
pub struct Builder<'a> {
    problem: &'a Problem,
    halved: usize,
    done: Vec<bool>,
    pub route: Route,
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
    pub fn new(problem: &'a Problem) -> (Self, Vec<usize>) {
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
    pub fn through_scratch(&mut self, others: &[usize]) {
        let dims = self.problem.dims.iter();
        let extents: Vec<usize> = dims.map(|d| d.lengths[INPUT]).collect();
        let (place, scalars) = Place::in_scratch(0, &extents, Domain::Complex);
        self.route.scratch_scalars = scalars;
        self.within(place, others);
    }

    /// All of the half spectrum in `place` between the axes.
    pub fn within(&mut self, place: Place, others: &[usize]) {
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
