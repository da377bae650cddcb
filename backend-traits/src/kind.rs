//! What is transformed into what: one row per kind of transform. The file is long for that table.

use crate::real::{CoreLength, Middle, Order, Pairing, RealSide, Reduction, Weight};

/// The sign of the exponent. Forward is `X[k] = Σ x[n]·exp(−2πi·kn/N)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `exp(−2πi·kn/N)`.
    Forward,
    /// `exp(+2πi·kn/N)`.
    Inverse,
}

impl Direction {
    /// The other one.
    pub fn reversed(self) -> Self {
        match self {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        }
    }

    /// −1 forward, +1 inverse.
    pub fn sign(self) -> f64 {
        match self {
            Direction::Forward => -1.0,
            Direction::Inverse => 1.0,
        }
    }

    /// `forward` or `inverse`.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        }
    }
}

/// Real or complex points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// One scalar a point.
    Real,
    /// Two scalars a point, real part first.
    Complex,
}

impl Domain {
    /// Scalars a point.
    pub fn scalars(self) -> usize {
        match self {
            Domain::Real => 1,
            Domain::Complex => 2,
        }
    }
}

/// The kinds of transform: FFTW's definitions. The table [`KINDS`] says what each is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Complex to complex, forward or inverse.
    C2C,
    /// Real to the non-negative half of its (Hermitian) spectrum, forward.
    R2C,
    /// The half of a Hermitian spectrum to its real signal, inverse.
    C2R,
    /// Real to half-complex: r0, r1, … r(n/2), i((n+1)/2 − 1), … i1.
    R2HC,
    /// Half-complex to real.
    HC2R,
    /// Discrete Hartley transform: `Σ x[j]·(cos + sin)(2πjk/n)`.
    Dht,
    /// `x[0] + (−1)^k·x[n−1] + 2Σ x[j]·cos(πjk/(n−1))`, of at least two points (REDFT00).
    Dct1,
    /// `2Σ x[j]·cos(π(j+½)k/n)` (REDFT10).
    Dct2,
    /// `x[0] + 2Σ x[j]·cos(πj(k+½)/n)` (REDFT01).
    Dct3,
    /// `2Σ x[j]·cos(π(j+½)(k+½)/n)` (REDFT11).
    Dct4,
    /// `2Σ x[j]·sin(π(j+1)(k+1)/(n+1))` (RODFT00).
    Dst1,
    /// `2Σ x[j]·sin(π(j+½)(k+1)/n)` (RODFT10).
    Dst2,
    /// `(−1)^k·x[n−1] + 2Σ x[j]·sin(π(j+1)(k+½)/n)` (RODFT01).
    Dst3,
    /// `2Σ x[j]·sin(π(j+½)(k+½)/n)` (RODFT11).
    Dst4,
}

/// One row of the table of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindRow {
    /// The kind that the row describes.
    pub kind: Kind,
    /// The name in files, reports and on the command line.
    pub name: &'static str,
    /// What the input's points are.
    pub input: Domain,
    /// What the output's points are.
    pub output: Domain,
    /// The direction, where the kind fixes it.
    pub direction: Option<Direction>,
    /// The kind that undoes it.
    pub inverse: Kind,
    /// The number of points that normalisations count, for n.
    pub logical: CoreLength,
    /// Whether that is doubled.
    pub twice: bool,
    /// The sign of the exponent of the DFT at its core, where the kind fixes it.
    pub core: Option<Direction>,
    /// Through a DFT of half the length, where there is one.
    pub packed: Reduction,
    /// Through one of the whole length.
    pub whole: Reduction,
    /// Through none: reals as they are, where a thread of a device has all of a line (type I).
    pub in_thread: Option<Reduction>,
}

