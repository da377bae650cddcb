//! An NVIDIA device: CUDA's events, copies, streams and graphs.

use super::lab::{Lab, Work};
use super::peer::Peer;
use mmafft::backend_traits::device::DeviceBuffer;
use mmafft::backend_traits::Bindings;
use mmafft::cuda::{versions, CudaEvent, CudaGraph, CudaMemory, CudaStream};
use mmafft::{CudaBackend, Result};

/// A device with a stream.
pub struct CudaLab {
    backend: CudaBackend,
    stream: CudaStream,
    peer: String,
}

type Buffer = DeviceBuffer<CudaMemory>;

impl CudaLab {
    /// The device with cuFFT, if there is a peer.
    ///
    /// # Errors
    /// `NoDevice` without cuFFT's library; `Device` when the device has no stream left.
    pub fn new(backend: CudaBackend, library: Option<&'static Peer>) -> Result<CudaLab> {
        Ok(CudaLab {
            stream: backend.driver().stream()?,
            backend,
            peer: match library {
                Some(_) => cufft::version()?,
                None => String::new(),
            },
        })
    }
}

impl Lab for CudaLab {
    type Backend = CudaBackend;
    type Stream = CudaStream;
    type Mark = CudaEvent;
    type Graph = CudaGraph;
    type Peer = cufft::Plan;

    fn backend(&self) -> &CudaBackend {
        &self.backend
    }

    fn driver(&self) -> String {
        let driver = versions().driver.unwrap_or_default();
        let compiler = self.backend.driver().compiler_version();
        format!("CUDA {driver}, NVRTC {compiler}")
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn stream(&self) -> &CudaStream {
        &self.stream
    }

    fn mark(&self) -> Result<CudaEvent> {
        let event = self.backend.driver().event()?;
        event.record(&self.stream)?;
        Ok(event)
    }

    fn seconds(&self, from: &CudaEvent, to: &CudaEvent) -> Result<f64> {
        Ok(f64::from(to.elapsed_ms(from)?) * 1e-3)
    }

    fn copy(
        &self,
        stream: &CudaStream,
        from: &Buffer,
        to: &mut Buffer,
        bytes: usize,
    ) -> Result<()> {
        let driver = self.backend.driver();
        driver.copy(stream, from.memory(), to.memory(), bytes)
    }

    fn launch(
        &self,
        stream: &CudaStream,
        prepared: &super::lab::PreparedOf<Self>,
        bindings: Bindings<'_, Buffer>,
    ) -> Result<()> {
        self.backend.launch_on(stream, prepared, bindings)
    }

    fn plan_peer(&self, work: &Work) -> Result<cufft::Plan> {
        cufft::Plan::new(work)
    }

    fn launch_peer(
        &self,
        stream: &CudaStream,
        peer: &mut cufft::Plan,
        input: &mut Buffer,
        output: Option<&mut Buffer>,
    ) -> Result<()> {
        let from = input.memory().pointer();
        let to = output.map_or(from, |output| output.memory().pointer());
        peer.launch(stream, from, to)
    }

    fn record(&self, launch: &mut dyn FnMut(&CudaStream) -> Result<()>) -> Result<CudaGraph> {
        // What the launches use outlives the graph, by the caller's promise.
        self.backend.driver().capture(Box::new(()), launch)
    }

    fn replay(&self, graph: &CudaGraph) -> Result<()> {
        graph.launch(&self.stream)
    }
}

#[cfg(feature = "peers")]
mod cufft {
    use super::{CudaStream, Work};
    use mmafft::peers::cufft::{Cufft, CufftPlan};
    use mmafft::peers::Transform;
    use mmafft::{Direction, Result};

    /// A plan, and the stream that it was last told of.
    pub struct Plan {
        plan: CufftPlan,
        direction: Direction,
        stream: Option<u64>,
    }

    pub fn version() -> Result<String> {
        Ok(Cufft::open()?.version().into())
    }

    impl Plan {
        pub fn new(work: &Work) -> Result<Plan> {
            let dims = work.shape.dims();
            let mut transform = Transform::new(work.kind, work.scalar, dims).batch(work.batch);
            transform.in_place = work.in_place;
            Ok(Plan {
                plan: CufftPlan::new(&transform)?,
                direction: work.direction,
                stream: None,
            })
        }

        pub fn launch(&mut self, stream: &CudaStream, from: u64, to: u64) -> Result<()> {
            if self.stream != Some(stream.handle()) {
                // SAFETY: the stream is of this device; while it is the plan's, the plan is
                // executed with it alone.
                unsafe { self.plan.set_stream(stream.handle())? };
                self.stream = Some(stream.handle());
            }
            // SAFETY: the buffers were allocated for this work, and freeing them waits for it.
            unsafe { self.plan.execute(from, to, self.direction) }
        }
    }
}

#[cfg(not(feature = "peers"))]
mod cufft {
    use super::{CudaStream, Work};
    use mmafft::{Error, Result};

    /// There is none in this build.
    pub enum Plan {}

    pub fn version() -> Result<String> {
        Err(not_built())
    }

    fn not_built() -> Error {
        Error::NotBuilt {
            backend: "cufft",
            feature: "peers",
        }
    }

    impl Plan {
        pub fn new(_: &Work) -> Result<Plan> {
            Err(not_built())
        }

        pub fn launch(&mut self, _: &CudaStream, _: u64, _: u64) -> Result<()> {
            match *self {}
        }
    }
}
