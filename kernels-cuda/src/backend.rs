//! A device that holds memory, compiles programs and launches them.

use crate::bindings::{Context, Cuda, CudaEvent, CudaGraph, CudaMemory, CudaStream, Module};
use crate::compile::{source, Compiler};
use crate::device::{describe, Device};
use crate::launch::{refused, CudaKernel, MOST_BLOCKS};
use crate::{no_device, BACKEND};
use mmafft_backend_traits::device::{Cache, Driver, Geometry, Kernels, Launch, Program, Vendor};
use mmafft_backend_traits::{Limits, Result};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The most threads of a block, on every device so far.
const THREADS: usize = 1024;

/// Registers of a multiprocessor, on every device with tensor cores so far.
const REGISTERS: usize = 1 << 16;

/// An NVIDIA device, opened. Clones are the same device, with the same default stream.
#[derive(Clone)]
pub struct CudaDriver(Arc<Inner>);

struct Inner {
    // Before the context, so that what lives in it goes first.
    default_stream: CudaStream,
    shared: Arc<Shared>,
    device: Device,
    limits: Limits,
    compiler: Compiler,
    cache: Option<Cache>,
}

/// What all openings of one device share.
struct Shared {
    kernels: Kernels<Module>,
    context: Arc<Context>,
}

impl CudaDriver {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// `NoDevice` without a driver, a device of this number that has tensor cores, or NVRTC;
    /// `Unsupported` when no NVRTC that is there compiles for the device and its driver.
    pub fn open(ordinal: usize) -> Result<CudaDriver> {
        let cuda = Cuda::open()?;
        let count = cuda.count()?;
        if ordinal >= count {
            return Err(no_device(
                format!("there is no device {ordinal}: the driver shows {count}, from 0"),
                "choose one that `nvidia-smi` lists, and check CUDA_VISIBLE_DEVICES",
            ));
        }
        let device = describe(cuda, ordinal)?;
        device.check()?;
        let compiler = Compiler::find(&device.architecture, Some(cuda.version()?))?;
        let shared = Shared::of(cuda, ordinal)?;
        Ok(CudaDriver(Arc::new(Inner {
            default_stream: CudaStream::create(&shared.context)?,
            shared,
            limits: device.limits(),
            device,
            compiler,
            cache: Cache::of_user(BACKEND),
        })))
    }

    /// What the driver says of the device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The version of the NVRTC that compiles for this device, as `13.0`.
    pub fn compiler_version(&self) -> String {
        self.0.compiler.version()
    }

    /// A new stream. Copies to and from the host wait for it, as does dropping it.
    ///
    /// # Errors
    /// `Device` when the driver has no stream left, or something launched has failed.
    pub fn stream(&self) -> Result<CudaStream> {
        CudaStream::create(self.context())
    }

    /// A new event, which takes the time.
    ///
    /// # Errors
    /// As [`CudaDriver::stream`].
    pub fn event(&self) -> Result<CudaEvent> {
        CudaEvent::create(self.context())
    }

    /// Enqueues a copy of the first `bytes` of one memory to another on the device. As with a
    /// launch, no other work on the memory may run meanwhile.
    ///
    /// # Errors
    /// `BufferTooShort` when either memory has fewer bytes; `Device` when one of the three is
    /// of another device.
    pub fn copy(
        &self,
        stream: &CudaStream,
        from: &CudaMemory,
        to: &CudaMemory,
        bytes: usize,
    ) -> Result<()> {
        let context = self.context();
        if !(stream.belongs(context) && from.belongs(context) && to.belongs(context)) {
            return Err(refused("the stream or memory is of another device".into()));
        }
        CudaMemory::copy(context, stream, from, to, bytes)
    }

