//! Roots of unity, each part within little more than half a unit of the last place.
//!
//! The angle is reduced to an eighth of a turn in integers, so that symmetries are exact. An eighth is cut into parts,
//! whose roots are known in double-double; the rest of the angle turns such a root so little that the rounding of the
//! turn is lost in that of the result.

use super::scalar::Real;
use mmafft_backend_traits::reference;
use num_complex::Complex;
use std::sync::LazyLock;

/// Parts of an eighth of a turn.
const PARTS: usize = 64;

/// Angles of the finer of two tables are below 2π/2^FINE.
const FINE: u32 = 7;

/// A complex number, and what its rounding lost.
type Exact = [Complex<f64>; 2];

/// Cosines and sines of each part: exp(+2πi·part/(8·PARTS)).
static OF_PARTS: LazyLock<[Exact; PARTS + 1]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let w = reference::root(part, 8 * PARTS);
        // Those of an eighth are one number.
        let sine = if part == PARTS { w.re } else { -w.im };
        [
            Complex::new(w.re.hi, sine.hi),
            Complex::new(w.re.lo, sine.lo),
        ]
    })
});

/// exp(−2πi·k/n).
pub fn root<T: Real>(k: usize, n: usize) -> Complex<T> {
    let [w, _] = Order::new(n).root(k % n);
    rounded(w)
}

#[inline]
fn rounded<T: Real>(w: Complex<f64>) -> Complex<T> {
    Complex::new(T::rounded(w.re), T::rounded(w.im))
}

/// An order of roots.
struct Order {
    n: i64,
    /// Parts of a number that is to be divided by n.
    parts: f64,
    /// The angle of 1/n of a part.
    angle: f64,
}

impl Order {
    fn new(n: usize) -> Self {
        let parts = PARTS as f64 / n as f64;
        Order {
            // No memory holds lines of which many times the length is not a number of 64 bits.
            n: n as i64,
            parts,
            angle: std::f64::consts::FRAC_PI_4 / PARTS as f64 / n as f64,
        }
    }

    /// exp(−2πi·k/n) of a k below n.
    #[inline]
    fn root(&self, k: usize) -> Exact {
        // In eighths of a turn divided by n: from half a turn, from a quarter, from an eighth, each without its sign.
        let half = 4 * self.n - 8 * k as i64;
        let quarter = half.abs() - 2 * self.n;
        let eighth = quarter.abs() - self.n;
        let distance = self.n - eighth.abs();
        let part = (distance as f64 * self.parts + 0.5) as usize;
        let rest = PARTS as i64 * distance - part as i64 * self.n;
        let angle = rest as f64 * self.angle;
        let square = angle * angle;
        let sine = angle * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0)));
        let below_one = square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0)));
        let [w, lost] = OF_PARTS[part];
        let lost = lost + w * Complex::new(-below_one, sine);
        let sum = w + lost;
        let rest = (w - sum) + lost;
        [sum, rest].map(|w| {
            let (re, im) = match eighth < 0 {
                true => (w.im, w.re),
                false => (w.re, w.im),
            };
            Complex::new(with_sign(re, quarter), with_sign(im, !half))
        })
    }
}

/// The number, or its opposite if `sign` is negative.
#[inline(always)]
fn with_sign(x: f64, sign: i64) -> f64 {
    f64::from_bits(x.to_bits() ^ (sign as u64 & (1 << 63)))
}

/// Many roots of one order, each a product of two that are in tables.
pub struct Roots {
    order: usize,
    bits: u32,
    /// exp(−2πi·k·2^bits/order).
    coarse: Vec<Exact>,
    /// exp(−2πi·k/order) − 1.
    fine: Vec<Complex<f64>>,
}

impl Roots {
    /// Tables for the roots of order `n`.
    pub fn new(n: usize) -> Self {
        let order = Order::new(n);
        // What is turned by should be small.
        let digits = n.max(1).ilog2();
        let bits = (digits / 2).min(digits.saturating_sub(FINE));
        let less_one = |[w, lost]: Exact| (w - 1.0) + lost;
        Roots {
            order: n,
            bits,
            coarse: (0..=n >> bits)
                .map(|k| order.root((k << bits) % n))
                .collect(),
            fine: (0..1 << bits)
                .map(|k| less_one(order.root(k % n)))
                .collect(),
        }
    }

    /// exp(−2πi·k/n).
    #[inline]
    pub fn get<T: Real>(&self, k: usize) -> Complex<T> {
        let [w, turn] = self.parts(k);
        rounded(w + turn)
    }

    /// exp(−2πi·k/n) − 1, with digits of its own where that is small.
    #[inline]
    pub fn less_one<T: Real>(&self, k: usize) -> Complex<T> {
        let [w, turn] = self.parts(k);
        rounded((w - 1.0) + turn)
    }

    /// A root, and what is to be added to it.
    #[inline]
    fn parts(&self, k: usize) -> [Complex<f64>; 2] {
        let k = if k < self.order { k } else { k % self.order };
        let [w, lost] = self.coarse[k >> self.bits];
        [w, lost + w * self.fine[k & ((1 << self.bits) - 1)]]
    }
}

#[cfg(test)]
#[path = "roots_tests.rs"]
mod tests;
