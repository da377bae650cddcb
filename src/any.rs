//! The backend chosen at run time. Every backend's name exists in every build: one that is
//! left out returns [`Error::NotBuilt`].

use mmafft_backend_traits::{Backend, Bindings, Buffer, Error, Limits, Plan, Prepared, Result};

cfg_if::cfg_if! {
    if #[cfg(feature = "cpu")] {
        use crate::cpu::{CpuBackend, CpuBuffer, CpuPrepared};
    } else {
        use crate::absent::{Absent as CpuBackend, Absent as CpuBuffer, Absent as CpuPrepared};
    }
}

/// A backend's name on the command line, and the cargo feature that brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackendName {
    /// The name.
    pub name: &'static str,
    /// The feature.
    pub feature: &'static str,
    /// Whether this build has it.
    pub built: bool,
}

/// All backends, built or not, those tried first by [`AnyBackend::auto`] first.
pub const BACKENDS: &[BackendName] = &[
    BackendName {
        name: "cuda",
        feature: "cuda",
        built: cfg!(feature = "cuda"),
    },
    BackendName {
        name: "hip",
        feature: "hip",
        built: cfg!(feature = "hip"),
    },
    BackendName {
        name: "cpu",
        feature: "cpu",
        built: cfg!(feature = "cpu"),
    },
];

/// A backend of this build. Cheap to clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AnyBackend {
    /// The CPU.
    Cpu(CpuBackend),
}

/// Memory of a backend.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyBuffer {
    /// Host memory.
    Cpu(CpuBuffer),
}

/// A plan prepared on a backend.
#[non_exhaustive]
pub enum AnyPrepared {
    /// On the CPU.
    Cpu(CpuPrepared),
}

impl AnyBackend {
    /// The first of CUDA, HIP and CPU that can run plans.
    pub fn auto() -> Result<Self> {
        AnyBackend::cpu()
    }

    /// The CPU with all threads.
    pub fn cpu() -> Result<Self> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "cpu")] {
                Ok(AnyBackend::Cpu(CpuBackend::default()))
            } else {
                Err(not_built("cpu"))
            }
        }
    }

    /// An NVIDIA device. This version finds devices (`mmafft info`) and does not run on
    /// them yet: it returns [`Error::Unsupported`], or [`Error::NotBuilt`].
    pub fn cuda(device: usize) -> Result<Self> {
        not_yet("cuda", cfg!(feature = "cuda"), device)
    }

    /// An AMD device. This version finds devices (`mmafft info`) and does not run on them
    /// yet: it returns [`Error::Unsupported`], or [`Error::NotBuilt`].
    pub fn hip(device: usize) -> Result<Self> {
        not_yet("hip", cfg!(feature = "hip"), device)
    }

    /// The backend with this name on the command line; `auto` for the first that can run.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "auto" => AnyBackend::auto(),
            "cpu" => AnyBackend::cpu(),
            "cuda" => AnyBackend::cuda(0),
            "hip" => AnyBackend::hip(0),
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

    /// Runs on host memory: in place of it on the CPU, through copies on a device.
    pub(crate) fn run_on_host(
        &self,
        prepared: &AnyPrepared,
        input: Option<&[u8]>,
        output: &mut [u8],
        scratch: &mut [u8],
    ) -> Result<()> {
        match (self, prepared) {
            (AnyBackend::Cpu(b), AnyPrepared::Cpu(p)) => b.run_on_host(p, input, output, scratch),
        }
    }
}

#[cfg(not(feature = "cpu"))]
fn not_built(name: &'static str) -> Error {
    Error::NotBuilt {
        backend: name,
        feature: name,
    }
}

fn not_yet(name: &'static str, built: bool, device: usize) -> Result<AnyBackend> {
    Err(match built {
        false => Error::NotBuilt {
            backend: name,
            feature: name,
        },
        true => Error::Unsupported {
            what: format!("running on device {device}"),
            backend: name.into(),
            instead: "this version only finds its devices (`mmafft info`); use the cpu backend"
                .into(),
        },
    })
}

