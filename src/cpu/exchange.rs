//! Parts of two vectors that change places: the step of a transposition in registers.
//!
//! Left to itself the compiler makes single scalars of all that a transposition permutes, and moves these one by one.

use super::lanes::Lanes;
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

/// A vector of memory, the even eight bytes of it twice each: no permutation where a load does it.
///
/// # Safety
/// A whole vector can be read there.
#[inline(always)]
pub unsafe fn twice<S: Simd, V: Copy>(simd: S, at: *const V) -> V {
    // SAFETY: by this function's contract.
    let v = unsafe { at.read_unaligned() };
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            return view(simd.avx512f._mm512_movedup_pd(view(v)));
        }
        if let Some(simd) = as_a::<S, pulp::x86::V3>(simd) {
            return view(simd.avx._mm256_movedup_pd(view(v)));
        }
    }
    exchanged(simd, [v, v], 8)[0]
}

/// A vector of which one half lies here, the other there.
///
/// # Safety
/// Half a vector can be read at both places.
#[inline(always)]
pub unsafe fn joined<S: Simd, V: Copy>(simd: S, at: [*const u8; 2]) -> V {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__m256d;
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            // SAFETY: by this function's contract.
            let [low, high] = unsafe {
                [
                    at[0].cast::<__m256d>().read_unaligned(),
                    at[1].cast::<__m256d>().read_unaligned(),
                ]
            };
            let avx = simd.avx512f;
            let low = avx._mm512_castpd256_pd512(low);
            return view(avx._mm512_insertf64x4::<1>(low, high));
        }
    }
    let _ = simd;
    let half = size_of::<V>() / 2;
    let mut v = std::mem::MaybeUninit::<V>::uninit();
    let bytes = v.as_mut_ptr().cast::<u8>();
    // SAFETY: by this function's contract; both halves are the whole vector.
    unsafe {
        bytes.copy_from_nonoverlapping(at[0], half);
        bytes.add(half).copy_from_nonoverlapping(at[1], half);
        v.assume_init()
    }
}

/// Stores one half of a vector here, the other there.
///
/// # Safety
/// Half a vector can be written at both places.
#[inline(always)]
pub unsafe fn parted<S: Simd, V: Copy>(simd: S, v: V, at: [*mut u8; 2]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__m256d;
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            let avx = simd.avx512f;
            let low: __m256d = avx._mm512_castpd512_pd256(view(v));
            let high: __m256d = avx._mm512_extractf64x4_pd::<1>(view(v));
            // SAFETY: by this function's contract.
            unsafe {
                at[0].cast::<__m256d>().write_unaligned(low);
                at[1].cast::<__m256d>().write_unaligned(high);
            }
            return;
        }
    }
    let _ = simd;
    let half = size_of::<V>() / 2;
    let bytes = (&raw const v).cast::<u8>();
    // SAFETY: by this function's contract; both halves are the whole vector.
    unsafe {
        at[0].copy_from_nonoverlapping(bytes, half);
        at[1].copy_from_nonoverlapping(bytes.add(half), half);
    }
}

/// Bytes of vectors of which points have the order of memory at once, and of parts that larger ones exchange.
const IN_ORDER: usize = 16;

/// Real parts and imaginary parts as points in the order of memory.
#[inline(always)]
pub fn points<S: Simd, T: Lanes<S>>(simd: S, parts: [T::V; 2]) -> [T::V; 2] {
    let mut v = T::interleave(simd, parts);
    let mut bytes = IN_ORDER;
    while bytes < size_of::<T::V>() {
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
    while bytes >= IN_ORDER {
        v = exchanged(simd, v, bytes);
        bytes /= 2;
    }
    T::deinterleave(simd, v)
}

/// Points of two vectors of `f32` as real parts and imaginary parts, in the order of [`Lanes::deinterleave`]: one
/// instruction each, where pulp has two.
#[inline(always)]
pub fn taken_apart<S: Simd>(simd: S, v: [S::f32s; 2]) -> [S::f32s; 2] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m256, __m512};
        if let Some(simd) = as_a::<S, pulp::x86::V3>(simd) {
            let (a, b): (__m256, __m256) = (view(v[0]), view(v[1]));
            return [
                view(simd.avx._mm256_shuffle_ps::<0x88>(a, b)),
                view(simd.avx._mm256_shuffle_ps::<0xdd>(a, b)),
            ];
        }
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            let (a, b): (__m512, __m512) = (view(v[0]), view(v[1]));
            return [
                view(simd.avx512f._mm512_shuffle_ps::<0x88>(a, b)),
                view(simd.avx512f._mm512_shuffle_ps::<0xdd>(a, b)),
            ];
        }
    }
    simd.deinterleave_shfl_f32s(v)
}

/// The inverse of [`taken_apart`].
#[inline(always)]
pub fn put_together<S: Simd>(simd: S, v: [S::f32s; 2]) -> [S::f32s; 2] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m256, __m512};
        if let Some(simd) = as_a::<S, pulp::x86::V3>(simd) {
            let (a, b): (__m256, __m256) = (view(v[0]), view(v[1]));
            return [
                view(simd.avx._mm256_unpacklo_ps(a, b)),
                view(simd.avx._mm256_unpackhi_ps(a, b)),
            ];
        }
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            let (a, b): (__m512, __m512) = (view(v[0]), view(v[1]));
            return [
                view(simd.avx512f._mm512_unpacklo_ps(a, b)),
                view(simd.avx512f._mm512_unpackhi_ps(a, b)),
            ];
        }
    }
    simd.interleave_shfl_f32s(v)
}

