//! A pass: one trip through memory. It loads a tile, runs its steps, stores it.
//!
//! Strides and offsets count *scalars* (real or imaginary parts), so that one notation
//! covers real lines, interleaved and planar complex ones, and half spectra packed into
//! the real array they belong to.
//!
//! The file is long because it is the whole vocabulary of a plan, a word a few lines.

use crate::kind::{Direction, Domain, Kind};
use crate::precision::{Operand, ScalarType};
use crate::real::{Middle, RealSide, Reduction};
use crate::real_line::{LineForm, RealLine};
use crate::tile::{held_points, Residency, Tile};
use std::cmp::Reverse;
use std::ops::Range;

/// The memory that an access is to.
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

/// How a tile is reached on one side, but for the strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The memory.
    pub slot: Slot,
    /// Scalars before the first point.
    pub offset: usize,
    /// What a point is.
    pub domain: Domain,
    /// Scalars from a point's real to its imaginary part (1: interleaved).
    pub imaginary: usize,
}

/// How what a loop or an axis counts lies in runs, on one side of memory: `points` of them at its stride, and each run
/// `apart` scalars behind the one before. So does scratch between two passes: the columns `n2` and rows `k1` of a line
/// as `[n2 / points][k1][n2 % points]`. A tile of neighbouring columns is one piece there, or few, and
/// what neighbouring rows have of it lies beside each other, where `[k1][n2]` has pieces as short as a tile is wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// How many make a run.
    pub points: usize,
    /// Scalars from the first of one run to that of the next.
    pub apart: usize,
}

impl Runs {
    /// How every `step`-th of these lies; `None` where not all of them are as far from the next.
    pub fn every(runs: Option<Runs>, stride: usize, step: usize) -> Option<(usize, Option<Runs>)> {
        match runs {
            Some(runs) if step.is_multiple_of(runs.points) => {
                Some((step / runs.points * runs.apart, None))
            }
            Some(runs) => runs.points.is_multiple_of(step).then(|| {
                let points = runs.points / step;
                (stride * step, Some(Runs { points, ..runs }))
            }),
            None => Some((stride * step, None)),
        }
    }
}

/// Tiles or lines repeated at constant strides, or in runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// How often.
    pub count: usize,
    /// Scalars from one to the next on the loading side.
    pub load: usize,
    /// Scalars from one to the next on the storing side.
    pub store: usize,
    /// Points of the split line from one to the next, as the load counts them; 0 where the
    /// loop does not count a part of a four-step line.
    pub load_index: usize,
    /// The same as the store counts them.
    pub store_index: usize,
    /// The runs in which they lie on the loading side.
    pub load_runs: Option<Runs>,
    /// The same on the storing side.
    pub store_runs: Option<Runs>,
}

impl Loop {
    /// Whole lines, so many scalars from one to the next on either side.
    pub fn of_lines(count: usize, load: usize, store: usize) -> Loop {
        Loop {
            count,
            load,
            store,
            load_index: 0,
            store_index: 0,
            load_runs: None,
            store_runs: None,
        }
    }
}

/// An axis that a pass transforms.
#[derive(Debug, Clone, PartialEq)]
pub struct TileAxis {
    /// Its number in the array.
    pub axis: usize,
    /// The kind applied to it.
    pub kind: Kind,
    /// The sign of the exponent.
    pub direction: Direction,
    /// Its logical length (that of the real signal for R2C and C2R).
    pub length: usize,
    /// Scalars from point to point on the loading side.
    pub load_stride: usize,
    /// Scalars from point to point on the storing side.
    pub store_stride: usize,
    /// Point p of a part of a four-step line is point `p·load_index + Σ i·loop.load_index`
    /// of the whole line, as the load counts; 1 where the line is whole.
    pub load_index: usize,
    /// The same as the store counts.
    pub store_index: usize,
    /// The points of the (whole) line that are read; the others count as zero.
    pub load_range: Range<usize>,
    /// The points of the (whole) line that are written.
    pub store_range: Range<usize>,
    /// The runs in which points lie on the loading side.
    pub load_runs: Option<Runs>,
    /// The same on the storing side.
    pub store_runs: Option<Runs>,
}

