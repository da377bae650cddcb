//! Lines that lie one after the other, to rows of a vector of lines and back.
//!
//! ```text
//! to[j][i] = from[i][j]       blocks of as many rows as a vector holds elements, by exchanges of ever larger parts of
//!                             two vectors (Eklundh, A fast computer method for matrix transposing, 1972)
//! ```

use super::columns::Lanes;
use super::exchange::exchanged;
use super::scalar::Real;
use pulp::{Simd, WithSimd};

/// A matrix of scalars in memory, to be transposed and multiplied.
pub struct Transpose<T> {
    /// The first scalar that is read.
    pub from: *const T,
    /// Scalars from row to row of what is read.
    pub from_pitch: usize,
    /// Where it goes.
    pub to: *mut T,
    /// Scalars from row to row of what is written.
    pub to_pitch: usize,
    /// Rows that are read.
    pub rows: usize,
    /// Scalars of each.
    pub columns: usize,
    /// What each is multiplied by.
    pub factor: T,
}

impl<T: Real> Transpose<T> {
    /// Transposes.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S>,
    {
        match T::W {
            2 => self.by_blocks::<S, 2>(simd),
            4 => self.by_blocks::<S, 4>(simd),
            8 => self.by_blocks::<S, 8>(simd),
            16 => self.by_blocks::<S, 16>(simd),
            _ => self.part((0, 0), (self.rows, self.columns)),
        }
    }

    #[inline(always)]
    fn by_blocks<S: Simd, const W: usize>(&self, simd: S)
    where
        T: Lanes<S>,
    {
        let (rows, columns) = (self.rows / W * W, self.columns / W * W);
        let scaled = self.factor != T::one();
        let factor = T::splat(simd, self.factor);
        for row in (0..rows).step_by(W) {
            for column in (0..columns).step_by(W) {
                // SAFETY: these W rows of W scalars are inside both matrices.
                unsafe {
                    let mut from = self.from.add(row * self.from_pitch + column);
                    let mut to = self.to.add(column * self.to_pitch + row);
                    let mut x = [factor; W];
                    for x in &mut x {
                        *x = from.cast::<T::V>().read_unaligned();
                        from = from.wrapping_add(self.from_pitch);
                    }
                    if scaled {
                        for x in &mut x {
                            *x = T::vmul(simd, *x, factor);
                        }
                    }
                    for x in transposed::<S, T::V, W>(simd, x) {
                        to.cast::<T::V>().write_unaligned(x);
                        to = to.wrapping_add(self.to_pitch);
                    }
                }
            }
        }
        self.part((0, columns), (rows, self.columns));
        self.part((rows, 0), (self.rows, self.columns));
    }

    /// The scalars from one row and column to others.
    #[inline(always)]
    fn part(&self, first: (usize, usize), end: (usize, usize)) {
        for row in first.0..end.0 {
            for column in first.1..end.1 {
                // SAFETY: the scalar is inside both matrices.
                unsafe {
                    let x = *self.from.add(row * self.from_pitch + column);
                    *self.to.add(column * self.to_pitch + row) = x * self.factor;
                }
            }
        }
    }
}

/// B vectors of B elements, transposed.
#[inline(always)]
fn transposed<S: Simd, V: Copy, const B: usize>(simd: S, mut x: [V; B]) -> [V; B] {
    let mut apart = 1;
    while apart < B {
        for i in 0..B {
            if i & apart == 0 {
                let bytes = apart * (size_of::<V>() / B);
                [x[i], x[i | apart]] = exchanged(simd, [x[i], x[i | apart]], bytes);
            }
        }
        apart *= 2;
    }
    x
}

/// Rows of one vector of lines, to be multiplied by twiddles and stored as lines of their own.
pub struct Turn<'a, T> {
    /// Row 0: real parts, imaginary parts; rows follow each other.
    pub rows: *const T,
    /// How many rows there are.
    pub count: usize,
    /// Lines that are stored, at most a vector.
    pub lines: usize,
    /// For each row of a block its twiddles, a vector of points.
    pub low: &'a [T],
    /// For each block the twiddles that all of its rows have beside theirs.
    pub high: &'a [T],
    /// Point 0 of the first line.
    pub to: *mut T,
    /// Scalars from line to line.
    pub pitch: usize,
}

