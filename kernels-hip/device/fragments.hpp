// How DFTs use AMD's matrix products (instructions.hpp, or their emulation), with
// c = lane % 16 and q = lane / 16: a column of B is a DFT column's points, (re, im) after
// each other, so that a lane holds whole complex points; A is the DFT matrix. D then has the
// outputs where B had the inputs.
#pragma once

namespace mmafft {

// How the columns of a matrix step lie in a wave: a lane's values are points 2q, 2q+1, 2q+8,
// 2q+9, ... of column c, before the product and after it.
MMAFFT_DEVICE constexpr int fragment_columns(i64) { return 16; }
MMAFFT_DEVICE constexpr int fragment_rows(i64) { return 1; }
MMAFFT_DEVICE int fragment_column(int lane, int) { return lane % 16; }
MMAFFT_DEVICE int fragment_point(int lane, int j) { return 2 * (lane / 16) + j % 2 + j / 2 * 8; }

// The largest x of the lanes that hold a column of `points` points.
MMAFFT_DEVICE float fragment_max(float x, int points) {
  if (points > 2) x = larger(x, shuffle_xor(x, 16));
  return points > 4 ? larger(x, shuffle_xor(x, 32)) : x;
}

// D = matrix·data with the data as B. J values a lane; matrix [k tile][m tile][lane].
template <int J, bool BF16> struct Product16 {
  // sum += matrix·data, each k tile's product added in rounded FP32.
  static MMAFFT_DEVICE void rounded(float (&sum)[J][2], const u32 (&data)[J], const u32 *matrix, int lane) {
    run<true>(sum, data, matrix, lane);
  }
  // The same, chained inside.
  static MMAFFT_DEVICE void chained(float (&sum)[J][2], const u32 (&data)[J], const u32 *matrix, int lane) {
    run<false>(sum, data, matrix, lane);
  }

 private:
  template <bool ROUNDED>
  static MMAFFT_DEVICE void run(float (&sum)[J][2], const u32 (&data)[J], const u32 *matrix, int lane) {
    MMAFFT_UNROLL for (int m = 0; m < J / 2; m++) {
      float d[4] = {sum[2 * m][0], sum[2 * m][1], sum[2 * m + 1][0], sum[2 * m + 1][1]};
      MMAFFT_UNROLL for (int k = 0; k < J / 2; k++) {
        float part[4] = {0, 0, 0, 0};
        float (&to)[4] = ROUNDED ? part : d;
        const Pair<u32> a = load_table(reinterpret_cast<const Pair<u32> *>(matrix) + (k * (J / 2) + m) * WAVE + lane);
        if (BF16) mfma_bf16_16x16x16(to, a.x, a.y, data[2 * k], data[2 * k + 1]);
        else mfma_f16_16x16x16(to, a.x, a.y, data[2 * k], data[2 * k + 1]);
        if (ROUNDED) {
          MMAFFT_UNROLL for (int i = 0; i < 4; i++) d[i] += part[i];
        }
      }
      sum[2 * m][0] = d[0];
      sum[2 * m][1] = d[1];
      sum[2 * m + 1][0] = d[2];
      sum[2 * m + 1][1] = d[3];
    }
  }
};
template <bool BF16> struct Product16<1, BF16> {  // no row is shorter than 8 points here
  static MMAFFT_DEVICE void rounded(float (&)[1][2], const u32 (&)[1], const u32 *, int) {}
  static MMAFFT_DEVICE void chained(float (&)[1][2], const u32 (&)[1], const u32 *, int) {}
};

MMAFFT_DEVICE void mfma_native(float (&d)[4], float a, float b) { mfma_f32_16x16x4(d, a, b); }
MMAFFT_DEVICE void mfma_native(double (&d)[4], double a, double b) { mfma_f64_16x16x4(d, a, b); }

// The same on values of T themselves; matrix [k tile][m tile][lane], four k tiles for the
// reals of two points. Rows are ordered so that a lane's D are again its two points.
template <int J, class T> struct ProductNative {
  static MMAFFT_DEVICE void run(Pair<T> *v, const T *matrix, int lane) {
    Pair<T> y[J];
    MMAFFT_UNROLL for (int m = 0; m < J / 2; m++) {
      T d[4] = {0, 0, 0, 0};
      MMAFFT_UNROLL for (int k = 0; k < J / 2; k++) {
        const T parts[4] = {v[2 * k].x, v[2 * k].y, v[2 * k + 1].x, v[2 * k + 1].y};
        MMAFFT_UNROLL for (int i = 0; i < 4; i++)
          mfma_native(d, load_table(matrix + ((4 * k + i) * (J / 2) + m) * WAVE + lane), parts[i]);
      }
      y[2 * m] = {d[0], d[1]};
      y[2 * m + 1] = {d[2], d[3]};
    }
    MMAFFT_UNROLL for (int j = 0; j < J; j++) v[j] = y[j];
  }
};
template <class T> struct ProductNative<1, T> {
  static MMAFFT_DEVICE void run(Pair<T> *, const T *, int) {}
};

}  // namespace mmafft
