//! The backend chosen at run time. Every backend's name exists in every build: one that is
//! left out returns [`Error::NotBuilt`].
//!
//! Long for every method of the contract, each spelled out once, so that a backend is one line.

#[cfg(feature = "cpu")]
use crate::cpu::CpuBackend;
use crate::foreign::Foreign;
#[cfg(any(feature = "cuda", feature = "hip", feature = "emulate"))]
use mmafft_backend_traits::device::DeviceBackend;
use mmafft_backend_traits::{
    Backend, Bindings, Buffer, Direction, Error, Limits, Plan, Prepared, Result, Workspace,
};

/// An NVIDIA device.
#[cfg(feature = "cuda")]
pub type CudaBackend = DeviceBackend<mmafft_kernels_cuda::CudaDriver>;
/// An AMD device.
#[cfg(feature = "hip")]
pub type HipBackend = DeviceBackend<mmafft_kernels_hip::HipDriver>;
/// A device emulated on the host, for tests.
#[cfg(feature = "emulate")]
pub type EmulatedBackend = DeviceBackend<mmafft_emulated::EmulatedDriver>;

/// A backend's name on the command line, and the cargo feature that brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackendName {
    /// The name.
    pub name: &'static str,
    /// The feature.
    pub feature: &'static str,
    /// Whether this build has it.
    pub built: bool,
    /// Whether [`AnyBackend::auto`] tries it.
    pub automatic: bool,
}

/// All backends, built or not, those tried first by [`AnyBackend::auto`] first.
pub const BACKENDS: &[BackendName] = &[
    row("cuda", "cuda", cfg!(feature = "cuda"), true),
    row("hip", "hip", cfg!(feature = "hip"), true),
    row("cpu", "cpu", cfg!(feature = "cpu"), true),
    row(
        "emulated-nvidia",
        "emulate",
        cfg!(feature = "emulate"),
        false,
    ),
    row("emulated-amd", "emulate", cfg!(feature = "emulate"), false),
];

const fn row(
    name: &'static str,
    feature: &'static str,
    built: bool,
    automatic: bool,
) -> BackendName {
    BackendName {
        name,
        feature,
        built,
        automatic,
    }
}

