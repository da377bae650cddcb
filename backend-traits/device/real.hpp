// Load and store ops of the real family: which reals of memory a point of the line is made of,
// or becomes (src/real.rs says why). A point is its pair of reals, the second imaginary, or its
// conjugate, times the point's weight.
#pragma once
#include "tile.hpp"

namespace mmafft {

// A number that is the sum of the thread's own part and a constant, between two constants. What its bounds decide is decided
// when compiling, and of addresses the constant part is one too: of all values of a column there are few addresses.
template <class I> struct Number {
  I own, further;
  i64 least, most;
  MMAFFT_DEVICE I at() const { return own + further; }
};
// One of which nothing is known.
template <class I> MMAFFT_DEVICE Number<I> some_number(I n) { return {n, 0, 0, i64(1) << 40}; }
// a + b*n, b not 0.
template <class I> MMAFFT_DEVICE Number<I> linear(I a, int b, const Number<I> &n) {
  const i64 first = i64(a) + b * n.least, last = i64(a) + b * n.most;
  return {I(b) * n.own, a + I(b) * n.further, b > 0 ? first : last, b > 0 ? last : first};
}
template <class I> MMAFFT_DEVICE bool is_below(const Number<I> &n, i64 bound) {
  if (n.most < bound) return true;
  return n.least < bound && n.at() < I(bound);
}
template <class I> MMAFFT_DEVICE bool is_equal(const Number<I> &n, i64 value) {
  return n.least <= value && value <= n.most && n.at() == I(value);
}
// Which of two it is, as n is below a bound or not.
template <class I> MMAFFT_DEVICE Number<I> either(const Number<I> &n, i64 bound, const Number<I> &low, const Number<I> &high) {
  if (n.most < bound) return low;
  if (n.least >= bound) return high;
  const i64 least = low.least < high.least ? low.least : high.least, most = low.most < high.most ? high.most : low.most;
  return {n.at() < I(bound) ? low.at() : high.at(), 0, least, most};
}

// A real's number in memory, or none; and whether its sign changes.
template <class I> struct RealPlace {
  Number<I> index;
  bool there, negative;
};

// A number from 0 on and below twice the bound, modulo the bound. Compilers make branches of `either`, and none of this.
template <class I> MMAFFT_DEVICE Number<I> wrapped(const Number<I> &n, I bound) {
  if (n.most < bound) return n;
  if (n.least >= bound) return linear<I>(-bound, 1, n);
  const I less = n.at() - bound;
  return {less < 0 ? less + bound : less, 0, 0, bound - 1};
}
// A place of a line that its mirror image continues, in the line itself, which ends before `bound`.
template <class I> MMAFFT_DEVICE Number<I> reflected(const Number<I> &n, I bound) {
  const Number<I> image = linear<I>(2 * bound - 1, -1, n);
  if (n.most < bound) return n;
  if (n.least >= bound) return image;
  return {n.at() < image.at() ? n.at() : image.at(), 0, 0, bound - 1};
}

// The index i whose a = 2i+1 is N² + 8q mod 8N, or its mirror image: N² is N·(N mod 8) there. So i is 4q and a constant
// further, of a line that goes up and down twice in 4N, the second time with other signs. Of reals that are there both parts
// of q are from 0 on and below N.
template <class I> MMAFFT_DEVICE RealPlace<I> residue(I length, const Number<I> &q) {
  const I all = 4 * length, first = (length * (length % 8) - 1) / 2, further = (4 * q.further + first) % all;
  const i64 change = i64(further) - 4 * i64(q.further);
  const Number<I> up = {4 * q.own, further, 4 * q.least + change, 4 * q.most + change};
  const Number<I> twice = reflected(wrapped(up, all), I(2 * length));
  return {reflected(twice, length), true, !is_below(twice, length)};
}

// q/8 modulo an odd N, whose square is 1 modulo 8: q and the multiple of N that make a multiple of 8.
template <class I> MMAFFT_DEVICE I over_eight(I length, I q) {
  return (q + length * (-((q & 7) * (length & 7)) & 7)) >> 3;
}

// Real number q of the ordered line. What an order cannot leave is not checked.
template <class I> MMAFFT_DEVICE RealPlace<I> ordered(const Reals &side, const Number<I> &q) {
  const I n = I(side.length);
  RealPlace<I> x = {q, true, false};
  if (side.order == ORDER_NATURAL) x.there = side.points <= n || is_below(q, n);
  if (side.order == ORDER_EVEN_ODD) x.index = either(q, (n + 1) / 2, linear<I>(0, 2, q), linear<I>(2 * n - 1, -2, q));
  if (side.order == ORDER_EVEN) x.index = either(q, n, q, linear<I>(2 * n - 2, -1, q));
  if (side.order == ORDER_ODD) {
    x.negative = !is_below(q, n + 2);
    x.index = either(q, n + 1, linear<I>(-1, 1, q), linear<I>(2 * n + 1, -1, q));
    x.there = !is_equal(q, 0) && !is_equal(q, n + 1);
  }
  if (side.order == ORDER_BEHIND) {
    x.index = linear<I>(-1, 1, q);
    x.there = !is_equal(q, 0) && is_below(q, n + 1);
  }
  if (side.order == ORDER_RESIDUES) x = residue<I>(n, q);
  if (side.order == ORDER_RESIDUES_OVER_EIGHT) x = residue<I>(n, some_number<I>(over_eight<I>(n, q.at())));
  if (side.reversed) x.index = linear<I>(n - 1, -1, x.index);
  if (side.alternating && x.index.at() % 2 != 0) x.negative = !x.negative;
  return x;
}

// Where shared memory has two reals.
struct PairPlaces {
  int first, second;
};

// The reals of point p.
template <class I> struct RealPair {
  RealPlace<I> first, second;
};
template <class I> MMAFFT_DEVICE RealPair<I> reals_of(const Reals &side, const Number<I> &p) {
  const I n = I(side.length), middle = n / 2 + 1;
  const bool facing = side.pairing == PAIRING_HALVES || side.pairing == PAIRING_MIRRORED || side.pairing == PAIRING_AROUND;
  Number<I> first = p, second = linear<I>(n, -1, p);
  bool one = facing && (is_equal(p, 0) || (n % 2 == 0 && is_equal(p, n / 2))), none = false, negative = side.conjugate != 0;
  if (side.pairing == PAIRING_PAIRS) {
    first = linear<I>(0, 2, p);
    second = linear<I>(1, 2, p);
  }
  if (side.pairing == PAIRING_ALONE) one = true;
  if (side.pairing == PAIRING_HALVES) none = !is_below(p, middle);
  if (side.pairing == PAIRING_MIRRORED) {
    first = either(p, middle, p, linear<I>(n, -1, p));
    second = either(p, middle, linear<I>(n, -1, p), p);
    if (!is_below(p, middle)) negative = !negative;
  }
  if (side.pairing == PAIRING_ENDS) {
    first = linear<I>(0, 2, p);
    second = linear<I>(n - 1, -2, p);
  }
  if (side.apart > 0) {
    second = linear<I>(I(side.apart), 1, p);
    one = false;
  }
  // Of a single real the second one is not there, wherever it were.
  RealPair<I> pair = {ordered<I>(side, first), ordered<I>(side, second)};
  pair.first.there = pair.first.there && !none;
  pair.second.there = pair.second.there && !none && !one;
  pair.second.negative = pair.second.negative != negative;
  return pair;
}

// Those of the side that shared memory has, which a step names (`Step::reals_in`, `reals_out`).
template <class N> MMAFFT_DEVICE constexpr Reals reals_on_chip(N number) {
  return number == REALS_LOADED ? config.load_reals : number == REALS_STORED ? config.store_reals : config.between[number - REALS_BETWEEN];
}

// Whether the real is there and within a range, which may be the whole line.
template <class I> MMAFFT_DEVICE bool within(const Reals &side, const RealPlace<I> &x, i64 begin, i64 end) {
  return x.there && (begin <= 0 || !is_below(x.index, begin)) && (end >= side.length || is_below(x.index, end));
}

// A real times its sign, and times `edge` where it is an edge of an orthogonal transform.
template <class T, class I> MMAFFT_DEVICE T signed_real(const Reals &side, const RealPlace<I> &place, T x, T edge) {
  if ((side.first != 0 && is_equal(place.index, 0)) || (side.last != 0 && is_equal(place.index, side.length - 1))) x *= edge;
  return place.negative ? -x : x;
}

// Point n times its weight: from the table, or what all points are multiplied by, turn_re +
// i·turn_im, times √2 where asked.
template <class T, class I> MMAFFT_DEVICE Pair<T> weighted(const Reals &side, const Pair<T> *tables, const Number<I> &n, Pair<T> x) {
  if (side.weights >= 0) {
    const Pair<T> *const table = tables + side.weights;
    if (side.weights_low == 0) return multiply(x, load_table(table + n.own + n.further));
    // As `roots`; of points a multiple of the lower level's entries apart that one is the same, and the other a constant
    // further.
    const I bits = I(side.weights_low), entries = I(1) << bits, rest = n.further & (entries - 1), own = n.own + rest;
    const Pair<T> low = load_table(table + (own & (entries - 1)));
    const Pair<T> high = load_table(table + entries + (own >> bits) + ((n.further - rest) >> bits));
    const Pair<T> w = multiply(low, high);
    if (side.weights_middle != 0 && side.length % 2 == 0 && is_equal(n, side.length / 2)) return {T(side.weights_middle) * w.x * x.x, T(0)};
    return multiply(x, w);
  }
  if (side.turn_re == 1 && side.turn_im == 0) return x;
  const T re = T(side.turn_re), im = T(side.turn_im);
  Pair<T> y = {re * x.x - im * x.y, im * x.x + re * x.y};
  const T root = side.turn_root != 0 ? T(1.4142135623730950488) : T(1);
  return {root * y.x, root * y.y};
}
template <class T> MMAFFT_DEVICE Pair<T> weighted(const Reals &side, const Pair<T> *tables, i64 n, Pair<T> x) {
  return weighted(side, tables, some_number<i64>(n), x);
}

// Real `index` of a line whose real 0 lies at `line`.
template <class Scalar, class I> MMAFFT_DEVICE Scalar *real_at(Scalar *line, const Number<I> &index, i64 unit) {
  return line + index.own * unit + index.further * unit;
}

// The reals of point n of a line whose real 0 lies at `from`, `unit` scalars from one to the next. Of
// points that may lie `beyond` the line some are none.
template <class T, class I, class Scalar>
MMAFFT_DEVICE Pair<T> load_reals(const Reals &side, const Axis &axis, const Scalar *from, i64 unit, bool beyond, const Number<I> &n) {
  Pair<T> x = {T(0), T(0)};
  if (beyond && !is_below(n, side.points)) return x;
  const RealPair<I> pair = reals_of<I>(side, n);
  if (within(side, pair.first, axis.load_begin, axis.load_end)) x.x = T(widen(load_memory(real_at(from, pair.first.index, unit))));
  if (within(side, pair.second, axis.load_begin, axis.load_end)) x.y = T(widen(load_memory(real_at(from, pair.second.index, unit))));
  return x;
}
// The point that they make.
template <class T, class I>
MMAFFT_DEVICE Pair<T> point_of_reals(const Reals &side, const Pair<T> *tables, bool beyond, const Number<I> &n, Pair<T> x) {
  const T edge = T(1.4142135623730950488);
  if (beyond && !is_below(n, side.points)) return x;
  const RealPair<I> pair = reals_of<I>(side, n);
  return weighted(side, tables, n, Pair<T>{signed_real(side, pair.first, x.x, edge), signed_real(side, pair.second, x.y, edge)});
}

// The reals that point n becomes.
template <class T, class I, class Scalar>
MMAFFT_DEVICE void store_point_reals(const Reals &side, const Axis &axis, const Pair<T> *tables, Scalar *to, i64 unit,
                                     bool beyond, Number<I> n, Pair<T> x) {
  const T edge = T(0.70710678118654752440);
  if (beyond && !is_below(n, side.points)) return;
  if (side.columns > 0 && !is_below(n, side.points / 2 + 1)) {
    // The conjugate of its mirror image, which no other row has.
    const I columns = I(side.columns), row = (n.further % columns == 0 ? n.own : n.at()) % columns;
    if (row == 0 || 2 * row == columns) return;
    n = linear<I>(I(side.points), -1, n);
    x.y = -x.y;
  }
  const RealPair<I> pair = reals_of<I>(side, n);
  x = weighted(side, tables, n, x);
  Scalar y;
  if (within(side, pair.first, axis.store_begin, axis.store_end)) {
    narrow(signed_real(side, pair.first, x.x, edge), y);
    store_memory(real_at(to, pair.first.index, unit), y);
  }
  if (within(side, pair.second, axis.store_begin, axis.store_end)) {
    narrow(signed_real(side, pair.second, x.y, edge), y);
    store_memory(real_at(to, pair.second.index, unit), y);
  }
}

// The reals that a value becomes: of one point, or of two that are real, or imaginary where that is what
// their weight makes real.
template <class T, class I, class Scalar>
MMAFFT_DEVICE void store_reals(const Reals &side, const Axis &axis, const Pair<T> *tables, Scalar *to, i64 unit, bool beyond,
                               const Number<I> &n, Pair<T> x) {
  if (side.apart == 0) {
    store_point_reals(side, axis, tables, to, unit, beyond, n, x);
    return;
  }
  Reals alone = side;
  alone.apart = 0;
  // A weight of i is for imaginary points.
  const bool imaginary = side.turn_re == 0 && side.turn_im == 1;
  const auto point = [&](T y) { return imaginary ? Pair<T>{T(0), -y} : Pair<T>{y, T(0)}; };
  store_point_reals(alone, axis, tables, to, unit, beyond, n, point(x.x));
  store_point_reals(alone, axis, tables, to, unit, beyond, linear<I>(I(side.apart), 1, n), point(x.y));
}

// Points q and n-1-q of a line of n points, two reals each, whose four reals lie in a row from 4q on
// (the even-odd order), or two from 2q on and two before 2n-2q (one from each end). Of values of two reals
// apart, q is the first one, and their reals are two from 2q on and two from there as far as they are apart.
template <class T, class I, class Scalar>
MMAFFT_DEVICE void load_facing_reals(const Reals &side, const Scalar *line, const Number<I> &q, Pair<T> &low, Pair<T> &high) {
  Pair<Scalar> a, b;
  if (side.order == ORDER_EVEN_ODD) {
    const Scalar *const from = line + (side.apart > 0 ? 2 : 4) * q.own + (side.apart > 0 ? 2 : 4) * q.further;
    if (side.apart > 0) {
      a = load_memory(reinterpret_cast<const Pair<Scalar> *>(from));
      b = load_memory(reinterpret_cast<const Pair<Scalar> *>(from + 2 * I(side.apart)));
    } else MMAFFT_IF (sizeof(Scalar) < 8) {
      const Neighbours<Scalar, 2> x = load_memory(reinterpret_cast<const Neighbours<Scalar, 2> *>(from));
      a = x.at[0];
      b = x.at[1];
    } else {
      a = load_memory(reinterpret_cast<const Pair<Scalar> *>(from));
      b = load_memory(reinterpret_cast<const Pair<Scalar> *>(from + 2));
    }
    low = {T(widen(a.x)), T(widen(b.x))};
    high = {T(widen(b.y)), T(widen(a.y))};
  } else {
    a = load_memory(reinterpret_cast<const Pair<Scalar> *>(line + 2 * q.own + 2 * q.further));
    b = load_memory(reinterpret_cast<const Pair<Scalar> *>(line + (I(side.length) - 2 - 2 * q.own) - 2 * q.further));
    if (side.reversed) {
      low = {T(widen(b.y)), T(widen(a.x))};
      high = {T(widen(a.y)), T(widen(b.x))};
    } else {
      low = {T(widen(a.x)), T(widen(b.y))};
      high = {T(widen(b.x)), T(widen(a.y))};
    }
  }
}
template <class T, class I, class Scalar>
MMAFFT_DEVICE void store_facing_reals(const Reals &side, Scalar *line, const Number<I> &q, const Pair<T> &low, const Pair<T> &high) {
  Neighbours<Scalar, 2> x;
  if (side.order == ORDER_EVEN_ODD) {
    narrow(low.x, x.at[0].x);
    narrow(high.y, x.at[0].y);
    narrow(low.y, x.at[1].x);
    narrow(high.x, x.at[1].y);
    Scalar *const to = line + (side.apart > 0 ? 2 : 4) * q.own + (side.apart > 0 ? 2 : 4) * q.further;
    if (side.apart > 0) {
      store_memory(reinterpret_cast<Pair<Scalar> *>(to), x.at[0]);
      store_memory(reinterpret_cast<Pair<Scalar> *>(to + 2 * I(side.apart)), x.at[1]);
    } else MMAFFT_IF (sizeof(Scalar) < 8) store_memory(reinterpret_cast<Neighbours<Scalar, 2> *>(to), x);
    else {
      store_memory(reinterpret_cast<Pair<Scalar> *>(to), x.at[0]);
      store_memory(reinterpret_cast<Pair<Scalar> *>(to + 2), x.at[1]);
    }
  } else {
    const bool reversed = side.reversed != 0;
    narrow(reversed ? low.y : low.x, x.at[0].x);
    narrow(reversed ? high.x : high.y, x.at[0].y);
    narrow(reversed ? high.y : high.x, x.at[1].x);
    narrow(reversed ? low.x : low.y, x.at[1].y);
    store_memory(reinterpret_cast<Pair<Scalar> *>(line + 2 * q.own + 2 * q.further), x.at[0]);
    store_memory(reinterpret_cast<Pair<Scalar> *>(line + (I(side.length) - 2 - 2 * q.own) - 2 * q.further), x.at[1]);
  }
}

// Their signs: those of odd reals in memory, and of conjugates.
template <class T> MMAFFT_DEVICE void sign_facing_reals(const Reals &side, Pair<T> &low, Pair<T> &high) {
  if (side.alternating) {
    if (side.order == ORDER_EVEN_ODD) high = {-high.x, -high.y};
    else if (side.reversed) {
      low.x = -low.x;
      high.x = -high.x;
    } else {
      low.y = -low.y;
      high.y = -high.y;
    }
  }
  if (side.conjugate) {
    low.y = -low.y;
    high.y = -high.y;
  }
}

}  // namespace mmafft
