//! Passes over a part of a split line, one line at a time: for lines that are split only
//! because a test says so, correct rather than fast.
//!
//! Point p of the part is point p·index + Σ i·loop.index of the whole line, on each side as
//! that side counts. All strides are multiples of one unit, so that this number is all that
//! an address, a range, a chirp or a mirrored half spectrum needs.

use super::chirp::spectrum;
use super::factors::Multiplier;
use super::lines::Lines;
use super::prepare;
use super::scalar::{Real, Storage};
use super::stage::Slots;
use mmafft_backend_traits::real::{RealSide, Weights};
use mmafft_backend_traits::{
    Direction, Domain, End, Map, Pass, RealLine, Result, Side, Step, TileAxis,
};
use num_complex::Complex;
use rustfft::num_traits::Zero;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::ops::Range;

/// A pass over parts of lines, ready to run.
pub struct Part<S: Storage> {
    loops: Vec<PartLoop>,
    load: Line,
    store: Line,
    forward: Box<dyn Lines<S::Compute>>,
    convolution: Option<Convolution<S::Compute>>,
    scale: S::Compute,
}

/// One side of the line.
struct Line {
    side: Side,
    /// Scalars from point to point of the whole line.
    unit: usize,
    /// Points of the whole line from point to point of the part.
    index: usize,
    range: Range<usize>,
    factor: Option<Multiplier>,
    reals: Option<Reals>,
}

/// The reals of the whole line on one side.
struct Reals {
    side: &'static RealSide,
    length: usize,
    /// Points of its DFT; a convolution's line has more, which are zero.
    points: usize,
    weights: Option<Weights>,
    /// What edges are multiplied by.
    edge: Option<f64>,
}

impl Reals {
    fn new(line: RealLine, pass: &Pass, end: End) -> Self {
        let side = line.side(end);
        let edge = [SQRT_2, FRAC_1_SQRT_2][end as usize];
        Reals {
            side,
            length: line.length,
            points: line.points(),
            weights: side.weights(line.length),
            edge: pass.math.orthogonal.then_some(edge),
        }
    }

    /// The weight of point `n` of the line.
    fn weight<T: Real>(&self, n: usize) -> Complex<T> {
        let w = self.weights.as_ref().map(|w| w.of(n).to_c64());
        w.map_or(Complex::new(T::one(), T::zero()), |w| {
            Complex::new(T::rounded(w.re), T::rounded(w.im))
        })
    }

    /// The factor of real `i`, its sign included.
    fn factor<T: Real>(&self, (i, negative): (usize, bool)) -> T {
        let [first, last] = self.side.edges;
        let edge = (first && i == 0) || (last && i + 1 == self.length);
        let factor = self.edge.filter(|_| edge).unwrap_or(1.0);
        T::rounded(if negative { -factor } else { factor })
    }
}

impl Line {
    fn new(pass: &Pass, end: End) -> Self {
        let (side, axis) = (*pass.side(end), &pass.axes[0]);
        Line {
            side,
            unit: axis.map(end).unit(),
            index: axis.map(end).index,
            range: axis.ranges[end].clone(),
            factor: side.factor.map(Multiplier::new),
            reals: side.reals.map(|line| Reals::new(line, pass, end)),
        }
    }
}

#[derive(Clone, Copy)]
struct PartLoop {
    count: usize,
    /// Scalars and points of the line on the two sides; one of each pair is zero.
    load: (usize, usize),
    store: (usize, usize),
    /// Lines from one to the next, where it counts lines.
    order: usize,
}

struct Convolution<T> {
    /// In the order of the line in scratch.
    spectrum: Vec<Complex<T>>,
    inverse: Box<dyn Lines<T>>,
}

/// Where one of the pass' lines begins.
#[derive(Default)]
struct Start {
    /// The index of every loop.
    indices: Vec<usize>,
    /// Scalars before point 0 of the whole line, and the number of the part's first point.
    load: (usize, usize),
    store: (usize, usize),
    /// The line's number in the pass' order.
    order: usize,
}

impl<S: Storage> Part<S> {
    /// Whether `pass` is over parts of lines.
    pub fn covers(pass: &Pass) -> bool {
        let factors = pass.load.factor.is_some() || pass.store.factor.is_some();
        let reals = pass.load.reals.is_some() || pass.store.reals.is_some();
        pass.load.hermitian.is_some()
            || factors
            || reals
            || pass.loops.iter().any(|l| l.load.index > 0)
            || !pass.axes.iter().all(TileAxis::is_whole)
            || middle(pass).is_some()
    }