/// Lanes of one line, of two, or of two pairs, each line's in the opposite order.
///
/// They are B of each, as [`Lanes::deinterleave`] leaves them; with `first` each begins with that line's first lane of it,
/// and ends with its own second.
#[inline(always)]
pub fn mirrored<S: Simd, T: Lanes<S>, const B: usize>(
    simd: S,
    v: T::V,
    first: Option<T::V>,
) -> T::V {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
        if let Some(simd) = as_a::<S, pulp::x86::V3>(simd) {
            let avx = simd.avx;
            if size_of::<T>() == 4 {
                let order = match (first.is_some(), B == T::W) {
                    (false, true) => avx._mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0),
                    (false, false) => avx._mm256_setr_epi32(5, 4, 7, 6, 1, 0, 3, 2),
                    (true, true) => avx._mm256_setr_epi32(0, 7, 2, 5, 6, 3, 4, 1),
                    (true, false) => avx._mm256_setr_epi32(0, 5, 2, 7, 4, 1, 6, 3),
                };
                let v: __m256 = simd.avx2._mm256_permutevar8x32_ps(view(v), order);
                return match first {
                    None => view(v),
                    Some(first) if B == T::W => {
                        view(avx._mm256_blend_ps::<0b1111_1110>(view(first), v))
                    }
                    Some(first) => view(avx._mm256_blend_ps::<0b1111_1010>(view(first), v)),
                };
            }
            let v: __m256d = view(v);
            if B == T::W {
                let Some(first) = first else {
                    return view(simd.avx2._mm256_permute4x64_pd::<0b00_01_10_11>(v));
                };
                let v = simd.avx2._mm256_permute4x64_pd::<0b10_11_01_00>(v);
                return view(avx._mm256_blend_pd::<0b1110>(view(first), v));
            }
            return match first {
                None => view(avx._mm256_permute2f128_pd::<1>(v, v)),
                Some(first) => view(avx._mm256_blend_pd::<0b1100>(view(first), v)),
            };
        }
        if let Some(simd) = as_a::<S, pulp::x86::V4>(simd) {
            let avx = simd.avx512f;
            if size_of::<T>() == 4 {
                let v: __m512 = view(v);
                if 4 * B == T::W {
                    let Some(first) = first else {
                        let order = avx._mm512_setr_epi32(
                            5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8, 11, 10,
                        );
                        return view(avx._mm512_permutexvar_ps(order, v));
                    };
                    let order = avx._mm512_setr_epi32(
                        0, 21, 2, 23, 20, 17, 22, 19, 8, 29, 10, 31, 28, 25, 30, 27,
                    );
                    return view(avx._mm512_permutex2var_ps(view(first), order, v));
                }
                let Some(first) = first else {
                    let order =
                        avx._mm512_setr_epi32(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
                    return view(avx._mm512_permutexvar_ps(order, v));
                };
                let order = avx._mm512_setr_epi32(
                    0, 29, 2, 31, 28, 25, 30, 27, 24, 21, 26, 23, 20, 17, 22, 19,
                );
                return view(avx._mm512_permutex2var_ps(view(first), order, v));
            }
            let v: __m512d = view(v);
            let Some(first) = first else {
                let order = avx._mm512_setr_epi64(6, 7, 4, 5, 2, 3, 0, 1);
                return view(avx._mm512_permutexvar_pd(order, v));
            };
            let order = avx._mm512_setr_epi64(0, 1, 14, 15, 12, 13, 10, 11);
            return view(avx._mm512_permutex2var_pd(view(first), order, v));
        }
    }
    let _ = simd;
    let run = 8 / size_of::<T>();
    let lane = |line: usize, j: usize| (j / run * 2 + line) * run + j % run;
    let skip = usize::from(first.is_some());
    let mut to = first.unwrap_or(v);
    let (to_lanes, from) = ((&raw mut to).cast::<T>(), (&raw const v).cast::<T>());
    for line in 0..2 {
        for j in skip..T::W / 2 {
            let other = T::W / 2 - 1 + skip - j;
            // SAFETY: both lanes are inside their vectors.
            unsafe { *to_lanes.add(lane(line, j)) = *from.add(lane(line, other)) };
        }
    }
    to
}

/// Half of the widest vectors.
#[cfg(target_arch = "x86_64")]
pub type Half = pulp::x86::V3;
#[cfg(not(target_arch = "x86_64"))]
pub type Half = pulp::Scalar;

/// Vectors of half the width, with the same roundings, where a processor has them.
#[inline(always)]
pub fn halved<S: Simd>(simd: S) -> Option<Half> {
    #[cfg(target_arch = "x86_64")]
    return as_a::<S, pulp::x86::V4>(simd).map(|simd| *simd);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = simd;
        None
    }
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
