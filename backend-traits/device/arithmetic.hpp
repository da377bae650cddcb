// What a step does in registers: small DFTs, their twiddles, the split and merge of half spectra.
// Members of `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// The largest magnitudes of the tile's lines, of which nothing is known yet.
template <class Scalar> MMAFFT_DEVICE void Pass<Scalar>::clear_magnitudes() const {
  MMAFFT_CONST int lines = int(config.lines), threads = int(config.threads);
  MMAFFT_UNROLL for (int first = 0; first < lines; first += threads) {
    if (first + thread < lines) store_shared_part<float>(int(config.magnitudes) + first + thread, 0.0f);
  }
}

// All values times a power of two.
template <class Scalar> template <class S> MMAFFT_DEVICE void Pass<Scalar>::scale_all(S s, Value *v, float scale) {
  MMAFFT_STEP(S);
  MMAFFT_UNROLL for (int i = 0; i < int(step.groups) * points(s); i++) v[i] = {v[i].x * T(scale), v[i].y * T(scale)};
}

// All of a line times the power of two that puts its largest component into [1, 2)·2^LINE_MAGNITUDE.
template <class Scalar> template <class S> MMAFFT_DEVICE void Pass<Scalar>::scale_line(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups), N = int(step.neighbours), slots = int(config.magnitudes);
  MMAFFT_CONST int rows = fragment_rows(config.operand), all = fragment_columns(config.operand, int(step.rank));
  // The columns that a wave has at a time, in `span` groups, and whether all are of one line.
  MMAFFT_CONST bool apart = joins(s);
  MMAFFT_CONST int span = apart ? 1 : N > 1 ? N : rows, columns = int(step.copies) * (apart ? all / rows : N > 1 ? all / rows * N : all);
  MMAFFT_CONST bool only = config.lines == 1;
  MMAFFT_CONST bool one = only || (!step.lines_fast && int(step.columns * step.inner * step.outer) % columns == 0);
  MMAFFT_CONST int together = only ? G : one ? span : 1;
  // Groups that a multiple of the lines lies between, or of runs of all lines, are of one line.
  MMAFFT_CONST int period = int(config.lines * (step.lines_fast > 1 ? step.lines_fast : 1));
  const auto alike = [&](int g, int h) {
    const bool lines = step.lines_fast && digits_apart(s) && config.lines > 1;
    return g / together == h / together || (lines && (matrix_further(s, g) - matrix_further(s, h)) % period == 0);
  };
  const int lane = lane_of(thread);
  MMAFFT_UNROLL for (int g = 0; g < G; g += together) {
    bool before = false;
    MMAFFT_UNROLL for (int h = 0; h < g; h += together) before = before || alike(g, h);
    if (before) continue;
    float most = 0;
    MMAFFT_UNROLL for (int h = g; h < G; h++) {
      if (!alike(g, h)) continue;
      MMAFFT_UNROLL for (int i = h * J; i < (h + 1) * J; i++)
        most = larger(most, larger(magnitude(float(v[i].x)), magnitude(float(v[i].y))));
    }
    bool first;
    MMAFFT_IF (one) {
      MMAFFT_UNROLL for (int mask = WAVE / 2; mask > 0; mask /= 2) most = larger(most, shuffle_xor(most, mask));
      first = lane == 0;
    } else {
      most = fragment_max(most, int(step.rank / step.copies));
      first = matrix_point(s, 0, thread) == 0;
    }
    // Columns of one line are all there, or none is.
    const Column c = column(s, g);
    if (first && c.live) raise_shared(slots + c.line, most);
  }
  barrier();
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const float most = load_shared_part<float>(slots + (c.live ? c.line : 0));
    const float before = scales_of<LINE_MAGNITUDE>(most, int(config.grown)).before;
    MMAFFT_UNROLL for (int j = 0; j < J; j++) v[g * J + j] = {v[g * J + j].x * before, v[g * J + j].y * before};
  }
}

