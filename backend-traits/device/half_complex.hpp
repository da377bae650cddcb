// Between registers and memory, the half-complex format of a whole line of N reals: point p is of reals p and N-p,
// and where lines are reversed, of those from the other end. A column's points ascend or descend with its
// number, so that two addresses are computed for all of them, and what lies between them is constant: of a line of
// its own, or of parts of one, point c of part a being p = a + A*c. Members of `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// Whether points of half spectra lie so.
template <bool LOAD> MMAFFT_DEVICE constexpr bool half_complex_order() {
  MMAFFT_CONST Reals side = LOAD ? config.load_reals : config.store_reals;
  return (LOAD ? config.load_points : config.store_points) == POINTS_ORDERED && side.order == ORDER_NATURAL &&
         side.pairing == PAIRING_HALVES && side.alternating == 0 && side.apart == 0 && side.columns == 0;
}

// Whether the first step merges such, all of them; or the last one splits them.
template <class Scalar> template <bool LOAD, class S>
MMAFFT_DEVICE constexpr bool Pass<Scalar>::half_complex(S s) {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST Reals side = LOAD ? config.load_reals : config.store_reals;
  const bool alone = side.weights_low == 0 && (LOAD ? axis.load_index : axis.store_index) == 1;
  const bool lines = (config.axes == 1 || step.images > 0) && !paired(s) && (alone || of_mirrored_lines(s));
  return half_complex_order<LOAD>() && lines && all_points<LOAD>(s) && !has_factors<LOAD>(s) && (LOAD ? merges(s) : splits(s));
}

// The same of the store of a split of lines in mirrored pairs, parts of one line.
template <class Scalar> template <class S>
MMAFFT_DEVICE constexpr bool Pass<Scalar>::half_complex_pairs(S s) {
  MMAFFT_STEP(S);
  return half_complex_order<false>() && paired(s) && step.op == OP_SPLIT && config.mirrored_row == 0 && all_points<false>(s);
}

// The point of value 0 of a column or, of a pair, the one that mirrors it (`second`): of the middle M/2 of M points,
// which mirrors itself, where that is point 0.
template <class S> MMAFFT_DEVICE int half_complex_point(S s, int c, bool second) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int n = int(step.points);
  return !second ? c : c == 0 ? n / 2 : n - c;
}

// Where the two reals of point p lie in a line that begins at `line`: p from one end, p-1 from the other.
template <class To> struct HalfComplexPoint {
  To *up, *down;
  MMAFFT_DEVICE HalfComplexPoint(To *line, bool reversed, i64 N, i64 p, i64 unit)
      : up(line + (reversed ? N - 1 - p : p) * unit), down(line + (reversed ? p - 1 : N - p) * unit) {}
};

// Point c + `further` of part a of A, times its weight.
template <bool LOAD, class T, class S> MMAFFT_DEVICE Pair<T> weighted_part(S s, const Pair<T> *tables, i64 a, i64 c, int further, Pair<T> x) {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = LOAD ? config.load_reals : config.store_reals;
  MMAFFT_CONST i64 A = LOAD ? config.axis[step.axis].load_index : config.axis[step.axis].store_index;
  MMAFFT_IF (side.weights >= 0 && side.weights_low > 0 && i64(1) << side.weights_low == A) {
    // The table in two levels has A entries for a, and then those for c.
    const Pair<T> *const low = tables + side.weights, *const high = low + A;
    return multiply(x, multiply(load_table(low + a), load_table(high + c + further)));
  } else {
    typedef MMAFFT_INDEX(side.length) I;
    Number<I> n = some_number(I(a) + I(A) * I(c));
    n.further = I(A) * further;
    return weighted(side, tables, n, x);
  }
}

template <class Scalar, class T> MMAFFT_DEVICE void store_real(Scalar *to, T x) {
  Scalar y;
  narrow(x, y);
  store_memory(to, y);
}

