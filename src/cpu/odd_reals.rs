//! Half spectra of real lines of odd length, and back, without the points that are mirror images.
//!
//! ```text
//! x[p + m·j]  --real DFT over j-->  y[k, p], k = 0 ..= r/2      (n = r·m; y[r − k] is conj y[k])
//! k > 0:  X[k + r·l] = Σ y[k, p]·exp(−2πi·kp/n)·exp(−2πi·lp/m)  a complex line of m points
//! k = 0:  X[r·l]     = Σ y[0, p]·exp(−2πi·lp/m)                 a real line of m points: the same again
//! ```
//! All complex lines together have half of the points that a complex transform of the reals has. Lanes go along p: each
//! line is by itself, so that its bits do not depend on others.
//!
//! The file is long because both directions stand beside each other, under one equation.

use super::exchange::{halved, parts, points, Half};
use super::lanes::Lanes;
use super::line_price::{self, Workload};
use super::lines::{Ahead, Library, Lines, Share, CACHE_LINE};
use super::prepare::lines_by;
use super::scalar::{root, Real, Storage};
use super::shared_vectors::groups;
use mmafft_backend_traits::real::Middle;
use num_complex::Complex;
use pulp::Simd;

/// What a plan calls this way.
pub const ODD_REALS: &str = "radices of reals";

/// The largest radix: of longer primes a real DFT by its definition takes more than a convolution.
const LARGEST: usize = 31;

/// The longest line that is transformed whole: calls for its parts would take longer.
const WHOLE: usize = 127;

/// Real lines of one odd length, or their half spectra.
pub struct OddReals<T> {
    length: usize,
    inverse: bool,
    /// Lanes of a vector.
    lanes: usize,
    levels: Vec<Level<T>>,
    /// The complex transform of the real line that is left.
    rest: Library<T>,
}

/// One radix, and the lines that it leaves.
struct Level<T> {
    radix: usize,
    /// m.
    points: usize,
    /// Row k − 1: exp(∓2πi·kp/n), real parts and imaginary parts apart.
    twiddles: [Vec<T>; 2],
    /// cos 2πj/r and sin 2πj/r; twice that for the inverse, which stands for the mirror images.
    roots: [Vec<T>; 2],
    lines: Box<dyn Lines<T>>,
}

/// The factors of an odd length that are radices here, until a short line is left.
///
/// Two factors 3 go as one: reals are read and written once, not twice, and complex lines are shorter.
fn radices(length: usize) -> Vec<usize> {
    let (mut rest, mut radices) = (length, Vec::new());
    for radix in [9].into_iter().chain((3..=LARGEST).step_by(2)) {
        while rest > WHOLE && rest.is_multiple_of(radix) {
            rest /= radix;
            radices.push(radix);
        }
    }
    radices
}

/// Whether lines of so many reals have a radix that halves them.
pub fn halves(length: usize) -> bool {
    length % 2 == 1 && !radices(length).is_empty()
}

/// The transform of so many lines at once.
fn lines<T: Real + Storage<Compute = T>>(
    points: usize,
    count: usize,
    inverse: bool,
) -> Box<dyn Lines<T>> {
    let lanes = T::vector_bytes() / size_of::<T>();
    let of = match count >= lanes {
        true => Workload::Many,
        false => Workload::Single,
    };
    let way = line_price::way(points, of, lanes, size_of::<T>());
    lines_by(way, points, inverse, Middle::Plain)
}

impl<T: Real + Storage<Compute = T>> OddReals<T> {
    /// Lines of `length` reals, which [`halves`].
    pub fn new(length: usize, inverse: bool) -> Self {
        let mut rest = length;
        let level = |radix: usize| {
            let n = rest;
            rest /= radix;
            let (points, half) = (rest, radix / 2);
            let twiddle = |i: usize| root::<T>((i / points + 1) * (i % points), n);
            let sign = T::rounded(if inverse { -1.0 } else { 1.0 });
            let twice = T::rounded(if inverse { 2.0 } else { 1.0 });
            let roots = || (0..radix).map(|j| root::<T>(j, radix));
            Level {
                radix,
                points,
                twiddles: [
                    (0..half * points).map(|i| twiddle(i).re).collect(),
                    (0..half * points).map(|i| sign * twiddle(i).im).collect(),
                ],
                roots: [
                    roots().map(|w| twice * w.re).collect(),
                    roots().map(|w| -twice * w.im).collect(),
                ],
                lines: lines(points, half, inverse),
            }
        };
        let levels = radices(length).into_iter().map(level).collect();
        OddReals {
            length,
            inverse,
            lanes: T::vector_bytes() / size_of::<T>(),
            levels,
            rest: Library::new(rest, inverse),
        }
    }

