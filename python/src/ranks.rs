//! One transform over many ranks, for `mmafft.distributed`.

use crate::devices::Device;
use crate::{exception, precision};
use mmafft::ranks::{
    Communicator, DistributedTransform, Group, Messages, Part, Shared, Spread, Station, Wanted,
};
use mmafft::{
    AnyBackend, CpuBackend, CpuOptions, Error, Kind, Normalization, Planner, Request, Shape,
};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What may wait for other ranks when it is dropped: without the interpreter's lock, which a rank of the same process may
/// want meanwhile.
struct Waiting<T: Send>(Option<T>);

impl<T: Send> Deref for Waiting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // It is there until it is dropped.
        self.0.as_ref().expect("what is not dropped")
    }
}

impl<T: Send> Drop for Waiting<T> {
    fn drop(&mut self) {
        let inner = self.0.take();
        Python::attach(|py| py.detach(|| drop(inner)));
    }
}

thread_local! {
    /// What a caller's function raised, in this thread's call.
    static CAUSE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// An error as an exception, because of what a caller's function raised if it did.
fn because(py: Python<'_>, error: Error) -> PyErr {
    let exception = exception(error);
    if let Some(cause) = CAUSE.take() {
        // What a user has stopped stops here.
        if cause.is_instance_of::<PyKeyboardInterrupt>(py) {
            return cause;
        }
        exception.set_cause(py, Some(cause));
    }
    exception
}

/// A rank's end of what joins ranks, and the device that they are joined on.
#[pyclass(frozen, name = "Group")]
pub struct PyGroup {
    group: Waiting<Group>,
    backend: Option<AnyBackend>,
}

fn seconds(patience: f64) -> PyResult<Duration> {
    let patience = Duration::try_from_secs_f64(patience);
    patience.map_err(|error| PyValueError::new_err(format!("patience: {error}")))
}

fn backend((name, number): &Device) -> mmafft::Result<AnyBackend> {
    AnyBackend::numbered(name, *number)
}

#[pymethods]
impl PyGroup {
    /// The processes of an MPI communicator by its handle, or all that mpiexec started.
    #[staticmethod]
    fn mpi(py: Python<'_>, communicator: Option<u64>, patience: f64) -> PyResult<PyGroup> {
        let patience = seconds(patience)?;
        let joined = py.detach(|| match communicator {
            None => Group::mpi(),
            // SAFETY: the caller's module has read the handle out of a communicator of mpi4py's, which is open.
            Some(handle) => unsafe { Group::mpi_from_raw(handle) },
        });
        PyGroup::of(joined, None, patience)
    }

    /// Ranks that are threads.
    #[staticmethod]
    fn threads(ranks: usize, patience: f64) -> PyResult<Vec<PyGroup>> {
        let patience = seconds(patience)?;
        let all = Group::threads(ranks).map_err(exception)?.into_iter();
        all.map(|group| PyGroup::of(Ok(group), None, patience))
            .collect()
    }

    /// An identifier of ranks that NCCL is to join.
    #[staticmethod]
    fn nccl_id(py: Python<'_>, device: Device) -> PyResult<Vec<u8>> {
        let id = py.detach(|| Group::nccl_id(&backend(&device)?));
        Ok(id.map_err(exception)?.to_vec())
    }

    /// One of the ranks of an identifier, on a device.
    #[staticmethod]
    fn nccl(
        py: Python<'_>,
        device: Device,
        id: Vec<u8>,
        rank: usize,
        ranks: usize,
        patience: f64,
    ) -> PyResult<PyGroup> {
        let patience = seconds(patience)?;
        let id: [u8; 128] = id
            .try_into()
            .map_err(|_| PyValueError::new_err("an identifier has 128 bytes"))?;
        let (joined, backend) = py
            .detach(|| {
                let backend = backend(&device)?;
                Ok((Group::nccl(&backend, &id, rank, ranks), backend))
            })
            .map_err(exception)?;
        PyGroup::of(joined, Some(backend), patience)
    }

    /// Ranks that these joins: `agree(bytes, seconds)` gives the bytes of all, `exchange(sent, to, received, from, seconds)`
    /// moves bytes between addresses.
    #[staticmethod]
    fn joined(
        place: (usize, usize),
        engine: String,
        agree: Py<PyAny>,
        exchange: Py<PyAny>,
        patience: f64,
    ) -> PyResult<PyGroup> {
        let patience = seconds(patience)?;
        let station = Station {
            rank: place.0,
            ranks: place.1,
            engine,
            bytes_per_second: NETWORK,
        };
        let called = Called {
            station,
            agree,
            exchange,
            lost: Mutex::default(),
        };
        PyGroup::of(Ok(Group::of(called)), None, patience)
    }

    /// This rank's number, how many there are, and what joins them.
    fn station(&self) -> (usize, usize, String) {
        let station = self.group.station();
        (station.rank, station.ranks, station.engine.clone())
    }
}

impl PyGroup {
    fn of(
        joined: mmafft::Result<Group>,
        backend: Option<AnyBackend>,
        patience: Duration,
    ) -> PyResult<PyGroup> {
        let group = joined.map_err(exception)?.patience(patience);
        let group = Waiting(Some(group));
        Ok(PyGroup { group, backend })
    }
}

/// About the bytes a second of what a caller's library sends.
const NETWORK: f64 = 1e9;

/// Ranks that functions of Python join.
struct Called {
    station: Station,
    agree: Py<PyAny>,
    exchange: Py<PyAny>,
    lost: Mutex<Option<Error>>,
}

impl std::fmt::Debug for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Called({:?})", self.station)
    }
}

