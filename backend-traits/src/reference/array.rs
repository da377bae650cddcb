//! Arrays: seeded values, and their transform by the definition.

use super::{dft_nd, ComplexOf, Definition, Real};
use crate::{Direction, Kind, Normalization, Request};
use num_complex::Complex;

/// A small generator (xorshift64*): seeded, the same everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Seeded; neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in [−1, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The transform of one array by the definition's words: every other axis first, then the
/// halved one. `input` is of the input's shape; real points have imaginary parts of zero.
pub fn transform<T: Real>(
    request: &Request,
    axes: &[usize],
    input: &[Complex<f64>],
) -> Vec<ComplexOf<T>> {
    let dims = request.shape.dims();
    let inverse = request.direction() == Direction::Inverse;
    let halved = *axes.last().expect("at least one axis");
    let scale = T::from(request.scale());
    if request.kind.is_real_to_real() {
        let mut data: Vec<ComplexOf<T>> = input.iter().map(|&x| ComplexOf::from(x)).collect();
        let orthogonal = request.normalization == Normalization::Ortho;
        for &axis in axes {
            let kind = request.kind_of(axis).expect("a kind for every axis");
            let definition = Definition::new(kind, dims[axis], orthogonal);
            data = map_lines(dims, axis, dims[axis], &data, |line, _| {
                definition.apply(line)
            });
        }
        return data.into_iter().map(|x| x.scale(scale)).collect();
    }
    let [in_len, out_len] = request.kind.lengths(dims[halved]);
    let mut data: Vec<ComplexOf<T>> = input.iter().map(|&x| ComplexOf::from(x)).collect();
    let mut shape = dims.to_vec();
    shape[halved] = in_len;
    if request.kind == Kind::C2R {
        dft_nd(&shape, &axes[..axes.len() - 1], inverse, &mut data);
        data = map_lines(&shape, halved, dims[halved], &data, hermitian);
        shape[halved] = dims[halved];
        dft_nd(&shape, &[halved], inverse, &mut data);
    } else {
        dft_nd(&shape, axes, inverse, &mut data);
        data = map_lines(&shape, halved, out_len, &data, |line, out| {
            let kept = line.len().min(out);
            line[..kept].to_vec()
        });
    }
    data.into_iter().map(|x| x.scale(scale)).collect()
}

/// A half spectrum completed to `n` points; imaginary parts that a real signal cannot have
/// are dropped.
fn hermitian<T: Real>(half: &[ComplexOf<T>], n: usize) -> Vec<ComplexOf<T>> {
    let real = |x: ComplexOf<T>| ComplexOf::new(x.re, T::from(0.0));
    (0..n)
        .map(|k| match k {
            0 => real(half[0]),
            k if 2 * k == n => real(half[k]),
            k if 2 * k < n => half[k],
            k => half[n - k].conj(),
        })
        .collect()
}

/// Replaces every line along `axis` by one of `length` points.
fn map_lines<T: Real>(
    shape: &[usize],
    axis: usize,
    length: usize,
    data: &[ComplexOf<T>],
    map: impl Fn(&[ComplexOf<T>], usize) -> Vec<ComplexOf<T>>,
) -> Vec<ComplexOf<T>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let n = shape[axis];
    let mut out = vec![ComplexOf::from(Complex::default()); outer * length * inner];
    for o in 0..outer {
        for i in 0..inner {
            let line: Vec<ComplexOf<T>> = (0..n).map(|k| data[(o * n + k) * inner + i]).collect();
            for (k, x) in map(&line, length).into_iter().enumerate() {
                out[(o * length + k) * inner + i] = x;
            }
        }
    }
    out
}
