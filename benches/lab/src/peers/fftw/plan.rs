//! Plans and their execution.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, NonNull};

use mmafft::{Direction, Kind};

use super::api::{lock_planner, Array, Execute, Fftw, RawPlan};
use super::Memory;
use crate::peers::Transform;

/// How much time the planner spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rigor {
    /// No measurement.
    Estimate = 1 << 6,
    /// Measures a few algorithms.
    Measure = 0,
}

/// A plan for arrays of one transform. It owns no array and may be executed by several threads at
/// a time.
///
/// As always with FFTW, nothing is scaled: a transform and its inverse multiply the data by the
/// number of elements.
pub struct FftwPlan {
    fftw: &'static Fftw,
    raw: NonNull<c_void>,
    execute: Execute,
    input_bytes: usize,
    output_bytes: usize,
    in_place: bool,
}

/// FFTW's number of a kind from reals to reals, of which that of a cosine or sine transform's name is the common one:
/// DCT-II is FFTW's `REDFT10`.
fn number(kind: Kind) -> Option<c_int> {
    Some(match kind {
        Kind::R2HC => 0,
        Kind::HC2R => 1,
        Kind::Dht => 2,
        Kind::Dct1 => 3,
        Kind::Dct3 => 4,
        Kind::Dct2 => 5,
        Kind::Dct4 => 6,
        Kind::Dst1 => 7,
        Kind::Dst3 => 8,
        Kind::Dst2 => 9,
        Kind::Dst4 => 10,
        _ => return None,
    })
}

/// The arguments of FFTW's planners that say of which arrays a plan is.
struct Numbers {
    n: Vec<c_int>,
    batch: c_int,
    /// Elements from one array to the next, of the input and of the output.
    distances: [c_int; 2],
}

/// Calls one of the planners: the arguments up to the output are the same for all of them.
macro_rules! call_planner {
    ($function:expr, $numbers:expr, $arrays:expr $(, $rest:expr)*) => {
        $function(
            $numbers.n.len() as c_int,
            $numbers.n.as_ptr(),
            $numbers.batch,
            $arrays[0],
            null(),
            1,
            $numbers.distances[0],
            $arrays[1],
            null(),
            1,
            $numbers.distances[1],
            $($rest),*
        )
    };
}

impl FftwPlan {
    /// A plan for so many threads. The direction counts where the kind does not fix it.
    ///
    /// # Errors
    /// As [`Fftw::open`]; where the transform is none or too large, where threads are asked for and
    /// missing, and where FFTW makes no plan.
    pub fn new(
        transform: &Transform,
        direction: Direction,
        rigor: Rigor,
        threads: usize,
    ) -> Result<Self, String> {
        let fftw = Fftw::open(transform.scalar)?;
        let words = |error: mmafft::Error| error.to_string();
        transform.check().map_err(words)?;
        let row = transform.kind.row();
        let sides = [row.input, row.output].map(|domain| transform.distance_and_bytes(domain));
        let [input, output] = sides;
        let (input, output) = (input.map_err(words)?, output.map_err(words)?);
        let int = |n: usize| c_int::try_from(n).map_err(|_| format!("too large for FFTW: {n}"));
        let n: Result<Vec<c_int>, String> = transform.shape.iter().map(|&n| int(n)).collect();
        let numbers = Numbers {
            n: n?,
            batch: int(transform.batch)?,
            distances: [int(input.0)?, int(output.0)?],
        };
        // The arrays live for planning only, so that measuring never overwrites data of the caller.
        let (input_bytes, output_bytes) = (input.1, output.1);
        let mut first = Memory::new::<u8>(match transform.in_place {
            true => input_bytes.max(output_bytes),
            false => input_bytes,
        });
        let mut second = Memory::new::<u8>(match transform.in_place {
            true => 0,
            false => output_bytes,
        });
        let first: Array = first.bytes().as_mut_ptr().cast();
        let second: Array = match transform.in_place {
            true => first,
            false => second.bytes().as_mut_ptr().cast(),
        };
        let _planner = lock_planner();
        set_threads(fftw, threads)?;
        let execute = match transform.kind {
            Kind::C2C => fftw.execute_dft,
            Kind::R2C => fftw.execute_dft_r2c,
            Kind::C2R => fftw.execute_dft_c2r,
            _ => fftw.execute_r2r,
        };
        let raw = numbers.plan(fftw, transform.kind, direction, rigor, [first, second]);
        Ok(FftwPlan {
            fftw,
            raw: NonNull::new(raw).ok_or("FFTW makes no plan for this transform")?,
            execute,
            input_bytes,
            output_bytes,
            in_place: transform.in_place,
        })
    }

