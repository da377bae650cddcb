//! Bluestein's chirp c[n] = exp(∓πi·n²/N) and the spectrum that a convolution with its
//! conjugate multiplies by.

use super::primes::plan_inside;
use super::scalar::{root, Real};
use num_complex::Complex;
use rustfft::{Fft, FftDirection};

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

/// The chirp of all points.
pub fn chirps(length: usize, inverse: bool) -> Vec<Complex<f64>> {
    (0..length).map(|n| chirp(n, length, inverse)).collect()
}

/// The spectrum of conj c, cyclic in `padded` points, divided by their number.
pub fn spectrum<T: Real>(length: usize, padded: usize, inverse: bool) -> Vec<Complex<T>> {
    let fft = plan_inside::<f64>(padded, FftDirection::Forward);
    spectrum_by(&chirps(length, inverse), &*fft)
}

/// The same of a chirp that is known, by a DFT of so many points.
pub fn spectrum_by<T: Real>(chirps: &[Complex<f64>], fft: &dyn Fft<f64>) -> Vec<Complex<T>> {
    let padded = fft.len();
    let mut kernel = vec![Complex::<f64>::default(); padded];
    for (n, c) in chirps.iter().enumerate() {
        kernel[n] = c.conj();
        kernel[(padded - n) % padded] = kernel[n];
    }
    fft.process(&mut kernel);
    let down = |x: f64| T::rounded(x / padded as f64);
    kernel
        .iter()
        .map(|x| Complex::new(down(x.re), down(x.im)))
        .collect()
}
