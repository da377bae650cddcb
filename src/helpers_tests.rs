use super::*;

#[test]
fn good_sizes() {
    let smooth = |n: usize| mmafft_backend_traits::largest_prime_factor(n) <= 7;
    for n in 0..3000 {
        let expected = (n.max(1)..).find(|&m| smooth(m));
        assert_eq!(Some(good_size(n)), expected, "{n}");
    }
    let large = good_size(1_000_000_000_000_001);
    assert!(smooth(large) && large < 1_000_200_000_000_000);
    assert_eq!(good_size(usize::MAX), usize::MAX);
    assert_eq!(good_size(1 << 63), 1 << 63);
}

#[test]
fn shifting() {
    assert_eq!(shift::<u8>(&[2, 0], &[]), [0u8; 0]);
    assert_eq!(shift(&[5], &[0, 1, 2, 3, 4]), [3, 4, 0, 1, 2]);
    assert_eq!(inverse_shift(&[5], &[3, 4, 0, 1, 2]), [0, 1, 2, 3, 4]);
    assert_eq!(
        shift(&[2, 3], &[0, 1, 2, 10, 11, 12]),
        [12, 10, 11, 2, 0, 1]
    );
    for shape in [vec![4, 5, 3], vec![1], vec![7, 2]] {
        let data: Vec<usize> = (0..shape.iter().product()).collect();
        assert_eq!(inverse_shift(&shape, &shift(&shape, &data)), data);
    }
}
