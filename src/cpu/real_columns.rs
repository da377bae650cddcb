//! Lines of reals that neighbour each other: each vector lane is a line of its own.
//!
//! ```text
//! for each point p of the line:       rows i, j of memory -> (re, im) of row p, planar
//!     (with a merge: points c and m − c at once, from four rows)
//! butterflies across the lines        columns.rs
//! for each point p of the result:     (re, im) of row p -> rows i, j of memory
//!     (with a split: points c and m − c at once, to four rows)
//! ```
//! What differs between kinds is a table of rows, factors and weights, the same for all lanes:
//! so nothing is shuffled, and no row of memory is visited twice on either side, but by type I.

use super::columns::{ColumnFft, LinesIn};
use super::half_lanes::{merge, split};
use super::lanes::{LaneScalar, Lanes};
use super::scalar::{root, Real, Storage};
use super::stage::{Group, Slots, Stage};
use mmafft_backend_traits::real::{Middle, RealSide};
use mmafft_backend_traits::{Direction, TileAxis};
use num_complex::Complex;
use pulp::Simd;
use std::ops::Range;

/// A point of one side: two rows of memory, what they are multiplied by, and its weight.
#[derive(Debug, Clone, Copy)]
struct Point<T> {
    rows: [Option<usize>; 2],
    factors: [T; 2],
    weight: Complex<T>,
}

/// One side of the lines.
#[derive(Debug)]
struct Side<T> {
    points: Vec<Point<T>>,
    weighted: bool,
}

impl<T: Real> Side<T> {
    fn new(side: &RealSide, n: usize, points: usize, range: &Range<usize>, edge: f64) -> Self {
        let weights = side.weights(n);
        let point = |p: usize| {
            let reals = side.reals(n, p);
            let factor = |real: Option<(usize, bool)>| {
                let (i, negative) = real.unwrap_or_default();
                let [first, last] = side.edges;
                let edge = if (first && i == 0) || (last && i + 1 == n) {
                    edge
                } else {
                    1.0
                };
                T::rounded(if negative { -edge } else { edge })
            };
            let w = weights.as_ref().map(|w| w.of(p).to_c64());
            let w = w.unwrap_or(Complex::new(1.0, 0.0));
            Point {
                rows: reals.map(|r| r.map(|(i, _)| i).filter(|i| range.contains(i))),
                factors: reals.map(factor),
                weight: Complex::new(T::rounded(w.re), T::rounded(w.im)),
            }
        };
        Side {
            points: (0..points).map(point).collect(),
            weighted: weights.is_some(),
        }
    }
}

/// A kind's transform of neighbouring lines.
#[derive(Debug)]
pub struct RealColumns<T> {
    columns: ColumnFft<T>,
    load: Side<T>,
    store: Side<T>,
    middle: Middle,
    /// Whether real and imaginary parts change places on both sides of the butterflies.
    swap: bool,
    /// exp(−πi·c/m), c = 0 ..= m/2.
    roots: Vec<Complex<T>>,
}

impl<T: Real + Storage<Compute = T>> RealColumns<T> {
    /// For an axis whose DFT has these radices; of lines that are `cached`, or in memory.
    pub fn new(
        axis: &TileAxis,
        radices: &[usize],
        lines: LinesIn,
        scale: f64,
        orthogonal: bool,
    ) -> Self {
        let reduction = axis.kind.reduction(axis.length, false);
        let m: usize = radices.iter().product();
        let points = |half: Middle| m + usize::from(reduction.middle == half);
        let edge = |factor: f64| if orthogonal { factor } else { 1.0 };
        let mut store = Side::new(
            &reduction.store,
            axis.length,
            points(Middle::Split),
            &axis.ranges.store,
            edge(std::f64::consts::FRAC_1_SQRT_2),
        );
        for point in &mut store.points {
            point.factors = point.factors.map(|f| f * T::rounded(scale));
        }
        RealColumns {
            columns: ColumnFft::new(radices, false, lines),
            load: Side::new(
                &reduction.load,
                axis.length,
                points(Middle::Merge),
                &axis.ranges.load,
                edge(std::f64::consts::SQRT_2),
            ),
            store,
            middle: reduction.middle,
            swap: axis.direction == Direction::Inverse,
            roots: (0..=m / 2).map(|c| root(c, 2 * m)).collect(),
        }
    }

