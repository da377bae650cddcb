//! A plan: an ordered list of passes, as plain data.

use crate::device;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::pass::Pass;
use crate::pass_shape::PassShape;
use crate::request::Request;
use crate::side::Slot;

/// What answers a request on a device with given limits. It can be printed
/// ([`Plan::explain`]), compared and checked without running anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was asked for, with every default filled in.
    pub request: Request,
    /// The backend it was made for.
    pub backend: &'static str,
    /// The trips through memory, in order.
    pub passes: Vec<Pass>,
    /// What kernels are made for, of a device.
    pub geometry: Option<Geometry>,
    /// Whether the passes, two of them, take turns.
    pub turns: Option<Turns>,
    /// The names of the ways that made the passes: those of arrays, lines, tiles, their axes, and of the order of passes.
    pub ways: Vec<&'static str>,
    /// The scratch that the passes share, in bytes. A backend may need more for itself:
    /// ask the prepared transform.
    pub scratch_bytes: usize,
    /// Scalars that an input buffer must have.
    pub input_scalars: usize,
    /// Scalars that an output buffer must have.
    pub output_scalars: usize,
    /// Why the same plan cannot run in place, if it cannot.
    pub not_in_place: Option<String>,
    /// The bound on the relative L2 error.
    pub error_bound: f64,
}

/// How two passes take turns: each has some arrays at a time, so few that what the first pass leaves is still in the
/// device's cache when the second takes it, and memory is read once and written once; or so many that the first pass is done
/// while the second waits for a link to another device.
///
/// The first pass of a turn comes before the second of it, and after the second of `kept` turns before, whose place
/// in scratch it takes. [`Turns::are_possible`] says of which numbers there is such an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// Arrays of a turn; of the last one, what is left.
    pub arrays: usize,
    /// How many turns the first pass is ahead of the second.
    pub ahead: usize,
    /// Of how many turns scratch has place for what lies between the passes: more than `ahead`. `None` where it does
    /// not lie in scratch.
    pub kept: Option<usize>,
}

impl Turns {
    /// Whether so many arrays can take them, where what lies between the passes is in scratch or not.
    pub fn are_possible(&self, arrays: usize, in_scratch: bool) -> bool {
        let place = match self.kept {
            Some(kept) => kept > self.ahead,
            None => !in_scratch,
        };
        place && self.ahead > 0 && (1..=arrays).contains(&self.arrays)
    }

    /// The turns of each pass of so many arrays, in the order in which they can run: the pass' number, and the turn's.
    pub fn order(&self, arrays: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (count, ahead) = (arrays.div_ceil(self.arrays), self.ahead);
        let first = move |turn: usize| (turn < count).then_some((0, turn));
        let head = (0..ahead.min(count)).map(|turn| (0, turn));
        head.chain(
            (0..count).flat_map(move |turn| first(turn + ahead).into_iter().chain([(1, turn)])),
        )
    }

    /// Where a turn's part of memory is, counted in turns: of scratch, as it is used again.
    pub fn place(&self, slot: Slot, turn: usize) -> usize {
        match (slot, self.kept) {
            (Slot::Scratch, Some(kept)) => turn % kept,
            _ => turn,
        }
    }
}

impl Plan {
    /// Whether the plan was made for this backend, as [`crate::Limits`] names it.
    ///
    /// # Errors
    /// `Unsupported` when it was made for another: its steps mean nothing there.
    pub fn made_for(&self, backend: &str) -> Result<()> {
        if self.backend == backend {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("a plan made for {}", self.backend),
            backend: backend.into(),
            instead: "plan with this backend's limits".into(),
        })
    }

    /// Scalars of an input buffer up to the last one that is not known to be zero: no run of two buffers reads more.
    pub fn read_scalars(&self) -> usize {
        let request = &self.request;
        let scalars = request.kind.row().input.scalars();
        let length =
            |(axis, &n): (usize, &usize)| request.kind_of(axis).map_or(n, |k| k.lengths(n)[0]);
        let dims = request.shape.dims().iter().enumerate();
        let lengths: Vec<usize> = dims.map(length).collect();
        let row = lengths.last().copied().unwrap_or(1);
        let (layout, batch) = (&request.input, request.batch);
        let Ok(all) = layout.resolve(Slot::Input, batch, &lengths, row, true) else {
            return self.input_scalars;
        };
        let mut ends = all.dims.clone();
        for (axis, range) in &request.nonzero_input {
            ends[axis + 1] = range.end;
        }
        let strides = ends.iter().zip(&all.strides);
        let steps: usize = strides.map(|(end, stride)| (end - 1) * stride).sum();
        (all.offset + steps + 1) * scalars
    }

    /// What each pass is on the device, in numbers; none of a CPU. It follows from the passes as they are.
    ///
    /// # Errors
    /// `Unsupported`, pass by pass, where the device has no room for one.
    pub fn shapes(&self) -> impl Iterator<Item = Result<PassShape>> + '_ {
        let geometry = self.geometry.iter();
        let shape = |geometry| move |pass| device::shape(pass, geometry);
        geometry.flat_map(move |geometry| self.passes.iter().map(shape(geometry)))
    }

    /// What an output point may be off by besides, where numbers fall below the precision's range: the root mean square.
    ///
    /// Below that range numbers keep no relative precision: each rounds by up to half of the smallest one. What is rounded
    /// before the last pass is scaled by what follows, and the sum of as many such errors as there are points.
    pub fn underflow_error(&self) -> f64 {
        let least = self.request.precision.row().storage.least();
        let lengths = self.request.logical_lengths();
        let points: f64 = lengths.into_iter().map(|n| n as f64).product();
        let after = |i: usize| {
            self.passes[i..]
                .iter()
                .map(|pass| pass.math.scale.abs())
                .product::<f64>()
        };
        let carried: f64 = (0..self.passes.len()).map(after).sum();
        8.0 * least * (points.sqrt() * carried + 1.0)
    }

    /// Bytes read and written by all passes together, as far as they can be counted.
    pub fn bytes_moved(&self) -> usize {
        self.passes
            .iter()
            .map(|pass| pass.bytes())
            .fold(0, |sum, (read, written)| {
                sum.saturating_add(read).saturating_add(written)
            })
    }
}