impl TileAxis {
    /// The length of the complex DFT at the kind's core: half of an even real length, as a rule.
    pub fn core_length(&self) -> usize {
        self.kind.core_length(self.length)
    }

    /// The radices of these steps that are the axis' own; `None` where these are not butterflies alone.
    fn butterflies(&self, steps: &[Step]) -> Option<Vec<usize>> {
        let own = steps.iter().filter(|s| s.axis() == Some(self.axis));
        let butterfly = |s: &Step| match *s {
            Step::Dft {
                radix,
                engine: Engine::Simt,
                ..
            } => Some(radix),
            _ => None,
        };
        own.map(butterfly).collect()
    }

    /// Whether a thread of a device has all of a line, of type I, by steps that are those of this axis or of several.
    pub fn in_thread(&self, steps: &[Step]) -> bool {
        let radices = self.butterflies(steps);
        radices.is_some_and(|radices| self.kind.in_thread(self.length, &radices))
    }

    /// A part of this axis' line as axis `number` of a tile: of `length` points, and from one to the next
    /// `load` points of the line as the load counts, `store` as the store does; `None` where these are neither whole
    /// runs nor divide one.
    pub fn part(
        &self,
        number: usize,
        length: usize,
        load: usize,
        store: usize,
    ) -> Option<TileAxis> {
        let (load_stride, load_runs) = Runs::every(self.load_runs, self.load_stride, load)?;
        let (store_stride, store_runs) = Runs::every(self.store_runs, self.store_stride, store)?;
        Some(TileAxis {
            axis: number,
            length,
            load_stride,
            store_stride,
            load_index: self.load_index * load,
            store_index: self.store_index * store,
            load_runs,
            store_runs,
            ..self.clone()
        })
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirrored {
    /// A split after the pass' DFTs, whose points the store counts; or a merge before them, whose
    /// points the load counts. Of facing points, the side on which they are together.
    pub middle: Middle,
    /// M: points of the whole line.
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
    },
    /// Bluestein's chirp: point `n` of the whole line times `exp(∓πi·n²/length)`.
    Chirp {
        /// The length of the DFT.
        length: usize,
        /// The sign of the exponent.
        direction: Direction,
    },
}

/// How a step's small DFT is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Butterflies in registers.
    Simt,
    /// Fragments on tensor or matrix cores, or on their model.
    Matrix,
}

impl Engine {
    /// `simt` or `matrix`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Simt => "simt",
            Engine::Matrix => "matrix",
        }
    }
}

