//! An NVIDIA device, with cuFFT.

use super::device::DeviceLab;
use super::peer::Peer;
use mmafft::cuda::{versions, Cuda};
use mmafft::{CudaBackend, Result};

#[cfg(feature = "peers")]
type Plan = cufft::Plan;
#[cfg(not(feature = "peers"))]
type Plan = super::device::NoPeer;

/// The device, with cuFFT if there is a peer.
///
/// # Errors
/// `NoDevice` without cuFFT's library; `Device` when the device has no stream left.
pub fn lab(backend: CudaBackend, library: Option<&'static Peer>) -> Result<DeviceLab<Cuda, Plan>> {
    let driver = format!("CUDA {}", versions().driver.unwrap_or_default());
    DeviceLab::new(backend, [&driver, "NVRTC"], library)
}

#[cfg(feature = "peers")]
mod cufft {
    use crate::cli::bench::device::PeerPlan;
    use crate::cli::bench::lab::Work;
    use mmafft::cuda::{Cuda, CudaDriver, CudaStream};
    use mmafft::peers::cufft::{Cufft, CufftPlan};
    use mmafft::peers::Transform;
    use mmafft::{Direction, Result};

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
}
