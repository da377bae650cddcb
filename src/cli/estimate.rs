//! The error of a result, estimated from a few points computed by the definition.
//!
//! One output point of one array costs a sum over all its inputs, in double-double: a few
//! points are affordable, and their error over the RMS of the output estimates the relative
//! L2 error of all.

use mmafft::backend_traits::conformance::Terms;
use mmafft::reference::{ComplexDd, Dd, Roots};
use mmafft::{Complex, Direction, Kind, Normalization, Request};

/// Sums of more terms than this are not computed.
pub const MOST_TERMS: usize = 1 << 21;

/// The first array of a request: its input and output, row-major, all axes transformed.
pub struct FirstArray<'a> {
    /// What was transformed.
    pub input: &'a [Complex<f64>],
    /// What came out.
    pub output: &'a [Complex<f64>],
    /// The (real) lengths of the transformed axes, in the array's order.
    pub lengths: &'a [usize],
    /// What each of them is transformed by.
    pub kinds: Vec<Kind>,
    /// Which of them is halved by a real kind.
    pub halved: usize,
}

/// The estimated relative L2 error and the number of points it rests on; `None` for arrays
/// too large, or with values that are not finite.
pub fn relative_l2(request: &Request, array: &FirstArray<'_>) -> Option<(f64, usize)> {
    let points = (MOST_TERMS / array.input.len().max(1)).min(8);
    let energy: f64 = array.output.iter().map(|x| x.norm_sqr()).sum();
    if points == 0 || !energy.is_finite() || energy == 0.0 {
        return None;
    }
    let count = array.output.len();
    let definition: Box<dyn Fn(usize) -> Complex<f64>> = match request.kind.is_real_to_real() {
        true => {
            let sum = RealSum::new(request, array);
            Box::new(move |index| sum.at(index))
        }
        false => {
            let sum = Sum::new(request, array);
            Box::new(move |index| sum.at(index))
        }
    };
    let square = |index: usize| (array.output[index] - definition(index)).norm_sqr();
    // The largest point for itself, as it may hold nearly all of the energy; the others
    // spread over the output by the golden ratio, so that none is special.
    let by_size = |&a: &usize, &b: &usize| {
        let [a, b] = [a, b].map(|i| array.output[i].norm_sqr());
        a.total_cmp(&b)
    };
    let largest = (0..count).max_by(by_size).unwrap_or(0);
    let spread = |i: usize| ((i as f64 * 0.618_033_988_749_895).fract() * count as f64) as usize;
    let sample: Vec<usize> = (1..points).map(spread).filter(|&i| i != largest).collect();
    let mean = sample.iter().map(|&i| square(i)).sum::<f64>() / sample.len().max(1) as f64;
    let total = square(largest) + mean * (count - 1) as f64;
    Some(((total / energy).sqrt(), sample.len() + 1))
}

/// The definition's sum for one array.
struct Sum<'a> {
    array: &'a FirstArray<'a>,
    roots: Vec<Roots>,
    input: Vec<usize>,
    output: Vec<usize>,
    inverse: bool,
    kind: Kind,
    factor: f64,
}

impl<'a> Sum<'a> {
    fn new(request: &Request, array: &'a FirstArray<'a>) -> Self {
        let mut input = array.lengths.to_vec();
        let mut output = input.clone();
        let (i, o) = request.kind.lengths(array.lengths[array.halved]);
        input[array.halved] = i;
        output[array.halved] = o;
        Sum {
            array,
            roots: array.lengths.iter().map(|&n| Roots::new(n)).collect(),
            input,
            output,
            inverse: request.direction() == Direction::Inverse,
            kind: request.kind,
            factor: request.scale(),
        }
    }

    /// The output point at this row-major index.
    fn at(&self, index: usize) -> Complex<f64> {
        let bin = indices(index, &self.output);
        let mut total = ComplexDd::from(Complex::default());
        for (i, &x) in self.array.input.iter().enumerate() {
            let n = indices(i, &self.input);
            let mut term = ComplexDd::from(x);
            for (axis, roots) in self.roots.iter().enumerate() {
                let root = roots.get(n[axis] * bin[axis] % self.array.lengths[axis]);
                let root = if self.inverse { root.conj() } else { root };
                term = term * root;
            }
            if self.kind == Kind::C2R {
                // What is not stored is the conjugate of what is: it adds the same real part.
                let (k, length) = (n[self.array.halved], self.array.lengths[self.array.halved]);
                let twice = k > 0 && 2 * k != length;
                term = term.scale(Dd::from(if twice { 2.0 } else { 1.0 }));
                term.im = Dd::from(0.0);
            }
            total = total + term;
        }
        total.scale(Dd::from(self.factor)).to_c64()
    }
}

/// The same for kinds from reals to reals.
struct RealSum<'a> {
    array: &'a FirstArray<'a>,
    terms: Vec<Terms>,
    factor: f64,
}

impl<'a> RealSum<'a> {
    fn new(request: &Request, array: &'a FirstArray<'a>) -> Self {
        let orthogonal = request.normalization == Normalization::Ortho;
        let axes = array.kinds.iter().zip(array.lengths);
        RealSum {
            array,
            terms: axes.map(|(&k, &n)| Terms::new(k, n, orthogonal)).collect(),
            factor: request.scale(),
        }
    }

    fn at(&self, index: usize) -> Complex<f64> {
        let bin = indices(index, self.array.lengths);
        let mut total = Dd::from(0.0);
        for (i, x) in self.array.input.iter().enumerate() {
            let n = indices(i, self.array.lengths);
            let mut term = Dd::from(x.re);
            for (axis, terms) in self.terms.iter().enumerate() {
                term = term * terms.of(n[axis], bin[axis]);
            }
            total = total + term;
        }
        Complex::from((total * Dd::from(self.factor)).to_f64())
    }
}

/// The indices of a row-major position; at most three axes.
fn indices(mut index: usize, dims: &[usize]) -> [usize; 3] {
    let mut all = [0; 3];
    for (axis, &n) in dims.iter().enumerate().rev() {
        all[axis] = index % n;
        index /= n;
    }
    all
}
