//! A problem, planned: what runs on which addresses.

use crate::copy::{copy, Span, Way};
use crate::direct::Direct;
use crate::problem::{Dim, Problem};
use mmafft::{Domain, Error, PlanCache, Planner, Result, Shape, Slot, Stream, Transform};
use std::sync::Arc;

/// About the bytes that are copied at a time, where a problem can be run in parts: a share of the
/// caches that are faster than memory.
const PART_BYTES: usize = 1 << 20;

/// Copies begin at multiples of this, as vectors are loaded.
const ALIGNMENT: usize = 64;

/// The memory of one side: its real parts, or its interleaved elements, and the imaginary parts of
/// a split side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The first element, or its real part.
    pub real: *mut u8,
    /// The first imaginary part; null of a side that is not split.
    pub imaginary: *mut u8,
}

impl Side {
    /// Memory that is not split. Of an input it is only read.
    pub fn of<T>(address: *const T) -> Self {
        Side {
            real: address.cast_mut().cast(),
            imaginary: std::ptr::null_mut(),
        }
    }

    /// Memory that is split.
    pub fn split<T>(real: *const T, imaginary: *const T) -> Self {
        Side {
            real: real.cast_mut().cast(),
            imaginary: imaginary.cast_mut().cast(),
        }
    }
}

/// A problem, planned for one placement: in place or not.
#[derive(Debug)]
pub struct Runs {
    way: How,
    in_place: bool,
    split: [bool; 2],
    scalar: usize,
}

#[derive(Debug)]
enum How {
    /// No array.
    Nothing,
    /// One run on the caller's memory.
    Direct {
        fft: Arc<Transform>,
        /// Bytes behind the caller's addresses.
        offsets: [isize; 2],
    },
    /// Runs on copies.
    Copied(Copied),
}

#[derive(Debug)]
struct Copied {
    fft: Arc<Transform>,
    /// The loops around the runs, with strides in scalars.
    outer: Vec<Dim>,
    /// The copies of both sides, for real and imaginary parts.
    spans: [Vec<Span>; 2],
    domains: [Domain; 2],
    bytes: [usize; 2],
}

impl Runs {
    /// Plans a problem.
    ///
    /// # Errors
    /// What the planner returns for its kinds and lengths.
    pub fn new(problem: &Problem, in_place: bool, cache: &PlanCache) -> Result<Runs> {
        problem.check()?;
        let way = match problem.is_empty() {
            true => How::Nothing,
            false => How::new(&problem.with_a_dimension(), in_place, cache)?,
        };
        Ok(Runs {
            way,
            in_place,
            split: problem.split,
            scalar: problem.scalar(),
        })
    }

    /// Bytes of scratch that the plan of a problem says, without preparing it; `None` of what has no plan without copies.
    pub fn planned_scratch(problem: &Problem, in_place: bool, planner: &Planner) -> Option<usize> {
        problem.check().ok()?;
        let problem = problem.with_a_dimension();
        let request = How::request(&problem, in_place)?.request;
        planner.plan(&request).ok().map(|plan| plan.scratch_bytes)
    }

    /// Whether it was planned for one memory of input and output.
    pub fn in_place(&self) -> bool {
        self.in_place
    }

    /// The transform that runs, once or often; none of no arrays.
    pub fn transform(&self) -> Option<&Transform> {
        match &self.way {
            How::Nothing => None,
            How::Direct { fft, .. } => Some(fft),
            How::Copied(copied) => Some(&copied.fft),
        }
    }

    /// Whether it runs on copies of the caller's memory.
    pub fn copies(&self) -> bool {
        matches!(self.way, How::Copied(_))
    }

    /// How many times the transform runs.
    pub fn count(&self) -> usize {
        match &self.way {
            How::Nothing => 0,
            How::Direct { .. } => 1,
            How::Copied(copied) => copied.outer.iter().map(|dim| dim.n).product(),
        }
    }

    /// The plan in words.
    pub fn explain(&self) -> String {
        let Some(fft) = self.transform() else {
            return "no arrays: nothing runs\n".into();
        };
        let plan = fft.explain();
        match self.copies() {
            false => plan.to_string(),
            true => format!(
                "{} runs on copies, as strides, order or separate parts need:\n{plan}",
                self.count()
            ),
        }
    }