// The lines' values as they are, times the scale of the pass.
template <class Scalar> template <class S> MMAFFT_DEVICE void Pass<Scalar>::unscale_line(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_IF (config.magnitudes != 0) {
    MMAFFT_CONST int J = points(s), slots = int(config.magnitudes);
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column(s, g);
      const float most = load_shared_part<float>(slots + (c.live ? c.line : 0));
      // In one product: two take 64 points of split-f16 from 0.97 to 0.84 of a copy on an H200, and keep digits only
      // of lines below 1e-34.
      const T after = T(scales_of<LINE_MAGNITUDE>(most, int(config.grown)).after) * T(arguments.scale);
      MMAFFT_UNROLL for (int j = 0; j < J; j++) v[g * J + j] = {v[g * J + j].x * after, v[g * J + j].y * after};
    }
  }
}

// The twiddles between the two parts of a line that a tile holds, a cluster's or a block's.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::twiddle_across(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const Column c = column(s, g);
    const Line line = {0, 0, 0, 0, 0, other_part(s, c), true};
    if (!c.live) continue;
    Value *x = v + g * points(s);
    const Value first = x[0];
    four_step<false>(s, x, step.after_roots, line, c);
    // Of two real points in one value `scatter` says what they are multiplied by.
    MMAFFT_IF (splits(s)) {
      if (both_real(s, c, 0)) x[0] = first;
    }
  }
}

template <class Scalar> template <int R, class S>
MMAFFT_DEVICE void Pass<Scalar>::butterflies(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    Value *x = v + g * R;
    MMAFFT_IF (step.inverse) {
      MMAFFT_UNROLL for (int j = 0; j < R; j++) x[j] = swapped(x[j]);
    }
    Butterfly<R, T>::run(x);
    MMAFFT_IF (step.inverse) {
      MMAFFT_UNROLL for (int j = 0; j < R; j++) x[j] = swapped(x[j]);
    }
  }
}

// A line's type I, continued to twice N reals. Which N it is decides a chain of calls, from 1 to 32, the host's LARGEST_TYPE_ONE: the
// emulation knows no constants.
template <class Scalar> template <int N, class S>
MMAFFT_DEVICE void Pass<Scalar>::type_one(S s, Value *v) {
  MMAFFT_STEP(S);
  MMAFFT_CONST bool sine = step.type_one == TYPE_ONE_SINE;
  MMAFFT_CONST int R = int(step.radix);
  MMAFFT_IF ((sine ? R + 1 : R - 1) == N) {
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      T x[N + 1];
      MMAFFT_UNROLL for (int j = 0; j < R; j++) x[j] = v[g * R + j].x;
      MMAFFT_IF (sine) SinesOne<N, T>::run(x);
      else CosinesOne<N, T>::run(x);
      MMAFFT_UNROLL for (int j = 0; j < R; j++) v[g * R + j] = {x[j], T(0)};
    }
  } else MMAFFT_IF (N < 32) type_one<N < 32 ? N + 1 : N>(s, v);
}

// v[k] times first·w(k) for k < radix, where w(4a + b) = w(4a)·w(b): a third of the look-ups for
// a rounding more.
template <class Scalar> template <class W>
MMAFFT_DEVICE void Pass<Scalar>::multiply_powers(Value *v, int radix, bool shifted, Value first, W w) {
  Value low[4];
  low[0] = first;
  if (shifted) v[0] = multiply(v[0], first);
  MMAFFT_UNROLL for (int b = 1; b < 4 && b < radix; b++) {
    low[b] = shifted ? multiply(first, w(b)) : w(b);
    v[b] = multiply(v[b], low[b]);
  }
  MMAFFT_UNROLL for (int a = 4; a < radix; a += 4) {
    const Value high = w(a);
    MMAFFT_UNROLL for (int b = 0; b < 4 && a + b < radix; b++)
      v[a + b] = multiply(v[a + b], b == 0 && !shifted ? high : multiply(high, low[b]));
  }
}

// What products have made, as columns of the step that combines them: renaming, where values are in registers.
template <class Scalar> template <class S> MMAFFT_DEVICE void Pass<Scalar>::join(S s, Value *v) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int q = int(step.joined), J = points(s), G = int(step.groups);
  Value made[MMAFFT_VALUES];
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    MMAFFT_UNROLL for (int i = 0; i < J; i++) made[(g / q * J + i) * q + g % q] = v[g * J + i];
  }
  MMAFFT_UNROLL for (int i = 0; i < G * J; i++) v[i] = made[i];
}

