//! What CUDA's driver and HIP's runtime have each in its own way.

use crate::calls::{Answer, Calls, GraphCalls, Names, PeerCalls, Pointer, Status};
use crate::OpenDevices;
use mmafft_backend_traits::device::{Geometry, Program};
use mmafft_backend_traits::Cache;
use mmafft_backend_traits::{Error, Limits, Result};
use std::ffi::c_int;
use std::fmt::Debug;

/// A vendor's way to a device. The value has the vendor's own functions.
pub trait Interface: Debug + Sized + Send + Sync + 'static {
    /// The backend's name, as on the command line.
    const BACKEND: &'static str;
    /// Whose names the calls have.
    const NAMES: Names;
    /// What a kernel that went wrong leaves behind: every later call may fail with the same number.
    const STICKY: &'static [Status];
    /// How to go on then, in words.
    const AFTER_STICKY: &'static str;
    /// What it is that has no graphs, and what to do about it.
    const WITHOUT_GRAPHS: [&'static str; 2];
    /// Whether every recording in the process ends when anything waits for the null stream or copies on it.
    const NULL_ENDS_RECORDINGS: bool;
    /// Whether the kernels of two passes that take turns compile for it.
    const TURNS: bool;
    /// Shared memory that every kernel may have without asking.
    const SHARED_UNASKED: usize;

    /// What a device is, in words and numbers.
    type Device: Debug + Send + Sync;
    /// What compiles for it.
    type Compiler: Compiler;
    /// What is kept as long as the device is in use.
    type Held: Send + Sync;
    /// What a thread's calls are about: a context, or a device's number.
    type Current: Copy + PartialEq + Send;

    /// The devices in use, by their numbers.
    fn open_devices() -> &'static OpenDevices<Self>;

    /// A device by its number, with its driver and compiler.
    ///
    /// # Errors
    /// `NoDevice` without a driver, a device of this number that has matrix products, or a run-time compiler;
    /// `Unsupported` when the compiler does not compile for the device and its driver.
    fn find(ordinal: usize) -> Result<Found<Self>>;

    /// Takes the device of this number into use.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    fn hold(api: &'static Api<Self>, ordinal: usize) -> Result<Self::Held>;

    /// What a thread's calls are to be about to reach the device.
    fn of(held: &Self::Held) -> Self::Current;

    /// The driver's number for the device.
    fn number(held: &Self::Held) -> c_int;

    /// What the calling thread's calls are about, if about anything.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    fn current(api: &Api<Self>) -> Result<Option<Self::Current>>;

    /// From now on they are about this.
    ///
    /// # Safety
    /// It is of a device that is held, or was the thread's own.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    unsafe fn make_current(api: &Api<Self>, current: Self::Current) -> Result<()>;

    /// Asks for more shared memory than [`Interface::SHARED_UNASKED`] for a kernel.
    ///
    /// # Safety
    /// The function is there, and its device current.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    unsafe fn ask_shared(api: &Api<Self>, function: Pointer, bytes: usize) -> Result<()>;

    /// The driver's words for a status, and its name and number.
    fn words(&self, status: Status) -> String;
}

/// What makes machine code of kernels.
pub trait Compiler: Send + Sync {
    /// A program's kernel as one translation unit.
    fn source(program: &Program) -> String;

    /// Compiles a translation unit, whatever the cache has.
    ///
    /// # Errors
    /// `Device` with the first lines of the log when the source does not compile.
    fn compile(&self, source: &str) -> Result<Compiled>;

    /// What the code depends on beside its source and the compiler's version: the architecture, and the options.
    fn told(&self) -> [String; 2];

    /// The machine code of a translation unit, from the cache if it is there.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    fn code(&self, source: &str, cache: Option<&Cache>) -> Result<Vec<u8>> {
        let make = || Ok(self.compile(source)?.code);
        let Some(cache) = cache else { return make() };
        let ([architecture, options], version) = (self.told(), self.version());
        cache.code(&[source, &architecture, &options, &version], make)
    }

    /// The compiler's version.
    fn version(&self) -> String;
}

