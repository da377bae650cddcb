use super::*;

#[test]
fn factors_multiply_to_the_length() {
    let all: Vec<usize> = RADICES.iter().map(|row| row.radix).collect();
    for n in 1..=4096 {
        match factor(n, &all) {
            Some(f) => assert_eq!(f.iter().product::<usize>(), n),
            None => assert!(crate::largest_prime_factor(n) > 13),
        }
    }
    assert_eq!(factor(4096, &[16]), Some(vec![16, 16, 16]));
    assert_eq!(factor(32, &[4]), None);
}

#[test]
fn devices_butterfly_the_table_and_the_dense_primes() {
    let mut devices = BUTTERFLIES.to_vec();
    devices.sort_unstable();
    let table = RADICES.iter().map(|row| row.radix);
    let others = DENSE.iter().chain(COMPOSITE).copied();
    let mut all: Vec<usize> = table.chain(others).collect();
    all.sort_unstable();
    assert_eq!(devices, all);
    assert!(DENSE.iter().all(|&p| crate::largest_prime_factor(p) == p));
}

/// A thread holds a quarter of their values, and combines them by a butterfly that is no product of its own.
#[test]
fn joined_products_have_butterflies() {
    for &radix in JOINED {
        let joined = joined(radix).expect("it is one");
        assert_eq!(joined * JOINED_PRODUCT, radix);
        assert!(joined < JOINED_PRODUCT && joined.is_multiple_of(2) && radix / 4 <= 64);
        assert!(BUTTERFLIES.contains(&joined) && find(radix).is_none());
    }
}

#[test]
fn the_fewest_radices() {
    let of = |n, most| fewest(n, BUTTERFLIES, most);
    assert_eq!(of(1, 16), Some(vec![]));
    assert_eq!(of(1000, 16), Some(vec![10, 10, 10]));
    assert_eq!(of(4096, 16), Some(vec![16, 16, 16]));
    assert_eq!(of(1024, 32), Some(vec![32, 32]));
    assert_eq!(of(30030, 16), Some(vec![15, 14, 13, 11]));
    assert_eq!(of(2000, 16), Some(vec![10, 8, 5, 5]));
    assert_eq!(of(2000, 24), Some(vec![20, 10, 10]));
    assert_eq!(of(8192, 16), Some(vec![16, 8, 8, 8]));
    assert_eq!(of(61 * 4, 16), Some(vec![61, 4]));
    assert_eq!(of(67, 16), None);
    for n in 1..=4096 {
        match of(n, 16) {
            Some(f) => assert_eq!(f.iter().product::<usize>(), n),
            None => assert!(crate::largest_prime_factor(n) > 61),
        }
    }
}

#[test]
fn a_fragment_covers_a_row_of_the_table() {
    for row in RADICES {
        assert!(row.fragment == 4 || row.fragment == 16);
        let exact = (0..row.radix).all(|k| {
            let (s, c) = (2.0 * std::f64::consts::PI * k as f64 / row.radix as f64).sin_cos();
            let whole = |x: f64| (x - x.round()).abs() < 1e-9;
            whole(s) && whole(c)
        });
        assert_eq!(exact, row.exact, "radix {}", row.radix);
    }
}
