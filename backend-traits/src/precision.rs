//! Precisions: how points are stored, what multiplies them, and what error that gives.

use crate::kind::Kind;
use crate::shape::largest_prime_factor;
use half::{bf16, f16};

/// A scalar in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// IEEE binary64.
    F64,
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
}

impl ScalarType {
    /// Bytes a scalar.
    pub fn bytes(self) -> usize {
        match self {
            ScalarType::F64 => 8,
            ScalarType::F32 => 4,
            ScalarType::F16 | ScalarType::Bf16 => 2,
        }
    }

    /// Bytes of the scalar that computes with it: 16-bit storage is widened.
    pub fn compute_bytes(self) -> usize {
        self.bytes().max(4)
    }

    /// The smallest number above zero.
    pub fn least(self) -> f64 {
        match self {
            ScalarType::F64 => f64::from_bits(1),
            ScalarType::F32 => f32::from_bits(1).into(),
            ScalarType::F16 => f16::from_bits(1).into(),
            ScalarType::Bf16 => bf16::from_bits(1).into(),
        }
    }

    /// The unit round-off: how far off, relatively, a stored number may be.
    pub fn round_off(self) -> f64 {
        let epsilon = match self {
            ScalarType::F64 => f64::EPSILON,
            ScalarType::F32 => f32::EPSILON.into(),
            ScalarType::F16 => f16::EPSILON.into(),
            ScalarType::Bf16 => bf16::EPSILON.into(),
        };
        epsilon / 2.0
    }

    /// `f64`, `f32`, `f16` or `bf16`.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::F64 => "f64",
            ScalarType::F32 => "f32",
            ScalarType::F16 => "f16",
            ScalarType::Bf16 => "bf16",
        }
    }
}

/// What a fragment multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// FP16.
    Half,
    /// BF16.
    Bf16,
    /// Two FP16, `hi + lo·2⁻¹¹`.
    SplitHalf,
    /// Two BF16, `hi + lo·2⁻⁸`.
    SplitBf16,
    /// FP32 (CDNA's native product; butterflies everywhere).
    F32,
    /// FP64.
    F64,
}

impl Operand {
    /// The name in `explain()`.
    pub fn name(self) -> &'static str {
        match self {
            Operand::Half => "half",
            Operand::Bf16 => "bf16",
            Operand::SplitHalf => "split half",
            Operand::SplitBf16 => "split bf16",
            Operand::F32 => "f32",
            Operand::F64 => "f64",
        }
    }
}

/// The precisions that a user can ask for. [`PRECISIONS`] says what each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Single precision in memory; lines of powers of two by products of 16-bit matrix cores, each value
    /// split in two (Sorna et al. 2018). Other lines are as [`Precision::F32`] has them, unless products are asked for.
    SplitF16,
    /// FP16 in memory (`half::f16`), FP32 inside a pass.
    F16,
    /// BF16 in memory (`half::bf16`), FP32 inside a pass.
    Bf16,
}

/// One row of the table of precisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrecisionRow {
    /// The precision that the row describes.
    pub precision: Precision,
    /// The name in reports and on the command line.
    pub name: &'static str,
    /// What a scalar is in memory.
    pub storage: ScalarType,
    /// What the matrix engine multiplies on backends without wider products.
    pub operand: Operand,
    /// The error bound: relative L2 ≤ `bound`·√(1 + log2 N), or `bound` where `flat`.
    pub bound: f64,
    /// Whether the error is that of storing the result, whatever the length.
    pub flat: bool,
}

/// The table of precisions.
pub const PRECISIONS: &[PrecisionRow] = &[
    PrecisionRow {
        precision: Precision::F64,
        name: "f64",
        storage: ScalarType::F64,
        operand: Operand::F64,
        bound: 3e-16,
        flat: false,
    },
    PrecisionRow {
        precision: Precision::F32,
        name: "f32",
        storage: ScalarType::F32,
        operand: Operand::F32,
        bound: 8e-8,
        flat: false,
    },
    PrecisionRow {
        precision: Precision::SplitF16,
        name: "split-f16",
        storage: ScalarType::F32,
        operand: Operand::SplitHalf,
        bound: 1.6e-7,
        flat: false,
    },
    PrecisionRow {
        precision: Precision::F16,
        name: "f16",
        storage: ScalarType::F16,
        operand: Operand::SplitHalf,
        bound: 6e-4,
        flat: true,
    },
    PrecisionRow {
        precision: Precision::Bf16,
        name: "bf16",
        storage: ScalarType::Bf16,
        operand: Operand::SplitBf16,
        bound: 5e-3,
        flat: true,
    },
];

/// How much larger the error of a kind from reals to reals may be: points are weighted on their
/// way in and out, and short lines have little else.
pub const REAL_TO_REAL: f64 = 5.0 / 3.0;

impl Precision {
    /// The precision's row in [`PRECISIONS`].
    pub fn row(self) -> &'static PrecisionRow {
        let row = PRECISIONS.iter().find(|row| row.precision == self);
        row.expect("every precision has a row, by the test `every_precision_has_a_row`")
    }

    /// The precision with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Precision> {
        let row = PRECISIONS.iter().find(|row| row.name == name)?;
        Some(row.precision)
    }

    /// What the bound grows with, per root of the number of levels.
    pub fn level_bound(self, kind: Kind) -> f64 {
        let real = kind.is_real_to_real();
        self.row().bound * if real { REAL_TO_REAL } else { 1.0 }
    }

    /// The bound on the relative L2 error of a transform over axes of these `lengths`.
    /// Lengths with a prime factor above 13, and those that a device finds too long
    /// otherwise (`convolved`), go through a convolution, which is three transforms: they
    /// get three times the bound. Real-to-real kinds get 5/3 of it.
    pub fn error_bound(self, kind: Kind, lengths: &[usize], convolved: bool) -> f64 {
        let row = self.row();
        if row.flat {
            return row.bound;
        }
        let bits: f64 = lengths.iter().map(|&n| (n as f64).log2()).sum();
        let convolved = convolved || lengths.iter().any(|&n| largest_prime_factor(n) > 13);
        self.level_bound(kind) * (1.0 + bits).sqrt() * if convolved { 3.0 } else { 1.0 }
    }
}

#[cfg(test)]
#[path = "precision_tests.rs"]
mod tests;
