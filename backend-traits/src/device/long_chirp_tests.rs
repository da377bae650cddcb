use super::*;
use crate::device::entries;

#[test]
fn they_are_the_short_ones() {
    for (n, points) in [(37, 96), (1009, 2187), (4099, 8232)] {
        let chirp = chirp(n, Direction::Inverse);
        let short = entries::chirp(n, Direction::Inverse);
        assert!(chirp.iter().zip(&short).all(|(a, b)| *a == b.to_c64()));
        let kernel = |j: usize| match j.min(points - j) {
            k if k < n => chirp[k].conj(),
            _ => Complex::default(),
        };
        let all: Vec<_> = (0..points).map(|j| kernel(j).into()).collect();
        let expected = ReferenceFft::<crate::reference::Dd>::new(points).forward(&all);
        let spectrum = Spectrum::new(points, kernel);
        for (k, x) in expected.into_iter().enumerate() {
            let error = (x.to_c64() / points as f64 - spectrum.get(k)).norm();
            assert!(error < 1e-15, "{points}: {error:.1e}");
        }
    }
}
