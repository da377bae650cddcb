//! Scalars in memory and the type that computes with them.

use super::lines::Lines;
use super::matrix::{MatrixBluestein, MatrixLines};
use half::{bf16, f16};
use mmafft_backend_traits::{Operand, Pass};
use num_complex::Complex;
use rustfft::FftNum;
use std::any::TypeId;

/// The type that arithmetic is done in.
pub trait Real: FftNum + bytemuck::Pod + Default + super::columns::LaneScalar {
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
}

/// exp(−2πi·k/n), each part within about one unit of the last place: the angle is reduced
/// to an eighth of a turn in integers, where sine and cosine are at their best.
pub fn root<T: Real>(k: usize, n: usize) -> Complex<T> {
    let (k, n) = ((k % n) as u128, n as u128);
    let eighth = (8 * k / n) as usize;
    // Distance from the nearest multiple of a quarter turn, at most an eighth.
    let quarter = eighth.div_ceil(2) as u128;
    let (distance, before) = match (4 * k).checked_sub(quarter * n) {
        Some(past) => (past, false),
        None => (quarter * n - 4 * k, true),
    };
    let angle = std::f64::consts::FRAC_PI_2 * (distance as f64 / n as f64);
    let (sin, cos) = angle.sin_cos();
    let sin = if before { -sin } else { sin };
    // cos + i·sin at `quarter` quarter turns further, then the conjugate for exp(−…).
    let (re, im) = match quarter % 4 {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    };
    Complex::new(T::rounded(re), T::rounded(-im))
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
