//! Butterflies across neighbouring lines: each vector lane is a line of its own.
//!
//! ```text
//! tile: row i = point i of W neighbouring lines, W the lanes of a vector
//! for radix r of n = r1·r2·…:   (Stockham: s starts at 1, n shrinks to n/r, s grows to s·r)
//!     for p in 0..n/r, q in 0..s:
//!         b = DFT_r( x[q + s(p + (n/r)j)], j = 0..r )
//!         y[q + s(r·p + k)] = b[k] · exp(−2πi·pk/n)
//! ```
//! Lines never mix, so nothing is transposed and nothing shuffled but the (re, im) pairs
//! on the way in and out: the first radix reads rows straight from memory, the last writes
//! them there, and between them the tile lies planar in the cache. The price is a stride
//! between rows, which is why lines that are contiguous themselves have ways of their own
//! (`line_price.rs`).
//!
//! Lines in memory of three radices or more go in blocks, so that their tile is written and read once, not once a step. The
//! first two radices take the rows p + (n/r1r2)·j of each p to a block in a first-level cache, and from there to the tile; the
//! others take what has one frequency of these to a block, and from there to memory. Arithmetic is the same.
//!
//! The inverse transform has the conjugate twiddles, and the inverse DFT_r is the forward one with
//! all results but the first in the opposite order, which costs nothing here.

use super::memory::Memory;
use super::scalar::{root, Real, Storage};
use pulp::Arch;

/// Neighbouring lines in memory, and room to work in.
#[derive(Debug)]
pub struct ColumnTile<'a, T> {
    /// Row 0 of the lines on the loading side; null where they lie in the workspace already.
    pub load: *const T,
    /// Scalars from row to row.
    pub load_stride: usize,
    /// Row 0 of the lines on the storing side; null where they are to stay in the workspace.
    pub store: *mut T,
    /// Scalars from row to row.
    pub store_stride: usize,
    /// Lines, at most [`ColumnFft::lines`].
    pub lines: usize,
    /// The normalisation.
    pub scale: T,
    /// Whether rows are asked for before the points that go there are computed.
    ///
    /// In blocks they always are.
    pub asks: bool,
    /// [`ColumnFft::workspace`] scalars.
    pub workspace: &'a mut [T],
}

/// The most vectors that are transformed together.
pub const MOST_VECTORS: usize = 4;

/// The most vectors of lines that go in blocks.
///
/// With four, a block of powers of two leaves no room for what is read and written.
const MOST_IN_BLOCKS: usize = 3;

/// Bytes of the copies of vectors that are transformed together, the free one among them.
///
/// A second-level cache is to have room beside them.
const WORKSPACE_BYTES: usize = 1 << 20;

/// The same where lines are in the cache already: a first-level cache.
const CACHED_BYTES: usize = 48 << 10;

/// Where lines are that are transformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinesIn {
    /// Memory, from which the first step loads them, and to which the last one stores them.
    Memory,
    /// The workspace, to which a caller gathers them from memory.
    Workspace,
    /// A cache: visits to their rows cost little, so that copies should be in the first level.
    Cache,
}

/// A transform of neighbouring lines.
#[derive(Debug)]
pub struct ColumnFft<T> {
    /// The length of a line.
    pub length: usize,
    /// Its factors, in order.
    pub radices: Vec<usize>,
    /// For each radix: for each p, the r−1 twiddles as (re, im).
    pub twiddles: Vec<Vec<T>>,
    /// For each odd radix r: cos 2πm/r, then sin 2πm/r, for m in 0..r.
    pub roots: Vec<Vec<T>>,
    /// Whether the DFT is the inverse one.
    pub inverse: bool,
    /// Lanes of a vector.
    pub lanes: usize,
    /// Vectors that are transformed together.
    pub vectors: usize,
    /// Row in a block and first point of each sub-transform of the last two radices, where lines go in blocks.
    pub begins: Option<Vec<[usize; 2]>>,
    /// The instructions that there are.
    pub arch: Arch,
}

/// The most rows of a block of the first two radices.
///
/// A first-level cache holds so many of all vectors.
const BLOCK: usize = 96;

/// The most radices of lines in blocks between the first two and the last.
pub const MOST_NEAR: usize = 4;

/// Rows of a block and first points, as [`ColumnFft::begins`] has them; `None` where radices do not go in blocks.
fn begins(radices: &[usize]) -> Option<Vec<[usize; 2]>> {
    let [first, second, others @ ..] = radices else {
        return None;
    };
    if others.is_empty() || others.len() > MOST_NEAR + 1 || first * second > BLOCK {
        return None;
    }
    let mut rest: usize = others.iter().product();
    let (mut begins, mut s) = (vec![[0, 0]], 1);
    for radix in &others[..others.len().saturating_sub(2)] {
        rest /= radix;
        let digits = |[row, point]: [usize; 2]| {
            (0..*radix).map(move |digit| [row + digit * rest, point + digit * s])
        };
        begins = begins.into_iter().flat_map(digits).collect();
        s *= radix;
    }
    Some(begins)
}

