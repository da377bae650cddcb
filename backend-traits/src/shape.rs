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
    let Some(most) = p.checked_sub(1).filter(|most| *most > 0) else {
        return Vec::new();
    };
    let mut primes = Vec::new();
    let mut rest = most;
    while rest > 1 {
        let prime = largest_prime_factor(rest);
        primes.push(prime);
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    // A power of p − 1 that is 1, where no smaller one that divides it is, is one of a prime p.
    let generates = |g: &usize| {
        let is_one = |power: usize| power_modulo(*g, power, p) == 1 % p;
        is_one(most) && !primes.iter().any(|prime| is_one(most / prime))
    };
    let Some(g) = (1..p).find(generates) else {
        return Vec::new();
    };
    let mut powers = Vec::with_capacity(most);
    powers.push(1);
    // Twice as many each time, none of which waits for the one before it.
    while powers.len() < most {
        let times = Modulo::new(power_modulo(g, powers.len(), p), p);
        let more = powers.len().min(most - powers.len());
        powers.extend_from_within(..more);
        let first = powers.len() - more;
        powers[first..].iter_mut().for_each(|x| *x = times.of(*x));
    }
    powers
}

fn power_modulo(base: usize, power: usize, p: usize) -> usize {
    let (mut result, mut square) = (1 % p as u128, base as u128 % p as u128);
    let mut rest = power;
    while rest > 0 {
        if rest % 2 == 1 {
            result = result * square % p as u128;
        }
        square = square * square % p as u128;
        rest /= 2;
    }
    result as usize
}

/// Products with one factor modulo p, by an approximate quotient (Shoup).
struct Modulo {
    factor: u64,
    /// The factor's 2^64th parts of p, rounded down.
    parts: u64,
    p: u64,
}

impl Modulo {
    fn new(factor: usize, p: usize) -> Self {
        let parts = (factor as u128) << 64;
        Modulo {
            factor: factor as u64,
            parts: (parts / p as u128) as u64,
            p: p as u64,
        }
    }

    /// The product with a number below p, which has 63 bits at most.
    #[inline]
    fn of(&self, x: usize) -> usize {
        let quotient = ((u128::from(self.parts) * x as u128) >> 64) as u64;
        let rest = (x as u64).wrapping_mul(self.factor);
        // The quotient is right or one too small.
        let rest = rest.wrapping_sub(quotient.wrapping_mul(self.p));
        rest.min(rest.wrapping_sub(self.p)) as usize
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
