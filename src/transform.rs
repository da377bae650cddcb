//! [`Planner`] and [`Transform`]: from a request to results.
//!
//! The file is long because a transform's checks of buffers stand beside each way to run it.

use crate::any::{AnyBackend, AnyBuffer, AnyPrepared, Written};
use crate::buffer::Buffer;
use crate::clock::BackendClock;
use crate::element::{self, Element};
use crate::foreign::Foreign;
use crate::planner::{measure::measure, plan_by, wisdom::Wisdom};
use crate::stream::Stream;
use mmafft_backend_traits::{
    Backend, Bindings, Buffer as _, Domain, Effort, Error, Layout, Limits, Placement, Plan,
    Prepared as _, Request, Result, ScalarType, Slot,
};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Plans requests for one backend, and prepares them.
///
/// ```
/// use mmafft::{Complex, Planner, Request, Shape};
///
/// let planner = Planner::auto()?;
/// let fft = planner.build(&Request::forward(Shape::d1(4)))?;
/// let mut x = [1.0f32, 2.0, 3.0, 4.0].map(|x| Complex::new(x, 0.0));
/// fft.process_in_place(&mut x)?;
/// assert_eq!(x[0], Complex::new(10.0, 0.0));
/// assert_eq!(x[1], Complex::new(-2.0, 2.0));
/// # Ok::<(), mmafft::Error>(())
/// ```
///
/// An effort beyond [`Effort::Estimate`] times plans where they run, once for a device: see
/// [`Planner::effort`].
#[derive(Debug, Clone)]
pub struct Planner {
    backend: AnyBackend,
    effort: Effort,
    /// Clones share it.
    wisdom: Arc<RwLock<Wisdom>>,
}

impl Planner {
    /// On the first of CUDA, HIP and CPU that can run plans.
    pub fn auto() -> Result<Self> {
        AnyBackend::auto().map(Planner::on)
    }

    /// On the CPU, with all threads. [`Planner::on`] takes other settings.
    pub fn cpu() -> Result<Self> {
        AnyBackend::cpu().map(Planner::on)
    }

    /// On an NVIDIA device.
    pub fn cuda(device: usize) -> Result<Self> {
        AnyBackend::cuda(device).map(Planner::on)
    }

    /// On an AMD device.
    pub fn hip(device: usize) -> Result<Self> {
        AnyBackend::hip(device).map(Planner::on)
    }

    /// On this backend.
    pub fn on(backend: AnyBackend) -> Self {
        let mut wisdom = Wisdom::new(backend.limits(), &backend.revision());
        wisdom.read();
        Planner {
            backend,
            effort: Effort::default(),
            wisdom: Arc::new(RwLock::new(wisdom)),
        }
    }

    /// Looks for the fastest plan with this effort, where a request does not say another.
    ///
    /// What is measured is kept in the user's cache directory and followed from then on, by
    /// [`Effort::Estimate`] too, on this device and by these kernels. Measuring takes as much of the
    /// device's memory as a run does, of its own. The plan may have other last bits than the one without.
    ///
    /// ```
    /// use mmafft::{Effort, Planner, Request, Shape};
    ///
    /// # std::env::set_var("MMAFFT_CACHE", "off");
    /// let planner = Planner::cpu()?.effort(Effort::Measure);
    /// let fft = planner.build(&Request::forward(Shape::d2(60, 100)).batch(4))?;
    /// let wisdom = planner.export_wisdom();
    /// assert!(Planner::cpu()?.import_wisdom(&wisdom)? > 0);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// All that was measured on this device, as text: what FFTW calls wisdom.
    pub fn export_wisdom(&self) -> String {
        self.wisdom().export()
    }

    /// Takes what was measured on such a device by these kernels, from text of [`Planner::export_wisdom`];
    /// returns how many choices that were.
    ///
    /// # Errors
    /// `Wisdom` where a line of the text is none; then nothing is taken.
    pub fn import_wisdom(&self, text: &str) -> Result<usize> {
        self.more_wisdom().import(text)
    }

