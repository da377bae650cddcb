//! A plan: what cuFFT's handles stand for.

use crate::status::{say, Result, Status};
use crate::{device, real};
use mmafft::{Buffer, Direction, Kind, PlanCache, Precision, Request, Shape, Slot, Stream};
use mmafft_guru::{Embedded, Problem, Runs};
use std::collections::BTreeMap;
use std::ffi::{c_int, CStr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The properties of plans: patience in compiling, and threads of the host for that.
const PROPERTIES: [c_int; 2] = [1, 2];

/// What is transformed into what, and in which precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct What {
    pub kind: Kind,
    pub precision: Precision,
}

impl What {
    /// By a `cufftType`.
    pub fn of_type(number: c_int) -> Result<Self> {
        let (kind, precision) = match number {
            0x29 => (Kind::C2C, Precision::F32),
            0x2a => (Kind::R2C, Precision::F32),
            0x2c => (Kind::C2R, Precision::F32),
            0x69 => (Kind::C2C, Precision::F64),
            0x6a => (Kind::R2C, Precision::F64),
            0x6c => (Kind::C2R, Precision::F64),
            _ => return Err(Status::InvalidType),
        };
        Ok(What { kind, precision })
    }

    /// By the `cudaDataType`s of input, output and execution.
    pub fn of_data([input, output, execution]: [c_int; 3]) -> Result<Self> {
        // Real and complex numbers of each precision.
        const TYPES: [(c_int, c_int, Precision); 4] = [
            (0, 4, Precision::F32),
            (1, 5, Precision::F64),
            (2, 6, Precision::F16),
            (14, 15, Precision::Bf16),
        ];
        for (real, complex, precision) in TYPES {
            let kind = match (input, output) {
                (i, o) if (i, o) == (complex, complex) => Kind::C2C,
                (i, o) if (i, o) == (real, complex) => Kind::R2C,
                (i, o) if (i, o) == (complex, real) => Kind::C2R,
                _ => continue,
            };
            return match execution == complex || execution == real {
                true => Ok(What { kind, precision }),
                false => Err(Status::InvalidType),
            };
        }
        Err(Status::InvalidType)
    }

    fn request(self, direction: Direction) -> Request {
        let none = Shape::new(&[]);
        let request = match (self.kind, direction) {
            (Kind::C2C, Direction::Inverse) => Request::backward(none),
            (Kind::C2C, Direction::Forward) => Request::forward(none),
            (kind, _) => Request::of_kind(kind, none),
        };
        request.precision(self.precision)
    }
}

/// The arrays of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrays {
    pub n: Vec<i64>,
    /// The larger arrays that these are parts of, strides and distances; by default there are no gaps.
    pub embedded: Option<[(Vec<i64>, i64, i64); 2]>,
    pub batch: i64,
}

impl Arrays {
    /// Without gaps.
    pub fn dense(n: &[c_int], batch: c_int) -> Self {
        Arrays {
            n: n.iter().map(|&n| n.into()).collect(),
            embedded: None,
            batch: batch.into(),
        }
    }

    /// The problem in one direction and placement.
    fn problem(&self, what: What, direction: Direction, in_place: bool) -> Result<Problem> {
        if self.batch < 1 || !(1..=3).contains(&self.n.len()) || self.n.iter().any(|&n| n < 1) {
            return Err(Status::InvalidSize);
        }
        let points = self
            .n
            .iter()
            .try_fold(1i64, |points, &n| points.checked_mul(n));
        let [input, output] = self.n.last().map_or([1, 1], |&n| {
            let lengths = what.kind.lengths(n as usize).map(|n| n as i64);
            match what.kind {
                // Rows in place leave room for their half spectra.
                Kind::R2C if in_place => [2 * lengths[1], lengths[1]],
                Kind::C2R if in_place => [lengths[0], 2 * lengths[0]],
                _ => lengths,
            }
        });
        let last = self.n.last().copied().unwrap_or(1);
        let rows = points.ok_or(Status::InvalidSize)? / last;
        let distance = |row: i64| rows.checked_mul(row).ok_or(Status::InvalidSize);
        let embedded = match &self.embedded {
            None => Embedded {
                n: &self.n,
                howmany: self.batch,
                embed: [None; 2],
                strides: [1; 2],
                distances: [distance(input)?, distance(output)?],
            },
            Some([from, to]) => Embedded {
                n: &self.n,
                howmany: self.batch,
                embed: [Some(&from.0), Some(&to.0)],
                strides: [from.1, to.1],
                distances: [from.2, to.2],
            },
        };
        let problem = embedded.problem(what.request(direction), in_place);
        problem.ok_or(Status::InvalidSize)
    }