/// Machine code of one architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The code, as the driver loads it.
    pub code: Vec<u8>,
    /// The compiler's log: NVRTC's has the registers and spills of each kernel.
    pub log: String,
}

/// What runs kernels here and what compiles them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// That of CUDA's driver, the newest CUDA that it runs, or of the HIP runtime, if there is one.
    pub driver: Option<String>,
    /// That of NVRTC or hipRTC, if it is found.
    pub compiler: Option<String>,
}

/// A device that [`Interface::find`] found.
pub struct Found<I: Interface> {
    /// Its driver.
    pub api: &'static Api<I>,
    /// What it is.
    pub device: I::Device,
    /// What the planner must know of it.
    pub limits: Limits,
    /// What lowering must know of it.
    pub geometry: Geometry,
    /// What compiles for it.
    pub compiler: I::Compiler,
}

/// A driver: opened, and with every function in use.
pub struct Api<I> {
    /// The vendor's own functions.
    pub own: I,
    pub(crate) calls: Calls,
    graphs: std::result::Result<GraphCalls, &'static str>,
    peers: std::result::Result<PeerCalls, &'static str>,
}

impl<I: Interface> Api<I> {
    /// A driver with all functions that every use of a device needs, or the name of the first that is missing.
    ///
    /// # Safety
    /// What `symbol` finds are the driver's functions of these names, which stay where they are.
    pub unsafe fn load(
        own: I,
        symbol: impl Fn(&'static str) -> Option<Pointer>,
    ) -> std::result::Result<Api<I>, &'static str> {
        Ok(Api {
            own,
            // SAFETY: the caller's.
            calls: unsafe { Calls::load(I::NAMES, &symbol) }?,
            // SAFETY: the caller's.
            graphs: unsafe { GraphCalls::load(I::NAMES, &symbol) },
            // SAFETY: the caller's.
            peers: unsafe { PeerCalls::load(I::NAMES, &symbol) },
        })
    }

    /// The functions of graphs.
    pub(crate) fn graphs(&self) -> Result<&GraphCalls> {
        let [what, instead] = I::WITHOUT_GRAPHS;
        self.graphs.as_ref().map_err(|name| Error::Unsupported {
            what: "recording a graph".into(),
            backend: format!("{what}, which has no function {name}"),
            instead: format!("{instead}, or launch without a graph"),
        })
    }

    /// The functions of memory over several devices.
    pub(crate) fn peers(&self) -> Result<&PeerCalls> {
        self.peers.as_ref().map_err(|name| Error::Unsupported {
            what: "memory over several devices".into(),
            backend: format!("a driver that has no function {name}"),
            instead: "install a newer driver, or exchange messages".into(),
        })
    }

    /// An error that says which call failed, unless it did not.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    pub fn check(&self, answer: Answer) -> Result<()> {
        let Answer { call, status } = answer;
        if status == 0 {
            return Ok(());
        }
        let words = self.own.words(status);
        let sticky = I::STICKY.contains(&status);
        let message = match sticky {
            false => format!("{call}: {words}"),
            true => format!(
                "{call}: {words}. Something launched earlier failed on the device; what was not read back before \
                 is lost, and {}",
                I::AFTER_STICKY
            ),
        };
        Err(Error::Device {
            backend: I::BACKEND.into(),
            message,
            output_touched: sticky,
        })
    }
}

/// That no device can be used, why not, and what to do about it.
pub fn no_device<I: Interface>(reason: impl Into<String>, remedy: &str) -> Error {
    Error::NoDevice {
        backend: I::BACKEND,
        reason: reason.into(),
        remedy: remedy.into(),
    }
}

/// An error of ours about a device, before anything ran.
pub fn refused<I: Interface>(message: String) -> Error {
    Error::Device {
        backend: I::BACKEND.into(),
        message,
        output_touched: false,
    }
}
