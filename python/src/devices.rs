//! Transforms of arrays that other libraries hold, on their device and in their stream.

use crate::arrays::Sides;
use crate::call::{Call, Memory, Options};
use crate::exception;
use crate::state::{find, state};
use mmafft::{AnyBackend, PlanCache, Planner, Slot, Transform};
use pyo3::prelude::*;
use std::sync::Arc;

/// A device: its backend's name, and its number.
pub type Device = (String, usize);

/// The most transforms that a device keeps, and about the bytes of tables: its memory is scarcer than the host's, and
/// its kernels take longer to load.
const KEPT: (usize, usize) = (512, 256 << 20);

/// The plans of a device, which is opened where it is not yet.
pub fn plans(py: Python<'_>, (name, ordinal): &Device) -> PyResult<Arc<PlanCache>> {
    if let Some(there) = state().device(name, *ordinal) {
        return Ok(there);
    }
    let open = || match name.as_str() {
        "cuda" => AnyBackend::cuda(*ordinal),
        _ => AnyBackend::from_name(name),
    };
    let backend = py.detach(open).map_err(exception)?;
    let cache = PlanCache::bounded(Planner::on(backend), KEPT.0, KEPT.1);
    Ok(state().keep_device(name, *ordinal, cache))
}

/// A call of arrays of other libraries, which runs any number of times on as many arrays.
#[pyclass(frozen, module = "mmafft._core")]
pub struct Prepared {
    pub fft: Arc<Transform>,
    pub how: How,
}

/// How a prepared transform runs.
#[derive(Clone)]
pub struct How {
    /// `None` on the CPU.
    cache: Option<Arc<PlanCache>>,
    bytes: [usize; 2],
    in_place: bool,
    workers: usize,
    is_short: bool,
}

impl Prepared {
    /// On a device, or on the CPU.
    pub fn new(
        py: Python<'_>,
        call: Call,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
        device: Option<&Device>,
    ) -> PyResult<Self> {
        let asked = call.request(sides, axes, lengths, options)?;
        let workers = asked.workers(options.workers);
        let cache = device.map(|device| plans(py, device)).transpose()?;
        let fft = match &cache {
            Some(cache) => find(py, cache, &asked.request)?,
            None => find(py, state().cache(workers), &asked.request)?,
        };
        Ok(Prepared {
            fft,
            how: How {
                cache,
                bytes: asked.bytes,
                in_place: sides.in_place(),
                workers,
                is_short: asked.is_short(),
            },
        })
    }
}

impl How {
    /// Transforms the memory at one address into that at another; on a device in a stream, with scratch there.
    pub fn run(
        &self,
        py: Python<'_>,
        fft: &Transform,
        (input, output): (usize, usize),
        stream: u64,
        scratch: u64,
    ) -> PyResult<()> {
        let memory = Memory {
            input: (!self.in_place).then_some((input, self.bytes[0])),
            output: (output, self.bytes[1]),
        };
        let run = || match &self.cache {
            None => memory.run_by(self.workers, fft),
            Some(cache) => {
                let bytes = fft.scratch_bytes();
                let scratch = (bytes > 0).then_some((scratch, bytes));
                memory.enqueue(cache, fft, stream, scratch)
            }
        };
        match self.is_short {
            true => run(),
            false => py.detach(run),
        }
        .map_err(exception)
    }
}

#[pymethods]
impl Prepared {
    /// Bytes of a device's memory that a run is lent.
    #[getter]
    fn scratch_bytes(&self) -> usize {
        let cache = self.how.cache.as_ref();
        cache.map_or(0, |_| self.fft.scratch_bytes())
    }

    /// See [`How::run`].
    fn run(
        &self,
        py: Python<'_>,
        input: usize,
        output: usize,
        stream: u64,
        scratch: u64,
    ) -> PyResult<()> {
        self.how
            .run(py, &self.fft, (input, output), stream, scratch)
    }
}

impl Memory {
    /// Enqueues a transform of this memory, which is a device's, with scratch there.
    pub fn enqueue(
        &self,
        cache: &PlanCache,
        fft: &Transform,
        stream: u64,
        scratch: Option<(u64, usize)>,
    ) -> mmafft::Result<()> {
        // SAFETY: the caller has said whose stream it is, and holds it. The memory is extents of arrays, and of scratch,
        // that the caller holds, on this device, and whose library orders them in the stream. They overlap only where
        // they are the same, and nothing outside of the arrays' own elements is read or written.
        let (stream, input, mut output, scratch) = unsafe {
            let buffer = |side, (address, bytes)| fft.buffer_from_raw(side, address as u64, bytes);
            (
                cache.planner().stream_from_raw(stream)?,
                self.input
                    .map(|memory| buffer(Slot::Input, memory))
                    .transpose()?,
                buffer(Slot::Output, self.output)?,
                scratch
                    .map(|(address, bytes)| fft.buffer_from_raw(Slot::Scratch, address, bytes))
                    .transpose()?,
            )
        };
        let stream = match scratch {
            Some(scratch) => stream.lend(scratch),
            None => stream,
        };
        match input {
            Some(input) => fft.run_on(&stream, &input, &mut output),
            None => fft.run_in_place_on(&stream, &mut output),
        }
    }
}

/// What a device is called, once it is open.
#[pyfunction]
pub fn device_name(py: Python<'_>, name: String, ordinal: usize) -> PyResult<String> {
    let cache = plans(py, &(name, ordinal))?;
    Ok(cache.planner().limits().device.clone())
}
