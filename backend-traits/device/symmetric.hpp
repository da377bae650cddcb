// Between registers and memory, or the reals between the axes of a tile, a line that is its own mirror image, or that
// one's negative (type I): which half of it a value is in follows from which of its column's values it is, so that of
// the addresses two are computed a column, one ascending and one descending, and the others are constants. Members of
// `Pass`, included by pass.hpp.
//
// A value is two reals `apart` points of the line from each other, and column c's value j is number
// a = c + j*m of the thread's DFT of r points, m = n/r: reals 2a and 2a+1 of r*m that lie in each half.
#pragma once
#include "pass.hpp"

namespace mmafft {

// Whether the first step loads such a line, all of it; or the last one stores it.
template <class Scalar> template <bool LOAD, class S>
MMAFFT_DEVICE constexpr bool Pass<Scalar>::symmetric(S s) {
  MMAFFT_STEP(S);
  if (step.op != OP_DFT || step.engine != ENGINE_SIMT || step.facing == FACING_LOAD || step.facing == FACING_STORE) return false;
  // All of the line in a tile.
  if (step.folded) return true;
  // Not of a convolution: of its points some are zero, and all have factors.
  const bool whole = step.offset == 0 && (LOAD ? step.input : step.output) >= step.points;
  if (!whole || has_factors<LOAD>(s) || !all_points<LOAD>(s)) return false;
  if (LOAD) {
    const bool order = config.load_reals.order == ORDER_EVEN || config.load_reals.order == ORDER_ODD;
    return config.load_points == POINTS_ORDERED && config.load_reals.apart > 0 && order;
  }
  return config.store_points == POINTS_ORDERED && config.store_reals.apart > 0 && config.store_reals.columns > 0;
}

// Whether real e of value j of a column is in the lower half: of most for all columns c < m, when compiling.
MMAFFT_DEVICE constexpr bool lower_half(int c, int m, int r, int j, int e) {
  if (2 * (j * m + m - 1) + e < r * m) return true;
  if (2 * j * m + e >= r * m) return false;
  return 2 * (c + j * m) + e < r * m;
}

// The column whose real e of value j is the first of the upper half, or -1.
MMAFFT_DEVICE constexpr int middle_column(int m, int r, int j, int e) {
  const int c = (r * m - e) / 2 - j * m;
  return (r * m - e) % 2 == 0 && c >= 0 && c < m ? c : -1;
}
// Whether it is point 0 or the middle of the line, its own image, for a column that begins at `first`: the only
// ones that the halves share.
MMAFFT_DEVICE constexpr bool own_image(i64 first, i64 index, int m, int r, int j, int e) {
  if (j == 0 && e == 0 && first == 0) return true;
  return middle_column(m, r, j, e) >= 0 && first == middle_column(m, r, j, e) * index;
}

// Points of the continued line between two values of a column.
template <class Scalar> template <bool LOAD, class S>
MMAFFT_DEVICE constexpr i64 Pass<Scalar>::index_of_line(S s) {
  MMAFFT_STEP(S);
  const Axis axis = config.axis[step.axis];
  return step.folded ? 2 * step.reals_apart : LOAD ? axis.load_index : axis.store_index;
}

// Of a column, which point its first real is, as the line is continued; and where the line's first real is, scalars of
// memory before it or its part of a cell in shared memory.
template <class Scalar> template <bool LOAD, class S>
MMAFFT_DEVICE typename Pass<Scalar>::SymmetricColumn Pass<Scalar>::symmetric_column(S s, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST bool on_chip = (LOAD ? step.reals_in : step.reals_out) != REALS_NONE;
  MMAFFT_IF (on_chip) {
    // `layout` of device/banks.rs leaves no cells unused here.
    const int line = c.line * int(LOAD ? step.pitch_in : step.pitch_out);
    const int cell = 2 * line + int(outer_of_axes(s, c)) * int(LOAD ? step.around_in : step.around_out) + int(inner_of_axes(s, c));
    return {i64(beside_in_line(s, c)) + i64(c.at) * index_of_line<LOAD>(s), 0, cell, c.live};
  } else {
    MMAFFT_CONST i64 unit = LOAD ? axis.load_stride / axis.load_index : axis.store_stride / axis.store_index;
    const InMemory in = in_memory<LOAD>(s, c);
    const i64 begin = LOAD ? in.line.load_index : in.line.store_index;
    // Of a part of a line that passes share, less what its own first point is behind.
    const i64 before = (LOAD ? in.line.load : in.line.store) + in.others - (step.folded ? 0 : begin * unit);
    return {begin + i64(c.at) * index_of_line<LOAD>(s), before, 0, in.live};
  }
}

template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load_symmetric(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST bool on_chip = step.reals_in != REALS_NONE;
  MMAFFT_CONST Reals side = on_chip ? reals_on_chip(step.reals_in) : config.load_reals;
  MMAFFT_CONST bool odd = side.order == ORDER_ODD, all = on_chip || all_points<true>(s);
  MMAFFT_CONST int R = int(step.radix), m = int(step.points / step.radix);
  MMAFFT_CONST i64 index = index_of_line<true>(s);
  MMAFFT_CONST i64 unit = on_chip ? step.stride_in : axis.load_stride / axis.load_index;
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const Column c = column(s, g);
    const SymmetricColumn of = symmetric_column<true>(s, c);
    const i64 first = of.first, up = odd ? first - 1 : first, down = odd ? first + 1 : first;
    const Scalar *const low = input() + of.before + up * unit, *const high = input() + of.before - down * unit;
    const int low_cell = of.cell + int(up) * int(unit), high_cell = of.cell - int(down) * int(unit);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      T x[2];
      MMAFFT_UNROLL for (int e = 0; e < 2; e++) {
        const i64 further = i64(j * m) * index + e * side.apart;
        const bool lower = lower_half(c.at, m, R, j, e);
        x[e] = T(0);
        // Zeros stand there in an odd line.
        if (!of.live || (odd && own_image(first, index, m, R, j, e))) continue;
        if (!all && !within(lower ? up + further : side.points - further - down, axis.load_begin, axis.load_end)) continue;
        MMAFFT_IF (on_chip) x[e] = load_shared_part<T>(lower ? low_cell + int(further * unit) : high_cell + int((side.points - further) * unit));
        else {
          if (lower) x[e] = widen(load_memory(low + further * unit));
          else x[e] = widen(load_memory(high + (side.points - further) * unit));
        }
      }
      v[g * R + j] = {x[0], x[1]};
    }
  }
}

