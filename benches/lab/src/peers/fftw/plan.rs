//! Plans and their execution.

use std::ffi::c_void;
use std::ptr::NonNull;

use mmafft::Complex;

use super::api::{lock_planner, Api, Execute};
use super::Real;

/// A family of transforms, with the element types of its arrays.
pub trait Kind<T: Real>: sealed::Sealed {
    /// Elements of the input.
    type Input: Copy + Default;
    /// Elements of the output.
    type Output: Copy + Default;
    /// Elements of an array that is transformed in place: the larger of the two.
    type InPlace: Copy + Default;

    #[doc(hidden)]
    fn execute(api: &Api<T>) -> Execute<Self::Input, Self::Output>;
}

mod sealed {
    pub trait Sealed {}
}

/// Complex to complex.
pub enum Dft {}
/// Real to half spectrum.
pub enum RealToComplex {}
/// Half spectrum to real. The input is overwritten.
pub enum ComplexToReal {}
/// Real to real: sine, cosine and Hartley transforms.
pub enum RealToReal {}

macro_rules! kind {
    ($name:ident, $input:ty => $output:ty, in place $in_place:ty, $execute:ident) => {
        impl sealed::Sealed for $name {}

        impl<T: Real> Kind<T> for $name {
            type Input = $input;
            type Output = $output;
            type InPlace = $in_place;

            fn execute(api: &Api<T>) -> Execute<$input, $output> {
                api.$execute
            }
        }
    };
}

kind!(Dft, Complex<T> => Complex<T>, in place Complex<T>, execute_dft);
kind!(RealToComplex, T => Complex<T>, in place Complex<T>, execute_dft_r2c);
kind!(ComplexToReal, Complex<T> => T, in place Complex<T>, execute_dft_c2r);
kind!(RealToReal, T => T, in place T, execute_r2r);

/// A plan for arrays of one geometry. It owns no array and may be executed by several threads at
/// a time.
///
/// As always with FFTW, nothing is scaled: a transform and its inverse multiply the data by the
/// number of elements.
pub struct Plan<T: Real, K: Kind<T>> {
    pub(super) api: &'static Api<T>,
    pub(super) raw: NonNull<c_void>,
    pub(super) execute: Execute<K::Input, K::Output>,
    pub(super) input_len: usize,
    pub(super) output_len: usize,
    pub(super) in_place: bool,
    pub(super) unaligned: bool,
}

impl<T: Real, K: Kind<T>> Plan<T, K> {
    /// The number of elements that the input must have at least.
    pub fn input_len(&self) -> usize {
        self.input_len
    }

    /// The number of elements that the output must have at least.
    pub fn output_len(&self) -> usize {
        self.output_len
    }

    /// The number of elements that an array transformed in place must have at least.
    pub fn in_place_len(&self) -> usize {
        in_place_len::<T, K>(self.input_len, self.output_len)
    }

    /// Transforms `input` into `output`. Only [`ComplexToReal`] plans, and HC2R of reals, may
    /// change the input.
    ///
    /// # Panics
    ///
    /// If the plan is one for work in place, an array is too short, or an array is not aligned as
    /// FFTW's allocator would do and the plan was not made for unaligned arrays.
    pub fn execute(&self, input: &mut [K::Input], output: &mut [K::Output]) {
        assert!(!self.in_place, "this plan works in place");
        assert!(input.len() >= self.input_len, "the input is too short");
        assert!(output.len() >= self.output_len, "the output is too short");
        let (input, output) = (input.as_mut_ptr(), output.as_mut_ptr());
        self.check_alignment(input.cast());
        self.check_alignment(output.cast());
        // SAFETY: the plan is alive and was made for two distinct arrays of these element types,
        // no longer than these and no better aligned. The new-array functions are thread-safe.
        unsafe { (self.execute)(self.raw.as_ptr(), input, output) };
    }

    /// Transforms `data` in place. Between real and complex data, the real elements are the parts
    /// of the complex ones, see [`Dims`](super::Dims).
    ///
    /// # Panics
    ///
    /// As [`Plan::execute`], if the plan is not one for work in place.
    pub fn execute_in_place(&self, data: &mut [K::InPlace]) {
        assert!(self.in_place, "this plan does not work in place");
        assert!(data.len() >= self.in_place_len(), "the data are too short");
        let data = data.as_mut_ptr();
        self.check_alignment(data.cast());
        // SAFETY: the plan is alive and was made for one array, which in either element type is no
        // longer than this one and no better aligned. `Complex<T>` is two `T`, in Rust as in
        // FFTW, and the new-array functions are thread-safe.
        unsafe { (self.execute)(self.raw.as_ptr(), data.cast(), data.cast()) };
    }

    fn check_alignment(&self, array: *mut T) {
        // SAFETY: only the address is looked at.
        let offset = unsafe { (self.api.alignment_of)(array) };
        // The arrays that plans are made with have offset zero.
        assert!(self.unaligned || offset == 0, "an array is not aligned");
    }
}

/// The elements of type `K::InPlace` that hold both arrays.
pub(super) fn in_place_len<T: Real, K: Kind<T>>(input_len: usize, output_len: usize) -> usize {
    let elements = |len: usize, size: usize| len.div_ceil(size_of::<K::InPlace>() / size);
    let input = elements(input_len, size_of::<K::Input>());
    input.max(elements(output_len, size_of::<K::Output>()))
}

impl<T: Real, K: Kind<T>> Drop for Plan<T, K> {
    fn drop(&mut self) {
        let _planner = lock_planner();
        // SAFETY: the plan is destroyed once, under the lock of the planner.
        unsafe { (self.api.destroy_plan)(self.raw.as_ptr()) };
    }
}

// SAFETY: a plan is not tied to the thread that made it; it is destroyed under the planner's lock.
unsafe impl<T: Real, K: Kind<T>> Send for Plan<T, K> {}
// SAFETY: the only functions that take a shared plan are the new-array execute functions, which
// FFTW documents as thread-safe.
unsafe impl<T: Real, K: Kind<T>> Sync for Plan<T, K> {}
