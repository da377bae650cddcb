//! Bluestein's chirp c[n] = exp(∓πi·n²/N) and the spectrum that a convolution with its
//! conjugate multiplies by.

use super::scalar::{root, Real};
use num_complex::Complex;

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

/// The spectrum of conj c, cyclic in `padded` points, divided by their number.
pub fn spectrum<T: Real>(length: usize, padded: usize, inverse: bool) -> Vec<Complex<T>> {
    let mut kernel = vec![Complex::<f64>::default(); padded];
    for n in 0..length {
        kernel[n] = chirp::<f64>(n, length, inverse).conj();
        kernel[(padded - n) % padded] = kernel[n];
    }
    let fft = rustfft::FftPlanner::new().plan_fft_forward(padded);
    fft.process(&mut kernel);
    let down = |x: f64| T::rounded(x / padded as f64);
    kernel
        .iter()
        .map(|x| Complex::new(down(x.re), down(x.im)))
        .collect()
}
