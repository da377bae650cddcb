//! What the Python package `mmafft` calls: transforms of NumPy arrays where they lie.
//!
//! Arguments are SciPy's, and `mmafft/_call.py` reads them in all their forms. What is most frequent and costs most
//! beside a short transform, an array as NumPy makes them and no options, `quick` does from end to end.

mod again;
mod arrays;
mod call;
mod devices;
mod memo;
mod mirror;
mod quick;
mod ranks;
mod request;
mod state;
mod xla;

use arrays::{Raw, Sides};
use call::{Call, Options};
use devices::{Device, Prepared};
use mmafft::{Error, Normalization, Precision};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{
    PyMemoryError, PyNotImplementedError, PyRuntimeError, PyTimeoutError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

/// Our errors, as the exceptions that SciPy raises in their place.
fn exception(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::OutOfMemory { .. } => PyMemoryError::new_err(text),
        Error::Unsupported { .. } => PyNotImplementedError::new_err(text),
        Error::ElementType { .. } => PyTypeError::new_err(text),
        Error::NotBuilt { .. }
        | Error::NoDevice { .. }
        | Error::Device { .. }
        | Error::Disagree { .. }
        | Error::OtherRank { .. }
        | Error::NoEngine { .. } => PyRuntimeError::new_err(text),
        Error::Lost { .. } => PyTimeoutError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn precision(name: &str) -> PyResult<Precision> {
    Precision::from_name(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "no precision is called {name:?}: expected f64, f32, split-f16, f16 or bf16"
        ))
    })
}

/// The scale that SciPy's `norm` means for one direction, as its numbers have it: 0 none, 1 by 1/√N, 2 by 1/N.
fn normalization(scale: u8) -> Normalization {
    match scale {
        0 => Normalization::None,
        1 => Normalization::Ortho,
        _ => Normalization::Full,
    }
}

/// What a call says beside arrays, axes, lengths and ranges.
fn options(
    scale: u8,
    precision_name: &str,
    workers: &Bound<'_, PyAny>,
    effort: Option<&str>,
) -> PyResult<Options> {
    Ok(Options {
        normalization: normalization(scale),
        precision: precision(precision_name)?,
        workers: state::workers(workers)?.unwrap_or(1),
        effort: effort.map(call::effort).transpose()?,
        ..Options::default()
    })
}

/// Transforms `x` into `out` along several axes, the last of which is the halved one; `lengths` are those of the real
/// side. What `x` has less of is zero, and what it has more of is not read. Both may be the same memory.
#[pyfunction]
#[pyo3(signature = (op, x, out, axes, lengths, scale, precision_name, workers, nonzero, wanted, effort))]
#[allow(clippy::too_many_arguments)] // one for each that the caller has read
fn execute(
    py: Python<'_>,
    op: u8,
    x: &Bound<'_, PyUntypedArray>,
    out: &Bound<'_, PyUntypedArray>,
    axes: Vec<usize>,
    lengths: Vec<usize>,
    scale: u8,
    precision_name: &str,
    workers: &Bound<'_, PyAny>,
    nonzero: Vec<(usize, usize, usize)>,
    wanted: Vec<(usize, usize, usize)>,
    effort: Option<&str>,
) -> PyResult<()> {
    let mut options = options(scale, precision_name, workers, effort)?;
    (options.nonzero, options.wanted) = (nonzero, wanted);
    let call = Call::new(op).ok_or_else(|| PyValueError::new_err("no such operation"))?;
    let sides = Sides::new(x, out, options.precision, call);
    call.run(py, &sides, &axes, &lengths, &options)
}

