//! The arithmetic of the column transform: steps over vectors of lines, by Stockham or in place.
//!
//! Everything is `#[inline(always)]` into one function per instruction set, so that the
//! butterflies compile to plain vector code; `columns.rs` has the algorithm.
//!
//! Longer than most files: the loop over rows, the two orders of steps, one after another and in blocks, and the small DFTs
//! that are inlined into them.

use super::columns::{ColumnFft, ColumnTile, MOST_NEAR, MOST_VECTORS};
use super::exchange::parted;
use super::lanes::Lanes;
use super::lines::{fetch, Ahead};
use super::scalar::Real;
use super::shared_vectors::FOUR_LINES_LANES;
use super::stack;
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
    /// In memory, a quarter of a vector's points of each of four lines. These are only stored.
    Quarters,
    /// In memory, fewer points than a vector has lanes.
    Partial,
}

/// Rows that lie as their form says; those of the other two are known when a step is compiled.
const ANY: u8 = 0;
const PLANAR: u8 = 1;
const INTERLEAVED: u8 = 2;

/// Where the points of some vectors of lines lie.
#[derive(Clone, Copy)]
pub struct Rows<T> {
    /// Point 0 of the first sub-transform, for each vector.
    starts: [*mut T; MOST_VECTORS],
    /// Scalars from sub-transform to sub-transform.
    next: usize,
    /// Scalars from butterfly to butterfly of a sub-transform.
    along: usize,
    /// Scalars from point to point of a butterfly.
    apart: usize,
    /// Scalars from the first half of a vector's points to the other, or from quarter to quarter.
    beside: usize,
    form: Form,
    /// Lines of the last vector.
    lines: usize,
}

impl<T: Copy + Default> Rows<T> {
    /// Rows of one vector in a workspace.
    #[inline(always)]
    pub fn planar(start: *mut T, strides: [usize; 3]) -> Self {
        Rows::planar_of([start; MOST_VECTORS], strides)
    }

    /// Rows of vectors in a workspace.
    #[inline(always)]
    pub fn planar_of(starts: [*mut T; MOST_VECTORS], [next, along, apart]: [usize; 3]) -> Self {
        Rows {
            starts,
            next,
            along,
            apart,
            beside: 0,
            form: Form::Planar,
            lines: 0,
        }
    }

    /// Rows in memory of vectors whose points are half of one line, and half of one that begins so many scalars behind it.
    #[inline(always)]
    pub fn halves(starts: [*mut T; MOST_VECTORS], strides: [usize; 3], beside: usize) -> Self {
        Rows {
            beside,
            form: Form::Interleaved,
            ..Rows::planar_of(starts, strides)
        }
    }

    /// Rows in memory of vectors that four lines share, which begin so many scalars apart.
    #[inline(always)]
    pub fn quarters(starts: [*mut T; MOST_VECTORS], strides: [usize; 3], beside: usize) -> Self {
        Rows {
            form: Form::Quarters,
            ..Rows::halves(starts, strides, beside)
        }
    }

    /// Scalars of a vector that is not full, in its first half and in the other.
    #[inline(always)]
    fn some<S: Simd>(&self) -> [usize; 2]
    where
        T: Lanes<S>,
    {
        let scalars = 2 * self.lines;
        [scalars.min(T::W), scalars.saturating_sub(T::W)]
    }

    /// The form of one of so many vectors, where a step is not compiled for one.
    #[inline(always)]
    fn form(&self, known: u8, vector: usize, vectors: usize) -> Form {
        match (known, self.form) {
            (PLANAR, _) => Form::Planar,
            (INTERLEAVED, _) => Form::Interleaved,
            (_, Form::Partial) if vector + 1 < vectors => Form::Interleaved,
            (_, form) => form,
        }
    }

