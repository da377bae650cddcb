//! NumPy's arrays as the library sees them: addresses, lengths and strides.

use crate::call::Call;
use mmafft::{Domain, Precision};
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::{
    Complex32, Complex64, IxDyn, PyArray, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// The numbers that NumPy gives its types.
const FLOAT: i32 = 11;
const DOUBLE: i32 = 12;
const COMPLEX_FLOAT: i32 = 14;
const COMPLEX_DOUBLE: i32 = 15;

/// The precision in which arrays of a type are transformed; `None` where they are not of this domain and byte order,
/// or are converted first.
pub fn precision_of(dtype: &Bound<'_, PyArrayDescr>, domain: Domain) -> Option<Precision> {
    let precision = match (dtype.num(), domain) {
        (FLOAT, Domain::Real) | (COMPLEX_FLOAT, Domain::Complex) => Precision::F32,
        (DOUBLE, Domain::Real) | (COMPLEX_DOUBLE, Domain::Complex) => Precision::F64,
        _ => return None,
    };
    dtype.is_native_byteorder()?.then_some(precision)
}

/// A new array, whose elements are not set yet; `None` of what NumPy has no type for.
pub fn empty<'py>(
    py: Python<'py>,
    shape: &[usize],
    precision: Precision,
    domain: Domain,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    // NumPy's own call ends the process where memory ends.
    let points = shape.iter().try_fold(16usize, |p, &n| p.checked_mul(n));
    if points.is_none_or(|bytes| bytes > MOST_BYTES) {
        return Ok(None);
    }
    let shape = IxDyn(shape);
    // SAFETY: the transform writes every element before anyone reads them.
    let array = unsafe {
        match (precision, domain) {
            (Precision::F32, Domain::Real) => PyArray::<f32, _>::new(py, shape, false).into_any(),
            (Precision::F64, Domain::Real) => PyArray::<f64, _>::new(py, shape, false).into_any(),
            (Precision::F32, Domain::Complex) => {
                PyArray::<Complex32, _>::new(py, shape, false).into_any()
            }
            (Precision::F64, Domain::Complex) => {
                PyArray::<Complex64, _>::new(py, shape, false).into_any()
            }
            _ => return Ok(None),
        }
    };
    Ok(Some(array))
}

/// The most bytes of a result that [`empty`] makes; larger ones Python makes, which reports a lack of memory.
const MOST_BYTES: usize = 1 << 26;

/// Whether an array's elements are aligned, its strides whole elements and none negative; of one that is written,
/// also whether each element has its own place and it may be written.
pub fn fits(x: &Bound<'_, PyUntypedArray>, written: bool) -> bool {
    let item = x.dtype().itemsize() as isize;
    // SAFETY: the array lives.
    let flags = unsafe { (*x.as_array_ptr()).flags };
    let used = |(n, _): &(&usize, &isize)| **n > 1;
    let mut dims = x.shape().iter().zip(x.strides()).filter(used);
    let wanted = match written {
        true => NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE,
        false => NPY_ARRAY_ALIGNED,
    };
    let whole = item > 0 && dims.all(|(_, stride)| stride % item == 0);
    whole && flags & wanted == wanted && Side::of(x).fits(written)
}

/// One side of a call.
#[derive(Debug, Clone)]
pub struct Side {
    pub shape: Vec<usize>,
    /// In elements; what is not used may be anything.
    pub strides: Vec<isize>,
    pub address: usize,
    /// Bytes an element, by the array's own type.
    pub item: usize,
}

/// An array of another library: its address, its shape, and its strides in elements.
pub type Raw = (usize, Vec<usize>, Vec<isize>);

impl Side {
    pub fn raw((address, shape, strides): Raw, item: usize) -> Self {
        Side {
            shape,
            strides,
            address,
            item,
        }
    }

    /// Whether no stride is negative; where it is written, also whether each element has its own place.
    pub fn fits(&self, written: bool) -> bool {
        let dims = self.shape.iter().zip(&self.strides);
        let mut all: Vec<(usize, isize)> = dims
            .filter(|(&n, _)| n > 1)
            .map(|(&n, &stride)| (n, stride))
            .collect();
        if all.iter().any(|&(_, stride)| stride < 0) {
            return false;
        }
        all.sort_by_key(|&(_, stride)| stride);
        let mut span = 1;
        !written
            || all.iter().all(|&(n, stride)| {
                let apart = stride >= span;
                span += (n as isize - 1) * stride;
                apart
            })
    }

    fn of(x: &Bound<'_, PyUntypedArray>) -> Self {
        let item = x.dtype().itemsize();
        let strides = x.strides().iter();
        Side {
            shape: x.shape().to_vec(),
            strides: strides.map(|s| s / item.max(1) as isize).collect(),
            // SAFETY: the array lives.
            address: unsafe { (*x.as_array_ptr()).data as usize },
            item,
        }
    }

    pub fn contiguous(shape: &[usize], item: usize) -> Self {
        let mut strides = vec![1; shape.len()];
        for i in (1..shape.len()).rev() {
            strides[i - 1] = strides[i] * shape[i].max(1) as isize;
        }
        Side {
            shape: shape.to_vec(),
            strides,
            address: 0,
            item,
        }
    }
}

/// Input and output of a call.
#[derive(Debug, Clone)]
pub struct Sides {
    pub input: Side,
    pub output: Side,
    /// Bytes an element of both, as the call has them.
    pub items: [usize; 2],
}

impl Sides {
    /// Of arrays for which [`fits`] is true.
    pub fn new(
        x: &Bound<'_, PyUntypedArray>,
        out: &Bound<'_, PyUntypedArray>,
        precision: Precision,
        call: Call,
    ) -> Self {
        Sides {
            input: Side::of(x),
            output: Side::of(out),
            items: call.items(precision),
        }
    }

    /// Of arrays of another library.
    pub fn raw(x: Raw, out: Raw, precision: Precision, call: Call) -> Self {
        let items = call.items(precision);
        Sides {
            input: Side::raw(x, items[0]),
            output: Side::raw(out, items[1]),
            items,
        }
    }

    /// Of arrays that are not there yet.
    pub fn contiguous(input: &[usize], output: &[usize], precision: Precision, call: Call) -> Self {
        let items = call.items(precision);
        Sides {
            input: Side::contiguous(input, items[0]),
            output: Side::contiguous(output, items[1]),
            items,
        }
    }

    /// Whether the extents of both, no stride of which is negative, have a byte in common.
    pub fn overlap(&self) -> bool {
        let ends = [&self.input, &self.output].map(|side| {
            let steps = side.shape.iter().zip(&side.strides);
            let last: isize = steps.map(|(&n, s)| (n as isize - 1) * s).sum();
            (side.address, side.address + (last + 1) as usize * side.item)
        });
        ends[0].0 < ends[1].1 && ends[1].0 < ends[0].1
    }

    /// Whether both are the same memory.
    pub fn in_place(&self) -> bool {
        self.input.address == self.output.address && self.input.address != 0
    }
}
