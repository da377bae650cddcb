//! What a device's own library must do: hold memory, compile a program, launch it.
//!
//! Everything else of a device backend — lowering passes to programs, tables, checks,
//! bindings — is [`super::DeviceBackend`], once for all of them.

use super::program::Program;
use super::turns::TurnWords;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::limits::Limits;

/// Memory from a byte on. Whether it may be written is the launcher's to know.
#[derive(Debug)]
pub struct Region<'a, M> {
    /// The memory.
    pub memory: &'a M,
    /// Bytes before the region.
    pub offset: usize,
    /// Bytes of it that the launch may touch, which emulated devices hold it to; more than there are: all.
    pub bytes: usize,
}

impl<'a, M> Region<'a, M> {
    /// All of the memory from a byte on.
    pub fn from(memory: &'a M, offset: usize) -> Self {
        Region {
            memory,
            offset,
            bytes: usize::MAX,
        }
    }
}

impl<M> Clone for Region<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Region<'_, M> {}

/// A kernel's arguments: `Arguments` of `device/config.hpp`, field for field.
#[derive(Debug)]
pub struct Launch<'a, M> {
    /// What is read.
    pub load: Region<'a, M>,
    /// What is written.
    pub store: Region<'a, M>,
    /// Edge points of a C2R line; of `split` and `combine`, the low parts.
    pub extra: Option<Region<'a, M>>,
    /// Roots, chirps and spectra.
    pub tables: Option<Region<'a, M>>,
    /// Fragments of DFT matrices; of `split` and `combine`, the exponents.
    pub matrices: Option<Region<'a, M>>,
    /// Lines of the pass, or vectors.
    pub lines: u64,
    /// Every stored value is multiplied by this.
    pub scale: f64,
    /// Blocks of the launch, at most [`Geometry::blocks`].
    pub blocks: u64,
}

/// A device, or an emulation of one.
pub trait Driver: Send + Sync {
    /// Its memory; freed when dropped.
    type Memory: Send + Sync;
    /// A compiled program.
    type Kernel: Send + Sync;
    /// An order of launches.
    type Stream: Send + Sync;

    /// What the planner must know.
    fn limits(&self) -> &Limits;

    /// What lowering must know.
    fn geometry(&self) -> Geometry;

    /// What the speed of kernels depends on beside the device: a text that is another where their sources or
    /// their compiler are.
    fn revision(&self) -> String {
        String::new()
    }

    /// Memory of at least `bytes`, aligned to 256.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory>;

    /// Where the memory begins, for checks of alignment and overlap.
    fn address(&self, memory: &Self::Memory) -> u64;

    /// Copies from the host; the caller has checked the range. Everything launched before
    /// that touches the memory is done first.
    fn write(&self, memory: &mut Self::Memory, offset: usize, bytes: &[u8]) -> Result<()>;

    /// Copies to the host; the caller has checked the range. Everything launched before
    /// that touches the memory is done first.
    fn read(&self, memory: &Self::Memory, offset: usize, bytes: &mut [u8]) -> Result<()>;

    /// Compiles, or finds what has been compiled.
    fn kernel(&self, program: &Program) -> Result<Self::Kernel>;

    /// Bytes of memory that each of a kernel's threads has to itself: registers that did not
    /// suffice.
    fn local_bytes(&self, kernel: &Self::Kernel) -> usize;

    /// The stream of [`crate::Backend::launch`].
    fn default_stream(&self) -> &Self::Stream;

    /// Enqueues a launch.
    ///
    /// The regions outlive the kernel's run, or freeing them waits for it, and no other
    /// work writes what the launch touches: [`super::DeviceBackend`] sees to it.
    fn launch(
        &self,
        stream: &Self::Stream,
        kernel: &Self::Kernel,
        launch: &Launch<'_, Self::Memory>,
    ) -> Result<()>;

    /// Whether one launch can run two passes that take turns. Where not, each turn of each pass is a launch.
    fn takes_turns(&self) -> bool {
        false
    }

    /// Enqueues two passes that take turns, as one launch of a kernel of [`Program::in_turns`]. Each launch says where
    /// the first turn's memory is; `counters` is memory for [`TurnWords::counter_bytes`], which is lost.
    ///
    /// As with [`Driver::launch`] regions outlive the kernel's run.
    ///
    /// # Errors
    /// `Unsupported` where [`Driver::takes_turns`] is false.
    fn launch_in_turns(
        &self,
        _stream: &Self::Stream,
        _kernel: &Self::Kernel,
        _passes: [&Launch<'_, Self::Memory>; 2],
        _turns: &TurnWords,
        _counters: Region<'_, Self::Memory>,
    ) -> Result<()> {
        Err(Error::Unsupported {
            what: "passes that take turns in one launch".into(),
            backend: self.limits().backend.into(),
            instead: "launch each turn of each pass".into(),
        })
    }

    /// Waits for all streams.
    fn synchronize(&self) -> Result<()>;
}
