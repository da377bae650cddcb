//! The small matrix product of matrix cores: 16-bit operands, 32-bit accumulation.
//!
//! `Fragment` exists twice under one name: this trait, which the CPU backend implements
//! and calls, and a concept of the device code. GPU backends publish its constants.
//! NVIDIA exposes 16×16×16 and smaller pieces of it, AMD 16×16×16 and 4×4×4; a 4×4 of
//! ours is a shape that a backend maps onto what it has.

use crate::precision::Operand;
use half::{bf16, f16};
use std::marker::PhantomData;

/// A fragment's constants: `D (m×n) = A (m×k) · B (k×n) + C`, held by `lanes` threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentShape {
    /// Rows of the product.
    pub m: usize,
    /// Columns of the product.
    pub n: usize,
    /// Length of the sums.
    pub k: usize,
    /// Threads that hold it together; 1 on a CPU.
    pub lanes: usize,
    /// What is multiplied.
    pub operand: Operand,
}

/// A 16-bit number that a fragment multiplies.
pub trait HalfValue: Copy + Default + Send + Sync + bytemuck::Pod + 'static {
    /// The operand made of one such number.
    const OPERAND: Operand;
    /// Significant bits, the implied one included: `lo` of a split is scaled by 2^this.
    const DIGITS: i32;
    /// Rounds to nearest, ties to even.
    fn round(value: f32) -> Self;
    /// Exact.
    fn widen(self) -> f32;
}

impl HalfValue for f16 {
    const OPERAND: Operand = Operand::Half;
    const DIGITS: i32 = 11;
    #[inline]
    fn round(value: f32) -> Self {
        f16::from_f32(value)
    }
    #[inline]
    fn widen(self) -> f32 {
        self.to_f32()
    }
}

impl HalfValue for bf16 {
    const OPERAND: Operand = Operand::Bf16;
    const DIGITS: i32 = 8;
    #[inline]
    fn round(value: f32) -> Self {
        bf16::from_f32(value)
    }
    #[inline]
    fn widen(self) -> f32 {
        self.to_f32()
    }
}

/// `D = A·B + C` on matrices small enough for a register file.
pub trait Fragment {
    /// The constants.
    const SHAPE: FragmentShape;
    /// A 16-bit number.
    type Value: HalfValue;
    /// Operand A, loaded.
    type A;
    /// Operand B, loaded.
    type B;
    /// The accumulator.
    type C;

    /// Loads A, m×k row-major, `stride` from row to row.
    fn load_a(values: &[Self::Value], stride: usize) -> Self::A;
    /// Loads B, k×n row-major, `stride` from row to row.
    fn load_b(values: &[Self::Value], stride: usize) -> Self::B;
    /// An accumulator of zeros.
    fn zero() -> Self::C;
    /// `C += A·B`, products exact, sums rounded to FP32 in the order of k.
    fn multiply_add(a: &Self::A, b: &Self::B, c: &mut Self::C);
    /// Stores the accumulator, m×n row-major, `stride` from row to row.
    fn store(c: &Self::C, values: &mut [f32], stride: usize);
}

/// A square fragment in plain Rust: the reference that devices are compared with.
#[derive(Debug, Clone, Copy)]
pub struct SoftFragment<V, const S: usize>(PhantomData<V>);

/// 4×4×4, the tensor core of the 2017 hardware and of AMD's 4×4×4 MFMA.
pub type Fragment4<V> = SoftFragment<V, 4>;
/// 16×16×16, WMMA and MFMA.
pub type Fragment16<V> = SoftFragment<V, 16>;

fn load<V: HalfValue, const S: usize>(values: &[V], stride: usize) -> [[f32; S]; S] {
    std::array::from_fn(|i| std::array::from_fn(|j| values[i * stride + j].widen()))
}

impl<V: HalfValue, const S: usize> Fragment for SoftFragment<V, S> {
    const SHAPE: FragmentShape = FragmentShape {
        m: S,
        n: S,
        k: S,
        lanes: 1,
        operand: V::OPERAND,
    };
    type Value = V;
    type A = [[f32; S]; S];
    type B = [[f32; S]; S];
    type C = [[f32; S]; S];

    fn load_a(values: &[V], stride: usize) -> Self::A {
        load(values, stride)
    }

    fn load_b(values: &[V], stride: usize) -> Self::B {
        load(values, stride)
    }

    fn zero() -> Self::C {
        [[0.0; S]; S]
    }

    #[inline]
    fn multiply_add(a: &Self::A, b: &Self::B, c: &mut Self::C) {
        for (a, c) in a.iter().zip(c.iter_mut()) {
            for (&a, b) in a.iter().zip(b) {
                for (c, &b) in c.iter_mut().zip(b) {
                    *c += a * b;
                }
            }
        }
    }

    fn store(c: &Self::C, values: &mut [f32], stride: usize) {
        for (i, row) in c.iter().enumerate() {
            values[i * stride..i * stride + S].copy_from_slice(row);
        }
    }
}

#[cfg(test)]
#[path = "fragment_tests.rs"]
mod tests;