    /// The runs in one direction and placement.
    fn runs(
        &self,
        what: What,
        direction: Direction,
        in_place: bool,
        cache: &PlanCache,
    ) -> Result<Runs> {
        let problem = self.problem(what, direction, in_place)?;
        let runs = Runs::new(&problem, in_place, cache)?;
        match runs.copies() {
            // The copies would be of the host's memory.
            true => Err(Status::NotSupported),
            false => Ok(runs),
        }
    }

    /// The most scratch that any direction and placement needs, of which one is prepared.
    fn work_bytes(&self, what: What, prepared: &Runs, cache: &PlanCache) -> usize {
        let own = prepared.scratch_bytes();
        let planned = prepared
            .transform()
            .map_or(0, |fft| fft.plan().scratch_bytes);
        let directions = [Direction::Forward, Direction::Inverse];
        let all = directions
            .into_iter()
            .flat_map(|direction| [(direction, false), (direction, true)]);
        let other = all.filter_map(|(direction, in_place)| {
            let problem = self.problem(what, direction, in_place).ok()?;
            Runs::planned_scratch(&problem, in_place, cache.planner())
        });
        // What a device needs beside a plan's scratch is about the same for all.
        other.max().unwrap_or(0).max(planned) + own.saturating_sub(planned)
    }
}

/// What was made of a plan.
struct Made {
    what: What,
    arrays: Arrays,
    cache: Arc<PlanCache>,
    /// By direction and placement, when they are first wanted.
    runs: BTreeMap<(bool, bool), Arc<Runs>>,
    work_bytes: usize,
}

impl Made {
    fn runs(&mut self, direction: Direction, in_place: bool) -> Result<Arc<Runs>> {
        let key = (
            direction == Direction::Inverse && self.what.kind == Kind::C2C,
            in_place,
        );
        if let Some(runs) = self.runs.get(&key) {
            return Ok(runs.clone());
        }
        let runs = self
            .arrays
            .runs(self.what, direction, in_place, &self.cache)?;
        say(|| runs.explain());
        let runs = Arc::new(runs);
        self.runs.insert(key, runs.clone());
        Ok(runs)
    }
}

/// What a handle stands for.
#[derive(Default)]
pub struct Plan {
    made: Option<Made>,
    /// The handle of NVIDIA's library that has the plan in this one's place.
    theirs: Option<c_int>,
    /// Whether the caller wants memory to be allocated.
    allocates: Option<c_int>,
    /// The caller's stream, as a number.
    stream: u64,
    work_area: Option<u64>,
    /// The library's own work area, while no stream has it: as long as the plan, which graphs may have recorded.
    own: Option<Buffer>,
    /// Whether a stream has it.
    lends_own: bool,
    /// The stream with a work area lent to it, once something runs. A stream's own scratch would be waited for in the end, when
    /// the stream's owner may have destroyed it.
    bound: Option<Stream>,
    /// What the caller has set, which nothing here depends on.
    properties: BTreeMap<c_int, i64>,
}

