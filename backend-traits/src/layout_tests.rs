use super::*;

#[test]
fn contiguous_and_padded() {
    let l = Layout::contiguous();
    let r = l.resolve(Slot::Input, 2, &[3, 5], 5, false).unwrap();
    assert_eq!((r.strides, r.required), (vec![15, 5, 1], 30));
    let r = l.resolve(Slot::Input, 2, &[3, 5], 6, false).unwrap();
    assert_eq!((r.strides, r.required), (vec![18, 6, 1], 18 + 12 + 5));
}

#[test]
fn overlap_and_overflow_are_refused() {
    let overlap = Layout::strided(&[4, 1]).resolve(Slot::Output, 1, &[3, 5], 5, false);
    assert!(matches!(
        overlap,
        Err(Error::Overlap {
            expected: 5,
            got: 4,
            ..
        })
    ));
    let distance = Layout::contiguous()
        .distance(0)
        .resolve(Slot::Input, 2, &[4], 4, false);
    assert!(matches!(
        distance,
        Err(Error::Overlap {
            expected: 1,
            got: 0,
            ..
        })
    ));
    // What is only read may.
    let frames = Layout::contiguous().distance(256);
    let frames = frames.resolve(Slot::Input, 3, &[512], 512, true);
    assert_eq!(frames.unwrap().required, 1024);
    let turned = Layout::strided(&[-1isize as usize]);
    let turned = turned.resolve(Slot::Input, 1, &[5], 5, true);
    assert!(matches!(turned, Err(Error::NegativeStride { got: -1, .. })));
    let huge = Layout::strided(&[usize::MAX / 2]).resolve(Slot::Input, 1, &[5], 5, false);
    assert!(matches!(huge, Err(Error::Overflow { .. })));
    // A stride of a dimension of one point is never used.
    assert!(Layout::strided(&[0, 1])
        .resolve(Slot::Input, 1, &[1, 8], 8, false)
        .is_ok());
}