/// A side whose points are complex in memory.
const COMPLEX: RealSide = RealSide::PAIRS.pairing(Pairing::None);
/// Reals that are points by themselves.
const ALONE: RealSide = RealSide::PAIRS.pairing(Pairing::Alone);
/// The half-complex format.
const HALVES: RealSide = RealSide::PAIRS.pairing(Pairing::Halves);
/// Pairs in the order of type II.
const EVEN_ODD: RealSide = RealSide::PAIRS.order(Order::EvenOdd);
/// The half spectrum that type II stores, and that type III loads.
const SECOND: RealSide = HALVES.weight(Weight::Second).conjugate().edges(true, false);
const THIRD: RealSide = HALVES.weight(Weight::Third).conjugate().edges(true, false);
/// Type IV's two sides, of even and of odd lengths.
const FOURTH: [RealSide; 4] = [
    RealSide::PAIRS
        .pairing(Pairing::Ends)
        .weight(Weight::Fourth),
    RealSide::PAIRS
        .pairing(Pairing::Ends)
        .weight(Weight::TwiceFourth)
        .conjugate(),
    ALONE.order(Order::Residues),
    ALONE
        .order(Order::ResiduesOverEight)
        .weight(Weight::Residue),
];

const fn reduction(
    length: CoreLength,
    load: RealSide,
    middle: Middle,
    store: RealSide,
) -> Reduction {
    Reduction {
        length,
        load,
        middle,
        store,
    }
}

const PLAIN: Reduction = reduction(CoreLength::Full, COMPLEX, Middle::Plain, COMPLEX);

/// The row of a kind from reals to as many reals, without its reductions.
const fn real(kind: Kind, name: &'static str, inverse: Kind, logical: CoreLength) -> KindRow {
    KindRow {
        kind,
        name,
        input: Domain::Real,
        output: Domain::Real,
        direction: None,
        inverse,
        logical,
        twice: true,
        core: Some(Direction::Forward),
        packed: PLAIN,
        whole: PLAIN,
        in_thread: None,
    }
}