    /// Bytes of scratch that one run needs, should the caller want to lend them.
    pub fn scratch_bytes(&self) -> usize {
        let own = self.transform().map_or(0, Transform::scratch_bytes);
        let copies = match &self.way {
            How::Copied(copied) => copied.room(),
            _ => 0,
        };
        copies + own
    }

    /// Transforms, in scratch of [`Runs::scratch_bytes`] that the caller lends, or in its own.
    ///
    /// # Errors
    /// `Unsupported` of a null address, and what a device returns.
    ///
    /// # Safety
    /// Each side is memory of all of the problem's elements, which nobody else writes meanwhile; the input is the output
    /// exactly where the problem was planned in place, and no element of one is one of the other elsewhere.
    pub unsafe fn run(&self, input: Side, output: Side, scratch: Option<&mut [u8]>) -> Result<()> {
        if let Some(got) = scratch.as_ref().map(|scratch| scratch.len()) {
            let expected = self.scratch_bytes();
            if got < expected {
                return Err(Error::BufferTooShort {
                    side: Slot::Scratch,
                    expected,
                    got,
                    unit: "bytes",
                });
            }
        }
        for (side, split) in [input, output].into_iter().zip(self.split) {
            let is_null = side.real.is_null() || (split && side.imaginary.is_null());
            if is_null && !matches!(self.way, How::Nothing) {
                return Err(Error::Unsupported {
                    what: "a null address".into(),
                    backend: "this library".into(),
                    instead: "give memory of the plan's size".into(),
                });
            }
        }
        let [input, output] = [(input, self.split[0]), (output, self.split[1])]
            .map(|(side, split)| if split { side } else { Side::of(side.real) });
        match &self.way {
            How::Nothing => Ok(()),
            How::Direct { fft, offsets } => {
                let input = input.real.wrapping_offset(offsets[0]);
                let output = output.real.wrapping_offset(offsets[1]);
                // SAFETY: by this function's contract.
                unsafe { self.run_direct(fft, input, output, scratch) }
            }
            // SAFETY: by this function's contract.
            How::Copied(copied) => unsafe { copied.run(self.scalar, input, output, scratch) },
        }
    }

    /// Transforms memory of the planner's device in a stream, and returns when the work is in it. On the CPU that is
    /// memory of the host, and the work is done.
    ///
    /// # Errors
    /// `Unsupported` of what runs on copies, as these would be of the host, and what the device returns.
    ///
    /// # Safety
    /// As for [`Runs::run`], of the device's memory, until the work is done.
    pub unsafe fn run_on(&self, stream: &Stream, input: u64, output: u64) -> Result<()> {
        let (fft, offsets) = match &self.way {
            How::Nothing => return Ok(()),
            How::Direct { fft, offsets } => (fft, offsets),
            How::Copied(copied) => return Err(Error::Unsupported {
                what: "a plan that runs on copies, in a stream".into(),
                backend: copied.fft.plan().backend.into(),
                instead:
                    "give strides that nest and are not negative, the same on both sides in place"
                        .into(),
            }),
        };
        let plan = fft.plan();
        let at = |address: u64, side: usize| address.wrapping_add_signed(offsets[side] as i64);
        let bytes = [plan.input_scalars, plan.output_scalars].map(|count| count * self.scalar);
        // SAFETY: by this function's contract.
        unsafe {
            let mut to = fft.buffer_from_raw(Slot::Output, at(output, 1), bytes[1])?;
            match self.in_place {
                true => fft.run_in_place_on(stream, &mut to),
                false => {
                    let from = fft.buffer_from_raw(Slot::Input, at(input, 0), bytes[0])?;
                    fft.run_on(stream, &from, &mut to)
                }
            }
        }
    }

    /// # Safety
    /// As for [`Runs::run`].
    unsafe fn run_direct(
        &self,
        fft: &Transform,
        input: *mut u8,
        output: *mut u8,
        scratch: Option<&mut [u8]>,
    ) -> Result<()> {
        let plan = fft.plan();
        let bytes = [plan.input_scalars, plan.output_scalars].map(|count| count * self.scalar);
        let aligned = |address: *mut u8| (address as usize).is_multiple_of(self.scalar);
        if !aligned(input) || !aligned(output) {
            // SAFETY: as below.
            return unsafe { self.run_misaligned(fft, input, output, bytes, scratch) };
        }
        // SAFETY: these are extents of the caller's arrays. They overlap only where they are the same, and no element
        // outside of the arrays' own is read or written.
        unsafe {
            let output = std::slice::from_raw_parts_mut(output, bytes[1]);
            let input =
                (!self.in_place).then(|| std::slice::from_raw_parts(input.cast_const(), bytes[0]));
            process(fft, input, output, scratch)
        }
    }

