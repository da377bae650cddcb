//! Chirps, and the spectra of the kernels that they convolve by, of long lines: in f64, by all threads.
//!
//! A DFT of n = n1·n2 points is n2 DFTs of n1 points that are n2 apart, times roots of unity, and n1 DFTs of n2 points
//! (Bailey, FFTs in external or hierarchical memory, 1990, <https://doi.org/10.1007/BF00162341>).

use crate::kind::Direction;
use crate::parallel::by_all_threads;
use crate::reference::{ComplexOf, ReferenceFft, Roots};
use num_complex::Complex;

/// Lines that are gathered at a time, so that whole pieces of memory are read.
const TOGETHER: usize = 16;
/// Points of a chirp that a thread computes at a time.
const PART: usize = 1 << 14;

/// exp(∓πi·k²/n) of every k.
pub fn chirp(n: usize, direction: Direction) -> Vec<Complex<f64>> {
    let roots = Roots::new(2 * n);
    let order = 2 * n as u128;
    let mut values = vec![Complex::default(); n];
    by_all_threads(&mut values, PART, |begin, part| {
        for (k, value) in (begin..).zip(part) {
            let w = roots.get((k as u128 * k as u128 % order) as usize).to_c64();
            *value = match direction {
                Direction::Forward => w,
                Direction::Inverse => w.conj(),
            };
        }
    });
    values
}

/// A spectrum as it was computed: point k1 + n1·k2 at k1·n2 + k2.
pub struct Spectrum {
    values: Vec<Complex<f64>>,
    lengths: [usize; 2],
}

impl Spectrum {
    /// The DFT of so many points of a `kernel`, divided by their number.
    pub fn new(points: usize, kernel: impl Fn(usize) -> Complex<f64> + Sync) -> Self {
        let divides = |n1: &usize| points.is_multiple_of(*n1);
        let n1 = (1..=points.isqrt()).rev().find(divides).unwrap_or(1);
        let n2 = points / n1;
        let roots = Roots::new(points);
        let mut columns = vec![Complex::default(); points];
        lines(&mut columns, n1, n2, &kernel, |j2, k1, x| {
            x * roots
                .get((j2 as u128 * k1 as u128 % points as u128) as usize)
                .to_c64()
        });
        let column = |at: usize| columns[at];
        let mut values = vec![Complex::default(); points];
        let scale = (points as f64).recip();
        lines(&mut values, n2, n1, &column, |_, _, x| x * scale);
        Spectrum {
            values,
            lengths: [n1, n2],
        }
    }

    /// A point of it.
    pub fn get(&self, k: usize) -> Complex<f64> {
        let [n1, n2] = self.lengths;
        self.values[k % n1 * n2 + k / n1]
    }
}

/// The DFTs of `count` lines of n points each, one behind the other; the points of a line are `count` apart in what `from`
/// tells. `then` is what becomes of a point of a line.
fn lines(
    to: &mut [Complex<f64>],
    n: usize,
    count: usize,
    from: &(impl Fn(usize) -> Complex<f64> + Sync),
    then: impl Fn(usize, usize, Complex<f64>) -> Complex<f64> + Sync,
) {
    let fft = ReferenceFft::<f64>::new(n);
    by_all_threads(to, TOGETHER * n, |begin, part| {
        let first = begin / n;
        let together = part.len() / n;
        let mut input = vec![ComplexOf::from(Complex::default()); part.len()];
        for j in 0..n {
            for line in 0..together {
                input[line * n + j] = ComplexOf::from(from(j * count + first + line));
            }
        }
        for (line, (input, part)) in input.chunks(n).zip(part.chunks_mut(n)).enumerate() {
            let output = fft.forward(input).into_iter().enumerate();
            for (value, (k, x)) in part.iter_mut().zip(output) {
                *value = then(first + line, k, x.to_c64());
            }
        }
    });
}

#[cfg(test)]
#[path = "long_chirp_tests.rs"]
mod tests;
