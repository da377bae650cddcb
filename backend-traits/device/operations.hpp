// Splitting, products and combining as operations of their own, as Sorna et al. (2018) time
// them: vectors of `config.step[0].points` complex numbers.
#pragma once
#include "pass.hpp"

namespace mmafft {

// 2^e for -126 <= e <= 127.
MMAFFT_DEVICE float two_to(int e) { return float_of(u32(e + 127) << 23); }

// x·2^e for |e| <= 252: in two exact halves, as 2^e itself need not be a float.
MMAFFT_DEVICE float scaled(float x, int e) { return x * two_to(e / 2) * two_to(e - e / 2); }

// e with largest·2^-e in [1/2, 1); 0 for zero and for what is not finite.
MMAFFT_DEVICE int exponent_of(float largest) {
  const u32 bits = bits_of(largest);
  if (bits == 0 || bits >= 0x7f800000u) return 0;
  // Times 2^24 subnormals are normal.
  if (bits < 0x00800000u) return int(bits_of(largest * 16777216.0f) >> 23) - 126 - 24;
  return int(bits >> 23) - 126;
}

// A word's two FP16 numbers times 2^e: exact where the results are normal.
MMAFFT_DEVICE u32 moved(u32 word, int e) {
  const float x = widen_half(u16(word)) * two_to(e), y = widen_half(u16(word >> 16)) * two_to(e);
  return u32(round_half(x)) | u32(round_half(y)) << 16;
}

// The complex number that two words of high and low parts stand for.
MMAFFT_DEVICE Pair<float> whole(u32 hi, u32 lo) {
  const float unit = 1 / fragment_unit<false>();
  const Pair<float> low = {widen_half(u16(lo)), widen_half(u16(lo >> 16))};
  return {multiply_add(low.x, unit, widen_half(u16(hi))), multiply_add(low.y, unit, widen_half(u16(hi >> 16)))};
}

// One wave a vector of `points` reals: FP32 to hi, lo (FP16) and the exponent.
template <class A> MMAFFT_DEVICE void split_vectors(const A &a) {
  MMAFFT_CONST i64 points = MMAFFT_FIRST_STEP.points;
  const int lane = thread_index() % WAVE;
  const u64 waves = u64(config.threads / WAVE), first = block_index() * waves + u64(thread_index() / WAVE);
  for (u64 vector = first; vector < a.lines; vector += block_count() * waves) {
    const float *x = static_cast<const float *>(a.load) + i64(vector) * points;
    float most = 0;
    for (i64 i = lane; i < points; i += WAVE) most = larger(most, magnitude(load_memory(x + i)));
    // Lanes beyond the last vector would be missed by the shuffle: waves go together.
    MMAFFT_UNROLL for (int mask = WAVE / 2; mask > 0; mask /= 2) most = larger(most, shuffle_xor(most, mask));
    const int e = exponent_of(most);
    for (i64 i = lane; i < points; i += WAVE) {
      u32 hi, lo;
      split<false, false>(scaled(load_memory(x + i), -e), 0.0f, 2048.0f, hi, lo);
      store_memory(static_cast<u16 *>(a.store) + i64(vector) * points + i, u16(hi));
      store_memory(static_cast<u16 *>(const_cast<void *>(a.extra)) + i64(vector) * points + i, u16(lo));
    }
    if (lane == 0) store_memory(static_cast<int *>(const_cast<void *>(a.matrices)) + vector, e);
  }
}

// The inverse: FP32 from hi (load), lo (extra) and the exponents (matrices).
template <class A> MMAFFT_DEVICE void combine_vectors(const A &a) {
  MMAFFT_CONST i64 points = MMAFFT_FIRST_STEP.points;
  const u64 count = a.lines * u64(points), stride = u64(block_count()) * u64(config.threads);
  for (u64 i = u64(block_index()) * u64(config.threads) + u64(thread_index()); i < count; i += stride) {
    const int e = load_memory(static_cast<const int *>(a.matrices) + i / u64(points));
    const float hi = widen_half(load_memory(static_cast<const u16 *>(a.load) + i));
    const float lo = widen_half(load_memory(static_cast<const u16 *>(a.extra) + i));
    store_memory(static_cast<float *>(a.store) + i, scaled(multiply_add(lo, 1.0f / 2048, hi), e));
  }
}

// Vectors of `radix` complex points, hi, lo (FP16) and exponents (tables), times the DFT
// matrix: FP32. Step 0 of the configuration. What two points make is no product (matrix.hpp).
template <int RANK, class S, class A> MMAFFT_DEVICE void multiply_vectors(S s, const A &a) {
  MMAFFT_STEP(S);
  constexpr int J = fragment_values(RANK);
  MMAFFT_CONST int rows = fragment_rows(OPERAND_HALF);
  MMAFFT_CONST int parts = int(step.parts), words = matrix_words(s);
  MMAFFT_CONST int columns = fragment_columns(OPERAND_HALF, RANK) * int(step.copies) * int(config.threads / WAVE);
  const int lane = thread_index() % WAVE;
  constexpr int up = FRAGMENT_MAGNITUDE + 1;
  // Whole blocks go round together: a fragment needs all of its lanes.
  for (u64 first = u64(block_index()) * u64(columns); first < a.lines; first += u64(block_count()) * u64(columns)) {
    u32 hi[fragment_rows(OPERAND_HALF) * J], lo[fragment_rows(OPERAND_HALF) * J];
    Pair<float> v[fragment_rows(OPERAND_HALF) * J];
    MMAFFT_UNROLL for (int r = 0; r < rows; r++) {
      const u64 vector = first + u64(matrix_column(s, r, thread_index()));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int k = matrix_point(s, j, thread_index());
        const u64 at = vector * u64(step.radix) + u64(k);
        const bool live = vector < a.lines && k < int(step.radix);
        // From [1/2, 1) and lo in units of 2^-11 to what products take.
        hi[r * J + j] = live ? moved(load_memory(static_cast<const u32 *>(a.load) + at), up) : 0;
        lo[r * J + j] = live ? moved(load_memory(static_cast<const u32 *>(a.extra) + at), up - (FRAGMENT_APART ? 0 : 11)) : 0;
      }
    }
    MMAFFT_IF (step.radix == 2) {
      MMAFFT_UNROLL for (int i = 0; i < rows * J; i++) v[i] = whole(hi[i], lo[i]);
      MMAFFT_UNROLL for (int r = 0; r < rows; r++) fragment_sums(v + r * J, float(1 << FRAGMENT_MATRIX), lane);
    } else {
      const u32 *const matrix = static_cast<const u32 *>(a.matrices);
      Product16<RANK, false>::run(v, hi, lo, rows, true, matrix, parts, words, lane, 1 / fragment_unit<false>(), false);
    }
    MMAFFT_UNROLL for (int r = 0; r < rows; r++) {
      const u64 vector = first + u64(matrix_column(s, r, thread_index()));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int k = matrix_point(s, j, thread_index());
        if (vector < a.lines && k < int(step.radix)) {
          const int e = load_memory(static_cast<const int *>(a.tables) + vector) - up - FRAGMENT_MATRIX;
          const Pair<float> x = {scaled(v[r * J + j].x, e), scaled(v[r * J + j].y, e)};
          store_memory(static_cast<Pair<float> *>(a.store) + vector * u64(step.radix) + u64(k), x);
        }
      }
    }
  }
}
template <class S, class A> MMAFFT_DEVICE void multiply_any(S s, const A &a) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.rank == 2) multiply_vectors<2>(s, a);
  MMAFFT_IF (step.rank == 4) multiply_vectors<4>(s, a);
  MMAFFT_IF (step.rank == 8) multiply_vectors<8>(s, a);
  MMAFFT_IF (step.rank == 16) multiply_vectors<16>(s, a);
}

#ifdef MMAFFT_ENTRY_mmafft_split
MMAFFT_KERNEL void MMAFFT_BOUNDS(config.threads, config.residents) mmafft_split(Arguments a) { split_vectors(a); }
#endif
#ifdef MMAFFT_ENTRY_mmafft_combine
MMAFFT_KERNEL void MMAFFT_BOUNDS(config.threads, config.residents) mmafft_combine(Arguments a) { combine_vectors(a); }
#endif
#ifdef MMAFFT_ENTRY_mmafft_product
MMAFFT_KERNEL void MMAFFT_BOUNDS(config.threads, config.residents) mmafft_product(Arguments a) { multiply_any(FirstStep(), a); }
#endif

}  // namespace mmafft
