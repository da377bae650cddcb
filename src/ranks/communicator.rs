//! [`Communicator`]: what ranks need of whatever joins them.

use crate::any::{AnyBackend, AnyBuffer};
use crate::foreign::Foreign;
use mmafft_backend_traits::{Error, Result};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// Which rank this is, and what joins it to the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// This rank's number.
    pub rank: usize,
    /// How many ranks there are.
    pub ranks: usize,
    /// What joins them: `threads`, or the library's name and version.
    pub engine: String,
    /// About the bytes a second that a rank sends to others while all do.
    pub bytes_per_second: f64,
}

/// What joins ranks. Calls that wait are collective: all ranks make them, in the same order.
///
/// A call that fails with [`mmafft_backend_traits::Error::Lost`] ends the group: later calls fail at once.
///
/// # Safety
/// Ranks store to memory that others load, and rest on this: a rank's number is its own alone and does not change, no
/// call ends well on any rank before all ranks have made it, and all windows of a call are the same memory.
pub unsafe trait Communicator: Send + Sync + std::fmt::Debug {
    /// Which rank this is.
    fn station(&self) -> &Station;

    /// Some bytes of every rank to every rank: what was asked for, results, and nothing at all, as a fence. What any
    /// rank wrote before is seen by all behind it.
    ///
    /// # Errors
    /// `Lost` where a rank does not come in time.
    fn agree(&self, mine: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>>;

    /// Memory that every rank's backend reads and writes; where there is no such memory, so that ranks exchange messages,
    /// why not.
    ///
    /// # Errors
    /// Any, on every rank or on none.
    fn window(
        &self,
        backend: &AnyBackend,
        wanted: &Wanted<'_>,
        patience: Duration,
    ) -> Result<Shared>;

    /// A message of every rank to every rank, itself included.
    ///
    /// # Errors
    /// `Overflow` and `OtherRank` before anything is under way, on every rank. Any other, as `Lost` where a rank does not
    /// come in time: what was received until then means nothing, and the caller frees neither memory, as what is under way
    /// may still read and write it.
    fn exchange(&self, messages: &mut Messages<'_>, patience: Duration) -> Result<()>;

    /// Ends the group, as what was enqueued did not end in this time. Not collective.
    fn give_up(&self, _waited: Duration) {}

    /// What it can do with work that devices have yet to do, if anything.
    fn on_device(&self) -> Option<&dyn OnDevice> {
        None
    }
}

/// What joins ranks while their devices work: no call waits for them. What is left out, ranks do without.
///
/// # Safety
/// Ranks rest on it as on [`Communicator`]: where [`OnDevice::mark`] says `true`, what is enqueued behind
/// [`OnDevice::follow`] comes after all marks, and what is enqueued behind [`OnDevice::exchange`] after what has arrived.
pub unsafe trait OnDevice {
    /// Marks what this rank's backend has enqueued, which others [`OnDevice::follow`] behind the next fence; `false`
    /// where they cannot, so that each rank waits for its backend before the fence. Not collective.
    ///
    /// # Errors
    /// What fails on the backend.
    fn mark(&self, _backend: &AnyBackend) -> Result<bool> {
        Ok(false)
    }

    /// Lets what this rank's backend enqueues from now on come after the last mark of every rank, without waiting. Not
    /// collective.
    ///
    /// # Errors
    /// What fails on the backend.
    fn follow(&self, _backend: &AnyBackend) -> Result<()> {
        Ok(())
    }

    /// Whether messages go from this backend's own memory to the others'. On every rank, or on none.
    ///
    /// # Errors
    /// `Unsupported` where the ranks were joined on another device.
    fn takes_memory_of(&self, _backend: &AnyBackend) -> Result<bool> {
        Ok(false)
    }

    /// The same of messages in this rank's backend's memory, enqueued behind what its default stream does: what is enqueued next
    /// there comes after what has arrived.
    ///
    /// # Errors
    /// As [`Communicator::exchange`]; what fails later [`OnDevice::check`] says.
    fn exchange(
        &self,
        _backend: &AnyBackend,
        _letters: &Letters<'_>,
        _patience: Duration,
    ) -> Result<()> {
        Err(Error::Unsupported {
            what: "messages in a device's memory".into(),
            backend: "ranks".into(),
            instead: "exchange them through the host".into(),
        })
    }

    /// What has failed since the last call, of what was enqueued. Not collective.
    ///
    /// # Errors
    /// What has failed.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// The messages of an exchange in a backend's own memory, those of all ranks one after another.
#[derive(Debug)]
pub struct Letters<'a> {
    /// The address of what is sent, to rank 0 first.
    pub sent: u64,
    /// Bytes to each rank.
    pub to: &'a [usize],
    /// The address of what comes, from rank 0 first.
    pub received: u64,
    /// Bytes from each rank.
    pub from: &'a [usize],
    /// Bytes of a point: every count is a multiple of it.
    pub point: usize,
}

/// A window that ranks want.
pub struct Wanted<'a> {
    /// Its bytes.
    pub bytes: usize,
    /// Of memory that lies behind each other by parts ([`Window::in_parts`]): which rank loads most of each granule of so
    /// many bytes.
    pub homes: &'a dyn Fn(usize) -> Vec<usize>,
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Wanted({} bytes)", self.bytes)
    }
}

