use super::*;

#[test]
fn rows_are_as_long_as_both_places_allow() {
    let (from, to) = (
        Part::new(vec![0..1, 0..4, 0..6, 0..5]),
        Part::new(vec![0..1, 0..4, 2..4, 0..5]),
    );
    let common = from.common(&to).unwrap();
    let of = |part: &Part| strides(&part.lengths(), &[0, 1, 2, 3]);
    let rows = Rows::new(&common, (&from, &of(&from)), (&to, &of(&to)));
    let mut all = Vec::new();
    rows.each(|from, to, count| all.push((from, to, count)));
    assert_eq!(
        all,
        [(10, 0, 10), (40, 10, 10), (70, 20, 10), (100, 30, 10)]
    );
}

#[test]
fn nothing_in_common_is_none() {
    let a = Part::new(vec![0..1, 0..4]);
    assert_eq!(a.common(&Part::new(vec![0..1, 4..8])), None);
    assert_eq!(a.common(&Part::new(vec![0..1, 4..4])), None);
    assert!(Part::new(vec![0..1, 4..4]).has_whole(1, 8));
}

#[test]
fn pieces_are_the_part_together() {
    for (ranges, goes) in [
        (vec![0..1, 3..10, 0..8], 4),
        (vec![0..2, 1..3, 5..6], 7),
        (vec![0..1, 0..1, 0..9], 1),
    ] {
        let part = Part::new(ranges);
        let pieces: Vec<Part> = (0..goes).filter_map(|i| part.piece(i, goes)).collect();
        let points: usize = pieces.iter().map(Part::points).sum();
        assert_eq!(points, part.points());
        for (i, piece) in pieces.iter().enumerate() {
            assert_eq!(piece.common(&part).as_ref(), Some(piece));
            assert!(pieces[..i]
                .iter()
                .all(|other| other.common(piece).is_none()));
        }
    }
}
