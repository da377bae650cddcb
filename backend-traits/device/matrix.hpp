// Matrix steps: DFTs of a few points as products with fragments of the DFT matrix.
//
// A column of R complex points is a row of 2R reals; a wave multiplies as many columns at a
// time as the vendor's fragment has. Which points of which columns a lane holds follows from
// the vendor's layout (fragments.hpp) and is the same before and after the product, so that
// twiddles and exchanges are those of butterflies.
//
// Values of FP32 become two 16-bit numbers each (Sorna et al. 2018):
//   x = 2^e·(hi + lo·2^-d)             e from the largest magnitude of the column
//   M = Mhi + Mlo·2^-d                 Mlo = 0 where 16 bits hold the matrix (radix 2, 4)
//   M·x = 2^e·( Mhi·hi + 2^-d·(Mhi·lo + Mlo·hi) )
// Mlo·lo lies below FP32's last bit. Sums inside the unit are truncated. Where that would be
// seen, Mhi has 8 digits, so that sums of Mhi·hi are exact, and M a third part:
//   M·x = 2^e·( Mhi·hi + 2^-d·(Mhi·lo + Mlo·hi) + 2^-2d·(Mlo·lo + Mlast·hi) )
#pragma once
#include "butterflies.hpp"

namespace mmafft {

template <class S> MMAFFT_DEVICE int matrix_column(S s, int group, int thread) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int rows = fragment_rows(config.operand), columns = fragment_columns(config.operand, int(step.rank));
  MMAFFT_CONST int waves = int(config.threads) / WAVE, points = int(step.rank / step.copies);
  MMAFFT_CONST int rank = int(step.rank);
  const int lane = thread % WAVE, wave = thread / WAVE;
  MMAFFT_CONST int N = int(step.neighbours);
  MMAFFT_IF (N > 1) {
    const int column = (group / N * waves + wave) * (columns / rows) + fragment_column(lane, 0, rank);
    return (column * int(step.copies) + fragment_point(lane, 0, rank) / points) * N + group % N;
  }
  const int column = (group / rows * waves + wave) * columns + fragment_column(lane, group % rows, rank);
  return column * int(step.copies) + fragment_point(lane, 0, rank) / points;
}

template <class S> MMAFFT_DEVICE int matrix_point(S s, int j, int thread) {
  MMAFFT_STEP(S);
  return fragment_point(thread % WAVE, j, int(step.rank)) % int(step.rank / step.copies);
}

// 2^e for -126 <= e <= 127.
MMAFFT_DEVICE float power_of_two(int e) { return float_of(u32(e + 127) << 23); }

// x·2^e for |e| <= 252: in two exact halves, as 2^e itself need not be a float.
MMAFFT_DEVICE float scaled(float x, int e) { return x * power_of_two(e / 2) * power_of_two(e - e / 2); }

// e with largest·2^-e in [1/2, 1); 0 for zero and for what is not finite.
MMAFFT_DEVICE int exponent_of(float largest) {
  const u32 bits = bits_of(largest);
  if (bits == 0 || bits >= 0x7f800000u) return 0;
  // Times 2^24 subnormals are normal.
  if (bits < 0x00800000u) return int(bits_of(largest * 16777216.0f) >> 23) - 126 - 24;
  return int(bits >> 23) - 126;
}

MMAFFT_DEVICE float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }

template <bool BF16> MMAFFT_DEVICE u16 round16(float x) {
  if (BF16) return round_bf16(x);
  return round_half(x);
}
template <bool BF16> MMAFFT_DEVICE float widen16(u16 x) {
  if (BF16) return widen_bf16(x);
  return widen_half(x);
}

// hi and lo of two values, packed for a fragment: the first in the lower half. `PRODUCT`: as
// the vendor's products take them, which is not always what rounding gives.
template <bool BF16, bool PRODUCT> MMAFFT_DEVICE void split(float x, float y, u32 &hi, u32 &lo) {
  const float unit = BF16 ? 256.0f : 2048.0f;
  u16 a = round16<BF16>(x), b = round16<BF16>(y);
  if (PRODUCT) {
    a = fragment_value<BF16>(a);
    b = fragment_value<BF16>(b);
  }
  hi = u32(a) | u32(b) << 16;
  const u16 c = round16<BF16>((x - widen16<BF16>(a)) * unit), d = round16<BF16>((y - widen16<BF16>(b)) * unit);
  lo = u32(c) | u32(d) << 16;
}

