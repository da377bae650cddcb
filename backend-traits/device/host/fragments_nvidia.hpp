// The matrix products of kernels-cuda/device/fragments.hpp, emulated: the lanes' registers
// are put together to matrices as the PTX ISA says ("Matrix fragments for mma"), multiplied,
// and the result is handed out. With g = lane / 4 and t = lane % 4.
//
// Sums are truncated, as on Hopper: worse than rounding, so that an error bound that holds
// here holds there.
#pragma once
#include "emulated.hpp"
#include "products.hpp"

namespace mmafft {
namespace host {

// A lane's part of a 16-bit product of k = 2·R: R registers of A, R/2 of B.
template <int R> struct Operands16 {
  u32 a[R], b[R / 2];
};
struct Sum4 {
  float *d;
};

// R is 2 for m16n8k8 and 4 for m16n8k16.
template <int R, float (*WIDEN)(u16)>
static void mma_16(int, const Operands16<R> *const *in, Sum4 *const *out) {
  enum { K = 4 * R };
  float a[16][K], b[K][8], d[16][8];
  for (int lane = 0; lane < 32; lane++) {
    int g = lane / 4, t = lane % 4;
    for (int r = 0; r < R; r++)
      for (int h = 0; h < 2; h++) a[g + 8 * (r % 2)][2 * t + h + 8 * (r / 2)] = WIDEN(half_of(in[lane]->a[r], h));
    for (int r = 0; r < R / 2; r++)
      for (int h = 0; h < 2; h++) b[2 * t + h + 8 * r][g] = WIDEN(half_of(in[lane]->b[r], h));
    for (int i = 0; i < 4; i++) d[g + 8 * (i / 2)][2 * t + i % 2] = out[lane]->d[i];
  }
  multiply_wide(a, b, d, truncate_to_float);
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 4; i++) out[lane]->d[i] = d[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
}

struct OperandsF64 {
  double a, b;
};
struct Sum2 {
  double *d;
};

static inline void mma_f64(int, const OperandsF64 *const *in, Sum2 *const *out) {
  double a[8][4], b[4][8], d[8][8];
  for (int lane = 0; lane < 32; lane++) {
    int g = lane / 4, t = lane % 4;
    a[g][t] = in[lane]->a;
    b[t][g] = in[lane]->b;
    for (int i = 0; i < 2; i++) d[g][2 * t + i] = out[lane]->d[i];
  }
  multiply_fused(a, b, d);
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 2; i++) out[lane]->d[i] = d[lane / 4][2 * (lane % 4) + i];
}

}  // namespace host

MMAFFT_DEVICE void mma_f16_m16n8k16(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  host::Operands16<4> in = {{a0, a1, a2, a3}, {b0, b1}};
  host::Sum4 out = {d};
  host::meet(host::mma_16<4, widen_half>, 0, in, out);
}
MMAFFT_DEVICE void mma_bf16_m16n8k16(float (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  host::Operands16<4> in = {{a0, a1, a2, a3}, {b0, b1}};
  host::Sum4 out = {d};
  host::meet(host::mma_16<4, widen_bf16>, 0, in, out);
}
MMAFFT_DEVICE void mma_f16_m16n8k8(float (&d)[4], u32 a0, u32 a1, u32 b0) {
  host::Operands16<2> in = {{a0, a1}, {b0}};
  host::Sum4 out = {d};
  host::meet(host::mma_16<2, widen_half>, 0, in, out);
}
MMAFFT_DEVICE void mma_bf16_m16n8k8(float (&d)[4], u32 a0, u32 a1, u32 b0) {
  host::Operands16<2> in = {{a0, a1}, {b0}};
  host::Sum4 out = {d};
  host::meet(host::mma_16<2, widen_bf16>, 0, in, out);
}
MMAFFT_DEVICE void mma_f64_m8n8k4(double (&d)[2], double a, double b) {
  host::OperandsF64 in = {a, b};
  host::Sum2 out = {d};
  host::meet(host::mma_f64, 0, in, out);
}

}  // namespace mmafft
