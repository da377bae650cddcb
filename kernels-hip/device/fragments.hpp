// How DFTs use AMD's matrix products (instructions.hpp, or their emulation), with
// c = lane % 16 and q = lane / 16: a column of B is a DFT column's points, (re, im) after
// each other, so that a lane holds whole complex points; A is the DFT matrix. D then has the
// outputs where B had the inputs. Rows of up to four points take 4x4 products, of which one
// instruction has sixteen: a lane then holds a whole column, and A is the same in all of them.
#pragma once

namespace mmafft {

// How the columns of a matrix step lie in a wave: a lane's values are points 2q, 2q+1, 2q+8,
// 2q+9, ... of column c, or all of one column's, before the product and after it.
MMAFFT_DEVICE constexpr bool fragment_small(int rank) { return rank <= 4; }
MMAFFT_DEVICE constexpr int fragment_columns(i64, int rank) { return fragment_small(rank) ? 64 : 16; }
MMAFFT_DEVICE constexpr int fragment_rows(i64) { return 1; }
MMAFFT_DEVICE constexpr int fragment_values(int rank) { return fragment_small(rank) ? rank : rank / 4; }
MMAFFT_DEVICE constexpr int fragment_column(int lane, int, int rank) { return fragment_small(rank) ? lane : lane % 16; }
MMAFFT_DEVICE constexpr int fragment_point(int lane, int j, int rank) {
  return fragment_small(rank) ? j : 2 * (lane / 16) + j % 2 + j / 2 * 8;
}

// Which of a lane's values the two points of an m tile are.
MMAFFT_DEVICE constexpr int fragment_made(int m, int which, int rank) { return rank < 16 ? 2 * m + which : m + 2 * which; }

// The largest x of the lanes that hold a column of `points` points.
MMAFFT_DEVICE float fragment_max(float x, int points) {
  if (points <= 4) return x;
  x = larger(x, shuffle_xor(x, 16));
  return larger(x, shuffle_xor(x, 32));
}

// The DFTs of two points, times `scale`: a lane has both points of a column.
template <class T> MMAFFT_DEVICE void fragment_sums(Pair<T> *v, T scale, int) {
  const Pair<T> x = {scale * v[0].x, scale * v[0].y}, y = {scale * v[1].x, scale * v[1].y};
  v[0] = x + y;
  v[1] = x - y;
}

// CDNA 2 takes subnormal 16-bit numbers for zero: lo is kept out of them by a factor of its own, and
// the columns' largest magnitude lies in [1/2, 1).
enum { FRAGMENT_MAGNITUDE = -1, FRAGMENT_MATRIX = 0, FRAGMENT_APART = 1 };

// What products take a 16-bit number for: CDNA 2 takes subnormal ones for zero ("MI200 MFMA
// behavior specifics" in MIOpen's documentation). So a part that is subnormal is made zero
// here, on all of them alike, and the other part has the whole value. Those of BF16 lie below
// what the scaled parts reach.
template <bool BF16> MMAFFT_DEVICE u16 fragment_value(u16 x) { return BF16 || (x & 0x7c00) ? x : u16(0); }

// v = (the matrix, in `parts` of `words` each)·(hi + lo·2^-d) for `groups` of J values a lane, the data
// as B; matrix [k tile][m tile][lane]. Products of high parts are added tile by tile in rounded
// FP32, as on NVIDIA; the small rest is chained inside. A tile's matrix is loaded once for all groups.
// An m tile of 16 points has the even or the odd ones. `halved`: the first half of the values are sums,
// of which the even ones are, the second one differences, with the matrix of the first points.
template <int RANK, bool BF16> struct Product16 {
  static constexpr int J = fragment_values(RANK);
  static MMAFFT_DEVICE void run(Pair<float> *v, const u32 *hi, const u32 *lo, int groups, bool both, const u32 *matrix,
                                int parts, int words, int lane, float unit, bool halved) {
    constexpr int KT = J / 2;
    const int tiles = halved ? KT / 2 : KT;
    MMAFFT_UNROLL for (int m = 0; m < J / 2; m++) {
      Pair<u32> first[KT], second[KT] = {}, third[KT] = {};
      const int from = halved ? m : 0;
      MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
        first[k] = load(matrix, k, m, lane);
        if (parts > 1) second[k] = load(matrix + words, k, m, lane);
        if (parts > 2) third[k] = load(matrix + 2 * words, k, m, lane);
      }
      MMAFFT_UNROLL for (int g = 0; g < groups; g++) {
        const u32 *const high = hi + g * J + 2 * from, *const low = lo + g * J + 2 * from;
        float sum[4] = {0, 0, 0, 0}, cross[4] = {0, 0, 0, 0}, last[4] = {0, 0, 0, 0};
        MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
          float part[4] = {0, 0, 0, 0};
          multiply(part, first[k], high + 2 * k);
          if (both) multiply(cross, first[k], low + 2 * k);
          if (parts > 1) multiply(cross, second[k], high + 2 * k);
          if (parts > 2) {
            multiply(last, second[k], low + 2 * k);
            multiply(last, third[k], high + 2 * k);
          }
          MMAFFT_UNROLL for (int i = 0; i < 4; i++) sum[i] += part[i];
        }
        if (parts > 2) {
          MMAFFT_UNROLL for (int i = 0; i < 4; i++) cross[i] = multiply_add(last[i], unit, cross[i]);
        }
        v[g * J + fragment_made(m, 0, RANK)] = {multiply_add(cross[0], unit, sum[0]), multiply_add(cross[1], unit, sum[1])};
        v[g * J + fragment_made(m, 1, RANK)] = {multiply_add(cross[2], unit, sum[2]), multiply_add(cross[3], unit, sum[3])};
      }
    }
  }

 private:
  static MMAFFT_DEVICE Pair<u32> load(const u32 *matrix, int k, int m, int lane) {
    const Pair<u32> *tile = reinterpret_cast<const Pair<u32> *>(matrix);
    if (fragment_small(RANK)) return load_table(tile + (k * (J / 2) + m) * 4 + lane % 4);
    return load_table(tile + (k * (J / 2) + m) * WAVE + lane);
  }
  static MMAFFT_DEVICE void multiply(float (&d)[4], Pair<u32> a, const u32 *data) {
    if (fragment_small(RANK)) {
      if (BF16) mfma_bf16_4x4x4(d, a.x, a.y, data[0], data[1]);
      else mfma_f16_4x4x4(d, a.x, a.y, data[0], data[1]);
    } else {
      if (BF16) mfma_bf16_16x16x16(d, a.x, a.y, data[0], data[1]);
      else mfma_f16_16x16x16(d, a.x, a.y, data[0], data[1]);
    }
  }
};

