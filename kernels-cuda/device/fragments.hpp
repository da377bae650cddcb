// How DFTs use NVIDIA's matrix products (instructions.hpp, or their emulation), with
// g = lane / 4 and t = lane % 4: a row of A is a DFT column's points, (re, im) after each
// other, so that a lane holds whole complex points; B is the DFT matrix. D then has the
// outputs where A had the inputs.
#pragma once

namespace mmafft {

// How the columns of a matrix step lie in a wave: a lane's values are points t, t+4, ... of
// columns g and g+8 (f64: g), before the product and after it.
MMAFFT_DEVICE constexpr int fragment_columns(i64 operand) { return operand == OPERAND_F64 ? 8 : 16; }
MMAFFT_DEVICE constexpr int fragment_rows(i64 operand) { return operand == OPERAND_F64 ? 1 : 2; }
MMAFFT_DEVICE int fragment_column(int lane, int row) { return lane / 4 + 8 * row; }
MMAFFT_DEVICE int fragment_point(int lane, int j) { return lane % 4 + 4 * j; }

// The largest x of the lanes that hold a column of `points` points.
MMAFFT_DEVICE float fragment_max(float x, int points) {
  x = larger(x, shuffle_xor(x, 1));
  return points > 2 ? larger(x, shuffle_xor(x, 2)) : x;
}

// D = data·matrix with the data as A. J values a lane and row; matrix [k tile][n tile][lane].
template <int J, bool BF16> struct Product16 {
  // sum += data·matrix, each k tile's product added in rounded FP32: inside, sums truncate.
  static MMAFFT_DEVICE void rounded(float (&sum)[2 * J][2], const u32 (&data)[2 * J], const u32 *matrix, int lane) {
    run<true>(sum, data, matrix, lane);
  }
  // The same, chained inside.
  static MMAFFT_DEVICE void chained(float (&sum)[2 * J][2], const u32 (&data)[2 * J], const u32 *matrix, int lane) {
    run<false>(sum, data, matrix, lane);
  }

 private:
  template <bool ROUNDED>
  static MMAFFT_DEVICE void run(float (&sum)[2 * J][2], const u32 (&data)[2 * J], const u32 *matrix, int lane) {
    constexpr int KT = J == 1 ? 1 : J / 2;
    MMAFFT_UNROLL for (int n = 0; n < J; n++) {
      float d[4] = {sum[n][0], sum[n][1], sum[J + n][0], sum[J + n][1]};
      MMAFFT_UNROLL for (int k = 0; k < KT; k++) {
        float part[4] = {0, 0, 0, 0};
        float (&to)[4] = ROUNDED ? part : d;
        if (J == 1) {
          const u32 b = load_table(matrix + n * WAVE + lane);
          if (BF16) mma_bf16_m16n8k8(to, data[0], data[J], b);
          else mma_f16_m16n8k8(to, data[0], data[J], b);
        } else {
          const Pair<u32> b = load_table(reinterpret_cast<const Pair<u32> *>(matrix) + (k * J + n) * WAVE + lane);
          constexpr int up = J > 1;
          if (BF16) mma_bf16_m16n8k16(to, data[2 * k], data[J + 2 * k], data[2 * k + up], data[J + 2 * k + up], b.x, b.y);
          else mma_f16_m16n8k16(to, data[2 * k], data[J + 2 * k], data[2 * k + up], data[J + 2 * k + up], b.x, b.y);
        }
        if (ROUNDED) {
          MMAFFT_UNROLL for (int i = 0; i < 4; i++) d[i] += part[i];
        }
      }
      sum[n][0] = d[0];
      sum[n][1] = d[1];
      sum[J + n][0] = d[2];
      sum[J + n][1] = d[3];
    }
  }
};

// The same on values of T themselves; matrix [k tile][re, im][n tile][lane].
template <int J, class T> struct ProductNative {
  static MMAFFT_DEVICE void run(Pair<T> *v, const T *matrix, int lane) {
    Pair<T> y[J];
    MMAFFT_UNROLL for (int n = 0; n < J; n++) {
      double d[2] = {0, 0};
      MMAFFT_UNROLL for (int k = 0; k < J; k++) {
        mma_f64_m8n8k4(d, v[k].x, load_table(matrix + ((2 * k) * J + n) * WAVE + lane));
        mma_f64_m8n8k4(d, v[k].y, load_table(matrix + ((2 * k + 1) * J + n) * WAVE + lane));
      }
      y[n] = {T(d[0]), T(d[1])};
    }
    MMAFFT_UNROLL for (int n = 0; n < J; n++) v[n] = y[n];
  }
};

}  // namespace mmafft
