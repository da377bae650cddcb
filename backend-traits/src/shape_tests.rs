use super::*;

/// The powers of a generator are all numbers from 1 to p − 1, in the order that a product with it makes.
#[test]
fn powers_of_generators_are_all_numbers() {
    let is_prime = |n: usize| n > 1 && largest_prime_factor(n) == n;
    for p in (0..400).chain([65_537, 786_433]) {
        let powers = generator_powers(p);
        if !is_prime(p) {
            assert!(powers.is_empty(), "{p}");
            continue;
        }
        assert_eq!((powers.len(), powers[0]), (p - 1, 1), "{p}");
        let next = powers.get(1).copied().unwrap_or(1);
        assert!(powers.windows(2).all(|two| two[1] == two[0] * next % p));
        let mut sorted = powers;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(1..p), "{p}");
    }
}