template <int RANK> MMAFFT_DEVICE void mfma_native(float (&d)[4], float a, float b) {
  if (fragment_small(RANK)) mfma_f32_4x4x1(d, a, b);
  else mfma_f32_16x16x4(d, a, b);
}
template <int RANK> MMAFFT_DEVICE void mfma_native(double (&d)[4], double a, double b) { mfma_f64_16x16x4(d, a, b); }

// The same on values of T themselves; matrix [k tile][m tile][lane], four k tiles for the
// reals of two points. Rows are ordered so that a lane's D are again two of its points.
template <int RANK, class T> struct ProductNative {
  static constexpr int J = fragment_values(RANK);
  static MMAFFT_DEVICE void run(Pair<T> *v, const T *matrix, int lane, bool halved) {
    const int tiles = halved ? J / 4 : J / 2;
    Pair<T> y[J];
    MMAFFT_UNROLL for (int m = 0; m < J / 2; m++) {
      const Pair<T> *const x = halved ? v + 2 * m : v;
      T d[4] = {0, 0, 0, 0};
      MMAFFT_UNROLL for (int k = 0; k < tiles; k++) {
        const T parts[4] = {x[2 * k].x, x[2 * k].y, x[2 * k + 1].x, x[2 * k + 1].y};
        MMAFFT_UNROLL for (int i = 0; i < 4; i++)
          mfma_native<RANK>(d, load(matrix, (4 * k + i) * (J / 2) + m, lane), parts[i]);
      }
      y[fragment_made(m, 0, RANK)] = {d[0], d[1]};
      y[fragment_made(m, 1, RANK)] = {d[2], d[3]};
    }
    MMAFFT_UNROLL for (int j = 0; j < J; j++) v[j] = y[j];
  }

 private:
  static MMAFFT_DEVICE T load(const T *matrix, int tile, int lane) {
    if (fragment_small(RANK)) return load_table(matrix + tile * 4 + lane % 4);
    return load_table(matrix + tile * WAVE + lane);
  }
};

}  // namespace mmafft
