// The pass: one trip through memory, written once for every device and for the emulation.
//
//   for each tile of lines:
//     for each step:
//       v = gather(step)        n values a thread, from memory or shared memory
//       compute(step, v)        small DFTs and their twiddles; split or merge of halves
//       scatter(step, v)        to shared memory or memory
//
// Steps follow in Stockham order, so that results come out in natural order without a
// permutation: with n points, s = product of the radices done and m = n / (s·r), column
// c = q + s·p (q < s, p < m) of a step of radix r is
//
//   y[q + s·(r·p + k)] = exp(∓2πi·p·k / (n/s)) · Σ_j x[c + j·n/r] · exp(∓2πi·jk/r)
//
// Nothing is decided here: config.hpp lists what the host has chosen, and every choice is a
// constant when this is compiled for a plan. Points beyond an axis' extent, outside of a
// zero range or of lines past the last are zeros that cost no memory access.
//
// The file is long because a pass is one struct: its members share the tile and the types, and
// each step is read from gather to scatter.
#pragma once
#include "matrix.hpp"
#include "tile.hpp"

namespace mmafft {

template <class Scalar> struct Pass {
  typedef typename Arithmetic<Scalar>::type T;
  typedef Pair<T> Value;
  const Arguments &arguments;
  u64 tile;

  MMAFFT_DEVICE const Value *tables() const { return static_cast<const Value *>(arguments.tables); }

  // Which column, and which of its points, a thread's values are: v[group·points + j].
  template <class S> static MMAFFT_DEVICE constexpr int points(S s) {
    MMAFFT_STEP(S);
    const int simt = step.op == OP_DFT ? int(step.radix) : step.op == OP_COPY ? 1 : 2;
    return step.engine == ENGINE_MATRIX ? int(step.rank) / 4 : step.engine == ENGINE_DENSE ? 2 : simt;
  }
  template <class S> MMAFFT_DEVICE int number(S s, int group) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return matrix_column(s, group);
    else return group * int(config.threads) + thread_index();
  }
  template <class S> MMAFFT_DEVICE int point(S s, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return matrix_point(s, j);
    else return j;
  }

