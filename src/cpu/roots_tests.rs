use super::*;

/// Half a unit of the last place of numbers from a half to one, and a little more.
const ROUNDED: f64 = 0.58 * f64::EPSILON / 2.0;

fn check(got: Complex<f64>, k: usize, n: usize) {
    let exact = reference::root(k, n);
    let error = |got: f64, exact: reference::Dd| ((got - exact.hi) - exact.lo).abs();
    let worst = error(got.re, exact.re).max(error(got.im, exact.im));
    assert!(worst <= ROUNDED, "{k}/{n}: {got}, {worst:e}");
}

const ORDERS: [usize; 18] = [
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    12,
    16,
    17,
    1000,
    4096,
    20_014,
    65_537,
    531_441,
    1_000_003,
    20_000_038,
    1 << 40,
];

#[test]
fn roots_are_rounded_once() {
    for n in ORDERS {
        let step = (n / 3000).max(1);
        for k in (0..n).step_by(step).chain([n - 1]) {
            check(root::<f64>(k, n), k, n);
            assert_eq!(root::<f64>(n - k, n), root::<f64>(k, n).conj());
        }
    }
}

#[test]
fn roots_of_tables_are_as_exact() {
    for n in ORDERS.into_iter().filter(|n| *n < 1 << 30) {
        let roots = Roots::new(n);
        for k in (0..n).step_by((n / 3000).max(1)).chain([n - 1]) {
            check(roots.get(k), k, n);
            assert_eq!(roots.get::<f64>(k + n), roots.get(k));
        }
    }
}
