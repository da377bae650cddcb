//! A device: its driver's events, copies, streams and graphs, and a library beside ours.

use super::lab::{Lab, PreparedOf, Work};
use super::measure::without;
use mmafft::backend_traits::device::{DeviceBackend, DeviceBuffer};
use mmafft::backend_traits::Bindings;
use mmafft::Result;
use mmafft_driver::{DeviceDriver, Event, Graph, Interface, Memory, Stream};

/// A device with a stream.
pub struct DeviceLab<I: Interface, P> {
    backend: DeviceBackend<DeviceDriver<I>>,
    stream: Stream<I>,
    driver: String,
    peer: String,
    plans: std::marker::PhantomData<fn() -> P>,
}

type Buffer<I> = DeviceBuffer<Memory<I>>;

/// A plan of a peer's.
pub trait PeerPlan<I: Interface>: Sized {
    /// The peer's name and version; empty for none.
    ///
    /// # Errors
    /// `NoDevice` without its library.
    fn version() -> Result<String>;

    /// A plan for the work.
    fn new(driver: &DeviceDriver<I>, work: &Work) -> Result<Self>;

    /// Enqueues it, from one address to another.
    fn launch(&mut self, stream: &Stream<I>, from: u64, to: u64) -> Result<()>;
}

/// No library beside ours.
pub enum NoPeer {}

impl<I: Interface> PeerPlan<I> for NoPeer {
    fn version() -> Result<String> {
        Ok(String::new())
    }

    fn new(_: &DeviceDriver<I>, _: &Work) -> Result<NoPeer> {
        Err(without("no library", "a plan", "name one"))
    }

    fn launch(&mut self, _: &Stream<I>, _: u64, _: u64) -> Result<()> {
        match *self {}
    }
}

impl<I: Interface, P: PeerPlan<I>> DeviceLab<I, P> {
    /// The device with its peer; and what its driver is called, with its version, and its compiler.
    ///
    /// # Errors
    /// `NoDevice` without the peer's library; `Device` when the device has no stream left.
    pub fn new(
        backend: DeviceBackend<DeviceDriver<I>>,
        [driver, compiler]: [&str; 2],
    ) -> Result<Self> {
        let version = backend.driver().compiler_version();
        Ok(DeviceLab {
            stream: backend.driver().stream()?,
            driver: format!("{driver}, {compiler} {version}"),
            backend,
            peer: P::version()?,
            plans: std::marker::PhantomData,
        })
    }
}

impl<I: Interface, P: PeerPlan<I>> Lab for DeviceLab<I, P> {
    type Backend = DeviceBackend<DeviceDriver<I>>;
    type Stream = Stream<I>;
    type Mark = Event<I>;
    type Graph = Graph<I>;
    type Peer = P;

    fn backend(&self) -> &Self::Backend {
        &self.backend
    }

    fn driver(&self) -> String {
        self.driver.clone()
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn stream(&self) -> &Stream<I> {
        &self.stream
    }

    fn mark(&self) -> Result<Event<I>> {
        let event = self.backend.driver().event()?;
        event.record(&self.stream)?;
        Ok(event)
    }

    fn seconds(&self, from: &Event<I>, to: &Event<I>) -> Result<f64> {
        Ok(f64::from(to.elapsed_ms(from)?) * 1e-3)
    }

    fn copy(
        &self,
        stream: &Stream<I>,
        from: &Buffer<I>,
        to: &mut Buffer<I>,
        bytes: usize,
    ) -> Result<()> {
        let driver = self.backend.driver();
        driver.copy(stream, from.memory(), to.memory(), bytes)
    }

    fn launch(
        &self,
        stream: &Stream<I>,
        prepared: &PreparedOf<Self>,
        bindings: Bindings<'_, Buffer<I>>,
    ) -> Result<()> {
        self.backend.launch_on(stream, prepared, bindings)
    }

    fn plan_peer(&self, work: &Work) -> Result<P> {
        P::new(self.backend.driver(), work)
    }

    fn launch_peer(
        &self,
        stream: &Stream<I>,
        peer: &mut P,
        input: &mut Buffer<I>,
        output: Option<&mut Buffer<I>>,
    ) -> Result<()> {
        let from = input.memory().pointer();
        let to = output.map_or(from, |output| output.memory().pointer());
        peer.launch(stream, from, to)
    }

    fn record(&self, launch: &mut dyn FnMut(&Stream<I>) -> Result<()>) -> Result<Graph<I>> {
        // What the launches use outlives the graph, by the caller's promise.
        self.backend.driver().capture(Box::new(()), launch)
    }

    fn replay(&self, graph: &Graph<I>) -> Result<()> {
        graph.launch(&self.stream)
    }
}