impl Called {
    /// Calls a function, whose failure ends the group: ranks are no more in step.
    fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> mmafft::Result<T> {
        let lock = || self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lost) = lock().as_ref() {
            return Err(lost.clone());
        }
        let since = Instant::now();
        Python::attach(call).map_err(|cause| {
            CAUSE.set(Some(cause));
            let waited = since.elapsed();
            let lost = Error::Lost { rank: None, waited };
            *lock() = Some(lost.clone());
            lost
        })
    }
}

// SAFETY: the number is the one that `mmafft.distributed` has of its process group, whose collective calls end on no rank
// before all have come; there are no windows.
unsafe impl Communicator for Called {
    fn station(&self) -> &Station {
        &self.station
    }

    fn agree(&self, mine: &[u8], patience: Duration) -> mmafft::Result<Vec<Vec<u8>>> {
        self.call(|py| {
            let mine = PyBytes::new(py, mine);
            let all = self.agree.call1(py, (mine, patience.as_secs_f64()))?;
            let all: Vec<Vec<u8>> = all.extract(py)?;
            match all.len() == self.station.ranks {
                true => Ok(all),
                false => Err(PyValueError::new_err("one for each rank is expected")),
            }
        })
    }

    fn window(&self, _: &AnyBackend, _: &Wanted<'_>, _: Duration) -> mmafft::Result<Shared> {
        let engine = &self.station.engine;
        Ok(Shared::Apart(format!("{engine} carries messages")))
    }

    fn exchange(&self, messages: &mut Messages<'_>, patience: Duration) -> mmafft::Result<()> {
        self.call(|py| {
            let sent = messages.sent.as_ptr() as usize;
            let received = messages.received.as_mut_ptr() as usize;
            let (to, from) = (messages.to.to_vec(), messages.from.to_vec());
            let seconds = patience.as_secs_f64();
            self.exchange
                .call1(py, (sent, to, received, from, seconds))
                .map(drop)
        })
    }
}

/// A spread by its name, an axis, and a grid's counts.
type Named = (String, Vec<usize>);

fn spread(named: Option<Named>) -> PyResult<Option<Spread>> {
    let Some((name, numbers)) = named else {
        return Ok(None);
    };
    Ok(Some(match (name.as_str(), &numbers[..]) {
        ("slab", [axis]) => Spread::slab(*axis),
        ("batch", []) => Spread::batch(),
        ("scrambled", []) => Spread::scrambled(),
        ("grid", counts) => Spread::grid(counts),
        _ => return Err(PyValueError::new_err("no spread has this name")),
    }))
}

/// A transform over ranks.
#[pyclass(frozen)]
pub struct Distributed {
    fft: Waiting<DistributedTransform>,
    planner: Planner,
}

