//! What a planner asks of a kind of device that [`Limits`](crate::Limits) do not say in numbers.

use crate::kind::Kind;
use crate::pass::Pass;
use crate::pass_shape::TripCount;

/// A kind of device: which passes it can run otherwise than plainly, and what their threads do.
///
/// The answers here are those of one that has no kernels: it transforms tiles as they lie in memory.
pub trait Target: std::fmt::Debug + Sync {
    /// The name, by which kinds are told apart.
    fn name(&self) -> &'static str;

    /// The library that transforms contiguous lines of any length in one step, where no kernels do.
    fn line_library(&self) -> Option<&'static str>;

    /// How it transforms contiguous lines of this kind and length, in vectors of so many lanes of so many bytes.
    fn line_way(&self, kind: Kind, length: usize, vector: [usize; 2]) -> &'static str {
        let _ = (kind, length, vector);
        self.line_library().unwrap_or_default()
    }

    /// What a thread holds.
    fn threads(&self) -> &'static ThreadLimits {
        &ThreadLimits::ONE
    }

    /// The trips of a line or an array of a pass of butterflies; `None` where there are no kernels, or none of the pass.
    fn trips(&self, _pass: &Pass) -> Option<Vec<TripCount>> {
        None
    }

    /// Whether the blocks of a cluster can have the pass' tile, beside their number.
    fn spreads(&self, _pass: &Pass) -> bool {
        false
    }

    /// Whether threads have places of reals beside the twiddles of a convolution: half as many are launched at most.
    fn places_beside_twiddles(&self, _pass: &Pass) -> bool {
        false
    }

    /// What the pass does of each of so many arrays, where it can take turns with another one.
    fn share(&self, _pass: &Pass, _arrays: usize) -> Option<Share> {
        None
    }
}

impl PartialEq for dyn Target {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// What a thread holds, in values: complex points.
#[derive(Debug)]
pub struct ThreadLimits {
    /// Those that it should hold.
    pub values: usize,
    /// Those of butterflies that it may hold where its block would else be alone: in FP32, and in FP64.
    pub many_values: [usize; 2],
    /// Those of lines that it transforms one after another.
    pub most_values: usize,
    /// Pairs of a column that is summed over shared memory.
    pub dense_pairs: usize,
    /// The largest radix whose twiddles may be products of others.
    pub multiplied_radix: usize,
    /// Bytes that a wave of threads moves at once.
    pub wavefront: usize,
}

impl ThreadLimits {
    /// One thread, which transforms lines in memory.
    pub const ONE: ThreadLimits = ThreadLimits {
        values: 1,
        many_values: [1; 2],
        most_values: 1,
        dense_pairs: 1,
        multiplied_radix: 1,
        wavefront: 1,
    };
}

/// What a pass does of each array of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Lines, or pairs of them.
    pub lines: usize,
    /// Scalars from one array to the next where it loads.
    pub load: usize,
    /// The same where it stores.
    pub store: usize,
}
