//! One call: from arrays and axes to a request, and its run.

use crate::arrays::Sides;
use crate::devices::{plans, Device};
use crate::exception;
use crate::memo::{self, Key};
use crate::request::{laid_out, Dim};
use crate::state::{find, state};
use mmafft::{
    Direction, Domain, Effort, Kind, Normalization, Precision, Request, Shape, Transform,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// Fewer points than this are transformed by the calling thread: others would take as long to wake.
const SHARED_POINTS: usize = 1 << 15;

/// Fewer points than this keep the interpreter's lock: a run is shorter than handing it over.
const LOCKED_POINTS: usize = 1 << 11;

/// The operations, by the numbers that `_call.py` has for them.
const OPERATIONS: [(Kind, Direction); 12] = [
    (Kind::C2C, Direction::Forward),
    (Kind::C2C, Direction::Inverse),
    (Kind::R2C, Direction::Forward),
    (Kind::C2R, Direction::Inverse),
    (Kind::Dct1, Direction::Forward),
    (Kind::Dct2, Direction::Forward),
    (Kind::Dct3, Direction::Forward),
    (Kind::Dct4, Direction::Forward),
    (Kind::Dst1, Direction::Forward),
    (Kind::Dst2, Direction::Forward),
    (Kind::Dst3, Direction::Forward),
    (Kind::Dst4, Direction::Forward),
];

/// The bit of an operation's number by which it is scaled as an inverse.
const INVERSE: u8 = 64;

/// What is transformed into what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    kind: Kind,
    direction: Direction,
    counts_forward: bool,
}

/// What a call may say beside arrays, axes and lengths.
#[derive(Debug, Clone)]
pub struct Options {
    pub normalization: Normalization,
    pub precision: Precision,
    pub workers: usize,
    /// `(axis, start, end)`: what of the input is not zero.
    pub nonzero: Vec<(usize, usize, usize)>,
    /// `(axis, start, end)`: what of the output is wanted.
    pub wanted: Vec<(usize, usize, usize)>,
    pub effort: Option<Effort>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            normalization: Normalization::None,
            precision: Precision::F64,
            workers: 1,
            nonzero: Vec::new(),
            wanted: Vec::new(),
            effort: None,
        }
    }
}

/// The effort of this name.
pub fn effort(name: &str) -> PyResult<Effort> {
    Effort::from_name(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "no effort is called {name:?}: expected estimate, measure or patient"
        ))
    })
}

/// The scale that `norm` means, as SciPy numbers them; `None` where there is no such.
pub fn scale_of(norm: &Bound<'_, PyAny>, forward: bool) -> PyResult<Option<u8>> {
    let backward = if forward { 0 } else { 2 };
    if norm.is_none() {
        return Ok(Some(backward));
    }
    let Ok(norm) = norm.cast::<PyString>() else {
        return Ok(None);
    };
    Ok(match norm.to_str()? {
        "backward" => Some(backward),
        "ortho" => Some(1),
        "forward" => Some(2 - backward),
        _ => None,
    })
}

impl Call {
    /// The operation of this number.
    pub fn new(op: u8) -> Option<Self> {
        let &(kind, direction) = OPERATIONS.get(usize::from(op & !INVERSE))?;
        Some(Call {
            kind,
            direction,
            counts_forward: direction == Direction::Forward && op & INVERSE == 0,
        })
    }

    /// Whether `norm` counts it as a forward transform.
    pub fn counts_forward(self) -> bool {
        self.counts_forward
    }

    pub fn input(self) -> Domain {
        self.kind.row().input
    }

    pub fn output(self) -> Domain {
        self.kind.row().output
    }

    /// Bytes an element of input and output.
    pub fn items(self, precision: Precision) -> [usize; 2] {
        let scalar = precision.row().storage.bytes();
        [
            scalar * self.input().scalars(),
            scalar * self.output().scalars(),
        ]
    }

    /// The length that an input of `n` points along the last axis is transformed to where no other is asked for.
    pub fn default_length(self, n: usize) -> usize {
        match self.kind {
            Kind::C2R => n.saturating_sub(1).saturating_mul(2),
            _ => n,
        }
    }

    pub fn is_long_enough(self, length: usize) -> bool {
        length > usize::from(self.kind == Kind::Dct1)
    }

    /// What makes the half of its output that tells the rest, where its input is real.
    pub fn of_half(self) -> Option<Self> {
        (self.kind == Kind::C2C).then_some(Call {
            kind: Kind::R2C,
            direction: Direction::Forward,
            counts_forward: self.counts_forward,
        })
    }

    pub fn is_inverse(self) -> bool {
        self.direction == Direction::Inverse
    }

    /// The output's length along an axis, the last one listed or another.
    pub fn output_length_of(self, last: bool, length: usize) -> usize {
        self.kind_along(last).lengths(length)[1]
    }

    pub fn kind_along(self, last: bool) -> Kind {
        match last || self.kind.row().input == self.kind.row().output {
            true => self.kind,
            false => Kind::C2C,
        }
    }