#[pymethods]
impl Distributed {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        group: &PyGroup,
        kind: &str,
        inverse: bool,
        shape: Vec<usize>,
        axes: Vec<usize>,
        norm: &str,
        precision_name: &str,
        spreads: (Option<Named>, Option<Named>),
        workers: usize,
        device: Option<Device>,
    ) -> PyResult<Distributed> {
        let wrong = |what: &str| PyValueError::new_err(format!("no {what} has this name"));
        let kind = Kind::from_name(kind).ok_or_else(|| wrong("kind"))?;
        let mut norms = Normalization::ALL.into_iter();
        let norm = norms.find(|(_, name)| *name == norm);
        let (norm, _) = norm.ok_or_else(|| wrong("norm"))?;
        let shape = Shape::new(&shape);
        let mut request = match inverse {
            true => Request::backward(shape),
            false => Request::of_kind(kind, shape),
        };
        request = request
            .axes(&axes)
            .normalization(norm)
            .precision(precision(precision_name)?);
        let (input, output) = (spread(spreads.0)?, spread(spreads.1)?);
        let built = py.detach(|| {
            let backend = match (&device, &group.backend) {
                (None, Some(joined)) => Ok(joined.clone()),
                (Some(device), _) => backend(device),
                (None, None) => Ok(AnyBackend::Cpu(CpuBackend::new(CpuOptions {
                    threads: workers,
                    ..CpuOptions::default()
                }))),
            };
            // A device that one rank has not is an error on all.
            let planner = Planner::on(group.group.all(backend)?);
            let mut over = planner.over(&group.group);
            if let Some(spread) = input {
                over = over.input(spread);
            }
            if let Some(spread) = output {
                over = over.output(spread);
            }
            let fft = Waiting(Some(over.build(&request)?));
            Ok(Distributed { fft, planner })
        });
        built.map_err(|error| because(py, error))
    }

    fn explain(&self) -> String {
        self.fft.explain()
    }

    fn error_bound(&self) -> f64 {
        self.fft.plan().alone.error_bound
    }

    /// The ranges of this rank's parts, of the input and of the output.
    fn parts(&self) -> [Vec<(usize, usize)>; 2] {
        let (plan, rank) = (self.fft.plan(), self.fft.rank());
        let ranges = |part: Part| part.ranges().iter().map(|r| (r.start, r.end)).collect();
        [
            ranges(plan.input_part(rank)),
            ranges(plan.output_part(rank)),
        ]
    }

    /// Transforms this rank's part, at these addresses; an error of one rank is one of all.
    ///
    /// The caller's module has arrays there, of so many bytes each, that nobody else uses meanwhile.
    fn run(&self, py: Python<'_>, input: (usize, usize), output: (usize, usize)) -> PyResult<()> {
        let run = || {
            let nowhere = std::ptr::NonNull::<u64>::dangling().as_ptr() as usize;
            let at = |(address, bytes): (usize, usize)| if bytes == 0 { nowhere } else { address };
            // SAFETY: by this method's contract, which `mmafft.distributed` keeps.
            let (from, to) = unsafe {
                (
                    std::slice::from_raw_parts(at(input) as *const u8, input.1),
                    std::slice::from_raw_parts_mut(at(output) as *mut u8, output.1),
                )
            };
            self.fft.process_bytes(from, to)
        };
        py.detach(run).map_err(|error| because(py, error))
    }

    /// The same of memory of this rank's device, behind what is in a stream of the caller's library.
    ///
    /// The caller's module has arrays there, apart from each other, that nobody else uses until the run is over.
    fn run_there(
        &self,
        py: Python<'_>,
        input: (u64, usize),
        output: (u64, usize),
        stream: u64,
    ) -> PyResult<()> {
        let run = || {
            // SAFETY: the stream is the library's current one, of this device.
            let before = unsafe { self.planner.stream_from_raw(stream) };
            let before = before.and_then(|stream| stream.synchronize());
            // What this rank cannot do the others learn by a buffer that is none.
            let bytes = if before.is_ok() { input.1 } else { 0 };
            // SAFETY: by this method's contract, which `mmafft.distributed` keeps.
            let run = unsafe { self.fft.run_raw((input.0, bytes), output) };
            before.and(run)
        };
        py.detach(run).map_err(|error| because(py, error))
    }
}
