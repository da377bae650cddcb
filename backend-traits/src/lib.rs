//! The contract between mmafft's planner and its backends.
//!
//! An FFT is a list of trips through memory. This crate holds the words for one:
//! what a user asks for ([`Request`]), the trips that answer it ([`Plan`], [`Pass`]),
//! what a device can do ([`Limits`]) and what the host needs of it ([`Backend`],
//! [`Buffer`]), and the small matrix product that matrix cores offer ([`Fragment`]).
//! It contains no device code, and no `unsafe`.
//!
//! A backend proves itself with one line, `conformance_suite!` of the crate `mmafft-testing`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod backend;
mod cache;
pub mod device;
mod error;
mod explain;
pub mod fragment;
mod geometry;
mod kind;
mod layout;
mod limits;
mod map;
pub mod mirrors;
mod parallel;
mod pass;
mod pass_shape;
mod plan;
mod precision;
pub mod radix;
pub mod real;
mod real_line;
pub mod reference;
mod request;
mod shape;
mod side;
pub mod split;
mod step;
mod target;
mod tile;
mod weights;

pub use backend::{Backend, Bindings, Buffer, Prepared, Workspace};
pub use cache::{digest, Cache};
pub use error::{Error, Result};
pub use fragment::{Fragment, FragmentShape};
pub use geometry::{registers_of_thread, Geometry, Vendor};
pub use kind::{Direction, Domain, Kind, KindRow, Normalization, KINDS};
pub use layout::{Layout, Placement, ResolvedLayout};
pub use limits::Limits;
pub use map::{Map, Runs};
pub use parallel::by_all_threads;
pub use pass::{Loop, Math, Pass, TileAxis};
pub use pass_shape::{PassShape, TripCount, TripShape, TripWork};
pub use plan::{Plan, Turns};
pub use precision::{Operand, Precision, PrecisionRow, ScalarType, PRECISIONS};
pub use real_line::{LineForm, RealLine};
pub use request::{Effort, Request};
pub use shape::{generator_powers, largest_prime_factor, Shape, MAX_RANK, MAX_TILE_AXES};
pub use side::{Edges, End, Ends, Factor, Images, Mirrored, Side, Slot};
pub use step::{Engine, Step};
pub use target::{Share, Target, ThreadLimits};
pub use tile::{held_points, Ahead, Launch, LaunchWord, Residency, Tile};
