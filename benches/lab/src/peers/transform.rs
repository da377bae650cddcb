//! What the GPU libraries transform.

use std::fmt;

use mmafft::{Kind, ScalarType};

/// A batch of row-major transforms that follow each other without gaps.
///
/// The half spectrum of a real transform has `n / 2 + 1` elements along its last dimension. In
/// place, the rows of the real array are padded to the same memory, `2 * (n / 2 + 1)` elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// What is transformed into what.
    pub kind: Kind,
    /// How numbers are stored and computed.
    pub scalar: ScalarType,
    /// One to three lengths; of the real array for transforms between real and complex data.
    pub shape: Vec<usize>,
    /// How many transforms.
    pub batch: usize,
    /// Whether the rows of a real array are padded, for one array to be both input and output.
    pub in_place: bool,
}

impl Transform {
    /// One transform, from one array into another.
    pub fn new(kind: Kind, scalar: ScalarType, shape: &[usize]) -> Self {
        Self {
            kind,
            scalar,
            shape: shape.to_vec(),
            batch: 1,
            in_place: false,
        }
    }

    /// Repeats the transform.
    pub fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// In one array.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }
}

/// Such as `f16 c2c of [512, 512], batch 4`.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scalar, kind) = (self.scalar.name(), self.kind.row().name);
        write!(f, "{scalar} {kind} of {:?}", self.shape)?;
        write!(f, ", batch {}", self.batch)
    }
}