// Values p, k times exp(∓2πi·pk / (n/s)), from the table [k - 1][p], or of products in the order of lanes.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::twiddle(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), rows = int(step.points / (step.done * step.radix));
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const int at = column(s, g).at;
    int c = at;
    MMAFFT_IF (step.engine == ENGINE_DENSE) c = dense_column(s, c);
    int p = int(u32(c) / u32(step.done));
    // The same for all columns of a number, which compilers do not see.
    MMAFFT_IF (joined(s)) p = int(u32(column_of(s, number(s, g)).at) / u32(step.done / step.joined));
    const Value *const table = tables() + step.twiddle + p - rows;
    MMAFFT_IF (step.engine == ENGINE_MATRIX) {
      // In the order in which lanes hold points, with a one for point 0 and zeros for padding.
      const Value *own = tables() + step.twiddle;
      MMAFFT_IF (digits_apart(s)) {
        const Column first = column_of(s, matrix_first(s, thread));
        const Column further = joined_column(s, matrix_further(s, g), g % joined_groups(s));
        own += lane_twiddle(s, first.at / int(step.done), point(s, 0)) + lane_twiddle(s, further.at / int(step.done), 0);
      } else own += lane_twiddle(s, p, point(s, 0));
      MMAFFT_IF (J == 1) v[g] = multiply(v[g], load_table(own));
      MMAFFT_UNROLL for (int j = 0; j + 1 < J; j += 2) {
        const TablePair<T> w = load_table_pair(own + lane_twiddle_pairs(s, j));
        v[g * J + j] = multiply(v[g * J + j], w.first);
        v[g * J + j + 1] = multiply(v[g * J + j + 1], w.second);
      }
    } else MMAFFT_IF (config.powers != 0 && step.engine == ENGINE_SIMT) {
      multiply_powers(v + g * J, J, false, Value{T(1), T(0)}, [&](int k) { return load_table(table + k * rows); });
    } else {
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        MMAFFT_IF (step.engine == ENGINE_DENSE) {
          const int k = dense_output(s, at, j);
          if (k > 0 && k < int(step.radix)) v[g * J + j] = multiply(v[g * J + j], load_table(table + k * rows));
        } else {
          if (j > 0) v[g * J + j] = multiply(v[g * J + j], load_table(table + j * rows));
        }
      }
    }
  }
}

