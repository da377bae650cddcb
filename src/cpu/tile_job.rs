//! Lines on their way through a tile: whatever is not transformed where it lies.

use super::half_spectrum::HalfSpectrum;
use super::lines::{Lines, LinesAt};
use super::odd_reals::OddReals;
use super::scalar::Storage;
use super::stage::{Group, Slots, Stage};
use super::tile::Points;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{End, Kind};
use num_complex::Complex;
use rustfft::num_traits::{One, Zero};
use std::ops::Range;

/// One group on its way through a tile.
pub struct TileJob<'a, S: Storage> {
    /// The axis.
    pub stage: &'a Stage<S>,
    /// The memories.
    pub slots: &'a Slots<S>,
    /// The lines.
    pub group: &'a Group,
}

/// A core transform, and what a real line of even length needs beside it.
type Core<'a, T> = (&'a dyn Lines<T>, Option<&'a HalfSpectrum<T>>);

impl<S: Storage> TileJob<'_, S> {
    /// The loading side, from point `first` on.
    fn from(&self, first: usize) -> Points<S> {
        self.stage
            .points_from(End::Load, self.slots, self.group, first)
    }

    /// The storing side, from point `first` on.
    fn to(&self, first: usize) -> Points<S> {
        self.stage
            .points_from(End::Store, self.slots, self.group, first)
    }

    /// Complex lines: load, transform, store.
    ///
    /// # Safety
    /// As for [`Stage::run`].
    pub unsafe fn complex(
        &self,
        lines: &dyn Lines<S::Compute>,
        tile: &mut [Complex<S::Compute>],
        scratch: &mut [Complex<S::Compute>],
    ) {
        let (stage, count, n) = (self.stage, self.group.lines, lines.length());
        let tile = &mut tile[..count * n];
        let (load, store) = (&stage.axis.ranges.load, &stage.axis.ranges.store);
        if load.len() < n {
            tile.fill(Complex::default());
        }
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            self.from(load.start)
                .load_complex(count, load.clone(), tile, n);
        }
        lines.process(tile, scratch);
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            self.to(store.start)
                .store_complex(count, store.clone(), tile, n, stage.scale);
        }
    }

    /// Real lines to half spectra.
    ///
    /// # Safety
    /// As for [`Stage::run`].
    pub unsafe fn real_to_half(
        &self,
        (lines, real): Core<'_, S::Compute>,
        tile: &mut [Complex<S::Compute>],
        half: &mut [Complex<S::Compute>],
        scratch: &mut [Complex<S::Compute>],
    ) {
        let (stage, count, n) = (self.stage, self.group.lines, lines.length());
        let (load, store) = (&stage.axis.ranges.load, &stage.axis.ranges.store);
        let tile = &mut tile[..count * n];
        let Some(real) = real else {
            // An odd length: the complex transform of real points, of which half is kept.
            tile.fill(Complex::default());
            // SAFETY: by the contract of `Stage::run`.
            unsafe {
                let from = self.from(load.start);
                from.load_real(count, load.clone(), false, tile, n);
                lines.process(tile, scratch);
                let to = self.to(store.start);
                to.store_complex(count, store.clone(), tile, n, stage.scale);
            }
            return;
        };
        if load.len() < 2 * n {
            tile.fill(Complex::default());
        }
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            let from = self.from(load.start);
            from.load_real(count, load.clone(), true, tile, n);
        }
        let half = &mut half[..count * (n + 1)];
        let ends = [at(tile, n), at(half, n + 1)];
        // SAFETY: these lines are there, and apart. By the contract of `Stage::run`.
        unsafe {
            lines.run_real(real, Middle::Split, ends, count, stage.scale, scratch);
            let to = self.to(store.start);
            to.store_complex(count, store.clone(), half, n + 1, One::one());
        }
    }

    /// Half spectra to real lines.
    ///
    /// # Safety
    /// As for [`Stage::run`].
    pub unsafe fn half_to_real(
        &self,
        (lines, real): Core<'_, S::Compute>,
        tile: &mut [Complex<S::Compute>],
        half: &mut [Complex<S::Compute>],
        scratch: &mut [Complex<S::Compute>],
    ) {
        let (stage, count, n) = (self.stage, self.group.lines, lines.length());
        let store = &stage.axis.ranges.store;
        let m = stage.axis.length / 2 + 1;
        let half = &mut half[..count * m];
        let tile = &mut tile[..count * n];
        // SAFETY: by the contract of `Stage::run`.
        unsafe { self.load_half(half, m) };
        let to = self.to(store.start);
        if let Some(real) = real {
            let ends = [at(half, m), at(tile, n)];
            // SAFETY: these lines are there, and apart. By the contract of `Stage::run`.
            unsafe {
                lines.run_real(real, Middle::Merge, ends, count, stage.scale, scratch);
                to.store_real(count, store.clone(), true, tile, n, One::one());
            }
            return;
        }
        for (z, x) in tile.chunks_exact_mut(n).zip(half.chunks_exact(m)) {
            z[..m].copy_from_slice(x);
            z[0].im = S::Compute::zero();
            for k in 1..m {
                z[n - k] = x[k].conj();
            }
        }
        lines.process(tile, scratch);
        // SAFETY: by the contract of `Stage::run`.
        unsafe { to.store_real(count, store.clone(), false, tile, n, stage.scale) };
    }

    /// Real lines of odd length to half spectra, or back; those that lie as arithmetic has them straight from where they lie
    /// to where they go.
    ///
    /// # Safety
    /// As for [`Stage::run`].
    pub unsafe fn odd_reals(
        &self,
        reals: &OddReals<S::Compute>,
        tile: &mut [Complex<S::Compute>],
        scratch: &mut [Complex<S::Compute>],
    ) {
        let (stage, count, half) = (self.stage, self.group.lines, reals.half());
        let (load, store) = (&stage.axis.ranges.load, &stage.axis.ranges.store);
        let (from, to) = (self.from(load.start), self.to(store.start));
        let tile = &mut tile[..count * half];
        let forward = stage.axis.kind == Kind::R2C;
        let whole_reals = |at: &Points<S>, range: &Range<usize>| {
            at.stride == 1 && range.len() == stage.axis.length
        };
        let whole_points = |at: &Points<S>, range: &Range<usize>| {
            at.contiguous_complex() && range.len() == half && stage.load.edges.is_none()
        };
        let as_they_are = S::is_compute() && stage.scale == One::one();
        let [loaded, stored] = match forward {
            true => [whole_reals(&from, load), whole_points(&to, store)],
            false => [whole_points(&from, load), whole_reals(&to, store)],
        }
        .map(|whole| whole && as_they_are);
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            if !loaded && forward {
                if load.len() < stage.axis.length {
                    tile.fill(Complex::default());
                }
                from.load_real(count, load.clone(), true, tile, half);
            } else if !loaded {
                self.load_half(tile, half);
            }
            let line = |at: &Points<S>, line: usize| {
                let first = at.memory.address(at.start + line * at.line_stride, 0);
                first.cast::<S::Compute>()
            };
            for (i, own) in tile.chunks_exact_mut(half).enumerate() {
                let own = own.as_mut_ptr().cast::<S::Compute>();
                let from = match loaded {
                    true => [i, (i + 1).min(count - 1)].map(|i| line(&from, i).cast_const()),
                    false => [own.cast_const(); 2],
                };
                let to = if stored { line(&to, i) } else { own };
                reals.process(from, to, scratch);
            }
            match forward {
                _ if stored => {}
                true => to.store_complex(count, store.clone(), tile, half, stage.scale),
                false => to.store_real(count, store.clone(), true, tile, half, stage.scale),
            }
        }
    }

    /// Loads the m points of each half spectrum, edge points from scratch.
    unsafe fn load_half(&self, half: &mut [Complex<S::Compute>], m: usize) {
        let (stage, count) = (self.stage, self.group.lines);
        let range = &stage.axis.ranges.load;
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            let Some(edges) = stage.load.edges else {
                if range.len() < m {
                    half.fill(Complex::default());
                }
                let from = self.from(range.start);
                from.load_complex(count, range.clone(), half, m);
                return;
            };
            // The load's address 0 is that of point 1.
            let interior = 1..1 + m - edges.count;
            self.from(0).load_complex(count, interior, half, m);
            for l in 0..count {
                let line = self.group.order + l * stage.inner().order;
                for e in 0..edges.count {
                    let at = edges.offset + 2 * (line * edges.count + e);
                    let scratch = self.slots.scratch;
                    let x = Complex::new(scratch.get(at), scratch.get(at + 1));
                    half[l * m + e * (m - 1)] = x;
                }
            }
        }
    }
}

/// Where lines lie in a tile, so many points from one to the next.
fn at<T>(tile: &mut [Complex<T>], apart: usize) -> LinesAt<T> {
    LinesAt {
        first: tile.as_mut_ptr(),
        apart,
    }
}
