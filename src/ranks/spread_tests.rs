use super::*;

#[test]
fn slabs_of_lengths_that_do_not_divide() {
    let parts = Spread::slab(0).parts(&[1, 5, 3], 4).unwrap();
    let ranges: Vec<_> = parts.iter().map(|part| part.ranges()[0].clone()).collect();
    assert_eq!(ranges, [0..2, 2..4, 4..5, 5..5]);
    assert!(parts[3].is_empty());
}

#[test]
fn boxes_have_every_point_once() {
    let of = |boxes: &[[Range<usize>; 2]]| {
        let boxes: Vec<_> = boxes.iter().map(|b| b.to_vec()).collect();
        Spread::boxes(&boxes).parts(&[1, 4, 4], 2)
    };
    assert!(of(&[[0..4, 0..1], [0..4, 1..4]]).is_ok());
    for wrong in [
        &[[0..4, 0..2], [0..4, 1..4]][..],
        &[[0..4, 0..1], [0..4, 2..4]],
        &[[0..4, 0..4], [0..4, 4..5]],
        &[[0..4, 0..4]],
    ] {
        assert!(matches!(of(wrong), Err(Error::Spread { .. })), "{wrong:?}");
    }
    let axis = Spread::slab(2).parts(&[1, 4, 4], 2);
    assert!(matches!(
        axis,
        Err(Error::AxisOutOfRange { axis: 2, rank: 2 })
    ));
    assert!(Spread::grid(&[2, 2]).parts(&[1, 4, 4], 2).is_err());
}
