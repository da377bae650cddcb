// Load and store ops of the real family: which reals of memory a point of the line is made of,
// or becomes (src/real.rs says why). A point is its pair of reals, the second imaginary, or its
// conjugate, times the point's weight.
#pragma once
#include "tile.hpp"

namespace mmafft {

// A real's number in memory, or none; and whether its sign changes.
struct RealPlace {
  i64 index;
  bool there, negative;
};

// The index a = 2i+1 that is N² + 8q mod 8N, or its mirror image: N² is N·(N mod 8) there.
MMAFFT_DEVICE RealPlace residue(i64 length, i64 q) {
  i64 a = length * (length % 8) + 8 * q;
  if (a >= 8 * length) a -= 8 * length;
  if (a > 4 * length) a = 8 * length - a;
  const bool negative = a > 2 * length;
  if (negative) a = 4 * length - a;
  return {(a - 1) / 2, true, negative};
}

// Real number q of the ordered line.
MMAFFT_DEVICE RealPlace ordered(const Reals &side, i64 q) {
  const i64 n = side.length;
  RealPlace x = {q, true, false};
  if (side.order == ORDER_EVEN_ODD) x.index = 2 * q < n ? 2 * q : 2 * n - 1 - 2 * q;
  if (side.order == ORDER_EVEN) x.index = q < n ? q : 2 * n - 2 - q;
  if (side.order == ORDER_ODD) {
    x.negative = q > n + 1;
    x.index = q <= n ? q - 1 : q == n + 1 ? -1 : 2 * n + 1 - q;
  }
  if (side.order == ORDER_BEHIND) x.index = q - 1;
  if (side.order == ORDER_RESIDUES) x = residue(n, q);
  if (side.order == ORDER_RESIDUES_OVER_EIGHT) x = residue(n, i64(u64(q) * u64(side.eighth) % u64(n)));
  x.there = x.index >= 0 && x.index < n;
  if (side.reversed) x.index = n - 1 - x.index;
  if (side.alternating && x.index % 2 != 0) x.negative = !x.negative;
  return x;
}

// The reals of point p.
struct RealPair {
  RealPlace first, second;
};
MMAFFT_DEVICE RealPair reals_of(const Reals &side, i64 p) {
  const i64 n = side.length;
  i64 first = p, second = n - p;
  bool one = p == 0 || 2 * p == n, none = p >= side.points, negative = side.conjugate != 0;
  if (side.pairing == PAIRING_PAIRS) {
    first = 2 * p;
    second = 2 * p + 1;
    one = false;
  }
  if (side.pairing == PAIRING_ALONE) one = true;
  if (side.pairing == PAIRING_HALVES) none = none || 2 * p > n;
  if (side.pairing == PAIRING_MIRRORED && 2 * p > n) {
    first = n - p;
    second = p;
    negative = !negative;
  }
  if (side.pairing == PAIRING_ENDS) {
    first = 2 * p;
    second = n - 1 - 2 * p;
    one = false;
  }
  RealPair pair = {ordered(side, first), ordered(side, one ? first : second)};
  pair.first.there = pair.first.there && !none;
  pair.second.there = pair.second.there && !none && !one;
  pair.second.negative = pair.second.negative != negative;
  return pair;
}

// A real times its sign, and times `edge` where it is an edge of an orthogonal transform.
template <class T> MMAFFT_DEVICE T signed_real(const Reals &side, RealPlace place, T x, T edge) {
  if ((side.first != 0 && place.index == 0) || (side.last != 0 && place.index == side.length - 1)) x *= edge;
  return place.negative ? -x : x;
}

// Point n times its weight: from the table, or what all points are multiplied by, turn_re +
// i·turn_im, times √2 where asked.
template <class T> MMAFFT_DEVICE Pair<T> weighted(const Reals &side, const Pair<T> *tables, i64 n, Pair<T> x) {
  if (side.weights >= 0) {
    if (side.weights_low == 0) return multiply(x, load_table(tables + side.weights + n));
    const Pair<T> w = roots(tables, side.weights, side.weights_low, u64(n));
    if (side.weights_middle != 0 && 2 * n == side.length) return {T(side.weights_middle) * w.x * x.x, T(0)};
    return multiply(x, w);
  }
  if (side.turn_re == 1 && side.turn_im == 0) return x;
  const T re = T(side.turn_re), im = T(side.turn_im);
  Pair<T> y = {re * x.x - im * x.y, im * x.x + re * x.y};
  const T root = side.turn_root != 0 ? T(1.4142135623730950488) : T(1);
  return {root * y.x, root * y.y};
}

// Point n of a line whose real 0 lies at `base`, `unit` scalars from one to the next.
template <class T, class Scalar>
MMAFFT_DEVICE Pair<T> load_reals(const Reals &side, const Axis &axis, const Pair<T> *tables, const Scalar *from, i64 base,
                                 i64 unit, i64 n) {
  const RealPair pair = reals_of(side, n);
  const T edge = T(1.4142135623730950488);
  Pair<T> x = {T(0), T(0)};
  if (n >= side.points) return x;
  if (pair.first.there && pair.first.index >= axis.load_begin && pair.first.index < axis.load_end)
    x.x = signed_real(side, pair.first, T(widen(load_memory(from + (base + pair.first.index * unit)))), edge);
  if (pair.second.there && pair.second.index >= axis.load_begin && pair.second.index < axis.load_end)
    x.y = signed_real(side, pair.second, T(widen(load_memory(from + (base + pair.second.index * unit)))), edge);
  return weighted(side, tables, n, x);
}

// The reals that point n becomes.
template <class T, class Scalar>
MMAFFT_DEVICE void store_reals(const Reals &side, const Axis &axis, const Pair<T> *tables, Scalar *to, i64 base, i64 unit,
                               i64 n, Pair<T> x) {
  const RealPair pair = reals_of(side, n);
  const T edge = T(0.70710678118654752440);
  if (!pair.first.there && !pair.second.there) return;
  x = weighted(side, tables, n, x);
  Scalar y;
  if (pair.first.there && pair.first.index >= axis.store_begin && pair.first.index < axis.store_end) {
    narrow(signed_real(side, pair.first, x.x, edge), y);
    store_memory(to + (base + pair.first.index * unit), y);
  }
  if (pair.second.there && pair.second.index >= axis.store_begin && pair.second.index < axis.store_end) {
    narrow(signed_real(side, pair.second, x.y, edge), y);
    store_memory(to + (base + pair.second.index * unit), y);
  }
}

}  // namespace mmafft
