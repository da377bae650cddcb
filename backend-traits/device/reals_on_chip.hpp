// Between several axes of reals in one tile shared memory has reals, two a cell: where those are that a point of the next
// axis is made of, or that one of the axis before becomes. Members of `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// Where shared memory has real `index` of a column's line of reals, in parts of cells: two neighbours of the tile's
// innermost axis are one cell.
template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE int Pass<Scalar>::real_cell(S s, const Column &c, i64 length, int index) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST i64 row = AFTER ? step.row_out : step.row_in;
  const int line = c.line * int(AFTER ? step.pitch_out : step.pitch_in);
  MMAFFT_IF (row == 0) return 2 * line + c.outer * int(AFTER ? step.around_out : step.around_in) + index * int(AFTER ? step.stride_out : step.stride_in) + c.inner;
  const int at = (c.outer * int(length) + index) * int(step.inner) + c.inner;
  // Rows of points that are whole rows of cells: of a column's reals all but constants is the same.
  MMAFFT_CONST int cells = int(step.inner / 2), near = int(u32(row));
  MMAFFT_IF (row > 0 && (row >> 32) == 0 && step.inner % (2 * near) == 0) {
    const int first = padded(row, int(u32(c.inner) / 2));
    return 2 * (line + (c.outer * int(length) + index) * (cells + cells / near) + first) + c.inner % 2;
  }
  else return 2 * (line + padded(row, int(u32(at) / 2))) + at % 2;
}

// Whether the reals of a column's points c + j*m, c < m, are at constant distances from those of c, which `separable` says of
// rows of cells: of half spectra and of lines from both ends in their natural order, and of neighbours in the even-odd one.
template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE constexpr bool Pass<Scalar>::reals_in_rows(S s) {
  MMAFFT_STEP(S);
  const Reals side = reals_on_chip(AFTER ? step.reals_out : step.reals_in);
  const i64 row = AFTER ? step.row_out : step.row_in, m = step.points / step.radix;
  const bool simt = step.op == OP_DFT && step.engine == ENGINE_SIMT && step.offset == 0;
  const bool end = AFTER ? step.done == m && step.to_table < 0 : step.done == 1 && step.from_table < 0;
  const bool natural = side.order == ORDER_NATURAL, halves = natural && side.pairing == PAIRING_HALVES && m % 2 == 0;
  const bool ends = natural && side.pairing == PAIRING_ENDS;
  const bool even_odd = side.order == ORDER_EVEN_ODD && side.pairing == PAIRING_PAIRS && step.radix % 2 == 0;
  if (!simt || !end || side.length != 2 * step.points || step.inner != 1 || side.apart != 0 || side.reversed != 0) return false;
  // Cells from one of a column's values to the next.
  const i64 apart = halves ? m / 2 : ends ? m : even_odd ? 2 * m : 0;
  return apart > 0 && row > 0 && row >> 32 == 0 && step.points % row == 0 && (row % apart == 0 || apart % row == 0);
}
// The cells of the two reals, in parts, of value j of a column.
template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE PairPlaces Pass<Scalar>::cells_of_reals(S s, const Column &c, int j) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST i64 row = AFTER ? step.row_out : step.row_in;
  MMAFFT_CONST Reals side = reals_on_chip(AFTER ? step.reals_out : step.reals_in);
  MMAFFT_CONST int points = int(step.points), m = int(step.points / step.radix);
  const int begin = c.line * int(AFTER ? step.pitch_out : step.pitch_in) + c.outer * padded(row, points);
  // A real of the cell that is so many behind what is the same for all values.
  const auto part = [&](int cell, int further, int which) { return 2 * (begin + padded(row, cell) + further) + which; };
  MMAFFT_IF (side.pairing == PAIRING_HALVES) {
    // c + j*m, and its mirror image: that of point 0 is m further, and maybe behind an unused cell.
    const int image = m - c.at, low = padded(row, j * m / 2), high = padded(row, points - (m + j * m) / 2);
    const int over = padded(row, points - j * m / 2) - padded(row, m / 2) - high;
    return {part(c.at / 2, low, c.at % 2), part(image / 2, high + (c.at == 0 ? over : 0), image % 2)};
  } else MMAFFT_IF (side.pairing == PAIRING_ENDS) {
    return {part(c.at, padded(row, j * m), 0), part(m - 1 - c.at, padded(row, points - m - j * m), 1)};
  } else {
    // The even reals of two neighbouring cells, or from behind the odd ones.
    if (2 * j < int(step.radix)) {
      const int low = padded(row, 2 * j * m);
      return {part(2 * c.at, low, 0), part(2 * c.at + 1, low, 0)};
    }
    const int image = 2 * (m - c.at), high = padded(row, 2 * (points - m - j * m));
    return {part(image - 1, high, 1), part(image - 2, high, 1)};
  }
}

template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE PairPlaces Pass<Scalar>::real_cells(S s, const Column &c, int j, const RealPair<int> &pair) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST bool rows = reals_in_rows<AFTER>(s);
  MMAFFT_IF (rows) {
    if (j >= 0) return cells_of_reals<AFTER>(s, c, j);
  }
  MMAFFT_CONST Reals side = reals_on_chip(AFTER ? step.reals_out : step.reals_in);
  return {real_cell<AFTER>(s, c, side.length, pair.first.index.at()), real_cell<AFTER>(s, c, side.length, pair.second.index.at())};
}

// Point `at`, of the reals that it is made of; and the reals that it becomes. It is the column's value j, if that is not
// negative.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::gather_reals(S s, const Column &c, int j, int at) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = reals_on_chip(step.reals_in);
  Value x = {T(0), T(0)};
  if (step.input > side.points && at >= int(side.points)) return x;
  const RealPair<int> pair = reals_of<int>(side, some_number<int>(at));
  const PairPlaces cells = real_cells<false>(s, c, j, pair);
  const auto take = [&](const RealPlace<int> &place, int cell, T &real) {
    if (!place.there) return;
    real = signed_real(side, place, load_shared_part<T>(cell), T(1.4142135623730950488));
  };
  take(pair.first, cells.first, x.x);
  take(pair.second, cells.second, x.y);
  return weighted(side, tables(), i64(at), x);
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::scatter_reals(S s, const Column &c, int j, int at, Value x) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = reals_on_chip(step.reals_out);
  if (step.output > side.points && at >= int(side.points)) return;
  const RealPair<int> pair = reals_of<int>(side, some_number<int>(at));
  x = weighted(side, tables(), i64(at), x);
  const PairPlaces cells = real_cells<true>(s, c, j, pair);
  const auto put = [&](const RealPlace<int> &place, int cell, T real) {
    if (!place.there) return;
    store_shared_part<T>(cell, signed_real(side, place, real, T(0.70710678118654752440)));
  };
  put(pair.first, cells.first, x.x);
  put(pair.second, cells.second, x.y);
  // What copies them to memory reads whole cells, also the last of an odd number.
  MMAFFT_IF (step.reals_out == REALS_STORED && side.length % 2 != 0) {
    if (at == 0) store_shared_part<T>(real_cell<true>(s, c, side.length, int(side.length)), T(0));
  }
}

}  // namespace mmafft