impl AnyBuffer {
    /// The bytes, where they are the host's own.
    pub(crate) fn host_bytes_mut(&mut self) -> Option<&mut [u8]> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "cpu")] {
                match self {
                    AnyBuffer::Cpu(b) => Some(b.as_bytes_mut()),
                }
            } else {
                None
            }
        }
    }
}

impl Buffer for AnyBuffer {
    fn bytes(&self) -> usize {
        match self {
            AnyBuffer::Cpu(b) => b.bytes(),
        }
    }
}

impl Prepared for AnyPrepared {
    fn scratch_bytes(&self) -> usize {
        match self {
            AnyPrepared::Cpu(p) => p.scratch_bytes(),
        }
    }
}

impl Backend for AnyBackend {
    type Buffer = AnyBuffer;
    type Prepared = AnyPrepared;

    fn limits(&self) -> &Limits {
        match self {
            AnyBackend::Cpu(b) => b.limits(),
        }
    }

    fn allocate(&self, bytes: usize) -> Result<AnyBuffer> {
        match self {
            AnyBackend::Cpu(b) => b.allocate(bytes).map(AnyBuffer::Cpu),
        }
    }

    fn write(&self, buffer: &mut AnyBuffer, offset: usize, bytes: &[u8]) -> Result<()> {
        match (self, buffer) {
            (AnyBackend::Cpu(b), AnyBuffer::Cpu(buffer)) => b.write(buffer, offset, bytes),
        }
    }

    fn read(&self, buffer: &AnyBuffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        match (self, buffer) {
            (AnyBackend::Cpu(b), AnyBuffer::Cpu(buffer)) => b.read(buffer, offset, bytes),
        }
    }

    fn prepare(&self, plan: &Plan) -> Result<AnyPrepared> {
        match self {
            AnyBackend::Cpu(b) => b.prepare(plan).map(AnyPrepared::Cpu),
        }
    }

    fn launch(&self, prepared: &AnyPrepared, bindings: Bindings<'_, AnyBuffer>) -> Result<()> {
        let Bindings {
            input,
            output,
            scratch,
        } = bindings;
        match (self, prepared, output, scratch) {
            (
                AnyBackend::Cpu(b),
                AnyPrepared::Cpu(p),
                AnyBuffer::Cpu(output),
                AnyBuffer::Cpu(scratch),
            ) => {
                let input = input.map(|AnyBuffer::Cpu(input)| input);
                b.launch(
                    p,
                    Bindings {
                        input,
                        output,
                        scratch,
                    },
                )
            }
        }
    }

    fn synchronize(&self) -> Result<()> {
        match self {
            AnyBackend::Cpu(b) => b.synchronize(),
        }
    }

    fn split(
        &self,
        values: &AnyBuffer,
        vector: usize,
        hi: &mut AnyBuffer,
        lo: &mut AnyBuffer,
        exponents: &mut AnyBuffer,
    ) -> Result<()> {
        match (self, values, hi, lo, exponents) {
            (
                AnyBackend::Cpu(b),
                AnyBuffer::Cpu(values),
                AnyBuffer::Cpu(hi),
                AnyBuffer::Cpu(lo),
                AnyBuffer::Cpu(exponents),
            ) => b.split(values, vector, hi, lo, exponents),
        }
    }

    fn combine(
        &self,
        hi: &AnyBuffer,
        lo: &AnyBuffer,
        exponents: &AnyBuffer,
        vector: usize,
        values: &mut AnyBuffer,
    ) -> Result<()> {
        match (self, hi, lo, exponents, values) {
            (
                AnyBackend::Cpu(b),
                AnyBuffer::Cpu(hi),
                AnyBuffer::Cpu(lo),
                AnyBuffer::Cpu(exponents),
                AnyBuffer::Cpu(values),
            ) => b.combine(hi, lo, exponents, vector, values),
        }
    }
}
