//! Plans and their execution.

use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;

use mmafft::{Direction, Error, Kind, Result};

use super::api::{Cufft, RawPlan};
use super::dims::Geometry;
use super::status::{self, device_error, planning_error, Status};
use crate::peers::library::pointer;
use crate::peers::Transform;

/// A plan, with the work area that cuFFT has allocated for it on the device.
///
/// It may move to another thread, but two must not execute it at once: they would share the work
/// area.
#[derive(Debug)]
pub struct CufftPlan {
    handle: Handle,
    transform: Transform,
    input_bytes: usize,
    output_bytes: usize,
    not_sync: PhantomData<Cell<()>>,
}

impl CufftPlan {
    /// A plan for the CUDA context that is current in this thread; without one, for the primary
    /// context of the first device. It runs in the default stream until [`Self::set_stream`].
    ///
    /// # Errors
    ///
    /// As [`Cufft::open`]; [`Error::Rank`], [`Error::Empty`] and [`Error::Overflow`] for a
    /// transform that is none; [`Error::Unsupported`] beyond cuFFT's limits; [`Error::Device`] with
    /// cuFFT's status if it fails.
    pub fn new(transform: &Transform) -> Result<Self> {
        if transform.kind.is_real_to_real() {
            return Err(Error::Unsupported {
                what: transform.to_string(),
                backend: "cufft".into(),
                instead: "use c2c, r2c or c2r".into(),
            });
        }
        // What is wrong with the transform is the same with and without cuFFT.
        let geometry = Geometry::new(transform)?;
        Self::with(Cufft::open()?, transform, geometry)
    }

    pub(super) fn with(
        cufft: &'static Cufft,
        transform: &Transform,
        mut geometry: Geometry,
    ) -> Result<Self> {
        let handle = Handle::new(cufft)?;
        let mut work_bytes = 0;
        // SAFETY: the handle is new, the arrays have as many elements as the rank says, and the
        // size of one work area is written, since the plan has not been given several devices.
        let status = unsafe {
            (cufft.make_plan_many)(
                handle.raw,
                geometry.n.len() as c_int,
                geometry.n.as_mut_ptr(),
                geometry.input.embed.as_mut_ptr(),
                STRIDE,
                geometry.input.distance,
                geometry.input.data_type,
                geometry.output.embed.as_mut_ptr(),
                STRIDE,
                geometry.output.distance,
                geometry.output.data_type,
                geometry.batch,
                &mut work_bytes,
                geometry.execution,
            )
        };
        if status != status::SUCCESS {
            return Err(planning_error("cufftXtMakePlanMany", transform, status));
        }
        Ok(Self {
            handle,
            transform: transform.clone(),
            input_bytes: geometry.input.bytes,
            output_bytes: geometry.output.bytes,
            not_sync: PhantomData,
        })
    }

    /// The bytes of the input of the whole batch.
    pub fn input_bytes(&self) -> usize {
        self.input_bytes
    }

    /// The bytes of the output of the whole batch.
    pub fn output_bytes(&self) -> usize {
        self.output_bytes
    }

    /// Executes in this stream from now on; 0 is the default stream.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] with cuFFT's status.
    ///
    /// # Safety
    ///
    /// `stream` must be a stream (`CUstream`, `cudaStream_t`) of the plan's context, and live until
    /// another is set or the plan is executed for the last time and done.
    pub unsafe fn set_stream(&self, stream: u64) -> Result<()> {
        // SAFETY: the plan is alive; the stream is by the caller's promise.
        let status = unsafe { (self.handle.cufft.set_stream)(self.handle.raw, pointer(stream)) };
        check("cufftSetStream", status, false)
    }

    /// Starts the transform of `input` into `output`, and does not wait for it. The direction
    /// counts where the kind does not fix it. Plans from complex to real data may overwrite the
    /// input.
    ///
    /// # Errors
    ///
    /// [`Error::NotInPlace`] if a real transform is given one array without having been planned
    /// for it, [`Error::Device`] with cuFFT's status.
    ///
    /// # Safety
    ///
    /// `input` and `output` must be addresses in memory of the plan's device, aligned for complex
    /// elements (also where they are real), with [`Self::input_bytes`] and [`Self::output_bytes`];
    /// the same, or without overlap. Until the stream has come this far, the memory and the plan
    /// must live and nothing else may use the output, nor write to the input. The plan's context
    /// must be current in this thread.
    pub unsafe fn execute(&self, input: u64, output: u64, direction: Direction) -> Result<()> {
        let Transform { kind, in_place, .. } = self.transform;
        if input == output && !in_place && kind != Kind::C2C {
            return Err(Error::NotInPlace {
                reason: "the rows of the real array are not padded; plan with `in_place`".into(),
            });
        }
        let direction = match kind.row().direction.unwrap_or(direction) {
            Direction::Forward => CUFFT_FORWARD,
            Direction::Inverse => CUFFT_INVERSE,
        };
        let (input, output) = (pointer(input), pointer(output));
        // SAFETY: the plan is alive and made for arrays of these sizes; the rest is the caller's
        // promise.
        let status = unsafe { (self.handle.cufft.exec)(self.handle.raw, input, output, direction) };
        check("cufftXtExec", status, true)
    }
}

const CUFFT_FORWARD: c_int = -1;
const CUFFT_INVERSE: c_int = 1;

/// The elements of a row follow each other.
const STRIDE: i64 = 1;

/// A plan to be destroyed, also one that was never made.
#[derive(Debug)]
struct Handle {
    cufft: &'static Cufft,
    raw: RawPlan,
}

impl Handle {
    fn new(cufft: &'static Cufft) -> Result<Self> {
        let mut raw = 0;
        // SAFETY: cuFFT writes one handle.
        let status = unsafe { (cufft.create)(&mut raw) };
        check("cufftCreate", status, false)?;
        Ok(Self { cufft, raw })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle came from `create` and is destroyed once. A failure leaves nothing to
        // be done.
        unsafe { (self.cufft.destroy)(self.raw) };
    }
}

fn check(function: &str, status: Status, output_touched: bool) -> Result<()> {
    match status {
        status::SUCCESS => Ok(()),
        other => Err(device_error(function, other, output_touched)),
    }
}