/// Whether ranks share memory.
#[derive(Debug)]
pub enum Shared {
    /// They do.
    Window(Window),
    /// They do not, for this reason.
    Apart(String),
}

impl Shared {
    /// The same for another rank.
    pub(crate) fn again(&self) -> Shared {
        match self {
            Shared::Apart(reason) => Shared::Apart(reason.clone()),
            Shared::Window(window) => Shared::Window(Window {
                address: window.address,
                bytes: window.bytes,
                in_parts: window.in_parts,
                owner: window.owner.clone(),
            }),
        }
    }
}

/// The messages of an exchange, in host memory: those of all ranks one after another.
#[derive(Debug)]
pub struct Messages<'a> {
    /// What is sent, to rank 0 first.
    pub sent: &'a [u8],
    /// Bytes to each rank.
    pub to: &'a [usize],
    /// Where what comes goes, from rank 0 first.
    pub received: &'a mut [u8],
    /// Bytes from each rank.
    pub from: &'a [usize],
    /// Bytes of a point: every count is a multiple of it.
    pub point: usize,
}

/// Memory that all ranks of a group read and write.
pub struct Window {
    address: u64,
    bytes: usize,
    in_parts: bool,
    /// What keeps the memory, as long as any rank has its window.
    owner: Arc<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Window({} bytes)", self.bytes)
    }
}

impl Window {
    /// Memory from an address of the ranks' backends on, which lives as long as its owner.
    ///
    /// # Safety
    /// The bytes are there and initialised as long as `owner` lives, and this rank's backend reads and writes them.
    /// Nobody writes them but the group's ranks.
    pub unsafe fn new(address: u64, bytes: usize, owner: Arc<dyn Any + Send + Sync>) -> Window {
        Window {
            address,
            bytes,
            in_parts: false,
            owner,
        }
    }

    /// The same where what a rank loads is to lie together, as in memory of several devices: dimensions that ranks share
    /// come first, instead of in the order of the array. On every rank, or on none.
    pub fn in_parts(mut self) -> Window {
        self.in_parts = true;
        self
    }

    pub(crate) fn is_in_parts(&self) -> bool {
        self.in_parts
    }

    /// Never frees the memory, which what is under way may still touch.
    pub(crate) fn leak(&self) {
        std::mem::forget(self.owner.clone());
    }

    /// All of it as memory of the backend.
    ///
    /// # Safety
    /// What runs with it touches this rank's part alone, between two fences, and is done before the window is dropped.
    pub(crate) unsafe fn view(&self, backend: &AnyBackend) -> AnyBuffer {
        // SAFETY: by this function's contract and that of `new`.
        unsafe { backend.buffer_from_raw(self.address, self.bytes) }
    }
}
