//! What a transform takes and leaves, whatever the type of its points is.

use super::npy::Number;
use super::room::collect;
use mmafft::{Complex, Element, Result};

/// The points of an array, row-major.
pub trait Points {
    /// How many there are.
    fn len(&self) -> usize;

    /// The value of one; reals have imaginary parts of zero.
    fn at(&self, position: usize) -> Complex<f64>;
}

impl<T: Element + Number> Points for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn at(&self, position: usize) -> Complex<f64> {
        self[position].value()
    }
}

impl dyn Points + '_ {
    /// The values of all, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Complex<f64>> + '_ {
        (0..self.len()).map(|position| self.at(position))
    }
}

/// The first array of a batch that may lie anywhere in an array of more axes: its points have index 0 on all others.
pub struct FirstArray {
    /// Length and stride of each of its axes, in the array's order.
    axes: Vec<(usize, usize)>,
}

impl FirstArray {
    /// Along these axes, in the array's order, of an array of this shape.
    pub fn new(shape: &[usize], axes: &[usize]) -> Self {
        let of = |&axis: &usize| (shape[axis], shape[axis + 1..].iter().product());
        Self {
            axes: axes.iter().map(of).collect(),
        }
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|(length, _)| length).product()
    }

    /// Where its row-major position lies in the whole array.
    pub fn place(&self, mut position: usize) -> usize {
        let mut place = 0;
        for &(length, stride) in self.axes.iter().rev() {
            place += position % length * stride;
            position /= length;
        }
        place
    }

    /// A copy of its points, which are stored in `T`.
    pub fn copy<T: Element + Number>(&self, points: &dyn Points) -> Result<Box<dyn Points>> {
        let values = (0..self.len()).map(|i| points.at(self.place(i)));
        let copy = values.map(|x| T::of(x.re, x.im));
        Ok(Box::new(collect("a copy of the first array", copy)?))
    }
}
