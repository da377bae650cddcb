//! Calls of other libraries' arrays that are like earlier ones: done again without reading their arguments.

use crate::devices::Prepared;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

/// Bytes that accesses of memory are aligned to at most; what begins elsewhere goes another way.
const ALIGNED: usize = 16;

/// What calls of a tensor of PyTorch depend on beside its numbers, but for a gradient where that is `known`; `None` of
/// tensors whose calls are not kept.
#[pyfunction]
pub fn signature_of_tensor<'py>(
    x: &Bound<'py, PyAny>,
    known: bool,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let py = x.py();
    let lazy = |method| x.call_method0(method)?.is_truthy();
    let gradient = || -> PyResult<bool> {
        let wanted = x.getattr(intern!(py, "requires_grad"))?.is_truthy()?;
        let torch = || py.import(intern!(py, "torch"));
        Ok(wanted && torch()?.call_method0("is_grad_enabled")?.is_truthy()?)
    };
    if (!known && gradient()?) || lazy(intern!(py, "is_conj"))? || lazy(intern!(py, "is_neg"))? {
        return Ok(None);
    }
    let begin: usize = x.call_method0(intern!(py, "data_ptr"))?.extract()?;
    let all = (
        x.getattr(intern!(py, "dtype"))?,
        x.getattr(intern!(py, "shape"))?,
        x.call_method0(intern!(py, "stride"))?,
        x.getattr(intern!(py, "device"))?,
        begin % ALIGNED,
    );
    all.into_pyobject(py).map(Some)
}

/// The calls that are kept, by [`key_of`] or keys of their own.
#[pyfunction]
pub fn kept(py: Python<'_>) -> Bound<'_, PyDict> {
    static KEPT: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let kept = KEPT.get_or_init(py, || PyDict::new(py).unbind());
    kept.bind(py).clone()
}

/// The type of PyTorch's tensors, once PyTorch is there.
fn tensors(py: Python<'_>) -> PyResult<Option<&Bound<'_, PyType>>> {
    static TENSORS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if TENSORS.get(py).is_none() {
        let modules = py.import("sys")?.getattr("modules")?;
        let Ok(torch) = modules.get_item("torch") else {
            return Ok(None);
        };
        // A module that is being imported has none yet.
        if let Ok(tensor) = torch.getattr("Tensor") {
            let _ = TENSORS.set(py, tensor.cast_into::<PyType>()?.unbind());
        }
    }
    Ok(TENSORS.get(py).map(|tensor| tensor.bind(py)))
}

/// What a call of a tensor is that such a function makes, lists as tuples; `None` where it is not kept.
#[pyfunction]
pub fn key_of<'py>(
    op: u8,
    x: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    axes: &Bound<'py, PyAny>,
    norm: &Bound<'py, PyAny>,
    workers: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let py = x.py();
    if !tensors(py)?.is_some_and(|tensors| x.get_type().is(tensors)) {
        return Ok(None);
    }
    let Some(signature) = signature_of_tensor(x, false)? else {
        return Ok(None);
    };
    let fixed = |given: &Bound<'py, PyAny>| match given.cast::<PyList>() {
        Ok(list) => list.to_tuple().into_any(),
        Err(_) => given.clone(),
    };
    let all = (op, fixed(lengths), fixed(axes), norm, workers, signature);
    all.into_pyobject(py).map(Some)
}

/// A call that was made before, made again.
pub fn again<'py>(
    op: u8,
    x: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    axes: &Bound<'py, PyAny>,
    norm: &Bound<'py, PyAny>,
    workers: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(key) = key_of(op, x, lengths, axes, norm, workers)? else {
        return Ok(None);
    };
    // What has no hash is no frequent argument.
    match kept(x.py()).get_item(key).unwrap_or_default() {
        Some(call) => call.cast::<Kept>()?.get().__call__(x).map(Some),
        None => Ok(None),
    }
}

/// A call of an array into a new one, without its arguments.
#[pyclass(frozen, module = "mmafft._core")]
pub struct Kept {
    prepared: Py<Prepared>,
    /// What makes the result's array.
    empty: Py<PyAny>,
    /// What makes scratch; `None` where there is none.
    scratch: Option<Py<PyAny>>,
    /// What tells the library's current stream; `None` on the CPU.
    stream: Option<Py<PyAny>>,
    /// Whether arrays are tensors of PyTorch; else they are CuPy's.
    tensors: bool,
}

impl Kept {
    fn address(&self, x: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = x.py();
        match self.tensors {
            true => x.call_method0(intern!(py, "data_ptr"))?.extract(),
            false => {
                let data = x.getattr(intern!(py, "data"))?;
                data.getattr(intern!(py, "ptr"))?.extract()
            }
        }
    }
}

#[pymethods]
impl Kept {
    #[new]
    #[pyo3(signature = (prepared, empty, scratch, stream, tensors))]
    fn new(
        prepared: Py<Prepared>,
        empty: Py<PyAny>,
        scratch: Option<Py<PyAny>>,
        stream: Option<Py<PyAny>>,
        tensors: bool,
    ) -> Self {
        Kept {
            prepared,
            empty,
            scratch,
            stream,
            tensors,
        }
    }

    fn __call__<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = x.py();
        let made = |by: &Py<PyAny>| by.bind(py).call0();
        let out = made(&self.empty)?;
        // It may be another's as soon as the call is queued, as its library keeps the order of the stream.
        let scratch = self.scratch.as_ref().map(made).transpose()?;
        let at = scratch.map_or(Ok(0), |scratch| self.address(&scratch))?;
        let stream = self.stream.as_ref().map(made).transpose()?;
        let stream = stream.map_or(Ok(0), |stream| stream.extract())?;
        let (from, to) = (self.address(x)?, self.address(&out)?);
        self.prepared.get().run(py, from, to, stream, at as u64)?;
        Ok(out)
    }
}
