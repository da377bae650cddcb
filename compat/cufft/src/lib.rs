//! cuFFT's interface over mmafft: its names, its documented meaning, none of its code.
//!
//! A plan belongs to the device that is current when it is made. What runs is prepared when it is
//! first executed in its direction and placement, as these are no part of a cuFFT plan.

// The names are cuFFT's.
#![allow(non_snake_case)]

mod device;
mod interface;
mod plan;
mod real;
mod status;
mod unsupported;
