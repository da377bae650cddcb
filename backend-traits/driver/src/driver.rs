//! A device that holds memory, compiles programs and launches them.

use crate::module::Module;
use crate::{refused, Compiler, Context, Event, Found, Graph, Interface, Kernel, Memory, Stream};
use mmafft_backend_traits::device::{
    Driver, Geometry, Kernels, Launch, Program, Region, TurnWords,
};
use mmafft_backend_traits::{digest, Cache, Limits, Result};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A device, opened. Clones are the same device, with the same default stream.
pub struct DeviceDriver<I: Interface>(Arc<Inner<I>>);

impl<I: Interface> Clone for DeviceDriver<I> {
    fn clone(&self) -> Self {
        DeviceDriver(self.0.clone())
    }
}

struct Inner<I: Interface> {
    // Before the context, so that what lives in it goes first.
    default_stream: Stream<I>,
    shared: Arc<Shared<I>>,
    device: I::Device,
    limits: Limits,
    geometry: Geometry,
    compiler: I::Compiler,
    cache: Option<Cache>,
}

/// What all openings of one device share.
pub struct Shared<I: Interface> {
    kernels: Kernels<Module<I>>,
    context: Arc<Context<I>>,
}

/// The devices in use, by their numbers.
pub type OpenDevices<I> = Mutex<HashMap<usize, Weak<Shared<I>>>>;

impl<I: Interface> DeviceDriver<I> {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// `NoDevice` without a driver, a device of this number that has matrix products, or a run-time compiler;
    /// `Unsupported` when no compiler that is there compiles for the device and its driver.
    pub fn open(ordinal: usize) -> Result<DeviceDriver<I>> {
        let found = I::find(ordinal)?;
        let shared = Shared::of(&found, ordinal)?;
        Ok(DeviceDriver(Arc::new(Inner {
            default_stream: Stream::create(&shared.context)?,
            shared,
            limits: found.limits,
            geometry: found.geometry,
            device: found.device,
            compiler: found.compiler,
            cache: Cache::of_user(I::BACKEND),
        })))
    }

    /// What the driver says of the device.
    pub fn device(&self) -> &I::Device {
        &self.0.device
    }

    /// A number that all openings of one device have in common while one of them is there, and no other device has.
    pub fn identity(&self) -> usize {
        Arc::as_ptr(self.context()) as usize
    }

    /// Whether the device reads and writes another's memory, once that is mapped for it.
    ///
    /// # Errors
    /// `Unsupported` where the driver knows of no such memory; `Device` with its words.
    pub fn reaches(&self, other: &DeviceDriver<I>) -> Result<bool> {
        let (own, other) = (self.context(), other.context());
        let peers = own.api().peers()?;
        if own.same(other) {
            return Ok(true);
        }
        let mut whether = 0;
        // SAFETY: writes one int; both are devices that the driver has.
        let answer = unsafe { peers.reaches(&mut whether, own.number(), other.number()) };
        own.api().check(answer)?;
        Ok(whether != 0)
    }

    /// The version of what compiles for this device: NVRTC's as `13.0`, hipRTC's as `6.4.43484`.
    pub fn compiler_version(&self) -> String {
        self.0.compiler.version()
    }

    /// A new stream. Copies to and from the host wait for it, as does dropping it.
    ///
    /// # Errors
    /// `Device` when the driver has no stream left, or something launched has failed.
    pub fn stream(&self) -> Result<Stream<I>> {
        Stream::create(self.context())
    }

    /// A new stream that nothing waits for, nor it for anything: what it copies is ordered by the caller.
    ///
    /// # Errors
    /// As [`DeviceDriver::stream`].
    pub fn stream_apart(&self) -> Result<Stream<I>> {
        Stream::apart(self.context())
    }

