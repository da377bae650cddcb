// The matrix products of kernels-hip/device/fragments.hpp, emulated: the lanes' registers
// are put together to matrices as the CDNA 3 instruction set says (AMD's matrix instruction
// calculator prints its tables), multiplied, and the result is handed out. With
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
//
// 16-bit products: one rounding to nearest of the whole sum, and subnormal FP16 inputs are
// zero, as on CDNA 2: worse than what CDNA 1 and 3 do, so that an error bound that holds here
// holds there.
#pragma once
#include "emulated.hpp"
#include "products.hpp"

namespace mmafft {
namespace host {

struct Operands16 {
  u32 a[2], b[2];
};
template <class T> struct Sum4 {
  T *d;
};

static float widen_normal_half(u16 x) { return x & 0x7c00 ? widen_half(x) : 0; }

template <float (*WIDEN)(u16)> static void mfma_16(int, const Operands16 *const *in, Sum4<float> *const *out) {
  float a[16][16], b[16][16], d[16][16];
  for (int lane = 0; lane < 64; lane++) {
    int i = lane % 16, q = lane / 16;
    for (int r = 0; r < 2; r++)
      for (int h = 0; h < 2; h++) {
        a[i][4 * q + 2 * r + h] = WIDEN(half_of(in[lane]->a[r], h));
        b[4 * q + 2 * r + h][i] = WIDEN(half_of(in[lane]->b[r], h));
      }
    for (int r = 0; r < 4; r++) d[4 * q + r][i] = out[lane]->d[r];
  }
  multiply_wide(a, b, d, round_to_float);
  for (int lane = 0; lane < 64; lane++)
    for (int r = 0; r < 4; r++) out[lane]->d[r] = d[4 * (lane / 16) + r][lane % 16];
}

template <float (*WIDEN)(u16)> static void mfma_16_blocks(int, const Operands16 *const *in, Sum4<float> *const *out) {
  for (int first = 0; first < 64; first += 4) {
    float a[4][4], b[4][4], d[4][4];
    for (int i = 0; i < 4; i++)
      for (int r = 0; r < 4; r++) {
        a[i][r] = WIDEN(half_of(in[first + i]->a[r / 2], r % 2));
        b[r][i] = WIDEN(half_of(in[first + i]->b[r / 2], r % 2));
        d[r][i] = out[first + i]->d[r];
      }
    multiply_wide(a, b, d, round_to_float);
    for (int i = 0; i < 4; i++)
      for (int r = 0; r < 4; r++) out[first + i]->d[r] = d[r][i];
  }
}

template <class T> struct OperandsWide {
  T a, b;
};

// Register r of a lane's D lies in row Q·q + R·r.
template <class T, int Q, int R>
static void mfma_wide(int, const OperandsWide<T> *const *in, Sum4<T> *const *out) {
  T a[16][4], b[4][16], d[16][16];
  for (int lane = 0; lane < 64; lane++) {
    int i = lane % 16, q = lane / 16;
    a[i][q] = in[lane]->a;
    b[q][i] = in[lane]->b;
    for (int r = 0; r < 4; r++) d[Q * q + R * r][i] = out[lane]->d[r];
  }
  multiply_fused(a, b, d);
  for (int lane = 0; lane < 64; lane++)
    for (int r = 0; r < 4; r++) out[lane]->d[r] = d[Q * (lane / 16) + R * r][lane % 16];
}

static void mfma_wide_blocks(int, const OperandsWide<float> *const *in, Sum4<float> *const *out) {
  for (int first = 0; first < 64; first += 4) {
    float a[4][1], b[1][4], d[4][4];
    for (int i = 0; i < 4; i++) {
      a[i][0] = in[first + i]->a;
      b[0][i] = in[first + i]->b;
      for (int r = 0; r < 4; r++) d[r][i] = out[first + i]->d[r];
    }
    multiply_fused(a, b, d);
    for (int i = 0; i < 4; i++)
      for (int r = 0; r < 4; r++) out[first + i]->d[r] = d[r][i];
  }
}

}  // namespace host

MMAFFT_DEVICE void mfma_f16_4x4x4(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  host::Operands16 in = {{a0, a1}, {b0, b1}};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_16_blocks<host::widen_normal_half>, 0, in, out);
}
MMAFFT_DEVICE void mfma_bf16_4x4x4(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  host::Operands16 in = {{a0, a1}, {b0, b1}};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_16_blocks<widen_bf16>, 0, in, out);
}
MMAFFT_DEVICE void mfma_f32_4x4x1(float (&d)[4], float a, float b) {
  host::OperandsWide<float> in = {a, b};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_wide_blocks, 0, in, out);
}
MMAFFT_DEVICE void mfma_f16_16x16x16(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  host::Operands16 in = {{a0, a1}, {b0, b1}};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_16<host::widen_normal_half>, 0, in, out);
}
MMAFFT_DEVICE void mfma_bf16_16x16x16(float (&d)[4], u32 a0, u32 a1, u32 b0, u32 b1) {
  host::Operands16 in = {{a0, a1}, {b0, b1}};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_16<widen_bf16>, 0, in, out);
}
MMAFFT_DEVICE void mfma_f32_16x16x4(float (&d)[4], float a, float b) {
  host::OperandsWide<float> in = {a, b};
  host::Sum4<float> out = {d};
  host::meet(host::mfma_wide<float, 4, 1>, 0, in, out);
}
MMAFFT_DEVICE void mfma_f64_16x16x4(double (&d)[4], double a, double b) {
  host::OperandsWide<double> in = {a, b};
  host::Sum4<double> out = {d};
  host::meet(host::mfma_wide<double, 1, 4>, 0, in, out);
}

}  // namespace mmafft