    /// Runs it, without the interpreter's lock where that pays.
    pub fn run(
        self,
        py: Python<'_>,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
    ) -> PyResult<()> {
        let key = Key::new(self, sides, axes, lengths, options);
        if let Some((fft, bytes)) = key.as_ref().and_then(memo::find) {
            // Its points are few.
            return Memory::new(sides, bytes).run(&fft).map_err(exception);
        }
        let asked = self.request(sides, axes, lengths, options)?;
        let workers = asked.workers(options.workers);
        let fft = find(py, state().cache(workers), &asked.request)?;
        let memory = Memory::new(sides, asked.bytes);
        if asked.is_short() {
            memo::keep(key, &fft, asked.bytes);
            return memory.run(&fft).map_err(exception);
        }
        let run = || memory.run_by(workers, &fft);
        py.detach(run).map_err(exception)
    }

    /// The transform of a call, on the CPU or on a device.
    pub fn transform(
        self,
        py: Python<'_>,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
        device: Option<&Device>,
    ) -> PyResult<Arc<Transform>> {
        let asked = self.request(sides, axes, lengths, options)?;
        match device {
            Some(device) => find(py, &*plans(py, device)?, &asked.request),
            None => {
                let workers = asked.workers(options.workers);
                find(py, state().cache(workers), &asked.request)
            }
        }
    }

    /// The request of a call, and the memory that it is about.
    pub fn request(
        self,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
    ) -> PyResult<Asked> {
        let (input, output) = (&sides.input, &sides.output);
        if [input.item, output.item] != sides.items {
            return Err(PyValueError::new_err(format!(
                "elements of {} and {} bytes: expected {} and {}",
                input.item, output.item, sides.items[0], sides.items[1]
            )));
        }
        let rank = input.shape.len();
        if output.shape.len() != rank || axes.len() != lengths.len() || axes.is_empty() {
            return Err(PyValueError::new_err(
                "input, output, axes and lengths do not have the same rank",
            ));
        }
        if let Some(axis) = axes.iter().find(|&&axis| axis >= rank) {
            return Err(PyValueError::new_err(format!(
                "axis {axis} of an array of rank {rank}"
            )));
        }
        let mut dims = Vec::with_capacity(rank);
        for axis in 0..rank {
            let place = axes.iter().position(|&a| a == axis);
            dims.push(Dim::new(
                self,
                sides,
                axis,
                place,
                axes.len(),
                lengths,
                options,
            )?);
        }
        let extent = |side: usize, item: usize| {
            let steps = dims.iter().map(|d| (d.ends[side] - 1) * d.strides[side]);
            (steps.sum::<usize>() + 1) * item
        };
        let bytes = [extent(0, input.item), extent(1, output.item)];
        let points = dims.iter().map(|d| d.length).product();
        let request = laid_out(self.directed(), dims, axes.len(), options, sides.in_place());
        Ok(Asked {
            request,
            points,
            bytes,
        })
    }

    /// The request of this kind, without a shape yet.
    fn directed(self) -> Request {
        let none = Shape::new(&[]);
        match (self.kind, self.direction) {
            (Kind::C2C, Direction::Forward) => Request::forward(none),
            (Kind::C2C, Direction::Inverse) => Request::backward(none),
            (kind, _) => Request::of_kind(kind, none),
        }
    }
}

/// A request, its points, and the bytes that both arrays extend over.
pub struct Asked {
    pub request: Request,
    points: usize,
    pub bytes: [usize; 2],
}

impl Asked {
    /// Whether it keeps the interpreter's lock.
    pub fn is_short(&self) -> bool {
        self.points < LOCKED_POINTS
    }

    pub fn workers(&self, asked: usize) -> usize {
        match self.points < SHARED_POINTS {
            true => 1,
            false => asked,
        }
    }
}

/// The memory of a call: addresses and bytes; no input where it is in place.
pub struct Memory {
    pub input: Option<(usize, usize)>,
    pub output: (usize, usize),
}

impl Memory {
    pub fn new(sides: &Sides, bytes: [usize; 2]) -> Self {
        Memory {
            input: (!sides.in_place()).then_some((sides.input.address, bytes[0])),
            output: (sides.output.address, bytes[1]),
        }
    }

    /// Runs a transform, with the threads of calls that have several workers.
    pub fn run_by(&self, workers: usize, fft: &Transform) -> mmafft::Result<()> {
        match (workers > 1).then(|| state().pool()).flatten() {
            Some(pool) => pool.install(|| self.run(fft)),
            None => self.run(fft),
        }
    }

    pub fn run(&self, fft: &Transform) -> mmafft::Result<()> {
        let (address, bytes) = self.output;
        // SAFETY: both are extents of arrays that the caller holds. They overlap only where they are the same, and no
        // element outside of the arrays' own is read or written.
        let output = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes) };
        match self.input {
            Some((address, bytes)) => {
                // SAFETY: as above.
                let input = unsafe { std::slice::from_raw_parts(address as *const u8, bytes) };
                fft.process_bytes(input, output)
            }
            None => fft.process_bytes_in_place(output),
        }
    }
}
