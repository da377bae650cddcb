//! Bluestein's chirp c[n] = exp(∓πi·n²/N) and the spectrum that a convolution with its
//! conjugate multiplies by.

use super::primes::plan_inside;
use super::roots::Roots;
use super::scalar::{root, Real};
use num_complex::Complex;
use rustfft::FftDirection;

/// c[n] for a DFT of `length` points.
pub fn chirp<T: Real>(n: usize, length: usize, inverse: bool) -> Complex<T> {
    let order = 2 * length;
    let square = (n as u128 * n as u128 % order as u128) as usize;
    let w = root::<T>(square, order);
    if inverse {
        w.conj()
    } else {
        w
    }
}

/// The chirp of all points, of which c[N − n] = (−1)^N·c[n] repeats a half.
pub fn chirps<T: Real>(length: usize, inverse: bool) -> Vec<Complex<T>> {
    let order = 2 * length;
    let roots = Roots::new(order);
    let mut square = 0;
    let first = (0..length / 2 + 1).map(|n| {
        let w = roots.get::<T>(square);
        // (n + 1)² is by 2n + 1 more than n².
        square += 2 * n + 1;
        square -= if square < order { 0 } else { order };
        if inverse {
            w.conj()
        } else {
            w
        }
    });
    let mut all = Vec::with_capacity(length + 1);
    all.extend(first);
    for n in (1..length.div_ceil(2)).rev() {
        all.push(if length.is_multiple_of(2) {
            all[n]
        } else {
            -all[n]
        });
    }
    all.truncate(length);
    all
}

/// The spectrum of conj c, cyclic in `padded` points, divided by their number.
pub fn spectrum<T: Real>(length: usize, padded: usize, inverse: bool) -> Vec<Complex<T>> {
    let mut kernel = vec![Complex::<f64>::default(); padded];
    for (n, c) in chirps::<f64>(length, inverse).iter().enumerate() {
        kernel[n] = c.conj();
        kernel[(padded - n) % padded] = kernel[n];
    }
    plan_inside::<f64>(padded, FftDirection::Forward).process(&mut kernel);
    let down = |x: f64| T::rounded(x / padded as f64);
    kernel
        .iter()
        .map(|x| Complex::new(down(x.re), down(x.im)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chirp by symmetry is that of each point.
    #[test]
    fn chirps_are_those_of_their_points() {
        for length in (1..40).chain([1000, 10_007]) {
            for inverse in [false, true] {
                let all = chirps::<f64>(length, inverse);
                assert_eq!(all.len(), length);
                for (n, c) in all.into_iter().enumerate() {
                    let expected = chirp::<f64>(n, length, inverse);
                    assert!((c - expected).norm() < f64::EPSILON, "{n} of {length}");
                }
            }
        }
    }
}
