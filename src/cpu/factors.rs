//! Factors of points on their way in or out of a part of a line.

use super::chirp::chirp;
use super::roots::Roots;
use super::scalar::Real;
use mmafft_backend_traits::{Direction, Factor};
use num_complex::Complex;

/// What every point is multiplied by.
pub enum Multiplier {
    /// A twiddle, and the loop that counts its lines.
    Roots {
        table: Roots,
        inverse: bool,
        line_loop: usize,
        /// The number of the loop's first line.
        first: usize,
    },
    /// Bluestein's chirp.
    Chirp { length: usize, inverse: bool },
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
                table: Roots::new(length),
                inverse: direction == Direction::Inverse,
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
                inverse,
                line_loop,
                first,
            } => {
                let w = table.get::<T>(k * (first + indices[*line_loop]));
                if *inverse {
                    w.conj()
                } else {
                    w
                }
            }
            Multiplier::Chirp { length, inverse } => chirp(n, *length, *inverse),
        }
    }
}