// With Z the spectrum of packed pairs x[2n] + i·x[2n+1] and w = exp(-πi·k/n), of an inverse DFT conj(w):
//   split   E = (Z[k] + conj Z[n-k])/2, O = (Z[k] - conj Z[n-k])/2i,  X[k] = E + w·O, X[n-k] = conj(E - w·O)
//   merge   E = X[k] + conj X[n-k], O = conj(w)·(X[k] - conj X[n-k]), Z[k] = E + i·O, Z[n-k] = conj(E - i·O)
// (the merge is twice the split's inverse, as an unscaled transform wants). Of lines in mirrored
// pairs, w is a product of tables by c and by a of k = a + A·c, or of rows one by c; and points 0 and
// n/2 come together.
//
// Points of types II and III have weights in memory (`Step::weighted`), and with u = exp(-πi·k/4n), so that w = u⁴, and an
// eighth of a turn e = exp(πi/4), that of n-k is e times the conjugate of that of k:
//   split   2u·X[k] = u·2E + u⁵·2O, 2·conj(e·conj(u))·X[n-k] = conj(e)·conj(u·2E - u⁵·2O)
//   merge   of a[k] = u·X[k] and a[n-k] = conj(u)·conj(e)·X[n-k]: b = e·a[n-k], E = conj(u)·(a[k] + conj b),
//           O = conj(u⁵)·(a[k] - conj b)
// two look-ups of neighbours and two products a pair, where weights of both and w are three.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::HalfRoot Pass<Scalar>::half_root(S s, const Value *table, i64 k) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.weighted == 1) {
    const TablePair<T> w = load_table_pair(table + 2 * k);
    return {w.first, w.second};
  } else MMAFFT_IF (step.weighted > 1) return {load_table(table + k), load_table(table + step.weighted + k)};
  else return {load_table(table + k), {T(1), T(0)}};
}
// That of k = a + b, of those of a and of b.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::HalfRoot Pass<Scalar>::half_root_of(S s, HalfRoot w, HalfRoot part) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.weighted) return {multiply(w.odd, part.odd), multiply(w.even, part.even)};
  else return {multiply(w.odd, part.odd), w.even};
}
// x times exp(±πi/4). Parts are made smaller before they are added, so that the sum is in range wherever the result is.
template <class T> MMAFFT_DEVICE Pair<T> eighth_of_turn(const Pair<T> &x, bool back) {
  const T root = T(0.70710678118654752440);
  const T re = root * x.x, im = root * x.y;
  return back ? Pair<T>{re + im, im - re} : Pair<T>{re - im, im + re};
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::halve(S s, Value &x, Value &mirrored, HalfRoot w) {
  MMAFFT_STEP(S);
  MMAFFT_CONST bool weighted = step.weighted != 0;
  MMAFFT_IF (merges(s) && weighted) mirrored = eighth_of_turn(mirrored, false);
  // Points of a split are halved before they are added: of two near the largest number their mean is in range, not their sum.
  MMAFFT_CONST bool halved = splits(s) && !weighted;
  Value e, d;
  MMAFFT_IF (halved) {
    const Value half = {T(0.5) * x.x, T(0.5) * x.y};
    e = {multiply_add(T(0.5), mirrored.x, half.x), multiply_add(T(-0.5), mirrored.y, half.y)};
    d = {multiply_add(T(-0.5), mirrored.x, half.x), multiply_add(T(0.5), mirrored.y, half.y)};
  } else {
    e = x + conjugate(mirrored);
    d = x - conjugate(mirrored);
  }
  MMAFFT_IF (merges(s)) {
    MMAFFT_IF (weighted) e = multiply(e, conjugate(w.even));
    const Value o = multiply(d, conjugate(w.odd));
    const Value turned_odd = {-o.y, o.x};
    x = e + turned_odd;
    // The conjugate of the difference, of which compilers negate no part where signs of zeros count.
    MMAFFT_IF (all_load(s)) mirrored = {e.x - turned_odd.x, turned_odd.y - e.y};
    else mirrored = conjugate(e - turned_odd);
  } else {
    MMAFFT_IF (weighted) e = multiply(e, w.even);
    const Value odd = multiply(Value{d.y, -d.x}, w.odd);
    x = e + odd;
    mirrored = conjugate(e - odd);
    MMAFFT_IF (weighted) mirrored = eighth_of_turn(mirrored, true);
  }
}
// Points 0 and n, which are real.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::halve_ends(S s, Value &x) {
  MMAFFT_STEP(S);
  MMAFFT_CONST T root = T(1.4142135623730950488);
  MMAFFT_IF (merges(s) && step.weighted) x.y *= root;
  x = {x.x + x.y, x.x - x.y};
  MMAFFT_IF (splits(s) && step.weighted) x = {T(2) * x.x, root * x.y};
}
// Point n/2, its own mirror image: its conjugate, but after an inverse DFT.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::halve_middle(S s, Value &x) {
  MMAFFT_STEP(S);
  // Its weight is a sixteenth of a turn.
  MMAFFT_CONST Value sixteenth = {T(0.92387953251128675613), T(0.38268343236508977173)};
  MMAFFT_IF (merges(s) && step.weighted) x = multiply(x, sixteenth);
  MMAFFT_CONST T scale = merges(s) ? T(2) : T(1);
  MMAFFT_CONST bool conjugated = merges(s) || step.inverse == 0;
  x = {scale * x.x, conjugated ? -scale * x.y : scale * x.y};
  MMAFFT_IF (splits(s) && step.weighted) x = multiply(Value{T(2) * x.x, T(2) * x.y}, conjugate(sixteenth));
}
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::halves(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
    const Column c = column(s, g);
    Value *x = v + 2 * g;
    HalfRoot w = {{T(1), T(0)}, {T(1), T(0)}};
    if (both_real(s, c, 0)) {
      halve_ends(s, x[0]);
      halve_middle(s, x[1]);
      continue;
    }
    MMAFFT_IF (paired(s)) {
      MMAFFT_CONST int n = int(step.points);
      const int at = from_at(s, c.at, 0), second = c.at < n || at < n ? 0 : 1;
      const Value *const table = tables() + step.twiddle;
      MMAFFT_IF (config.mirrored_row > 0) {
        if (c.live) w = half_root(s, table, at - second * n);
      } else {
        const Line line = line_of(0, tile, c.line, second, arguments.lines);
        if (c.live && line.live) {
          const i64 part = step.op == OP_SPLIT ? line.store_index : line.load_index;
          w = half_root_of(s, half_root(s, table, at - second * n), half_root(s, table, n + part));
        }
      }
    } else if (all_load(s) || c.live) {
      const Value *const table = tables() + step.twiddle;
      // How far a pair of one line is from the thread's first one is the same for all threads.
      MMAFFT_IF (config.half_products && config.lines * step.inner * step.outer == 1 && step.groups > 2) {
        MMAFFT_CONST int N = int(step.neighbours);
        const HalfRoot first = half_root(s, table, column(s, 0).at);
        w = g == 0 ? first : half_root_of(s, first, half_root(s, table, (g / N * int(config.threads)) * N + g % N));
      } else w = half_root(s, table, c.at);
    }
    halve(s, x[0], x[1], w);
  }
}

