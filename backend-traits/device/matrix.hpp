// Matrix steps: DFTs of a few points as products with fragments of the DFT matrix.
//
// A column of R complex points is a row of 2R reals; a wave multiplies as many columns at a
// time as the vendor's fragment has. Which points of which columns a lane holds follows from
// the vendor's layout (fragments.hpp) and is the same before and after the product, so that
// twiddles and exchanges are those of butterflies.
//
// Values of FP32 become two 16-bit numbers each (Sorna et al. 2018):
//   x = 2^e·(hi + u·lo)                e from the largest magnitude of the column, or of the line
//   M = 2^-m·(Mhi + u·Mlo)             Mlo = 0 where 16 bits hold the matrix (radix 2, 4)
//   M·x = 2^(e-m)·( Mhi·hi + u·(Mhi·lo + Mlo·hi) )
// Mlo·lo lies below FP32's last bit. Sums inside the unit are truncated. Where that would be
// seen, Mhi has 8 digits, so that sums of Mhi·hi are exact, and M a third part:
//   M·x = 2^(e-m)·( Mhi·hi + u·(Mhi·lo + Mlo·hi) + u²·(Mlo·lo + Mlast·hi) )
// Where products take subnormal numbers for what they are, u is 1: scaled up to far above them,
// lo has all of its digits, and the sums need no factors. Where not, u is 2^-d, d the digits of
// the format (FRAGMENT_* of fragments.hpp).
//
// A column's largest magnitude is asked for before each product (SCALING_COLUMN); or that of the whole
// line, once (SCALING_LINE), where all that follows is DFTs. These grow no number more than r times, so
// that values stay in range (SCALING_DONE) if they are divided by that, as their twiddles are already. From
// the largest value to what an FP16 number and its rest cannot tell from zero are 38 binary digits: as many as
// leave FP32's precision to a line whose DFT of 2^14 points is as small beside that bound as a DFT can be.
//
// 16 points begin with butterflies in registers: x[j] + x[j+8] and x[j] - x[j+8], j < 8, whose products with
// 8 rows of the matrix make the even and the odd outputs.
//
// A row of a product has points of one column only. Zeros of a matrix that is several on its diagonal do not
// keep columns apart: zero times what is not finite is NaN. DFTs of two points, of which the shortest rows have
// several, are a sum and a difference between lanes, or in one, and no product.
#pragma once
#include "butterflies.hpp"