// The words of one part of a step's matrix.
template <class S> MMAFFT_DEVICE constexpr int matrix_words(S s) {
  MMAFFT_STEP(S);
  return int(4 * step.rank * step.rank) / 2;
}

template <int RANK, bool BF16, class S> MMAFFT_DEVICE void matrix_product16(S s, Pair<float> *v, const u32 *matrix, int lane) {
  MMAFFT_STEP(S);
  constexpr int J = fragment_values(RANK);
  MMAFFT_CONST int rows = fragment_rows(OPERAND_HALF);
  MMAFFT_CONST bool both = config.operand == OPERAND_SPLIT_HALF || config.operand == OPERAND_SPLIT_BF16;
  MMAFFT_CONST int parts = both ? int(step.parts) : 1, words = matrix_words(s);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g += rows) {
    Pair<float> *x = v + g * J;
    u32 hi[fragment_rows(OPERAND_HALF) * J], lo[fragment_rows(OPERAND_HALF) * J];
    int e[fragment_rows(OPERAND_HALF)];
    MMAFFT_UNROLL for (int r = 0; r < rows; r++) {
      float most = 0;
      MMAFFT_UNROLL for (int j = 0; j < J; j++)
        most = larger(most, larger(magnitude(x[r * J + j].x), magnitude(x[r * J + j].y)));
      e[r] = exponent_of(fragment_max(most, int(step.rank / step.copies)));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const Pair<float> y = x[r * J + j];
        split<BF16, true>(scaled(y.x, -e[r]), scaled(y.y, -e[r]), hi[r * J + j], lo[r * J + j]);
      }
    }
    Product16<RANK, BF16>::run(x, hi, lo, both, matrix, parts, words, lane, BF16 ? 1.0f / 256 : 1.0f / 2048);
    MMAFFT_UNROLL for (int r = 0; r < rows; r++) {
      MMAFFT_UNROLL for (int j = 0; j < J; j++)
        x[r * J + j] = {scaled(x[r * J + j].x, e[r]), scaled(x[r * J + j].y, e[r])};
    }
  }
}

template <class S> MMAFFT_DEVICE void matrix_product(S s, Pair<float> *v, const void *matrices, int lane) {
  MMAFFT_STEP(S);
  MMAFFT_IF (config.operand == OPERAND_F32) {
    const float *matrix = static_cast<const float *>(matrices) + step.matrix;
    MMAFFT_CONST int J = fragment_values(int(step.rank));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      MMAFFT_IF (step.rank == 2) ProductNative<2, float>::run(v + g * J, matrix, lane);
      MMAFFT_IF (step.rank == 4) ProductNative<4, float>::run(v + g * J, matrix, lane);
      MMAFFT_IF (step.rank == 8) ProductNative<8, float>::run(v + g * J, matrix, lane);
      MMAFFT_IF (step.rank == 16) ProductNative<16, float>::run(v + g * J, matrix, lane);
    }
  } else {
    MMAFFT_CONST bool bf16 = config.operand == OPERAND_BF16 || config.operand == OPERAND_SPLIT_BF16;
    const u32 *matrix = static_cast<const u32 *>(matrices) + step.matrix;
    MMAFFT_IF (bf16) {
      MMAFFT_IF (step.rank == 2) matrix_product16<2, true>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 4) matrix_product16<4, true>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 8) matrix_product16<8, true>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 16) matrix_product16<16, true>(s, v, matrix, lane);
    } else {
      MMAFFT_IF (step.rank == 2) matrix_product16<2, false>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 4) matrix_product16<4, false>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 8) matrix_product16<8, false>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 16) matrix_product16<16, false>(s, v, matrix, lane);
    }
  }
}

template <class S> MMAFFT_DEVICE void matrix_product(S s, Pair<double> *v, const void *matrices, int lane) {
  MMAFFT_STEP(S);
  const double *matrix = static_cast<const double *>(matrices) + step.matrix;
  MMAFFT_CONST int J = fragment_values(int(step.rank));
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    MMAFFT_IF (step.rank == 2) ProductNative<2, double>::run(v + g * J, matrix, lane);
    MMAFFT_IF (step.rank == 4) ProductNative<4, double>::run(v + g * J, matrix, lane);
    MMAFFT_IF (step.rank == 8) ProductNative<8, double>::run(v + g * J, matrix, lane);
    MMAFFT_IF (step.rank == 16) ProductNative<16, double>::run(v + g * J, matrix, lane);
  }
}

}  // namespace mmafft