  // A dense step's columns are pairs of outputs k, p-k of each DFT.
  template <class S> MMAFFT_DEVICE int dense_output(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) / u32(step.points / step.radix));
  }
  template <class S> MMAFFT_DEVICE int dense_column(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) % u32(step.points / step.radix));
  }

  // Where value j of a column is along the axis, before and after the step.
  template <class S> MMAFFT_DEVICE int from_at(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT) return int(step.offset) + c + j * int(step.points / step.radix);
    else {
      MMAFFT_IF (step.op == OP_SPLIT) return j == 0 ? c : c == 0 ? 0 : int(step.points) - c;
      else MMAFFT_IF (step.op == OP_MERGE) return j == 0 ? c : int(step.points) - c;
      else return permuted(step.from_table, c);
    }
  }
  // Point c of a copy by its table of positions.
  MMAFFT_DEVICE int permuted(i64 table, int c) const {
    return table < 0 ? c : int(load_table(tables() + table + c).x);
  }
  template <class S> MMAFFT_DEVICE int to_at(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT) {
      MMAFFT_IF (step.engine == ENGINE_DENSE) {
        const int k = dense_output(s, c);
        j = j == 0 ? k : int(step.radix) - k;
        c = dense_column(s, c);
      }
      MMAFFT_CONST u32 done = u32(step.done);
      const u32 q = u32(c) % done, p = u32(c) / done;
      return int(step.offset) + int(q + done * (u32(step.radix) * p)) + int(done) * j;
    } else {
      MMAFFT_IF (step.op == OP_COPY) return permuted(step.to_table, c);
      else return j == 0 ? c : int(step.points) - c;
    }
  }
  // Whether point j of a column is there, and not the padding of a fragment.
  template <class S> MMAFFT_DEVICE bool exists(S s, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return j < int(step.radix);
    else return true;
  }
  // Whether it is to be stored: the other half of a pair is not where both are one point.
  template <class S> MMAFFT_DEVICE bool made(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_SPLIT) return j == 0 || 2 * c != int(step.points);
    else MMAFFT_IF (step.engine == ENGINE_DENSE) return j == 0 || dense_output(s, c) > 0;
    else {
      MMAFFT_IF (step.op == OP_MERGE) return j == 0 || (c != 0 && 2 * c != int(step.points));
      else return exists(s, j);
    }
  }

  MMAFFT_DEVICE const Scalar *input() const { return static_cast<const Scalar *>(arguments.load); }

  template <class W> MMAFFT_DEVICE Value load_complex(W, const Scalar *from, i64 at) const {
    MMAFFT_IF (config.load_vector) {
      const Pair<Scalar> x = load_memory(reinterpret_cast<const Pair<Scalar> *>(from + at));
      return {widen(x.x), widen(x.y)};
    } else {
      const Scalar x = load_memory(from + at), y = load_memory(from + at + config.load_imaginary);
      return {widen(x), widen(y)};
    }
  }

  // Point `at` of the axis, from memory.
  template <class S>
  MMAFFT_DEVICE Value load_point(S s, const Line &line, i64 others, int at) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    i64 n = line.load_index + i64(at) * axis.load_index;
    Value x = {T(0), T(0)};
    MMAFFT_IF (step.hermitian != 0) {
      // Point n of the whole line from the half spectrum, whose addresses do not follow the
      // part's strides but the line's own.
      MMAFFT_CONST i64 length = step.hermitian, unit = axis.load_stride / axis.load_index;
      const bool mirrored = 2 * n > length;
      if (mirrored) n = length - n;
      if (n < axis.load_begin || n >= axis.load_end) return x;
      MMAFFT_IF (config.edges > 0) {
        const Scalar *edges = static_cast<const Scalar *>(arguments.extra) + 2 * line.edge;
        if (n == 0 || 2 * n == length) {
          x.x = widen(load_memory(edges + (n == 0 ? 0 : 2)));
          return x;
        }
        n -= 1;
      }
      x = load_complex(0, input(), line.load - line.load_index * unit + others + n * unit);
      MMAFFT_IF (config.edges > 0) n += 1;
      if (mirrored) x = conjugate(x);
      if (n == 0 || 2 * n == length) x.y = T(0);
      return x;
    } else {
      const i64 address = line.load + others + i64(at) * axis.load_stride;
      MMAFFT_IF (config.load_points == POINTS_PAIRS) {
        const bool first = 2 * n >= axis.load_begin && 2 * n < axis.load_end;
        const bool second = 2 * n + 1 >= axis.load_begin && 2 * n + 1 < axis.load_end;
        if (first && second) return load_complex(0, input(), address);
        if (first) x.x = widen(load_memory(input() + address));
        if (second) x.y = widen(load_memory(input() + address + config.load_imaginary));
        return x;
      } else {
        if (n < axis.load_begin || n >= axis.load_end) return x;
        MMAFFT_IF (config.load_points == POINTS_REAL) x.x = widen(load_memory(input() + address));
        else x = load_complex(0, input(), address);
        return x;
      }
    }
  }

  template <class S> MMAFFT_DEVICE void store_point(S s, const Line &line, i64 others, int at, Value x) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    const i64 n = line.store_index + i64(at) * axis.store_index;
    Scalar *to = static_cast<Scalar *>(arguments.store) + (line.store + others + i64(at) * axis.store_stride);
    x = {x.x * T(arguments.scale), x.y * T(arguments.scale)};
    Pair<Scalar> y;
    narrow(x.x, y.x);
    narrow(x.y, y.y);
    bool first, second;
    MMAFFT_IF (config.store_points == POINTS_PAIRS) {
      first = 2 * n >= axis.store_begin && 2 * n < axis.store_end;
      second = 2 * n + 1 >= axis.store_begin && 2 * n + 1 < axis.store_end;
    } else {
      first = n >= axis.store_begin && n < axis.store_end;
      second = first && config.store_points == POINTS_COMPLEX;
    }
    MMAFFT_IF (config.store_vector) {
      if (first && second) {
        store_memory(reinterpret_cast<Pair<Scalar> *>(to), y);
        return;
      }
    }
    if (first) store_memory(to, y.x);
    if (second) store_memory(to + config.store_imaginary, y.y);
  }

  // Point `at` of the part that is point n of the line, times the factors of that side.
  template <bool BEFORE, class S>
  MMAFFT_DEVICE Value factored(S s, Value x, const Line &line, i64 n, int at) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST i64 kind = BEFORE ? step.before : step.after;
    MMAFFT_CONST i64 table = BEFORE ? step.before_table : step.after_table;
    MMAFFT_CONST i64 length = BEFORE ? step.before_length : step.after_length;
    MMAFFT_CONST i64 levels = BEFORE ? step.before_roots : step.after_roots;
    MMAFFT_IF (kind != FACTOR_NONE) {
      const i64 index = kind == FACTOR_LINE ? n : i64(at);
      if (index >= length) return {T(0), T(0)};
      x = multiply(x, load_table(tables() + table + index));
    }
    MMAFFT_IF (levels >= 0) x = multiply(x, roots<T>(tables(), levels, config.roots_low, u64(line.roots) * u64(at)));
    return x;
  }

  // v = the step's values. Every load of a thread is issued before the first is used.
  template <class S> MMAFFT_DEVICE void gather(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column_of(s, number(s, g));
      MMAFFT_IF (step.source == PLACE_MEMORY) {
        const Line line = line_of(0, tile, c.line, arguments.lines);
        const Others others = others_of<true>(s, c);
        const bool live = c.live && line.live && others.inside;
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          const int at = from_at(s, c.at, point(s, j));
          Value x = {T(0), T(0)};
          if (live && exists(s, point(s, j)) && at < int(step.in)) x = load_point(s, line, others.address, at);
          v[g * J + j] = x;
        }
        MMAFFT_IF (step.before != FACTOR_NONE || step.before_roots >= 0) {
          MMAFFT_CONST Axis axis = config.axis[step.axis];
          MMAFFT_UNROLL for (int j = 0; j < J; j++) {
            const int at = from_at(s, c.at, point(s, j));
            const i64 n = line.load_index + i64(at) * axis.load_index;
            if (live && at < int(step.in)) v[g * J + j] = factored<true>(s, v[g * J + j], line, n, at);
          }
        }
      } else {
        const int start = c.line * int(step.pitch_in) + c.outer * int(step.in * step.inner) + c.inner;
        MMAFFT_IF (step.engine == ENGINE_DENSE) {
          if (c.live) dense(s, start, c.at, v + g * J);
          continue;
        }
        // Constant distances between a butterfly's points, where padding allows.
        MMAFFT_CONST int stride = int(step.points / step.radix * step.inner);
        MMAFFT_CONST bool constant = step.op == OP_DFT && step.engine == ENGINE_SIMT && step.hermitian == 0 &&
                                     separable(bank_row<T>(), stride, int(step.radix), false);
        const int base = padded<T>(start + from_at(s, c.at, 0) * int(step.inner));
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          int at = from_at(s, c.at, point(s, j));
          bool mirrored = false;
          MMAFFT_IF (step.hermitian != 0) {
            mirrored = 2 * at > int(step.hermitian);
            if (mirrored) at = int(step.hermitian) - at;
          }
          Value x = {T(0), T(0)};
          if (c.live && exists(s, point(s, j)) && at < int(step.in)) {
            MMAFFT_IF (constant) x = load_shared<T>(base + padded<T>(j * stride));
            else x = load_shared<T>(padded<T>(start + at * int(step.inner)));
            MMAFFT_IF (step.hermitian != 0) {
              if (mirrored) x = conjugate(x);
              if (at == 0 || 2 * at == int(step.hermitian)) x.y = T(0);
            }
            MMAFFT_IF (step.before != FACTOR_NONE) x = multiply(x, load_table(tables() + step.before_table + at));
          }
          v[g * J + j] = x;
        }
      }
    }
  }

  // X[k], X[p-k] = x[0] + Σ cos·e ∓ i·Σ sin·o for a prime p too large for registers: with
  // w = exp(∓2πi·kn/p), e = x[n] + x[p-n] and o = x[n] - x[p-n], n <= (p-1)/2. Two sums each, as
  // errors grow with the root of their length.
  template <class S> MMAFFT_DEVICE void dense(S s, int start, int c, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int radix = int(step.radix), stride = int(step.points / step.radix * step.inner);
    const int k = dense_output(s, c);
    start += (int(step.offset) + dense_column(s, c)) * int(step.inner);
    // Two sums of each, by names and not by indices, which would be found in memory.
    Value a = {T(0), T(0)}, other_a = load_shared<T>(padded<T>(start)), b = a, other_b = a;
    int turn = 0;
    MMAFFT_LOOP for (int n = 1; n <= radix / 2; n++) {
      turn += k;
      if (turn >= radix) turn -= radix;
      const Value w = load_table(tables() + step.matrix + turn);
      const Value x = load_shared<T>(padded<T>(start + n * stride));
      const Value y = load_shared<T>(padded<T>(start + (radix - n) * stride));
      const Value e = x + y, o = x - y;
      const Value next_a = other_a, next_b = other_b;
      other_a = {multiply_add(w.x, e.x, a.x), multiply_add(w.x, e.y, a.y)};
      other_b = {multiply_add(w.y, o.x, b.x), multiply_add(w.y, o.y, b.y)};
      a = next_a;
      b = next_b;
    }
    const Value even = a + other_a, odd = b + other_b;
    v[0] = {even.x - odd.y, even.y + odd.x};
    v[1] = {even.x + odd.y, even.y - odd.x};
  }

  template <class S> MMAFFT_DEVICE void scatter(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column_of(s, number(s, g));
      MMAFFT_IF (step.target == PLACE_MEMORY) {
        MMAFFT_CONST Axis axis = config.axis[step.axis];
        const Line line = line_of(0, tile, c.line, arguments.lines);
        const Others others = others_of<false>(s, c);
        const bool live = c.live && line.live && others.inside;
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          const int at = to_at(s, c.at, point(s, j));
          if (live && made(s, c.at, point(s, j)) && at < int(step.out)) {
            Value x = v[g * J + j];
            MMAFFT_IF (step.after != FACTOR_NONE || step.after_roots >= 0) {
              const i64 n = line.store_index + i64(at) * axis.store_index;
              x = factored<false>(s, x, line, n, at);
            }
            store_point(s, line, others.address, at, x);
          }
        }
      } else {
        Line line;
        MMAFFT_IF (step.after == FACTOR_LINE) line = line_of(0, tile, c.line, arguments.lines);
        const int start = c.line * int(step.pitch_out) + c.outer * int(step.out * step.inner) + c.inner;
        MMAFFT_CONST int stride = int(step.done * step.inner), block = stride * int(step.radix);
        // Lines and outer indices begin at whole blocks.
        MMAFFT_CONST bool blocks = step.offset == 0 && (config.lines == 1 || step.pitch_out % block == 0) &&
                                   (step.outer == 1 || step.out * step.inner % block == 0);
        MMAFFT_CONST bool constant = step.op == OP_DFT && step.engine == ENGINE_SIMT &&
                                     separable(bank_row<T>(), stride, int(step.radix), blocks);
        const int base = padded<T>(start + to_at(s, c.at, 0) * int(step.inner));
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          const int at = to_at(s, c.at, point(s, j));
          if (c.live && made(s, c.at, point(s, j)) && at < int(step.out)) {
            Value x = v[g * J + j];
            MMAFFT_IF (step.after != FACTOR_NONE) {
              // A convolution's spectrum; a part of a split line has its own stretch of it.
              i64 n = at - int(step.offset);
              MMAFFT_IF (step.after == FACTOR_LINE) n = line.live ? line.load_index + n : 0;
              const Value spectrum = load_table(tables() + step.after_table + n);
              MMAFFT_IF (step.rader) {
                // Bin 0 is the sum of all points but point 0, which is still where the copy
                // left it: X[0] = x[0] + sum, and x[0] is to be added to every other X.
                if (at == int(step.offset)) {
                  const int zero = padded<T>(start);
                  const Value first = load_shared<T>(zero);
                  store_shared<T>(zero, first + x);
                  x = multiply(x, spectrum) + first;
                } else x = multiply(x, spectrum);
              } else x = multiply(x, spectrum);
            }
            MMAFFT_IF (constant) store_shared<T>(base + padded<T>(j * stride), x);
            else store_shared<T>(padded<T>(start + at * int(step.inner)), x);
          }
        }
      }
    }
  }

  template <int R, class S> MMAFFT_DEVICE void butterflies(S s, Value *v) const {
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

  template <class S> MMAFFT_DEVICE void compute(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT) {
      MMAFFT_IF (step.engine == ENGINE_MATRIX) matrix_product(s, v, arguments.matrices);
      MMAFFT_IF (step.engine == ENGINE_SIMT) {
        MMAFFT_IF (step.radix == 2) butterflies<2>(s, v);
        MMAFFT_IF (step.radix == 3) butterflies<3>(s, v);
        MMAFFT_IF (step.radix == 4) butterflies<4>(s, v);
        MMAFFT_IF (step.radix == 5) butterflies<5>(s, v);
        MMAFFT_IF (step.radix == 7) butterflies<7>(s, v);
        MMAFFT_IF (step.radix == 8) butterflies<8>(s, v);
        MMAFFT_IF (step.radix == 9) butterflies<9>(s, v);
        MMAFFT_IF (step.radix == 11) butterflies<11>(s, v);
        MMAFFT_IF (step.radix == 13) butterflies<13>(s, v);
        MMAFFT_IF (step.radix == 16) butterflies<16>(s, v);
      }
      MMAFFT_IF (step.twiddle >= 0) twiddle(s, v);
    }
    MMAFFT_IF (step.op == OP_SPLIT || step.op == OP_MERGE) halves(s, v);
  }

  // Values p, k times exp(∓2πi·pk / (n/s)), from the table [k - 1][p].
  template <class S> MMAFFT_DEVICE void twiddle(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), rows = int(step.points / (step.done * step.radix));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      int c = column_of(s, number(s, g)).at, first = 0;
      MMAFFT_IF (step.engine == ENGINE_DENSE) {
        first = dense_output(s, c);
        c = dense_column(s, c);
      }
      const int p = int(u32(c) / u32(step.done));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        int k = point(s, j);
        MMAFFT_IF (step.engine == ENGINE_DENSE) k = j == 0 ? first : int(step.radix) - first;
        if (k > 0 && k < int(step.radix))
          v[g * J + j] = multiply(v[g * J + j], load_table(tables() + step.twiddle + (k - 1) * rows + p));
      }
    }
  }

  // With Z the spectrum of packed pairs x[2n] + i·x[2n+1] and w = exp(-πi·k/n):
  //   split   E = (Z[k] + conj Z[n-k])/2, O = (Z[k] - conj Z[n-k])/2i,  X[k] = E + w·O, X[n-k] = conj(E - w·O)
  //   merge   E = X[k] + conj X[n-k], O = conj(w)·(X[k] - conj X[n-k]), Z[k] = E + i·O, Z[n-k] = conj(E - i·O)
  // (the merge is twice the split's inverse, as an unscaled transform wants).
  template <class S> MMAFFT_DEVICE void halves(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column_of(s, number(s, g));
      const Value w = c.live ? load_table(tables() + step.twiddle + c.at) : Value{T(1), T(0)};
      Value *x = v + 2 * g;
      const Value other = x[1];
      MMAFFT_IF (step.op == OP_SPLIT) {
        const Value e = x[0] + conjugate(other), o = x[0] - conjugate(other);
        const Value even = {T(0.5) * e.x, T(0.5) * e.y};
        const Value odd = multiply(Value{T(0.5) * o.y, T(-0.5) * o.x}, w);
        x[0] = even + odd;
        x[1] = conjugate(even - odd);
      } else {
        const Value e = x[0] + conjugate(other);
        const Value o = multiply(x[0] - conjugate(other), conjugate(w));
        const Value turned_odd = {-o.y, o.x};
        x[0] = e + turned_odd;
        x[1] = conjugate(e - turned_odd);
      }
    }
  }

  // From memory to shared memory without registers, where nothing is to be done on the way.
  template <class S> MMAFFT_DEVICE void copy(S s) const {
    MMAFFT_STEP(S);
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column_of(s, number(s, g));
      const Line line = line_of(0, tile, c.line, arguments.lines);
      const Others others = others_of<true>(s, c);
      const i64 address = line.load + others.address + i64(c.at) * config.axis[step.axis].load_stride;
      const int to = padded<T>(c.line * int(step.pitch_out) + c.outer * int(step.out * step.inner) +
                               to_at(s, c.at, 0) * int(step.inner) + c.inner);
      if (c.live) {
        if (line.live) copy_async<T>(to, reinterpret_cast<const Value *>(static_cast<const T *>(arguments.load) + address));
        else store_shared<T>(to, Value{T(0), T(0)});
      }
    }
    copy_wait();
  }

  template <class S> MMAFFT_DEVICE void run(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.async) copy(s);
    else {
      gather(s, v);
      compute(s, v);
      // Everything has been read before anything is overwritten.
      MMAFFT_IF (step.source == PLACE_SHARED && step.target == PLACE_SHARED) barrier();
      scatter(s, v);
    }
    MMAFFT_IF (step.target == PLACE_SHARED) barrier();
  }
};

