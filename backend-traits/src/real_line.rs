//! Lines of reals that passes share: whole ones, halved by packing, or by real columns.

use crate::kind::Kind;
use crate::real::{Middle, Real, RealSide, Reduction};
use crate::side::End;

/// The reals of a whole line of which a pass transforms parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealLine {
    /// The kind applied to the line.
    pub kind: Kind,
    /// Its reals.
    pub length: usize,
    /// How passes share it.
    pub form: LineForm,
}

/// How passes share a line of reals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineForm {
    /// As a complex line of as many points as reals, type I's continued.
    Whole,
    /// Packed to half the length, as a pass has its lines in mirrored pairs, see
    /// [`crate::Mirrored`].
    Packed,
    /// By real columns of this length N1, N = N1·N2: as their spectra are Hermitian, of the rows
    /// k1 of the four-step transform only those of 0 to N1/2 are computed. Row N1 − k1 has the conjugates of row
    /// k1: of point k1 + N1·k2 that is point N − k1 − N1·k2.
    Columns(usize),
}

impl RealLine {
    fn reduction(&self) -> &'static Reduction {
        let packed = self.form == LineForm::Packed;
        self.kind.reduction(self.length, !packed)
    }

    /// The length of the line's real columns, where rows store also what is the conjugate of theirs.
    pub fn image_columns(&self) -> Option<usize> {
        match self.form {
            LineForm::Columns(n1) if self.kind.row().packed.middle != Middle::Merge => Some(n1),
            _ => None,
        }
    }

    /// N1 and N2 of a line by real columns.
    pub fn columns_and_rows(&self) -> Option<[usize; 2]> {
        match self.form {
            LineForm::Columns(n1) => Some([n1, self.points().checked_div(n1)?]),
            _ => None,
        }
    }

    /// The reals that point `p` of a row becomes, of the line's points: those of the mirror image, where
    /// the row stores that one's; none, where it is stored itself.
    pub fn stored(&self, p: usize) -> [Option<Real>; 2] {
        let points = self.points();
        let of = |p| self.side(End::Store).reals(self.length, p);
        match self.image_columns() {
            Some(n1) if 2 * p > points => match [0, n1].contains(&(2 * (p % n1))) {
                true => [None, None],
                false => of(points - p),
            },
            _ => of(p),
        }
    }

    /// Points of the DFT that passes share.
    pub fn points(&self) -> usize {
        self.reduction()
            .length
            .of(self.length)
            .unwrap_or(self.length)
    }

    /// Whether a pass over parts of the line loads, or stores, neighbouring reals as complex points, which is all that
    /// it does with them.
    pub fn is_complex(&self, end: End) -> bool {
        self.form == LineForm::Packed && *self.side(end) == RealSide::PAIRS
    }

    /// The load, or the store, of a pass over parts of the line.
    pub fn side(&self, end: End) -> &'static RealSide {
        self.reduction().side(end)
    }
}
