//! The definition's sum of kinds from reals to reals.

use super::sum::indices;
use mmafft::backend_traits::reference::Terms;
use mmafft::reference::Dd;
use mmafft::{Complex, Kind, Normalization, Request};

/// What the sums of one array share.
pub struct RealSum {
    lengths: Vec<usize>,
    terms: Vec<Terms>,
    factor: f64,
}

impl RealSum {
    pub fn new(request: &Request) -> Self {
        let lengths = request.shape.dims().to_vec();
        let orthogonal = request.normalization == Normalization::Ortho;
        let kind = |axis: usize| request.kind_of(axis).unwrap_or(Kind::Dht);
        let axes = lengths.iter().enumerate();
        RealSum {
            terms: axes
                .map(|(axis, &n)| Terms::new(kind(axis), n, orthogonal))
                .collect(),
            factor: request.scale(),
            lengths,
        }
    }

    /// The output at this row-major place.
    pub fn at(&self, input: &dyn Fn(usize) -> Complex<f64>, place: usize) -> Complex<f64> {
        let bin = indices(place, &self.lengths);
        let last = self.lengths.len() - 1;
        let columns = self.lengths[last];
        let rows: usize = self.lengths[..last].iter().product();
        let mut total = Dd::from(0.0);
        for row in 0..rows {
            let index = indices(row, &self.lengths[..last]);
            let others = (0..last).map(|axis| self.terms[axis].of(index[axis], bin[axis]));
            let weight = others.fold(Dd::from(self.factor), |all, one| all * one);
            for j in 0..columns {
                let x = Dd::from(input(row * columns + j).re);
                total = total + x * self.terms[last].of(j, bin[last]) * weight;
            }
        }
        Complex::from(total.to_f64())
    }
}
