// The matrix products of AMD's matrix cores, one instruction each: D = A·B + D, every operand
// spread over the 64 lanes as AMD's matrix instruction calculator prints it. With
// i = lane % 16 and q = lane / 16:
//
//   16-bit 16x16x16  A: register r, half h (i, 4q + 2r + h)   B: (4q + 2r + h, i)
//   f32    16x16x4   A: (i, q)    B: (q, i)
//                    D of these: register r (4q + r, i)
//   f64    16x16x4   A: (i, q)    B: (q, i)    D: register r (4r + q, i)
//
// and in each of sixteen blocks, block lane / 4, with i = lane % 4:
//
//   16-bit 4x4x4     A: register r, half h (i, 2r + h)   B: (2r + h, i)
//   f32    4x4x1     A: (i, 0)    B: (0, i)
//                    D of these: register r (r, i)
#pragma once

namespace mmafft {

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef short Short2 __attribute__((ext_vector_type(2)));
typedef short Short4 __attribute__((ext_vector_type(4)));
typedef u32 Words2 __attribute__((ext_vector_type(2)));
typedef float Float4 __attribute__((ext_vector_type(4)));
typedef double Double4 __attribute__((ext_vector_type(4)));

template <class V, class T> MMAFFT_DEVICE V sum_of(const T (&d)[4]) { return V{d[0], d[1], d[2], d[3]}; }
template <class V, class T> MMAFFT_DEVICE void put(T (&d)[4], V sum) {
  MMAFFT_UNROLL for (int i = 0; i < 4; i++) d[i] = sum[i];
}

MMAFFT_DEVICE void mfma_f16_16x16x16(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  const Half4 a = __builtin_bit_cast(Half4, (Words2{a0, a1})), b = __builtin_bit_cast(Half4, (Words2{b0, b1}));
  put(d, __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, sum_of<Float4>(d), 0, 0, 0));
}
MMAFFT_DEVICE void mfma_bf16_16x16x16(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
#if defined(__gfx908__)
  // CDNA 1 has half of it, of k = 2q + h: the registers one after the other.
  Float4 sum = sum_of<Float4>(d);
  sum = __builtin_amdgcn_mfma_f32_16x16x8bf16(__builtin_bit_cast(Short2, a0), __builtin_bit_cast(Short2, b0), sum, 0, 0, 0);
  sum = __builtin_amdgcn_mfma_f32_16x16x8bf16(__builtin_bit_cast(Short2, a1), __builtin_bit_cast(Short2, b1), sum, 0, 0, 0);
  put(d, sum);
#else
  const Short4 a = __builtin_bit_cast(Short4, (Words2{a0, a1})), b = __builtin_bit_cast(Short4, (Words2{b0, b1}));
  put(d, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, sum_of<Float4>(d), 0, 0, 0));
#endif
}
MMAFFT_DEVICE void mfma_f16_4x4x4(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  const Half4 a = __builtin_bit_cast(Half4, (Words2{a0, a1})), b = __builtin_bit_cast(Half4, (Words2{b0, b1}));
  put(d, __builtin_amdgcn_mfma_f32_4x4x4f16(a, b, sum_of<Float4>(d), 0, 0, 0));
}
MMAFFT_DEVICE void mfma_bf16_4x4x4(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
#if defined(__gfx908__)
  Float4 sum = sum_of<Float4>(d);
  sum = __builtin_amdgcn_mfma_f32_4x4x2bf16(__builtin_bit_cast(Short2, a0), __builtin_bit_cast(Short2, b0), sum, 0, 0, 0);
  sum = __builtin_amdgcn_mfma_f32_4x4x2bf16(__builtin_bit_cast(Short2, a1), __builtin_bit_cast(Short2, b1), sum, 0, 0, 0);
  put(d, sum);
#else
  const Short4 a = __builtin_bit_cast(Short4, (Words2{a0, a1})), b = __builtin_bit_cast(Short4, (Words2{b0, b1}));
  put(d, __builtin_amdgcn_mfma_f32_4x4x4bf16_1k(a, b, sum_of<Float4>(d), 0, 0, 0));
#endif
}
MMAFFT_DEVICE void mfma_f32_4x4x1(float (&d)[4], float a, float b) {
  put(d, __builtin_amdgcn_mfma_f32_4x4x1f32(a, b, sum_of<Float4>(d), 0, 0, 0));
}
MMAFFT_DEVICE void mfma_f32_16x16x4(float (&d)[4], float a, float b) {
  put(d, __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, sum_of<Float4>(d), 0, 0, 0));
}
MMAFFT_DEVICE void mfma_f64_16x16x4(double (&d)[4], double a, double b) {
#if defined(__gfx908__)
  __builtin_trap();  // not offered to the planner there (../src/fragments.rs)
#else
  put(d, __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, sum_of<Double4>(d), 0, 0, 0));
#endif
}

}  // namespace mmafft
