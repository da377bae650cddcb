//! mmafft's C interface: `mmafft.h` is made of this crate's public items by cbindgen.
//!
//! Every function returns a status, and leaves what went wrong in words for
//! `mmafft_error_message`. Objects are handles: one that was destroyed, or never made, is an
//! error and nothing worse. Nothing unwinds into the caller.
#![warn(missing_docs)]
// The names are those of the header.
#![allow(non_camel_case_types)]

mod plan;
mod planner;
mod ranks;
mod request;
mod status;
mod stream;
mod text;

pub use plan::*;
pub use planner::*;
pub use ranks::*;
pub use request::*;
pub use status::*;
pub use stream::*;
pub use text::*;
