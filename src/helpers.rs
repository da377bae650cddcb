//! What users of a transform need beside it.

use num_complex::Complex;

/// The frequencies of an `n`-point transform of samples `spacing` apart, in its order:
/// 0, 1, …, then the negative ones, in cycles per unit of `spacing`.
///
/// ```
/// assert_eq!(mmafft::frequencies(4, 0.5), [0.0, 0.5, -1.0, -0.5]);
/// ```
#[doc(alias = "fftfreq")]
pub fn frequencies(n: usize, spacing: f64) -> Vec<f64> {
    let positive = n.div_ceil(2);
    let index = |k: usize| {
        if k < positive {
            k as f64
        } else {
            k as f64 - n as f64
        }
    };
    (0..n).map(|k| index(k) / (n as f64 * spacing)).collect()
}

/// The frequencies of the half spectrum of `n` real samples: n/2+1 of them.
///
/// ```
/// assert_eq!(mmafft::half_frequencies(4, 0.5), [0.0, 0.5, 1.0]);
/// ```
#[doc(alias = "rfftfreq")]
pub fn half_frequencies(n: usize, spacing: f64) -> Vec<f64> {
    let count = if n == 0 { 0 } else { n / 2 + 1 };
    (0..count)
        .map(|k| k as f64 / (n as f64 * spacing))
        .collect()
}

/// Moves the zero frequency of a row-major array to the centre, index n/2 of each axis.
///
/// # Panics
/// If `data` has not as many elements as `shape` says.
#[doc(alias = "fftshift")]
pub fn shift<T: Copy>(shape: &[usize], data: &[T]) -> Vec<T> {
    rotate(shape, data, |n| n / 2)
}

/// Undoes [`shift`]; the two differ for odd lengths.
///
/// # Panics
/// If `data` has not as many elements as `shape` says.
#[doc(alias = "ifftshift")]
pub fn inverse_shift<T: Copy>(shape: &[usize], data: &[T]) -> Vec<T> {
    rotate(shape, data, |n| n.div_ceil(2))
}

/// Element i of each axis goes to i + by(n), around the end.
fn rotate<T: Copy>(shape: &[usize], data: &[T], by: impl Fn(usize) -> usize) -> Vec<T> {
    assert_eq!(shape.iter().product::<usize>(), data.len());
    let mut out = data.to_vec();
    if data.is_empty() {
        return out;
    }
    let mut inner = data.len();
    for &n in shape {
        inner /= n;
        for block in out.chunks_exact_mut(n * inner) {
            block.rotate_right(by(n) * inner);
        }
    }
    out
}

/// The smallest length ≥ `n` that is a product of 2, 3, 5 and 7: fast on every backend. `n` itself where that would
/// be more than a `usize` holds.
///
/// ```
/// assert_eq!(mmafft::good_size(1021), 1024);
/// assert_eq!(mmafft::good_size(11), 12);
/// ```
#[doc(alias = "next_fast_len")]
pub fn good_size(n: usize) -> usize {
    // Of each product of 3, 5 and 7, the smallest power of two beside it.
    let mut best = n.max(1).checked_next_power_of_two();
    let powers = |of: usize, from: usize| {
        std::iter::successors(Some(from), move |m| m.checked_mul(of))
            .take_while(move |m| *m / of < n.max(1))
    };
    for odd in powers(7, 1)
        .flat_map(|m| powers(5, m))
        .flat_map(|m| powers(3, m))
    {
        let doubled = n.div_ceil(odd).max(1).checked_next_power_of_two();
        let length = doubled.and_then(|two| odd.checked_mul(two));
        best = match (best, length) {
            (Some(best), Some(length)) => Some(best.min(length)),
            (best, length) => best.or(length),
        };
    }
    best.unwrap_or(n)
}

/// Complex points with imaginary parts of zero.
pub fn complex<T: Copy + Default>(reals: &[T]) -> Vec<Complex<T>> {
    reals
        .iter()
        .map(|&x| Complex::new(x, T::default()))
        .collect()
}

#[cfg(test)]
#[path = "helpers_tests.rs"]
mod tests;
