// Between registers and memory: the first step's values, and the last one's; points and ranges. factors.hpp
// has what they are multiplied by there, pairs.hpp those of values that mirror each other. Members of
// `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

template <class Scalar> template <class W>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::load_complex(W, const Scalar *from, i64 at) const {
  MMAFFT_IF (config.load_vector) {
    const Pair<Scalar> x = load_memory(reinterpret_cast<const Pair<Scalar> *>(from + at));
    return {widen(x.x), widen(x.y)};
  } else {
    const Scalar x = load_memory(from + at), y = load_memory(from + at + config.load_imaginary);
    return {widen(x), widen(y)};
  }
}

// Point `at` of the axis, as memory has it. What is to be done with it comes after all loads of a
// thread (`finish_point`): it would wait for each before the next.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::load_point(S s, const Line &line, i64 others, Place at) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_IF (config.load_points == POINTS_ORDERED) {
    MMAFFT_CONST i64 unit = axis.load_stride / axis.load_index;
    MMAFFT_CONST bool beyond = axis.load_index != 1 || step.input > config.load_reals.points;
    const Scalar *const from = input() + (line.load - line.load_index * unit + others);
    return load_reals<T>(config.load_reals, axis, from, unit, beyond, real_point<true>(s, line, at));
  }
  i64 n = line.load_index + i64(at.first) * axis.load_index + i64(at.further) * axis.load_index;
  Value x = {T(0), T(0)};
  MMAFFT_IF (step.hermitian != 0) {
    // Point n of the whole line from the half spectrum, whose addresses do not follow the
    // part's strides but the line's own.
    MMAFFT_CONST i64 length = step.hermitian, unit = axis.load_stride / axis.load_index;
    // Of a packed line no point is mirrored, which compilers do not see.
    MMAFFT_CONST bool packed = axis.load_run != 0 && 2 * step.points <= length;
    if (!packed && !is_below(point_of_line<i64>(line.load_index, axis.load_index, axis.load_index, at), length / 2 + 1)) n = length - n;
    // A part of a line that is padded goes on beyond the whole one.
    if (n < 0 || !within(n, axis.load_begin, axis.load_end)) return x;
    MMAFFT_IF (config.edges > 0) {
      const Scalar *edges = static_cast<const Scalar *>(arguments.extra) + 2 * line.edge;
      if (n == 0 || 2 * n == length) {
        x.x = widen(load_memory(edges + (n == 0 ? 0 : 2)));
        return x;
      }
      n -= 1;
    }
    // In runs lie whole lines alone.
    MMAFFT_IF (axis.load_run != 0) return load_complex(0, input(), line.load + others + (packed ? along<true>(s, at) : along_axis<true>(axis, u32(n))));
    return load_complex(0, input(), line.load - line.load_index * unit + others + n * unit);
  } else {
    const i64 address = line.load + others + along<true>(s, at);
    MMAFFT_IF (config.load_points == POINTS_PAIRS) {
      const bool first = within(2 * n, axis.load_begin, axis.load_end);
      const bool second = within(2 * n + 1, axis.load_begin, axis.load_end);
      if (first && second) return load_complex(0, input(), address);
      if (first) x.x = widen(load_memory(input() + address));
      if (second) x.y = widen(load_memory(input() + address + config.load_imaginary));
      return x;
    } else {
      if (!within(n, axis.load_begin, axis.load_end)) return x;
      MMAFFT_IF (config.load_points == POINTS_REAL) x.x = widen(load_memory(input() + address));
      else x = load_complex(0, input(), address);
      return x;
    }
  }
}

// What point `at` is, of what memory has.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::finish_point(S s, const Line &line, Place at, Value x) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_IF (config.load_points == POINTS_ORDERED) {
    MMAFFT_CONST bool beyond = axis.load_index != 1 || step.input > config.load_reals.points;
    return point_of_reals<T>(config.load_reals, tables(), beyond, real_point<true>(s, line, at), x);
  }
  MMAFFT_IF (step.hermitian != 0) {
    MMAFFT_CONST i64 length = step.hermitian;
    const Number<i64> n = point_of_line<i64>(line.load_index, axis.load_index, axis.load_index, at);
    if (!is_below(n, length / 2 + 1)) x = conjugate(x);
    if (is_equal(n, 0) || is_equal(n, length) || (length % 2 == 0 && is_equal(n, length / 2))) x.y = T(0);
  }
  return x;
}