    /// Transforms `input` into `output`, or in place where there is none. Only plans from complex numbers to reals, and
    /// HC2R of reals, may change an input that is not the output.
    ///
    /// # Panics
    /// If the plan is for another number of arrays, or an array is too short or less aligned than [`Memory`].
    pub fn execute(&self, input: &mut [u8], output: Option<&mut [u8]>) {
        let one = output.is_none();
        assert_eq!(self.in_place, one, "whether the plan works in place");
        let least = match one {
            true => self.input_bytes.max(self.output_bytes),
            false => self.input_bytes,
        };
        assert!(input.len() >= least, "the input is too short");
        let input: Array = input.as_mut_ptr().cast();
        let output: Array = match output {
            Some(output) => {
                let long = output.len() >= self.output_bytes;
                assert!(long, "the output is too short");
                output.as_mut_ptr().cast()
            }
            None => input,
        };
        for array in [input, output] {
            // SAFETY: only the address is looked at.
            let offset = unsafe { (self.fftw.alignment_of)(array) };
            // The arrays that plans are made with have offset zero.
            assert!(offset == 0, "an array is not aligned");
        }
        // SAFETY: the plan is alive and was made for as many arrays of this precision, no longer than
        // these and no better aligned. The new-array functions are thread-safe.
        unsafe { (self.execute)(self.raw.as_ptr(), input, output) };
    }
}

/// Says how many threads the next plan is for, under the planner's lock.
fn set_threads(fftw: &Fftw, threads: usize) -> Result<(), String> {
    let count = c_int::try_from(threads).unwrap_or(0);
    match &fftw.plan_with_nthreads {
        _ if count < 1 => Err(format!("{threads} threads")),
        Ok(set) => {
            // SAFETY: called under the lock, with a positive number.
            unsafe { set(count) };
            Ok(())
        }
        Err(_) if count == 1 => Ok(()),
        Err(reason) => Err(reason.clone()),
    }
}

impl Numbers {
    /// FFTW's own plan; null where it makes none.
    fn plan(
        &self,
        fftw: &Fftw,
        kind: Kind,
        direction: Direction,
        rigor: Rigor,
        arrays: [Array; 2],
    ) -> RawPlan {
        let flags = rigor as c_uint;
        let sign = match direction {
            Direction::Forward => -1,
            Direction::Inverse => 1,
        };
        let kinds: Vec<c_int> = self.n.iter().filter_map(|_| number(kind)).collect();
        // SAFETY: the arrays have the elements that the numbers say, of this precision; of reals there is one kind for
        // each dimension.
        unsafe {
            match kind {
                Kind::C2C => call_planner!((fftw.plan_many_dft), self, arrays, sign, flags),
                Kind::R2C => call_planner!((fftw.plan_many_dft_r2c), self, arrays, flags),
                Kind::C2R => call_planner!((fftw.plan_many_dft_c2r), self, arrays, flags),
                _ => {
                    let plan = fftw.plan_many_r2r;
                    call_planner!(plan, self, arrays, kinds.as_ptr(), flags)
                }
            }
        }
    }
}

impl Drop for FftwPlan {
    fn drop(&mut self) {
        let _planner = lock_planner();
        // SAFETY: the plan is destroyed once, under the lock of the planner.
        unsafe { (self.fftw.destroy_plan)(self.raw.as_ptr()) };
    }
}

// SAFETY: a plan is not tied to the thread that made it; it is destroyed under the planner's lock.
unsafe impl Send for FftwPlan {}
// SAFETY: the only functions that take a shared plan are the new-array execute functions, which
// FFTW documents as thread-safe.
unsafe impl Sync for FftwPlan {}
