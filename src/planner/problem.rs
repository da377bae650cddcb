//! The request, checked once and with nothing left open.

use mmafft_backend_traits::{
    Domain, Error, Kind, Limits, Placement, Request, Result, ScalarType, Slot, MAX_RANK,
};
use std::ops::Range;

/// A dimension of the problem; the batch is the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Dim {
    /// The array's axis; `None` for the batch.
    pub axis: Option<usize>,
    /// The kind applied along it, if it is transformed.
    pub kind: Option<Kind>,
    /// The logical length (of the real side along a halved axis).
    pub length: usize,
    /// Lengths of the two sides.
    pub lengths: [usize; 2],
    /// Strides of the two sides, in scalars.
    pub strides: [usize; 2],
    /// What is read of the input, and wanted of the output.
    pub ranges: [Range<usize>; 2],
}

/// Index of the input in [`Dim`]'s pairs.
pub const INPUT: usize = 0;
/// Index of the output in [`Dim`]'s pairs.
pub const OUTPUT: usize = 1;

/// A request with every default filled in and every check passed.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The request; its axes are given.
    pub request: Request,
    /// The batch, then the array's dimensions.
    pub dims: Vec<Dim>,
    /// Scalars before the first element of the two sides.
    pub offsets: [usize; 2],
    /// Scalars that the input buffer must have.
    pub input_scalars: usize,
    /// Scalars that the output buffer must have.
    pub output_scalars: usize,
}

impl Problem {
    /// Checks `request` for a device with these limits.
    pub fn new(request: &Request, limits: &Limits) -> Result<Self> {
        let mut request = request.clone();
        let axes = check_shape(&request)?;
        if !limits.precisions.contains(&request.precision) {
            return Err(Error::Unsupported {
                what: format!("precision {}", request.precision.row().name),
                backend: limits.backend.into(),
                instead: "see `mmafft info` for the precisions of each backend".into(),
            });
        }
        check_kinds(&mut request, &axes)?;
        let row = request.kind.row();
        let halved = *axes.last().expect("check_shape wants an axis");
        let in_place = request.placement == Placement::InPlace;
        if in_place && row.input == row.output && request.output == Default::default() {
            request.output = request.input.clone();
        }
        let mut dims = vec![Dim {
            axis: None,
            kind: None,
            length: request.batch,
            lengths: [request.batch; 2],
            strides: [0; 2],
            ranges: [0..request.batch, 0..request.batch],
        }];
        for (axis, &length) in request.shape.dims().iter().enumerate() {
            let kind = request.kind_of(axis);
            let [input, output] = kind.unwrap_or(Kind::C2C).lengths(length);
            dims.push(Dim {
                axis: Some(axis),
                kind,
                length,
                lengths: [input, output],
                strides: [0; 2],
                ranges: [0..input, 0..output],
            });
        }
        let mut problem = Problem {
            dims,
            offsets: [0; 2],
            input_scalars: 0,
            output_scalars: 0,
            request,
        };
        problem.input_scalars = problem.lay_out(INPUT, row.input, halved)?;
        problem.output_scalars = problem.lay_out(OUTPUT, row.output, halved)?;
        if in_place {
            // One buffer holds either side, in whole elements of both.
            let scalars = problem.input_scalars.max(problem.output_scalars);
            let element = row.input.scalars().max(row.output.scalars());
            problem.input_scalars = scalars.next_multiple_of(element);
            problem.output_scalars = problem.input_scalars;
        }
        problem.restrict()?;
        if in_place {
            if let Some(reason) = problem.not_in_place() {
                return Err(Error::NotInPlace { reason });
            }
        }
        Ok(problem)
    }

    /// What a scalar is in memory.
    pub fn storage(&self) -> ScalarType {
        self.request.precision.row().storage
    }

    /// The dimensions that need a trip through memory: those transformed, without complex
    /// ones of a single point, unless there is no other.
    pub fn axes_to_transform(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let transformed = |&i: &usize| self.dims[i].kind.is_some();
        let needed = |&i: &usize| self.dims[i].length > 1 || self.dims[i].kind != Some(Kind::C2C);
        let all = 0..self.dims.len();
        let only = all.clone().filter(transformed).any(|i| needed(&i));
        let first = all.clone().find(transformed);
        all.filter(transformed)
            .filter(move |i| needed(i) || (!only && Some(*i) == first))
    }