    fn wisdom(&self) -> RwLockReadGuard<'_, Wisdom> {
        self.wisdom.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn more_wisdom(&self) -> RwLockWriteGuard<'_, Wisdom> {
        self.wisdom.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device that it plans for, which ranks are joined on ([`crate::ranks::Group`]).
    pub fn backend(&self) -> &AnyBackend {
        &self.backend
    }

    /// The device's limits.
    pub fn limits(&self) -> &Limits {
        self.backend.limits()
    }

    /// Plans, and stops at the data. With an effort beyond [`Effort::Estimate`] it times what was not timed before.
    pub fn plan(&self, request: &Request) -> Result<Plan> {
        // What is timed is the device's own memory, by which nothing is chosen that stores elsewhere.
        let effort = match request.write_only_output {
            true => Effort::Estimate,
            false => request.effort.unwrap_or(self.effort),
        };
        let is_known = |wisdom: &Wisdom| effort <= wisdom.effort_of(request).unwrap_or_default();
        if !is_known(&self.wisdom()) {
            // One measures at a time, and others wait: they would disturb it.
            let mut wisdom = self.more_wisdom();
            if !is_known(&wisdom) {
                let mut clock = BackendClock::new(&self.backend);
                measure(request, self.limits(), effort, &mut wisdom, &mut clock)?;
                wisdom.write();
            }
        }
        plan_by(request, self.limits(), &self.wisdom())
    }

    /// A new stream of the device. On the CPU a run is done when its call returns, on whatever stream.
    ///
    /// ```
    /// use mmafft::{Complex, Planner, Request, Shape};
    ///
    /// let planner = Planner::auto()?;
    /// let fft = planner.build(&Request::forward(Shape::d1(8)))?;
    /// let streams = [planner.stream()?, planner.stream()?];
    /// let ones = [Complex::new(1.0f32, 0.0); 8];
    /// let mut data = [fft.upload(&ones)?, fft.upload(&ones)?];
    /// for (stream, data) in streams.iter().zip(&mut data) {
    ///     fft.run_in_place_on(stream, data)?; // the two may overlap
    /// }
    /// streams[1].synchronize()?;
    /// assert_eq!(fft.download::<Complex<f32>>(&data[1])?[0].re, 8.0);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn stream(&self) -> Result<Stream> {
        Ok(Stream::new(&self.backend, self.backend.stream()?))
    }

    /// A stream of another library, which keeps owning it: a `CUstream`, `cudaStream_t` or `hipStream_t` as a number,
    /// 0 for the null stream.
    ///
    /// # Safety
    /// The handle is a stream of this planner's device, in its primary context, and lives as long as the value. Where
    /// it does not block (`CU_STREAM_NON_BLOCKING`, as most libraries' own do), uploads, downloads and
    /// [`Transform::synchronize`] do not wait for it, and are ordered after its runs by the caller
    /// ([`Stream::synchronize`]), as is dropping the transforms.
    ///
    /// # Errors
    /// `Unsupported` on the CPU.
    pub unsafe fn stream_from_raw(&self, handle: u64) -> Result<Stream> {
        // SAFETY: the caller's.
        let raw = unsafe { self.backend.stream_from_raw(handle)? };
        Ok(Stream::new(&self.backend, raw))
    }

    /// Memory of so many bytes at least, to [lend](Stream::lend) to streams. Unlike what a stream allocates by itself, it
    /// outlives the stream, and dropping the stream waits for nothing.
    ///
    /// # Errors
    /// `OutOfMemory` where the device has no room.
    pub fn allocate_scratch(&self, bytes: usize) -> Result<Buffer> {
        Ok(Buffer::of_bytes(self.backend.allocate(bytes)?))
    }

    /// Plans and prepares.
    ///
    /// What a request says is zero is not read, and what is not wanted is not written; both are
    /// work that the plan does not have:
    ///
    /// ```
    /// use mmafft::{Complex, Planner, Request, Shape};
    ///
    /// let request = Request::forward(Shape::d1(64))
    ///     .nonzero_input(0, 0..8)
    ///     .wanted_output(0, 0..4);
    /// let fft = Planner::cpu()?.build(&request)?;
    /// let input = vec![Complex::new(1.0f32, 0.0); 64];
    /// let mut output = vec![Complex::new(-1.0f32, 0.0); 64];
    /// fft.process(&input, &mut output)?;
    /// assert!((output[0].re - 8.0).abs() < 1e-5);
    /// assert_eq!(output[4].re, -1.0);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn build(&self, request: &Request) -> Result<Transform> {
        self.prepare(self.plan(request)?)
    }

    /// Prepares a plan made earlier, for this backend.
    pub fn prepare(&self, plan: Plan) -> Result<Transform> {
        Ok(Transform {
            prepared: self.backend.prepare(&plan)?,
            backend: self.backend.clone(),
            plan,
            pool: Mutex::default(),
        })
    }
}