// The values of a column and of the N - 1 that follow it, whose points lie beside each other.
template <class Scalar> template <int N, class S>
MMAFFT_DEVICE void Pass<Scalar>::load_neighbours(S s, const InMemory &in, const Column &c, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST int J = points(s);
  MMAFFT_UNROLL for (int j = 0; j < J; j++) {
    const Place at = place_from(s, c, j);
    const i64 n = in.line.load_index + i64(at.at()) * axis.load_index;
    const Scalar *const from = input() + in.line.load + in.others + along<true>(s, at);
    Neighbours<Scalar, N> x = {};
    if (in.live && exists(s, c.at, point(s, j)) && given_at(s, at.at()) && within(n, axis.load_begin, axis.load_end))
      x = load_memory(reinterpret_cast<const Neighbours<Scalar, N> *>(from));
    MMAFFT_UNROLL for (int i = 0; i < N; i++) v[i * J + j] = {widen(x.at[i].x), widen(x.at[i].y)};
  }
}

// Those of a column and of the N - 1 before it, likewise.
template <class Scalar> template <int N, class S>
MMAFFT_DEVICE void Pass<Scalar>::store_neighbours(S s, const InMemory &in, const Column &c, const Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_CONST int J = points(s);
  MMAFFT_UNROLL for (int j = 0; j < J; j++) {
    const Place at = place_to(s, c, j);
    const i64 n = in.line.store_index + i64(at.at()) * axis.store_index;
    Scalar *const to = static_cast<Scalar *>(arguments.store) + in.line.store + in.others + along<false>(s, at);
    Neighbours<Scalar, N> x;
    MMAFFT_UNROLL for (int i = 0; i < N; i++) {
      const Value &y = v[(i - (N - 1)) * J + j];
      narrow(y.x * scale(), x.at[i].x);
      narrow(y.y * scale(), x.at[i].y);
    }
    if (in.live && exists(s, c.at, point(s, j)) && kept_at(s, at.at()) && within(n, axis.store_begin, axis.store_end))
      store_memory(reinterpret_cast<Neighbours<Scalar, N> *>(to - 2 * (N - 1)), x);
  }
}

template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_point(S s, const Line &line, i64 others, Place at, T scale, Value x) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis axis = config.axis[step.axis];
  MMAFFT_IF (config.store_points == POINTS_ORDERED) {
    MMAFFT_CONST i64 unit = axis.store_stride / axis.store_index;
    MMAFFT_CONST bool beyond = axis.store_index != 1 || step.output > config.store_reals.points;
    x = {x.x * scale, x.y * scale};
    Scalar *const to = static_cast<Scalar *>(arguments.store) + (line.store - line.store_index * unit + others);
    store_reals<T>(config.store_reals, axis, tables(), to, unit, beyond, real_point<false>(s, line, at), x);
    return;
  }
  const i64 n = line.store_index + i64(at.first) * axis.store_index + i64(at.further) * axis.store_index;
  // Points in runs are constants apart where they are whole ones.
  MMAFFT_CONST bool constants = axis.store_run == 0 || whole_runs<false>(s);
  const Place first_place = {constants ? at.first : at.at(), 0}, further = {0, constants ? at.further : 0};
  i64 base = line.store + others + along<false>(s, first_place);
  MMAFFT_IF (one_address(s) || step.op != OP_DFT) base = opaque(base);
  Scalar *to = static_cast<Scalar *>(arguments.store) + (base + along<false>(s, further));
  x = {x.x * scale, x.y * scale};
  Pair<Scalar> y;
  narrow(x.x, y.x);
  narrow(x.y, y.y);
  bool first, second;
  MMAFFT_IF (config.store_points == POINTS_PAIRS) {
    first = within(2 * n, axis.store_begin, axis.store_end);
    second = within(2 * n + 1, axis.store_begin, axis.store_end);
  } else {
    first = within(n, axis.store_begin, axis.store_end);
    second = first && config.store_points == POINTS_COMPLEX;
  }
  MMAFFT_IF (config.store_vector) {
    if (first && second) {
      // Points of fragments are the ones that NVRTC stored in halves: 2^21 of split-f16 took 2333 µs a GiB so on an H200, and
      // 1931 since; and points that lie far apart in clusters of lines beside each other, and half spectra of lines in runs.
      // Of others it costs a move each.
      MMAFFT_CONST bool apart = (config.blocks > 1 && !near(s)) || (splits(s) && lines_in_runs(s));
      MMAFFT_IF (step.engine == ENGINE_MATRIX || joined(s) || apart) store_as_one(reinterpret_cast<Pair<Scalar> *>(to), y);
      else store_memory(reinterpret_cast<Pair<Scalar> *>(to), y);
      return;
    }
  }
  if (first) store_memory(to, y.x);
  if (second) store_memory(to + config.store_imaginary, y.y);
}