    /// Whether half spectra become real arrays.
    pub fn becomes_real(&self) -> bool {
        self.domain(INPUT) == Domain::Complex && self.domain(OUTPUT) == Domain::Real
    }

    /// Whether nothing may lie in the output between passes.
    pub fn only_writes_output(&self) -> bool {
        let request = &self.request;
        request.write_only_output && request.placement == Placement::OutOfPlace
    }

    /// What a point of one side is.
    pub fn domain(&self, side: usize) -> Domain {
        let row = self.request.kind.row();
        [row.input, row.output][side]
    }

    /// Why a run in place would read what it has overwritten; `None` if it would not.
    pub fn not_in_place(&self) -> Option<String> {
        let alike = self.domain(INPUT) == self.domain(OUTPUT);
        let halved = |d: &Dim| !alike && d.kind.is_some_and(|k| k != Kind::C2C);
        let differ = self.offsets[0] != self.offsets[1]
            || self.dims.iter().any(|d| {
                d.lengths[INPUT].max(d.lengths[OUTPUT]) > 1
                    && !halved(d)
                    && d.strides[INPUT] != d.strides[OUTPUT]
            });
        if differ {
            return Some(match alike {
                true => "input and output have different layouts; give both the same".into(),
                false => "input and output rows start at different bytes; a request made with \
                          in_place() and no layouts pads the real rows to 2(n/2+1)"
                    .into(),
            });
        }
        let scattered = self.dims.iter().filter(|d| halved(d)).any(|d| {
            let strides = match self.domain(INPUT) {
                Domain::Real => d.strides,
                Domain::Complex => [d.strides[OUTPUT], d.strides[INPUT]],
            };
            d.length > 1 && strides != [1, 2]
        });
        scattered.then(|| {
            "the halved axis is not contiguous, so that real and complex lines lie across each \
             other; use two buffers"
                .into()
        })
    }

    /// Resolves the layout of one side; returns the scalars that its buffer must have.
    fn lay_out(&mut self, side: usize, domain: Domain, halved: usize) -> Result<usize> {
        let (layout, name) = match side {
            INPUT => (&self.request.input, Slot::Input),
            _ => (&self.request.output, Slot::Output),
        };
        let lengths: Vec<usize> = self.dims[1..].iter().map(|d| d.lengths[side]).collect();
        let last = lengths.len() - 1;
        let padded = self.request.placement == Placement::InPlace
            && domain == Domain::Real
            && self.domain(INPUT) != self.domain(OUTPUT)
            && halved == last;
        let row = match padded {
            true => (lengths[last] / 2 + 1)
                .checked_mul(2)
                .ok_or(Error::Overflow {
                    what: "the padded row".into(),
                })?,
            false => lengths[last],
        };
        // What is only read may overlap: frames of a signal, one array for a whole batch.
        let overlap = side == INPUT && self.request.placement == Placement::OutOfPlace;
        let resolved = layout.resolve(name, self.request.batch, &lengths, row, overlap)?;
        let scalars = domain.scalars();
        for (dim, stride) in self.dims.iter_mut().zip(&resolved.strides) {
            // Strides that are never used may be anything; kept small, they cannot overflow.
            let used = dim.lengths[side] > 1;
            dim.strides[side] = if used { stride * scalars } else { 0 };
        }
        self.offsets[side] = resolved.offset * scalars;
        Ok(resolved.required * scalars)
    }

