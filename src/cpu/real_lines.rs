//! Lines from reals to as many reals: gather, DFT, scatter, as the row of the kind says.

use super::half_spectrum::HalfSpectrum;
use super::lines::Lines;
use super::real_side::SideTable;
use super::scalar::{Real, Storage};
use super::stage::{Group, Slots, Stage};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{End, TileAxis};
use num_complex::Complex;
use rustfft::num_traits::One;

/// A kind's reduction, for one length.
pub struct RealLines<T> {
    length: usize,
    load: SideTable<T>,
    store: SideTable<T>,
    middle: Middle,
    half: HalfSpectrum<T>,
    lines: Box<dyn Lines<T>>,
}

impl<T: Real + Storage<Compute = T>> RealLines<T> {
    /// For an axis whose DFT is `lines`.
    pub fn new(axis: &TileAxis, lines: Box<dyn Lines<T>>, orthogonal: bool) -> Self {
        let reduction = axis.kind.reduction(axis.length, false);
        let core = lines.length();
        let points = |half: Middle| core + usize::from(reduction.middle == half);
        let edge = |factor: f64| orthogonal.then_some(factor);
        let (root, inverse) = (std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2);
        RealLines {
            length: axis.length,
            load: SideTable::new(
                &reduction.load,
                axis.length,
                points(Middle::Merge),
                edge(root),
            ),
            store: SideTable::new(
                &reduction.store,
                axis.length,
                points(Middle::Split),
                edge(inverse),
            ),
            middle: reduction.middle,
            half: HalfSpectrum::new(2 * core),
            lines,
        }
    }

    /// Complex numbers that a line of reals takes.
    fn pitch(&self) -> usize {
        self.length.div_ceil(2)
    }

    /// Complex numbers of workspace for groups of so many lines.
    pub fn workspace(&self, lines: usize) -> usize {
        lines * self.pitch() + 2 * (self.lines.length() + 1) + self.lines.scratch()
    }

    /// Loads, transforms and stores a group of lines.
    ///
    /// # Safety
    /// As for [`Stage::run`]; `workspace` has what [`RealLines::workspace`] says.
    pub unsafe fn run<S: Storage<Compute = T>>(
        &self,
        stage: &Stage<S>,
        slots: &Slots<S>,
        group: &Group,
        workspace: &mut [Complex<T>],
    ) {
        let (n, pitch) = (self.length, self.pitch());
        let (load, store) = (&stage.axis.ranges.load, &stage.axis.ranges.store);
        let (reals, rest) = workspace.split_at_mut(stage.lines * pitch);
        let reals = &mut reals[..group.lines * pitch];
        let from = stage.points_from(End::Load, slots, group, load.start);
        let to = stage.points_from(End::Store, slots, group, store.start);
        let direct = |range: &std::ops::Range<usize>, stride| {
            S::is_compute() && range.len() == n && (stride == 1 || n == 1)
        };
        let from_memory = direct(load, from.stride);
        let to_memory = direct(store, to.stride);
        // SAFETY: by this function's contract.
        unsafe {
            if !from_memory {
                if load.len() < n {
                    reals.fill(Complex::default());
                }
                from.load_real(group.lines, load.clone(), true, reals, pitch);
            }
            for line in 0..group.lines {
                let own: &mut [T] = bytemuck::cast_slice_mut(&mut reals[line * pitch..][..pitch]);
                let memory = match from_memory {
                    true => Some(from.memory.scalars(from.start + line * from.line_stride, n)),
                    false => None,
                };
                let points = self.transform(memory.unwrap_or(own), rest);
                if to_memory {
                    let start = to.start + line * to.line_stride;
                    let out = to.memory.scalars_mut(start, n);
                    self.store.scatter(points, out, stage.scale);
                } else {
                    self.store.scatter(points, own, stage.scale);
                }
            }
            if !to_memory {
                to.store_real(group.lines, store.clone(), true, reals, pitch, One::one());
            }
        }
    }

    /// The points that the store makes reals of.
    fn transform<'a>(&self, reals: &[T], workspace: &'a mut [Complex<T>]) -> &'a mut [Complex<T>] {
        let core = self.lines.length();
        let (a, rest) = workspace.split_at_mut(core + 1);
        let (b, scratch) = rest.split_at_mut(core + 1);
        match self.middle {
            Middle::Plain => {
                self.load.gather(reals, a);
                self.lines.process(&mut a[..core], scratch);
                a
            }
            Middle::Merge => {
                self.load.gather(reals, a);
                self.half.merge(a, b);
                self.lines.process(&mut b[..core], scratch);
                b
            }
            Middle::Split => {
                if self.load.is_pairs() {
                    let pairs = bytemuck::cast_slice(reals);
                    self.lines.process_to(pairs, &mut a[..core], scratch);
                } else {
                    self.load.gather(reals, a);
                    self.lines.process(&mut a[..core], scratch);
                }
                self.half.split(a, b, One::one());
                b
            }
        }
    }
}
