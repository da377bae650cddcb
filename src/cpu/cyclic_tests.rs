use super::*;
use crate::reference::{relative_l2, ComplexDd, Random};

/// Convolutions of one row and of many are what their definition says, and so is the sum.
#[test]
fn convolutions_are_sums_of_products() {
    for points in [1, 2, 36, 2047, 2048, 2310, 2592, 3000] {
        for even in [false, true] {
            let mut random = Random::new(points as u64);
            let mut noise = |_| Complex::new(random.uniform(), random.uniform());
            let mut kernel: Vec<Complex<f64>> = (0..points).map(&mut noise).collect();
            if even {
                (1..points / 2 + 1).for_each(|n| kernel[points - n] = kernel[n]);
            }
            let line: Vec<Complex<f64>> = (0..points).map(&mut noise).collect();
            let added = noise(0);
            let cyclic = Cyclic::with(points, even, |first, row| {
                row.copy_from_slice(&kernel[first..][..row.len()]);
            });
            let mut work = vec![Complex::default(); cyclic.work()];
            let mut scratch = vec![Complex::default(); cyclic.scratch()];
            let mut all = line.iter();
            for row in cyclic.rows(&mut work) {
                row.iter_mut().zip(&mut all).for_each(|(x, y)| *x = *y);
            }
            let sum = cyclic.convolve(&mut work, &mut scratch, added);
            let got: Vec<_> = cyclic
                .rows(&mut work)
                .flat_map(|row| row.to_vec())
                .collect();
            let at = |n: usize| {
                let products = (0..points).map(|j| line[j] * kernel[(points + n - j) % points]);
                (products.sum::<Complex<f64>>() + added).conj()
            };
            let expected: Vec<ComplexDd> = (0..points).map(|n| at(n).into()).collect();
            let error = relative_l2(&got, &expected);
            assert!(error < 1e-14, "{points}: {error:e}");
            assert!((sum - line.iter().sum::<Complex<f64>>()).norm() < 1e-13 * points as f64);
        }
    }
}