/// Plans by their handles.
static PLANS: Mutex<BTreeMap<c_int, Arc<Mutex<Plan>>>> = Mutex::new(BTreeMap::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new handle.
pub fn create() -> Result<c_int> {
    let mut plans = locked(&PLANS);
    let last = plans.last_key_value().map_or(0, |(&last, _)| last);
    let next = match last < c_int::MAX {
        true => Some(last + 1),
        false => (1..c_int::MAX).find(|number| !plans.contains_key(number)),
    };
    let handle = next.ok_or(Status::AllocFailed)?;
    plans.insert(handle, Arc::default());
    Ok(handle)
}

/// Gives a handle back.
pub fn destroy(handle: c_int) -> Result<()> {
    let plan = locked(&PLANS).remove(&handle);
    // What runs is waited for where its scratch is the library's: not while others look for their plans.
    let plan = plan.ok_or(Status::InvalidPlan)?;
    let theirs = locked(&plan).theirs;
    match theirs {
        Some(theirs) => call_theirs(c"cufftDestroy", theirs, 0),
        None => Ok(()),
    }
}

/// Calls a function of NVIDIA's library that takes a plan and one thing more.
fn call_theirs(name: &CStr, theirs: c_int, argument: usize) -> Result<()> {
    // SAFETY: the functions that this file names are such.
    let status = unsafe { real::call(name, [real::number(theirs), argument, 0, 0, 0, 0]) };
    Status::of_theirs(status)
}

/// The handle of NVIDIA's library that has a plan, if that is so.
pub fn theirs(handle: c_int) -> Option<c_int> {
    match real::is_there() {
        true => with(handle, |plan| Ok(plan.theirs)).ok().flatten(),
        false => None,
    }
}

/// Gives a plan that is not made yet to NVIDIA's library, where there is one, with what was set of it.
pub fn give_away(handle: c_int) -> Result<c_int> {
    with(handle, |plan| {
        if let Some(theirs) = plan.theirs {
            return Ok(theirs);
        }
        if plan.made.is_some() || !real::is_there() {
            return Err(Status::NotSupported);
        }
        let mut theirs: c_int = 0;
        let place = (&raw mut theirs).expose_provenance();
        // SAFETY: the function writes a handle.
        Status::of_theirs(unsafe { real::call(c"cufftCreate", [place, 0, 0, 0, 0, 0]) })?;
        plan.theirs = Some(theirs);
        if let Some(allocates) = plan.allocates {
            call_theirs(c"cufftSetAutoAllocation", theirs, real::number(allocates))?;
        }
        if plan.stream != 0 {
            call_theirs(c"cufftSetStream", theirs, plan.stream as usize)?;
        }
        if let Some(area) = plan.work_area {
            call_theirs(c"cufftSetWorkArea", theirs, area as usize)?;
        }
        Ok(theirs)
    })
}

/// Does something with a plan.
pub fn with<R>(handle: c_int, work: impl FnOnce(&mut Plan) -> Result<R>) -> Result<R> {
    let plan = locked(&PLANS).get(&handle).cloned();
    let plan = plan.ok_or(Status::InvalidPlan)?;
    let mut plan = locked(&plan);
    work(&mut plan)
}

impl Plan {
    /// Plans; returns the bytes of its work area.
    pub fn make(&mut self, what: What, arrays: Arrays) -> Result<usize> {
        if self.made.is_some() {
            return Err(Status::InvalidPlan);
        }
        let mut made = Made {
            what,
            arrays,
            cache: device::cache()?,
            runs: BTreeMap::new(),
            work_bytes: 0,
        };
        let forward = made.runs(Direction::Forward, false)?;
        made.work_bytes = made.arrays.work_bytes(what, &forward, &made.cache);
        let bytes = made.work_bytes;
        self.made = Some(made);
        Ok(bytes)
    }

    /// The bytes of its work area.
    pub fn work_bytes(&self) -> Result<usize> {
        let made = self.made.as_ref().ok_or(Status::InvalidPlan)?;
        Ok(made.work_bytes)
    }

    pub fn set_allocates(&mut self, allocates: c_int) -> Result<()> {
        self.allocates = Some(allocates);
        Ok(())
    }

    pub fn set_stream(&mut self, stream: u64) -> Result<()> {
        if self.stream != stream {
            self.unbind();
            self.stream = stream;
        }
        Ok(())
    }

    /// Takes the work area back from the stream.
    fn unbind(&mut self) {
        // SAFETY: runs of a plan on several streams are the caller's to order, as with cuFFT.
        let lent = self
            .bound
            .take()
            .and_then(|stream| unsafe { stream.take_back() });
        if self.lends_own {
            self.own = lent;
        }
        self.lends_own = false;
    }

    pub fn set_work_area(&mut self, area: u64) -> Result<()> {
        let area = Some(area).filter(|&area| area != 0);
        if self.work_area != area {
            self.unbind();
            self.work_area = area;
        }
        Ok(())
    }

    /// Sets a property, or forgets it.
    pub fn set_property(&mut self, property: c_int, value: Option<i64>) -> Result<()> {
        if !PROPERTIES.contains(&property) {
            return Err(Status::NotSupported);
        }
        match value {
            Some(value) => self.properties.insert(property, value),
            None => self.properties.remove(&property),
        };
        Ok(())
    }

    pub fn property(&self, property: c_int) -> Result<i64> {
        match PROPERTIES.contains(&property) {
            true => Ok(self.properties.get(&property).copied().unwrap_or(0)),
            false => Err(Status::NotSupported),
        }
    }

    /// Runs, of one kind and precision where the call says so.
    ///
    /// # Safety
    /// Both are memory of the device, of all of the plan's elements, until the work is done, and the stream and the work
    /// area live until then.
    pub unsafe fn execute(
        &mut self,
        wanted: Option<What>,
        direction: c_int,
        input: u64,
        output: u64,
    ) -> Result<()> {
        let made = self.made.as_mut().ok_or(Status::InvalidPlan)?;
        if wanted.is_some_and(|wanted| wanted != made.what) {
            return Err(Status::InvalidType);
        }
        let direction = match (made.what.kind, direction) {
            (Kind::C2C, 1) => Direction::Inverse,
            (Kind::C2C, -1) => Direction::Forward,
            (Kind::C2C, _) => return Err(Status::InvalidValue),
            _ => Direction::Forward,
        };
        if input == 0 || output == 0 {
            return Err(Status::InvalidValue);
        }
        let runs = made.runs(direction, input == output)?;
        let stream = match &self.bound {
            Some(stream) => stream,
            None => {
                let (planner, bytes) = (made.cache.planner(), made.work_bytes);
                // SAFETY: by this function's contract.
                let stream = unsafe { planner.stream_from_raw(self.stream)? };
                let area = match self.work_area.zip(runs.transform()) {
                    _ if bytes == 0 => None,
                    // SAFETY: as above.
                    Some((area, fft)) => {
                        Some(unsafe { fft.buffer_from_raw(Slot::Scratch, area, bytes)? })
                    }
                    None => {
                        self.lends_own = true;
                        Some(match self.own.take() {
                            Some(own) => own,
                            None => planner.allocate_scratch(bytes)?,
                        })
                    }
                };
                let stream = match area {
                    Some(area) => stream.lend(area),
                    None => stream,
                };
                self.bound.insert(stream)
            }
        };
        // SAFETY: by this function's contract.
        unsafe { runs.run_on(stream, input, output)? };
        Ok(())
    }
}

/// The bytes of a work area, without a plan.
pub fn estimate(what: What, arrays: &Arrays) -> Result<usize> {
    let cache = device::cache()?;
    let runs = arrays.runs(what, Direction::Forward, false, &cache)?;
    Ok(arrays.work_bytes(what, &runs, &cache))
}