namespace mmafft {

// A thread's place in its wave, and its wave. The remainder says how many waves there are wherever the
// number is used, so that addresses become sums of constants; what compilers are told to assume they
// use once and forget.
MMAFFT_DEVICE int lane_of(int thread) { return int(u32(thread) % WAVE); }
MMAFFT_DEVICE int wave_of(int thread) {
  MMAFFT_CONST u32 waves = u32(config.threads) / WAVE;
  MMAFFT_IF ((waves & (waves - 1)) == 0) return int(u32(thread) / WAVE % waves);
  else return int(u32(thread) / WAVE);
}

// Whether a thread has `joined` DFTs of 16 points that the next step combines; and whether this step does that.
// Of a radix r = 16·q these are its columns c + j·(n/r), j < q, which are rows of one product where that has
// several; a thread's values of them are v[(round·q + j)·J + i], i < J, and after the products, by butterflies
// of q points, those of column J·round + i, v[(round·J + i)·q + j]. What lies in shared memory, and what is
// counted by `number`, are columns c alone.
template <class S> MMAFFT_DEVICE constexpr bool joins(S s) {
  MMAFFT_STEP(S);
  return step.joined > 1 && step.engine == ENGINE_MATRIX;
}
template <class S> MMAFFT_DEVICE constexpr bool joined(S s) {
  MMAFFT_STEP(S);
  return step.joined > 1 && step.engine != ENGINE_MATRIX;
}
// Groups of a thread that are of one number, and which of them a group is.
template <class S> MMAFFT_DEVICE constexpr int joined_groups(S s) {
  MMAFFT_STEP(S);
  return joins(s) ? int(step.joined) : joined(s) ? fragment_values(int(step.joined)) : 1;
}

// A thread's column of group 0, and how far the others are from it.
template <class S> MMAFFT_DEVICE int matrix_first(S s, int thread) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int rows = fragment_rows(config.operand), columns = fragment_columns(config.operand, int(step.rank));
  MMAFFT_CONST int points = int(step.rank / step.copies), rank = int(step.rank);
  MMAFFT_CONST int N = int(step.neighbours) > 1 ? int(step.neighbours) : 1;
  MMAFFT_CONST int each = N > 1 ? columns / rows * N : step.joined > 1 ? columns / rows : columns;
  const int lane = lane_of(thread);
  return (wave_of(thread) * each + fragment_column(lane, 0, rank) * N) * int(step.copies) + fragment_point(lane, 0, rank) / points * N;
}
template <class S> MMAFFT_DEVICE constexpr int matrix_further(S s, int group) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int rows = fragment_rows(config.operand), columns = fragment_columns(config.operand, int(step.rank));
  MMAFFT_CONST int waves = int(config.threads) / WAVE, N = int(step.neighbours), copies = int(step.copies);
  MMAFFT_IF (step.joined > 1) return group / joined_groups(s) * waves * (columns / rows);
  else MMAFFT_IF (N > 1) return group / N * waves * (columns / rows * N) * copies + group % N;
  else return (group / rows * waves * columns + fragment_column(0, group % rows, int(step.rank))) * copies;
}
template <class S> MMAFFT_DEVICE int matrix_column(S s, int group, int thread) {
  return matrix_first(s, thread) + matrix_further(s, group);
}
MMAFFT_DEVICE constexpr bool power_of_two(i64 n) { return (n & (n - 1)) == 0; }
// Whether these two have no binary digit in common, and places of columns are made of digits alone: then
// what follows of the number is a sum of what follows of each, the second of which compilers know. Not where
// lanes beyond the last column are given that one.
template <class S> MMAFFT_DEVICE constexpr bool digits_apart(S s) {
  MMAFFT_STEP(S);
  MMAFFT_CONST bool given = of_reals(s) && config.lines * step.inner * step.outer == 1;
  return (step.engine == ENGINE_MATRIX || step.joined > 1) && !given && step.hermitian == 0 && step.offset == 0 && power_of_two(config.threads) &&
         power_of_two(config.lines) && power_of_two(step.points) && power_of_two(step.columns) && power_of_two(step.inner) &&
         power_of_two(step.outer) && power_of_two(step.lines_fast) && power_of_two(step.neighbours) && power_of_two(step.input) && power_of_two(step.output);
}

template <class S> MMAFFT_DEVICE int matrix_point(S s, int j, int thread) {
  MMAFFT_STEP(S);
  return fragment_point(lane_of(thread), j, int(step.rank)) % int(step.rank / step.copies);
}
// How far point j of a lane is from its point 0: the same for all lanes.
template <class S> MMAFFT_DEVICE constexpr int matrix_distance(S s, int j) {
  MMAFFT_STEP(S);
  return fragment_point(0, j, int(step.rank)) % int(step.rank / step.copies);
}

// Where the twiddles of a lane lie whose columns are number p of a stride and whose first point is k: of
// TWIDDLE_COLUMNS columns together, two points of each lane; then their next two. (LANE_COLUMNS of tables.rs.)
enum { TWIDDLE_COLUMNS = 8 };
template <class S> MMAFFT_DEVICE constexpr int lane_twiddle_pairs(S s, int j) {
  MMAFFT_STEP(S);
  return j * (int(step.rank / step.copies) / fragment_values(int(step.rank))) * TWIDDLE_COLUMNS;
}
template <class S> MMAFFT_DEVICE int lane_twiddle(S s, int p, int k) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = fragment_values(int(step.rank)), points = int(step.rank / step.copies), lanes = points / J;
  // Points of one lane lie beside each other, or those of neighbouring lanes do.
  MMAFFT_CONST int t = J > 1 && lanes > 1 && matrix_distance(s, 1) == 1 ? 2 : lanes > 1 ? 1 : points;
  MMAFFT_CONST int each = J < 2 ? J : 2;
  const int block = int(u32(p) / TWIDDLE_COLUMNS), column = int(u32(p) % TWIDDLE_COLUMNS);
  return block * (TWIDDLE_COLUMNS * points) + (column * lanes + k / t) * each;
}

