//! Arithmetic on the lanes of a vector, and what is compiled for each instruction set.

use super::batch::BatchJob;
use super::columns::{ColumnFft, ColumnTile, MOST_VECTORS};
use super::exchange::{put_together, taken_apart};
use super::four_step::FourStepJob;
use super::half_lanes::Combine;
use super::odd_reals::OddStep;
use super::real_columns::RealTile;
use super::real_side::{Gather, Scatter};
use super::scalar::Real;
use super::shared_vectors_job::SharedVectorsJob;
use pulp::{Arch, MemMask, Simd, WithSimd};

/// Lane arithmetic of one scalar type on one instruction set.
pub trait Lanes<S: Simd>: Copy + 'static {
    /// A vector.
    type V: Copy;
    /// Lanes of a vector.
    const W: usize;
    /// x in every lane.
    fn splat(simd: S, x: Self) -> Self::V;
    /// a + b.
    fn vadd(simd: S, a: Self::V, b: Self::V) -> Self::V;
    /// a − b.
    fn vsub(simd: S, a: Self::V, b: Self::V) -> Self::V;
    /// a · b.
    fn vmul(simd: S, a: Self::V, b: Self::V) -> Self::V;
    /// a·b + c, rounded once where the instruction set can.
    fn vfma(simd: S, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// −a.
    fn vneg(simd: S, a: Self::V) -> Self::V;
    /// (re, im) pairs to (re…, im…): by eight bytes of the first vector's points and eight of the second's.
    fn deinterleave(simd: S, v: [Self::V; 2]) -> [Self::V; 2];
    /// The inverse of `deinterleave`.
    fn interleave(simd: S, v: [Self::V; 2]) -> [Self::V; 2];
    /// The first lanes from memory, zero in the others.
    ///
    /// # Safety
    /// Memory has so many scalars.
    unsafe fn load_some(simd: S, from: *const Self, count: usize) -> Self::V;
    /// Stores the first lanes.
    ///
    /// # Safety
    /// Memory has so many scalars, and nobody else reads or writes them.
    unsafe fn store_some(simd: S, to: *mut Self, count: usize, v: Self::V);
}

macro_rules! lanes {
    ($t:ty, $v:ident, $w:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident,
     $neg:ident, $de:expr, $inter:expr, $mask:ident, $load:ident, $store:ident) => {
        impl<S: Simd> Lanes<S> for $t {
            type V = S::$v;
            const W: usize = S::$w;
            #[inline(always)]
            fn splat(simd: S, x: Self) -> Self::V {
                simd.$splat(x)
            }
            #[inline(always)]
            fn vadd(simd: S, a: Self::V, b: Self::V) -> Self::V {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn vsub(simd: S, a: Self::V, b: Self::V) -> Self::V {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn vmul(simd: S, a: Self::V, b: Self::V) -> Self::V {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn vfma(simd: S, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                simd.$fma(a, b, c)
            }
            #[inline(always)]
            fn vneg(simd: S, a: Self::V) -> Self::V {
                simd.$neg(a)
            }
            #[inline(always)]
            fn deinterleave(simd: S, v: [Self::V; 2]) -> [Self::V; 2] {
                $de(simd, v)
            }
            #[inline(always)]
            fn interleave(simd: S, v: [Self::V; 2]) -> [Self::V; 2] {
                $inter(simd, v)
            }
            #[inline(always)]
            unsafe fn load_some(simd: S, from: *const Self, count: usize) -> Self::V {
                let mask = MemMask::new(simd.$mask(0, count as _).mask());
                // SAFETY: by the trait's contract.
                unsafe { simd.$load(mask, from) }
            }
            #[inline(always)]
            unsafe fn store_some(simd: S, to: *mut Self, count: usize, v: Self::V) {
                let mask = MemMask::new(simd.$mask(0, count as _).mask());
                // SAFETY: by the trait's contract.
                unsafe { simd.$store(mask, to, v) }
            }
        }
    };
}

lanes!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    mul_add_e_f32s,
    neg_f32s,
    taken_apart,
    put_together,
    mask_between_m32s,
    mask_load_ptr_f32s,
    mask_store_ptr_f32s
);
lanes!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    mul_add_e_f64s,
    neg_f64s,
    S::deinterleave_shfl_f64s,
    S::interleave_shfl_f64s,
    mask_between_m64s,
    mask_load_ptr_f64s,
    mask_store_ptr_f64s
);

/// A scalar type whose lanes the column transform can use on whatever processor it finds.
pub trait LaneScalar: Sized {
    /// Bytes of a vector on this processor.
    fn vector_bytes() -> usize;
    /// Combines pairs of points of a half spectrum; returns the first that is left.
    fn combine(job: Combine<'_, Self>) -> usize;
    /// Makes points of a line of reals.
    fn gather(job: Gather<'_, Self>);
    /// Makes reals of a line of points.
    fn scatter(job: Scatter<'_, Self>);
    /// Transforms neighbouring lines of reals.
    fn real_columns(tile: RealTile<'_, Self>);
    /// Transforms a line by four steps.
    fn four_step(job: FourStepJob<'_, Self>);
    /// Transforms a vector of contiguous lines.
    fn batch(job: BatchJob<'_, Self>);
    /// Transforms contiguous lines that share vectors.
    fn shared_vectors(job: SharedVectorsJob<'_, Self>);
    /// Does one radix of a real line of odd length.
    fn odd_step(step: OddStep<'_, Self>);
    /// Transforms one tile; returns the copy of the workspace in which each vector then lies.
    fn run(fft: &ColumnFft<Self>, tile: ColumnTile<'_, Self>) -> [usize; MOST_VECTORS]
    where
        Self: Real;
}

macro_rules! lane_scalar {
    ($t:ty) => {
        impl LaneScalar for $t {
            fn vector_bytes() -> usize {
                struct Width;
                impl WithSimd for Width {
                    type Output = usize;
                    #[inline(always)]
                    fn with_simd<S: Simd>(self, _: S) -> usize {
                        <$t as Lanes<S>>::W * size_of::<$t>()
                    }
                }
                Arch::new().dispatch(Width)
            }

            fn combine(job: Combine<'_, Self>) -> usize {
                Arch::new().dispatch(job)
            }

            fn gather(job: Gather<'_, Self>) {
                Arch::new().dispatch(job);
            }

            fn scatter(job: Scatter<'_, Self>) {
                Arch::new().dispatch(job);
            }

            fn real_columns(tile: RealTile<'_, Self>) {
                Arch::new().dispatch(tile);
            }

            fn four_step(job: FourStepJob<'_, Self>) {
                Arch::new().dispatch(job);
            }

            fn batch(job: BatchJob<'_, Self>) {
                Arch::new().dispatch(job);
            }

            fn shared_vectors(job: SharedVectorsJob<'_, Self>) {
                Arch::new().dispatch(job);
            }

            fn odd_step(step: OddStep<'_, Self>) {
                Arch::new().dispatch(step);
            }

            fn run(fft: &ColumnFft<Self>, tile: ColumnTile<'_, Self>) -> [usize; MOST_VECTORS] {
                struct Run<'a>(&'a ColumnFft<$t>, ColumnTile<'a, $t>);
                impl WithSimd for Run<'_> {
                    type Output = [usize; MOST_VECTORS];
                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
                        super::stack::align();
                        super::butterflies::transform(simd, self.0, self.1)
                    }
                }
                fft.arch.dispatch(Run(fft, tile))
            }
        }
    };
}

lane_scalar!(f32);
lane_scalar!(f64);