    /// Prepares a pass that `prepare` has checked.
    pub fn new(pass: &Pass) -> Result<Self> {
        let axis = &pass.axes[0];
        let inverse = axis.direction == Direction::Inverse;
        let at = middle(pass).unwrap_or(pass.steps.len());
        let radices =
            |steps: &[Step]| -> Vec<usize> { steps.iter().filter_map(Step::radix).collect() };
        let lines = |steps: &[Step], inverse| prepare::lines(pass, axis, &radices(steps), inverse);
        let convolution = match pass.steps.get(at) {
            Some(Step::Convolve {
                length,
                padded,
                direction,
                factors,
                ..
            }) => {
                let inverse_dft = *direction == Direction::Inverse;
                let natural = spectrum::<S::Compute>(*length, *padded, inverse_dft);
                let frequencies = (0..*padded).map(|p| natural[frequency(p, factors)]);
                Some(Convolution {
                    spectrum: frequencies.collect(),
                    inverse: lines(&pass.steps[at + 1..], !inverse)?,
                })
            }
            _ => None,
        };
        let mut order = 1;
        let mut loops: Vec<PartLoop> = Vec::new();
        for l in pass.loops.iter().rev() {
            let side = |map: &Map| match map.index {
                0 => (map.stride, 0),
                index => (0, index),
            };
            let lines = l.load.index == 0;
            loops.push(PartLoop {
                count: l.count,
                load: side(&l.load),
                store: side(&l.store),
                order: if lines { order } else { 0 },
            });
            order *= if lines { l.count } else { 1 };
        }
        loops.reverse();
        Ok(Part {
            loops,
            load: Line::new(pass, End::Load),
            store: Line::new(pass, End::Store),
            forward: lines(&pass.steps[..at], inverse)?,
            convolution,
            scale: S::Compute::rounded(pass.math.scale),
        })
    }

    /// Points of a line.
    pub fn points(&self) -> usize {
        self.forward.length()
    }

    /// Complex numbers of workspace that one worker needs.
    pub fn workspace(&self) -> usize {
        let inverse = self.convolution.as_ref().map_or(0, |c| c.inverse.scratch());
        self.forward.length() + self.forward.scratch().max(inverse)
    }

    /// Whether the pass stores to the caller's input.
    pub fn writes_input(&self) -> bool {
        self.store.side.slot == mmafft_backend_traits::Slot::Input
    }

    /// Loads, transforms and stores one line.
    ///
    /// # Safety
    /// The slots have the extents that `prepare` computed, and no other worker runs the
    /// same line.
    pub unsafe fn run(&self, slots: &Slots<S>, line: usize, workspace: &mut [Complex<S::Compute>]) {
        let (points, scratch) = workspace.split_at_mut(self.forward.length());
        let start = self.start(line);
        for (k, x) in points.iter_mut().enumerate() {
            let n = start.load.1 + k * self.load.index;
            // SAFETY: by this function's contract.
            *x = unsafe { self.point(slots, &start, n) };
            if let Some(factor) = &self.load.factor {
                *x = *x * factor.of(k, n, &start.indices);
            }
        }
        self.forward.process(points, scratch);
        if let Some(convolution) = &self.convolution {
            for (k, x) in points.iter_mut().enumerate() {
                *x = *x * convolution.spectrum[start.load.1 + k * self.load.index];
            }
            convolution.inverse.process(points, scratch);
        }
        let memory = slots.of(self.store.side.slot);
        for (k, &x) in points.iter().enumerate() {
            let n = start.store.1 + k * self.store.index;
            if let Some(reals) = &self.store.reals {
                let factor = self.store.factor.as_ref();
                let x = factor.map_or(x, |f| x * f.of(k, n, &start.indices));
                // SAFETY: by this function's contract.
                unsafe { self.store_reals(reals, slots, &start, n, x) };
                continue;
            }
            if !self.store.range.contains(&n) {
                continue;
            }
            let factor = self.store.factor.as_ref();
            let x = factor.map_or(x, |f| x * f.of(k, n, &start.indices));
            let at = start.store.0 + n * self.store.unit;
            // SAFETY: by this function's contract.
            unsafe {
                memory.set(at, x.re * self.scale);
                if self.store.side.domain == Domain::Complex {
                    memory.set(at + self.store.side.imaginary, x.im * self.scale);
                }
            }
        }
    }

