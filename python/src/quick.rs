//! Calls of arrays as NumPy makes them, without options: from arguments to result without Python's help.

use crate::again::again;
use crate::arrays::{self, Sides};
use crate::call::{self, Call, Options};
use crate::{mirror, normalization, state};
use mmafft::{Domain, Precision};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Transforms `x` along one axis into `out` or a new array, where both are as NumPy makes them, apart, and the type is
/// the operation's own, or real where that is complex; `None` where that is not so, or where an argument is in error,
/// which the caller then looks into.
#[pyfunction]
#[pyo3(signature = (op, x, n, axis, norm, workers, out))]
#[allow(clippy::too_many_arguments)] // one for each that the caller has
pub fn quick<'py>(
    py: Python<'py>,
    op: u8,
    x: &Bound<'py, PyAny>,
    n: &Bound<'py, PyAny>,
    axis: &Bound<'py, PyAny>,
    norm: &Bound<'py, PyAny>,
    workers: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (Some(call), Ok(x)) = (Call::new(op), x.cast_exact::<PyUntypedArray>()) else {
        return match out {
            None => again((op, false), x, n, axis, norm, workers),
            Some(_) => Ok(None),
        };
    };
    let Ok(axis) = axis.extract::<isize>() else {
        return Ok(None);
    };
    let rank = x.ndim() as isize;
    let axis = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&axis) {
        return Ok(None);
    }
    let axis = axis as usize;
    let length = match n.is_none() {
        true => call.default_length(x.shape()[axis]),
        false => n.extract::<usize>().unwrap_or(0),
    };
    let dtype = x.dtype();
    let half = match call.of_half() {
        Some(half) if out.is_none() && arrays::precision_of(&dtype, half.input()).is_some() => {
            Some(half)
        }
        _ => None,
    };
    let new = New::of(half.unwrap_or(call), call, norm, workers)?;
    let out = new.map(|new| new.run(py, x, &dtype, &[axis], &[length], out));
    let Some(out) = out.transpose()?.flatten() else {
        return Ok(None);
    };
    if half.is_some() {
        mirror::whole(out.cast::<PyUntypedArray>()?, axis, call.is_inverse());
    }
    Ok(Some(out))
}

/// The same along several axes, by default all at their own lengths.
#[pyfunction]
#[pyo3(signature = (op, x, s, axes, norm, workers, out))]
#[allow(clippy::too_many_arguments)] // as above
pub fn quick_axes<'py>(
    py: Python<'py>,
    op: u8,
    x: &Bound<'py, PyAny>,
    s: &Bound<'py, PyAny>,
    axes: &Bound<'py, PyAny>,
    norm: &Bound<'py, PyAny>,
    workers: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (Some(call), Ok(x)) = (Call::new(op), x.cast_exact::<PyUntypedArray>()) else {
        return match out {
            None => again((op, true), x, s, axes, norm, workers),
            Some(_) => Ok(None),
        };
    };
    let rank = x.ndim();
    let axes: Vec<isize> = match axes.is_none() {
        true => (0..rank as isize).collect(),
        false => axes.extract().unwrap_or_default(),
    };
    let from_end = |axis: isize| if axis < 0 { axis + rank as isize } else { axis };
    let axes: Vec<usize> = axes
        .into_iter()
        .map(|axis| from_end(axis) as usize)
        .collect();
    let repeated = |(i, axis): (usize, &usize)| axes[..i].contains(axis);
    let (Some(last), false) = (axes.last(), axes.iter().any(|&axis| axis >= rank)) else {
        return Ok(None);
    };
    if axes.len() > QUICK_AXES || axes.iter().enumerate().any(repeated) {
        return Ok(None);
    }
    let length = |&axis: &usize| match axis == *last {
        true => call.default_length(x.shape()[axis]),
        false => x.shape()[axis],
    };
    let lengths: Vec<usize> = match s.is_none() {
        true => axes.iter().map(length).collect(),
        false => s.extract().unwrap_or_default(),
    };
    if lengths.len() != axes.len() {
        return Ok(None);
    }
    match New::of(call, call, norm, workers)? {
        Some(new) => new.run(py, x, &x.dtype(), &axes, &lengths, out),
        None => Ok(None),
    }
}

/// The most axes of [`quick_axes`]: more are rare, and seldom short.
const QUICK_AXES: usize = 4;

/// A transform into a new array, or one that is given.
struct New {
    call: Call,
    /// What the result looks like: as this call's, of which the other may make a half.
    result: Call,
    scale: u8,
    workers: usize,
}

impl New {
    /// `None` where an argument is none of those that are frequent.
    fn of(
        call: Call,
        result: Call,
        norm: &Bound<'_, PyAny>,
        workers: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Self>> {
        let scale = call::scale_of(norm, result.counts_forward())?;
        let workers = state::workers(workers)?;
        Ok(scale.zip(workers).map(|(scale, workers)| New {
            call,
            result,
            scale,
            workers,
        }))
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyUntypedArray>,
        dtype: &Bound<'py, PyArrayDescr>,
        axes: &[usize],
        lengths: &[usize],
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(precision) = arrays::precision_of(dtype, self.call.input()) else {
            return Ok(None);
        };
        let short = lengths
            .iter()
            .any(|&n| n == 0 || !self.call.is_long_enough(n));
        if short || x.is_empty() || !arrays::fits(x, false) {
            return Ok(None);
        }
        let mut shape = x.shape().to_vec();
        for (i, (&axis, &length)) in axes.iter().zip(lengths).enumerate() {
            let last = i + 1 == axes.len();
            shape[axis] = self.result.output_length_of(last, length);
        }
        let domain = self.result.output();
        let target = match out {
            Some(out) => takes(out, &shape, precision, domain).then(|| out.clone()),
            None => arrays::empty(py, &shape, precision, domain)?,
        };
        let Some(target) = target else {
            return Ok(None);
        };
        let mut sides = Sides::new(x, target.cast::<PyUntypedArray>()?, precision, self.call);
        if out.is_some() && sides.overlap() {
            return Ok(None);
        }
        if let (Some(&axis), Some(&length)) = (axes.last(), lengths.last()) {
            sides.output.shape[axis] = self.call.output_length_of(true, length);
        }
        let options = Options {
            normalization: normalization(self.scale),
            precision,
            workers: self.workers,
            ..Options::default()
        };
        self.call.run(py, &sides, axes, lengths, &options)?;
        Ok(Some(target))
    }
}

/// Whether an array can be filled with a result of this shape and type.
fn takes(out: &Bound<'_, PyAny>, shape: &[usize], precision: Precision, domain: Domain) -> bool {
    let Ok(out) = out.cast_exact::<PyUntypedArray>() else {
        return false;
    };
    let alike = arrays::precision_of(&out.dtype(), domain) == Some(precision);
    alike && out.shape() == shape && arrays::fits(out, true)
}