/// A transform of arrays of other libraries, each an address, a shape, and strides in elements, which fit and are of the
/// types of the call; on a device, or on the CPU. It runs on other addresses as well.
#[pyfunction]
#[pyo3(signature = (op, x, out, axes, lengths, scale, precision_name, workers, nonzero, wanted, effort, device))]
#[allow(clippy::too_many_arguments)] // as above
fn prepare(
    py: Python<'_>,
    op: u8,
    x: Raw,
    out: Raw,
    axes: Vec<usize>,
    lengths: Vec<usize>,
    scale: u8,
    precision_name: &str,
    workers: &Bound<'_, PyAny>,
    nonzero: Vec<(usize, usize, usize)>,
    wanted: Vec<(usize, usize, usize)>,
    effort: Option<&str>,
    device: Option<Device>,
) -> PyResult<Prepared> {
    let mut options = options(scale, precision_name, workers, effort)?;
    (options.nonzero, options.wanted) = (nonzero, wanted);
    let call = Call::new(op).ok_or_else(|| PyValueError::new_err("no such operation"))?;
    let sides = Sides::raw(x, out, options.precision, call);
    Prepared::new(py, call, &sides, &axes, &lengths, &options, device.as_ref())
}

/// What a plan of contiguous arrays is: its text, its error bound, and its scratch in bytes.
#[pyfunction]
#[pyo3(signature = (op, shape, axes, lengths, scale, precision_name, workers, nonzero, wanted, effort, device=None))]
#[allow(clippy::too_many_arguments)] // as above
fn describe(
    py: Python<'_>,
    op: u8,
    shape: Vec<usize>,
    axes: Vec<usize>,
    lengths: Vec<usize>,
    scale: u8,
    precision_name: &str,
    workers: &Bound<'_, PyAny>,
    nonzero: Vec<(usize, usize, usize)>,
    wanted: Vec<(usize, usize, usize)>,
    effort: Option<&str>,
    device: Option<Device>,
) -> PyResult<(String, f64, usize)> {
    let mut options = options(scale, precision_name, workers, effort)?;
    (options.nonzero, options.wanted) = (nonzero, wanted);
    let call = Call::new(op).ok_or_else(|| PyValueError::new_err("no such operation"))?;
    let mut output = shape.clone();
    for (&axis, &length) in axes.iter().zip(&lengths) {
        let last = Some(&axis) == axes.last();
        let place = output.get_mut(axis).ok_or_else(|| {
            PyValueError::new_err(format!("axis {axis} of an array of rank {}", shape.len()))
        })?;
        *place = call.output_length_of(last, length);
    }
    let sides = Sides::contiguous(&shape, &output, options.precision, call);
    let fft = call.transform(py, &sides, &axes, &lengths, &options, device.as_ref())?;
    Ok((fft.explain(), fft.plan().error_bound, fft.scratch_bytes()))
}

/// Whether an array can be read, or written, where it lies: aligned elements of this machine's byte order, and
/// strides that are whole numbers of them and not negative.
#[pyfunction]
fn fits(x: &Bound<'_, PyUntypedArray>, written: bool) -> bool {
    let native = x.dtype().is_native_byteorder().unwrap_or(true);
    native && arrays::fits(x, written)
}

/// The same of an array of another library.
#[pyfunction]
fn fits_at(x: Raw, item: usize, written: bool) -> bool {
    arrays::Side::raw(x, item).fits(written)
}

/// The smallest product of 2, 3, 5 and 7 that is at least `target`.
#[pyfunction]
fn good_size(target: usize) -> usize {
    mmafft::good_size(target)
}

/// What is at work: the CPU's threads and vectors.
#[pyfunction]
fn device() -> String {
    state::device()
}

#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::{describe, device, execute, fits, fits_at, good_size, prepare};
    #[pymodule_export]
    use crate::again::{kept, key_of, signature_of_tensor, Kept};
    #[pymodule_export]
    use crate::devices::{device_name, Prepared};
    #[pymodule_export]
    use crate::mirror::mirror;
    #[pymodule_export]
    use crate::quick::{quick, quick_axes};
    #[pymodule_export]
    use crate::ranks::{Distributed, PyGroup};
    #[pymodule_export]
    use crate::state::{cached, clear_cache, default_workers, forked, set_default_workers};
    #[pymodule_export]
    use crate::xla::xla_handler;
}