    /// Stores the reals that point `n` of a line becomes.
    ///
    /// # Safety
    /// As for [`Part::run`].
    unsafe fn store_reals(
        &self,
        reals: &Reals,
        slots: &Slots<S>,
        start: &Start,
        n: usize,
        x: Complex<S::Compute>,
    ) {
        if n >= reals.points {
            return;
        }
        let memory = slots.of(self.store.side.slot);
        let x = x * reals.weight(n);
        let parts = reals.side.reals(reals.length, n).into_iter();
        for (real, x) in parts.zip([x.re, x.im]) {
            let Some(real) = real.filter(|r| self.store.range.contains(&r.0)) else {
                continue;
            };
            let at = start.store.0 + real.0 * self.store.unit;
            // SAFETY: by this function's contract.
            unsafe { memory.set(at, x * reals.factor(real) * self.scale) };
        }
    }

    fn start(&self, line: usize) -> Start {
        let mut start = Start {
            load: (self.load.side.offset, 0),
            store: (self.store.side.offset, 0),
            ..Start::default()
        };
        let mut rest = line;
        for l in self.loops.iter().rev() {
            let i = rest % l.count;
            rest /= l.count;
            start.indices.push(i);
            start.load.0 += i * l.load.0;
            start.load.1 += i * l.load.1;
            start.store.0 += i * l.store.0;
            start.store.1 += i * l.store.1;
            start.order += i * l.order;
        }
        start.indices.reverse();
        start
    }

    /// Point `n` of a line; zero where there is none.
    ///
    /// # Safety
    /// As for [`Part::run`].
    unsafe fn point(&self, slots: &Slots<S>, start: &Start, n: usize) -> Complex<S::Compute> {
        let zero = S::Compute::zero();
        if let Some(reals) = &self.load.reals {
            if n >= reals.points {
                return Complex::default();
            }
            let memory = slots.of(self.load.side.slot);
            let [re, im] = reals.side.reals(reals.length, n).map(|real| match real {
                Some(real) if self.load.range.contains(&real.0) => {
                    let at = start.load.0 + real.0 * self.load.unit;
                    // SAFETY: by this function's contract.
                    reals.factor::<S::Compute>(real) * unsafe { memory.get(at) }
                }
                _ => zero,
            });
            return Complex::new(re, im) * reals.weight(n);
        }
        let (source, mirrored) = match self.load.side.hermitian {
            Some(length) if n >= length => return Complex::default(),
            Some(length) if 2 * n > length => (length - n, true),
            _ => (n, false),
        };
        if !self.load.range.contains(&source) {
            return Complex::default();
        }
        // Of a signal that is real, these have no imaginary part.
        let hermitian = self.load.side.hermitian;
        let real = hermitian.is_some_and(|length| source == 0 || 2 * source == length);
        let Side {
            slot, imaginary, ..
        } = self.load.side;
        let (memory, at, imaginary) = match self.load.side.edges {
            Some(edges) if real => {
                let edge = usize::from(source > 0);
                let at = edges.offset + 2 * (start.order * edges.count + edge);
                (slots.scratch, at, 1)
            }
            Some(_) => {
                let at = start.load.0 + (source - 1) * self.load.unit;
                (slots.of(slot), at, imaginary)
            }
            None => {
                let at = start.load.0 + source * self.load.unit;
                (slots.of(slot), at, imaginary)
            }
        };
        // SAFETY: by this function's contract.
        unsafe {
            let re = memory.get(at);
            let im = match real || self.load.side.domain == Domain::Real {
                true => zero,
                false => memory.get(at + imaginary),
            };
            Complex::new(re, if mirrored { -im } else { im })
        }
    }
}

/// Where among the steps the middle of a convolution is.
fn middle(pass: &Pass) -> Option<usize> {
    let convolves = |step: &Step| matches!(step, Step::Convolve { .. });
    pass.steps.iter().position(convolves)
}

/// The frequency at place `p` of a line as the forward passes leave it: place
/// ((k1·M2) + k2)·M3 + k3 holds k1 + M1·(k2 + M2·k3).
fn frequency(p: usize, factors: &[usize]) -> usize {
    let (mut rest, mut k) = (p, 0);
    for &m in factors.iter().rev() {
        k = k * m + rest % m;
        rest /= m;
    }
    k
}