    /// Memory that begins within a scalar is copied whole, what lies between its elements too.
    ///
    /// # Safety
    /// As for [`Runs::run`].
    unsafe fn run_misaligned(
        &self,
        fft: &Transform,
        input: *mut u8,
        output: *mut u8,
        bytes: [usize; 2],
        scratch: Option<&mut [u8]>,
    ) -> Result<()> {
        let mut copies = [aligned(bytes[0])?, aligned(bytes[1])?];
        let whole = |side: usize| Span {
            n: bytes[side] / self.scalar,
            theirs: 1,
            ours: 1,
        };
        let [source, target] = copies.each_mut().map(|copy| copy.as_mut_ptr().cast::<u8>());
        // SAFETY: both are of as many bytes.
        unsafe {
            copy(Way::In, self.scalar, &[whole(0)], input, source);
            copy(Way::In, self.scalar, &[whole(1)], output, target);
            let side = if self.in_place { target } else { source };
            self.run_direct(fft, side, target, scratch)?;
            copy(Way::Out, self.scalar, &[whole(1)], output, target);
        }
        Ok(())
    }
}

fn process(
    fft: &Transform,
    input: Option<&[u8]>,
    output: &mut [u8],
    scratch: Option<&mut [u8]>,
) -> Result<()> {
    match (input, scratch) {
        (_, Some(scratch)) => fft.process_bytes_with_scratch(input, output, scratch),
        (Some(input), None) => fft.process_bytes(input, output),
        (None, None) => fft.process_bytes_in_place(output),
    }
}

/// Zeroed memory of so many bytes or a few more, aligned for any scalar.
fn aligned(bytes: usize) -> Result<Vec<u64>> {
    let mut memory = Vec::new();
    let room = memory.try_reserve_exact(bytes.div_ceil(8));
    room.map_err(|_| Error::OutOfMemory {
        backend: "host".into(),
        what: "a copy of the data".into(),
        bytes,
    })?;
    memory.resize(bytes.div_ceil(8), 0);
    Ok(memory)
}

impl How {
    /// The request of one run on the caller's memory, where that can be.
    fn request(problem: &Problem, in_place: bool) -> Option<Direct> {
        // In place, data that go elsewhere would overwrite what is read later.
        if in_place && !problem.stays() {
            return None;
        }
        let Direct { request, offsets } = problem.direct()?;
        let request = match in_place {
            true => request.in_place(),
            false => request,
        };
        Some(Direct { request, offsets })
    }

    fn new(problem: &Problem, in_place: bool, cache: &PlanCache) -> Result<How> {
        if let Some(Direct { request, offsets }) = How::request(problem, in_place) {
            if let Ok(fft) = cache.get(&request) {
                if !in_place || fft.plan().not_in_place.is_none() {
                    let scalar = problem.scalar() as isize;
                    let offsets = offsets.map(|offset| offset * scalar);
                    return Ok(How::Direct { fft, offsets });
                }
            }
        }
        Copied::new(problem, in_place, cache).map(How::Copied)
    }
}