/// What happens to a tile on chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Whole lines of `length` by a library.
    Line {
        /// The axis.
        axis: usize,
        /// The length of the complex DFT.
        length: usize,
        /// The library.
        library: &'static str,
    },
    /// DFTs of `radix` points along the axis.
    Dft {
        /// The axis.
        axis: usize,
        /// The length of the small DFT.
        radix: usize,
        /// How it is computed: as the pass' engine says, or by butterflies beside products.
        engine: Engine,
    },
    /// Products with roots of unity of this order, between two steps of an axis.
    Twiddle {
        /// The axis.
        axis: usize,
        /// The order of the roots.
        length: usize,
    },
    /// Points change places between lanes.
    Exchange,
    /// Points change places between the blocks of a cluster: the steps before it transform the
    /// first axis, those after it the last. A single axis is both, `length = n1·n2`, and between
    /// them comes the twiddle of order `length`:
    /// `X[k1 + n1·k2] = Σ_i2 exp(∓2πi·i2·k2/n2) · exp(∓2πi·k1·i2/length) · Σ_i1 exp(∓2πi·i1·k1/n1) · x[i1·n2 + i2]`.
    AllToAll,
    /// Bluestein's chirp: the steps that follow transform `padded` points, twice.
    Chirp {
        /// The axis.
        axis: usize,
        /// The length of the DFT.
        length: usize,
        /// The length of the cyclic convolution that computes it.
        padded: usize,
    },
    /// Rader's algorithm for a prime length: the steps that follow transform `length − 1`
    /// points, twice.
    Rader {
        /// The axis.
        axis: usize,
        /// The length of the DFT.
        length: usize,
    },
    /// A line that is its own mirror image (type I, continued) by real columns: the steps up to the twiddle
    /// of order `columns·rows` transform columns of `columns` reals, those after it rows of `rows` points that
    /// become real. Of each there are half as many, and one; see [`crate::LineForm::Columns`].
    RealColumns {
        /// The axis.
        axis: usize,
        /// N1: reals of a column.
        columns: usize,
        /// N2: reals that a row becomes.
        rows: usize,
    },
    /// The middle of a convolution whose line is split among passes: points are multiplied
    /// by the spectrum of the conjugate chirp, divided by `padded`. The steps before
    /// transform forward, those after it inversely. The line lies in the order in which
    /// forward passes leave it; `load_index` of axis and loops says which point is which.
    Convolve {
        /// The axis.
        axis: usize,
        /// The length of the DFT.
        length: usize,
        /// The length of the convolution.
        padded: usize,
        /// The sign of the DFT's exponent.
        direction: Direction,
        /// The factors of `padded` in the order in which passes split it, the last being
        /// this pass' own.
        factors: Vec<usize>,
    },
}

impl Step {
    /// The radix of a DFT.
    pub fn radix(&self) -> Option<usize> {
        match self {
            Step::Dft { radix, .. } => Some(*radix),
            _ => None,
        }
    }

    /// The axis that a step is of.
    pub fn axis(&self) -> Option<usize> {
        match self {
            Step::Line { axis, .. }
            | Step::Dft { axis, .. }
            | Step::Twiddle { axis, .. }
            | Step::Chirp { axis, .. }
            | Step::Rader { axis, .. }
            | Step::RealColumns { axis, .. }
            | Step::Convolve { axis, .. } => Some(*axis),
            Step::Exchange | Step::AllToAll => None,
        }
    }

    /// DFT, twiddle, exchange; DFT, twiddle, exchange; …: an axis as the product of `radices`.
    pub fn sequence(axis: usize, radices: &[usize], engine: Engine) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut length = 1;
        for &radix in radices {
            length *= radix;
            if length > radix {
                steps.push(Step::Twiddle { axis, length });
                steps.push(Step::Exchange);
            }
            steps.push(Step::Dft {
                axis,
                radix,
                engine,
            });
        }
        steps
    }
}

/// One trip through memory: plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// The axes that the tile holds whole, in the order in which they are transformed.
    pub axes: Vec<TileAxis>,
    /// Everything else, outermost first.
    pub loops: Vec<Loop>,
    /// Where tiles come from.
    pub load: Access,
    /// Where tiles go.
    pub store: Access,
    /// Points of a C2R line that lie elsewhere.
    pub edges: Option<Edges>,
    /// Set where the load reads a whole real line's half spectrum of points 0..=N/2 as N
    /// points, those above N/2 mirrored and conjugate: N.
    pub hermitian: Option<usize>,
    /// Set where the pass has its lines in mirrored pairs.
    pub mirrored: Option<Mirrored>,
    /// What points are multiplied by before the first step.
    pub load_factor: Option<Factor>,
    /// What points are multiplied by after the last step.
    pub store_factor: Option<Factor>,
    /// The line of reals, of which the pass loads points of a part.
    pub load_reals: Option<RealLine>,
    /// The line of reals, of which the pass stores points of a part.
    pub store_reals: Option<RealLine>,
    /// Whether edges of real lines are scaled, see [`crate::real::RealSide::edges`].
    pub orthogonal: bool,
    /// Every stored point is multiplied by this.
    pub scale: f64,
    /// What a scalar is in memory.
    pub storage: ScalarType,
    /// What the matrix engine multiplies.
    pub operand: Operand,
    /// Whether the matrix engine also splits DFT matrices that 16 bits do not hold.
    pub split_matrix: bool,
    /// Whether products of 16 bits may scale all of a line in a tile once, in place of each column before
    /// each product: the last bits of results then depend on what a tile holds.
    pub scale_lines: bool,
    /// How small DFTs are computed: of [`Engine::Matrix`] one at least is a product, and others may be
    /// butterflies, as their steps say.
    pub engine: Engine,
    /// What happens on chip.
    pub steps: Vec<Step>,
    /// What is on chip at a time.
    pub tile: Tile,
    /// The rule that chose engine and tile.
    pub reason: String,
}