/// A plan prepared on a backend. It is immutable: any number of threads may run it at
/// once. Scratch comes from a pool that grows to one per concurrent run, or from the caller.
pub struct Transform {
    plan: Plan,
    backend: AnyBackend,
    prepared: AnyPrepared,
    pool: Mutex<Vec<AnyBuffer>>,
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Transform");
        debug.field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl Transform {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the plan does, in words, and how much memory the CPU's threads work in: see [`Plan::explain`].
    ///
    /// ```
    /// use mmafft::{Planner, Request, Shape};
    ///
    /// let fft = Planner::cpu()?.build(&Request::forward(Shape::d1(10_007)))?;
    /// assert!(fft.explain().contains("scratch 0 B, and for 1 thread "));
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn explain(&self) -> String {
        self.plan.explain_prepared(self.prepared.workspace())
    }

    /// Bytes of scratch that one run needs, should the caller want to lend them.
    pub fn scratch_bytes(&self) -> usize {
        self.prepared.scratch_bytes()
    }

    /// Elements that an input must have: the extent of the layout, of complex or real
    /// elements as the kind's input is.
    ///
    /// Of a request made with [`Request::in_place`] it is what the one buffer must have, which
    /// [`Transform::output_len`] says in elements of the output.
    pub fn input_len(&self) -> usize {
        let domain = self.plan.request.kind.row().input;
        self.plan.input_scalars.div_ceil(domain.scalars())
    }

    /// Elements that an output must have.
    pub fn output_len(&self) -> usize {
        let domain = self.plan.request.kind.row().output;
        self.plan.output_scalars.div_ceil(domain.scalars())
    }

    /// Copies host data to a new buffer of the backend.
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<Buffer> {
        let bytes = bytemuck::cast_slice(data);
        let mut memory = self.backend.allocate(bytes.len())?;
        self.backend.write(&mut memory, 0, bytes)?;
        Ok(Buffer {
            memory,
            scalar: T::SCALAR,
            domain: T::DOMAIN,
        })
    }

    /// Copies host data to a buffer of as many such elements, once what runs on it is done.
    pub fn upload_into<T: Element>(&self, data: &[T], buffer: &mut Buffer) -> Result<()> {
        buffer.holds::<T>(Slot::Input, data.len())?;
        self.backend.synchronize()?;
        let bytes = bytemuck::cast_slice(data);
        self.backend.write(&mut buffer.memory, 0, bytes)
    }

    /// Copies a buffer to host memory for as many such elements.
    pub fn download_into<T: Element>(&self, buffer: &Buffer, data: &mut [T]) -> Result<()> {
        buffer.holds::<T>(Slot::Output, data.len())?;
        self.backend.synchronize()?;
        let bytes = bytemuck::cast_slice_mut(data);
        self.backend.read(&buffer.memory, 0, bytes)
    }

    /// Copies a buffer to the host.
    pub fn download<T: Element>(&self, buffer: &Buffer) -> Result<Vec<T>> {
        buffer.holds::<T>(Slot::Output, buffer.len())?;
        let mut data = Vec::new();
        let room = data.try_reserve_exact(buffer.len());
        room.map_err(|_| Error::OutOfMemory {
            backend: "host".into(),
            what: "a copy of the output".into(),
            bytes: buffer.memory.bytes(),
        })?;
        data.resize(buffer.len(), T::default());
        self.download_into(buffer, &mut data)?;
        Ok(data)
    }

    /// Waits until everything launched so far is done. A device runs behind its caller;
    /// [`Transform::download`] waits by itself.
    pub fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }

