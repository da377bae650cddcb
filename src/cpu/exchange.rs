//! Parts of two vectors that change places: the step of a transposition in registers.
//!
//! Left to itself the compiler makes single scalars of all that a transposition permutes, and moves these one by one.

use super::columns::Lanes;
use pulp::Simd;

/// Two vectors, the odd parts of the first exchanged for the even ones of the second; parts have so many bytes, which
/// is a power of two from four on and less than a vector has.
#[inline(always)]
pub fn exchanged<S: Simd, V: Copy>(simd: S, v: [V; 2], bytes: usize) -> [V; 2] {
    // Closures, those of `map` among them, would not be compiled for the instruction set.
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
        if let Some(simd) = as_a::<S, pulp::x86::V3>(simd) {
            let avx = simd.avx;
            if bytes == 4 {
                let (a, b): (__m256, __m256) = (view(v[0]), view(v[1]));
                let (even, odd) = (avx._mm256_moveldup_ps(b), avx._mm256_movehdup_ps(a));
                return [
                    view(avx._mm256_blend_ps::<0b1010_1010>(a, even)),
                    view(avx._mm256_blend_ps::<0b1010_1010>(odd, b)),
                ];
            }
            let (a, b): (__m256d, __m256d) = (view(v[0]), view(v[1]));
            return match bytes {
                8 => [
                    view(avx._mm256_unpacklo_pd(a, b)),
                    view(avx._mm256_unpackhi_pd(a, b)),
                ],
                _ => [
                    view(avx._mm256_permute2f128_pd::<0x20>(a, b)),
                    view(avx._mm256_permute2f128_pd::<0x31>(a, b)),
                ],
            };
        }
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            let avx = simd.avx512f;
            if bytes == 4 {
                let (a, b): (__m512, __m512) = (view(v[0]), view(v[1]));
                let (even, odd) = (avx._mm512_moveldup_ps(b), avx._mm512_movehdup_ps(a));
                return [
                    view(avx._mm512_mask_blend_ps(0xaaaa, a, even)),
                    view(avx._mm512_mask_blend_ps(0xaaaa, odd, b)),
                ];
            }
            let (a, b): (__m512d, __m512d) = (view(v[0]), view(v[1]));
            return match bytes {
                8 => [
                    view(avx._mm512_unpacklo_pd(a, b)),
                    view(avx._mm512_unpackhi_pd(a, b)),
                ],
                16 => {
                    let low = avx._mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                    let high = avx._mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                    [
                        view(avx._mm512_permutex2var_pd(a, low, b)),
                        view(avx._mm512_permutex2var_pd(a, high, b)),
                    ]
                }
                _ => [
                    view(avx._mm512_shuffle_f64x2::<0x44>(a, b)),
                    view(avx._mm512_shuffle_f64x2::<0xee>(a, b)),
                ],
            };
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        use std::arch::aarch64::{
            float32x4_t, float64x2_t, vtrn1q_f32, vtrn1q_f64, vtrn2q_f32, vtrn2q_f64,
        };
        if size_of::<V>() == size_of::<float64x2_t>() {
            // SAFETY: every such processor has these instructions.
            #[allow(unused_unsafe)]
            return unsafe {
                if bytes == 4 {
                    let (a, b): (float32x4_t, float32x4_t) = (view(v[0]), view(v[1]));
                    [view(vtrn1q_f32(a, b)), view(vtrn2q_f32(a, b))]
                } else {
                    let (a, b): (float64x2_t, float64x2_t) = (view(v[0]), view(v[1]));
                    [view(vtrn1q_f64(a, b)), view(vtrn2q_f64(a, b))]
                }
            };
        }
    }
    let _ = simd;
    plainly(v, bytes)
}

/// Bytes of vectors of which points have the order of memory at once: of larger ones come the even points, then the odd.
const IN_ORDER: usize = 16;

/// Real parts and imaginary parts as points in the order of memory.
#[inline(always)]
pub fn points<S: Simd, T: Lanes<S>>(simd: S, parts: [T::V; 2]) -> [T::V; 2] {
    let mut v = T::interleave(simd, parts);
    let mut bytes = 2 * size_of::<T>();
    while size_of::<T::V>() > IN_ORDER && bytes < size_of::<T::V>() {
        v = exchanged(simd, v, bytes);
        bytes *= 2;
    }
    v
}

/// The real parts and the imaginary parts of points, in the order of memory.
#[inline(always)]
pub fn parts<S: Simd, T: Lanes<S>>(simd: S, points: [T::V; 2]) -> [T::V; 2] {
    let mut v = points;
    let mut bytes = size_of::<T::V>() / 2;
    while size_of::<T::V>() > IN_ORDER && bytes >= 2 * size_of::<T>() {
        v = exchanged(simd, v, bytes);
        bytes /= 2;
    }
    T::deinterleave(simd, v)
}

/// The same by single bytes of memory, for vectors that no other case has.
fn plainly<V: Copy>(mut v: [V; 2], bytes: usize) -> [V; 2] {
    let [a, b] = &mut v;
    let (a, b) = ((&raw mut *a).cast::<u8>(), (&raw mut *b).cast::<u8>());
    for even in (0..size_of::<V>()).step_by(2 * bytes) {
        // SAFETY: both parts are inside their vectors.
        unsafe { std::ptr::swap_nonoverlapping(a.add(even + bytes), b.add(even), bytes) }
    }
    v
}

/// A value of this very type, if the generic one is that.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn as_a<S: Simd, A: Simd>(simd: S) -> Option<A> {
    if std::any::TypeId::of::<S>() == std::any::TypeId::of::<A>() {
        return Some(view(simd));
    }
    None
}

/// The same bits as another type.
#[inline(always)]
fn view<A: Copy, B: Copy>(a: A) -> B {
    assert!(size_of::<A>() >= size_of::<B>());
    // SAFETY: vectors are plain scalars, and the other has no more of them; tokens have nothing.
    unsafe { std::mem::transmute_copy(&a) }
}
