//! Lines on their way through a tile: whatever is not transformed where it lies.

use super::half_spectrum::HalfSpectrum;
use super::lines::Lines;
use super::odd_reals::OddReals;
use super::scalar::Storage;
use super::scaling::{lines_at_once, scale};
use super::stage::{Group, Slots, Stage};
use super::tile::Points;
use mmafft_backend_traits::{End, Kind};
use num_complex::Complex;
use rustfft::num_traits::{One, Zero};

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
        let from = self.from(load.start);
        let whole = load.len() == 2 * n;
        if S::is_compute() && whole && from.stride == 1 {
            let (calls, per_call) = match from.line_stride == 2 * n {
                true => (1, count),
                false => (count, 1),
            };
            for call in 0..calls {
                let tile = &mut tile[call * n..][..per_call * n];
                // SAFETY: 2n reals in a row are n packed pairs; by the contract of `run`.
                let pairs = unsafe {
                    from.memory
                        .complex(from.start + call * from.line_stride, per_call * n)
                };
                lines.process_to(pairs, tile, scratch);
            }
        } else {
            if !whole {
                tile.fill(Complex::default());
            }
            // SAFETY: by the contract of `Stage::run`.
            unsafe { from.load_real(count, load.clone(), true, tile, n) };
            lines.process(tile, scratch);
        }
        let to = self.to(store.start);
        let direct = S::is_compute() && store.len() == n + 1 && to.stride == 2 && to.imaginary == 1;
        for (l, z) in tile.chunks_exact(n).enumerate() {
            if direct {
                // SAFETY: by the contract of `Stage::run`; the line is loaded already.
                let x = unsafe { to.memory.complex_mut(to.start + l * to.line_stride, n + 1) };
                real.split(z, x, stage.scale);
            } else {
                real.split(z, &mut half[l * (n + 1)..][..n + 1], stage.scale);
            }
        }
        if !direct {
            // SAFETY: by the contract of `Stage::run`.
            unsafe { to.store_complex(count, store.clone(), half, n + 1, One::one()) };
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
        let from = self.from(0);
        let in_rows = S::is_compute()
            && stage.load.edges.is_none()
            && stage.axis.ranges.load.len() == m
            && from.stride == 2
            && from.imaginary == 1;
        if !in_rows {
            // SAFETY: by the contract of `Stage::run`.
            unsafe { self.load_half(half, m) };
        }
        for (l, z) in tile.chunks_exact_mut(n).enumerate() {
            let x = match in_rows {
                // SAFETY: by the contract of `Stage::run`; S is its own Compute.
                true => unsafe { from.memory.complex(from.start + l * from.line_stride, m) },
                false => &half[l * m..][..m],
            };
            match real {
                Some(real) => real.merge(x, z),
                None => {
                    z[..m].copy_from_slice(x);
                    z[0].im = S::Compute::zero();
                    for k in 1..m {
                        z[n - k] = x[k].conj();
                    }
                }
            }
        }
        let (to, packed) = (self.to(store.start), real.is_some());
        let whole = packed && store.len() == 2 * n;
        if S::is_compute() && whole && to.stride == 1 {
            let per_call = match to.line_stride == 2 * n {
                true => lines_at_once(count, n, stage.scale),
                false => 1,
            };
            for first in (0..count).step_by(per_call) {
                let tile = &tile[first * n..][..per_call.min(count - first) * n];
                // SAFETY: by the contract of `Stage::run`; every line is loaded already.
                let pairs = unsafe {
                    to.memory
                        .complex_mut(to.start + first * to.line_stride, tile.len())
                };
                lines.process_to(tile, pairs, scratch);
                scale(pairs, stage.scale);
            }
            return;
        }
        lines.process(tile, scratch);
        // SAFETY: by the contract of `Stage::run`.
        unsafe { to.store_real(count, store.clone(), packed, tile, n, stage.scale) };
    }

    /// Real lines of odd length to half spectra, or back.
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
        let tile = &mut tile[..count * half];
        let forward = stage.axis.kind == Kind::R2C;
        // SAFETY: by the contract of `Stage::run`.
        unsafe {
            if forward {
                if load.len() < stage.axis.length {
                    tile.fill(Complex::default());
                }
                self.from(load.start)
                    .load_real(count, load.clone(), true, tile, half);
            } else {
                self.load_half(tile, half);
            }
            for line in tile.chunks_exact_mut(half) {
                reals.process(line, scratch);
            }
            let to = self.to(store.start);
            match forward {
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
