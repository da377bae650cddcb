//! FFTW's interface, version 3.3, over mmafft: its names, its documented meaning, none of its code.
//!
//! `library` has one state a precision and all that calls have in common; the macros of
//! `interface` and `fortran` give it the names of both precisions. Plans are handles, so that
//! one that was destroyed twice, or never made, is noticed. Nothing unwinds into the caller.

#[macro_use]
mod interface;
#[macro_use]
mod fortran;

mod ask;
mod library;
mod memory;
mod plan;
mod wisdom;

interface!(double, f64, F64, "fftw_");
interface!(single, f32, F32, "fftwf_");
fortran!(double_fortran, double, f64, "dfftw_", "_");
fortran!(double_fortran_g77, double, f64, "dfftw_", "__");
fortran!(single_fortran, single, f32, "sfftw_", "_");
fortran!(single_fortran_g77, single, f32, "sfftw_", "__");