    /// Points of half a spectrum, and complex numbers that hold a line of reals.
    pub fn half(&self) -> usize {
        self.length / 2 + 1
    }

    /// Complex numbers that a line needs beside its own.
    pub fn scratch(&self) -> usize {
        let own = self.levels.iter().map(|level| level.lines.scratch());
        let lines = own.max().unwrap_or(0).max(self.rest.scratch());
        self.complex() + self.reals() + lines
    }

    /// Complex numbers of the complex lines.
    fn complex(&self) -> usize {
        self.half().max(self.rest.length())
    }

    /// Complex numbers that hold the real lines of one level and of the next.
    fn reals(&self) -> usize {
        self.levels.first().map_or(1, |level| level.points) + 1
    }

    /// Makes half a spectrum of a line of reals; or these of half a spectrum, whose first point has its real part alone.
    /// The second address is of what is read next, which need not exist.
    ///
    /// # Safety
    /// Nobody else touches either line; they are one, or do not overlap.
    pub unsafe fn process(&self, from: [*const T; 2], to: *mut T, scratch: &mut [Complex<T>]) {
        let [from, behind] = from;
        let (complex, scratch) = scratch.split_at_mut(self.complex());
        let (reals, scratch) = scratch.split_at_mut(self.reals());
        let (this, next) = bytemuck::cast_slice_mut::<_, T>(reals).split_at_mut(self.reals());
        // SAFETY: by this function's contract. What is loaded is used up before anything is stored.
        unsafe {
            match self.inverse {
                false => self.forward(from, to, complex, [this, next], scratch),
                true => self.backward([from, behind], to, complex, [this, next], scratch),
            }
        }
    }

    /// Half a spectrum, which the inverse transform reads next and the other one writes, in as many pieces as the first level
    /// has vectors.
    fn ahead(&self, first: *const T) -> Ahead {
        let pieces = self.levels[0].points.div_ceil(self.lanes);
        let bytes = self.half() * size_of::<Complex<T>>();
        let whole = [0, bytes.div_ceil(CACHE_LINE)];
        let lines = match self.inverse {
            true => [whole, [0; 2]],
            false => [[0; 2], whole],
        };
        Share::new(lines, pieces).of(first, first, true)
    }

    /// The points of half a spectrum in a line of a level: of line k, those of every `step` from `k·stride` on, and the
    /// mirror images of the others.
    fn direct(&self, k: usize, [stride, step]: [usize; 2]) -> usize {
        (self.length / 2 + step - k * stride) / step
    }

    /// # Safety
    /// As for [`OddReals::process`].
    unsafe fn forward(
        &self,
        from: *const T,
        to: *mut T,
        complex: &mut [Complex<T>],
        [mut this, mut next]: [&mut [T]; 2],
        scratch: &mut [Complex<T>],
    ) {
        let mut stride = 1;
        for level in &self.levels {
            let lines = &mut complex[..level.radix / 2 * level.points];
            match stride {
                // SAFETY: by this function's contract.
                1 => level.apart(
                    unsafe { std::slice::from_raw_parts(from, self.length) },
                    next,
                    lines,
                    self.ahead(to),
                ),
                _ => level.apart(this, next, lines, Ahead::NONE),
            }
            level.lines.process(lines, scratch);
            // SAFETY: by this function's contract.
            let to = unsafe { std::slice::from_raw_parts_mut(to.cast(), self.half()) };
            let step = level.radix * stride;
            for (k, from) in (1..).zip(lines.chunks_exact(level.points)) {
                let (low, high) = from.split_at(self.direct(k, [stride, step]));
                for (to, &x) in to[k * stride..].iter_mut().step_by(step).zip(low) {
                    *to = x;
                }
                // Points behind the middle are the conjugates of those before it.
                let mirrored = to[step - k * stride..].iter_mut().step_by(step);
                for (to, x) in mirrored.zip(high.iter().rev()) {
                    *to = x.conj();
                }
            }
            stride = step;
            std::mem::swap(&mut this, &mut next);
        }
        // SAFETY: by this function's contract.
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast(), self.half()) };
        let points = &mut complex[..self.rest.length()];
        for (to, &x) in points.iter_mut().zip(&*this) {
            *to = Complex::from(x);
        }
        self.rest.process(points, scratch);
        for (to, &x) in to.iter_mut().step_by(stride).zip(&*points) {
            *to = x;
        }
    }

    /// # Safety
    /// As for [`OddReals::process`].
    unsafe fn backward(
        &self,
        [from, behind]: [*const T; 2],
        to: *mut T,
        complex: &mut [Complex<T>],
        [mut this, mut next]: [&mut [T]; 2],
        scratch: &mut [Complex<T>],
    ) {
        // SAFETY: by this function's contract; it is not used after the last level has loaded it.
        let from = unsafe { std::slice::from_raw_parts(from.cast::<Complex<T>>(), self.half()) };
        let mut stride = self.length / self.rest.length();
        let points = &mut complex[..self.rest.length()];
        points[0] = Complex::from(from[0].re);
        for l in 1..=points.len() / 2 {
            points[l] = from[l * stride];
            points[self.rest.length() - l] = points[l].conj();
        }
        self.rest.process(points, scratch);
        for (to, x) in this.iter_mut().zip(&*points) {
            *to = x.re;
        }
        for level in self.levels.iter().rev() {
            let step = stride;
            stride /= level.radix;
            let lines = &mut complex[..level.radix / 2 * level.points];
            for (k, to) in (1..).zip(lines.chunks_exact_mut(level.points)) {
                let (low, high) = to.split_at_mut(self.direct(k, [stride, step]));
                for (x, &from) in low.iter_mut().zip(from[k * stride..].iter().step_by(step)) {
                    *x = from;
                }
                let mirrored = from[step - k * stride..].iter().step_by(step);
                for (x, from) in high.iter_mut().rev().zip(mirrored) {
                    *x = from.conj();
                }
            }
            level.lines.process(lines, scratch);
            match stride {
                // SAFETY: by this function's contract.
                1 => level.together(
                    this,
                    unsafe { std::slice::from_raw_parts_mut(to, self.length) },
                    lines,
                    self.ahead(behind),
                ),
                _ => level.together(this, next, lines, Ahead::NONE),
            }
            std::mem::swap(&mut this, &mut next);
        }
    }
}

