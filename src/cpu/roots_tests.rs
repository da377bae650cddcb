use super::*;
use mmafft_backend_traits::reference;

#[test]
fn roots_are_accurate() {
    for n in [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 1000, 4096, 65537] {
        for k in 0..n.min(5000) {
            let expected = reference::root(k, n).to_c64();
            let got = root::<f64>(k, n);
            assert!(
                (got - expected).norm() < 2.3e-16,
                "{k}/{n}: {got} {expected}"
            );
        }
    }
}