    /// Records what `launch` launches on the stream that it is given, instead of running it.
    /// The graph keeps the kernels, and in `keep` the memory that the launches use.
    ///
    /// Inside, memory can be allocated and freed, kernels compiled and dropped. Copies and
    /// waits belong outside: to wait for the stream is an error, and what else waits may be
    /// one; both end the recording.
    ///
    /// Other threads may do everything meanwhile, [`Driver::synchronize`] included, which
    /// does not wait for what is only recorded. Not so while another library records a
    /// stream that blocks: CUDA then refuses its legacy stream to all, and with it copies,
    /// [`Driver::synchronize`] and dropping kernels.
    ///
    /// # Errors
    /// Those of `launch`, `Unsupported` when the driver is too old, `Device` when something
    /// inside cannot be recorded. The device can be used as before.
    pub fn capture(
        &self,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&CudaStream) -> Result<()>,
    ) -> Result<CudaGraph> {
        CudaGraph::record(self.context(), keep, launch)
    }

    /// Compiles a translation unit of one's own whose kernel `entry` takes the `Arguments`
    /// of `config.hpp`: for probes of the device. Kept on disk, not in memory.
    ///
    /// # Errors
    /// As [`Driver::kernel`].
    pub fn kernel_from_source(
        &self,
        source: &str,
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<CudaKernel> {
        let module = self.load(source, entry, threads, shared_bytes)?;
        Ok(CudaKernel::new(Arc::new(module)))
    }

    fn load(
        &self,
        source: &str,
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<Module> {
        let cubin = self.0.compiler.cubin(source, self.0.cache.as_ref())?;
        Module::load(self.context(), &cubin, entry, threads, shared_bytes)
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.shared.context
    }
}

impl Shared {
    fn of(cuda: &'static Cuda, ordinal: usize) -> Result<Arc<Shared>> {
        static OPEN: OnceLock<Mutex<HashMap<usize, Weak<Shared>>>> = OnceLock::new();
        let open = OPEN.get_or_init(Mutex::default).lock();
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = open.get(&ordinal).and_then(Weak::upgrade) {
            return Ok(shared);
        }
        let shared = Arc::new(Shared {
            kernels: Kernels::default(),
            context: Arc::new(Context::retain(cuda.device(ordinal)?)?),
        });
        open.insert(ordinal, Arc::downgrade(&shared));
        Ok(shared)
    }
}

impl Driver for CudaDriver {
    type Memory = CudaMemory;
    type Kernel = CudaKernel;
    type Stream = CudaStream;

    fn limits(&self) -> &Limits {
        &self.0.limits
    }

    fn geometry(&self) -> Geometry {
        Geometry {
            wave: self.0.device.wave,
            threads: THREADS,
            shared_bytes: self.0.device.shared_bytes_per_block,
            registers: REGISTERS,
            blocks: MOST_BLOCKS,
            // Wider ones where a measured rule says so.
            access: 0,
            vendor: Vendor::Nvidia,
        }
    }

    fn allocate(&self, bytes: usize) -> Result<CudaMemory> {
        CudaMemory::allocate(self.context(), bytes)
    }

    fn address(&self, memory: &CudaMemory) -> u64 {
        memory.pointer()
    }

    fn write(&self, memory: &mut CudaMemory, offset: usize, bytes: &[u8]) -> Result<()> {
        memory.write(self.context(), offset, bytes)
    }

    fn read(&self, memory: &CudaMemory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        memory.read(self.context(), offset, bytes)
    }

    fn local_bytes(&self, kernel: &CudaKernel) -> usize {
        kernel.local_bytes()
    }

    fn kernel(&self, program: &Program) -> Result<CudaKernel> {
        let make = || {
            let source = source(program);
            self.load(
                &source,
                program.entry,
                program.threads,
                program.shared_bytes,
            )
        };
        let module = self.0.shared.kernels.get(program, make)?;
        Ok(CudaKernel::new(module))
    }

    fn default_stream(&self) -> &CudaStream {
        &self.0.default_stream
    }

    fn launch(
        &self,
        stream: &CudaStream,
        kernel: &CudaKernel,
        launch: &Launch<'_, CudaMemory>,
    ) -> Result<()> {
        kernel.launch(stream, launch)
    }

    fn synchronize(&self) -> Result<()> {
        self.context().synchronize()
    }
}

impl std::fmt::Debug for CudaDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CudaDriver").field(&self.0.device).finish()
    }
}