// What a column or a line is multiplied by before a product, so that its largest magnitude lies in [1, 2)·
// 2^K, and what the sums are after it, made smaller by 2^down on the way: powers of two, both of them
// floats. At the ends of FP32's range the largest is a little smaller or greater instead.
struct Scales {
  float before, after;
};
// Of a line: butterflies and sums of two components leave its values below 2^16.
enum { LINE_MAGNITUDE = 13 };
template <int K> MMAFFT_DEVICE Scales scales_of(float largest, int down) {
  constexpr int k = K;
  const int both = K + FRAGMENT_MATRIX - down;
  const int low = k > 1 ? k : 1, high = k < 1 ? 253 + k : 254;
  const int least = both >= low ? both + 1 : low, most = 254 + both < high ? 254 + both : high;
  int exponent = int(bits_of(largest) & 0x7f800000u);
  exponent = exponent < (least << 23) ? least << 23 : exponent;
  exponent = exponent > (most << 23) ? most << 23 : exponent;
  return {float_of(u32(((254 + k) << 23) - exponent)), float_of(u32(exponent - both * (1 << 23)))};
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

// 1/u of products.
template <bool BF16> MMAFFT_DEVICE constexpr float fragment_unit() {
  return !FRAGMENT_APART ? 1.0f : BF16 ? 256.0f : 2048.0f;
}

// hi and lo of two values, packed for a fragment: the first in the lower half; lo times `unit`.
// `PRODUCT`: as the vendor's products take them, which is not always what rounding gives.
template <bool BF16, bool PRODUCT> MMAFFT_DEVICE void split(float x, float y, float unit, u32 &hi, u32 &lo) {
  u16 a = round16<BF16>(x), b = round16<BF16>(y);
  if (PRODUCT) {
    a = fragment_value<BF16>(a);
    b = fragment_value<BF16>(b);
  }
  hi = u32(a) | u32(b) << 16;
  const u16 c = round16<BF16>((x - widen16<BF16>(a)) * unit), d = round16<BF16>((y - widen16<BF16>(b)) * unit);
  lo = u32(c) | u32(d) << 16;
}

// Whether products are of sums and differences: of 16 points, and not of fewer in a row as long.
template <class S> MMAFFT_DEVICE constexpr bool halved(S s) {
  MMAFFT_STEP(S);
  return step.radix == 16;
}
template <class S, class T> MMAFFT_DEVICE void butterflies_of_halves(S s, Pair<T> *v) {
  MMAFFT_STEP(S);
  MMAFFT_IF (halved(s)) {
    MMAFFT_CONST int J = fragment_values(int(step.rank));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      MMAFFT_UNROLL for (int j = 0; j < J / 2; j++) {
        Pair<T> &x = v[g * J + j], &y = v[g * J + j + J / 2];
        const Pair<T> sum = x + y;
        y = x - y;
        x = sum;
      }
    }
  }
}

// The words of one part of a step's matrix.
template <class S> MMAFFT_DEVICE constexpr int matrix_words(S s) {
  MMAFFT_STEP(S);
  return int(4 * step.rank * step.rank) / 2;
}

// Sums and differences of columns of two points, as large as products would make them where those that follow
// expect that: of lines that are scaled once.
template <class S, class T> MMAFFT_DEVICE void sums_of_two(S s, Pair<T> *v, int lane) {
  MMAFFT_STEP(S);
  MMAFFT_CONST bool once = step.scaling == SCALING_LINE || step.scaling == SCALING_DONE;
  MMAFFT_CONST T scale = once ? T(1 << FRAGMENT_MATRIX) : T(1);
  MMAFFT_CONST int J = fragment_values(int(step.rank));
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) fragment_sums(v + g * J, scale, lane);
}