// Their signs, and edges of an orthogonal transform.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::finish_symmetric(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = step.reals_in != REALS_NONE ? reals_on_chip(step.reals_in) : config.load_reals;
  MMAFFT_CONST bool odd = side.order == ORDER_ODD, edges = side.first != 0 || side.last != 0;
  MMAFFT_IF (!odd && !edges) return;
  MMAFFT_CONST int R = int(step.radix), m = int(step.points / step.radix);
  MMAFFT_CONST i64 index = index_of_line<true>(s);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const Column c = column(s, g);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      Value &x = v[g * R + j];
      MMAFFT_IF (odd) x = {lower_half(c.at, m, R, j, 0) ? x.x : -x.x, lower_half(c.at, m, R, j, 1) ? x.y : -x.y};
      MMAFFT_IF (edges) {
        const i64 first = symmetric_column<true>(s, c).first;
        if (own_image(first, index, m, R, j, 0)) x.x *= T(1.4142135623730950488);
        if (own_image(first, index, m, R, j, 1)) x.y *= T(1.4142135623730950488);
      }
    }
  }
}

template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_symmetric(S s, const Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST bool on_chip = step.reals_out != REALS_NONE, in_row = !on_chip && config.row_of_reals;
  MMAFFT_CONST Reals side = on_chip ? reals_on_chip(step.reals_out) : config.store_reals;
  MMAFFT_CONST bool odd = side.order == ORDER_BEHIND, edges = side.first != 0 || side.last != 0, all = on_chip || all_points<false>(s);
  MMAFFT_CONST int R = int(step.radix), m = int(step.points / step.radix);
  MMAFFT_CONST i64 index = index_of_line<false>(s);
  // In a row reals lie as memory has them.
  MMAFFT_CONST i64 unit = on_chip ? step.stride_out : axis.store_stride / axis.store_index;
  const T scale = on_chip ? T(1) : this->scale();
  const int before = in_row ? before_row() : 0;
  MMAFFT_IF (in_row && step.source == PLACE_SHARED) barrier();
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const Column c = column(s, g);
    const SymmetricColumn of = symmetric_column<false>(s, c);
    // Rows 0 and columns/2 are their own images.
    const i64 first = of.first, row = first - i64(c.at) * index;
    const bool images = row != 0 && 2 * row != side.columns;
    const i64 up = odd ? first - 1 : first, down = odd ? first + 1 : first;
    // The line's first real, but as the line is continued; or where shared memory has it.
    Scalar *const line = static_cast<Scalar *>(arguments.store) + of.before;
    Scalar *const low = line + up * unit, *const high = line - down * unit;
    const int cell = in_row ? before + c.line * int(config.row_of_reals) + int(inner_of_axes(s, c)) : of.cell;
    const int low_cell = cell + int(up) * int(unit), high_cell = cell - int(down) * int(unit);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      MMAFFT_UNROLL for (int e = 0; e < 2; e++) {
        const i64 further = i64(j * m) * index + e * side.apart;
        const T x = scale * (e == 0 ? v[g * R + j].x : v[g * R + j].y);
        const bool lower = lower_half(c.at, m, R, j, e);
        const bool end = own_image(first, index, m, R, j, e);
        T y = lower || !odd ? x : -x;
        MMAFFT_IF (edges) {
          if (end) y = T(0.70710678118654752440) * x;
        }
        if (!of.live || !(lower ? !(odd && end) : images || (!odd && end))) continue;
        if (!all && !within(lower ? up + further : side.points - further - down, axis.store_begin, axis.store_end)) continue;
        MMAFFT_IF (on_chip || in_row) store_shared_part<T>(lower ? low_cell + int(further * unit) : high_cell + int((side.points - further) * unit), y);
        else {
          Scalar z;
          narrow(y, z);
          store_memory(lower ? low + further * unit : high + (side.points - further) * unit, z);
        }
      }
    }
  }
  MMAFFT_IF (in_row) {
    barrier();
    store_row_of_reals();
  }
}

