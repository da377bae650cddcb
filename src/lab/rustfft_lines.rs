//! RustFFT's plans, made here: a program that makes its own compiles all of RustFFT again.

use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::Arc;

/// A real type whose lines RustFFT has; none but `f32` and `f64`.
pub trait RustfftReal: FftNum + bytemuck::Pod {
    /// RustFFT's plan of a line.
    fn plan(length: usize, direction: FftDirection) -> Arc<dyn Fft<Self>>;
}

impl RustfftReal for f32 {
    fn plan(length: usize, direction: FftDirection) -> Arc<dyn Fft<f32>> {
        FftPlanner::new().plan_fft(length, direction)
    }
}

impl RustfftReal for f64 {
    fn plan(length: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
        FftPlanner::new().plan_fft(length, direction)
    }
}
