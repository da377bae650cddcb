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
    let (sin, cos) = sin_cos_of_fraction(fraction);
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

/// Parts of an eighth of a turn whose sines and cosines are in a table.
const PARTS: usize = 64;
static PART_SIN_COS: LazyLock<[(Dd, Dd); PARTS + 1]> = LazyLock::new(|| {
    let parts = Dd::from_u64(PARTS as u64);
    std::array::from_fn(|k| sin_cos(Dd::from_u64(k as u64) / parts * Dd::FRAC_PI_4))
});

/// Sine and cosine of a fraction, from 0 to 1, of an eighth of a turn: those of the nearest part, turned by the rest.
fn sin_cos_of_fraction(fraction: Dd) -> (Dd, Dd) {
    let part = (fraction.to_f64() * PARTS as f64).round();
    let (sin, cos) = PART_SIN_COS[part as usize];
    // The part is a multiple of a power of two, so that nothing of the difference is lost.
    let rest = (fraction - Dd::from(part / PARTS as f64)) * Dd::FRAC_PI_4;
    let (small, less) = sin_cos_of_small(rest);
    // What the cosine is below 1 is subtracted last, so that `less` keeps digits of its own.
    (
        sin + (cos * small - sin * less),
        cos - (sin * small + cos * less),
    )
}

/// The sine of an angle of at most half a part, `pi / 512`, and how much its cosine is below 1.
///
/// From `x^6` on the series is below `1e-16` of what it is added to, so a double holds the digits of it that count. The
/// first term left out of it is below `(pi / 512)^12 / 12! < 1e-35`.
fn sin_cos_of_small(angle: Dd) -> (Dd, Dd) {
    let of = &*INVERSE_FACTORIALS;
    let square = angle * angle;
    let x = square.to_f64();
    let rest = |odd: usize| {
        let term = |k: usize| of[k + odd].to_f64();
        term(6) - x * (term(8) - x * term(10))
    };
    let sin = Dd::ONE - square * (of[3] - square * (of[5] - Dd::from(x * rest(1))));
    let less = square * (of[2] - square * (of[4] - Dd::from(x * rest(0))));
    (angle * sin, less)
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