    /// Calls another library's functions while the device is the thread's own.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    pub fn within<R>(&self, calls: impl FnOnce() -> R) -> Result<R> {
        let _entered = self.context().enter()?;
        Ok(calls())
    }

    /// Copies from the host in the order of a stream, and waits for the stream alone.
    ///
    /// # Errors
    /// As [`Driver::write`].
    pub fn write_by(&self, stream: &Stream<I>, memory: &mut Memory<I>, bytes: &[u8]) -> Result<()> {
        memory.write_by(self.context(), stream, bytes)
    }

    /// Copies to the host in the order of a stream, and waits for the stream alone.
    ///
    /// # Errors
    /// As [`Driver::read`].
    pub fn read_by(&self, stream: &Stream<I>, memory: &Memory<I>, bytes: &mut [u8]) -> Result<()> {
        memory.read_by(self.context(), stream, bytes)
    }

    /// Memory of at least `bytes`, all zero, which the device itself writes.
    ///
    /// # Errors
    /// As [`Driver::allocate`]; `Device` when something launched has failed.
    pub fn zeros(&self, bytes: usize) -> Result<Memory<I>> {
        let whole = bytes.checked_next_multiple_of(4).unwrap_or(bytes);
        let memory = Memory::allocate(self.context(), whole)?;
        let stream = &self.0.default_stream;
        Memory::clear(self.context(), stream, Region::from(&memory, 0), whole)?;
        // Streams that do not block are not ordered after it.
        stream.synchronize()?;
        Ok(memory)
    }

    /// A new event, which takes the time.
    ///
    /// # Errors
    /// As [`DeviceDriver::stream`].
    pub fn event(&self) -> Result<Event<I>> {
        Event::create(self.context())
    }

    /// Enqueues a copy of the first `bytes` of one memory to another on the device. As with a launch, no other
    /// work on the memory may run meanwhile.
    ///
    /// # Errors
    /// `BufferTooShort` when either memory has fewer bytes; `Device` when one of the three is of another device.
    pub fn copy(
        &self,
        stream: &Stream<I>,
        from: &Memory<I>,
        to: &Memory<I>,
        bytes: usize,
    ) -> Result<()> {
        let context = self.context();
        if !(stream.belongs(context) && from.belongs(context) && to.belongs(context)) {
            return Err(refused::<I>(
                "the stream or memory is of another device".into(),
            ));
        }
        Memory::copy(context, stream, from, to, bytes)
    }

    /// Records what `launch` launches on the stream that it is given, instead of running it. The graph keeps
    /// the kernels, and in `keep` the memory that the launches use.
    ///
    /// Inside, memory can be allocated and freed, kernels compiled and dropped. Copies and waits belong outside:
    /// to wait for the stream is an error, and what else waits may be one; both end the recording.
    ///
    /// Other threads may do everything meanwhile, [`Driver::synchronize`] included, which does not wait for what
    /// is only recorded. Not so while another library records a stream that blocks: the driver then refuses its
    /// null stream to all, and with it copies, [`Driver::synchronize`] and dropping kernels.
    ///
    /// # Errors
    /// Those of `launch`, `Unsupported` when the driver is too old, `Device` when something inside cannot be
    /// recorded. The device can be used as before.
    pub fn capture(
        &self,
        keep: Box<dyn Any + Send + Sync>,
        launch: impl FnOnce(&Stream<I>) -> Result<()>,
    ) -> Result<Graph<I>> {
        Graph::record(self.context(), keep, launch)
    }

    /// Compiles a translation unit of one's own whose kernel `entry` takes the `Arguments` of `config.hpp`: for
    /// probes of the device. Kept on disk, not in memory.
    ///
    /// # Errors
    /// As [`Driver::kernel`].
    pub fn kernel_from_source(
        &self,
        source: &str,
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<Kernel<I>> {
        let module = self.load(source, entry, threads, shared_bytes)?;
        Ok(Kernel::new(Arc::new(module)))
    }

    fn load(
        &self,
        source: &str,
        entry: &str,
        threads: usize,
        shared_bytes: usize,
    ) -> Result<Module<I>> {
        let code = self.0.compiler.code(source, self.0.cache.as_ref())?;
        let most = self.0.geometry.shared_bytes;
        Module::load(self.context(), &code, entry, threads, shared_bytes, most)
    }

    pub(crate) fn context(&self) -> &Arc<Context<I>> {
        &self.0.shared.context
    }
}

impl<I: Interface> Shared<I> {
    fn of(found: &Found<I>, ordinal: usize) -> Result<Arc<Shared<I>>> {
        let open = I::open_devices().lock();
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = open.get(&ordinal).and_then(Weak::upgrade) {
            return Ok(shared);
        }
        let shared = Arc::new(Shared {
            kernels: Kernels::default(),
            context: Arc::new(Context::of(found.api, ordinal)?),
        });
        open.insert(ordinal, Arc::downgrade(&shared));
        Ok(shared)
    }
}

impl<I: Interface> Driver for DeviceDriver<I> {
    type Memory = Memory<I>;
    type Kernel = Kernel<I>;
    type Stream = Stream<I>;

    fn limits(&self) -> &Limits {
        &self.0.limits
    }

    fn geometry(&self) -> Geometry {
        self.0.geometry
    }

    fn revision(&self) -> String {
        let program = Program {
            entry: "mmafft_pass",
            config: Vec::new(),
            // With what two passes in one launch have beside.
            then: vec![0],
            keeps: false,
            threads: 0,
            shared_bytes: 0,
        };
        let source = I::Compiler::source(&program);
        digest(&[&source, &self.compiler_version()])
    }

    fn allocate(&self, bytes: usize) -> Result<Memory<I>> {
        Memory::allocate(self.context(), bytes)
    }

    fn address(&self, memory: &Memory<I>) -> u64 {
        memory.pointer()
    }

    fn write(&self, memory: &mut Memory<I>, offset: usize, bytes: &[u8]) -> Result<()> {
        memory.write(self.context(), offset, bytes)
    }

    fn read(&self, memory: &Memory<I>, offset: usize, bytes: &mut [u8]) -> Result<()> {
        memory.read(self.context(), offset, bytes)
    }

    fn local_bytes(&self, kernel: &Kernel<I>) -> usize {
        kernel.local_bytes()
    }

    fn kernel(&self, program: &Program) -> Result<Kernel<I>> {
        let make = || {
            let source = I::Compiler::source(program);
            let Program {
                entry,
                threads,
                shared_bytes,
                ..
            } = *program;
            self.load(&source, entry, threads, shared_bytes)
        };
        let module = self.0.shared.kernels.get(program, make)?;
        Ok(Kernel::new(module))
    }

    fn default_stream(&self) -> &Stream<I> {
        &self.0.default_stream
    }

    fn launch(
        &self,
        stream: &Stream<I>,
        kernel: &Kernel<I>,
        launch: &Launch<'_, Memory<I>>,
    ) -> Result<()> {
        kernel.launch(stream, launch, self.0.geometry.blocks)
    }

    fn takes_turns(&self) -> bool {
        I::TURNS
    }

    fn launch_in_turns(
        &self,
        stream: &Stream<I>,
        kernel: &Kernel<I>,
        passes: [&Launch<'_, Memory<I>>; 2],
        turns: &TurnWords,
        counters: Region<'_, Memory<I>>,
    ) -> Result<()> {
        kernel.launch_in_turns(stream, passes, turns, counters, self.0.geometry.blocks)
    }

    fn synchronize(&self) -> Result<()> {
        self.context().synchronize()
    }
}

impl<I: Interface> std::fmt::Debug for DeviceDriver<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeviceDriver").field(&self.0.device).finish()
    }
}
