//! Roots of unity in double-double.

use super::dd::{ComplexDd, Dd};
use std::sync::LazyLock;

/// Terms of the Taylor series of sine and cosine after the first. The first one left out, at an angle of `pi / 4`,
/// is below `(pi / 4)^30 / 30! < 1e-35`.
const TERMS: usize = 14;
/// `1 / k!` for every `k` of these terms: divisions of double-doubles would be most of a root's time.
static INVERSE_FACTORIALS: LazyLock<[Dd; 2 * TERMS + 2]> = LazyLock::new(|| {
    let mut value = Dd::ONE;
    std::array::from_fn(|k| {
        value = value / Dd::from_u64(k.max(1) as u64);
        value
    })
});

/// `exp(-2 pi i k / n)` with an error below 1e-31 (2e-32 measured), by Taylor series.
///
/// The angle is reduced to `[0, pi / 4]` in integers, so nothing is lost for large `k`, and the
/// multiples of an eighth of a turn that are exact (`1`, `-i`, `-1`, `i`) come out exact. Takes
/// about a microsecond; [`Roots`] is the way to many roots of one order.
///
/// # Panics
///
/// If `n` is zero.
pub fn root(k: usize, n: usize) -> ComplexDd {
    assert!(n > 0, "a root of unity needs a positive order");
    let order = n as u128;
    let eighths = 8 * (k as u128 % order);
    let (octant, rest) = (eighths / order, eighths % order);
    // Odd octants are measured back from the axis at their end.
    let numerator = if octant % 2 == 0 { rest } else { order - rest };
    // `numerator <= n`, so both fit 64 bits.
    let fraction = Dd::from_u64(numerator as u64) / Dd::from_u64(n as u64);
    let (sin, cos) = sin_cos(fraction * Dd::FRAC_PI_4);
    let (re, im) = match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    ComplexDd::new(re, -im)
}

/// Sine and cosine of an angle in `[0, pi / 4]`, by their Taylor series in nested form:
/// `cos x = 1/0! - x^2 (1/2! - x^2 (...))`, `sin x = x (1/1! - x^2 (1/3! - x^2 (...)))`.
fn sin_cos(angle: Dd) -> (Dd, Dd) {
    let square = angle * angle;
    let nested = |odd: usize| {
        let mut terms = INVERSE_FACTORIALS.iter().skip(odd).step_by(2).rev();
        let last = terms.next().copied().unwrap_or_default();
        terms.fold(last, |sum, &term| term - square * sum)
    };
    (angle * nested(1), nested(0))
}

/// All roots of unity of one order, each the product of one entry of either of two tables of
/// about `sqrt(n)` entries. The product of two roots from [`root`] has an error below 3e-31
/// (4e-32 measured).
pub struct Roots {
    order: usize,
    shift: u32,
    /// The roots with index `k << shift`.
    coarse: Vec<ComplexDd>,
    /// The roots with index below `1 << shift`.
    fine: Vec<ComplexDd>,
}

impl Roots {
    /// Tables for the roots of order `n`.
    ///
    /// # Panics
    ///
    /// If `n` is zero.
    pub fn new(n: usize) -> Self {
        assert!(n > 0, "a root of unity needs a positive order");
        let shift = n.ilog2().div_ceil(2);
        let last = (n - 1) >> shift;
        Self {
            order: n,
            shift,
            coarse: (0..=last).map(|k| root(k << shift, n)).collect(),
            fine: (0..1 << shift).map(|k| root(k, n)).collect(),
        }
    }

    /// `exp(-2 pi i k / n)`.
    ///
    /// # Panics
    ///
    /// If `k` is not below the order.
    #[inline]
    pub fn get(&self, k: usize) -> ComplexDd {
        assert!(k < self.order, "root index out of range");
        let mask = (1 << self.shift) - 1;
        self.coarse[k >> self.shift] * self.fine[k & mask]
    }

    /// The roots with index `0..n`, in order.
    pub fn to_vec(&self) -> Vec<ComplexDd> {
        (0..self.order).map(|k| self.get(k)).collect()
    }
}
