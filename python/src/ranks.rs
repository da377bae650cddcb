//! One transform over many ranks, for `mmafft.distributed`.

use crate::{exception, precision};
use mmafft::ranks::{DistributedTransform, Group, Part, Spread};
use mmafft::{AnyBackend, CpuBackend, CpuOptions, Kind, Normalization, Planner, Request, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

/// A rank's end of what joins ranks.
#[pyclass(frozen, name = "Group")]
pub struct PyGroup(Group);

fn seconds(patience: f64) -> PyResult<Duration> {
    let patience = Duration::try_from_secs_f64(patience);
    patience.map_err(|error| PyValueError::new_err(format!("patience: {error}")))
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
        Ok(PyGroup(joined.map_err(exception)?.patience(patience)))
    }

    /// Ranks that are threads.
    #[staticmethod]
    fn threads(ranks: usize, patience: f64) -> PyResult<Vec<PyGroup>> {
        let patience = seconds(patience)?;
        let all = Group::threads(ranks).map_err(exception)?.into_iter();
        Ok(all.map(|group| PyGroup(group.patience(patience))).collect())
    }

    /// This rank's number, how many there are, and what joins them.
    fn station(&self) -> (usize, usize, String) {
        let station = self.0.station();
        (station.rank, station.ranks, station.engine.clone())
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
pub struct Distributed(DistributedTransform);

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
            let backend = CpuBackend::new(CpuOptions {
                threads: workers,
                ..CpuOptions::default()
            });
            let planner = Planner::on(AnyBackend::Cpu(backend));
            let mut over = planner.over(&group.0);
            if let Some(spread) = input {
                over = over.input(spread);
            }
            if let Some(spread) = output {
                over = over.output(spread);
            }
            over.build(&request)
        });
        built.map(Distributed).map_err(exception)
    }

    fn explain(&self) -> String {
        self.0.explain()
    }

    fn error_bound(&self) -> f64 {
        self.0.plan().alone.error_bound
    }

    /// The ranges of this rank's parts, of the input and of the output.
    fn parts(&self) -> [Vec<(usize, usize)>; 2] {
        let (plan, rank) = (self.0.plan(), self.0.rank());
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
            self.0.process_bytes(from, to)
        };
        py.detach(run).map_err(exception)
    }
}