// All steps from this one on.
template <class S, class P, class V> MMAFFT_DEVICE void run_from(S s, const P &pass, V *v) {
  MMAFFT_IF (MMAFFT_NUMBER(S) < config.steps) {
    pass.run(s, v);
    run_from(next(s), pass, v);
  }
}

template <class Scalar> MMAFFT_DEVICE void run_tile(const Arguments &arguments, u64 tile) {
  const Pass<Scalar> pass = {arguments, tile};
  Pair<typename Arithmetic<Scalar>::type> v[MMAFFT_VALUES];
  run_from(FirstStep(), pass, v);
}

template <class Scalar> MMAFFT_DEVICE void run_tiles(const Arguments &arguments) {
  // No loop around a single tile: compilers move every address that all tiles share out of
  // it, and there are more of them than registers.
  MMAFFT_IF (config.many_tiles) {
    const u64 tiles = (arguments.lines + u64(config.lines) - 1) / u64(config.lines);
    for (u64 tile = block_index(); tile < tiles; tile += block_count()) {
      // This tile overwrites what the last step of the one before reads.
      if (tile >= block_count()) barrier();
      run_tile<Scalar>(arguments, tile);
    }
  } else run_tile<Scalar>(arguments, block_index());
}

template <class A> MMAFFT_DEVICE void dispatch(const A &arguments) {
  MMAFFT_IF (config.storage == STORAGE_F64) run_tiles<double>(arguments);
  MMAFFT_IF (config.storage == STORAGE_F32) run_tiles<float>(arguments);
  MMAFFT_IF (config.storage == STORAGE_F16) run_tiles<Half>(arguments);
  MMAFFT_IF (config.storage == STORAGE_BF16) run_tiles<Bf16>(arguments);
}

#ifdef MMAFFT_ENTRY_mmafft_pass
MMAFFT_KERNEL void MMAFFT_BOUNDS(config.threads, config.residents) mmafft_pass(Arguments arguments) { dispatch(arguments); }
#endif

}  // namespace mmafft
