//! Vectors of lines that lie one after the other, from rows and to rows.
//!
//! ```text
//! to[j][i] = from[i][j]       blocks of as many rows as a vector holds elements, by exchanges of ever larger parts of
//!                             two vectors (Eklundh, A fast computer method for matrix transposing, 1972)
//! ```

use super::exchange::exchanged;
use super::lanes::Lanes;
use pulp::Simd;

/// B vectors of B elements, transposed.
#[inline(always)]
pub fn transposed<S: Simd, V: Copy, const B: usize>(simd: S, mut x: [V; B]) -> [V; B] {
    // A loop over the parts' sizes would not be unrolled, and what it permutes would go by way of memory.
    across::<S, V, B, 1>(simd, &mut x);
    across::<S, V, B, 2>(simd, &mut x);
    across::<S, V, B, 4>(simd, &mut x);
    across::<S, V, B, 8>(simd, &mut x);
    x
}

/// B vectors whose lanes are of two lines, or of two in either half, transposed line by line.
///
/// They are B lanes of each; or those of one line, whose first half is to its second as the one line is to the other. Parts
/// of points that have been taken apart lie by eight bytes of either.
#[inline(always)]
pub fn halves_transposed<S: Simd, T: Lanes<S>, const B: usize>(
    simd: S,
    mut x: [T::V; B],
) -> [T::V; B] {
    // Eight bytes lie between two lines, which are not exchanged, and between the halves of one, which are.
    let bytes = |apart: usize| match apart * size_of::<T>() {
        4 => 4,
        _ if 2 * apart == T::W => 8,
        own => 2 * own,
    };
    across_bytes::<S, T::V, B, 1>(simd, &mut x, bytes(1));
    across_bytes::<S, T::V, B, 2>(simd, &mut x, bytes(2));
    across_bytes::<S, T::V, B, 4>(simd, &mut x, bytes(4));
    x
}

/// Exchanges parts of so many elements.
#[inline(always)]
fn across<S: Simd, V: Copy, const B: usize, const APART: usize>(simd: S, x: &mut [V; B]) {
    across_bytes::<S, V, B, APART>(simd, x, APART * (size_of::<V>() / B));
}

/// Exchanges parts of so many bytes of vectors that are so far apart.
#[inline(always)]
fn across_bytes<S: Simd, V: Copy, const B: usize, const APART: usize>(
    simd: S,
    x: &mut [V; B],
    bytes: usize,
) {
    if APART < B {
        for i in 0..B {
            if i & APART == 0 {
                [x[i], x[i | APART]] = exchanged(simd, [x[i], x[i | APART]], bytes);
            }
        }
    }
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
    pub fn run<S: Simd>(self, simd: S)
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
        let vectors = self.lines == T::W && 2 * B == T::W && self.count >= B;
        let whole = match vectors && (block.is_multiple_of(B) || block >= self.count) {
            // A last block of rows may be stored twice, if its twiddles are in one table.
            true if block >= self.count => self.count,
            true => self.count / B * B,
            false => 0,
        };
        for row in (0..whole).step_by(B) {
            let row = row.min(self.count - B);
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