    /// Lines that are transformed together.
    pub fn lines(&self) -> usize {
        self.columns.lines()
    }

    /// Scalars of workspace.
    pub fn workspace(&self) -> usize {
        self.columns.planar_workspace()
    }

    /// Transforms a group of neighbouring lines.
    ///
    /// # Safety
    /// As for [`Stage::run`]; neighbours are one scalar apart on both sides.
    pub unsafe fn run<S: Storage<Compute = T>>(
        &self,
        stage: &Stage<S>,
        slots: &Slots<S>,
        group: &Group,
        workspace: &mut [T],
    ) {
        assert!(workspace.len() >= self.workspace());
        let (from, to) = (slots.of(stage.load.slot), slots.of(stage.store.slot));
        // SAFETY: these scalars are inside, by the contract.
        let (load, store) = unsafe {
            (
                from.address(group.start.load, 1),
                to.address(group.start.store, 1),
            )
        };
        T::real_columns(RealTile {
            columns: self,
            load: load.cast::<T>().cast_const(),
            load_stride: stage.axis.load.stride,
            store: store.cast::<T>(),
            store_stride: stage.axis.store.stride,
            lines: group.lines,
            workspace: workspace.as_mut_ptr(),
        });
    }
}

/// Neighbouring lines in memory, and room to work in.
pub struct RealTile<'a, T> {
    columns: &'a RealColumns<T>,
    load: *const T,
    load_stride: usize,
    store: *mut T,
    store_stride: usize,
    lines: usize,
    /// [`RealColumns::workspace`] scalars.
    workspace: *mut T,
}

/// A complex vector: real parts, imaginary parts.
type C<S, T> = [<T as Lanes<S>>::V; 2];

