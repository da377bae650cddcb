//! Scalars in memory and the type that computes with them.

use super::lines::Lines;
use super::matrix::{MatrixBluestein, MatrixLines};
pub use super::roots::root;
use super::scaling::scaled_to;
use half::{bf16, f16, slice::HalfFloatSliceExt};
use mmafft_backend_traits::{Operand, Pass};
use rustfft::FftNum;
use std::any::TypeId;

/// The type that arithmetic is done in.
pub trait Real: FftNum + bytemuck::Pod + Default + super::lanes::LaneScalar {
    /// Rounds once.
    fn rounded(x: f64) -> Self;

    /// Lines on the matrix engine: of the product of `radices`, or of `convolved` points
    /// through convolutions of that product. `None` where there are no such products.
    fn matrix_lines(
        radices: &[usize],
        convolved: Option<usize>,
        inverse: bool,
        pass: &Pass,
    ) -> Option<Box<dyn Lines<Self>>>;
}

impl Real for f32 {
    fn rounded(x: f64) -> Self {
        x as f32
    }

    fn matrix_lines(
        radices: &[usize],
        convolved: Option<usize>,
        inverse: bool,
        pass: &Pass,
    ) -> Option<Box<dyn Lines<Self>>> {
        let split = pass.math.split_matrix;
        Some(match (pass.math.operand, convolved) {
            (Operand::SplitHalf, None) => {
                Box::new(MatrixLines::<f16>::new(radices, inverse, split))
            }
            (Operand::SplitHalf, Some(n)) => {
                Box::new(MatrixBluestein::<f16>::new(n, radices, inverse, split))
            }
            (Operand::SplitBf16, None) => {
                Box::new(MatrixLines::<bf16>::new(radices, inverse, split))
            }
            (Operand::SplitBf16, Some(n)) => {
                Box::new(MatrixBluestein::<bf16>::new(n, radices, inverse, split))
            }
            _ => return None,
        })
    }
}

impl Real for f64 {
    fn rounded(x: f64) -> Self {
        x
    }

    fn matrix_lines(
        _: &[usize],
        _: Option<usize>,
        _: bool,
        _: &Pass,
    ) -> Option<Box<dyn Lines<Self>>> {
        None
    }
}

/// A scalar in memory.
pub trait Storage: bytemuck::Pod + Send + Sync {
    /// What computes with it.
    type Compute: Real + Storage<Compute = Self::Compute>;
    /// Exact.
    fn load(self) -> Self::Compute;
    /// Rounds to nearest.
    fn store(x: Self::Compute) -> Self;
    /// Makes what computes of scalars in a row, as many of both.
    fn widen(from: &[Self], to: &mut [Self::Compute]);
    /// Multiplies scalars and rounds them to nearest, as many of both.
    fn narrow(from: &[Self::Compute], to: &mut [Self], factor: Self::Compute);
    /// Whether memory already holds what arithmetic uses.
    fn is_compute() -> bool {
        TypeId::of::<Self>() == TypeId::of::<Self::Compute>()
    }
}

impl Storage for f64 {
    type Compute = f64;
    #[inline(always)]
    fn load(self) -> f64 {
        self
    }
    #[inline(always)]
    fn store(x: f64) -> f64 {
        x
    }
    fn widen(from: &[f64], to: &mut [f64]) {
        to.copy_from_slice(from);
    }
    fn narrow(from: &[f64], to: &mut [f64], factor: f64) {
        scaled_to(from, to, factor);
    }
}

impl Storage for f32 {
    type Compute = f32;
    #[inline(always)]
    fn load(self) -> f32 {
        self
    }
    #[inline(always)]
    fn store(x: f32) -> f32 {
        x
    }
    fn widen(from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }
    fn narrow(from: &[f32], to: &mut [f32], factor: f32) {
        scaled_to(from, to, factor);
    }
}

impl Storage for f16 {
    type Compute = f32;
    #[inline(always)]
    fn load(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn store(x: f32) -> f16 {
        f16::from_f32(x)
    }
    fn widen(from: &[f16], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
    fn narrow(from: &[f32], to: &mut [f16], factor: f32) {
        narrow(from, to, factor);
    }
}

impl Storage for bf16 {
    type Compute = f32;
    #[inline(always)]
    fn load(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn store(x: f32) -> bf16 {
        bf16::from_f32(x)
    }
    fn widen(from: &[bf16], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
    fn narrow(from: &[f32], to: &mut [bf16], factor: f32) {
        narrow(from, to, factor);
    }
}

/// Scalars that are multiplied, and then rounded, while they are in the nearest cache.
const NARROWED: usize = 1 << 7;

/// Multiplies and rounds, a piece after the other.
fn narrow<V>(from: &[f32], to: &mut [V], factor: f32)
where
    [V]: HalfFloatSliceExt,
{
    if factor == 1.0 {
        return to.convert_from_f32_slice(from);
    }
    let mut piece = [0.0; NARROWED];
    for (from, to) in from.chunks(NARROWED).zip(to.chunks_mut(NARROWED)) {
        let piece = &mut piece[..from.len()];
        scaled_to(from, piece, factor);
        to.convert_from_f32_slice(piece);
    }
}
