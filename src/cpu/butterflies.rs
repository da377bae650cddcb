//! The arithmetic of the column transform: Stockham steps over vectors of lines.
//!
//! Everything is `#[inline(always)]` into one function per instruction set, so that the
//! butterflies compile to plain vector code; `columns.rs` has the algorithm.
//!
//! Longer than most files: one loop, and the small DFTs that are inlined into it.

use super::columns::{ColumnFft, ColumnTile, Lanes, MOST_VECTORS};
use super::scalar::Real;
use pulp::Simd;

/// A complex vector: real parts, imaginary parts.
type C<S, T> = (<T as Lanes<S>>::V, <T as Lanes<S>>::V);

/// How rows of complex vectors lie.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// In the workspace: W real parts, W imaginary parts.
    Planar,
    /// In memory, W points side by side.
    Interleaved,
    /// In memory, fewer points than a vector has lanes.
    Partial,
}

/// Rows that lie as their form says; those of the other two are known when a step is compiled.
const ANY: u8 = 0;
const PLANAR: u8 = 1;
const INTERLEAVED: u8 = 2;

/// Rows of complex vectors.
#[derive(Clone, Copy)]
struct Rows<T> {
    start: *mut T,
    /// Scalars from row to row.
    stride: usize,
    form: Form,
    /// Valid lines of a row.
    lines: usize,
}

impl<T: Copy + Default> Rows<T> {
    /// The form, where a step is not compiled for one.
    #[inline(always)]
    fn form(&self, known: u8) -> Form {
        match known {
            PLANAR => Form::Planar,
            INTERLEAVED => Form::Interleaved,
            _ => self.form,
        }
    }

    /// Scalars from row to row.
    #[inline(always)]
    fn stride<S: Simd>(&self, known: u8) -> usize
    where
        T: Lanes<S>,
    {
        match known {
            PLANAR => 2 * T::W,
            _ => self.stride,
        }
    }