template <int RANK, bool BF16, class S> MMAFFT_DEVICE void matrix_product16(S s, Pair<float> *v, const u32 *matrix, int lane) {
  MMAFFT_STEP(S);
  constexpr int J = fragment_values(RANK);
  MMAFFT_CONST bool both = config.operand == OPERAND_SPLIT_HALF || config.operand == OPERAND_SPLIT_BF16;
  MMAFFT_CONST int parts = both ? int(step.parts) : 1, words = matrix_words(s), groups = int(step.groups);
  u32 hi[MMAFFT_VALUES], lo[MMAFFT_VALUES];
  float after[MMAFFT_VALUES];
  MMAFFT_UNROLL for (int g = 0; g < groups; g++) {
    float before = 1;
    MMAFFT_IF (step.scaling == SCALING_COLUMN) {
      float most = 0;
      MMAFFT_UNROLL for (int j = 0; j < J; j++)
        most = larger(most, larger(magnitude(v[g * J + j].x), magnitude(v[g * J + j].y)));
      const Scales scales = scales_of<FRAGMENT_MAGNITUDE>(fragment_max(most, int(step.rank / step.copies)), 0);
      before = scales.before;
      after[g] = scales.after;
    }
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const Pair<float> y = v[g * J + j];
      split<BF16, true>(y.x * before, y.y * before, fragment_unit<BF16>(), hi[g * J + j], lo[g * J + j]);
    }
  }
  Product16<RANK, BF16>::run(v, hi, lo, groups, both, matrix, parts, words, lane, 1 / fragment_unit<BF16>(), halved(s));
  MMAFFT_IF (step.scaling == SCALING_COLUMN) {
    MMAFFT_UNROLL for (int g = 0; g < groups; g++) {
      MMAFFT_UNROLL for (int j = 0; j < J; j++) v[g * J + j] = {v[g * J + j].x * after[g], v[g * J + j].y * after[g]};
    }
  }
}

template <class S> MMAFFT_DEVICE void matrix_product(S s, Pair<float> *v, const void *matrices, int lane) {
  MMAFFT_STEP(S);
  butterflies_of_halves(s, v);
  MMAFFT_IF (step.radix == 2) sums_of_two(s, v, lane);
  else MMAFFT_IF (config.operand == OPERAND_F32) {
    const float *matrix = static_cast<const float *>(matrices) + step.matrix;
    MMAFFT_CONST int J = fragment_values(int(step.rank));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      MMAFFT_IF (step.rank == 4) ProductNative<4, float>::run(v + g * J, matrix, lane, halved(s));
      MMAFFT_IF (step.rank == 8) ProductNative<8, float>::run(v + g * J, matrix, lane, halved(s));
      MMAFFT_IF (step.rank == 16) ProductNative<16, float>::run(v + g * J, matrix, lane, halved(s));
    }
  } else {
    MMAFFT_CONST bool bf16 = config.operand == OPERAND_BF16 || config.operand == OPERAND_SPLIT_BF16;
    const u32 *matrix = static_cast<const u32 *>(matrices) + step.matrix;
    MMAFFT_IF (bf16) {
      MMAFFT_IF (step.rank == 4) matrix_product16<4, true>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 8) matrix_product16<8, true>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 16) matrix_product16<16, true>(s, v, matrix, lane);
    } else {
      MMAFFT_IF (step.rank == 4) matrix_product16<4, false>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 8) matrix_product16<8, false>(s, v, matrix, lane);
      MMAFFT_IF (step.rank == 16) matrix_product16<16, false>(s, v, matrix, lane);
    }
  }
}

template <class S> MMAFFT_DEVICE void matrix_product(S s, Pair<double> *v, const void *matrices, int lane) {
  MMAFFT_STEP(S);
  butterflies_of_halves(s, v);
  MMAFFT_IF (step.radix == 2) sums_of_two(s, v, lane);
  else {
    const double *matrix = static_cast<const double *>(matrices) + step.matrix;
    MMAFFT_CONST int J = fragment_values(int(step.rank));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      MMAFFT_IF (step.rank == 4) ProductNative<4, double>::run(v + g * J, matrix, lane, halved(s));
      MMAFFT_IF (step.rank == 8) ProductNative<8, double>::run(v + g * J, matrix, lane, halved(s));
      MMAFFT_IF (step.rank == 16) ProductNative<16, double>::run(v + g * J, matrix, lane, halved(s));
    }
  }
}

}  // namespace mmafft