impl<T: Real> Level<T> {
    /// Splits a real line into a shorter one and complex lines.
    fn apart(&self, reals: &[T], shorter: &mut [T], lines: &mut [Complex<T>], ahead: Ahead) {
        T::odd_step(OddStep {
            level: self,
            reals: reals[..self.radix * self.points].as_ptr().cast_mut(),
            shorter: shorter[..self.points].as_mut_ptr(),
            lines: lines[..self.radix / 2 * self.points].as_mut_ptr().cast(),
            inverse: false,
            ahead,
        });
    }

    /// Makes a real line of a shorter one and complex lines.
    fn together(&self, shorter: &mut [T], reals: &mut [T], lines: &mut [Complex<T>], ahead: Ahead) {
        T::odd_step(OddStep {
            level: self,
            reals: reals[..self.radix * self.points].as_mut_ptr(),
            shorter: shorter[..self.points].as_mut_ptr(),
            lines: lines[..self.radix / 2 * self.points].as_mut_ptr().cast(),
            inverse: true,
            ahead,
        });
    }
}

/// One radix, all p: reals are read and the others written, or the others read and reals written.
pub struct OddStep<'a, T> {
    level: &'a Level<T>,
    /// r·m of them.
    reals: *mut T,
    /// m of them.
    shorter: *mut T,
    /// m points of each of r/2 lines.
    lines: *mut T,
    inverse: bool,
    /// Half a spectrum that is asked for meanwhile: the one that is written next, or the one that is read next.
    ahead: Ahead,
}

/// Half of the largest radix, and the first point.
const POINTS: usize = LARGEST / 2 + 1;