    /// A buffer of zeros for the output.
    pub fn allocate_output(&self) -> Result<Buffer> {
        let scalar = self.plan.request.precision.row().storage;
        let domain = self.plan.request.kind.row().output;
        let bytes = self.output_len() * domain.scalars() * scalar.bytes();
        Ok(Buffer {
            memory: self.backend.zeros(bytes)?,
            scalar,
            domain,
        })
    }

    /// Transforms one buffer into another, where both are the backend's own memory.
    ///
    /// ```
    /// use mmafft::{Complex, Planner, Request, Shape};
    ///
    /// let fft = Planner::auto()?.build(&Request::c2r(Shape::d1(4)))?;
    /// let input = fft.upload(&[Complex::new(4.0f32, 0.0), Complex::default(), Complex::default()])?;
    /// let mut output = fft.allocate_output()?;
    /// fft.run(&input, &mut output)?;
    /// assert_eq!(fft.download::<f32>(&output)?, [4.0; 4]);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    ///
    /// On a device this returns when the work is in its
    /// queue: [`Transform::synchronize`] waits for it.
    pub fn run(&self, input: &Buffer, output: &mut Buffer) -> Result<()> {
        self.run_by(None, Some(input), output)
    }

    /// Transforms a buffer in place. R2C and C2R want a request made with
    /// [`Request::in_place`]; the buffer is one of their output's elements then.
    pub fn run_in_place(&self, buffer: &mut Buffer) -> Result<()> {
        self.run_by(None, None, buffer)
    }

    /// [`Transform::run`] on a stream. Any number of streams may run the transform at once: its scratch is the
    /// stream's. Buffers that other streams work on are the caller's to order.
    pub fn run_on(&self, stream: &Stream, input: &Buffer, output: &mut Buffer) -> Result<()> {
        self.run_by(Some(stream), Some(input), output)
    }

    /// [`Transform::run_in_place`] on a stream.
    pub fn run_in_place_on(&self, stream: &Stream, buffer: &mut Buffer) -> Result<()> {
        self.run_by(Some(stream), None, buffer)
    }

    /// [`Transform::run`] on memory that the caller has checked; nothing where there is none.
    pub(crate) fn run_memory(
        &self,
        input: Option<&AnyBuffer>,
        output: Option<&mut AnyBuffer>,
    ) -> Result<()> {
        let (Some(input), Some(output)) = (input, output) else {
            return Ok(());
        };
        self.with_scratch(|scratch| {
            let bindings = Bindings {
                input: Some(input),
                output,
                scratch,
            };
            self.backend.launch_by(None, &self.prepared, bindings)
        })
    }

    fn run_by(
        &self,
        stream: Option<&Stream>,
        input: Option<&Buffer>,
        output: &mut Buffer,
    ) -> Result<()> {
        let bytes = output.memory.bytes();
        match input {
            Some(input) => {
                self.check_input(input.scalar, input.domain, input.memory.bytes())?;
                self.check(Slot::Output, output.scalar, output.domain, bytes)?;
            }
            None => self.check_in_place(output.scalar, output.domain, bytes)?,
        }
        let launch = |scratch: &mut AnyBuffer| {
            let bindings = Bindings {
                input: input.map(|input| &input.memory),
                output: &mut output.memory,
                scratch,
            };
            let raw = stream.map(Stream::raw);
            self.backend.launch_by(raw, &self.prepared, bindings)
        };
        match stream {
            Some(stream) => stream.with_scratch(self.scratch_bytes(), launch)?,
            None => self.with_scratch(launch)?,
        }
        if input.is_none() {
            output.domain = self.plan.request.kind.row().output;
        }
        Ok(())
    }

