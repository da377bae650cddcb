//! What is transformed into what: one row per kind of transform.

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

/// What a pass does to a line between memory and the core transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoadOp {
    /// Nothing.
    Copy,
    /// Two neighbouring real points become one complex point of a line half as long.
    PackPairs,
    /// A half spectrum becomes the spectrum of the packed pairs.
    MergeHalves,
}

/// What a pass does to a line between the core transform and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreOp {
    /// Nothing.
    Copy,
    /// The spectrum of packed pairs becomes the half spectrum of the real line.
    SplitHalves,
    /// One complex point becomes two neighbouring real points.
    UnpackPairs,
}

/// The kinds of transform. The table [`KINDS`] says what each is made of; the real
/// family (R2HC, HC2R, DHT, DCT and DST I–IV) becomes more rows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Complex to complex, forward or inverse.
    C2C,
    /// Real to the non-negative half of its (Hermitian) spectrum, forward.
    R2C,
    /// The half of a Hermitian spectrum to its real signal, inverse.
    C2R,
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
    /// What the load does, for an even length.
    pub load: LoadOp,
    /// What the store does, for an even length.
    pub store: StoreOp,
}

/// The table of kinds.
pub const KINDS: &[KindRow] = &[
    KindRow {
        kind: Kind::C2C,
        name: "c2c",
        input: Domain::Complex,
        output: Domain::Complex,
        direction: None,
        inverse: Kind::C2C,
        load: LoadOp::Copy,
        store: StoreOp::Copy,
    },
    KindRow {
        kind: Kind::R2C,
        name: "r2c",
        input: Domain::Real,
        output: Domain::Complex,
        direction: Some(Direction::Forward),
        inverse: Kind::C2R,
        load: LoadOp::PackPairs,
        store: StoreOp::SplitHalves,
    },
    KindRow {
        kind: Kind::C2R,
        name: "c2r",
        input: Domain::Complex,
        output: Domain::Real,
        direction: Some(Direction::Inverse),
        inverse: Kind::R2C,
        load: LoadOp::MergeHalves,
        store: StoreOp::UnpackPairs,
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

    /// The length of the complex DFT at its core, for a logical length of `n`: half of an
    /// even real length.
    pub fn core_length(self, n: usize) -> usize {
        match self {
            Kind::R2C | Kind::C2R if n.is_multiple_of(2) => n / 2,
            _ => n,
        }
    }

    /// The length of the input and of the output along the axis that the kind is applied
    /// to, for a logical length of `n`: `(n, n)`, `(n, n/2+1)` or `(n/2+1, n)`.
    pub fn lengths(self, n: usize) -> (usize, usize) {
        match self {
            Kind::C2C => (n, n),
            Kind::R2C => (n, n / 2 + 1),
            Kind::C2R => (n / 2 + 1, n),
        }
    }
}

/// How the output is scaled. `N` is the number of points transformed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Normalization {
    /// Neither direction (FFTW, cuFFT, RustFFT).
    #[default]
    None,
    /// The inverse by `1/N` (NumPy's and SciPy's default).
    Backward,
    /// Both by `1/√N`.
    Ortho,
    /// The forward transform by `1/N`.
    Forward,
}

impl Normalization {
    /// All of them, with their names.
    pub const ALL: [(Normalization, &'static str); 4] = [
        (Normalization::None, "none"),
        (Normalization::Backward, "backward"),
        (Normalization::Ortho, "ortho"),
        (Normalization::Forward, "forward"),
    ];

    /// The factor for a transform of `points` points in `direction`.
    pub fn factor(self, points: usize, direction: Direction) -> f64 {
        match (self, direction) {
            (Normalization::Ortho, _) => 1.0 / (points as f64).sqrt(),
            (Normalization::Backward, Direction::Inverse)
            | (Normalization::Forward, Direction::Forward) => 1.0 / points as f64,
            _ => 1.0,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(n, _)| *n == self);
        found.expect("ALL lists every normalisation").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_row() {
        for kind in [Kind::C2C, Kind::R2C, Kind::C2R] {
            assert_eq!(kind.row().kind, kind);
            assert_eq!(kind.row().inverse.row().inverse, kind);
            assert_eq!(Kind::from_name(kind.row().name), Some(kind));
        }
    }
}