// The points of a copy whose lines lie in a row in memory (`Step::in_row`): which one a thread has is
// their distance from the tile's first, so that addresses are one and constants.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load_row(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int G = int(step.groups), N = int(step.neighbours), apart = int(config.threads);
  MMAFFT_ASSUME(u32(thread) < u32(config.threads));
  MMAFFT_CONST int all = int(config.lines * step.columns);
  const int first = thread * N, there = there_in_row(s);
  const Scalar *from = input() + row_of_tile(s) + i64(first) * 2;
  // Of a whole tile there is nothing to ask.
  const auto points = [&](int there) {
    MMAFFT_UNROLL for (int g = 0; g < G; g += N) {
      const bool live = first + g * apart < there;
      MMAFFT_IF (N == 1) load_together<1>(from + i64(g) * apart * 2, live, v + g);
      MMAFFT_IF (N == 2) load_together<2>(from + i64(g) * apart * 2, live, v + g);
      MMAFFT_IF (N == 4) load_together<4>(from + i64(g) * apart * 2, live, v + g);
    }
  };
  if (there == all) points(all);
  else points(there);
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store_row(S s, const Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int G = int(step.groups), N = int(step.neighbours), apart = int(config.threads);
  MMAFFT_ASSUME(u32(thread) < u32(config.threads));
  MMAFFT_CONST int all = int(config.lines * step.columns);
  const int first = thread * N, there = there_in_row(s);
  // One conversion, ahead of all branches.
  const T scale = this->scale();
  Scalar *to = static_cast<Scalar *>(arguments.store) + row_of_tile(s) + i64(first) * 2;
  const auto points = [&](int there) {
    MMAFFT_UNROLL for (int g = 0; g < G; g += N) {
      if (first + g * apart >= there) continue;
      MMAFFT_IF (N == 1) store_together<1>(to + i64(g) * apart * 2, scale, v + g);
      MMAFFT_IF (N == 2) store_together<2>(to + i64(g) * apart * 2, scale, v + g);
      MMAFFT_IF (N == 4) store_together<4>(to + i64(g) * apart * 2, scale, v + g);
    }
  };
  if (there == all) points(all);
  else points(there);
}

// Points that lie beside each other, by one access.
template <class Scalar> template <int N>
MMAFFT_DEVICE void Pass<Scalar>::load_together(const Scalar *from, bool live, Value *v) {
  Neighbours<Scalar, N> x = {};
  if (live) x = load_memory(reinterpret_cast<const Neighbours<Scalar, N> *>(from));
  MMAFFT_UNROLL for (int i = 0; i < N; i++) v[i] = {widen(x.at[i].x), widen(x.at[i].y)};
}
template <class Scalar> template <int N>
MMAFFT_DEVICE void Pass<Scalar>::store_together(Scalar *to, T scale, const Value *v) {
  Neighbours<Scalar, N> x;
  MMAFFT_UNROLL for (int i = 0; i < N; i++) {
    narrow(v[i].x * scale, x.at[i].x);
    narrow(v[i].y * scale, x.at[i].y);
  }
  store_memory(reinterpret_cast<Neighbours<Scalar, N> *>(to), x);
}