impl Pass {
    /// The points of the half spectrum that the pass merges or splits (`middle`) beside others.
    pub fn mirrored_points(&self, middle: Middle) -> Option<usize> {
        let halves = |m: &Mirrored| m.middle == middle && m.images != Images::Facing;
        self.mirrored.filter(halves).map(|m| m.points)
    }

    /// Neighbouring lines that a tile has together or not at all: two in mirrored pairs. A cluster has all of a line.
    pub fn together(&self) -> usize {
        match self.mirrored {
            Some(_) if self.tile.residency.blocks() > 1 => 1,
            Some(_) => 2,
            None => 1,
        }
    }

    /// The axes' lengths.
    pub fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.length).collect()
    }

    /// Points of the whole line of which each of the pass' lines is a part; of the first
    /// axis where there are several.
    pub fn line_points(&self) -> usize {
        self.points_of_parts(|l| l.load_index)
    }

    /// The same as the store counts: rows of real columns are whole lines on one side.
    pub fn stored_points(&self) -> usize {
        self.points_of_parts(|l| l.store_index)
    }

    fn points_of_parts(&self, index: fn(&Loop) -> usize) -> usize {
        let parts = self.loops.iter().filter(|l| index(l) > 0);
        let own = match (&self.axes[..], self.tile.residency) {
            // A line that a cluster holds is lowered as its two parts.
            ([first, last], Residency::Cluster(_)) if first.load_index != 1 => {
                first.length * last.length
            }
            (axes, _) => axes.first().map_or(1, |axis| axis.length),
        };
        own * parts.map(|l| l.count).product::<usize>()
    }

    /// Whether its tile has several axes, each of reals, with reals between them.
    pub fn axes_of_reals(&self) -> bool {
        let real = |axis: &TileAxis| axis.kind.is_real_to_real();
        self.axes.len() > 1 && self.axes.iter().all(real)
    }

    /// Its axes as they lie in memory, the outermost first.
    pub fn axes_in_memory(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        let stride = |axis: &TileAxis| axis.load_stride.max(axis.store_stride);
        order.sort_by_key(|&i| Reverse(stride(&self.axes[i])));
        order
    }

    /// Whether an array that it loads lies in a row in memory: all of it, each axis behind the next inner one.
    pub fn loads_a_row(&self) -> bool {
        let mut end = 1;
        self.axes_in_memory().into_iter().rev().all(|i| {
            let axis = &self.axes[i];
            let follows = axis.load_stride == end && axis.load_range == (0..axis.length);
            end *= axis.length;
            follows
        })
    }

    /// The line of an axis that goes by real columns on chip, see [`Step::RealColumns`].
    pub fn real_columns(&self, axis: &TileAxis) -> Option<RealLine> {
        let columns = self.steps.iter().find_map(|step| match *step {
            Step::RealColumns {
                axis: own, columns, ..
            } if own == axis.axis => Some(columns),
            _ => None,
        });
        Some(RealLine {
            kind: axis.kind,
            length: axis.length,
            form: LineForm::Columns(columns?),
        })
    }

    /// Whether a thread of a device has all of a line of this axis, of type I.
    pub fn in_thread(&self, axis: &TileAxis) -> bool {
        let whole = self.load_reals.is_none() && self.store_reals.is_none();
        whole && axis.in_thread(&self.steps)
    }

    /// How a device takes the lines of an axis that the pass has whole.
    pub fn reduction(&self, axis: &TileAxis) -> &'static Reduction {
        match &axis.kind.row().in_thread {
            Some(reduction) if self.in_thread(axis) => reduction,
            _ => axis.kind.reduction(axis.length, false),
        }
    }

    /// Points that its tile holds of an array, where each axis has so many.
    pub fn held_points(&self, own: impl Fn(&TileAxis) -> usize) -> usize {
        let axes: Vec<_> = self
            .axes
            .iter()
            .map(|axis| (own(axis), axis.length))
            .collect();
        held_points(&axes, self.axes_of_reals()).unwrap_or(usize::MAX)
    }

    /// How points are made of the reals that the pass loads, and of how many: of a real line or
    /// a part of one.
    pub fn real_load(&self) -> Option<(&'static RealSide, usize)> {
        let axis = self.axes.first()?;
        match self.load_reals.or_else(|| self.real_columns(axis)) {
            Some(line) => Some((line.load(), line.length)),
            None if !axis.kind.is_real_to_real() => None,
            None => Some((&self.reduction(axis).load, axis.length)),
        }
    }

    /// The same of the reals that it stores.
    pub fn real_store(&self) -> Option<(&'static RealSide, usize)> {
        let axis = self.axes.last()?;
        match self.store_reals.or_else(|| self.real_columns(axis)) {
            Some(line) => Some((line.store(), line.length)),
            None if !axis.kind.is_real_to_real() => None,
            None => Some((&self.reduction(axis).store, axis.length)),
        }
    }

    /// Bytes read from and written to memory.
    pub fn bytes(&self) -> (usize, usize) {
        // Ranges are of whole lines: loops over the parts of one are counted by them.
        let points = |index: fn(&Loop) -> usize, range: fn(&TileAxis) -> &Range<usize>| {
            let lines = self.loops.iter().filter(|l| index(l) == 0);
            let lines: usize = lines.map(|l| l.count).product();
            lines * self.axes.iter().map(|a| range(a).len()).product::<usize>()
        };
        let scalar = self.storage.bytes();
        let loaded = points(|l| l.load_index, |a| &a.load_range);
        let stored = points(|l| l.store_index, |a| &a.store_range);
        (
            loaded * self.load.domain.scalars() * scalar,
            stored * self.store.domain.scalars() * scalar,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_many_points_in_runs() {
        let at = |runs: Option<Runs>, stride: usize, i: usize| match runs {
            Some(runs) => i / runs.points * runs.apart + i % runs.points * stride,
            None => i * stride,
        };
        let runs = Some(Runs {
            points: 16,
            apart: 1000,
        });
        for step in [1, 4, 16, 48] {
            let (stride, every) = Runs::every(runs, 2, step).expect("whole runs, or a divisor");
            for i in 0..100 {
                assert_eq!(at(every, stride, i), at(runs, 2, i * step), "{step}");
            }
        }
        assert_eq!(Runs::every(runs, 2, 12), None);
        assert_eq!(Runs::every(None, 2, 12), Some((24, None)));
    }

    #[test]
    fn lines_are_beside_their_mirror_images() {
        for counts in [[1, 6], [4, 6], [2, 2]] {
            let [rows, row] = counts;
            let image = |a: usize| (rows - a / row) % rows * row + (row - a % row) % row;
            for a in 0..rows * row {
                let partner = Mirrored::partner(&counts, a);
                assert_eq!(Mirrored::partner(&counts, partner), a);
                assert_ne!(partner, a);
                // Or both are their own.
                assert!(image(a) == partner || (image(a) == a && image(partner) == partner));
            }
        }
    }
}
