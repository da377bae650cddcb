//! Where cases are timed: memory, a clock, a copy and a peer of one device.
//!
//! A backend takes part by one implementation of [`Lab`].

use mmafft::backend_traits::{Backend, Bindings};
use mmafft::{Kind, Precision, Request, Result, ScalarType, Shape};

/// Memory of a lab.
pub type BufferOf<L> = <<L as Lab>::Backend as Backend>::Buffer;
/// A prepared plan of a lab.
pub type PreparedOf<L> = <<L as Lab>::Backend as Backend>::Prepared;

/// A device with what it takes to time transforms on it.
pub trait Lab: Sync {
    /// What prepares and holds memory.
    type Backend: Backend;
    /// An order of launches.
    type Stream;
    /// A moment of the device's clock.
    type Mark;
    /// Recorded launches.
    type Graph;
    /// The peer's plan.
    type Peer;

    /// What prepares and holds memory.
    fn backend(&self) -> &Self::Backend;

    /// Versions of driver and compiler; empty on the host.
    fn driver(&self) -> String;

    /// The peer's name and version; empty without one.
    fn peer(&self) -> &str;

    /// Whether its copies are as fast as it moves data, a ruler for transforms.
    fn copies_are_a_ruler(&self) -> bool {
        true
    }

    /// Whether caches hold much of what a run leaves, so that the next depends on it.
    fn caches_hold_a_run(&self) -> bool {
        false
    }

    /// What one timing must move at least, in bytes, to last long beside the steps of the clock:
    /// as a rule some hundred microseconds of a device's copy, beside half a microsecond of its
    /// events.
    fn least_bytes(&self) -> usize {
        256 << 20
    }

    /// The stream on which everything is timed.
    fn stream(&self) -> &Self::Stream;

    /// The moment at which everything enqueued so far is done.
    fn mark(&self) -> Result<Self::Mark>;

    /// Seconds between two moments; waits for the second.
    fn seconds(&self, from: &Self::Mark, to: &Self::Mark) -> Result<f64>;

    /// Enqueues a copy of the first `bytes`.
    fn copy(
        &self,
        stream: &Self::Stream,
        from: &BufferOf<Self>,
        to: &mut BufferOf<Self>,
        bytes: usize,
    ) -> Result<()>
    where
        Self: Sized;

    /// Enqueues a transform.
    fn launch(
        &self,
        stream: &Self::Stream,
        prepared: &PreparedOf<Self>,
        bindings: Bindings<'_, BufferOf<Self>>,
    ) -> Result<()>
    where
        Self: Sized;

    /// The peer's plan for the same work.
    fn plan_peer(&self, work: &Work) -> Result<Self::Peer>;

    /// Enqueues the peer's transform; in place without an output. The input may be overwritten.
    fn launch_peer(
        &self,
        stream: &Self::Stream,
        peer: &mut Self::Peer,
        input: &mut BufferOf<Self>,
        output: Option<&mut BufferOf<Self>>,
    ) -> Result<()>
    where
        Self: Sized;

    /// Records what `launch` enqueues on the stream that it is given. Memory and plans must
    /// outlive the graph.
    fn record(&self, launch: &mut dyn FnMut(&Self::Stream) -> Result<()>) -> Result<Self::Graph>;

    /// Enqueues what was recorded.
    fn replay(&self, graph: &Self::Graph) -> Result<()>;
}

/// What a peer is asked for: arrays one after the other, all axes, nothing scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// What becomes what.
    pub kind: Kind,
    /// The sign of the exponent.
    pub direction: mmafft::Direction,
    /// How scalars are stored; peers compute in the same.
    pub scalar: ScalarType,
    /// Of the real array.
    pub shape: Shape,
    /// How many arrays.
    pub batch: usize,
    /// In one buffer.
    pub in_place: bool,
}

impl Work {
    /// The work of a request.
    pub fn of(request: &Request, in_place: bool) -> Work {
        let precision: Precision = request.precision;
        Work {
            kind: request.kind,
            direction: request.direction(),
            scalar: precision.row().storage,
            shape: request.shape.clone(),
            batch: request.batch,
            in_place,
        }
    }
}
