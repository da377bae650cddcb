//! One error for the whole library: what was expected, what came, and whether the
//! output was touched.

use crate::side::Slot;

/// The result of every fallible call in mmafft.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong. Unless [`Error::output_touched`] says otherwise,
/// the output is as it was before the call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An array of rank 0, or of a higher rank than the library takes.
    #[error("rank {got} is not supported: expected 1 to {max} dimensions")]
    Rank {
        /// The rank that was asked for.
        got: usize,
        /// The highest rank supported.
        max: usize,
    },
    /// A dimension or a batch of length zero.
    #[error("{what} is 0: expected at least 1")]
    Empty {
        /// Which length is zero.
        what: String,
    },
    /// No axis to transform.
    #[error("no axis to transform: expected 1 to {max} of them")]
    AxisCount {
        /// The array's rank.
        max: usize,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} does not exist: expected one below the rank, {rank}")]
    AxisOutOfRange {
        /// The axis that was listed.
        axis: usize,
        /// The array's rank.
        rank: usize,
    },
    /// An axis listed twice, or with two zero ranges on one side.
    #[error("axis {axis} is listed twice: expected each axis at most once")]
    AxisRepeated {
        /// The axis that was listed again.
        axis: usize,
    },
    /// A list of kinds that is not one for each axis.
    #[error("a list of {got} kinds: expected one for each axis to transform, {expected}")]
    KindCount {
        /// The axes to transform.
        expected: usize,
        /// The kinds given.
        got: usize,
    },
    /// An axis too short for its kind.
    #[error("axis {axis} has length {got}: a {kind} needs at least {expected}")]
    TooShort {
        /// The kind's name.
        kind: &'static str,
        /// The axis.
        axis: usize,
        /// The least length.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A size that does not fit the address space.
    #[error("{what} overflows: expected at most {} elements", isize::MAX / 256)]
    Overflow {
        /// Which product overflows.
        what: String,
    },
    /// A layout with another rank than the shape's.
    #[error("the {side} layout has {got} strides: expected one per dimension, {expected}")]
    StrideCount {
        /// The side whose layout is wrong.
        side: Slot,
        /// The shape's rank.
        expected: usize,
        /// The number of strides given.
        got: usize,
    },
    /// A stride, a distance or an offset that was negative before it became unsigned.
    #[error("the {side} {what} is {got}: strides, distances and offsets are not negative")]
    NegativeStride {
        /// The side whose layout is wrong.
        side: Slot,
        /// `stride of dimension 0`, `distance` or `offset`.
        what: String,
        /// The number given.
        got: isize,
    },
    /// Strides by which two elements that are written share an address.
    #[error(
        "the {side} strides overlap: dimension {dimension} needs a stride of at least {expected}, \
         got {got}"
    )]
    Overlap {
        /// The side whose strides overlap.
        side: Slot,
        /// `batch`, or the number of the dimension.
        dimension: String,
        /// The least stride that keeps elements apart.
        expected: usize,
        /// The stride given.
        got: usize,
    },
    /// A buffer shorter than the transform needs.
    #[error("the {side} buffer is too short: expected at least {expected} {unit}, got {got}")]
    BufferTooShort {
        /// The buffer that is too short.
        side: Slot,
        /// The least length.
        expected: usize,
        /// The length given.
        got: usize,
        /// What the lengths count.
        unit: &'static str,
    },
    /// A buffer longer than a transform without strides or a distance of the caller's has use for.
    #[error(
        "the {side} buffer is too long: expected {expected} elements, got {got}; another batch, \
         shape or layout may be meant"
    )]
    BufferTooLong {
        /// The buffer that is too long.
        side: Slot,
        /// The length of that side.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A copy of another number of elements than the buffer has.
    #[error(
        "a copy of {got} elements of the {side}: expected {expected}, as many as the buffer has"
    )]
    BufferLength {
        /// The side that is copied.
        side: Slot,
        /// The elements of the buffer.
        expected: usize,
        /// Those of the host's memory.
        got: usize,
    },
    /// A buffer of elements of another type than the transform's.
    #[error("the {side} holds {got}: expected {expected}; {instead}")]
    ElementType {
        /// The buffer with the wrong elements.
        side: Slot,
        /// The element type that the plan needs.
        expected: &'static str,
        /// The element type given.
        got: &'static str,
        /// What request takes such elements.
        instead: &'static str,
    },
    /// An array of another shape than the transform's.
    #[error("the {side} array has shape {got:?}: expected {expected:?}")]
    ArrayShape {
        /// The side whose array is wrong.
        side: Slot,
        /// The shape that the plan needs.
        expected: Vec<usize>,
        /// The shape given.
        got: Vec<usize>,
    },
    /// A half spectrum whose length does not belong to the real length.
    #[error(
        "the half spectrum has length {got} along axis {axis}: expected {expected} for a real \
         length of {length}"
    )]
    HalfLength {
        /// The halved axis.
        axis: usize,
        /// The real length asked for.
        length: usize,
        /// `length / 2 + 1`.
        expected: usize,
        /// The length of the half spectrum given.
        got: usize,
    },
    /// A zero range that is empty, reversed, or outside its axis.
    #[error(
        "the {side} range {start}..{end} on axis {axis} is not inside it: expected a non-empty \
         part of 0..{length}"
    )]
    ZeroRange {
        /// The side that the range is of.
        side: Slot,
        /// The axis that the range is of.
        axis: usize,
        /// The first index of the range.
        start: usize,
        /// One past the last index of the range.
        end: usize,
        /// The axis' length on that side.
        length: usize,
    },
    /// A transform that cannot run in place as it was planned.
    #[error("cannot run in place: {reason}")]
    NotInPlace {
        /// What stands against it, and what to do.
        reason: String,
    },
    /// A request for radices that do not multiply to the length.
    #[error("radices {radices:?} cannot make a length of {length}: {reason}")]
    Radices {
        /// The radices asked for.
        radices: Vec<usize>,
        /// The length to be transformed.
        length: usize,
        /// Why not.
        reason: String,
    },
    /// More scratch needed than the request allows.
    #[error("the plan needs {expected} bytes of scratch: the request allows {got}")]
    ScratchLimit {
        /// The bytes needed.
        expected: usize,
        /// The bytes allowed.
        got: usize,
    },
    /// A text that is no wisdom.
    #[error("wisdom cannot be imported: {reason}")]
    Wisdom {
        /// What is wrong with it.
        reason: String,
    },
    /// Something the library, or this backend, does not do.
    #[error("{what} is not supported by {backend}: {instead}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Who does not support it.
        backend: String,
        /// What to do instead.
        instead: String,
    },
    /// A backend that this build leaves out.
    #[error("the {backend} backend is not in this build: build with `--features {feature}`")]
    NotBuilt {
        /// The backend asked for.
        backend: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// No device, no driver, or none that can be used.
    #[error("no {backend} device can be used: {reason}; {remedy}")]
    NoDevice {
        /// The backend asked for.
        backend: &'static str,
        /// What is missing.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// The host or the device has no memory left for this.
    #[error("out of memory on {backend}: {bytes} bytes for {what}")]
    OutOfMemory {
        /// Where memory ran out.
        backend: String,
        /// What the memory was for.
        what: String,
        /// The bytes asked for.
        bytes: usize,
    },
    /// The device or its driver failed while running.
    #[error("{backend} failed: {message}")]
    Device {
        /// The backend that failed.
        backend: String,
        /// The driver's words.
        message: String,
        /// Whether some of the output may have been written.
        output_touched: bool,
    },
    /// Ranks that were asked for different transforms.
    #[error("the ranks disagree on {what}: here {here}, on rank {rank} {there}")]
    Disagree {
        /// The first rank that says another thing.
        rank: usize,
        /// What they disagree on.
        what: String,
        /// What this rank says.
        here: String,
        /// What that rank says.
        there: String,
    },
    /// What another rank could not do, so that this one did not either.
    #[error("rank {rank} failed: {reason}")]
    OtherRank {
        /// The first rank that failed.
        rank: usize,
        /// Its error in words.
        reason: String,
    },
    /// A rank that ended, or was waited for in vain. Its group does nothing any more.
    #[error("{} was lost after {waited:?}", rank.map_or("a rank".into(), |rank| format!("rank {rank}")))]
    Lost {
        /// The rank, where it is known.
        rank: Option<usize>,
        /// How long this rank waited.
        waited: std::time::Duration,
    },
    /// No library, or none that can be used, by which ranks reach each other.
    #[error("ranks cannot reach each other through {engine}: {reason}; {remedy}")]
    NoEngine {
        /// What they would reach each other through.
        engine: &'static str,
        /// What is missing.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// A way to spread an array over ranks that is none.
    #[error("an array cannot be spread so: {reason}")]
    Spread {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// The same after so many launches of a run, of which the first may have written some of the output.
    pub(crate) fn after_launches(mut self, launches: usize) -> Self {
        if let Error::Device { output_touched, .. } = &mut self {
            *output_touched |= launches > 0;
        }
        self
    }

    /// Whether the output may have changed. Only a failure of the device in the middle
    /// of a run leaves it so; every check comes before the first write.
    pub fn output_touched(&self) -> bool {
        matches!(
            self,
            Error::Device {
                output_touched: true,
                ..
            }
        )
    }
}
