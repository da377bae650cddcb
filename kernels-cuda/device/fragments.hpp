// How DFTs use NVIDIA's matrix products (instructions.hpp, or their emulation), with
// g = lane / 4 and t = lane % 4: a row of A is a DFT column's points, (re, im) after each
// other, so that a lane holds whole complex points; B is the DFT matrix. D then has the
// outputs where A had the inputs.
#pragma once

namespace mmafft {

// How the columns of a matrix step lie in a wave: a lane's values are points t and t+4 of columns g
// and g+8 (f64: g), before the product and after it; of 16, points 2t, 2t+1, 2t+8 and 2t+9, so that
// it has both points of a butterfly before the product, and as many even as odd ones after it.
MMAFFT_DEVICE constexpr int fragment_columns(i64 operand, int) { return operand == OPERAND_F64 ? 8 : 16; }
MMAFFT_DEVICE constexpr int fragment_rows(i64 operand) { return operand == OPERAND_F64 ? 1 : 2; }
// Of a column; there is no rank of 2.
MMAFFT_DEVICE constexpr int fragment_values(int rank) { return rank < 4 ? 1 : rank / 4; }
MMAFFT_DEVICE constexpr int fragment_column(int lane, int row, int) { return lane / 4 + 8 * row; }
MMAFFT_DEVICE constexpr int fragment_point(int lane, int j, int rank) {
  return rank < 16 ? lane % 4 + 4 * j : 2 * (lane % 4) + j % 2 + j / 2 * 8;
}

// The largest x of the lanes that hold a column of `points` points.
MMAFFT_DEVICE float fragment_max(float x, int points) {
  x = larger(x, shuffle_xor(x, 1));
  return points > 2 ? larger(x, shuffle_xor(x, 2)) : x;
}

// The DFTs of two points, times `scale`: neighbouring lanes have one point each of a column.
template <class T> MMAFFT_DEVICE void fragment_sums(Pair<T> *v, T scale, int lane) {
  const T sign = lane % 2 == 0 ? T(1) : T(-1);
  const Pair<T> x = {scale * v->x, scale * v->y};
  *v = {multiply_add(sign, x.x, shuffle_xor(x.x, 1)), multiply_add(sign, x.y, shuffle_xor(x.y, 1))};
}

// Subnormal 16-bit numbers are what they are: 2^12 to 2^13 for the largest of a column and 2^4 for that
// of the matrix leave lo 36 binary digits below the one and 28 below the other.
enum { FRAGMENT_MAGNITUDE = 12, FRAGMENT_MATRIX = 4, FRAGMENT_APART = 0 };

// What products take a 16-bit number for: itself.
template <bool BF16> MMAFFT_DEVICE u16 fragment_value(u16 x) { return x; }

// v = (hi + lo)·(the matrix, in `parts` of `words` each) for `groups` of J values a lane, the data as
// A, two groups a product; matrix [k tile][n tile][lane]. What is small comes first, chained inside;
// products of high parts are added tile by tile in rounded FP32, as sums inside truncate. Where those
// of a tile are exact, nothing is added inside. One n tile after the other, its matrix loaded once for
// all groups: all tiles at once would take every register. `halved`: the first half of the values are
// sums, of which the even n tiles are, the second one differences, with the matrix of the first points.
template <int RANK, bool BF16> struct Product16 {
  static constexpr int J = fragment_values(RANK);
  static MMAFFT_DEVICE void run(Pair<float> *v, const u32 *hi, const u32 *lo, int groups, bool both, const u32 *matrix,
                                int parts, int words, int lane, float, bool halved) {
    constexpr int KT = J == 1 ? 1 : J / 2;
    const int tiles = halved ? KT / 2 : KT;
    const u32 *const at = anew(matrix + (J == 1 ? 1 : 2) * lane);
    MMAFFT_UNROLL for (int n = 0; n < J; n++) {
      Pair<u32> first[KT], second[KT] = {}, third[KT] = {};
      const int from = halved ? n % 2 : 0;
      MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
        first[k] = load(at, k, n);
        if (parts > 1) second[k] = load(at + words, k, n);
        if (parts > 2) third[k] = load(at + 2 * words, k, n);
      }
      MMAFFT_UNROLL for (int g = 0; g < groups; g += 2) {
        float sum[4] = {0, 0, 0, 0};
        MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
          if (both) multiply(sum, lo + g * J, from + k, first[k]);
          if (parts > 1) multiply(sum, hi + g * J, from + k, second[k]);
          if (parts > 2) {
            multiply(sum, lo + g * J, from + k, second[k]);
            multiply(sum, hi + g * J, from + k, third[k]);
          }
        }
        MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
          if (k == 0 && parts == 2) multiply(sum, hi + g * J, from + k, first[k]);
          else {
            float part[4] = {0, 0, 0, 0};
            multiply(part, hi + g * J, from + k, first[k]);
            MMAFFT_UNROLL for (int i = 0; i < 4; i++) sum[i] += part[i];
          }
        }
        v[g * J + n] = {sum[0], sum[1]};
        v[(g + 1) * J + n] = {sum[2], sum[3]};
      }
    }
  }

 private:
  static MMAFFT_DEVICE Pair<u32> load(const u32 *at, int k, int n) {
    if (J == 1) return {load_table(at + n * WAVE), 0};
    return load_table(reinterpret_cast<const Pair<u32> *>(at) + (k * J + n) * WAVE);
  }
  static MMAFFT_DEVICE void multiply(float (&d)[4], const u32 *data, int k, Pair<u32> b) {
    constexpr int up = J > 1;
    if (J == 1) {
      if (BF16) mma_bf16_m16n8k8(d, data[0], data[J], b.x);
      else mma_f16_m16n8k8(d, data[0], data[J], b.x);
    } else {
      const u32 *a = data + 2 * k;
      if (BF16) mma_bf16_m16n8k16(d, a[0], a[J], a[up], a[J + up], b.x, b.y);
      else mma_f16_m16n8k16(d, a[0], a[J], a[up], a[J + up], b.x, b.y);
    }
  }
};

// The same on values of T themselves; matrix [k tile][re, im][n tile][lane].
template <int RANK, class T> struct ProductNative {
  static constexpr int J = fragment_values(RANK);
  static MMAFFT_DEVICE void run(Pair<T> *v, const T *matrix, int lane, bool halved) {
    const T *const at = anew(matrix + lane);
    const int tiles = halved ? J / 2 : J;
    Pair<T> y[J];
    MMAFFT_UNROLL for (int n = 0; n < J; n++) {
      const Pair<T> *const x = halved ? v + n % 2 * tiles : v;
      double d[2] = {0, 0};
      MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
        mma_f64_m8n8k4(d, x[k].x, load_table(at + ((2 * k) * J + n) * WAVE));
        mma_f64_m8n8k4(d, x[k].y, load_table(at + ((2 * k + 1) * J + n) * WAVE));
      }
      y[n] = {T(d[0]), T(d[1])};
    }
    MMAFFT_UNROLL for (int n = 0; n < J; n++) v[n] = y[n];
  }
};
}  // namespace mmafft
