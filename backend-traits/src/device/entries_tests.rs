use super::*;

#[test]
fn the_spectrum_in_f64_is_that_in_double_double() {
    let kernel: Vec<ComplexDd> = (0..144)
        .map(|k| Complex::new(f64::from(k * k % 7), f64::from(k % 5)).into())
        .collect();
    let [rounded, exact] = [false, true].map(|exact| spectrum(&kernel, exact));
    for (x, y) in rounded.into_iter().zip(exact) {
        assert!((x - y).norm() < 1e-14);
    }
}
