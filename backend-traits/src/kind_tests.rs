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
