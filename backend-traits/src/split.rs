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
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn worst_relative<V: HalfValue>(scale: f32) -> f32 {
        let values: Vec<f32> = (0..4096)
            .map(|i| scale * (1.0 + i as f32 / 4096.0))
            .collect();
        let (mut hi, mut lo) = (vec![V::default(); 4096], vec![V::default(); 4096]);
        let e = split(&values, &mut hi, &mut lo);
        let mut back = vec![0.0; 4096];
        combine(&hi, &lo, e, &mut back);
        let errors = values.iter().zip(&back).map(|(x, y)| ((x - y) / x).abs());
        errors.fold(0.0, f32::max)
    }

    #[test]
    fn digits_do_not_depend_on_magnitude() {
        for scale in [1e-30, 1e-10, 1.0, 3e4, 1e10, 1e30, 1.5e38] {
            // 11 + 11 bits and the sign of lo; 8 + 8 and its sign.
            assert!(worst_relative::<f16>(scale) <= 2f32.powi(-23), "{scale}");
            assert!(worst_relative::<bf16>(scale) <= 2f32.powi(-17), "{scale}");
        }
    }

    #[test]
    fn exponents() {
        assert_eq!(exponent(&[0.0, -0.0]), 0);
        assert_eq!(exponent(&[0.5, -0.75]), 0);
        assert_eq!(exponent(&[1.0, -0.75]), 1);
        assert_eq!(exponent(&[f32::MAX]), 128);
        assert_eq!(exponent(&[f32::from_bits(1)]), -148);
        assert_eq!(exponent(&[1.0, f32::NAN]), 0);
        assert_eq!(exponent(&[1.0, f32::NEG_INFINITY]), 0);
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        let values = [1.0, f32::INFINITY, f32::NAN];
        let (mut hi, mut lo) = ([f16::ZERO; 3], [f16::ZERO; 3]);
        let e = split(&values, &mut hi, &mut lo);
        let mut back = [0.0; 3];
        combine(&hi, &lo, e, &mut back);
        assert!(back[0] == 1.0 && !back[1].is_finite() && back[2].is_nan());
    }
}