    /// A buffer over memory of another library, which keeps owning it: so many bytes from an address of the backend's
    /// memory, host memory on the CPU, which hold the elements of one side of this transform; of [`Slot::Scratch`] any
    /// bytes, to [lend](Stream::lend).
    ///
    /// An input may end with the last element that is not known to be zero.
    ///
    /// # Safety
    /// The bytes are there, and the device can read and write them, as long as the buffer and everything launched with
    /// it lives; they are initialised. Nobody else writes them meanwhile, nor reads an output's; two buffers of one run
    /// do not overlap. What other streams do with them is ordered by the caller.
    ///
    /// # Errors
    /// `Unsupported` for bytes at address 0. Runs say what is too short, or begins within an element.
    pub unsafe fn buffer_from_raw(&self, side: Slot, pointer: u64, bytes: usize) -> Result<Buffer> {
        if pointer == 0 && bytes > 0 {
            return Err(Error::Unsupported {
                what: format!("{side} memory at {pointer:#x}"),
                backend: self.plan.backend.into(),
                instead: "give the address of memory that is there".into(),
            });
        }
        let row = self.plan.request.kind.row();
        let domain = match side {
            Slot::Input => row.input,
            _ => row.output,
        };
        let scalar = self.plan.request.precision.row().storage;
        // SAFETY: the caller's.
        Ok(unsafe { Buffer::from_raw(&self.backend, (scalar, domain), pointer, bytes) })
    }