    /// Loads the points `row`, `row + step`, … One branch on the form serves all of them.
    ///
    /// # Safety
    /// These points exist.
    #[inline(always)]
    unsafe fn load<S: Simd, const R: usize>(
        &self,
        simd: S,
        form: Form,
        mut row: *const T,
        step: usize,
    ) -> [C<S, T>; R]
    where
        T: Lanes<S>,
    {
        let zero = T::splat(simd, T::default());
        let mut x = [(zero, zero); R];
        // SAFETY: the points exist, and a whole vector of them has 2·W scalars.
        unsafe {
            match form {
                Form::Planar => {
                    for x in &mut x {
                        let [re, im] = row.cast::<[T::V; 2]>().read_unaligned();
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
                Form::Quarters => unreachable!("quarters are only stored"),
                Form::Interleaved => {
                    for x in &mut x {
                        let other = row.wrapping_add(self.beside).cast::<T::V>();
                        let pairs = [row.cast::<T::V>().read_unaligned(), other.read_unaligned()];
                        let [re, im] = T::deinterleave(simd, pairs);
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
                Form::Partial => {
                    let [some, others] = self.some::<S>();
                    for x in &mut x {
                        let other = row.wrapping_add(T::W);
                        let pairs = [
                            T::load_some(simd, row, some),
                            T::load_some(simd, other, others),
                        ];
                        let [re, im] = T::deinterleave(simd, pairs);
                        *x = (re, im);
                        row = row.wrapping_add(step);
                    }
                }
            }
        }
        x
    }

    /// Stores the points `row`, `row + step`, …, of the inverse DFT all but the first in the opposite order.
    ///
    /// # Safety
    /// These points exist, and nobody else touches them.
    #[inline(always)]
    unsafe fn store<S: Simd, const R: usize>(
        &self,
        simd: S,
        form: Form,
        mut row: *mut T,
        step: usize,
        inverse: bool,
        y: [C<S, T>; R],
    ) where
        T: Lanes<S>,
    {
        let step = step as isize;
        let (second, step) = match inverse {
            false => (step, step),
            true => ((R as isize - 1) * step, -step),
        };
        // SAFETY: as for `load`.
        unsafe {
            match form {
                Form::Planar => {
                    for (k, y) in y.into_iter().enumerate() {
                        row.cast::<[T::V; 2]>().write_unaligned([y.0, y.1]);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
                Form::Interleaved => {
                    for (k, y) in y.into_iter().enumerate() {
                        let [here, there] = T::interleave(simd, [y.0, y.1]);
                        row.cast::<T::V>().write_unaligned(here);
                        let other = row.wrapping_add(self.beside).cast::<T::V>();
                        other.write_unaligned(there);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
                // Narrower vectors have none.
                Form::Quarters if T::W < FOUR_LINES_LANES => unreachable!("four lines are wide"),
                Form::Quarters => {
                    let beside = self.beside;
                    for (k, y) in y.into_iter().enumerate() {
                        let lines = T::interleave(simd, [y.0, y.1]);
                        stored_quarters::<S, T>(simd, row, beside, lines);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
                Form::Partial => {
                    let [some, others] = self.some::<S>();
                    for (k, y) in y.into_iter().enumerate() {
                        let [here, there] = T::interleave(simd, [y.0, y.1]);
                        T::store_some(simd, row, some, here);
                        T::store_some(simd, row.wrapping_add(T::W), others, there);
                        row = row.wrapping_offset(if k == 0 { second } else { step });
                    }
                }
            }
        }
    }
}

/// Stores points of four lines, of which the first vector has lines 0 and 2. They begin so many scalars apart.
///
/// # Safety
/// The lines have half a vector of scalars here, which nobody else touches.
#[inline(always)]
pub unsafe fn stored_quarters<S: Simd, T: Lanes<S>>(
    simd: S,
    at: *mut T,
    beside: usize,
    v: [T::V; 2],
) {
    let line = |i: usize| at.wrapping_add(i * beside).cast::<u8>();
    // SAFETY: by this function's contract.
    unsafe {
        parted(simd, v[0], [line(0), line(2)]);
        parted(simd, v[1], [line(1), line(3)]);
    }
}

/// One step, by Stockham or in place, on one or several vectors of lines.
pub struct StepArgs<'a, T> {
    pub from: &'a Rows<T>,
    pub to: &'a Rows<T>,
    /// How many vectors there are.
    pub vectors: usize,
    /// Rows of twiddles, of which there are n/r at most.
    pub m: usize,
    /// First row of twiddles, and rows from one to the next.
    pub every: [usize; 2],
    /// Scalars by which all points are behind those of the two rows.
    pub shift: [usize; 2],
    /// Interleaved sub-transforms so far.
    pub s: usize,
    pub twiddles: &'a [T],
    /// Of an odd radix: cos 2πm/r, then sin 2πm/r, for m in 0..r.
    pub roots: &'a [T],
    pub inverse: bool,
    pub scale: Option<T>,
    /// What steps from rows to rows ask for, a piece with each row of twiddles.
    pub ahead: Ahead,
    /// Whether memory is asked for before points are computed that go there.
    pub asks: bool,
}

impl<'a, T: Real> StepArgs<'a, T> {
    /// The step of radix `i` of a transform, on one vector.
    #[inline(always)]
    pub fn new(
        fft: &'a ColumnFft<T>,
        i: usize,
        [from, to]: [&'a Rows<T>; 2],
        m: usize,
        s: usize,
    ) -> Self {
        StepArgs {
            from,
            to,
            vectors: 1,
            m,
            every: [0, 1],
            shift: [0; 2],
            s,
            twiddles: &fft.twiddles[i],
            roots: &fft.roots[i],
            inverse: fft.inverse,
            scale: None,
            ahead: Ahead::NONE,
            asks: false,
        }
    }
}

/// Transforms a tile. The steps that touch memory go over all vectors of a row before the
/// next row, so that a visit to a row is worth its address translation and its cache
/// misses; those in between go vector by vector, each in its own copy, or all in blocks.
#[inline(always)]
pub fn transform<S: Simd, T: Lanes<S> + Real>(
    simd: S,
    fft: &ColumnFft<T>,
    tile: ColumnTile<'_, T>,
) -> [usize; MOST_VECTORS] {
    let width = 2 * T::W;
    assert!(tile.workspace.len() >= fft.workspace() && tile.lines <= fft.vectors * T::W);
    let base = fft.planar(tile.workspace.as_mut_ptr());
    let copy = |copy: usize| base.wrapping_add(copy * fft.length * width);
    let vectors = tile.lines.div_ceil(T::W);
    let lines = tile.lines - vectors.saturating_sub(1) * T::W;
    let memory = |start: *mut T, strides: [usize; 3]| Rows {
        beside: T::W,
        form: match lines == T::W {
            true => Form::Interleaved,
            false => Form::Partial,
        },
        lines,
        ..Rows::planar_of(
            std::array::from_fn(|v| start.wrapping_add(v * width)),
            strides,
        )
    };
    let through = !tile.load.is_null() && !tile.store.is_null();
    if let (Some(begins), true) = (&fft.begins, through) {
        let from =
            |rows: [usize; 3]| memory(tile.load.cast_mut(), rows.map(|r| r * tile.load_stride));
        let to = |rows: [usize; 3]| memory(tile.store, rows.map(|r| r * tile.store_stride));
        in_blocks(simd, fft, begins, &tile, base, from, to);
        return std::array::from_fn(|v| v);
    }
    // Which copy of the workspace each vector is in; one more is free.
    let mut copies: [usize; MOST_VECTORS] = std::array::from_fn(|v| v);
    let mut free = vectors;
    let (mut rest, mut s) = (fft.length, 1);
    let last = fft.radices.len().saturating_sub(1);
    for (i, &radix) in fft.radices.iter().enumerate() {
        let m = rest / radix;
        let loads = i == 0 && !tile.load.is_null();
        let stores = i == last && !tile.store.is_null();
        // Of rows that are so many scalars apart, those that are loaded and those that are stored.
        let loaded = |row: usize| [row, s * row, m * s * row];
        let stored = |row: usize| [row, radix * s * row, s * row];
        let starts = copies.map(copy);
        let outer = loads || stores;
        let turns = if outer { 1 } else { vectors };
        for own in copies.iter_mut().take(turns) {
            let [mut from, mut to] = [loaded(width), stored(width)].map(|strides| Rows {
                starts,
                ..Rows::planar(base, strides)
            });
            let mut together = vectors;
            if !outer {
                from.starts[0] = copy(*own);
                to.starts[0] = copy(free);
                std::mem::swap(own, &mut free);
                together = 1;
            }
            if loads {
                from = memory(tile.load.cast_mut(), loaded(tile.load_stride));
            }
            if stores {
                to = memory(tile.store, stored(tile.store_stride));
            }
            let args = StepArgs {
                vectors: together,
                scale: (i == last && tile.scale != T::one()).then_some(tile.scale),
                asks: stores && tile.asks,
                ..StepArgs::new(fft, i, [&from, &to], m, s)
            };
            step_of(simd, radix, &args);
        }
        rest = m;
        s *= radix;
    }
    copies
}

/// Transforms vectors in blocks: by the first two radices to a tile, by the others from there.
#[inline(always)]
fn in_blocks<S: Simd, T: Lanes<S> + Real>(
    simd: S,
    fft: &ColumnFft<T>,
    begins: &[[usize; 2]],
    lines: &ColumnTile<'_, T>,
    base: *mut T,
    load: impl Fn([usize; 3]) -> Rows<T>,
    store: impl Fn([usize; 3]) -> Rows<T>,
) {
    let width = 2 * T::W;
    let [r1, r2, others @ ..] = &fft.radices[..] else {
        return;
    };
    let (all, rest) = (r1 * r2, fft.length / (r1 * r2));
    let vectors = lines.lines.div_ceil(T::W);
    let last = fft.radices.len() - 1;
    // Arguments are made once, as a call for a few rows takes no longer than to make them.
    let args = |i, rows, m, s| StepArgs {
        vectors,
        ..StepArgs::new(fft, i, rows, m, s)
    };
    // Points are multiplied, and asked for, where they go to memory.
    let stored = |args| StepArgs {
        asks: true,
        scale: (lines.scale != T::one()).then_some(lines.scale),
        ..args
    };
    // Rows of all vectors, in a tile of the lines and in a block behind it.
    let planar = |first: usize, each: usize, strides: [usize; 3]| {
        let starts = std::array::from_fn(|v| base.wrapping_add((first + v * each) * width));
        Rows::planar_of(starts, strides.map(|rows| rows * width))
    };
    let tile = |strides| planar(0, fft.length, strides);
    let block = |strides| planar(vectors * fft.length, all.max(rest), strides);
    let between = [block([0, 1, *r2]), block([*r2, 0, 1])];
    let from = load([0, rest, rest * r2]);
    let to = tile([1, 0, *r1]);
    let mut first = args(0, [&from, &between[0]], *r2, 1);
    let mut second = args(1, [&between[1], &to], 1, *r1);
    for p in 0..rest {
        first.every = [p, rest];
        first.shift[0] = p * lines.load_stride;
        step_of(simd, *r1, &first);
        second.every = [p, 1];
        second.shift[1] = p * all * width;
        step_of(simd, *r2, &second);
    }
    if let [radix] = others {
        let from = tile([1, 0, all]);
        let to = store([1, 0, all]);
        let args = stored(args(last, [&from, &to], 1, all));
        return step_of(simd, *radix, &args);
    }
    let near = &others[..others.len() - 1];
    let from = tile([0; 3]);
    let mut made = [([from, from], 1, 1); MOST_NEAR];
    let (mut next, mut s) = (rest, 1);
    for (own, radix) in made.iter_mut().zip(near) {
        let m = next / radix;
        let to = block([next, 1, m]);
        let from = match next == rest {
            true => tile([0, all, all * m]),
            false => to,
        };
        *own = ([from, to], m, s);
        next = m;
        s *= radix;
    }
    // What is behind the last step is not looked at.
    let mut steps: [StepArgs<'_, T>; MOST_NEAR] = std::array::from_fn(|i| {
        let i = i.min(near.len() - 1);
        let ([from, to], m, s) = &made[i];
        args(i + 2, [from, to], *m, *s)
    });
    let each = begins.len();
    let from = block([next, 0, 1]);
    let to = store([all * each, 0, all * s]);
    let mut end = stored(args(last, [&from, &to], 1, s / each));
    for k in 0..all {
        steps[0].shift[0] = k * width;
        for (args, radix) in steps.iter().zip(near) {
            step_of(simd, *radix, args);
        }
        for [row, point] in begins {
            end.shift = [row * width, (k + all * point) * lines.store_stride];
            step_of(simd, fft.radices[last], &end);
        }
    }
}

/// The radices that have a butterfly, in order of preference, and the step of each: those of small ones are compiled for
/// each form of rows.
macro_rules! butterflies {
    ($($small:literal),*; $($large:literal),*) => {
        /// The radices of the CPU's butterflies, those that are preferred first.
        pub const BUTTERFLIES: &[usize] = &[$($small,)* $($large),*];

        /// Does one step, compiled for the instructions of `outer`.
        ///
        /// Narrow vectors have twice the registers where there are wider ones, so that none is put in memory.
        #[inline(always)]
        pub fn step_within<O: Simd, S: Simd, T: Lanes<S> + Real>(
            outer: O,
            simd: S,
            radix: usize,
            args: &StepArgs<'_, T>,
        ) {
            match radix {
                $($small => match known_forms(args) {
                    [PLANAR, PLANAR] => step::<O, S, T, $small, PLANAR, PLANAR>(outer, simd, args),
                    [INTERLEAVED, PLANAR] => step::<O, S, T, $small, INTERLEAVED, PLANAR>(outer, simd, args),
                    [PLANAR, INTERLEAVED] => step::<O, S, T, $small, PLANAR, INTERLEAVED>(outer, simd, args),
                    _ => step::<O, S, T, $small, ANY, ANY>(outer, simd, args),
                },)*
                $($large => step::<O, S, T, $large, ANY, ANY>(outer, simd, args),)*
                _ => unreachable!("CpuBackend::prepare refuses radices without a butterfly"),
            }
        }
    };
}
butterflies!(8, 9, 4, 2, 3, 5; 7, 11, 13, 17, 19, 23, 29, 31);

/// How the rows of all vectors lie, where they lie alike.
fn known_forms<T>(args: &StepArgs<'_, T>) -> [u8; 2] {
    [args.from, args.to].map(|rows| match rows.form {
        Form::Planar => PLANAR,
        Form::Interleaved => INTERLEAVED,
        Form::Quarters | Form::Partial => ANY,
    })
}

/// Does one step.
#[inline(always)]
pub fn step_of<S: Simd, T: Lanes<S> + Real>(simd: S, radix: usize, args: &StepArgs<'_, T>) {
    step_within(simd, simd, radix, args);
}

/// One step, a function of its own: one with all butterflies inlined compiles poorly.
#[inline(never)]
fn step<O: Simd, S: Simd, T: Lanes<S> + Real, const R: usize, const FROM: u8, const TO: u8>(
    outer: O,
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
            stack::align();
            let args = self.1;
            let plain = usize::from(args.every[0] == 0);
            rows::<S, T, R, FROM, TO, false>(self.0, args, 0..plain);
            rows::<S, T, R, FROM, TO, true>(self.0, args, plain..args.m);
        }
    }
    outer.vectorize(Step::<S, T, R, FROM, TO>(simd, args));
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
    let StepArgs { from, to, .. } = args;
    let &StepArgs {
        s,
        inverse,
        vectors,
        every: [first, step],
        shift: [load, store],
        ..
    } = args;
    // What stays in the workspace is scaled later.
    let scaled = TO != PLANAR && args.scale.is_some();
    let scale = T::splat(simd, args.scale.unwrap_or(T::one()));
    for p in rows {
        // Steps to or from memory have others that ask.
        if FROM == TO {
            args.ahead.fetch(p);
        }
        let row = &args.twiddles[(first + p * step) * 2 * (R - 1)..][..2 * (R - 1)];
        for q in 0..s {
            for v in 0..vectors {
                // SAFETY: the point p + m·j of sub-transform q exists, as does R·p + k, behind these starts and shifts; in
                // blocks, of a tile and a block that the workspace has room for.
                unsafe {
                    let start = from.starts[v].wrapping_add(load + q * from.next + p * from.along);
                    let form = from.form(FROM, v, vectors);
                    let goes = to.starts[v].wrapping_add(store + q * to.next + p * to.along);
                    if TO != PLANAR && args.asks {
                        for k in 0..R {
                            let vector = goes.wrapping_add(k * to.apart);
                            fetch(vector.cast());
                            fetch(vector.wrapping_add(T::W).cast());
                        }
                    }
                    let x = from.load::<S, R>(simd, form, start, from.apart);
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
                    let form = to.form(TO, v, vectors);
                    to.store::<S, R>(simd, form, goes, to.apart, inverse, y);
                }
            }
        }
    }
}

/// a·w, a product in each lane.
#[inline(always)]
pub fn times<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, w: C<S, T>) -> C<S, T> {
    let cross = T::vmul(simd, a.1, w.1);
    (
        T::vfma(simd, a.0, w.0, T::vneg(simd, cross)),
        T::vfma(simd, a.0, w.1, T::vmul(simd, a.1, w.0)),
    )
}

#[inline(always)]
fn multiply<S: Simd, T: Lanes<S>>(simd: S, a: C<S, T>, re: T, im: T) -> C<S, T> {
    times::<S, T>(simd, a, (T::splat(simd, re), T::splat(simd, im)))
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
pub fn dft<S: Simd, T: Lanes<S> + Real, const R: usize>(
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
        9 => split_dft::<S, T, R, 3, 3>(simd, &x, &mut y, roots),
        _ => odd_dft::<S, T, R>(simd, &x, &mut y, roots),
    }
    y
}

/// R = A·B: X[k1 + A·k2] = Σ w_B^(n2·k2)·w_R^(n2·k1)·Σ w_A^(n1·k1)·x[B·n1 + n2].
#[inline(always)]
fn split_dft<S: Simd, T: Lanes<S> + Real, const R: usize, const A: usize, const B: usize>(
    simd: S,
    x: &[C<S, T>; R],
    y: &mut [C<S, T>; R],
    roots: &[T],
) {
    let roots = &roots[..2 * R];
    let mut z = *x;
    for n2 in 0..B {
        let mut part = [x[0]; A];
        for n1 in 0..A {
            part[n1] = x[B * n1 + n2];
        }
        let part = small::<S, T, A>(simd, part, roots, R);
        for k1 in 0..A {
            let m = n2 * k1;
            z[k1 * B + n2] = match m {
                0 => part[k1],
                _ => multiply::<S, T>(simd, part[k1], roots[m], T::zero() - roots[R + m]),
            };
        }
    }
    for k1 in 0..A {
        let mut part = [x[0]; B];
        for n2 in 0..B {
            part[n2] = z[k1 * B + n2];
        }
        let part = small::<S, T, B>(simd, part, roots, R);
        for k2 in 0..B {
            y[k1 + A * k2] = part[k2];
        }
    }
}

/// A part of a split DFT, whose roots are some of the whole.
#[inline(always)]
fn small<S: Simd, T: Lanes<S> + Real, const R: usize>(
    simd: S,
    x: [C<S, T>; R],
    roots: &[T],
    whole: usize,
) -> [C<S, T>; R] {
    let mut y = x;
    let mut own = [T::zero(); 6];
    for m in 0..R {
        own[m] = roots[m * (whole / R)];
        own[R + m] = roots[whole + m * (whole / R)];
    }
    odd_dft::<S, T, R>(simd, &x, &mut y, &own);
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