    /// Loads rows `first`, `first + step`, … One branch on the form serves all of them, and
    /// one addition finds the next.
    ///
    /// # Safety
    /// These rows exist.
    #[inline(always)]
    unsafe fn load<S: Simd, const R: usize, const FORM: u8>(
        &self,
        simd: S,
        first: usize,
        step: usize,
    ) -> [C<S, T>; R]
    where
        T: Lanes<S>,
    {
        let zero = T::splat(simd, T::default());
        let mut x = [(zero, zero); R];
        let stride = self.stride::<S>(FORM);
        let mut row = self.start.wrapping_add(first * stride);
        let step = step * stride;
        // SAFETY: the rows exist, and a whole one has 2·W scalars.
        unsafe {
            match self.form(FORM) {
                Form::Planar => {
                    for x in &mut x {
                        let [re, im] = row.cast::<[T::V; 2]>().read_unaligned();
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
                Form::Interleaved => {
                    for x in &mut x {
                        let pairs = row.cast::<[T::V; 2]>().read_unaligned();
                        let [re, im] = T::deinterleave(simd, pairs);
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
                Form::Partial => {
                    for x in &mut x {
                        let mut pairs = [zero; 2];
                        row.copy_to_nonoverlapping(pairs.as_mut_ptr().cast(), 2 * self.lines);
                        let [re, im] = T::deinterleave(simd, pairs);
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
            }
        }
        x
    }

    /// Stores rows `first`, `first + step`, …, of the inverse DFT all but the first in the opposite order.
    ///
    /// # Safety
    /// These rows exist, and nobody else touches them.
    #[inline(always)]
    unsafe fn store<S: Simd, const R: usize, const FORM: u8>(
        &self,
        simd: S,
        first: usize,
        step: usize,
        inverse: bool,
        y: [C<S, T>; R],
    ) where
        T: Lanes<S>,
    {
        let stride = self.stride::<S>(FORM);
        let start = self.start.wrapping_add(first * stride);
        let step = (step * stride) as isize;
        let (second, step) = match inverse {
            false => (step, step),
            true => ((R as isize - 1) * step, -step),
        };
        let mut row = start;
        // SAFETY: as for `load`.
        unsafe {
            match self.form(FORM) {
                Form::Planar => {
                    for (k, y) in y.into_iter().enumerate() {
                        row.cast::<[T::V; 2]>().write_unaligned([y.0, y.1]);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
                Form::Interleaved => {
                    for (k, y) in y.into_iter().enumerate() {
                        let pairs = T::interleave(simd, [y.0, y.1]);
                        row.cast::<[T::V; 2]>().write_unaligned(pairs);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
                Form::Partial => {
                    for (k, y) in y.into_iter().enumerate() {
                        let pairs = T::interleave(simd, [y.0, y.1]);
                        row.copy_from_nonoverlapping(pairs.as_ptr().cast(), 2 * self.lines);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
            }
        }
    }
}

/// One Stockham step on one or several vectors of lines.
struct StepArgs<'a, T> {
    from: [Rows<T>; MOST_VECTORS],
    to: [Rows<T>; MOST_VECTORS],
    /// How many vectors there are.
    vectors: usize,
    /// n/r, the number of distinct twiddle rows.
    m: usize,
    /// Interleaved sub-transforms so far.
    s: usize,
    twiddles: &'a [T],
    /// Of an odd radix: cos 2πm/r, then sin 2πm/r, for m in 0..r.
    roots: &'a [T],
    inverse: bool,
    scale: Option<T>,
}

/// Transforms a tile. The steps that touch memory go over all vectors of a row before the
/// next row, so that a visit to a row is worth its address translation and its cache
/// misses; those in between go vector by vector, each in its own copy.
#[inline(always)]
pub fn transform<S: Simd, T: Lanes<S> + Real>(
    simd: S,
    fft: &ColumnFft<T>,
    tile: ColumnTile<'_, T>,
) -> [usize; MOST_VECTORS] {
    let width = 2 * T::W;
    assert!(tile.workspace.len() >= fft.workspace() && tile.lines <= fft.vectors * T::W);
    let first = fft.planar(tile.workspace.as_mut_ptr());
    let planar = |copy: usize| Rows {
        start: first.wrapping_add(copy * fft.length * width),
        stride: width,
        form: Form::Planar,
        lines: T::W,
    };
    let memory = |start: *mut T, stride: usize, vector: usize| {
        let lines = tile.lines.saturating_sub(vector * T::W).min(T::W);
        Rows {
            start: start.wrapping_add(vector * width),
            stride,
            form: match lines == T::W {
                true => Form::Interleaved,
                false => Form::Partial,
            },
            lines,
        }
    };
    let vectors = tile.lines.div_ceil(T::W);
    // Which copy of the workspace each vector is in; one more is free.
    let mut copies: [usize; MOST_VECTORS] = std::array::from_fn(|v| v);
    let mut free = vectors;
    let (mut rest, mut s) = (fft.length, 1);
    let last = fft.radices.len().saturating_sub(1);
    for (i, &radix) in fft.radices.iter().enumerate() {
        let m = rest / radix;
        let loads = i == 0 && !tile.load.is_null();
        let stores = i == last && !tile.store.is_null();
        let outer = loads || stores;
        for vector in 0..if outer { 1 } else { vectors } {
            let mut from = copies.map(planar);
            let mut to = copies.map(planar);
            let mut together = vectors;
            if !outer {
                from[0] = planar(copies[vector]);
                to[0] = planar(free);
                std::mem::swap(&mut copies[vector], &mut free);
                together = 1;
            }
            for v in 0..MOST_VECTORS {
                if loads {
                    from[v] = memory(tile.load.cast_mut(), tile.load_stride, v);
                }
                if stores {
                    to[v] = memory(tile.store, tile.store_stride, v);
                }
            }
            let args = StepArgs {
                from,
                to,
                vectors: together,
                m,
                s,
                twiddles: &fft.twiddles[i],
                roots: &fft.roots[i],
                inverse: fft.inverse,
                scale: (i == last && tile.scale != T::one()).then_some(tile.scale),
            };
            step_of(simd, radix, &args);
        }
        rest = m;
        s *= radix;
    }
    copies
}

/// The radices that have a butterfly, in order of preference, and the step of each: those of small ones are compiled for
/// each form of rows.
macro_rules! butterflies {
    ($($small:literal),*; $($large:literal),*) => {
        /// The radices of the CPU's butterflies, those that are preferred first.
        pub const BUTTERFLIES: &[usize] = &[$($small,)* $($large),*];

        #[inline(always)]
        fn step_of<S: Simd, T: Lanes<S> + Real>(simd: S, radix: usize, args: &StepArgs<'_, T>) {
            match radix {
                $($small => match known_forms(args) {
                    [PLANAR, PLANAR] => step::<S, T, $small, PLANAR, PLANAR>(simd, args),
                    [INTERLEAVED, PLANAR] => step::<S, T, $small, INTERLEAVED, PLANAR>(simd, args),
                    [PLANAR, INTERLEAVED] => step::<S, T, $small, PLANAR, INTERLEAVED>(simd, args),
                    _ => step::<S, T, $small, ANY, ANY>(simd, args),
                },)*
                $($large => step::<S, T, $large, ANY, ANY>(simd, args),)*
                _ => unreachable!("CpuBackend::prepare refuses radices without a butterfly"),
            }
        }
    };
}
butterflies!(8, 4, 2, 3, 5; 7, 11, 13, 17, 19, 23, 29, 31);

/// How the rows of all vectors lie, where they lie alike.
fn known_forms<T>(args: &StepArgs<'_, T>) -> [u8; 2] {
    [&args.from, &args.to].map(|rows| match rows[args.vectors - 1].form {
        Form::Planar => PLANAR,
        Form::Interleaved => INTERLEAVED,
        Form::Partial => ANY,
    })
}

#[inline(always)]
fn step<S: Simd, T: Lanes<S> + Real, const R: usize, const FROM: u8, const TO: u8>(
    simd: S,
    args: &StepArgs<'_, T>,
) {
    struct Step<'a, S, T, const R: usize, const FROM: u8, const TO: u8>(S, &'a StepArgs<'a, T>);
    impl<S: Simd, T: Lanes<S> + Real, const R: usize, const FROM: u8, const TO: u8>
        pulp::NullaryFnOnce for Step<'_, S, T, R, FROM, TO>
    {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            let args = self.1;
            rows::<S, T, R, FROM, TO, false>(self.0, args, 0..1);
            rows::<S, T, R, FROM, TO, true>(self.0, args, 1..args.m);
        }
    }
    // A call of its own: one function with all butterflies inlined compiles poorly.
    simd.vectorize(Step::<S, T, R, FROM, TO>(simd, args));
}

/// The sub-transforms of some rows of twiddles, of which the first row has none but 1.
#[inline(always)]
fn rows<
    S: Simd,
    T: Lanes<S> + Real,
    const R: usize,
    const FROM: u8,
    const TO: u8,
    const TWIDDLED: bool,
>(
    simd: S,
    args: &StepArgs<'_, T>,
    rows: std::ops::Range<usize>,
) {
    let &StepArgs { m, s, inverse, .. } = args;
    // What stays in the workspace is scaled later.
    let scaled = TO != PLANAR && args.scale.is_some();
    let scale = T::splat(simd, args.scale.unwrap_or(T::one()));
    for p in rows {
        let row = &args.twiddles[p * 2 * (R - 1)..(p + 1) * 2 * (R - 1)];
        for q in 0..s {
            for (from, to) in args.from[..args.vectors]
                .iter()
                .zip(&args.to[..args.vectors])
            {
                // SAFETY: q + s(p + m·j) and q + s(R·p + k) are below s·m·R, the length.
                unsafe {
                    let x = from.load::<S, R, FROM>(simd, q + s * p, s * m);
                    let mut y = dft::<S, T, R>(simd, x, args.roots);
                    if TWIDDLED {
                        for k in 1..R {
                            y[k] = multiply::<S, T>(simd, y[k], row[2 * k - 2], row[2 * k - 1]);
                        }
                    }
                    if scaled {
                        for y in &mut y {
                            *y = (T::vmul(simd, y.0, scale), T::vmul(simd, y.1, scale));
                        }
                    }
                    to.store::<S, R, TO>(simd, q + s * R * p, s, inverse, y);
                }
            }
        }
    }
}

#[inline(always)]
fn multiply<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, re: T, im: T) -> C<S, T> {
    let (re, im) = (T::splat(simd, re), T::splat(simd, im));
    let cross = T::vmul(simd, a.1, im);
    (
        T::vfma(simd, a.0, re, T::vneg(simd, cross)),
        T::vfma(simd, a.0, im, T::vmul(simd, a.1, re)),
    )
}

#[inline(always)]
fn add<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, b: C<S, T>) -> C<S, T> {
    (T::vadd(simd, a.0, b.0), T::vadd(simd, a.1, b.1))
}

#[inline(always)]
fn sub<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, b: C<S, T>) -> C<S, T> {
    (T::vsub(simd, a.0, b.0), T::vsub(simd, a.1, b.1))
}

/// a − i·b
#[inline(always)]
fn sub_i<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, b: C<S, T>) -> C<S, T> {
    (T::vadd(simd, a.0, b.1), T::vsub(simd, a.1, b.0))
}

/// a + i·b
#[inline(always)]
fn add_i<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, b: C<S, T>) -> C<S, T> {
    (T::vsub(simd, a.0, b.1), T::vadd(simd, a.1, b.0))
}

/// The forward DFT of R points.
#[inline(always)]
fn dft<S: Simd, T: Lanes<S> + Real, const R: usize>(
    simd: S,
    x: [C<S, T>; R],
    roots: &[T],
) -> [C<S, T>; R] {
    let mut y = x;
    match R {
        2 => {
            y[0] = add::<S, T>(simd, x[0], x[1]);
            y[1] = sub::<S, T>(simd, x[0], x[1]);
        }
        4 => {
            let z = dft4::<S, T>(simd, [x[0], x[1], x[2], x[3]]);
            y[..4].copy_from_slice(&z);
        }
        8 => {
            // Even and odd points apart, then X[k], X[k+4] = E[k] ± w^k·O[k].
            let e = dft4::<S, T>(simd, [x[0], x[2], x[4], x[6]]);
            let o = dft4::<S, T>(simd, [x[1], x[3], x[5], x[7]]);
            let half = T::splat(simd, T::rounded(std::f64::consts::FRAC_1_SQRT_2));
            // Parts are made smaller before they are added, so that sums are in range where results are.
            let [a, b] = [o[1], o[3]].map(|x| (T::vmul(simd, x.0, half), T::vmul(simd, x.1, half)));
            // w = (1 − i)/√2 and w³ = −(1 + i)/√2.
            let o1 = (T::vadd(simd, a.0, a.1), T::vsub(simd, a.1, a.0));
            let o3 = (
                T::vsub(simd, b.1, b.0),
                T::vneg(simd, T::vadd(simd, b.0, b.1)),
            );
            y[0] = add::<S, T>(simd, e[0], o[0]);
            y[4] = sub::<S, T>(simd, e[0], o[0]);
            y[1] = add::<S, T>(simd, e[1], o1);
            y[5] = sub::<S, T>(simd, e[1], o1);
            y[2] = sub_i::<S, T>(simd, e[2], o[2]);
            y[6] = add_i::<S, T>(simd, e[2], o[2]);
            y[3] = add::<S, T>(simd, e[3], o3);
            y[7] = sub::<S, T>(simd, e[3], o3);
        }
        _ => odd_dft::<S, T, R>(simd, &x, &mut y, roots),
    }
    y
}

#[inline(always)]
fn dft4<S: Simd, T: Lanes<S>>(simd: S, x: [C<S, T>; 4]) -> [C<S, T>; 4] {
    let (a, b) = (add::<S, T>(simd, x[0], x[2]), sub::<S, T>(simd, x[0], x[2]));
    let (c, d) = (add::<S, T>(simd, x[1], x[3]), sub::<S, T>(simd, x[1], x[3]));
    [
        add::<S, T>(simd, a, c),
        sub_i::<S, T>(simd, b, d),
        sub::<S, T>(simd, a, c),
        add_i::<S, T>(simd, b, d),
    ]
}

/// An odd R: with e = x[n] + x[R−n] and o = x[n] − x[R−n],
/// X[k], X[R−k] = (x[0] + Σ cos·e) ∓ i·(Σ sin·o): real products, a quarter of them.
#[inline(always)]
fn odd_dft<S: Simd, T: Lanes<S> + Real, const R: usize>(
    simd: S,
    x: &[C<S, T>; R],
    y: &mut [C<S, T>; R],
    roots: &[T],
) {
    let h = R / 2;
    let roots = &roots[..2 * R];
    let mut e = *x;
    let mut o = *x;
    y[0] = x[0];
    for n in 1..=h {
        e[n] = add::<S, T>(simd, x[n], x[R - n]);
        o[n] = sub::<S, T>(simd, x[n], x[R - n]);
        y[0] = add::<S, T>(simd, y[0], e[n]);
    }
    for k in 1..=h {
        let mut a = x[0];
        let mut b: C<S, T> = {
            let sin = T::splat(simd, roots[R + k]);
            (T::vmul(simd, o[1].0, sin), T::vmul(simd, o[1].1, sin))
        };
        for n in 1..=h {
            let cos = T::splat(simd, roots[k * n % R]);
            a = (
                T::vfma(simd, e[n].0, cos, a.0),
                T::vfma(simd, e[n].1, cos, a.1),
            );
            if n > 1 {
                let sin = T::splat(simd, roots[R + k * n % R]);
                b = (
                    T::vfma(simd, o[n].0, sin, b.0),
                    T::vfma(simd, o[n].1, sin, b.1),
                );
            }
        }
        y[k] = sub_i::<S, T>(simd, a, b);
        y[R - k] = add_i::<S, T>(simd, a, b);
    }
}