template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load_half_complex(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = config.load_reals;
  MMAFFT_CONST i64 A = config.axis[step.axis].load_index, unit = config.axis[step.axis].load_stride / A;
  MMAFFT_CONST int J = points(s), G = int(step.groups), N = int(side.length), m = step.op == OP_DFT ? int(step.points / step.radix) : 0;
  MMAFFT_CONST i64 middle = side.reversed ? N - 1 - N / 2 : N / 2;
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const InMemory in = in_memory<true>(s, c);
    const Scalar *const line = input() + (in.line.load + in.others - in.line.load_index * unit);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const i64 p = in.line.load_index + half_complex_point(s, c.at, step.op != OP_DFT && j == 1) * A;
      const HalfComplexPoint<const Scalar> at(line, side.reversed, N, p, unit);
      const i64 further = (side.reversed ? -1 : 1) * (j * m) * A * unit;
      Value x = {T(0), T(0)};
      if (in.live && exists(s, c.at, j)) {
        x.x = widen(load_memory(at.up + further));
        // With point 0 comes N/2, which is real too: here, as behind the branch below it is a second wait for memory.
        MMAFFT_IF (all_load(s)) x.y = widen(load_memory(both_real(s, c, j) ? line + middle * unit : at.down - further));
        else if (!both_real(s, c, j)) x.y = widen(load_memory(at.down - further));
      }
      v[g * J + j] = x;
    }
  }
  MMAFFT_IF (IsAhead<Scalar>::value) return;
  // What the points are, of what memory has; every load of a thread was issued before, but that of point N/2
  // where lanes ask what is there.
  MMAFFT_CONST bool edge = side.first != 0 || side.last != 0;
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const InMemory in = in_memory<true>(s, c);
    if (!in.live) continue;
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      if (!exists(s, c.at, j)) continue;
      Value &x = v[g * J + j];
      const bool first = both_real(s, c, j);
      const T second = x.y;
      MMAFFT_IF (all_load(s)) {
        if (first) x.y = T(0);
      }
      if (side.conjugate) x.y = -x.y;
      MMAFFT_IF (edge) {
        if (first) x.x *= T(1.4142135623730950488);
      }
      x = weighted_part<true>(s, tables(), in.line.load_index, half_complex_point(s, c.at, step.op != OP_DFT && j == 1), j * m, x);
      MMAFFT_IF (all_load(s)) {
        if (first) x.y = weighted(side, tables(), i64(N / 2), Value{second, T(0)}).x;
      } else if (first) {
        const Value last = {T(widen(load_memory(input() + (in.line.load + in.others - in.line.load_index * unit + middle * unit)))), T(0)};
        x.y = weighted(side, tables(), i64(N / 2), last).x;
      }
    }
  }
}

// Points p and M-p, M = N/2, neither 0: reals p, N-p and M-p, M+p.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_half_complex_pair(S s, const Value *v, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST Reals side = config.store_reals;
  MMAFFT_CONST int n = int(step.points), lines = int(axis.store_index);
  MMAFFT_CONST i64 unit = axis.store_stride / axis.store_index, N = side.length, M = N / 2;
  const int whole = to_at(s, c.at, 0), second = c.at < n || whole < n ? 0 : 1;
  const Line line = line_of(0, tile, c.line, second, arguments.lines);
  if (!c.live || !line.live) return;
  // p = a + A*k of line a, of A.
  const int a = int(line.store_index), k = whole - second * n;
  const i64 p = i64(a) + i64(k) * lines;
  const T scale = this->scale();
  Value x = {scale * v[0].x, scale * v[0].y}, y = {scale * v[1].x, scale * v[1].y};
  x = weighted_part<false>(s, tables(), a, k, 0, x);
  y = weighted_part<false>(s, tables(), a == 0 ? 0 : lines - a, (a == 0 ? n : n - 1) - k, 0, y);
  Scalar *const first = static_cast<Scalar *>(arguments.store) + (line.store - line.store_index * unit);
  const HalfComplexPoint<Scalar> at(first, side.reversed, N, p, unit);
  MMAFFT_CONST i64 half = (side.reversed ? -M : M) * unit;
  store_real(at.up, x.x);
  store_real(at.down, side.conjugate ? -x.y : x.y);
  store_real(at.down - half, y.x);
  store_real(at.up + half, side.conjugate ? -y.y : y.y);
}

template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_half_complex(S s, const Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Reals side = config.store_reals;
  MMAFFT_CONST i64 A = config.axis[step.axis].store_index, unit = config.axis[step.axis].store_stride / A;
  MMAFFT_CONST int J = points(s), G = int(step.groups), N = int(side.length), m = step.op == OP_DFT ? int(step.points / step.radix) : 0;
  MMAFFT_CONST bool edge = side.first != 0 || side.last != 0;
  const T scale = this->scale();
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const InMemory in = in_memory<false>(s, c);
    if (!in.live) continue;
    Scalar *const line = static_cast<Scalar *>(arguments.store) + (in.line.store + in.others - in.line.store_index * unit);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      if (!exists(s, c.at, j)) continue;
      const i64 point = half_complex_point(s, c.at, step.op != OP_DFT && j == 1);
      const HalfComplexPoint<Scalar> at(line, side.reversed, N, in.line.store_index + point * A, unit);
      const i64 further = (side.reversed ? -1 : 1) * (j * m) * A * unit;
      Value x = {scale * v[g * J + j].x, scale * v[g * J + j].y};
      if (both_real(s, c, j)) {
        // Points 0 and N/2 are real.
        const Value last = weighted(side, tables(), i64(N / 2), Value{x.y, T(0)});
        store_real(line + (side.reversed ? N - 1 - N / 2 : N / 2) * unit, last.x);
        x = weighted(side, tables(), i64(0), Value{x.x, T(0)});
        MMAFFT_IF (edge) x.x *= T(0.70710678118654752440);
        store_real(at.up, x.x);
        continue;
      }
      x = weighted_part<false>(s, tables(), in.line.store_index, point, j * m, x);
      store_real(at.up + further, x.x);
      store_real(at.down - further, side.conjugate ? -x.y : x.y);
    }
  }
}

}  // namespace mmafft