impl<T: Real> OddStep<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S> + Lanes<Half>,
    {
        match halved(simd) {
            Some(half) if self.level.points < <T as Lanes<S>>::W => self.by_radix::<Half>(half),
            _ => self.by_radix::<S>(simd),
        }
    }

    #[inline(always)]
    fn by_radix<S: Simd>(&self, simd: S)
    where
        T: Lanes<S>,
    {
        // Each radix leaves more points than half of the widest vectors have lanes, as the line was longer than `WHOLE`.
        assert!(self.level.points >= T::W);
        // SAFETY: a vector is not longer.
        unsafe {
            // The halves of usual radices are known when this is compiled.
            match self.level.radix {
                3 => self.all::<S>(simd, 1),
                5 => self.all::<S>(simd, 2),
                7 => self.all::<S>(simd, 3),
                9 => self.all::<S>(simd, 4),
                11 => self.all::<S>(simd, 5),
                13 => self.all::<S>(simd, 6),
                radix => self.all::<S>(simd, radix / 2),
            }
        }
    }

    /// All p, a vector of them at a time: the last does some of the one before it again, to the same values.
    ///
    /// # Safety
    /// There are as many p as a vector has lanes.
    #[inline(always)]
    unsafe fn all<S: Simd>(&self, simd: S, half: usize)
    where
        T: Lanes<S>,
    {
        for (piece, p) in groups(self.level.points, T::W).enumerate() {
            self.ahead.fetch(piece);
            // SAFETY: by this function's contract.
            unsafe {
                match self.inverse {
                    false => self.split::<S>(simd, half, p),
                    true => self.merge::<S>(simd, half, p),
                }
            }
        }
    }

    /// Real `p + m·j`, a vector from there on.
    #[inline(always)]
    fn real<S: Simd>(&self, j: usize, p: usize) -> *mut T::V
    where
        T: Lanes<S>,
    {
        self.reals.wrapping_add(p + self.level.points * j).cast()
    }

    /// Point p of line k, and its twiddle.
    #[inline(always)]
    unsafe fn point<S: Simd>(&self, k: usize, p: usize) -> (*mut [T::V; 2], [T::V; 2])
    where
        T: Lanes<S>,
    {
        let at = (k - 1) * self.level.points + p;
        let twiddle = |part: usize| {
            let table = self.level.twiddles[part].as_ptr();
            // SAFETY: by the caller's contract a vector of twiddles begins here.
            unsafe { table.add(at).cast::<T::V>().read_unaligned() }
        };
        let to = self.lines.wrapping_add(2 * at).cast();
        (to, [twiddle(0), twiddle(1)])
    }

    #[inline(always)]
    unsafe fn split<S: Simd>(&self, simd: S, half: usize, p: usize)
    where
        T: Lanes<S>,
    {
        let radix = 2 * half + 1;
        let [cos, sin] = self.level.roots.each_ref().map(|roots| &roots[..radix]);
        // SAFETY: reals p … of every j exist, and point p … of every line.
        unsafe {
            let first = self.real::<S>(0, p).read_unaligned();
            let (mut e, mut o) = ([first; POINTS], [first; POINTS]);
            let mut sum = first;
            for n in 1..=half {
                let a = self.real::<S>(n, p).read_unaligned();
                let b = self.real::<S>(radix - n, p).read_unaligned();
                (e[n], o[n]) = (T::vadd(simd, a, b), T::vsub(simd, a, b));
                sum = T::vadd(simd, sum, e[n]);
            }
            self.shorter.add(p).cast::<T::V>().write_unaligned(sum);
            for k in 1..=half {
                let mut re = first;
                // The imaginary part, negative.
                let mut im = T::vmul(simd, o[1], T::splat(simd, sin[k]));
                for n in 1..=half {
                    re = T::vfma(simd, e[n], T::splat(simd, cos[k * n % radix]), re);
                    if n > 1 {
                        im = T::vfma(simd, o[n], T::splat(simd, sin[k * n % radix]), im);
                    }
                }
                let (to, [wr, wi]) = self.point::<S>(k, p);
                let cross = T::vmul(simd, re, wi);
                let x = [
                    T::vfma(simd, re, wr, T::vmul(simd, im, wi)),
                    T::vneg(simd, T::vfma(simd, im, wr, T::vneg(simd, cross))),
                ];
                to.write_unaligned(points::<S, T>(simd, x));
            }
        }
    }

    #[inline(always)]
    unsafe fn merge<S: Simd>(&self, simd: S, half: usize, p: usize)
    where
        T: Lanes<S>,
    {
        let radix = 2 * half + 1;
        let [cos, sin] = self.level.roots.each_ref().map(|roots| &roots[..radix]);
        // SAFETY: as for `split`.
        unsafe {
            let first = self.shorter.add(p).cast::<T::V>().read_unaligned();
            let (mut a, mut b) = ([first; POINTS], [first; POINTS]);
            let mut sum = first;
            let two = T::splat(simd, cos[0]);
            for k in 1..=half {
                let (from, [wr, wi]) = self.point::<S>(k, p);
                let [re, im] = parts::<S, T>(simd, from.read_unaligned());
                let cross = T::vmul(simd, im, wi);
                a[k] = T::vfma(simd, re, wr, T::vneg(simd, cross));
                b[k] = T::vfma(simd, re, wi, T::vmul(simd, im, wr));
                sum = T::vfma(simd, a[k], two, sum);
            }
            self.real::<S>(0, p).write_unaligned(sum);
            for j in 1..=half {
                let mut even = first;
                let mut odd = T::vmul(simd, b[1], T::splat(simd, sin[j]));
                for k in 1..=half {
                    even = T::vfma(simd, a[k], T::splat(simd, cos[j * k % radix]), even);
                    if k > 1 {
                        odd = T::vfma(simd, b[k], T::splat(simd, sin[j * k % radix]), odd);
                    }
                }
                let x = T::vsub(simd, even, odd);
                self.real::<S>(j, p).write_unaligned(x);
                let x = T::vadd(simd, even, odd);
                self.real::<S>(radix - j, p).write_unaligned(x);
            }
        }
    }
}

with_simd!(OddStep -> ());

#[cfg(test)]
#[path = "odd_reals_tests.rs"]
mod tests;
