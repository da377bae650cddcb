//! From the dimensions of two arrays to a request.

use crate::arrays::{Side, Sides};
use crate::call::{Call, Options};
use mmafft::{Layout, Request, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;

/// A dimension of both arrays.
#[derive(Debug, Clone)]
pub struct Dim {
    /// Its number among the axes to transform.
    place: Option<usize>,
    /// The length that the request has.
    pub length: usize,
    /// The elements of both that are there.
    pub ends: [usize; 2],
    pub strides: [usize; 2],
    nonzero: Option<Range<usize>>,
    wanted: Option<Range<usize>>,
}

impl Dim {
    /// Dimension `axis` of the arrays of a call, which is number `place` of `axes` to transform, or none.
    pub fn new(
        call: Call,
        sides: &Sides,
        axis: usize,
        place: Option<usize>,
        axes: usize,
        lengths: &[usize],
        options: &Options,
    ) -> PyResult<Self> {
        let shapes = [sides.input.shape[axis], sides.output.shape[axis]];
        let (length, counts) = match place {
            Some(place) => {
                let kind = call.kind_along(place + 1 == axes);
                (lengths[place], kind.lengths(lengths[place]))
            }
            None => (shapes[0], [shapes[0]; 2]),
        };
        if shapes[1] != counts[1] || shapes[0] == 0 || length == 0 {
            return Err(PyValueError::new_err(format!(
                "the output has length {} along axis {axis}: expected {}",
                shapes[1], counts[1]
            )));
        }
        let stride = |side: &Side, count: usize| match side.strides[axis] {
            // NumPy's strides of a single element may be anything.
            _ if count == 1 => Some(0),
            stride => usize::try_from(stride).ok(),
        };
        let there = shapes[0].min(counts[0]);
        let strides = stride(&sides.input, there).zip(stride(&sides.output, counts[1]));
        let (input, output) = strides
            .ok_or_else(|| PyValueError::new_err(format!("a stride of axis {axis} is negative")))?;
        let range = |list: &[(usize, usize, usize)]| {
            let own = list.iter().find(|range| range.0 == axis);
            own.map(|&(_, start, end)| start..end)
        };
        let mut nonzero = range(&options.nonzero);
        if there < counts[0] {
            let asked = nonzero.unwrap_or(0..there);
            nonzero = Some(asked.start..asked.end.min(there));
        }
        Ok(Dim {
            place,
            length,
            ends: [there, counts[1]],
            strides: [input, output],
            nonzero,
            wanted: range(&options.wanted),
        })
    }

    /// Whether it only counts arrays.
    fn is_batch(&self) -> bool {
        self.place.is_none() && self.nonzero.is_none() && self.wanted.is_none()
    }

    /// Whether an outer dimension and this inner one are one of as many elements.
    fn continues(&self, outer: &Dim) -> bool {
        let next = |side: usize| outer.strides[side] == self.strides[side] * self.length;
        outer.is_batch() && self.is_batch() && next(0) && next(1)
    }
}

/// The request over these dimensions. Equal work makes equal requests, whatever the arrays' ranks: dimensions are in
/// the order of memory, and those that only count arrays are merged.
pub fn laid_out(
    request: Request,
    mut dims: Vec<Dim>,
    axes: usize,
    options: &Options,
    in_place: bool,
) -> Request {
    dims.retain(|d| d.length > 1 || !d.is_batch());
    dims.sort_by_key(|d| std::cmp::Reverse(d.strides[1]));
    let mut merged: Vec<Dim> = Vec::with_capacity(dims.len());
    for dim in dims {
        match merged.last_mut() {
            Some(outer) if dim.continues(outer) => {
                let length = outer.length * dim.length;
                *outer = Dim {
                    length,
                    ends: [length; 2],
                    ..dim
                };
            }
            _ => merged.push(dim),
        }
    }
    let batch = match merged.first() {
        Some(first) if first.is_batch() => Some(merged.remove(0)),
        _ => None,
    };
    let mut request = request
        .precision(options.precision)
        .normalization(options.normalization);
    let lengths: Vec<usize> = merged.iter().map(|d| d.length).collect();
    request.shape = Shape::new(&lengths);
    request.batch = batch.as_ref().map_or(1, |d| d.length);
    let layout = |side: usize| {
        let strides: Vec<usize> = merged.iter().map(|d| d.strides[side]).collect();
        let layout = Layout::strided(&strides);
        match &batch {
            Some(batch) => layout.distance(batch.strides[side]),
            None => layout,
        }
    };
    (request.input, request.output) = (layout(0), layout(1));
    let mut order = vec![0; axes];
    for (i, dim) in merged.iter().enumerate() {
        if let Some(place) = dim.place {
            order[place] = i;
        }
        request
            .nonzero_input
            .extend(dim.nonzero.clone().map(|r| (i, r)));
        request
            .wanted_output
            .extend(dim.wanted.clone().map(|r| (i, r)));
    }
    let row = request.kind.row();
    if row.input == row.output {
        order.sort_unstable();
    }
    request.axes = Some(order);
    request.effort = options.effort;
    match in_place {
        true => request.in_place(),
        false => request,
    }
}