/// The enums over all backends, and the macros that call one of them: one line a backend, with its feature, without which
/// no value is one of it. `$d` is a dollar sign, as those macros have their own.
macro_rules! backends {
    ($d:tt $($(#[$meta:meta])* $feature:literal: $variant:ident($backend:ty)),* $(,)?) => {
        /// A backend of this build. Cheap to clone.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum AnyBackend {
            $($(#[$meta])* $variant(
                #[cfg(feature = $feature)] $backend,
                #[cfg(not(feature = $feature))] std::convert::Infallible,
            )),*
        }

        /// Memory of a backend.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyBuffer {
            $($(#[$meta])* $variant(
                #[cfg(feature = $feature)] <$backend as Backend>::Buffer,
                #[cfg(not(feature = $feature))] std::convert::Infallible,
            )),*
        }

        /// A plan prepared on a backend.
        #[non_exhaustive]
        pub enum AnyPrepared {
            $($(#[$meta])* $variant(
                #[cfg(feature = $feature)] <$backend as Backend>::Prepared,
                #[cfg(not(feature = $feature))] std::convert::Infallible,
            )),*
        }

        /// An order of work on a backend.
        #[allow(dead_code, reason = "what is not built has none")]
        pub enum AnyStream {
            $($(#[$meta])* $variant(
                #[cfg(feature = $feature)] <$backend as Foreign>::Stream,
                #[cfg(not(feature = $feature))] std::convert::Infallible,
            )),*
        }

        /// Calls what is inside of any of these; wraps what comes of it, if that is one of them too.
        macro_rules! of {
            ($d any:ident, $d value:expr, $d own:ident => $d call:expr) => {
                match $d value {
                    $(#[cfg(feature = $feature)] $d any::$variant($d own) => $d call,)*
                    $(#[cfg(not(feature = $feature))] $d any::$variant(none) => match *none {},)*
                }
            };
            ($d any:ident, $d value:expr, $d own:ident => $d call:expr, as $d made:ident) => {
                match $d value {
                    $(#[cfg(feature = $feature)] $d any::$variant($d own) => $d made::$variant($d call),)*
                    $(#[cfg(not(feature = $feature))] $d any::$variant(none) => match *none {},)*
                }
            };
            ($d any:ident, $d value:expr, $d own:ident => $d call:expr, $d made:ident) => {
                match $d value {
                    $(#[cfg(feature = $feature)] $d any::$variant($d own) => $d call.map($d made::$variant),)*
                    $(#[cfg(not(feature = $feature))] $d any::$variant(none) => match *none {},)*
                }
            };
        }

        /// Calls a backend with what is its own; refuses what is another's.
        macro_rules! with {
            ($d backend:expr, $d own:ident, $d what:literal,
                [$d($d any:ident($d value:ident)),*] => $d call:expr) => {
                match ($d backend, $d($d value),*) {
                    $(#[cfg(feature = $feature)] (
                        AnyBackend::$variant($d own),
                        $d($d any::$variant($d value)),*
                    ) => $d call,)*
                    #[allow(unreachable_patterns)]
                    (backend, ..) => Err(foreign(backend, $d what)),
                }
            };
        }

        impl AnyBackend {
            /// Launches with a backend's own stream and input, where there are some.
            fn launch_own(
                &self,
                stream: Option<&AnyStream>,
                prepared: &AnyPrepared,
                bindings: Bindings<'_, AnyBuffer>,
            ) -> Result<()> {
                let Bindings { input, output, scratch } = bindings;
                match (self, prepared, output, scratch) {
                    $(#[cfg(feature = $feature)] (
                        AnyBackend::$variant(b),
                        AnyPrepared::$variant(p),
                        AnyBuffer::$variant(output),
                        AnyBuffer::$variant(scratch),
                    ) => {
                        let input = match input {
                            None => None,
                            Some(AnyBuffer::$variant(input)) => Some(input),
                            #[allow(unreachable_patterns)]
                            Some(_) => return Err(foreign(self, "input buffer")),
                        };
                        let stream = match stream {
                            None => None,
                            Some(AnyStream::$variant(stream)) => Some(stream),
                            #[allow(unreachable_patterns)]
                            Some(_) => return Err(foreign(self, "stream")),
                        };
                        b.launch_by(stream, p, Bindings { input, output, scratch })
                    })*
                    #[allow(unreachable_patterns)]
                    _ => Err(foreign(self, "buffer")),
                }
            }
        }
    };
}

backends! {
    $
    /// The CPU.
    "cpu": Cpu(CpuBackend),
    /// An NVIDIA device.
    "cuda": Cuda(CudaBackend),
    /// An AMD device.
    "hip": Hip(HipBackend),
    /// A device emulated on the host.
    "emulate": Emulated(EmulatedBackend),
}

impl Buffer for AnyBuffer {
    fn bytes(&self) -> usize {
        of!(AnyBuffer, self, own => own.bytes())
    }
}

impl Prepared for AnyPrepared {
    fn scratch_bytes(&self) -> usize {
        of!(AnyPrepared, self, own => own.scratch_bytes())
    }

    fn workspace(&self) -> Option<Workspace> {
        of!(AnyPrepared, self, own => own.workspace())
    }

    fn is_draft(&self) -> bool {
        of!(AnyPrepared, self, own => own.is_draft())
    }
}

impl Backend for AnyBackend {
    type Buffer = AnyBuffer;
    type Prepared = AnyPrepared;

    fn limits(&self) -> &Limits {
        of!(AnyBackend, self, own => own.limits())
    }

    fn revision(&self) -> String {
        of!(AnyBackend, self, own => own.revision())
    }

    fn allocate(&self, bytes: usize) -> Result<AnyBuffer> {
        of!(AnyBackend, self, own => own.allocate(bytes), AnyBuffer)
    }

    fn write(&self, buffer: &mut AnyBuffer, offset: usize, bytes: &[u8]) -> Result<()> {
        with!(self, own, "buffer", [AnyBuffer(buffer)] => own.write(buffer, offset, bytes))
    }

    fn read(&self, buffer: &AnyBuffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        with!(self, own, "buffer", [AnyBuffer(buffer)] => own.read(buffer, offset, bytes))
    }

    fn prepare(&self, plan: &Plan) -> Result<AnyPrepared> {
        of!(AnyBackend, self, own => own.prepare(plan), AnyPrepared)
    }

    fn draft(&self, plan: &Plan) -> Result<AnyPrepared> {
        of!(AnyBackend, self, own => own.draft(plan), AnyPrepared)
    }

    fn launch(&self, prepared: &AnyPrepared, bindings: Bindings<'_, AnyBuffer>) -> Result<()> {
        self.launch_own(None, prepared, bindings)
    }

    fn synchronize(&self) -> Result<()> {
        of!(AnyBackend, self, own => own.synchronize())
    }

    fn split(
        &self,
        values: &AnyBuffer,
        vector: usize,
        hi: &mut AnyBuffer,
        lo: &mut AnyBuffer,
        exponents: &mut AnyBuffer,
    ) -> Result<()> {
        with!(self, own, "buffer",
            [AnyBuffer(values), AnyBuffer(hi), AnyBuffer(lo), AnyBuffer(exponents)]
            => own.split(values, vector, hi, lo, exponents))
    }

    fn combine(
        &self,
        hi: &AnyBuffer,
        lo: &AnyBuffer,
        exponents: &AnyBuffer,
        vector: usize,
        values: &mut AnyBuffer,
    ) -> Result<()> {
        with!(self, own, "buffer",
            [AnyBuffer(hi), AnyBuffer(lo), AnyBuffer(exponents), AnyBuffer(values)]
            => own.combine(hi, lo, exponents, vector, values))
    }

    fn product(
        &self,
        radix: usize,
        direction: Direction,
        hi: &AnyBuffer,
        lo: &AnyBuffer,
        exponents: &AnyBuffer,
        values: &mut AnyBuffer,
    ) -> Result<()> {
        with!(self, own, "buffer",
            [AnyBuffer(hi), AnyBuffer(lo), AnyBuffer(exponents), AnyBuffer(values)]
            => own.product(radix, direction, hi, lo, exponents, values))
    }
}

impl Foreign for AnyBackend {
    type Stream = AnyStream;

    fn stream(&self) -> Result<AnyStream> {
        of!(AnyBackend, self, own => own.stream(), AnyStream)
    }

    unsafe fn stream_from_raw(&self, handle: u64) -> Result<AnyStream> {
        // SAFETY: the caller's.
        of!(AnyBackend, self, own => unsafe { own.stream_from_raw(handle) }, AnyStream)
    }

    fn zeros(&self, bytes: usize) -> Result<AnyBuffer> {
        of!(AnyBackend, self, own => own.zeros(bytes), AnyBuffer)
    }

    unsafe fn buffer_from_raw(&self, pointer: u64, bytes: usize) -> AnyBuffer {
        // SAFETY: the caller's.
        of!(AnyBackend, self, own => unsafe { own.buffer_from_raw(pointer, bytes) }, as AnyBuffer)
    }

    fn address(&self, buffer: &mut AnyBuffer) -> u64 {
        // No backend has memory of another.
        with!(self, own, "buffer", [AnyBuffer(buffer)] => Ok(own.address(buffer))).unwrap_or(0)
    }

    fn launch_by(
        &self,
        stream: Option<&AnyStream>,
        prepared: &AnyPrepared,
        bindings: Bindings<'_, AnyBuffer>,
    ) -> Result<()> {
        self.launch_own(stream, prepared, bindings)
    }

    fn wait(&self, stream: &AnyStream) -> Result<()> {
        with!(self, own, "stream", [AnyStream(stream)] => own.wait(stream))
    }
}

/// Something of one backend given to another.
fn foreign(backend: &AnyBackend, what: &str) -> Error {
    Error::Unsupported {
        what: format!("a {what} of another backend"),
        backend: backend.limits().backend.into(),
        instead: "make buffers with the transform that they are for".into(),
    }
}

impl AnyBackend {
    /// The first of CUDA, HIP and CPU that can run plans.
    pub fn auto() -> Result<Self> {
        let automatic = BACKENDS.iter().filter(|b| b.automatic && b.built);
        let mut last = None;
        for backend in automatic {
            match AnyBackend::from_name(backend.name) {
                Ok(backend) => return Ok(backend),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or(Error::NotBuilt {
            backend: "cpu",
            feature: "cpu",
        }))
    }

    /// The CPU with all threads.
    pub fn cpu() -> Result<Self> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "cpu")] {
                Ok(AnyBackend::Cpu(CpuBackend::default()))
            } else {
                Err(not_built("cpu", "cpu"))
            }
        }
    }

    /// An NVIDIA device.
    ///
    /// # Errors
    /// `NotBuilt` without the feature `cuda`; `NoDevice` without a driver, a device of this
    /// number or NVRTC; each says what would help.
    pub fn cuda(device: usize) -> Result<Self> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "cuda")] {
                let driver = mmafft_kernels_cuda::CudaDriver::open(device)?;
                Ok(AnyBackend::Cuda(CudaBackend::new(driver)))
            } else {
                let _ = device;
                Err(not_built("cuda", "cuda"))
            }
        }
    }

    /// An AMD device.
    ///
    /// # Errors
    /// `NotBuilt` without the feature `hip`; `NoDevice` without the HIP runtime, a device of
    /// this number with matrix cores, or hipRTC; `Unsupported` when hipRTC is too old for the
    /// device; each says what would help.
    pub fn hip(device: usize) -> Result<Self> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "hip")] {
                let driver = mmafft_kernels_hip::HipDriver::open(device)?;
                Ok(AnyBackend::Hip(HipBackend::new(driver)))
            } else {
                let _ = device;
                Err(not_built("hip", "hip"))
            }
        }
    }

    /// A device emulated on the host, to test kernels where there is none: `emulated-nvidia`
    /// or `emulated-amd`. Slow.
    pub fn emulated(name: &'static str) -> Result<Self> {
        AnyBackend::emulated_numbered(name, 0)
    }

    /// The same by its number: there are several of each, with memory of their own.
    ///
    /// # Errors
    /// `NoDevice` of a name or a number that none has; `NotBuilt`.
    pub fn emulated_numbered(name: &'static str, device: usize) -> Result<Self> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "emulate")] {
                use mmafft_emulated::EmulatedDriver;
                let driver = match name {
                    "emulated-amd" => EmulatedDriver::amd(),
                    "emulated-nvidia" => EmulatedDriver::nvidia(),
                    _ => {
                        return Err(Error::NoDevice {
                            backend: name,
                            reason: "no device of this name is emulated".into(),
                            remedy: "choose emulated-nvidia or emulated-amd".into(),
                        })
                    }
                };
                let driver = driver.numbered(device)?;
                Ok(AnyBackend::Emulated(EmulatedBackend::new(driver)))
            } else {
                let _ = device;
                Err(not_built(name, "emulate"))
            }
        }
    }

    /// The backend with this name on the command line; `auto` for the first that can run.
    pub fn from_name(name: &str) -> Result<Self> {
        AnyBackend::numbered(name, 0)
    }

    /// The same on the device of this number.
    ///
    /// # Errors
    /// `Unsupported` of another name, and of a number of what has one device, as the CPU and `auto`; else those of that
    /// backend.
    pub fn numbered(name: &str, device: usize) -> Result<Self> {
        match name {
            "auto" | "cpu" if device > 0 => Err(Error::Unsupported {
                what: format!("device {device} of {name}"),
                backend: "mmafft".into(),
                instead: "name cuda, hip or an emulated device".into(),
            }),
            "auto" => AnyBackend::auto(),
            "cpu" => AnyBackend::cpu(),
            "cuda" => AnyBackend::cuda(device),
            "hip" => AnyBackend::hip(device),
            "emulated-nvidia" => AnyBackend::emulated_numbered("emulated-nvidia", device),
            "emulated-amd" => AnyBackend::emulated_numbered("emulated-amd", device),
            _ => {
                let names: Vec<&str> = BACKENDS.iter().map(|b| b.name).collect();
                Err(Error::Unsupported {
                    what: format!("a backend named {name}"),
                    backend: "mmafft".into(),
                    instead: format!("use auto, {}", names.join(", ")),
                })
            }
        }
    }

    /// Runs on host memory: on the CPU where it lies, on a device through copies there and
    /// back. `scratch` is memory of this backend.
    pub(crate) fn run_on_host(
        &self,
        prepared: &AnyPrepared,
        input: Option<&[u8]>,
        (output, written): (&mut [u8], Written),
        scratch: &mut AnyBuffer,
    ) -> Result<()> {
        #[cfg(feature = "cpu")]
        if let (AnyBackend::Cpu(b), AnyPrepared::Cpu(p), AnyBuffer::Cpu(scratch)) =
            (self, prepared, &mut *scratch)
        {
            return b.run_on_host(p, input, output, scratch.as_bytes_mut());
        }
        let upload = |bytes: &[u8]| {
            let mut buffer = self.allocate(bytes.len())?;
            self.write(&mut buffer, 0, bytes)?;
            Ok(buffer)
        };
        let source = input.map(upload).transpose()?;
        // What the transform does not write comes back as it was.
        let mut target = match (&source, written) {
            (Some(_), Written::All) => self.allocate(output.len())?,
            _ => upload(output)?,
        };
        let bindings = Bindings {
            input: source.as_ref(),
            output: &mut target,
            scratch,
        };
        self.launch(prepared, bindings)?;
        self.synchronize()?;
        self.read(&target, 0, output)
    }
}

/// How much of an output a run out of place writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// Every element.
    All,
    /// What is wanted, where the layout says.
    Part,
}

#[allow(dead_code)] // with every feature on, nothing is left out
fn not_built(backend: &'static str, feature: &'static str) -> Error {
    Error::NotBuilt { backend, feature }
}
