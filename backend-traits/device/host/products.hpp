// D = A·B + D for whole matrices, and how sums are rounded.
#pragma once
#include <cmath>

#include "sixteen.hpp"

namespace mmafft {
namespace host {

// Toward zero; what is beyond the greatest float is infinite.
static inline float truncate_to_float(double x) {
  float y = float(x);
  if (std::isinf(y) || std::isnan(y)) return y;
  return std::fabs(double(y)) > std::fabs(x) ? std::nextafter(y, 0.0f) : y;
}

static inline float round_to_float(double x) { return float(x); }

static inline u16 half_of(u32 word, int which) { return u16(word >> 16 * which); }

// Products of 16-bit values are exact in FP64, and so, to all purposes, is their sum; what
// the instruction loses, it loses in the one rounding at the end.
template <int M, int N, int K>
static inline void multiply_wide(const float (&a)[M][K], const float (&b)[K][N], float (&d)[M][N],
                                 float (*round)(double)) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++) sum += double(a[i][k]) * double(b[k][j]);
      d[i][j] = round(sum + double(d[i][j]));
    }
}

// One rounding for each product, in the order of k.
template <class T, int M, int N, int K>
static inline void multiply_fused(const T (&a)[M][K], const T (&b)[K][N], T (&d)[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) d[i][j] = std::fma(a[i][k], b[k][j], d[i][j]);
}

}  // namespace host
}  // namespace mmafft
