//! Lines that go through a convolution, as transforms of RustFFT's interface.

use super::scalar::Real;
use num_complex::Complex;
use pulp::Arch;
use rustfft::{Direction, Fft, FftDirection, Length};

/// A DFT whose every point is read before any is written.
pub trait Convolution: Send + Sync {
    /// The type that arithmetic is done in.
    type Scalar: Real;

    /// Points of a line.
    fn points(&self) -> usize;

    /// The sign of the exponent.
    fn direction(&self) -> FftDirection;

    /// Complex numbers that a line needs beside its own.
    fn scratch(&self) -> usize;

    /// Leaves the line's spectrum where the line is to go.
    fn transform(
        &self,
        arch: Arch,
        line: impl Line<Self::Scalar>,
        scratch: &mut [Complex<Self::Scalar>],
    );
}

/// A line in place, or one that is read here and written there.
pub trait Line<T> {
    /// Where points are read, before [`Line::to`].
    fn from(&self) -> &[Complex<T>];
    /// Where the spectrum is written.
    fn to(&mut self) -> &mut [Complex<T>];
    /// The first points of both, which may be one.
    fn ends(&mut self) -> (*const Complex<T>, *mut Complex<T>);
}

impl<T> Line<T> for &mut [Complex<T>] {
    fn from(&self) -> &[Complex<T>] {
        self
    }
    fn to(&mut self) -> &mut [Complex<T>] {
        self
    }
    fn ends(&mut self) -> (*const Complex<T>, *mut Complex<T>) {
        let line = self.as_mut_ptr();
        (line, line)
    }
}

impl<T> Line<T> for (&[Complex<T>], &mut [Complex<T>]) {
    fn from(&self) -> &[Complex<T>] {
        self.0
    }
    fn to(&mut self) -> &mut [Complex<T>] {
        self.1
    }
    fn ends(&mut self) -> (*const Complex<T>, *mut Complex<T>) {
        (self.0.as_ptr(), self.1.as_mut_ptr())
    }
}

/// Any number of lines by a convolution.
pub struct Convolved<C> {
    convolution: C,
    arch: Arch,
}

impl<C: Convolution> Convolved<C> {
    /// Lines by this convolution, in the widest vectors that the processor has.
    pub fn new(convolution: C) -> Self {
        Convolved {
            convolution,
            arch: Arch::new(),
        }
    }
}

impl<C: Convolution> Length for Convolved<C> {
    fn len(&self) -> usize {
        self.convolution.points()
    }
}

impl<C: Convolution> Direction for Convolved<C> {
    fn fft_direction(&self) -> FftDirection {
        self.convolution.direction()
    }
}

impl<C: Convolution> Fft<C::Scalar> for Convolved<C> {
    fn process_with_scratch(
        &self,
        buffer: &mut [Complex<C::Scalar>],
        scratch: &mut [Complex<C::Scalar>],
    ) {
        for line in buffer.chunks_exact_mut(self.len()) {
            self.convolution.transform(self.arch, line, scratch);
        }
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<C::Scalar>],
        output: &mut [Complex<C::Scalar>],
        scratch: &mut [Complex<C::Scalar>],
    ) {
        self.process_immutable_with_scratch(input, output, scratch);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<C::Scalar>],
        output: &mut [Complex<C::Scalar>],
        scratch: &mut [Complex<C::Scalar>],
    ) {
        let lines = output.chunks_exact_mut(self.len());
        for line in input.chunks_exact(self.len()).zip(lines) {
            self.convolution.transform(self.arch, line, scratch);
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.convolution.scratch()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.convolution.scratch()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.convolution.scratch()
    }
}

/// `to[i] = from[i]·by[i]`.
pub fn multiply<T: Real>(
    arch: Arch,
    to: &mut [Complex<T>],
    from: &[Complex<T>],
    by: &[Complex<T>],
) {
    arch.dispatch(
        #[inline(always)]
        || {
            for ((x, &point), &c) in to.iter_mut().zip(from).zip(by) {
                *x = point * c;
            }
        },
    );
}

/// `line[i] = line[i]·by[i]`.
pub fn multiply_by<T: Real>(arch: Arch, line: &mut [Complex<T>], by: &[Complex<T>]) {
    arch.dispatch(
        #[inline(always)]
        || {
            for (x, &w) in line.iter_mut().zip(by) {
                *x = *x * w;
            }
        },
    );
}

/// `line[i] = conj(line[i]·by[i])`.
pub fn multiply_conjugated<T: Real>(arch: Arch, line: &mut [Complex<T>], by: &[Complex<T>]) {
    arch.dispatch(
        #[inline(always)]
        || {
            for (x, &w) in line.iter_mut().zip(by) {
                *x = (*x * w).conj();
            }
        },
    );
}

/// `to[i] = conj(from[i])·by[i]`.
pub fn multiply_conjugates<T: Real>(
    arch: Arch,
    to: &mut [Complex<T>],
    from: &[Complex<T>],
    by: &[Complex<T>],
) {
    arch.dispatch(
        #[inline(always)]
        || {
            for ((x, &point), &c) in to.iter_mut().zip(from).zip(by) {
                *x = point.conj() * c;
            }
        },
    );
}
