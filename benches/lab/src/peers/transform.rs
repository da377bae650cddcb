//! What the other libraries transform.

use std::fmt;

use mmafft::{Domain, Error, Kind, Result, ScalarType};

/// Dimensions that all of them take.
const MAX_RANK: usize = 3;

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

    /// Whether it is one.
    ///
    /// # Errors
    /// [`Error::Rank`] and [`Error::Empty`].
    pub fn check(&self) -> Result<()> {
        let rank = self.shape.len();
        if !(1..=MAX_RANK).contains(&rank) {
            return Err(Error::Rank {
                got: rank,
                max: MAX_RANK,
            });
        }
        let empty = |what: String| Err(Error::Empty { what });
        match self.shape.iter().position(|&n| n == 0) {
            Some(dimension) => empty(format!("dimension {dimension}")),
            None if self.batch == 0 => empty("the batch".into()),
            None => Ok(()),
        }
    }

    /// The lengths of the array that the elements of one side are a part of.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn embed(&self, domain: Domain) -> Result<Vec<usize>> {
        let mut embed = self.shape.clone();
        let last = embed.last_mut();
        if let (false, Some(last)) = (self.is_of_one_domain(), last) {
            let half = *last / 2 + 1;
            match domain {
                Domain::Complex => *last = half,
                Domain::Real if self.in_place => {
                    *last = half.checked_mul(2).ok_or_else(|| self.overflow())?;
                }
                Domain::Real => {}
            }
        }
        Ok(embed)
    }

    /// The elements from one array of a side to the next, and the bytes of all.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn distance_and_bytes(&self, domain: Domain) -> Result<(usize, usize)> {
        let times = |all: usize, n: usize| all.checked_mul(n).ok_or_else(|| self.overflow());
        let elements = self.embed(domain)?.into_iter().try_fold(1, times)?;
        let bytes = times(times(elements, self.batch)?, domain.scalars())?;
        Ok((elements, times(bytes, self.scalar.bytes())?))
    }

    fn is_of_one_domain(&self) -> bool {
        let row = self.kind.row();
        row.input == row.output
    }

    /// That a number does not fit what a library takes.
    pub fn overflow(&self) -> Error {
        Error::Overflow {
            what: self.to_string(),
        }
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
