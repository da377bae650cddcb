//! Transforms of arrays that other libraries hold, on their device and in their stream.

use crate::arrays::Sides;
use crate::call::{Call, Memory, Options};
use crate::exception;
use crate::state::{self, state};
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

/// Where a call runs: a device, and a stream of another library.
pub struct Place {
    pub device: Device,
    pub stream: u64,
}

impl Call {
    /// Enqueues it. `allocate` gives the address of so many bytes of scratch, which stay until it has returned, and then
    /// as long as their library's allocator keeps the order of the stream.
    #[allow(clippy::too_many_arguments)] // as the other ways to run a call
    pub fn enqueue(
        self,
        py: Python<'_>,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
        place: &Place,
        allocate: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let asked = self.request(sides, axes, lengths, options)?;
        let cache = plans(py, &place.device)?;
        let fft = state::find(py, &cache, &asked.request)?;
        let scratch = match fft.scratch_bytes() {
            0 => None,
            bytes => Some((allocate.call1((bytes,))?.extract::<u64>()?, bytes)),
        };
        let memory = Memory::new(sides, asked.bytes);
        let run = || memory.enqueue(&cache, &fft, place, scratch);
        py.detach(run).map_err(exception)
    }
}

impl Memory {
    /// Enqueues a transform of this memory, which is a device's, with scratch there.
    pub fn enqueue(
        &self,
        cache: &PlanCache,
        fft: &Transform,
        place: &Place,
        scratch: Option<(u64, usize)>,
    ) -> mmafft::Result<()> {
        // SAFETY: the caller has said whose stream it is, and holds it. The memory is extents of arrays, and of scratch,
        // that the caller holds, on this device, and whose library orders them in the stream. They overlap only where
        // they are the same, and nothing outside of the arrays' own elements is read or written.
        let (stream, input, mut output, scratch) = unsafe {
            let buffer = |side, (address, bytes)| fft.buffer_from_raw(side, address as u64, bytes);
            (
                cache.planner().stream_from_raw(place.stream)?,
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
