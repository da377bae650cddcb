//! Fast Fourier transforms on CPUs, NVIDIA tensor cores and AMD matrix cores.
//!
//! **An FFT is a list of trips through memory.** A [`Request`] says what is wanted, a
//! [`Planner`] turns it into a [`Plan`] of few [`Pass`]es for a device's [`Limits`], and a
//! backend runs each at the speed of its memory.
//!
//! ```
//! use mmafft::{Complex, Planner, Precision, Request, Shape};
//!
//! let planner = Planner::auto()?;
//! let request = Request::forward(Shape::d2(64, 48)).batch(8).precision(Precision::SplitF16);
//! let fft = planner.build(&request)?;
//! println!("{}", fft.plan().explain());
//!
//! let host = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
//! let mut buffer = fft.upload(&host)?;
//! fft.run_in_place(&mut buffer)?;
//! let spectrum: Vec<Complex<f32>> = fft.download(&buffer)?;
//! assert_eq!(spectrum[0].re, 64.0 * 48.0);
//! # Ok::<(), mmafft::Error>(())
//! ```
//!
//! Conventions: row-major arrays; complex numbers interleaved; strides and distances count
//! elements; `X[k] = Σ x[n]·exp(−2πi·kn/N)` forward, `+` inverse, neither scaled unless
//! [`Normalization`] says so.
//!
//! Features: `cpu` (default), `cuda`, `hip`, `mpi`, `nccl`, `emulate`, `ndarray`. With a feature
//! off, [`Planner`]'s and [`AnyBackend`]'s constructors of its backend still exist, and return [`Error::NotBuilt`].
#![warn(missing_docs)]
// A build without backends has nothing that runs, so that what follows from a value of one cannot be reached.
#![cfg_attr(
    not(any(
        feature = "cpu",
        feature = "cuda",
        feature = "hip",
        feature = "emulate"
    )),
    allow(unreachable_code, unused_variables)
)]

mod any;
#[cfg(feature = "ndarray")]
mod arrays;
mod buffer;
mod clock;
#[cfg(feature = "cpu")]
mod cpu;
mod element;
mod foreign;
mod helpers;
#[doc(hidden)]
pub mod lab;
mod plan_cache;
mod planner;
pub mod ranks;
mod stream;
mod transform;

#[cfg(feature = "cuda")]
pub use any::CudaBackend;
#[cfg(feature = "emulate")]
pub use any::EmulatedBackend;
#[cfg(feature = "hip")]
pub use any::HipBackend;
pub use any::{AnyBackend, AnyBuffer, AnyPrepared, BackendName, BACKENDS};
#[cfg(feature = "ndarray")]
pub use arrays::layout_of;
pub use buffer::Buffer;
#[cfg(feature = "cpu")]
pub use cpu::{with_jobs_by, CpuBackend, CpuBuffer, CpuOptions, CpuPrepared, JobLoop};
pub use element::{Element, RealElement};
pub use half::{bf16, f16};
pub use helpers::{complex, frequencies, good_size, half_frequencies, inverse_shift, shift};
pub use mmafft_backend_traits as backend_traits;
pub use mmafft_backend_traits::{
    largest_prime_factor, reference, Backend, Direction, Domain, Effort, Engine, Error, Kind,
    Layout, Limits, Normalization, Pass, Placement, Plan, Precision, Request, Result, ScalarType,
    Shape, Slot, Step, Turns, KINDS, PRECISIONS,
};
#[cfg(feature = "emulate")]
pub use mmafft_emulated as emulated;
#[cfg(feature = "cuda")]
pub use mmafft_kernels_cuda as cuda;
#[cfg(feature = "hip")]
pub use mmafft_kernels_hip as hip;
pub use num_complex::Complex;
pub use plan_cache::PlanCache;
pub use planner::plan;
pub use stream::Stream;
pub use transform::{Planner, Transform};

/// The snippets of the pages that users read compile, and run where they can.
#[cfg(all(doctest, feature = "cpu"))]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/from-fftw.md")]
    struct FromFftw;
    #[doc = include_str!("../docs/ranks.md")]
    struct Ranks;
    #[cfg(feature = "cuda")]
    #[doc = include_str!("../docs/guide.md")]
    struct Guide;
    #[cfg(feature = "cuda")]
    #[doc = include_str!("../docs/from-cufft.md")]
    struct FromCufft;
}
