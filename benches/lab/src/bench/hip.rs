//! rocFFT, on the streams and memory of ours.

use crate::peers::rocfft::{Rocfft, RocfftPlan};
use crate::peers::Transform;
use mmafft::backend_traits::device::Driver;
use mmafft::hip::{Hip, HipDriver, HipMemory, HipStream};
use mmafft::Result;
use mmafft_cli::bench::device::PeerPlan;
use mmafft_cli::bench::lab::Work;

/// A plan, its work area, and the stream that it was last told of.
pub struct Plan {
    plan: RocfftPlan,
    // Freed after the plan.
    _work: HipMemory,
    stream: Option<u64>,
}

impl PeerPlan<Hip> for Plan {
    fn version() -> Result<String> {
        Ok(Rocfft::open()?.version().into())
    }

    fn new(driver: &HipDriver, work: &Work) -> Result<Plan> {
        let dims = work.shape.dims();
        let mut transform = Transform::new(work.kind, work.scalar, dims).batch(work.batch);
        transform.in_place = work.in_place;
        let plan = RocfftPlan::new(&transform, work.direction)?;
        let area = driver.allocate(plan.work_bytes())?;
        // SAFETY: the area has the bytes, is the plan's alone and outlives it.
        unsafe { plan.set_work(area.pointer())? };
        Ok(Plan {
            plan,
            _work: area,
            stream: None,
        })
    }

    fn launch(&mut self, stream: &HipStream, from: u64, to: u64) -> Result<()> {
        if self.stream != Some(stream.handle()) {
            // SAFETY: the stream is of this device; while it is the plan's, the plan is executed with it
            // alone.
            unsafe { self.plan.set_stream(stream.handle())? };
            self.stream = Some(stream.handle());
        }
        // SAFETY: the buffers were allocated for this work, and freeing them waits for it.
        unsafe { self.plan.execute(from, to) }
    }
}
