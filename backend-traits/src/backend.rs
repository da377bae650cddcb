//! What the host needs of a device.

use crate::error::Result;
use crate::kind::Direction;
use crate::limits::Limits;
use crate::plan::Plan;

/// Memory of a backend.
pub trait Buffer: Send + Sync {
    /// Its size in bytes.
    fn bytes(&self) -> usize;
}

/// A plan made ready for a device: immutable, used from any number of threads at once.
pub trait Prepared: Send + Sync {
    /// The scratch that one execution needs: the plan's, and the backend's own.
    fn scratch_bytes(&self) -> usize;

    /// What of it is memory that threads of the host work in.
    fn workspace(&self) -> Option<Workspace> {
        None
    }

    /// Whether [`Backend::prepare`] would make another: this is a [draft](Backend::draft).
    fn is_draft(&self) -> bool {
        false
    }
}

/// What the threads of a run work in, each in memory of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workspace {
    /// How many threads.
    pub threads: usize,
    /// Bytes of each.
    pub bytes: usize,
}

/// The buffers of one execution.
#[derive(Debug)]
pub struct Bindings<'a, B> {
    /// What is read; `None` in place.
    pub input: Option<&'a B>,
    /// What is written.
    pub output: &'a mut B,
    /// At least [`Prepared::scratch_bytes`].
    pub scratch: &'a mut B,
}

/// A device that runs plans.
pub trait Backend: Send + Sync {
    /// Its memory.
    type Buffer: Buffer;
    /// Its prepared plans.
    type Prepared: Prepared;

    /// What the planner must know.
    fn limits(&self) -> &Limits;

    /// What the speed of plans depends on beside the device: a text that is another where its code is.
    fn revision(&self) -> String {
        String::new()
    }

    /// Memory of `bytes`, aligned for any vector access.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer>;

    /// Copies `bytes` from the host to `offset` of the buffer.
    fn write(&self, buffer: &mut Self::Buffer, offset: usize, bytes: &[u8]) -> Result<()>;

    /// Copies from `offset` of the buffer to the host.
    fn read(&self, buffer: &Self::Buffer, offset: usize, bytes: &mut [u8]) -> Result<()>;

    /// Makes a plan ready: compiles kernels, builds tables.
    fn prepare(&self, plan: &Plan) -> Result<Self::Prepared>;

    /// Makes a plan ready to be timed beside others, maybe sooner than [`Backend::prepare`].
    ///
    /// A device keeps kernels as they are first compiled, whether or not their threads have enough registers.
    fn draft(&self, plan: &Plan) -> Result<Self::Prepared> {
        self.prepare(plan)
    }

    /// Runs a prepared plan, or enqueues it. Every check comes before the first write.
    fn launch(&self, prepared: &Self::Prepared, bindings: Bindings<'_, Self::Buffer>)
        -> Result<()>;

    /// Waits until everything launched is done.
    fn synchronize(&self) -> Result<()>;

    /// Splits vectors of `vector` f32 into two FP16 each and a power of two a vector, as
    /// [`crate::split::split`] does: `hi` and `lo` receive FP16, `exponents` i32.
    fn split(
        &self,
        values: &Self::Buffer,
        vector: usize,
        hi: &mut Self::Buffer,
        lo: &mut Self::Buffer,
        exponents: &mut Self::Buffer,
    ) -> Result<()>;

    /// The inverse of [`Backend::split`].
    fn combine(
        &self,
        hi: &Self::Buffer,
        lo: &Self::Buffer,
        exponents: &Self::Buffer,
        vector: usize,
        values: &mut Self::Buffer,
    ) -> Result<()>;

    /// Multiplies vectors of `radix` complex points by the DFT matrix of that order, with
    /// 16-bit products alone: `values` receives FP32. What a matrix step does between
    /// [`Backend::split`] and [`Backend::combine`], to be timed by itself.
    fn product(
        &self,
        radix: usize,
        direction: Direction,
        hi: &Self::Buffer,
        lo: &Self::Buffer,
        exponents: &Self::Buffer,
        values: &mut Self::Buffer,
    ) -> Result<()>;
}