// Results that go to memory where they are computed begin and end anywhere between two sectors, and both that have a
// part of one write it: the second-level cache, which is what limits, took 1.3 times the sectors. So they meet in shared
// memory, as far behind its begin as the row's first real is behind that of a sector.
template <class Scalar> MMAFFT_DEVICE Scalar *Pass<Scalar>::row_of_reals() const {
  return static_cast<Scalar *>(arguments.store) + i64(tile) * (config.lines * config.row_of_reals);
}
template <class Scalar> MMAFFT_DEVICE int Pass<Scalar>::before_row() const {
  return int(reinterpret_cast<u64>(row_of_reals()) % SECTOR / sizeof(Scalar));
}
template <class Scalar> MMAFFT_DEVICE void Pass<Scalar>::store_row_of_reals() const {
  MMAFFT_CONST int length = int(config.row_of_reals), threads = int(config.threads);
  // Reals of an access, of 16 bytes, and accesses of a thread.
  MMAFFT_CONST int each = 16 / int(sizeof(Scalar));
  MMAFFT_CONST int rounds = (int(config.lines) * length + int(SECTOR / sizeof(Scalar)) - 1 + each * threads) / (each * threads);
  const u64 lines = arguments.lines - tile * u64(config.lines);
  const int before = before_row(), end = before + (lines < u64(config.lines) ? int(lines) : int(config.lines)) * length;
  const int thread = thread_index_anew();
  Scalar *const to = row_of_reals() - before;
  MMAFFT_UNROLL for (int i = 0; i < rounds; i++) {
    const int at = (i * threads + thread) * each;
    if (at < before || at + each > end) continue;
    Neighbours<Scalar, each / 2> x;
    MMAFFT_UNROLL for (int k = 0; k < each / 2; k++) {
      const Value pair = load_shared<T>(at / 2 + k);
      narrow(pair.x, x.at[k].x);
      narrow(pair.y, x.at[k].y);
    }
    store_as_one(reinterpret_cast<Neighbours<Scalar, each / 2> *>(to + at), x);
  }
  // What is no whole access at either end.
  const auto alone = [&](int at) {
    Scalar x;
    narrow(load_shared_part<T>(at), x);
    store_memory(to + at, x);
  };
  const int first = before + thread, last = end / each * each + thread;
  if (thread < each && first < (before + each - 1) / each * each) alone(first);
  if (last < end) alone(last);
}

}  // namespace mmafft
