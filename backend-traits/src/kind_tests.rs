use super::*;

#[test]
fn every_kind_has_a_row() {
    use Kind::*;
    for kind in [
        C2C, R2C, C2R, R2HC, HC2R, Dht, Dct1, Dct2, Dct3, Dct4, Dst1, Dst2, Dst3, Dst4,
    ] {
        assert_eq!(kind.row().kind, kind);
        assert_eq!(kind.row().inverse.row().inverse, kind);
        assert_eq!(Kind::from_name(kind.row().name), Some(kind));
    }
}

/// Reals of odd lines of type IV are where the definition of their order has them.
#[test]
fn residues_are_as_defined() {
    use crate::real::{Order, RealSide};
    for n in (1..90usize).step_by(2) {
        for over_eight in [false, true] {
            let order = match over_eight {
                true => Order::ResiduesOverEight,
                false => Order::Residues,
            };
            for q in 0..n {
                let (i, negative) = RealSide::PAIRS.order(order).real(n, q).expect("a real");
                // The images of a, whose cosines are its own, or its negative.
                let a = 2 * i + 1 + if negative { 4 * n } else { 0 };
                let images = [a, 8 * n - a].map(|a| (a + 7 * n * n) % (8 * n));
                let found = images.iter().find(|a| a.is_multiple_of(8));
                let own = found.expect("an image is n² and a multiple of eight") / 8;
                let expected = if over_eight { 8 * own % n } else { own };
                assert_eq!(expected, q, "{order:?} of {n}");
            }
        }
    }
}

/// Half spectra of several axes end with reals where the last axis has them.
#[test]
fn several_axes_end_with_reals() {
    use Kind::*;
    assert!(Kind::end_with_reals([C2C, C2R]));
    for kinds in [&[C2R][..], &[C2R, C2C], &[C2C, C2C], &[]] {
        assert!(!Kind::end_with_reals(kinds.iter().copied()), "{kinds:?}");
    }
}
