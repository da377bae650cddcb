//! Double-double arithmetic: an unevaluated sum of two `f64`, about 32 decimal digits.
//!
//! The algorithms and their error bounds are those of M. Joldes, J.-M. Muller and V. Popescu,
//! "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
//! ACM TOMS 44(2), 2017. With `u = 2^-53`, so `u^2 = 1.2e-32`, the relative error is at most
//! `3u^2` for a sum, `5u^2` for a product and about `15u^2` for a quotient.
//!
//! The bounds hold while no intermediate value overflows or underflows; magnitudes between about
//! `1e-140` and `1e140` are always safe. Infinities may turn into NaN, never into a finite value.

use std::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

/// The number `hi + lo`, where `hi` is the sum rounded to `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dd {
    /// The leading part.
    pub hi: f64,
    /// The rest, at most half a unit in the last place of `hi`.
    pub lo: f64,
}

/// `a + b` exactly, as a rounded sum and its rounding error (Knuth).
#[inline]
fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let b_part = hi - a;
    let a_part = hi - b_part;
    Dd {
        hi,
        lo: (a - a_part) + (b - b_part),
    }
}

/// `a + b` exactly, for `|a| >= |b|` or `a == 0` (Dekker).
#[inline]
fn fast_two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd {
        hi,
        lo: b - (hi - a),
    }
}

/// Splits `a` into two parts of at most 26 bits each, so that products of parts are exact
/// (Veltkamp).
#[inline]
fn split(a: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = FACTOR * a;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// `a * b` exactly, as a rounded product and its rounding error.
#[inline]
fn two_prod(a: f64, b: f64) -> Dd {
    let hi = a * b;
    // Without the instruction `mul_add` is a library call, much slower than Dekker's product.
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        let lo = a.mul_add(b, -hi);
        return Dd { hi, lo };
    }
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    let lo = ((a_high * b_high - hi) + a_high * b_low + a_low * b_high) + a_low * b_low;
    Dd { hi, lo }
}

impl Dd {
    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// Pi / 4, to 2e-33.
    pub const FRAC_PI_4: Self = Self {
        hi: std::f64::consts::FRAC_PI_4,
        lo: 3.061616997868383e-17,
    };

    /// The nearest double-double to an integer: exact, since 64 bits fit into two `f64`.
    pub fn from_u64(value: u64) -> Self {
        let hi = value as f64;
        if value < 1 << f64::MANTISSA_DIGITS {
            return hi.into();
        }
        let rest = i128::from(value) - hi as i128;
        Self {
            hi,
            lo: rest as f64,
        }
    }

    /// The nearest `f64`.
    #[inline]
    pub fn to_f64(self) -> f64 {
        self.hi + self.lo
    }
}

impl From<f64> for Dd {
    #[inline]
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl From<Dd> for f64 {
    #[inline]
    fn from(value: Dd) -> Self {
        value.to_f64()
    }
}

impl Add for Dd {
    type Output = Self;

    /// AccurateDWPlusDW: the bound holds under cancellation too, unlike that of the shorter
    /// "sloppy" sum.
    #[inline]
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.hi, other.hi);
        let low = two_sum(self.lo, other.lo);
        let sum = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(sum.hi, low.lo + sum.lo)
    }
}

impl Neg for Dd {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Sub for Dd {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;

    /// DWTimesDW1.
    #[inline]
    fn mul(self, other: Self) -> Self {
        let product = two_prod(self.hi, other.hi);
        let cross = self.hi * other.lo + self.lo * other.hi;
        fast_two_sum(product.hi, product.lo + cross)
    }
}

impl Div for Dd {
    type Output = Self;

    /// DWDivDW2: one quotient digit, then a correction from the exact remainder.
    #[inline]
    fn div(self, other: Self) -> Self {
        let quotient = self.hi / other.hi;
        let product = other * Self::from(quotient);
        // The difference of the leading parts is exact: they agree to nearly all bits.
        let remainder = (self.hi - product.hi) + (self.lo - product.lo);
        fast_two_sum(quotient, remainder / other.hi)
    }
}

/// What the reference computes with: [`Dd`] where `f64` is judged, `f64` where shorter numbers are.
pub trait Real:
    Copy
    + Default
    + From<f64>
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest number.
    fn nearest(value: Dd) -> Self;

    /// `a * b + c * d`.
    #[inline]
    fn sum_of_products([a, b]: [Self; 2], [c, d]: [Self; 2]) -> Self {
        a * b + c * d
    }
}

impl Real for Dd {
    #[inline]
    fn nearest(value: Dd) -> Self {
        value
    }

    /// Both products and their sum are rounded once.
    ///
    /// That takes fewer operations, and tests spend much of their time here. The error is relative to
    /// `|a * b| + |c * d|`, as that of products which are rounded before they are added.
    #[inline]
    fn sum_of_products([a, b]: [Dd; 2], [c, d]: [Dd; 2]) -> Dd {
        let (first, second) = (two_prod(a.hi, b.hi), two_prod(c.hi, d.hi));
        let sum = two_sum(first.hi, second.hi);
        let crosses = (a.hi * b.lo + a.lo * b.hi) + (c.hi * d.lo + c.lo * d.hi);
        two_sum(sum.hi, sum.lo + (first.lo + second.lo + crosses))
    }
}

impl Real for f64 {
    #[inline]
    fn nearest(value: Dd) -> Self {
        value.to_f64()
    }
}

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ComplexOf<T> {
    /// Real part.
    pub re: T,
    /// Imaginary part.
    pub im: T,
}

/// One with double-double parts.
pub type ComplexDd = ComplexOf<Dd>;

impl ComplexDd {
    /// One.
    pub const ONE: Self = Self {
        re: Dd::ONE,
        im: Dd { hi: 0.0, lo: 0.0 },
    };

    /// The nearest number of these parts.
    #[inline]
    pub fn nearest<T: Real>(self) -> ComplexOf<T> {
        ComplexOf::new(T::nearest(self.re), T::nearest(self.im))
    }
}

impl<T: Real> ComplexOf<T> {
    /// `re + i im`.
    #[inline]
    pub fn new(re: T, im: T) -> Self {
        Self { re, im }
    }

    /// The complex conjugate.
    #[inline]
    pub fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }

    /// The product with `-i`, which is exact.
    #[inline]
    pub fn mul_neg_i(self) -> Self {
        Self::new(self.im, -self.re)
    }

    /// Real and imaginary part exchanged, which is `i * conj(self)`.
    #[inline]
    pub fn swap(self) -> Self {
        Self::new(self.im, self.re)
    }

    /// The product with a real number.
    #[inline]
    pub fn scale(self, factor: T) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }

    /// The squared modulus.
    #[inline]
    pub fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }

    /// Both parts rounded to `f64`.
    #[inline]
    pub fn to_c64(self) -> Complex<f64> {
        Complex::new(self.re.into(), self.im.into())
    }
}

impl<T: Real> From<Complex<f64>> for ComplexOf<T> {
    #[inline]
    fn from(value: Complex<f64>) -> Self {
        Self::new(value.re.into(), value.im.into())
    }
}

impl<T: Real> Add for ComplexOf<T> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl<T: Real> Sub for ComplexOf<T> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl<T: Real> Mul for ComplexOf<T> {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::new(
            T::sum_of_products([self.re, other.re], [-self.im, other.im]),
            T::sum_of_products([self.re, other.im], [self.im, other.re]),
        )
    }
}
