//! A device that holds memory, compiles programs and launches them.

use crate::bindings::{Context, Hip, HipEvent, HipGraph, HipMemory, HipStream, Module};
use crate::compile::{source, Compiler};
use crate::device::{describe, nodes, Device};
use crate::launch::{refused, HipKernel};
use crate::{no_device, BACKEND};
use mmafft_backend_traits::device::{Cache, Driver, Geometry, Kernels, Launch, Program};
use mmafft_backend_traits::{Limits, Result};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// An AMD device, opened. Clones are the same device, with the same default stream.
#[derive(Clone)]
pub struct HipDriver(Arc<Inner>);

struct Inner {
    // Before the context, so that what lives in it goes first.
    default_stream: HipStream,
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

impl HipDriver {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// `NoDevice` without a driver, a device of this number that has matrix cores, or hipRTC;
    /// `Unsupported` when hipRTC is too old for the device.
    pub fn open(ordinal: usize) -> Result<HipDriver> {
        let hip = Hip::open()?;
        let count = hip.count()?;
        if ordinal >= count {
            return Err(no_device(
                format!("there is no device {ordinal}: the runtime shows {count}, from 0"),
                "choose one that `rocminfo` lists, and check HIP_VISIBLE_DEVICES",
            ));
        }
        let device = describe(hip.device(ordinal)?, ordinal, &nodes())?;
        device.check()?;
        let compiler = Compiler::find(&device.architecture)?;
        let shared = Shared::of(hip, ordinal)?;
        Ok(HipDriver(Arc::new(Inner {
            default_stream: HipStream::create(&shared.context)?,
            shared,
            limits: device.limits(),
            device,
            compiler,
            cache: Cache::of_user(BACKEND),
        })))
    }

    /// What the runtime says of the device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The version of the hipRTC that compiles for this device, as `6.4.43484`.
    pub fn compiler_version(&self) -> &str {
        self.0.compiler.version()
    }

    /// A new stream. Copies to and from the host wait for it, as does dropping it.
    ///
    /// # Errors
    /// `Device` when the runtime has no stream left, or something launched has failed.
    pub fn stream(&self) -> Result<HipStream> {
        HipStream::create(self.context())
    }

    /// A new event, which takes the time.
    ///
    /// # Errors
    /// As [`HipDriver::stream`].
    pub fn event(&self) -> Result<HipEvent> {
        HipEvent::create(self.context())
    }

    /// Enqueues a copy of the first `bytes` of one memory to another on the device. As with a
    /// launch, no other work on the memory may run meanwhile.
    ///
    /// # Errors
    /// `BufferTooShort` when either memory has fewer bytes; `Device` when one of the three is
    /// of another device.
    pub fn copy(
        &self,
        stream: &HipStream,
        from: &HipMemory,
        to: &HipMemory,
        bytes: usize,
    ) -> Result<()> {
        let context = self.context();
        if !(stream.belongs(context) && from.belongs(context) && to.belongs(context)) {
            return Err(refused("the stream or memory is of another device".into()));
        }
        HipMemory::copy(context, stream, from, to, bytes)
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
    /// stream that blocks: HIP then refuses its null stream to all, and with it copies,
    /// [`Driver::synchronize`] and dropping kernels.
    ///
    /// # Errors
    /// Those of `launch`, `Unsupported` when the runtime is too old, `Device` when something
    /// inside cannot be recorded. The device can be used as before.
    pub fn capture(
        &self,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&HipStream) -> Result<()>,
    ) -> Result<HipGraph> {
        HipGraph::record(self.context(), keep, launch)
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
    ) -> Result<HipKernel> {
        let module = self.load(source, entry, threads, shared_bytes)?;
        Ok(HipKernel::new(Arc::new(module)))
    }

    fn load(
        &self,
        source: &str,
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<Module> {
        let code = self.0.compiler.code(source, self.0.cache.as_ref())?;
        let most = self.0.device.shared_bytes_per_block;
        Module::load(self.context(), &code, entry, threads, shared_bytes, most)
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.shared.context
    }
}

impl Shared {
    fn of(hip: &'static Hip, ordinal: usize) -> Result<Arc<Shared>> {
        static OPEN: OnceLock<Mutex<HashMap<usize, Weak<Shared>>>> = OnceLock::new();
        let open = OPEN.get_or_init(Mutex::default).lock();
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = open.get(&ordinal).and_then(Weak::upgrade) {
            return Ok(shared);
        }
        let shared = Arc::new(Shared {
            kernels: Kernels::default(),
            context: Arc::new(Context::of(hip.device(ordinal)?)),
        });
        open.insert(ordinal, Arc::downgrade(&shared));
        Ok(shared)
    }
}

impl Driver for HipDriver {
    type Memory = HipMemory;
    type Kernel = HipKernel;
    type Stream = HipStream;

    fn limits(&self) -> &Limits {
        &self.0.limits
    }

    fn geometry(&self) -> Geometry {
        self.0.device.geometry()
    }

    fn allocate(&self, bytes: usize) -> Result<HipMemory> {
        HipMemory::allocate(self.context(), bytes)
    }

    fn address(&self, memory: &HipMemory) -> u64 {
        memory.pointer()
    }

    fn write(&self, memory: &mut HipMemory, offset: usize, bytes: &[u8]) -> Result<()> {
        memory.write(self.context(), offset, bytes)
    }

    fn read(&self, memory: &HipMemory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        memory.read(self.context(), offset, bytes)
    }

    fn local_bytes(&self, kernel: &HipKernel) -> usize {
        kernel.local_bytes()
    }

    fn kernel(&self, program: &Program) -> Result<HipKernel> {
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
        Ok(HipKernel::new(module))
    }

    fn default_stream(&self) -> &HipStream {
        &self.0.default_stream
    }

    fn launch(
        &self,
        stream: &HipStream,
        kernel: &HipKernel,
        launch: &Launch<'_, HipMemory>,
    ) -> Result<()> {
        kernel.launch(stream, launch)
    }

    fn synchronize(&self) -> Result<()> {
        self.context().synchronize()
    }
}

impl std::fmt::Debug for HipDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HipDriver").field(&self.0.device).finish()
    }
}
