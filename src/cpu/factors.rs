//! Factors of points on their way in or out of a part of a line.

use super::chirp::chirp;
use super::scalar::{root, Real};
use mmafft_backend_traits::{Direction, Factor};
use num_complex::Complex;

/// What every point is multiplied by.
pub enum Multiplier {
    /// A twiddle, and the loop that counts its lines.
    Roots {
        table: Roots,
        line_loop: usize,
        /// The number of the loop's first line.
        first: usize,
    },
    /// Bluestein's chirp.
    Chirp { length: usize, inverse: bool },
}

/// Roots of unity in two levels: exp(−2πi·e/N) = high[e / 2^b]·low[e mod 2^b].
pub struct Roots {
    length: usize,
    bits: u32,
    low: Vec<Complex<f64>>,
    high: Vec<Complex<f64>>,
    inverse: bool,
}

impl Roots {
    fn new(length: usize, inverse: bool) -> Self {
        let bits = (usize::BITS - length.leading_zeros()).div_ceil(2);
        Roots {
            length,
            bits,
            low: (0..1 << bits).map(|e| root(e, length)).collect(),
            high: (0..=length >> bits)
                .map(|e| root(e << bits, length))
                .collect(),
            inverse,
        }
    }

    fn get<T: Real>(&self, e: usize) -> Complex<T> {
        let e = e % self.length;
        let w = self.high[e >> self.bits] * self.low[e & ((1 << self.bits) - 1)];
        let im = if self.inverse { -w.im } else { w.im };
        Complex::new(T::rounded(w.re), T::rounded(im))
    }
}

impl Multiplier {
    /// Prepares a factor of a pass.
    pub fn new(factor: Factor) -> Self {
        match factor {
            Factor::Roots {
                length,
                line_loop,
                direction,
                first,
                // `check` refuses others.
                turned: _,
            } => Multiplier::Roots {
                table: Roots::new(length, direction == Direction::Inverse),
                line_loop,
                first,
            },
            Factor::Chirp { length, direction } => Multiplier::Chirp {
                length,
                inverse: direction == Direction::Inverse,
            },
        }
    }

    /// The factor of point `k` of the part, which is point `n` of the line, on the
    /// line where the loops are at `indices`.
    pub fn of<T: Real>(&self, k: usize, n: usize, indices: &[usize]) -> Complex<T> {
        match self {
            Multiplier::Roots {
                table,
                line_loop,
                first,
            } => table.get(k * (first + indices[*line_loop])),
            Multiplier::Chirp { length, inverse } => chirp(n, *length, *inverse),
        }
    }
}