/// The table of kinds.
pub const KINDS: &[KindRow] = &[
    KindRow {
        input: Domain::Complex,
        output: Domain::Complex,
        core: None,
        twice: false,
        ..real(Kind::C2C, "c2c", Kind::C2C, CoreLength::Full)
    },
    KindRow {
        output: Domain::Complex,
        direction: Some(Direction::Forward),
        twice: false,
        packed: reduction(CoreLength::Half, RealSide::PAIRS, Middle::Split, COMPLEX),
        whole: reduction(CoreLength::Full, ALONE, Middle::Plain, COMPLEX),
        ..real(Kind::R2C, "r2c", Kind::C2R, CoreLength::Full)
    },
    KindRow {
        input: Domain::Complex,
        direction: Some(Direction::Inverse),
        twice: false,
        core: Some(Direction::Inverse),
        packed: reduction(CoreLength::Half, COMPLEX, Middle::Merge, RealSide::PAIRS),
        whole: reduction(CoreLength::Full, COMPLEX, Middle::Plain, ALONE),
        ..real(Kind::C2R, "c2r", Kind::R2C, CoreLength::Full)
    },
    KindRow {
        direction: Some(Direction::Forward),
        twice: false,
        packed: reduction(CoreLength::Half, RealSide::PAIRS, Middle::Split, HALVES),
        whole: reduction(CoreLength::Full, ALONE, Middle::Plain, HALVES),
        ..real(Kind::R2HC, "r2hc", Kind::HC2R, CoreLength::Full)
    },
    KindRow {
        direction: Some(Direction::Inverse),
        twice: false,
        core: Some(Direction::Inverse),
        packed: reduction(CoreLength::Half, HALVES, Middle::Merge, RealSide::PAIRS),
        whole: reduction(
            CoreLength::Full,
            HALVES.pairing(Pairing::Mirrored),
            Middle::Plain,
            ALONE,
        ),
        ..real(Kind::HC2R, "hc2r", Kind::R2HC, CoreLength::Full)
    },
    KindRow {
        twice: false,
        packed: reduction(
            CoreLength::Half,
            RealSide::PAIRS,
            Middle::Split,
            HALVES.weight(Weight::Hartley),
        ),
        whole: reduction(
            CoreLength::Full,
            ALONE,
            Middle::Plain,
            HALVES.weight(Weight::Hartley),
        ),
        ..real(Kind::Dht, "dht", Kind::Dht, CoreLength::Full)
    },
    KindRow {
        packed: reduction(
            CoreLength::Less,
            RealSide::PAIRS.order(Order::Even).edges(true, true),
            Middle::Split,
            ALONE.edges(true, true),
        ),
        whole: reduction(
            CoreLength::TwiceLess,
            ALONE.order(Order::Even).edges(true, true),
            Middle::Plain,
            ALONE.edges(true, true),
        ),
        in_thread: Some(reduction(
            CoreLength::Full,
            ALONE.edges(true, true),
            Middle::Plain,
            ALONE.edges(true, true),
        )),
        ..real(Kind::Dct1, "dct1", Kind::Dct1, CoreLength::Less)
    },
    KindRow {
        packed: reduction(CoreLength::Half, EVEN_ODD, Middle::Split, SECOND),
        whole: reduction(
            CoreLength::Full,
            EVEN_ODD.pairing(Pairing::Alone),
            Middle::Plain,
            SECOND,
        ),
        ..real(Kind::Dct2, "dct2", Kind::Dct3, CoreLength::Full)
    },
    KindRow {
        core: Some(Direction::Inverse),
        packed: reduction(CoreLength::Half, THIRD, Middle::Merge, EVEN_ODD),
        whole: reduction(
            CoreLength::Full,
            THIRD.pairing(Pairing::Around),
            Middle::Plain,
            EVEN_ODD.pairing(Pairing::Alone),
        ),
        ..real(Kind::Dct3, "dct3", Kind::Dct2, CoreLength::Full)
    },
    KindRow {
        packed: reduction(CoreLength::Half, FOURTH[0], Middle::Plain, FOURTH[1]),
        whole: reduction(CoreLength::Full, FOURTH[2], Middle::Plain, FOURTH[3]),
        ..real(Kind::Dct4, "dct4", Kind::Dct4, CoreLength::Full)
    },
    KindRow {
        packed: reduction(
            CoreLength::More,
            RealSide::PAIRS.order(Order::Odd),
            Middle::Split,
            ALONE.order(Order::Behind).weight(Weight::Imaginary),
        ),
        whole: reduction(
            CoreLength::TwiceMore,
            ALONE.order(Order::Odd),
            Middle::Plain,
            ALONE.order(Order::Behind).weight(Weight::Imaginary),
        ),
        in_thread: Some(reduction(CoreLength::Full, ALONE, Middle::Plain, ALONE)),
        ..real(Kind::Dst1, "dst1", Kind::Dst1, CoreLength::More)
    },
    KindRow {
        packed: reduction(
            CoreLength::Half,
            EVEN_ODD.alternating(),
            Middle::Split,
            SECOND.reversed(),
        ),
        whole: reduction(
            CoreLength::Full,
            EVEN_ODD.pairing(Pairing::Alone).alternating(),
            Middle::Plain,
            SECOND.reversed(),
        ),
        ..real(Kind::Dst2, "dst2", Kind::Dst3, CoreLength::Full)
    },
    KindRow {
        core: Some(Direction::Inverse),
        packed: reduction(
            CoreLength::Half,
            THIRD.reversed(),
            Middle::Merge,
            EVEN_ODD.alternating(),
        ),
        whole: reduction(
            CoreLength::Full,
            THIRD.reversed().pairing(Pairing::Around),
            Middle::Plain,
            EVEN_ODD.pairing(Pairing::Alone).alternating(),
        ),
        ..real(Kind::Dst3, "dst3", Kind::Dst2, CoreLength::Full)
    },
    KindRow {
        packed: reduction(
            CoreLength::Half,
            FOURTH[0].reversed(),
            Middle::Plain,
            FOURTH[1].alternating(),
        ),
        whole: reduction(
            CoreLength::Full,
            FOURTH[2].reversed(),
            Middle::Plain,
            FOURTH[3].alternating(),
        ),
        ..real(Kind::Dst4, "dst4", Kind::Dst4, CoreLength::Full)
    },
];

