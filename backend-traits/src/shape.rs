//! Shapes: the lengths of an array, row-major, the last dimension contiguous by default.

use crate::error::{Error, Result};
use std::fmt;

/// The highest rank of an array, as NumPy's.
pub const MAX_RANK: usize = 64;
/// The most axes that one tile holds; more axes take more passes.
pub const MAX_TILE_AXES: usize = 3;

/// The lengths of one array of a batch, outermost first. For real transforms these are
/// the lengths of the *real* array; the half spectrum follows from them.
///
/// ```
/// # use mmafft_backend_traits::Shape;
/// assert_eq!(Shape::d2(1024, 768).dims(), [1024, 768]);
/// assert_eq!(Shape::new(&[2, 3, 4]).to_string(), "2x3x4");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: Vec<usize>,
}

impl Shape {
    /// A shape of any rank; whether it can be transformed is checked by the planner.
    pub fn new(dims: &[usize]) -> Self {
        Shape {
            dims: dims.to_vec(),
        }
    }

    /// One dimension of `n` points.
    pub fn d1(n: usize) -> Self {
        Shape::new(&[n])
    }

    /// `rows` × `columns` points, a row contiguous.
    pub fn d2(rows: usize, columns: usize) -> Self {
        Shape::new(&[rows, columns])
    }

    /// `planes` × `rows` × `columns` points, a row contiguous.
    pub fn d3(planes: usize, rows: usize, columns: usize) -> Self {
        Shape::new(&[planes, rows, columns])
    }

    /// The lengths, outermost first.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The number of points of one array, if it fits the address space.
    pub fn points(&self) -> Result<usize> {
        product(&self.dims, "the number of points of the shape")
    }

    /// The shape of the real array whose half spectrum, halved along `axis`, has the
    /// shape `half`. `length` is the real length along `axis`; without it the even one,
    /// `2 (m - 1)`, is meant (1 for `m = 1`).
    pub fn from_half(half: &[usize], axis: usize, length: Option<usize>) -> Result<Self> {
        let rank = half.len();
        let got = *half.get(axis).ok_or(Error::AxisOutOfRange { axis, rank })?;
        if got == 0 {
            return Err(Error::Empty {
                what: format!("dimension {axis}"),
            });
        }
        let length = match length {
            Some(length) => length,
            None => product(&[got - 1, 2], "the real length")?.max(1),
        };
        let expected = length / 2 + 1;
        if expected != got {
            return Err(Error::HalfLength {
                axis,
                length,
                expected,
                got,
            });
        }
        let mut dims = half.to_vec();
        dims[axis] = length;
        Ok(Shape { dims })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, n) in self.dims.iter().enumerate() {
            write!(f, "{}{n}", if i > 0 { "x" } else { "" })?;
        }
        Ok(())
    }
}

/// The product of `factors`, or an overflow error that says what `what` is.
pub(crate) fn product(factors: &[usize], what: &str) -> Result<usize> {
    factors
        .iter()
        .try_fold(1usize, |p, &n| p.checked_mul(n))
        .filter(|&p| p <= isize::MAX as usize)
        .ok_or_else(|| Error::Overflow { what: what.into() })
}

/// The largest prime factor of `n`; 1 for 0 and 1.
pub fn largest_prime_factor(mut n: usize) -> usize {
    let mut largest = 1;
    let mut p = 2;
    while p <= n / p {
        while n.is_multiple_of(p) {
            n /= p;
            largest = p;
        }
        p += 1;
    }
    largest.max(n)
}

/// The powers g^0, g^1, … g^(p−2) of the least generator of the integers modulo a prime p; none where p is no prime.
pub fn generator_powers(p: usize) -> Vec<usize> {
    let powers = |g: usize| {
        let mut all = vec![1];
        let mut x = g % p;
        while x != 1 && all.len() < p {
            all.push(x);
            x = x * g % p;
        }
        all
    };
    let found = (1..p).map(powers).find(|all| all.len() == p - 1);
    found.unwrap_or_default()
}