    /// Transforms host memory into other host memory: on the CPU without any copy, on a
    /// device through copies there and back.
    ///
    /// A half spectrum and back, then a discrete cosine transform and what undoes it:
    ///
    /// ```
    /// use mmafft::{Complex, Kind, Normalization, Planner, Request, Shape};
    ///
    /// let planner = Planner::cpu()?;
    /// let image = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let request = Request::r2c(Shape::d2(2, 3));
    /// let mut half = [Complex::<f32>::default(); 2 * 2];
    /// planner.build(&request)?.process(&image, &mut half)?;
    /// assert!((half[0] - Complex::new(21.0, 0.0)).norm() < 1e-5);
    ///
    /// let mut again = [0.0f32; 6];
    /// planner.build(&request.inverse())?.process(&half, &mut again)?;
    /// assert!((again[5] - 6.0).abs() < 1e-5);
    ///
    /// let request = Request::of_kind(Kind::Dct2, Shape::d1(6)).normalization(Normalization::Ortho);
    /// let (mut cosines, mut again) = ([0.0f32; 6], [0.0f32; 6]);
    /// planner.build(&request)?.process(&image, &mut cosines)?;
    /// planner.build(&request.inverse())?.process(&cosines, &mut again)?;
    /// assert!((again[0] - 1.0).abs() < 1e-5);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn process<I: Element, O: Element>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        let (input, output) = self.sides(input, output)?;
        self.run_on_host(Some(input), output, None)
    }

    /// The same with scratch of [`Transform::scratch_bytes`] lent by the caller; a device
    /// has no use for host memory and takes its own.
    pub fn process_with_scratch<I: Element, O: Element>(
        &self,
        input: &[I],
        output: &mut [O],
        scratch: &mut [u8],
    ) -> Result<()> {
        let (input, output) = self.sides(input, output)?;
        self.run_on_host(Some(input), output, Some(scratch))
    }

    /// Transforms host memory into other host memory, as bytes of the elements that the request says: for callers
    /// that know types and strides only when they run, as bindings of other languages do.
    ///
    /// ```
    /// use mmafft::{Layout, Planner, Request, Shape};
    ///
    /// // The columns of a matrix of reals, of which the caller has an address and strides.
    /// let columns = Request::r2c(Shape::d1(4)).batch(3);
    /// let columns = columns.input_layout(Layout::strided(&[3]).distance(1));
    /// let matrix = [1.0f32; 4 * 3];
    /// let mut spectra = [0.0f32; 3 * 3 * 2];
    /// let (input, output) = (bytemuck::bytes_of(&matrix), bytemuck::bytes_of_mut(&mut spectra));
    /// Planner::cpu()?.build(&columns)?.process_bytes(input, output)?;
    /// assert_eq!((spectra[0], spectra[6]), (4.0, 4.0));
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    ///
    /// The input may end with the last element that is not known to be zero, so that what is padded needs no memory
    /// for its padding.
    ///
    /// # Errors
    /// `BufferTooShort` and `BufferTooLong` as [`Transform::process`]; `Unsupported` on the CPU where the bytes do
    /// not begin or end with a scalar.
    pub fn process_bytes(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.run_bytes(Some(input), output, None)
    }

    /// The same in place.
    pub fn process_bytes_in_place(&self, data: &mut [u8]) -> Result<()> {
        self.run_bytes(None, data, None)
    }

    /// The same with scratch of [`Transform::scratch_bytes`] lent by the caller, in place where there is no input; a
    /// device has no use for host memory and takes its own.
    pub fn process_bytes_with_scratch(
        &self,
        input: Option<&[u8]>,
        output: &mut [u8],
        scratch: &mut [u8],
    ) -> Result<()> {
        self.run_bytes(input, output, Some(scratch))
    }

    fn run_bytes(
        &self,
        input: Option<&[u8]>,
        output: &mut [u8],
        lent: Option<&mut [u8]>,
    ) -> Result<()> {
        let row = self.plan.request.kind.row();
        let storage = self.plan.request.precision.row().storage;
        match input {
            None => self.check_in_place(storage, row.output, output.len())?,
            Some(input) => {
                self.check_input(storage, row.input, input.len())?;
                self.check(Slot::Output, storage, row.output, output.len())?;
            }
        }
        self.run_on_host(input, output, lent)
    }

    /// Both sides, checked, as bytes.
    fn sides<'a, I: Element, O: Element>(
        &self,
        input: &'a [I],
        output: &'a mut [O],
    ) -> Result<(&'a [u8], &'a mut [u8])> {
        self.check(Slot::Input, I::SCALAR, I::DOMAIN, size_of_val(input))?;
        self.check(Slot::Output, O::SCALAR, O::DOMAIN, size_of_val(output))?;
        Ok((
            bytemuck::cast_slice(input),
            bytemuck::cast_slice_mut(output),
        ))
    }

    /// Transforms host memory in place. R2C and C2R want a request made with
    /// [`Request::in_place`]; their buffer may be of reals or of complex numbers.
    ///
    /// Rows of real numbers are padded then, so that their half spectra have room:
    ///
    /// ```
    /// use mmafft::{Planner, Request, Shape};
    ///
    /// let fft = Planner::cpu()?.build(&Request::r2c(Shape::d2(4, 4)).in_place())?;
    /// let mut rows = vec![0.0f32; fft.input_len()];
    /// assert_eq!(rows.len(), 4 * 2 * (4 / 2 + 1));
    /// for row in rows.chunks_exact_mut(6) {
    ///     row[..4].fill(1.0);
    /// }
    /// fft.process_in_place(&mut rows)?;
    /// assert_eq!(rows[..2], [16.0, 0.0]);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    pub fn process_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        self.check_in_place(T::SCALAR, T::DOMAIN, size_of_val(data))?;
        self.run_on_host(None, bytemuck::cast_slice_mut(data), None)
    }

    /// The same with scratch of [`Transform::scratch_bytes`] lent by the caller; a device
    /// has no use for host memory and takes its own.
    pub fn process_in_place_with_scratch<T: Element>(
        &self,
        data: &mut [T],
        scratch: &mut [u8],
    ) -> Result<()> {
        self.check_in_place(T::SCALAR, T::DOMAIN, size_of_val(data))?;
        self.run_on_host(None, bytemuck::cast_slice_mut(data), Some(scratch))
    }

    /// Checks an input, which may end with the last element that is read.
    fn check_input(&self, scalar: ScalarType, domain: Domain, bytes: usize) -> Result<()> {
        let plan = &self.plan;
        let own = (
            plan.request.precision.row().storage,
            plan.request.kind.row().input,
        );
        let whole = bytes >= plan.input_scalars * scalar.bytes();
        if !whole && (scalar, domain) == own && bytes >= plan.read_scalars() * scalar.bytes() {
            return Ok(());
        }
        self.check(Slot::Input, scalar, domain, bytes)
    }

    /// Checks that a side's buffer has the plan's elements, and enough of them.
    fn check(&self, side: Slot, scalar: ScalarType, domain: Domain, bytes: usize) -> Result<()> {
        let row = self.plan.request.kind.row();
        let storage = self.plan.request.precision.row().storage;
        let (wanted, scalars) = match side {
            Slot::Input => (row.input, self.plan.input_scalars),
            _ => (row.output, self.plan.output_scalars),
        };
        if (scalar, domain) != (storage, wanted) {
            return Err(Error::ElementType {
                side,
                expected: element::name(storage, wanted),
                got: element::name(scalar, domain),
                instead: element::taken_by(scalar, storage),
            });
        }
        let element = wanted.scalars() * storage.bytes();
        let (expected, got) = (scalars.div_ceil(wanted.scalars()), bytes / element);
        if bytes < scalars * storage.bytes() {
            return Err(Error::BufferTooShort {
                side,
                expected,
                got,
                unit: "elements",
            });
        }
        // A layout of the caller's may leave more behind its last element than it needs.
        let layout = match side {
            Slot::Input => &self.plan.request.input,
            _ => &self.plan.request.output,
        };
        if got > expected && layout.strides.is_none() && layout.distance.is_none() {
            return Err(Error::BufferTooLong {
                side,
                expected,
                got,
            });
        }
        Ok(())
    }

    fn check_in_place(&self, scalar: ScalarType, domain: Domain, bytes: usize) -> Result<()> {
        if let Some(reason) = &self.plan.not_in_place {
            return Err(Error::NotInPlace {
                reason: reason.clone(),
            });
        }
        let row = self.plan.request.kind.row();
        if row.input != row.output && self.plan.request.placement != Placement::InPlace {
            return Err(Error::NotInPlace {
                reason: "the request was not made with in_place()".into(),
            });
        }
        // A buffer that is real on one side and complex on the other may be either.
        let side = match domain == row.input {
            true => Slot::Input,
            false => Slot::Output,
        };
        self.check(side, scalar, domain, bytes)
    }

    /// On host memory, by what scratch the caller lends, where the backend can use it.
    fn run_on_host(
        &self,
        input: Option<&[u8]>,
        output: &mut [u8],
        lent: Option<&mut [u8]>,
    ) -> Result<()> {
        #[cfg(feature = "cpu")]
        if let (AnyBackend::Cpu(cpu), AnyPrepared::Cpu(prepared), Some(scratch)) =
            (&self.backend, &self.prepared, lent)
        {
            return cpu.run_on_host(prepared, input, output, scratch);
        }
        #[cfg(not(feature = "cpu"))]
        let _ = lent;
        let written = match self.writes_all() {
            true => Written::All,
            false => Written::Part,
        };
        self.with_scratch(|scratch| {
            self.backend
                .run_on_host(&self.prepared, input, (output, written), scratch)
        })
    }

    /// Whether a run of two buffers leaves nothing of the output as it was.
    fn writes_all(&self) -> bool {
        let request = &self.plan.request;
        let dense = request.output == Layout::default() && request.placement != Placement::InPlace;
        dense && request.wanted_output.is_empty()
    }

    /// About the bytes that it keeps between runs: scratch for one at a time, and what its lines have of roots.
    pub(crate) fn bytes(&self) -> usize {
        let point = 2 * self.plan.request.precision.row().storage.compute_bytes();
        let lines = self.plan.passes.iter().flat_map(|pass| &pass.axes);
        let points: usize = lines.map(|axis| axis.core_length()).sum();
        self.scratch_bytes() + points * point
    }

    /// Runs `work` with scratch from the pool. The lock is not held meanwhile.
    fn with_scratch<R>(&self, work: impl FnOnce(&mut AnyBuffer) -> Result<R>) -> Result<R> {
        let lock = || self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = lock().pop();
        let mut scratch = match pooled {
            Some(scratch) => scratch,
            None => self.backend.allocate(self.scratch_bytes())?,
        };
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }
}