impl<T: LaneScalar + Real + Storage<Compute = T>> RealTile<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S>,
    {
        let RealColumns {
            columns,
            load,
            store,
            middle,
            swap,
            roots,
        } = self.columns;
        let m = columns.length;
        let vectors = self.lines.div_ceil(T::W);
        let base = columns.planar(self.workspace);
        let width = 2 * T::W;
        let half = T::splat(simd, T::rounded(0.5));
        // SAFETY: rows of the tables are rows of the line, and the workspace holds a copy of m
        // planar rows for each vector and one more.
        unsafe {
            let row = |copy: usize, p: usize| base.add((copy * m + p) * width).cast::<[T::V; 2]>();
            let points = &load.points[..];
            match middle {
                Middle::Merge => {
                    for c in 0..=m / 2 {
                        let (a, b) = (&points[c], &points[m - c]);
                        let w = [T::splat(simd, roots[c].re), T::splat(simd, roots[c].im)];
                        for v in 0..vectors {
                            let x = self.gather::<S>(simd, a, load.weighted, v);
                            let y = self.gather::<S>(simd, b, load.weighted, v);
                            let [low, high] = merge::<S, T>(simd, [x, y], w);
                            row(v, c).write(planes(low, *swap));
                            if c > 0 && 2 * c != m {
                                row(v, m - c).write(planes(high, *swap));
                            }
                        }
                    }
                }
                _ => {
                    for (p, point) in points.iter().enumerate() {
                        for v in 0..vectors {
                            let x = self.gather::<S>(simd, point, load.weighted, v);
                            row(v, p).write(planes(x, *swap));
                        }
                    }
                }
            }
            let copies = columns.process_planar(self.workspace, vectors);
            let points = &store.points[..];
            match middle {
                Middle::Split => {
                    for c in 0..=m / 2 {
                        let (a, b) = (&points[c], &points[m - c]);
                        let w = [T::splat(simd, roots[c].re), T::splat(simd, roots[c].im)];
                        let image = if c == 0 { 0 } else { m - c };
                        for (v, &copy) in copies[..vectors].iter().enumerate() {
                            let pair = [row(copy, c).read(), row(copy, image).read()];
                            let [low, high] = split::<S, T>(simd, pair, w, half);
                            self.scatter::<S>(simd, a, store.weighted, v, low);
                            if 2 * c != m {
                                self.scatter::<S>(simd, b, store.weighted, v, high);
                            }
                        }
                    }
                }
                _ => {
                    for (p, point) in points.iter().enumerate() {
                        for (v, &copy) in copies[..vectors].iter().enumerate() {
                            let x = planes(row(copy, p).read(), *swap);
                            self.scatter::<S>(simd, point, store.weighted, v, x);
                        }
                    }
                }
            }
        }
    }

    /// A point of vector `v` of the lines.
    ///
    /// # Safety
    /// Its rows are inside the loaded memory.
    #[inline(always)]
    unsafe fn gather<S: Simd>(&self, simd: S, point: &Point<T>, weighted: bool, v: usize) -> C<S, T>
    where
        T: Lanes<S>,
    {
        let zero = T::splat(simd, T::default());
        let first = v * T::W;
        let lines = self.lines - first;
        let mut parts = [zero; 2];
        for ((part, row), factor) in parts.iter_mut().zip(point.rows).zip(point.factors) {
            if let Some(i) = row {
                // SAFETY: by this function's contract; `lines` scalars of the row are the lines'.
                unsafe {
                    let at = self.load.add(i * self.load_stride + first);
                    let x = match lines >= T::W {
                        true => at.cast::<T::V>().read_unaligned(),
                        false => T::load_some(simd, at, lines),
                    };
                    *part = T::vmul(simd, x, T::splat(simd, factor));
                }
            }
        }
        match weighted {
            true => times::<S, T>(simd, parts, &point.weight),
            false => parts,
        }
    }

    /// Stores a point of vector `v` of the lines.
    ///
    /// # Safety
    /// Its rows are inside the stored memory, and nobody else touches them.
    #[inline(always)]
    unsafe fn scatter<S: Simd>(
        &self,
        simd: S,
        point: &Point<T>,
        weighted: bool,
        v: usize,
        x: C<S, T>,
    ) where
        T: Lanes<S>,
    {
        let first = v * T::W;
        let lines = self.lines - first;
        let x = match weighted {
            true => times::<S, T>(simd, x, &point.weight),
            false => x,
        };
        for ((part, row), factor) in x.into_iter().zip(point.rows).zip(point.factors) {
            if let Some(i) = row {
                let y = T::vmul(simd, part, T::splat(simd, factor));
                // SAFETY: as for `gather`.
                unsafe {
                    let at = self.store.add(i * self.store_stride + first);
                    match lines >= T::W {
                        true => at.cast::<T::V>().write_unaligned(y),
                        false => T::store_some(simd, at, lines, y),
                    }
                }
            }
        }
    }
}

/// Two planes, changed if the DFT is the inverse one.
#[inline(always)]
fn planes<V>([re, im]: [V; 2], swap: bool) -> [V; 2] {
    match swap {
        true => [im, re],
        false => [re, im],
    }
}

#[inline(always)]
fn times<S: Simd, T: Lanes<S>>(simd: S, x: C<S, T>, w: &Complex<T>) -> C<S, T> {
    let (wr, wi) = (T::splat(simd, w.re), T::splat(simd, w.im));
    [
        T::vfma(simd, x[0], wr, T::vneg(simd, T::vmul(simd, x[1], wi))),
        T::vfma(simd, x[0], wi, T::vmul(simd, x[1], wr)),
    ]
}

with_simd!(RealTile -> ());
