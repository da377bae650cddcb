//! FP32 as two 16-bit numbers: the dynamic splitting of Sorna et al. (2018).
//!
//! A vector x becomes `s·(hi + lo·2^-d)`: s a power of two taken from the vector's
//! largest magnitude, hi = round(x/s), lo = round((x/s − hi)·2^d), d the digits of the
//! 16-bit format. Dividing by a power of two is exact, so inputs of any magnitude that
//! FP32 holds are split equally well; scaling lo keeps it out of the subnormals.

use crate::fragment::HalfValue;

/// The exponent e with `max|x| / 2^e` in [½, 1): 0 for a vector of zeros, and for one
/// with an infinity or a NaN, whose products are to become NaN all the same.
pub fn exponent(values: &[f32]) -> i32 {
    // Magnitudes of floats compare like their bit patterns.
    let largest = values.iter().fold(0, |m, x| (x.to_bits() << 1).max(m)) >> 1;
    exponent_of_magnitude(f32::from_bits(largest))
}

/// The same for a magnitude that the caller has found.
#[inline]
pub fn exponent_of_magnitude(largest: f32) -> i32 {
    if largest == 0.0 || !largest.is_finite() {
        return 0;
    }
    // Widening makes subnormals normal, so that the exponent field is all there is to read.
    ((f64::from(largest).to_bits() >> 52) & 0x7ff) as i32 - 1022
}

/// `x · 2^exponent` for exponents of either sign up to twice FP32's range, rounded once.
#[inline]
pub fn scale(x: f32, exponent: i32) -> f32 {
    (f64::from(x) * power_of_two(exponent)) as f32
}

/// 2^exponent, for |exponent| < 1022.
#[inline]
pub fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52)
}

/// Splits one vector; returns its exponent.
///
/// # Panics
/// If the three slices differ in length.
pub fn split<V: HalfValue>(values: &[f32], hi: &mut [V], lo: &mut [V]) -> i32 {
    assert!(values.len() == hi.len() && values.len() == lo.len());
    let e = exponent(values);
    for ((&x, hi), lo) in values.iter().zip(hi).zip(lo) {
        (*hi, *lo) = split_scaled(scale(x, -e));
    }
    e
}

/// Splits one value of magnitude below 1.
#[inline]
pub fn split_scaled<V: HalfValue>(x: f32) -> (V, V) {
    let hi = V::round(x);
    let lo = V::round((x - hi.widen()) * (1u32 << V::DIGITS) as f32);
    (hi, lo)
}

/// Puts one vector together again.
///
/// # Panics
/// If the three slices differ in length.
pub fn combine<V: HalfValue>(hi: &[V], lo: &[V], exponent: i32, values: &mut [f32]) {
    assert!(values.len() == hi.len() && values.len() == lo.len());
    let unit = 1.0 / (1u32 << V::DIGITS) as f32;
    for ((x, hi), lo) in values.iter_mut().zip(hi).zip(lo) {
        *x = scale(hi.widen() + lo.widen() * unit, exponent);
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
