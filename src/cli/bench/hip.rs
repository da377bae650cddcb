//! An AMD device: HIP's events, copies, streams and graphs.

use super::lab::{Lab, Work};
use super::peer::Peer;
use mmafft::backend_traits::device::DeviceBuffer;
use mmafft::backend_traits::Bindings;
use mmafft::hip::{versions, HipEvent, HipGraph, HipMemory, HipStream};
use mmafft::{HipBackend, Result};

/// A device with a stream.
pub struct HipLab {
    backend: HipBackend,
    stream: HipStream,
    peer: String,
}

type Buffer = DeviceBuffer<HipMemory>;

impl HipLab {
    /// The device with rocFFT, if there is a peer.
    ///
    /// # Errors
    /// `NoDevice` without rocFFT's library; `Device` when the device has no stream left.
    pub fn new(backend: HipBackend, library: Option<&'static Peer>) -> Result<HipLab> {
        Ok(HipLab {
            stream: backend.driver().stream()?,
            backend,
            peer: match library {
                Some(_) => rocfft::version()?,
                None => String::new(),
            },
        })
    }
}

impl Lab for HipLab {
    type Backend = HipBackend;
    type Stream = HipStream;
    type Mark = HipEvent;
    type Graph = HipGraph;
    type Peer = rocfft::Plan;

    fn backend(&self) -> &HipBackend {
        &self.backend
    }

    fn driver(&self) -> String {
        let driver = versions().driver.unwrap_or_default();
        let compiler = self.backend.driver().compiler_version();
        format!("HIP {driver}, hipRTC {compiler}")
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn stream(&self) -> &HipStream {
        &self.stream
    }

    fn mark(&self) -> Result<HipEvent> {
        let event = self.backend.driver().event()?;
        event.record(&self.stream)?;
        Ok(event)
    }

    fn seconds(&self, from: &HipEvent, to: &HipEvent) -> Result<f64> {
        Ok(f64::from(to.elapsed_ms(from)?) * 1e-3)
    }

    fn copy(&self, stream: &HipStream, from: &Buffer, to: &mut Buffer, bytes: usize) -> Result<()> {
        let driver = self.backend.driver();
        driver.copy(stream, from.memory(), to.memory(), bytes)
    }

    fn launch(
        &self,
        stream: &HipStream,
        prepared: &super::lab::PreparedOf<Self>,
        bindings: Bindings<'_, Buffer>,
    ) -> Result<()> {
        self.backend.launch_on(stream, prepared, bindings)
    }

    fn plan_peer(&self, work: &Work) -> Result<rocfft::Plan> {
        rocfft::Plan::new(self.backend.driver(), work)
    }

    fn launch_peer(
        &self,
        stream: &HipStream,
        peer: &mut rocfft::Plan,
        input: &mut Buffer,
        output: Option<&mut Buffer>,
    ) -> Result<()> {
        let from = input.memory().pointer();
        let to = output.map_or(from, |output| output.memory().pointer());
        peer.launch(stream, from, to)
    }

    fn record(&self, launch: &mut dyn FnMut(&HipStream) -> Result<()>) -> Result<HipGraph> {
        // What the launches use outlives the graph, by the caller's promise.
        self.backend.driver().capture(Box::new(()), launch)
    }

    fn replay(&self, graph: &HipGraph) -> Result<()> {
        graph.launch(&self.stream)
    }
}

#[cfg(feature = "peers")]
mod rocfft {
    use super::{HipMemory, HipStream, Work};
    use mmafft::backend_traits::device::Driver;
    use mmafft::peers::rocfft::{Rocfft, RocfftPlan};
    use mmafft::peers::Transform;
    use mmafft::Result;

    /// A plan, its work area, and the stream that it was last told of.
    pub struct Plan {
        plan: RocfftPlan,
        // Freed after the plan.
        _work: HipMemory,
        stream: Option<u64>,
    }

    pub fn version() -> Result<String> {
        Ok(Rocfft::open()?.version().into())
    }

    impl Plan {
        pub fn new(driver: &impl Driver<Memory = HipMemory>, work: &Work) -> Result<Plan> {
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

        pub fn launch(&mut self, stream: &HipStream, from: u64, to: u64) -> Result<()> {
            if self.stream != Some(stream.handle()) {
                // SAFETY: the stream is of this device; while it is the plan's, the plan is
                // executed with it alone.
                unsafe { self.plan.set_stream(stream.handle())? };
                self.stream = Some(stream.handle());
            }
            // SAFETY: the buffers were allocated for this work, and freeing them waits for it.
            unsafe { self.plan.execute(from, to) }
        }
    }
}

#[cfg(not(feature = "peers"))]
mod rocfft {
    use super::{HipMemory, HipStream, Work};
    use mmafft::backend_traits::device::Driver;
    use mmafft::{Error, Result};

    /// There is none in this build.
    pub enum Plan {}

    pub fn version() -> Result<String> {
        Err(not_built())
    }

    fn not_built() -> Error {
        Error::NotBuilt {
            backend: "rocfft",
            feature: "peers",
        }
    }

    impl Plan {
        pub fn new(_: &impl Driver<Memory = HipMemory>, _: &Work) -> Result<Plan> {
            Err(not_built())
        }

        pub fn launch(&mut self, _: &HipStream, _: u64, _: u64) -> Result<()> {
            match *self {}
        }
    }
}