// v = the first step's values, from memory. Every load of a thread is issued before the first
// is used.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::load(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups);
  MMAFFT_IF (step.facing == FACING_LOAD) {
    load_facing(s, v);
    MMAFFT_IF (!IsAhead<Scalar>::value) finish_facing(s, v);
    return;
  }
  MMAFFT_IF (step.in_row) {
    load_row(s, v);
    return;
  }
  MMAFFT_IF (symmetric<true>(s)) {
    load_symmetric(s, v);
    MMAFFT_IF (!IsAhead<Scalar>::value) finish_symmetric(s, v);
    return;
  }
  MMAFFT_IF (half_complex<true>(s)) {
    load_half_complex(s, v);
    return;
  }
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    MMAFFT_IF (paired(s)) {
      load_pair(s, v + g * J, c);
      continue;
    }
    const InMemory in = in_memory<true>(s, c);
    MMAFFT_IF (config.load_vector > 1) {
      if (g % int(config.load_vector) == 0) {
        MMAFFT_IF (config.load_vector == 2) load_neighbours<2>(s, in, c, v + g * J);
        MMAFFT_IF (config.load_vector == 4) load_neighbours<4>(s, in, c, v + g * J);
      }
    } else {
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const Place at = place_from(s, c, j);
        Value x = {T(0), T(0)};
        if (in.live && exists(s, c.at, point(s, j)) && given_at(s, at.at())) x = load_point(s, in.line, in.others, at);
        v[g * J + j] = x;
      }
    }
  }
  MMAFFT_CONST bool factors = step.before != FACTOR_NONE || step.before_roots >= 0;
  MMAFFT_CONST bool made_of = config.load_points == POINTS_ORDERED || step.hermitian != 0;
  MMAFFT_IF (!IsAhead<Scalar>::value && (factors || made_of || merges(s))) {
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column(s, g);
      MMAFFT_IF (paired(s)) {
        finish_pair(s, v + g * J, c);
        continue;
      }
      const InMemory in = in_memory<true>(s, c);
      if (!in.live) continue;
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const Place at = place_from(s, c, j);
        Value &x = v[g * J + j];
        MMAFFT_IF (made_of) {
          if (exists(s, c.at, point(s, j)) && given_at(s, at.at())) x = finish_point(s, in.line, at, x);
        }
        MMAFFT_IF (merges(s)) {
          const Place last = {int(step.points), 0};
          if (both_real(s, c, j)) x.y = finish_point(s, in.line, last, load_point(s, in.line, in.others, last)).x;
        }
      }
      MMAFFT_IF (factors) factored<true>(s, v + g * J, in.line, c);
    }
  }
}

// The last step's values, to memory.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::store(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups);
  MMAFFT_IF (step.facing == FACING_STORE) {
    store_facing(s, v);
    return;
  }
  MMAFFT_IF (step.in_row) {
    store_row(s, v);
    return;
  }
  MMAFFT_IF (symmetric<false>(s)) {
    store_symmetric(s, v);
    return;
  }
  MMAFFT_IF (half_complex<false>(s)) {
    store_half_complex(s, v);
    return;
  }
  // Fragments have few points of many columns, and a group's roots would wait behind the branch around the one
  // before: all are looked up first, of lines that are not there those of line 0.
  MMAFFT_CONST bool ahead = step.after_roots >= 0 && step.after == FACTOR_NONE && (step.engine == ENGINE_MATRIX || joined(s));
  MMAFFT_IF (ahead) {
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      Column c = column(s, g);
      InMemory in = in_memory<false>(s, c);
      in.line.roots = in.live ? in.line.roots : 0;
      // Of a line that a cluster has, those that are not there are of its first points.
      MMAFFT_IF (config.blocks > 1) c.outer = in.live ? c.outer : 0;
      four_step<false>(s, v + g * J, step.after_roots, in.line, c);
    }
  }
  // Around single reals there are branches: one conversion ahead of them all. Of complex points it would hold a register.
  MMAFFT_CONST bool reals = config.store_points == POINTS_ORDERED;
  const T ahead_of_all = reals ? this->scale() : T(1);
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    MMAFFT_IF (paired(s)) {
      store_pair(s, v + g * J, c);
      continue;
    }
    const InMemory in = in_memory<false>(s, c);
    MMAFFT_IF (!ahead && (step.after != FACTOR_NONE || step.after_roots >= 0)) {
      if (in.live) factored<false>(s, v + g * J, in.line, c);
    }
    MMAFFT_IF (config.store_vector > 1) {
      if ((g + 1) % int(config.store_vector) == 0) {
        MMAFFT_IF (config.store_vector == 2) store_neighbours<2>(s, in, c, v + g * J);
        MMAFFT_IF (config.store_vector == 4) store_neighbours<4>(s, in, c, v + g * J);
      }
    } else {
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const Place at = place_to(s, c, j);
        if (in.live && made(s, c.at, point(s, j)) && kept_at(s, at.at())) {
          const T scale = reals ? ahead_of_all : this->scale();
          Value x = v[g * J + j];
          MMAFFT_IF (splits(s)) {
            if (both_real(s, c, j)) {
              Value last = {x.y, T(0)};
              x.y = T(0);
              MMAFFT_IF (step.after_roots >= 0) {
                last = multiply(last, line_root(s, in.line, true));
                x = multiply(x, line_root(s, in.line, false));
              }
              store_point(s, in.line, in.others, {int(step.points), 0}, scale, last);
            }
          }
          store_point(s, in.line, in.others, at, scale, x);
        }
      }
    }
  }
}

}  // namespace mmafft
