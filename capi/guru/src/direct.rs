//! The request that takes a problem's memory as it lies.

use crate::problem::{Dim, Problem};
use mmafft::{Domain, Layout, Request, Shape};

/// A request, and where its arrays begin, in scalars behind the caller's addresses.
#[derive(Debug, Clone, PartialEq)]
pub struct Direct {
    pub request: Request,
    pub offsets: [isize; 2],
}

/// A dimension in elements of its sides, which are not negative.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// Its number among the dimensions that are transformed, or none.
    place: Option<usize>,
    n: usize,
    strides: [usize; 2],
}

impl Axis {
    /// Whether an outer loop and this inner one are one of as many arrays.
    fn continues(&self, outer: &Axis) -> bool {
        let next =
            |side: usize| Some(outer.strides[side]) == self.strides[side].checked_mul(self.n);
        outer.place.is_none() && self.place.is_none() && next(0) && next(1)
    }
}

impl Problem {
    /// The request, where a layout of the library can say the problem's strides. Equal work makes equal requests:
    /// dimensions are in the order of memory, and loops that continue each other are one.
    pub(crate) fn direct(&self) -> Option<Direct> {
        if self.split != [false; 2] {
            return None;
        }
        let scalars = self.domains().map(Domain::scalars);
        let mut offsets = [0; 2];
        let mut axes = Vec::with_capacity(self.dims.len() + self.loops.len());
        for (place, dim) in self.dims.iter().enumerate() {
            let strides = in_elements(dim, self.lengths(place), scalars)?;
            axes.push(Axis {
                place: Some(place),
                n: dim.n,
                strides,
            });
        }
        for dim in self.loops.iter().filter(|dim| dim.n > 1) {
            let mut dim = *dim;
            // Backwards on both sides is forwards from the other end.
            if dim.strides.iter().all(|&stride| stride <= 0) {
                for (offset, stride) in offsets.iter_mut().zip(&mut dim.strides) {
                    *offset += (dim.n - 1) as isize * *stride;
                    *stride = -*stride;
                }
            }
            let strides = in_elements(&dim, [dim.n; 2], scalars)?;
            axes.push(Axis {
                place: None,
                n: dim.n,
                strides,
            });
        }
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.strides[1]));
        Some(Direct {
            request: laid_out(self.request.clone(), merged(axes), self.dims.len()),
            offsets,
        })
    }
}

/// A dimension's strides in elements of these lengths.
fn in_elements(dim: &Dim, lengths: [usize; 2], scalars: [usize; 2]) -> Option<[usize; 2]> {
    let one = |side: usize| {
        // The stride of a single element may be anything.
        if lengths[side] == 1 {
            return Some(0);
        }
        let stride = usize::try_from(dim.strides[side]).ok()?;
        stride
            .is_multiple_of(scalars[side])
            .then(|| stride / scalars[side])
    };
    Some([one(0)?, one(1)?])
}

fn merged(axes: Vec<Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::with_capacity(axes.len());
    for axis in axes {
        match merged.last_mut() {
            Some(outer) if axis.continues(outer) => {
                *outer = Axis {
                    n: outer.n * axis.n,
                    ..axis
                };
            }
            _ => merged.push(axis),
        }
    }
    merged
}

fn laid_out(mut request: Request, mut axes: Vec<Axis>, dims: usize) -> Request {
    let batch = match axes.first() {
        Some(first) if first.place.is_none() => Some(axes.remove(0)),
        _ => None,
    };
    let lengths: Vec<usize> = axes.iter().map(|axis| axis.n).collect();
    request.shape = Shape::new(&lengths);
    request.batch = batch.map_or(1, |batch| batch.n);
    let layout = |side: usize| {
        let strides: Vec<usize> = axes.iter().map(|axis| axis.strides[side]).collect();
        let layout = Layout::strided(&strides);
        match batch {
            Some(batch) => layout.distance(batch.strides[side]),
            None => layout,
        }
    };
    (request.input, request.output) = (layout(0), layout(1));
    let mut order = vec![0; dims];
    for (i, axis) in axes.iter().enumerate() {
        if let Some(place) = axis.place {
            order[place] = i;
        }
    }
    // Where all axes are of one kind, their order says nothing.
    let row = request.kind.row();
    if row.input == row.output && request.kinds.is_none() {
        order.sort_unstable();
    }
    request.axes = Some(order);
    request
}
