//! Transforms as other languages ask for them: dimensions with strides of both sides, of any
//! rank and any sign, and addresses.
//!
//! A [`Problem`] becomes [`Runs`] of one transform of the library. Where the library takes the
//! strides as they are, that is one run on the caller's memory; everything else (reversed
//! dimensions, separate real and imaginary parts, output that lies elsewhere in the input's
//! memory) is copied to contiguous memory and back, in as few runs as memory suggests.
//!
//! ```
//! use mmafft::{Kind, PlanCache, Planner, Precision, Request, Shape};
//! use mmafft_guru::{Dim, Problem, Runs, Side};
//!
//! // The columns of a 4×3 matrix of reals, summed.
//! let request = Request::of_kind(Kind::R2HC, Shape::new(&[])).precision(Precision::F64);
//! let problem = Problem {
//!     request,
//!     dims: vec![Dim { n: 4, strides: [3, 3] }],
//!     loops: vec![Dim { n: 3, strides: [1, 1] }],
//!     split: [false; 2],
//! };
//! let cache = PlanCache::new(Planner::cpu()?);
//! let runs = Runs::new(&problem, false, &cache)?;
//! let (input, mut output) = ([1.0f64; 12], [0.0f64; 12]);
//! // SAFETY: both are memory of the problem's extent.
//! unsafe { runs.run(Side::of(input.as_ptr()), Side::of(output.as_mut_ptr()), None)? };
//! assert_eq!(output[..3], [4.0; 3]);
//! # Ok::<(), mmafft::Error>(())
//! ```
#![warn(missing_docs)]

mod copy;
mod direct;
mod embedded;
mod handles;
mod problem;
mod runs;

pub use embedded::Embedded;
pub use handles::Handles;
pub use problem::{Dim, Problem};
pub use runs::{Runs, Side};
