//! Plans and their execution.

use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::null_mut;

use mmafft::{Direction, Error, Kind, Result, ScalarType};

use super::api::{check, words, Handle, Rocfft, INVALID_ARRAY_TYPE, INVALID_DIMENSIONS};
use super::BACKEND;
use crate::peers::library::pointer;
use crate::peers::Transform;

/// A plan, with what its executions are told.
///
/// It may move to another thread, but two must not execute it at once: they would share the work
/// area.
#[derive(Debug)]
pub struct RocfftPlan {
    rocfft: &'static Rocfft,
    plan: Handle,
    info: Handle,
    in_place: bool,
    work_bytes: usize,
    not_sync: PhantomData<Cell<()>>,
}

// SAFETY: neither handle is tied to the thread that made it.
unsafe impl Send for RocfftPlan {}

impl RocfftPlan {
    /// A plan for the device that is current in this thread. It runs in the default stream until
    /// [`Self::set_stream`].
    ///
    /// # Errors
    ///
    /// As [`Rocfft::open`]; [`Error::Rank`] and [`Error::Empty`] for a transform that is none;
    /// [`Error::Unsupported`] beyond rocFFT's limits; [`Error::Device`] with rocFFT's status if it
    /// fails.
    pub fn new(transform: &Transform, direction: Direction) -> Result<Self> {
        // What is wrong with the transform is the same with and without rocFFT.
        let numbers = Numbers::new(transform, direction)?;
        let rocfft = Rocfft::open()?;
        rocfft.set_up()?;
        let mut this = RocfftPlan {
            rocfft,
            plan: null_mut(),
            info: null_mut(),
            in_place: transform.in_place,
            work_bytes: 0,
            not_sync: PhantomData,
        };
        // SAFETY: writes one handle; there are as many lengths as the rank says; a null
        // description stands for contiguous arrays.
        let status = unsafe {
            (rocfft.plan_create)(
                &mut this.plan,
                numbers.placement,
                numbers.kind,
                numbers.precision,
                numbers.lengths.len(),
                numbers.lengths.as_ptr(),
                transform.batch,
                null_mut(),
            )
        };
        match status {
            INVALID_DIMENSIONS | INVALID_ARRAY_TYPE => {
                return Err(Error::Unsupported {
                    what: format!("{transform} ({})", words("rocfft_plan_create", status)),
                    backend: BACKEND.into(),
                    instead: "use other lengths or another precision".into(),
                })
            }
            _ => check("rocfft_plan_create", status, false)?,
        }
        // SAFETY: the plan is there; each writes one value.
        unsafe {
            let status = (rocfft.work_buffer_size)(this.plan, &mut this.work_bytes);
            check("rocfft_plan_get_work_buffer_size", status, false)?;
            check(
                "rocfft_execution_info_create",
                (rocfft.info_create)(&mut this.info),
                false,
            )?;
        }
        Ok(this)
    }

    /// The bytes of the work area that [`Self::set_work`] is to bring; often none.
    pub fn work_bytes(&self) -> usize {
        self.work_bytes
    }

    /// Executes in this stream from now on; 0 is the default stream.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] with rocFFT's status.
    ///
    /// # Safety
    ///
    /// `stream` must be a stream (`hipStream_t`) of the plan's device, and live until another is
    /// set or the plan is executed for the last time and done.
    pub unsafe fn set_stream(&self, stream: u64) -> Result<()> {
        // SAFETY: the info is there; the stream is by the caller's promise.
        let status = unsafe { (self.rocfft.set_stream)(self.info, pointer(stream)) };
        check("rocfft_execution_info_set_stream", status, false)
    }

    /// Works in this memory from now on.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] with rocFFT's status.
    ///
    /// # Safety
    ///
    /// `work` must be the address of [`Self::work_bytes`] of the device's memory, which nothing
    /// else uses, until the plan is executed for the last time and done.
    pub unsafe fn set_work(&self, work: u64) -> Result<()> {
        if self.work_bytes == 0 {
            return Ok(());
        }
        let work = pointer(work);
        // SAFETY: the info is there; the memory is by the caller's promise.
        let status = unsafe { (self.rocfft.set_work_buffer)(self.info, work, self.work_bytes) };
        check("rocfft_execution_info_set_work_buffer", status, false)
    }

    /// Starts the transform of `input` into `output`, and does not wait for it. The input may be
    /// overwritten.
    ///
    /// # Errors
    ///
    /// [`Error::NotInPlace`] if a plan in place is given two arrays, or the reverse;
    /// [`Error::Device`] with rocFFT's status.
    ///
    /// # Safety
    ///
    /// `input` and `output` must be addresses in memory of the plan's device with the bytes of the
    /// whole batch, the same or without overlap. Until the stream has come this far, the memory and
    /// the plan must live and nothing else may use the output, nor the input. A plan that needs a
    /// work area must have been given one.
    pub unsafe fn execute(&self, input: u64, output: u64) -> Result<()> {
        if (input == output) != self.in_place {
            return Err(Error::NotInPlace {
                reason: "rocFFT fixes the number of arrays in the plan".into(),
            });
        }
        let (mut input, mut output) = (pointer(input), pointer(output));
        // SAFETY: plan and info are there, one pointer a side is what interleaved data has; the
        // rest is the caller's promise.
        let status =
            unsafe { (self.rocfft.execute)(self.plan, &mut input, &mut output, self.info) };
        check("rocfft_execute", status, true)
    }
}

impl Drop for RocfftPlan {
    fn drop(&mut self) {
        // SAFETY: each was made here and is destroyed once, if it was made. A failure leaves
        // nothing to be done.
        unsafe {
            if !self.info.is_null() {
                (self.rocfft.info_destroy)(self.info);
            }
            if !self.plan.is_null() {
                (self.rocfft.plan_destroy)(self.plan);
            }
        }
    }
}

/// Checked arguments of `rocfft_plan_create`, by the enumerations of rocfft.h.
#[derive(Debug, PartialEq)]
pub(super) struct Numbers {
    pub placement: c_int,
    pub kind: c_int,
    pub precision: c_int,
    /// The contiguous one first.
    pub lengths: Vec<usize>,
}

impl Numbers {
    pub fn new(transform: &Transform, direction: Direction) -> Result<Numbers> {
        transform.check()?;
        let unsupported = |instead: &str| Error::Unsupported {
            what: transform.to_string(),
            backend: BACKEND.into(),
            instead: instead.into(),
        };
        Ok(Numbers {
            placement: c_int::from(!transform.in_place),
            kind: match (transform.kind, direction) {
                (Kind::C2C, Direction::Forward) => 0,
                (Kind::C2C, Direction::Inverse) => 1,
                (Kind::R2C, _) => 2,
                (Kind::C2R, _) => 3,
                _ => return Err(unsupported("use c2c, r2c or c2r")),
            },
            precision: match transform.scalar {
                ScalarType::F32 => 0,
                ScalarType::F64 => 1,
                ScalarType::F16 => 2,
                ScalarType::Bf16 => return Err(unsupported("use f16 or f32")),
            },
            lengths: transform.shape.iter().rev().copied().collect(),
        })
    }
}