impl Kind {
    /// The kind's row in [`KINDS`].
    pub fn row(self) -> &'static KindRow {
        let row = KINDS.iter().find(|row| row.kind == self);
        row.expect("every kind has a row, by the test `every_kind_has_a_row`")
    }

    /// The kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.kind)
    }

    /// Whether several axes of these kinds, one after another, end with reals of half spectra.
    ///
    /// The reals take less room than the half spectra, so that a backend that works in memory leaves points where the tile was
    /// loaded until then.
    pub fn end_with_reals(kinds: impl IntoIterator<Item = Kind>) -> bool {
        let mut count = 0;
        let last = kinds.into_iter().inspect(|_| count += 1).last();
        count > 1 && last == Some(Kind::C2R)
    }

    /// The number of points that normalisations count, for `n`: N of the DFT that the kind is
    /// a part of, twice that of most cosine and sine transforms.
    pub fn logical_length(self, n: usize) -> usize {
        let row = self.row();
        let length = row.logical.of(n).unwrap_or(n);
        match row.twice {
            true => length.saturating_mul(2),
            false => length,
        }
    }

    /// The length of the input and of the output along the axis that the kind is applied
    /// to, where the real side has `n` points: `[n, n]`, `[n, n/2+1]` or `[n/2+1, n]`.
    pub fn lengths(self, n: usize) -> [usize; 2] {
        match self {
            Kind::R2C => [n, n / 2 + 1],
            Kind::C2R => [n / 2 + 1, n],
            _ => [n, n],
        }
    }
}

/// How the output is scaled. `N` is the product of the logical lengths, see
/// [`Kind::logical_length`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Normalization {
    /// Neither direction (FFTW, cuFFT, RustFFT).
    #[default]
    None,
    /// Either direction by `1/N`: what undoes [`Normalization::None`].
    Full,
    /// The inverse by `1/N` (NumPy's and SciPy's default).
    Backward,
    /// Both by `1/√N`. DCT and DST I to III are as SciPy's besides, orthogonal matrices: of DCT-I, DCT-III and DST-III
    /// the first or last points are multiplied by √2 on their way in, of DCT-I, DCT-II and DST-II by √½ on their way out.
    Ortho,
    /// The forward transform by `1/N`.
    Forward,
}

impl Normalization {
    /// All of them, with their names.
    pub const ALL: [(Normalization, &'static str); 5] = [
        (Normalization::None, "none"),
        (Normalization::Full, "full"),
        (Normalization::Backward, "backward"),
        (Normalization::Ortho, "ortho"),
        (Normalization::Forward, "forward"),
    ];

    /// The factor for a transform of `points` points in `direction`.
    pub fn factor(self, points: f64, direction: Direction) -> f64 {
        match (self, direction) {
            (Normalization::Ortho, _) => 1.0 / points.sqrt(),
            (Normalization::Full, _)
            | (Normalization::Backward, Direction::Inverse)
            | (Normalization::Forward, Direction::Forward) => 1.0 / points,
            _ => 1.0,
        }
    }

    /// The one by which the opposite direction undoes a transform scaled by this one.
    pub fn inverse(self) -> Self {
        match self {
            Normalization::None => Normalization::Full,
            Normalization::Full => Normalization::None,
            other => other,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(n, _)| *n == self);
        found.expect("ALL lists every normalisation").1
    }
}

#[cfg(test)]
#[path = "kind_tests.rs"]
mod tests;
