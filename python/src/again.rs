//! Calls of other libraries' arrays that are like earlier ones: done again without reading their arguments.

use crate::devices::{How, Prepared};
use crate::state::default_workers;
use mmafft::Transform;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple, PyType};
use std::sync::{Arc, Weak};

/// Bytes that accesses of memory are aligned to at most; what begins elsewhere goes another way.
const ALIGNED: usize = 16;
/// The number of the last operation that is no cosine or sine transform.
const LAST_FOURIER: u8 = 3;

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
    // Tensors without memory have neither.
    let begin = x.call_method0(intern!(py, "data_ptr"));
    let Ok(begin) = begin.and_then(|begin| begin.extract::<usize>()) else {
        return Ok(None);
    };
    let Ok(strides) = x.call_method0(intern!(py, "stride")) else {
        return Ok(None);
    };
    let all = (
        x.getattr(intern!(py, "dtype"))?,
        x.getattr(intern!(py, "shape"))?,
        strides,
        x.getattr(intern!(py, "device"))?,
        begin % ALIGNED,
        // Of calls that name none.
        default_workers(),
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

/// An argument that is what it is, a list as a tuple: nothing that equals another type's, or changes.
fn fixed<'py>(given: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let whole = |given: &Bound<'_, PyAny>| given.is_exact_instance_of::<PyInt>();
    if given.is_none() || whole(given) {
        return Some(given.clone());
    }
    let all = match given.cast::<PyList>() {
        Ok(list) => list.to_tuple(),
        Err(_) => given.cast_exact::<PyTuple>().ok()?.clone(),
    };
    let whole = all.iter().all(|given| whole(&given));
    whole.then(|| all.into_any())
}

/// What a call of a tensor is of a transform along one axis, or along `several`; `None` where it is not kept.
#[pyfunction]
pub fn key_of<'py>(
    what: (u8, bool),
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
    let (Some(lengths), Some(axes), Some(workers)) = (fixed(lengths), fixed(axes), fixed(workers))
    else {
        return Ok(None);
    };
    if !norm.is_none() && !norm.is_exact_instance_of::<PyString>() {
        return Ok(None);
    }
    let Some(signature) = signature_of_tensor(x, false)? else {
        return Ok(None);
    };
    let all = (what.0, what.1, lengths, axes, norm, workers, signature);
    all.into_pyobject(py).map(Some)
}

/// A call that was made before, made again.
pub fn again<'py>(
    what: (u8, bool),
    x: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    axes: &Bound<'py, PyAny>,
    norm: &Bound<'py, PyAny>,
    workers: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    // Cosine and sine transforms are kept by other keys, see `_call.py`.
    if what.0 > LAST_FOURIER {
        return Ok(None);
    }
    let Some(key) = key_of(what, x, lengths, axes, norm, workers)? else {
        return Ok(None);
    };
    match kept(x.py()).get_item(key)? {
        Some(call) => call.cast::<Kept>()?.get().__call__(x),
        None => Ok(None),
    }
}

/// A call of an array into a new one, without its arguments.
#[pyclass(frozen, module = "mmafft._core")]
pub struct Kept {
    /// Gone once the cache of plans, which bounds their memory, has let go of it.
    fft: Weak<Transform>,
    how: How,
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
        prepared: &Bound<'_, Prepared>,
        empty: Py<PyAny>,
        scratch: Option<Py<PyAny>>,
        stream: Option<Py<PyAny>>,
        tensors: bool,
    ) -> Self {
        Kept {
            fft: Arc::downgrade(&prepared.get().fft),
            how: prepared.get().how.clone(),
            empty,
            scratch,
            stream,
            tensors,
        }
    }

    /// The result; `None` where the plan is gone.
    fn __call__<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = x.py();
        let Some(fft) = self.fft.upgrade() else {
            return Ok(None);
        };
        let made = |by: &Py<PyAny>| by.bind(py).call0();
        let out = made(&self.empty)?;
        // It may be another's as soon as the call is queued, as its library keeps the order of the stream: not before.
        let scratch = self.scratch.as_ref().map(made).transpose()?;
        let at = scratch.as_ref().map(|scratch| self.address(scratch));
        let at = at.transpose()?.unwrap_or(0);
        let stream = self.stream.as_ref().map(made).transpose()?;
        let stream = stream.map_or(Ok(0), |stream| stream.extract())?;
        let sides = (self.address(x)?, self.address(&out)?);
        self.how.run(py, &fft, sides, stream, at as u64)?;
        Ok(Some(out))
    }
}
