//! cuFFT, on the streams and memory of ours.

use crate::peers::cufft::{Cufft, CufftPlan};
use crate::peers::Transform;
use mmafft::cuda::{Cuda, CudaDriver, CudaStream};
use mmafft::{Direction, Result};
use mmafft_cli::bench::device::PeerPlan;
use mmafft_cli::bench::lab::Work;

/// A plan, and the stream that it was last told of.
pub struct Plan {
    plan: CufftPlan,
    direction: Direction,
    stream: Option<u64>,
}

impl PeerPlan<Cuda> for Plan {
    fn version() -> Result<String> {
        Ok(Cufft::open()?.version().into())
    }

    fn new(_: &CudaDriver, work: &Work) -> Result<Plan> {
        let dims = work.shape.dims();
        let mut transform = Transform::new(work.kind, work.scalar, dims).batch(work.batch);
        transform.in_place = work.in_place;
        Ok(Plan {
            plan: CufftPlan::new(&transform)?,
            direction: work.direction,
            stream: None,
        })
    }

    fn launch(&mut self, stream: &CudaStream, from: u64, to: u64) -> Result<()> {
        if self.stream != Some(stream.handle()) {
            // SAFETY: the stream is of this device; while it is the plan's, the plan is executed with it
            // alone.
            unsafe { self.plan.set_stream(stream.handle())? };
            self.stream = Some(stream.handle());
        }
        // SAFETY: the buffers were allocated for this work, and freeing them waits for it.
        unsafe { self.plan.execute(from, to, self.direction) }
    }
}
