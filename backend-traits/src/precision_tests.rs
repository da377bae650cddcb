use super::*;

#[test]
fn every_precision_has_a_row() {
    use Precision::*;
    for precision in [F64, F32, SplitF16, F16, Bf16] {
        assert_eq!(precision.row().precision, precision);
        assert_eq!(Precision::from_name(precision.row().name), Some(precision));
    }
}

#[test]
fn bounds_grow_with_the_root_of_the_logarithm() {
    assert_eq!(Precision::F64.error_bound(Kind::C2C, &[1], false), 3e-16);
    assert_eq!(
        Precision::F32.error_bound(Kind::C2C, &[8], false),
        8e-8 * 2.0
    );
    assert_eq!(
        Precision::F32.error_bound(Kind::C2C, &[17, 4], false),
        Precision::F32.error_bound(Kind::C2C, &[68], false)
    );
    assert_eq!(
        Precision::F16.error_bound(Kind::C2C, &[1 << 20], false),
        6e-4
    );
}