    /// Checks the zero ranges and takes them over.
    fn restrict(&mut self) -> Result<()> {
        let lists = [&self.request.nonzero_input, &self.request.wanted_output];
        let sides = [INPUT, OUTPUT].into_iter().zip(lists);
        let all = sides.flat_map(|(side, list)| list.iter().enumerate().map(move |r| (side, r)));
        for (side, (i, (axis, range))) in all {
            // A second one would silently take the place of the first.
            if lists[side][..i].iter().any(|(before, _)| before == axis) {
                return Err(Error::AxisRepeated { axis: *axis });
            }
            let rank = self.dims.len() - 1;
            let dim = self.dims[1..].get_mut(*axis);
            let dim = dim.ok_or(Error::AxisOutOfRange { axis: *axis, rank })?;
            let length = dim.lengths[side];
            if range.start >= range.end || range.end > length {
                return Err(Error::ZeroRange {
                    side: [Slot::Input, Slot::Output][side],
                    axis: *axis,
                    start: range.start,
                    end: range.end,
                    length,
                });
            }
            dim.ranges[side] = range.clone();
        }
        for dim in self.dims.iter_mut().filter(|d| d.kind.is_none()) {
            let [nonzero, wanted] = &dim.ranges;
            if wanted.start < nonzero.start || wanted.end > nonzero.end {
                return Err(Error::Unsupported {
                    what: format!(
                        "wanting {}..{} of axis {}, which is not transformed and zero outside \
                         {}..{},",
                        wanted.start,
                        wanted.end,
                        dim.axis.unwrap_or_default(),
                        nonzero.start,
                        nonzero.end
                    ),
                    backend: "the planner".into(),
                    instead: "ask for the part that is not zero with wanted_output".into(),
                });
            }
            dim.ranges[INPUT] = wanted.clone();
        }
        Ok(())
    }
}

/// Fills in the axes, and checks that there is a kind for each of them that it is long enough
/// for.
fn check_kinds(request: &mut Request, axes: &[usize]) -> Result<()> {
    request.axes = Some(axes.to_vec());
    if let Some(kinds) = &request.kinds {
        let other = kinds.iter().find(|kind| !kind.is_real_to_real());
        if let Some(other) = other.filter(|_| kinds.len() > 1) {
            let name = other.row().name;
            return Err(Error::Unsupported {
                what: format!("{name} in a list of kinds"),
                backend: "the planner".into(),
                instead: format!(
                    "list kinds from reals to reals, such as dct2, or give {name} alone, in a request of its own"
                ),
            });
        }
        if kinds.len() != axes.len() {
            return Err(Error::KindCount {
                expected: axes.len(),
                got: kinds.len(),
            });
        }
    }
    // One kind is said in one way.
    *request = request.clone().unified();
    for &axis in axes {
        let length = request.shape.dims()[axis];
        let kind = request.kind_of(axis).unwrap_or(Kind::C2C);
        if kind.logical_length(length) == 0 {
            return Err(Error::TooShort {
                kind: kind.row().name,
                axis,
                expected: length + 1,
                got: length,
            });
        }
    }
    Ok(())
}

/// Checks rank, lengths and axes; returns the axes, defaults filled in.
fn check_shape(request: &Request) -> Result<Vec<usize>> {
    let dims = request.shape.dims();
    let rank = dims.len();
    if rank == 0 || rank > MAX_RANK {
        return Err(Error::Rank {
            got: rank,
            max: MAX_RANK,
        });
    }
    let empty = |what: String| Err(Error::Empty { what });
    if let Some(axis) = dims.iter().position(|&n| n == 0) {
        return empty(format!("the length of dimension {axis}"));
    }
    if request.batch == 0 {
        return empty("the batch".into());
    }
    let axes = request.axes.clone().unwrap_or((0..rank).collect());
    if axes.is_empty() {
        return Err(Error::AxisCount { max: rank });
    }
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return Err(Error::AxisOutOfRange { axis, rank });
        }
        if axes[..i].contains(&axis) {
            return Err(Error::AxisRepeated { axis });
        }
    }
    // Padded rows, logical lengths to four times the axis' on the way, two scalars a point and
    // 8 bytes a scalar must all fit.
    let points = dims
        .iter()
        .try_fold(request.batch, |p, &n| p.checked_mul(n.checked_add(2)?));
    match points.and_then(|p| p.checked_mul(256)) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(axes),
        _ => Err(Error::Overflow {
            what: format!("a batch of {} arrays of {}", request.batch, request.shape),
        }),
    }
}