// The same where a thread has columns c and m-c of a DFT of radix r, m = n/r: point c + j*m is the
// mirror image of point m-c + (r-1-j)*m. Columns 0 and m/2 mirror themselves. Of lines in mirrored pairs it is that
// of point m-1-c + (r-1-j)*m of the other line.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::halves_of_columns(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int R = int(step.radix), m = int(step.points / step.radix);
  MMAFFT_CONST bool lines = of_mirrored_lines(s);
  MMAFFT_IF (!in_pairs(s)) {
    // The only column mirrors itself.
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      Value *x = v + g * R;
      halve_ends(s, x[0]);
      MMAFFT_UNROLL for (int j = 1; j < (R + 1) / 2; j++)
        halve(s, x[j], x[R - j], half_root(s, tables() + step.facing_table, j));
      MMAFFT_IF (R % 2 == 0) halve_middle(s, x[R / 2]);
    }
    return;
  }
  MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g += 2) {
    const Column c = column(s, g);
    if (!c.live) continue;
    Value *x = v + g * R, *y = x + R;
    const Value *const table = tables() + step.facing_table, *const own = table + (step.weighted == 1 ? 2 : 1) * c.at;
    HalfRoot part = {{T(1), T(0)}, {T(1), T(0)}};
    MMAFFT_IF (step.images > 0) part = half_root(s, table, step.points + shared_out(s, c));
    else MMAFFT_IF (lines) {
      const Line line = line_of(0, tile, c.line, c.outer, arguments.lines);
      if (!line.live) continue;
      part = half_root(s, table, step.points + (merges(s) ? line.load_index : line.store_index));
    }
    const HalfRoot first = half_root(s, own, 0);
    const auto root = [&](int further) {
      MMAFFT_CONST bool products = config.half_products && !of_mirrored_lines(s) && step.images == 0;
      MMAFFT_IF (products) return further == 0 ? first : half_root_of(s, first, half_root(s, table, further));
      const HalfRoot w = half_root(s, own, further);
      MMAFFT_IF (lines) return half_root_of(s, w, part);
      else return w;
    };
    if (!both_real(s, c, 0)) {
      MMAFFT_UNROLL for (int j = 0; j < R; j++) halve(s, x[j], y[R - 1 - j], root(j * m));
    } else {
      halve_ends(s, x[0]);
      MMAFFT_UNROLL for (int j = 1; j < (R + 1) / 2; j++) halve(s, x[j], x[R - j], root(j * m));
      MMAFFT_UNROLL for (int j = 0; j < R / 2; j++) halve(s, y[j], y[R - 1 - j], root(m / 2 + j * m));
      halve_middle(s, R % 2 == 0 ? x[R / 2] : y[R / 2]);
    }
  }
}

}  // namespace mmafft
