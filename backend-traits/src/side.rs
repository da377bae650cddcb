//! Sides of a pass: where its tiles come from and where they go, and what happens to points on the way.

use crate::kind::{Direction, Domain};
use crate::real::Middle;
use crate::real_line::RealLine;
use std::fmt;
use std::ops::{Index, IndexMut};

/// The memory that an access is to, or that an error speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The caller's input; the same memory as the output in place.
    Input,
    /// The caller's output.
    Output,
    /// Scratch of [`crate::Plan::scratch_bytes`].
    Scratch,
}

impl Slot {
    /// `input`, `output` or `scratch`.
    pub fn name(self) -> &'static str {
        match self {
            Slot::Input => "input",
            Slot::Output => "output",
            Slot::Scratch => "scratch",
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An end of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Before the first step.
    Load,
    /// After the last step.
    Store,
}

impl End {
    /// Both, in order.
    pub const BOTH: [End; 2] = [End::Load, End::Store];

    /// What lies here between pairs of points and their half spectrum, where anything does.
    pub fn middle(self) -> Middle {
        match self {
            End::Load => Middle::Merge,
            End::Store => Middle::Split,
        }
    }
}

/// What either end of a pass has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends<T> {
    /// Where tiles are loaded.
    pub load: T,
    /// Where they are stored.
    pub store: T,
}

impl<T> Index<End> for Ends<T> {
    type Output = T;

    fn index(&self, end: End) -> &T {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }
}

impl<T> IndexMut<End> for Ends<T> {
    fn index_mut(&mut self, end: End) -> &mut T {
        match end {
            End::Load => &mut self.load,
            End::Store => &mut self.store,
        }
    }
}

/// One side of a pass: the memory, but for strides, and what happens to points between it and the chip.
///
/// Memory of another rank would be one more [`Slot`], and an operation of the user's one more field here, as plain
/// data by which a backend finds it: lowering, the CPU and `explain()` ask a side, not a pass, what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// The memory.
    pub slot: Slot,
    /// Scalars before the first point.
    pub offset: usize,
    /// What a point is.
    pub domain: Domain,
    /// Scalars from a point's real to its imaginary part (1: interleaved).
    pub imaginary: usize,
    /// What points are multiplied by: before the first step, or after the last one.
    pub factor: Option<Factor>,
    /// The line of reals, of which the pass has points of a part here.
    pub reals: Option<RealLine>,
    /// Set where the pass has its lines in pairs for what it loads, or for what it stores.
    pub mirrored: Option<Mirrored>,
    /// Set where the load reads a whole real line's half spectrum of points 0..=N/2 as N
    /// points, those above N/2 mirrored and conjugate: N.
    pub hermitian: Option<usize>,
    /// Points of a C2R line that are loaded from elsewhere.
    pub edges: Option<Edges>,
}

impl Side {
    /// Memory, between which and the chip nothing happens.
    pub fn new(slot: Slot, offset: usize, domain: Domain, imaginary: usize) -> Side {
        Side {
            slot,
            offset,
            domain,
            imaginary,
            factor: None,
            reals: None,
            mirrored: None,
            hermitian: None,
            edges: None,
        }
    }

    /// The points of the half spectrum that the pass merges or splits here beside others.
    pub fn halves(&self) -> Option<usize> {
        let halves = |m: &Mirrored| m.images != Images::Facing;
        self.mirrored.filter(halves).map(|m| m.points)
    }

    /// Whether points are those of memory: of whole lines, as they are.
    pub fn plain(&self) -> bool {
        let (line, image) = (self.reals.is_none(), self.hermitian.is_none());
        line && image && self.factor.is_none() && self.mirrored.is_none() && self.edges.is_none()
    }
}

/// Where the points of a C2R line lie that do not fit the real array beside the others.
///
/// A half spectrum has one or two reals more than its signal: point 0 and, for an even
/// length, the last. They wait in scratch, `count` points a line, the lines in the order
/// of the pass' loops (of those that count lines, not parts of one); the pass' load then
/// begins at point 1. So an out-of-place C2R of
/// several axes need neither overwrite its input nor have scratch as large as the array. (Of odd lengths devices have such
/// scratch, unless the request forbids it, as that spares a pass.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edges {
    /// Scalars before the first edge point, in [`Slot::Scratch`].
    pub offset: usize,
    /// Points a line: 1 (odd length) or 2 (even).
    pub count: usize,
}

/// Lines in mirrored pairs: how a pass sees each point beside its mirror image, where passes share a
/// line or the points are of two of them. A tile has line A − a wherever it has line a; see [`Images`].
///
/// Of a load they are merged before the pass' DFTs, of a store split after these; facing points are those that lie
/// together in this side's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirrored {
    /// M: points of the whole line, as the side counts them.
    pub points: usize,
    /// What mirrors what.
    pub images: Images,
}

/// Which points are mirror images of each other, of a whole line's M points or of rows of M. Lengths
/// that a merge or split counts are even, as line A/2 is its own mirror image too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Parts of a line, as a merge or split wants where the line is packed to half its length: the pass'
    /// own points of its line a (of A) are k = a + A·c, and point M − k is of line A − a, of line 0 again
    /// for a = 0; beside which is line A/2.
    Parts,
    /// The same of rows of an array whose other axes are transformed as well: point c of row a (of A;
    /// of (a, b) of A×B) is the mirror image of point M − c of row A − a (of (A − a, B − b)), all modulo
    /// their lengths. So many of the pass' loops, the last ones, count the rows: one or two.
    Rows(usize),
    /// Parts of a line, whose points k and M − 1 − k are made of neighbouring reals or become such: lines
    /// a and A − 1 − a.
    Facing,
}

impl Mirrored {
    /// The line beside line `a`, of so many: parts or rows, along each of the axes that count them.
    pub fn partner(counts: &[usize], a: usize) -> usize {
        let (mut whole, mut rest, mut scale) = (0, a, 1);
        for &count in counts.iter().rev() {
            let i = rest % count;
            rest /= count;
            whole += (count - i) % count * scale;
            scale *= count;
        }
        match (whole == a, counts.last()) {
            (true, Some(&last)) if a.is_multiple_of(last) => a + last / 2,
            (true, Some(&last)) => a - last / 2,
            _ => whole,
        }
    }
}

/// What every point is multiplied by on its way in or out of a tile of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// The twiddle between two passes of a four-step transform: point `k` (of the part) of
    /// line `j` times `exp(∓2πi·jk/length)`. Columns multiply after their DFT; those on the
    /// way back from a convolution, before it.
    Roots {
        /// The length of the transform that is split here: points of the part times its lines, not all of
        /// which need be there, see [`crate::LineForm::Columns`].
        length: usize,
        /// Which of the pass' loops counts the lines `j`.
        line_loop: usize,
        /// The sign of the exponent.
        direction: Direction,
        /// Whether it is times −i as well: an odd line has y[k1, N2 − n2] = −conj y[k1, n2], times −i
        /// what C2R begins with.
        turned: bool,
        /// The number of the loop's first line: those before it are on other ranks.
        first: usize,
    },
    /// Bluestein's chirp: point `n` of the whole line times `exp(∓πi·n²/length)`.
    Chirp {
        /// The length of the DFT.
        length: usize,
        /// The sign of the exponent.
        direction: Direction,
    },
}

#[cfg(test)]
#[path = "side_tests.rs"]
mod tests;
