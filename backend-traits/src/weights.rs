//! What points of the real family are multiplied by beside the DFT, in double-double.

use crate::real::Weight;
use crate::reference::{ComplexDd, Dd, Roots};
use num_complex::Complex;

/// The weights of one side's points.
pub struct Weights {
    weight: Weight,
    length: usize,
    roots: Roots,
}

impl Weights {
    /// Of a line of `n` reals; `None` where all are 1.
    pub fn new(weight: Weight, n: usize) -> Option<Self> {
        let order = match weight {
            Weight::One => return None,
            Weight::Imaginary | Weight::Hartley => 1,
            Weight::Second | Weight::Third => 4 * n,
            Weight::Fourth | Weight::TwiceFourth => 16 * n,
            Weight::Residue => 8,
        };
        Some(Weights {
            weight,
            length: n,
            roots: Roots::new(order),
        })
    }

    /// The weight of point `p`.
    pub fn of(&self, p: usize) -> ComplexDd {
        match self.weight {
            // An eighth of a turn, doubled: its real part is √2.
            Weight::Second | Weight::Third if 2 * p == self.length => {
                ComplexDd::new(twice(self.roots.get(p)).re, Dd::from(0.0))
            }
            _ => self.turned(p),
        }
    }

    /// The same, but for the exception at p = N/2.
    pub fn turned(&self, p: usize) -> ComplexDd {
        let exact = |re: f64, im: f64| ComplexDd::from(Complex::new(re, im));
        let root = |k: usize| self.roots.get(k);
        match self.weight {
            Weight::One => exact(1.0, 0.0),
            Weight::Imaginary => exact(0.0, 1.0),
            Weight::Hartley => exact(1.0, 1.0),
            Weight::Second => twice(root(p)),
            Weight::Third => root(p).conj(),
            Weight::Fourth => root(8 * p + 1),
            Weight::TwiceFourth => twice(root(8 * p + 1)),
            Weight::Residue => twice(root(self.length % 8)),
        }
    }

    /// What point p + `by`'s weight is that of p times.
    pub fn turn(&self, by: usize) -> ComplexDd {
        match self.weight {
            Weight::Second => self.roots.get(by),
            Weight::Third => self.roots.get(by).conj(),
            Weight::Fourth | Weight::TwiceFourth => self.roots.get(8 * by),
            _ => ComplexDd::from(Complex::new(1.0, 0.0)),
        }
    }
}

impl Weight {
    /// What the real part of a root of point N/2 is multiplied by; the imaginary part is 0 there.
    /// 0 where that point is like the others.
    pub fn middle(self) -> usize {
        match self {
            Weight::Second => 1,
            Weight::Third => 2,
            _ => 0,
        }
    }
}

fn twice(w: ComplexDd) -> ComplexDd {
    w.scale(Dd::from(2.0))
}
