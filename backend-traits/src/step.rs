//! Steps: what happens to a tile on chip.

use crate::kind::Direction;

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
