//! Rows in mirrored pairs: half spectra of several axes, two reals to a point.
//!
//! A real array whose last axis has N = 2M points is a complex one with rows of M, two reals to a
//! point. With Z its DFT along all axes, row `-a` is row `A - a`, and w = exp(−2πi/N),
//!
//! ```text
//! E[a, k] = (Z[a, k] + conj Z[-a, M-k]) / 2      O[a, k] = (Z[a, k] − conj Z[-a, M-k]) / 2i
//! X[a, k] = E[a, k] + w^k·O[a, k]                X[-a, M-k] = conj(E[a, k] − w^k·O[a, k])
//! ```
//!
//! So the other axes are transformed first (of C2R: last) where rows are M points, as aligned as
//! the reals are, and the pass over the rows splits (merges) them with a row's mirror image beside
//! it. A row of the half spectrum has a point more, so that most rows begin within a sector: on an H200
//! columns of such rows took 1.56 times as long (docs/lab/2026-11-28-kernels.md).

use crate::planner::fits::Fits;
use crate::planner::problem::{Problem, INPUT, OUTPUT};
use crate::planner::stage::{is_scattered, Place, Route, Stage};
use crate::planner::way::{Method, Way};
use mmafft_backend_traits::{Domain, End, Images, Kind, Loop, Mirrored, Placement};

pub const WAY: Way = Way {
    name: "rows in mirrored pairs",
    method: Method::Array { applies, stages },
};

/// On a device, out of place, of whole arrays.
fn applies(problem: &Problem, fits: &Fits) -> bool {
    let whole = |side: usize| {
        let mut dims = problem.dims.iter();
        dims.all(|d| d.ranges[side].len() == d.lengths[side])
    };
    fits.by_kernels()
        && problem.request.placement == Placement::OutOfPlace
        && whole(INPUT)
        && whole(OUTPUT)
        // The columns of C2R lie in the output.
        && !(problem.becomes_real() && problem.only_writes_output())
}

/// One or two other axes, which are even, beside the halved one, which is so twice; a tile holds its rows in pairs.
fn stages(problem: &Problem, fits: &Fits) -> Option<Route> {
    let kind = |i: &usize| problem.dims[*i].kind;
    let halved = |i: &usize| matches!(kind(i), Some(Kind::R2C | Kind::C2R));
    let (halves, others): (Vec<usize>, Vec<usize>) =
        problem.axes_to_transform().rev().partition(halved);
    let [row] = halves[..] else {
        return None;
    };
    let even = |n: usize| problem.dims[n].length.is_multiple_of(2);
    let points = problem.dims[row].length / 2;
    if !(1..=2).contains(&others.len())
        || !others.iter().all(|&i| even(i))
        || !problem.dims[row].length.is_multiple_of(4)
    {
        return None;
    }
    let rows = Rows {
        problem,
        row,
        points,
        others,
    };
    let route = match kind(&row) {
        Some(Kind::R2C) => rows.split(),
        _ => rows.merged(),
    };
    let stage = route.stages.iter().find(|stage| stage.mirrored.is_some())?;
    let limit = match is_scattered(stage) {
        true => fits.longest_scattered(),
        false => fits.longest_line(),
    };
    fits.line(points, limit / 2).then_some(route)
}

struct Rows<'a> {
    problem: &'a Problem,
    /// The halved dimension.
    row: usize,
    /// M.
    points: usize,
    /// The other transformed dimensions, the innermost first.
    others: Vec<usize>,
}

impl Rows<'_> {
    /// R2C: columns to scratch, as the output's rows are a point longer; then rows.
    fn split(&self) -> Route {
        let dims = self.problem.dims.iter();
        let mut extents: Vec<usize> = dims.map(|d| d.lengths[INPUT]).collect();
        extents[self.row] = self.points;
        let (scratch, scratch_scalars) = Place::in_scratch(0, &extents, Domain::Complex);
        let mut stages = self.columns(self.pairs(INPUT), &scratch);
        let output = Place::of_side(self.problem, OUTPUT);
        stages.push(self.rows(scratch, output, End::Store));
        Route {
            stages,
            scratch_scalars,
        }
    }

    /// C2R: rows to the output, whose rows are pairs of reals; then columns there.
    fn merged(&self) -> Route {
        let input = Place::of_side(self.problem, INPUT);
        let output = self.pairs(OUTPUT);
        let mut stages = vec![self.rows(input, output.clone(), End::Load)];
        stages.extend(self.columns(output.clone(), &output));
        Route {
            stages,
            scratch_scalars: 0,
        }
    }

    /// The reals of a side in pairs, as complex points.
    fn pairs(&self, side: usize) -> Place {
        let mut place = Place::of_side(self.problem, side);
        place.domain = Domain::Complex;
        place.imaginary = place.strides[self.row];
        place.strides[self.row] *= 2;
        place
    }

    /// The complex transforms of the other axes, the first from `from`, all to `to`.
    fn columns(&self, mut from: Place, to: &Place) -> Vec<Stage> {
        let done = vec![true; self.problem.dims.len()];
        let stage = |&dim: &usize| {
            let load = std::mem::replace(&mut from, to.clone());
            let mut stage = Stage::new(self.problem, dim, &done, load, to.clone());
            let row = stage.others.iter_mut().find(|(d, _)| *d == self.row);
            row.expect("the row is not among the columns").1 = 0..self.points;
            stage
        };
        self.others.iter().map(stage).collect()
    }

    /// The transform of the rows.
    fn rows(&self, load: Place, store: Place, end: End) -> Stage {
        let done = vec![true; self.problem.dims.len()];
        let mut stage = Stage::new(self.problem, self.row, &done, load, store);
        stage.kind = Kind::C2C;
        stage.length = self.points;
        stage.others.retain(|(d, _)| !self.others.contains(d));
        // What counts the rows, the outermost first.
        let counted = |&d: &usize| {
            let count = self.problem.dims[d].length;
            Loop::of_lines(count, stage.load.strides[d], stage.store.strides[d])
        };
        stage.inner = self.others.iter().rev().map(counted).collect();
        let (spectrum, pairs) = (0..self.points + 1, 0..self.points);
        (stage.load_range, stage.store_range) = match end {
            End::Load => (spectrum, pairs),
            End::Store => (pairs, spectrum),
        };
        let mirrored = Mirrored {
            points: self.points,
            images: Images::Rows(self.others.len()),
        };
        stage.mirrored = Some((end, mirrored));
        stage
    }
}