impl<T: Real> ColumnFft<T> {
    /// A transform of length `radices.product()`.
    pub fn new(radices: &[usize], inverse: bool, lines: LinesIn) -> Self {
        let length: usize = radices.iter().product();
        let mut rest = length;
        let mut twiddles = Vec::new();
        for &r in radices {
            let m = rest / r;
            // The inverse has its results in the opposite order: result k is that of r − k.
            let twiddle = |p: usize, k: usize| match inverse {
                false => root::<T>(p * k, rest),
                true => root::<T>(p * (r - k), rest).conj(),
            };
            let twiddle = &twiddle;
            let table = (0..m).flat_map(|p| (1..r).map(move |k| twiddle(p, k)));
            twiddles.push(table.flat_map(|w| [w.re, w.im]).collect());
            rest = m;
        }
        let cosines = |r: usize| (0..r).map(move |m| root::<T>(m, r).re);
        let sines = |r: usize| (0..r).map(move |m| -root::<T>(m, r).im);
        let odd = |&r: &usize| match r {
            2 | 4 | 8 => Vec::new(),
            _ => cosines(r).chain(sines(r)).collect(),
        };
        let copy = (2 * length * T::vector_bytes()).max(1);
        let room = match lines {
            LinesIn::Cache => CACHED_BYTES,
            LinesIn::Memory | LinesIn::Workspace => WORKSPACE_BYTES,
        };
        let most = |most| (room / copy).saturating_sub(1).clamp(1, most);
        // The other block, of what is behind the first two radices, is to fit as well.
        let fits = || {
            let behind = length / (radices[0] * radices[1]);
            most(MOST_IN_BLOCKS) * behind <= MOST_IN_BLOCKS * BLOCK
        };
        let in_memory = lines == LinesIn::Memory;
        let begins = begins(radices).filter(|_| in_memory && fits());
        ColumnFft {
            length,
            vectors: most(match begins {
                Some(_) => MOST_IN_BLOCKS,
                None => MOST_VECTORS,
            }),
            roots: radices.iter().map(odd).collect(),
            radices: radices.to_vec(),
            twiddles,
            inverse,
            lanes: T::vector_bytes() / size_of::<T>(),
            begins,
            arch: Arch::new(),
        }
    }

    /// Lines that are transformed together.
    pub fn lines(&self) -> usize {
        self.vectors * self.lanes
    }

    /// Scalars of rows that hold the lines that are transformed together.
    pub fn rows(&self) -> usize {
        2 * self.length * self.lines()
    }

    /// Scalars of workspace for one tile, and the padding that keeps vectors aligned: a planar copy of each vector and a
    /// free one, or, in blocks, a planar copy and a block of each.
    pub fn workspace(&self) -> usize {
        let copies = match self.radices.len() {
            0 | 1 => 0,
            2 => self.vectors,
            _ => self.vectors + 1,
        };
        let rows = match (&self.begins, &self.radices[..]) {
            (Some(_), [first, second, ..]) => {
                let block = first * second;
                self.vectors * (self.length + block.max(self.length / block))
            }
            _ => copies * self.length,
        };
        rows * 2 * self.lanes + self.lanes
    }

    /// Scalars of workspace for vectors that are gathered there, not loaded: a planar copy of
    /// each, and a free one.
    pub fn planar_workspace(&self) -> usize {
        (self.vectors + 1) * self.length * 2 * self.lanes + self.lanes
    }

    /// Where the copies of a workspace begin: copy v of vector v, [`ColumnFft::length`] rows of
    /// real parts and imaginary parts.
    pub fn planar(&self, workspace: *mut T) -> *mut T {
        let aligned = workspace.align_offset(T::vector_bytes());
        workspace.wrapping_add(aligned.min(self.lanes))
    }

    /// Transforms so many vectors that lie in the workspace;
    /// returns the copy in which each then lies.
    ///
    /// # Safety
    /// The workspace has [`ColumnFft::planar_workspace`] scalars that nobody else touches.
    pub unsafe fn process_planar(
        &self,
        workspace: *mut T,
        vectors: usize,
    ) -> [usize; MOST_VECTORS] {
        // SAFETY: the caller lends the whole workspace.
        let workspace =
            unsafe { std::slice::from_raw_parts_mut(workspace, self.planar_workspace()) };
        let tile = ColumnTile {
            load: std::ptr::null(),
            load_stride: 0,
            store: std::ptr::null_mut(),
            store_stride: 0,
            lines: vectors * self.lanes,
            scale: T::one(),
            asks: false,
            workspace,
        };
        T::run(self, tile)
    }

    /// Transforms `lines` neighbouring lines.
    ///
    /// # Safety
    /// `length` rows of `lines` interleaved points, at these strides from these scalars on,
    /// are inside the two memories; nobody else touches those stored to meanwhile.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn process<S: Storage<Compute = T>>(
        &self,
        load: (Memory<S>, usize, usize),
        store: (Memory<S>, usize, usize),
        lines: usize,
        scale: T,
        workspace: &mut [T],
    ) {
        debug_assert!(S::is_compute() && lines <= self.lines());
        let rows = |stride: usize| (self.length - 1) * stride + 2 * lines;
        // SAFETY: the caller's contract covers exactly these rows.
        let (from, to) = unsafe {
            (
                load.0.address(load.1, rows(load.2)),
                store.0.address(store.1, rows(store.2)),
            )
        };
        let tile = ColumnTile {
            load: from.cast::<T>().cast_const(),
            load_stride: load.2,
            store: to.cast::<T>(),
            store_stride: store.2,
            lines,
            scale,
            asks: false,
            workspace,
        };
        T::run(self, tile);
    }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