impl<T> Turn<'_, T> {
    /// Stores the lines.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S)
    where
        T: Lanes<S>,
    {
        match T::W / 2 {
            2 => self.by_blocks::<S, 2>(simd),
            4 => self.by_blocks::<S, 4>(simd),
            8 => self.by_blocks::<S, 8>(simd),
            _ => self.by_blocks::<S, 1>(simd),
        }
    }

    /// B rows at a time, as many as a vector holds points.
    #[inline(always)]
    fn by_blocks<S: Simd, const B: usize>(&self, simd: S)
    where
        T: Lanes<S>,
    {
        let block = self.low.len() / (2 * T::W);
        let whole = if self.lines == T::W && 2 * B == T::W && block.is_multiple_of(B) {
            self.count / B * B
        } else {
            0
        };
        for row in (0..whole).step_by(B) {
            let high = twiddles::<S, T>(simd, self.high, row / block);
            let mut x = [[high[0]; B]; 2];
            let [first, second] = &mut x;
            for (i, (first, second)) in first.iter_mut().zip(second).enumerate() {
                let behind = row >= block;
                [*first, *second] = self.row::<S>(simd, row + i, row % block + i, high, behind);
            }
            for (half, x) in x.into_iter().enumerate() {
                for (line, x) in transposed::<S, T::V, B>(simd, x).into_iter().enumerate() {
                    // SAFETY: memory has B points of each line from this row on.
                    unsafe {
                        let to = self.to.add((half * B + line) * self.pitch + 2 * row);
                        to.cast::<T::V>().write_unaligned(x);
                    }
                }
            }
        }
        for row in whole..self.count {
            let high = twiddles::<S, T>(simd, self.high, row / block);
            let pairs = self.row::<S>(simd, row, row % block, high, row >= block);
            let points = (&raw const pairs).cast::<[T; 2]>();
            for line in 0..self.lines {
                // SAFETY: there are as many lines, and a point of each in the vector.
                unsafe {
                    let to = self.to.add(line * self.pitch + 2 * row).cast::<[T; 2]>();
                    to.write_unaligned(points.add(line).read());
                }
            }
        }
    }

    /// A row, multiplied, as points of all lines.
    #[inline(always)]
    fn row<S: Simd>(
        &self,
        simd: S,
        row: usize,
        low: usize,
        high: [T::V; 2],
        behind: bool,
    ) -> [T::V; 2]
    where
        T: Lanes<S>,
    {
        // SAFETY: the workspace has `count` rows.
        let x = unsafe {
            self.rows
                .add(row * 2 * T::W)
                .cast::<[T::V; 2]>()
                .read_unaligned()
        };
        let mut w = twiddles::<S, T>(simd, self.low, low);
        if behind {
            w = times::<S, T>(simd, w, high);
        }
        T::interleave(simd, times::<S, T>(simd, x, w))
    }
}

/// The twiddles of a row.
#[inline(always)]
fn twiddles<S: Simd, T: Lanes<S>>(simd: S, table: &[T], row: usize) -> [T::V; 2] {
    let width = 2 * T::W;
    let row = &table[row * width..][..width];
    // SAFETY: a row is two vectors.
    let pairs = unsafe { row.as_ptr().cast::<[T::V; 2]>().read_unaligned() };
    T::deinterleave(simd, pairs)
}

#[inline(always)]
fn times<S: Simd, T: Lanes<S>>(simd: S, x: [T::V; 2], w: [T::V; 2]) -> [T::V; 2] {
    let cross = T::vmul(simd, x[1], w[1]);
    [
        T::vfma(simd, x[0], w[0], T::vneg(simd, cross)),
        T::vfma(simd, x[0], w[1], T::vmul(simd, x[1], w[0])),
    ]
}

macro_rules! with_simd {
    ($job:ty) => {
        impl WithSimd for $job {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                self.run(simd);
            }
        }
    };
}

with_simd!(Turn<'_, f32>);
with_simd!(Turn<'_, f64>);
with_simd!(Transpose<f32>);
with_simd!(Transpose<f64>);
