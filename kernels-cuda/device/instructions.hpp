// The matrix products of NVIDIA's tensor cores, one instruction each: D = A·B + D, every
// operand spread over the 32 lanes as the PTX ISA says ("Matrix fragments for mma").
// With g = lane / 4 and t = lane % 4, element by element:
//
//   16-bit m16n8k16  A: a0 (g, 2t..) a1 (g+8, 2t..) a2 (g, 2t+8..) a3 (g+8, 2t+8..)
//                    B: b0 (2t.., g) b1 (2t+8.., g)       D: (g, 2t..) (g+8, 2t..)
//   16-bit m16n8k8   A: a0 (g, 2t..) a1 (g+8, 2t..)       B: b0 (2t.., g)      D: as above
//   f64 m8n8k4       A: (g, t)    B: (t, g)               D: (g, 2t) (g, 2t+1)
#pragma once

namespace mmafft {

// Products that an architecture lacks are never planned for it (../src/fragments.rs); they are
// here all the same, so that the source is one.
MMAFFT_DEVICE void mma_f16_m16n8k8(float (&d)[4], u32 a0, u32 a1, u32 b0) {
#if __CUDA_ARCH__ >= 750
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(b0));
#else
  __trap();  // not offered to the planner there
#endif
}
MMAFFT_DEVICE void mma_bf16_m16n8k8(float (&d)[4], u32 a0, u32 a1, u32 b0) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(b0));
#else
  __trap();  // not offered to the planner there
#endif
}
MMAFFT_DEVICE void mma_f16_m16n8k16(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  // Turing has the halves.
  mma_f16_m16n8k8(d, a0, a1, b0);
  mma_f16_m16n8k8(d, a2, a3, b1);
#endif
}
MMAFFT_DEVICE void mma_bf16_m16n8k16(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  __trap();  // not offered to the planner there
#endif
}
MMAFFT_DEVICE void mma_f64_m8n8k4(double (&d)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
#else
  __trap();  // not offered to the planner there
#endif
}

}  // namespace mmafft
