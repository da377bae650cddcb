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