impl Copied {
    fn new(problem: &Problem, in_place: bool, cache: &PlanCache) -> Result<Copied> {
        let domains = problem.domains();
        let lengths = |side: usize| -> Vec<usize> {
            let places = 0..problem.dims.len();
            places.map(|place| problem.lengths(place)[side]).collect()
        };
        let lengths = [lengths(0), lengths(1)];
        let array = |side: usize| -> usize {
            let points: usize = lengths[side].iter().product();
            points * domains[side].scalars()
        };
        let arrays = [array(0), array(1)];
        // In place all is read before anything is written, but where each array stays where it is.
        let whole = in_place && !problem.stays();
        let mut loops = problem.loops.clone();
        loops.sort_by_key(|dim| std::cmp::Reverse(dim.strides[1].unsigned_abs()));
        let most = PART_BYTES / (arrays[0].max(arrays[1]) * problem.scalar()).max(1);
        let mut first = loops.len();
        let mut batch = 1usize;
        while first > 0 && (whole || batch.saturating_mul(loops[first - 1].n) <= most) {
            first -= 1;
            batch = batch.saturating_mul(loops[first].n);
        }
        let inner = loops.split_off(first);
        let spans = |side: usize| {
            let mut ours = arrays[side] as isize;
            let mut spans = Vec::new();
            for dim in inner.iter().rev() {
                spans.push(Span {
                    n: dim.n,
                    theirs: dim.strides[side],
                    ours,
                });
                ours *= dim.n as isize;
            }
            spans.reverse();
            let mut ours = arrays[side] as isize;
            for (dim, &n) in problem.dims.iter().zip(&lengths[side]) {
                ours /= n as isize;
                spans.push(Span {
                    n,
                    theirs: dim.strides[side],
                    ours,
                });
            }
            spans
        };
        let shape: Vec<usize> = problem.dims.iter().map(|dim| dim.n).collect();
        let mut request = problem.request.clone().batch(batch);
        request.shape = Shape::new(&shape);
        let fft = cache.get(&request)?;
        Ok(Copied {
            fft,
            outer: loops,
            spans: [spans(0), spans(1)],
            domains,
            bytes: arrays.map(|scalars| scalars * batch * problem.scalar()),
        })
    }

    /// Bytes that the copies of a run take, wherever their memory begins.
    fn room(&self) -> usize {
        let [source, target] = self.bytes;
        ALIGNMENT + source.next_multiple_of(ALIGNMENT) + target.next_multiple_of(8)
    }

    /// # Safety
    /// As for [`Runs::run`].
    unsafe fn run(
        &self,
        scalar: usize,
        input: Side,
        output: Side,
        scratch: Option<&mut [u8]>,
    ) -> Result<()> {
        let mut own;
        let (room, mut lent) = match scratch {
            Some(scratch) => {
                let (room, rest) = scratch.split_at_mut(self.room());
                (room, Some(rest))
            }
            None => {
                own = aligned(self.room())?;
                (bytes_of(&mut own), None)
            }
        };
        let skip = room.as_ptr().align_offset(ALIGNMENT);
        let (source, target) = room[skip..].split_at_mut(self.bytes[0].next_multiple_of(ALIGNMENT));
        let (source, target) = (&mut source[..self.bytes[0]], &mut target[..self.bytes[1]]);
        let runs: usize = self.outer.iter().map(|dim| dim.n).product();
        for run in 0..runs {
            let (mut rest, mut offsets) = (run, [0isize; 2]);
            for dim in self.outer.iter().rev() {
                let i = (rest % dim.n) as isize;
                rest /= dim.n;
                offsets[0] += i * dim.strides[0];
                offsets[1] += i * dim.strides[1];
            }
            // SAFETY: by this function's contract, and ours are of all elements of a run.
            unsafe {
                self.copy(Way::In, scalar, Slot::Input, input, offsets[0], source);
                process(&self.fft, Some(source), target, lent.as_deref_mut())?;
                self.copy(Way::Out, scalar, Slot::Output, output, offsets[1], target);
            }
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Runs::run`].
    unsafe fn copy(
        &self,
        way: Way,
        scalar: usize,
        slot: Slot,
        side: Side,
        offset: isize,
        ours: &mut [u8],
    ) {
        let place = usize::from(slot != Slot::Input);
        let bytes = scalar as isize;
        let real = side.real.wrapping_offset(offset * bytes);
        let first = ours.as_mut_ptr();
        // SAFETY: by this function's contract.
        unsafe { copy(way, scalar, &self.spans[place], real, first) };
        if self.domains[place] == Domain::Complex {
            let imaginary = match side.imaginary.is_null() {
                true => real.wrapping_offset(bytes),
                false => side.imaginary.wrapping_offset(offset * bytes),
            };
            let second = first.wrapping_offset(bytes);
            // SAFETY: as above.
            unsafe { copy(way, scalar, &self.spans[place], imaginary, second) };
        }
    }
}

fn bytes_of(memory: &mut [u64]) -> &mut [u8] {
    // SAFETY: every byte is a value of its own.
    unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), 8 * memory.len()) }
}
