//! The definition's sum of complex kinds.

use mmafft::reference::{root, ComplexDd, Dd, Roots};
use mmafft::{Complex, Direction, Kind, Request};

/// The most points that one sum gives.
const MOST_TEETH: usize = 256;

/// What the sums of one array share.
pub struct Sum {
    /// The (real) lengths.
    lengths: Vec<usize>,
    /// Those of input and output.
    input: Vec<usize>,
    output: Vec<usize>,
    roots: Vec<Roots>,
    inverse: bool,
    kind: Kind,
    /// The axis that is halved by a real kind.
    halved: usize,
    factor: f64,
}

impl Sum {
    pub fn new(request: &Request) -> Self {
        let lengths = request.shape.dims().to_vec();
        let axes = request.axes.as_ref();
        let halved = axes.and_then(|axes| axes.last().copied()).unwrap_or(0);
        let (mut input, mut output) = (lengths.clone(), lengths.clone());
        [input[halved], output[halved]] = request.kind.lengths(lengths[halved]);
        Sum {
            roots: lengths.iter().map(|&n| Roots::new(n)).collect(),
            lengths,
            input,
            output,
            inverse: request.direction() == Direction::Inverse,
            kind: request.kind,
            halved,
            factor: request.scale(),
        }
    }

    /// How many points of a request's array one sum gives; of half a spectrum only half of them are there.
    pub fn teeth(request: &Request) -> usize {
        let last = request.shape.dims().last().copied().unwrap_or(1);
        let divides = |d: &usize| last.is_multiple_of(*d);
        (1..=MOST_TEETH).rev().find(divides).unwrap_or(1)
    }

    /// The points at this row-major place and at `teeth` equal distances of it along the last axis, each with its place.
    pub fn comb(
        &self,
        input: &dyn Fn(usize) -> Complex<f64>,
        place: usize,
        teeth: usize,
    ) -> Vec<(usize, Complex<f64>)> {
        let last = self.lengths.len() - 1;
        let distance = self.lengths[last] / teeth;
        let mut bin = indices(place, &self.output);
        let row = place - bin[last];
        if teeth > 1 {
            bin[last] %= distance;
        }
        let sums = self.sums(input, &bin, teeth);
        let spacing: Vec<ComplexDd> = (0..teeth).map(|k| root(k, teeth)).collect();
        let tooth = |t: usize| {
            let terms = sums.iter().enumerate();
            let total = terms.fold(ComplexDd::default(), |total, (m, &sum)| {
                total + sum * self.directed(spacing[t * m % teeth])
            });
            let mut point = total.scale(Dd::from(self.factor)).to_c64();
            if self.kind == Kind::C2R {
                point.im = 0.0;
            }
            (bin[last] + t * distance, point)
        };
        let there = (0..teeth)
            .map(tooth)
            .filter(|&(k, _)| k < self.output[last]);
        there.map(|(k, point)| (row + k, point)).collect()
    }

    /// The sums over the indices of the last axis with the same rest, divided by `teeth`.
    fn sums(
        &self,
        input: &dyn Fn(usize) -> Complex<f64>,
        bin: &[usize],
        teeth: usize,
    ) -> Vec<ComplexDd> {
        let last = self.lengths.len() - 1;
        let columns = self.input[last];
        let rows: usize = self.input[..last].iter().product();
        let mut sums = vec![ComplexDd::default(); teeth];
        for row in 0..rows {
            let index = indices(row, &self.input[..last]);
            let others = (0..last).map(|axis| self.weight(axis, index[axis], bin[axis]));
            let weight = others.fold(ComplexDd::ONE, |all, one| all * one);
            for j in 0..columns {
                let x = ComplexDd::from(input(row * columns + j));
                let term = x * self.weight(last, j, bin[last]);
                let term = if last > 0 { term * weight } else { term };
                sums[j % teeth] = sums[j % teeth] + term;
            }
        }
        sums
    }

    /// What a point at index `j` of an axis is multiplied by in the output at `k`.
    fn weight(&self, axis: usize, j: usize, k: usize) -> ComplexDd {
        let n = self.lengths[axis];
        let exponent = (j as u128 * k as u128 % n as u128) as usize;
        let weight = self.directed(self.roots[axis].get(exponent));
        // What is not stored is the conjugate of what is: it adds the same real part.
        let twice = self.kind == Kind::C2R && axis == self.halved && j > 0 && 2 * j != n;
        match twice {
            true => weight.scale(Dd::from(2.0)),
            false => weight,
        }
    }

    fn directed(&self, root: ComplexDd) -> ComplexDd {
        match self.inverse {
            true => root.conj(),
            false => root,
        }
    }
}

/// The indices of a row-major position.
pub fn indices(mut position: usize, dims: &[usize]) -> Vec<usize> {
    let mut all = vec![0; dims.len()];
    for (index, &n) in all.iter_mut().zip(dims).rev() {
        *index = position % n;
        position /= n;
    }
    all
}
