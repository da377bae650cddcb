use super::*;

#[test]
fn parentheses_are_butterflies() {
    for (text, radices, butterflies) in [
        ("", vec![], 0..0),
        ("8*8", vec![8, 8], 0..0),
        ("16*(32*8)", vec![16, 32, 8], 1..3),
        ("(32)*16", vec![32, 16], 0..1),
        ("16*(8)*4", vec![16, 8, 4], 1..2),
    ] {
        let sequence = Sequence::mixed(radices, butterflies);
        assert_eq!(sequence.to_string(), text);
        assert_eq!(Sequence::parse(text), Some(sequence));
    }
    for bad in [
        "8*x", "8*", "*8", "8**8", "(8*8", "8*8)", "()*8", "(8)*(8)", "((8)*8)", "8 8",
    ] {
        assert_eq!(Sequence::parse(bad), None, "{bad}");
    }
}

#[test]
fn parts_keep_their_butterflies() {
    let sequence = Sequence::parse("16*(8*16)*16").expect("a sequence");
    for (at, parts) in [
        (0, ["", "16*(8*16)*16"]),
        (1, ["16", "(8*16)*16"]),
        (2, ["16*(8)", "(16)*16"]),
        (3, ["16*(8*16)", "16"]),
        (4, ["16*(8*16)*16", ""]),
    ] {
        assert_eq!(sequence.split_at(at).map(|s| s.to_string()), parts);
    }
}
