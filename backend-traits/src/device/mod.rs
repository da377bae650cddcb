//! The host half of the pass that is written once for every device.
//!
//! ```text
//! Plan -> Pass -> lower -> Program (numbers) -> Driver: compile, launch
//!                       -> tables, fragments of DFT matrices
//! ```
//! [`DeviceBackend`] is a [`crate::Backend`] on any [`Driver`]: CUDA, HIP, and the emulated
//! devices. A driver knows memory, compilation and launches, and nothing of transforms.

mod accesses;
mod arguments;
mod backend;
mod banks;
mod check;
mod cluster;
mod columns;
mod compiler;
mod config;
mod copies;
mod driver;
mod entries;
mod extents;
mod facing;
mod groups;
mod kernels;
mod long_chirp;
mod lower;
mod matrices;
mod neighbours;
mod numbers;
mod operations;
mod outline;
mod places;
mod prepared;
mod program;
mod rader;
mod real;
mod registers;
mod roots;
mod rows;
mod scaling;
mod shape;
mod sides;
mod tables;
mod target;
mod threads;
mod trip;
mod trips;
mod turns;
mod work;

pub use crate::geometry::{Geometry, Vendor};
pub use arguments::{Arguments, TurnArguments};
pub use backend::DeviceBackend;
pub use columns::LARGEST_SECTOR;
pub use compiler::errors_of;
pub use driver::{Driver, Launch, Region};
pub use kernels::Kernels;
pub use lower::{lower, Lowered};
pub use prepared::{DeviceBuffer, DevicePrepared};
pub use program::{Program, SOURCES};
pub use shape::{outlined, shape};
pub use target::Lowering;
pub use turns::{SideWords, TurnWords};
pub use work::Work;
