//! The CPU and the emulated devices: everything enqueued is done when the call returns.

use super::lab::{Lab, Work};
use super::measure::without;
use mmafft::backend_traits::{Bindings, Buffer as _};
use mmafft::{AnyBackend, AnyBuffer, AnyPrepared, Backend, Result};
use std::convert::Infallible;
use std::time::Instant;

/// Bytes of one timing: some ten microseconds of a copy.
const LEAST_BYTES: usize = 1 << 20;

/// The host.
pub struct HostLab {
    backend: AnyBackend,
    library: Option<Library>,
}

/// A peer's plan: runs from the first bytes to the second, or in the first.
pub type HostPeer = Box<dyn FnMut(&mut [u8], Option<&mut [u8]>)>;

/// A library beside ours.
pub struct Library {
    /// Its name and version.
    pub name: String,
    /// Plans work, for so many threads.
    pub plan: fn(&Work, usize) -> Result<HostPeer>,
}

impl HostLab {
    /// The host, with a library beside ours if there is one.
    pub fn new(backend: AnyBackend, library: Option<Library>) -> HostLab {
        HostLab { backend, library }
    }
}

impl Lab for HostLab {
    type Backend = AnyBackend;
    type Stream = ();
    type Mark = Instant;
    type Graph = Infallible;
    type Peer = HostPeer;

    fn backend(&self) -> &AnyBackend {
        &self.backend
    }

    fn driver(&self) -> String {
        String::new()
    }

    fn peer(&self) -> &str {
        self.library.as_ref().map_or("", |library| &library.name)
    }

    fn copies_are_a_ruler(&self) -> bool {
        matches!(self.backend, AnyBackend::Cpu(_))
    }

    fn caches_hold_a_run(&self) -> bool {
        self.copies_are_a_ruler()
    }

    fn least_bytes(&self) -> usize {
        // The emulated devices are slow enough.
        if self.copies_are_a_ruler() {
            LEAST_BYTES
        } else {
            1
        }
    }

    fn stream(&self) -> &() {
        &()
    }

    fn mark(&self) -> Result<Instant> {
        Ok(Instant::now())
    }

    fn seconds(&self, from: &Instant, to: &Instant) -> Result<f64> {
        Ok(to.duration_since(*from).as_secs_f64())
    }

    fn copy(&self, _: &(), from: &AnyBuffer, to: &mut AnyBuffer, bytes: usize) -> Result<()> {
        match (from, to) {
            (AnyBuffer::Cpu(from), AnyBuffer::Cpu(to)) => {
                to.as_bytes_mut()[..bytes].copy_from_slice(&from.as_bytes()[..bytes]);
                Ok(())
            }
            (from, to) => {
                let mut host = vec![0; bytes.min(from.bytes())];
                self.backend.read(from, 0, &mut host)?;
                self.backend.write(to, 0, &host)
            }
        }
    }

    fn launch(
        &self,
        _: &(),
        prepared: &AnyPrepared,
        bindings: Bindings<'_, AnyBuffer>,
    ) -> Result<()> {
        self.backend.launch(prepared, bindings)?;
        self.backend.synchronize()
    }

    fn plan_peer(&self, work: &Work) -> Result<HostPeer> {
        match &self.library {
            Some(library) => (library.plan)(work, self.backend.limits().workers),
            None => Err(without("no library", "a plan", "name one")),
        }
    }

    fn launch_peer(
        &self,
        _: &(),
        peer: &mut HostPeer,
        input: &mut AnyBuffer,
        output: Option<&mut AnyBuffer>,
    ) -> Result<()> {
        let foreign = || without(self.peer(), "memory that is not the host's", "use the cpu");
        let AnyBuffer::Cpu(input) = input else {
            return Err(foreign());
        };
        let output = match output {
            None => None,
            Some(AnyBuffer::Cpu(output)) => Some(output.as_bytes_mut()),
            Some(_) => return Err(foreign()),
        };
        peer(input.as_bytes_mut(), output);
        Ok(())
    }

    fn record(&self, _: &mut dyn FnMut(&()) -> Result<()>) -> Result<Infallible> {
        Err(without(
            self.backend.limits().backend,
            "a graph of launches",
            "use another class",
        ))
    }

    fn replay(&self, graph: &Infallible) -> Result<()> {
        match *graph {}
    }
}
