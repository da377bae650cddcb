// Between registers and memory, values that mirror each other: those of lines in mirrored pairs, and
// of columns that face each other. Members of `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// The values of columns that face each other, from reals that lie beside each other.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load_facing(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int R = int(step.radix);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g += 2) {
    const Column c = column(s, g);
    const InMemory in = in_memory<true>(s, c);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      const auto of = facing_points<true>(s, in.line, c, v + g * R, j);
      of.low = of.high = {T(0), T(0)};
      if (in.live) {
        const Scalar *const from = input() + (in.line.load - in.line.load_index + in.others);
        load_facing_reals<T>(config.load_reals, from, of.at, of.low, of.high);
      }
    }
  }
}
// What they are, of what memory has.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::finish_facing(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int R = int(step.radix);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g += 2) {
    const Column c = column(s, g);
    const InMemory in = in_memory<true>(s, c);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      const auto of = facing_points<true>(s, in.line, c, v + g * R, j);
      sign_facing_reals<T>(config.load_reals, of.low, of.high);
      // A line beyond the last has points that no table of weights has.
      if (!in.live) continue;
      of.low = weighted(config.load_reals, tables(), of.at, of.low);
      of.high = weighted(config.load_reals, tables(), of.facing, of.high);
    }
  }
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_facing(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int R = int(step.radix);
  const T scale = this->scale();
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g += 2) {
    const Column c = column(s, g);
    const InMemory in = in_memory<false>(s, c);
    if (!in.live) continue;
    Scalar *const to = static_cast<Scalar *>(arguments.store) + (in.line.store - in.line.store_index + in.others);
    MMAFFT_UNROLL for (int j = 0; j < R; j++) {
      const auto of = facing_points<false>(s, in.line, c, v + g * R, j);
      Value low = weighted(config.store_reals, tables(), of.at, Value{scale * of.low.x, scale * of.low.y});
      Value high = weighted(config.store_reals, tables(), of.facing, Value{scale * of.high.x, scale * of.high.y});
      sign_facing_reals<T>(config.store_reals, low, high);
      store_facing_reals<T>(config.store_reals, to, of.at, low, high);
    }
  }
}

// The two values of a column that merges lines in mirrored pairs.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load_pair(S s, Value *v, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST int n = int(step.points);
  MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
    const PairPlace place = pair_place(s, from_at(s, c.at, j), c.at, j);
    const int second = place.second, at = place.at;
    const Line line = line_of(0, tile, c.line, second, arguments.lines);
    v[j] = {T(0), T(0)};
    MMAFFT_IF (config.load_points == POINTS_COMPLEX && config.edges == 0) {
      // No point of the half spectrum is mirrored here.
      MMAFFT_CONST bool all = axis.load_begin == 0 && 2 * axis.load_end > step.hermitian;
      const i64 point = line.load_index + i64(at) * axis.load_index;
      if (c.live && line.live && (all || within(point, axis.load_begin, axis.load_end)))
        v[j] = load_complex(0, input(), line.load + along<true>(s, Place{at, 0}));
    } else if (c.live && line.live) v[j] = load_point(s, line, 0, {at, 0});
  }
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::finish_pair(S s, Value *v, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int n = int(step.points);
  MMAFFT_IF (config.load_points == POINTS_ORDERED) {
    MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
      const int whole = from_at(s, c.at, j), second = whole < n ? 0 : 1;
      const Line line = line_of(0, tile, c.line, second, arguments.lines);
      if (c.live && line.live) v[j] = finish_point(s, line, {whole - second * n, 0}, v[j]);
    }
  }
  if (c.live && both_real(s, c, 0)) {
    const Line line = line_of(0, tile, c.line, c.at == n ? 0 : 1, arguments.lines);
    const Place last = {n, 0};
    if (line.live) v[0].y = finish_point(s, line, last, load_point(s, line, 0, last)).x;
  }
  MMAFFT_IF (config.mirrored_row > 0) {
    // Points 0 and n of a row are the conjugates of the other's, were the spectrum Hermitian: what is
    // in both is taken, as of a row that mirrors itself the real part is.
    if (c.live && c.at == 0) {
      MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
        const Line line = line_of(0, tile, c.line, 1 - j, arguments.lines);
        if (!line.live) continue;
        const Value image = conjugate(load_complex(0, input(), line.load + along<true>(s, Place{j == 0 ? 0 : n, 0})));
        v[j] = {multiply_add(T(0.5), v[j].x, T(0.5) * image.x), multiply_add(T(0.5), v[j].y, T(0.5) * image.y)};
      }
    }
  }
}

// The two values of a column that splits lines in mirrored pairs, likewise.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_pair(S s, const Value *v, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int n = int(step.points);
  if (!c.live) return;
  MMAFFT_IF (half_complex_pairs(s)) {
    if (!both_real(s, c, 0)) {
      store_half_complex_pair(s, v, c);
      return;
    }
  }
  const T scale = this->scale();
  if (c.at < n) {
    MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
      const Line line = line_of(0, tile, c.line, j, arguments.lines);
      const int at = pair_place(s, 0, c.at, j).at;
      if (line.live) store_point(s, line, 0, {at, 0}, scale, v[j]);
      MMAFFT_IF (config.mirrored_row > 0) {
        // Points 0 and n of a row are the conjugates of the other's.
        const Line image = line_of(0, tile, c.line, 1 - j, arguments.lines);
        if (c.at == 0 && image.live) store_point(s, image, 0, {at, 0}, scale, conjugate(v[j]));
      }
    }
  } else {
    MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
      const int at = to_at(s, c.at, j), second = at < n ? 0 : 1;
      const Line line = line_of(0, tile, c.line, second, arguments.lines);
      if (!line.live) continue;
      const bool both = both_real(s, c, j);
      if (both) store_point(s, line, 0, {n, 0}, scale, Value{v[j].y, T(0)});
      store_point(s, line, 0, {at - second * n, 0}, scale, both ? Value{v[j].x, T(0)} : v[j]);
    }
  }
}

}  // namespace mmafft
