// The pass: one trip through memory, written once for every device and for the emulation.
//
//   for each tile of lines:
//     for each step:
//       v = gather(step)        n values a thread, from memory or shared memory
//       compute(step, v)        small DFTs and their twiddles; split or merge of halves
//       scatter(step, v)        to shared memory or memory
//
// A tile is a block's, or a cluster's: then each block has a share of it, and once on the way
// scatters to the shared memory of all.
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
#include "real.hpp"
#include "tile.hpp"

namespace mmafft {

template <class Scalar> struct Pass {
  typedef typename Arithmetic<Scalar>::type T;
  typedef Pair<T> Value;
  const Arguments &arguments;
  u64 tile;
  int thread;  // of the block

  enum { BOTH, REAL, IMAGINARY };

  MMAFFT_DEVICE const Value *tables() const { return static_cast<const Value *>(arguments.tables); }

  // Which column, and which of its points, a thread's values are: v[group·points + j].
  template <class S> static MMAFFT_DEVICE constexpr int points(S s) {
    MMAFFT_STEP(S);
    const int simt = step.op == OP_DFT ? int(step.radix) : step.op == OP_COPY ? 1 : 2;
    return step.engine == ENGINE_MATRIX ? fragment_values(int(step.rank)) : step.engine == ENGINE_DENSE ? 2 * int(step.copies) : simt;
  }
  template <class S> MMAFFT_DEVICE int number(S s, int group) const {
    MMAFFT_STEP(S);
    MMAFFT_ASSUME(u32(thread) < u32(config.threads));
    MMAFFT_CONST int N = int(step.neighbours);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return matrix_column(s, group, thread);
    else return (group / N * int(config.threads) + thread) * N + group % N;
  }
  template <class S> MMAFFT_DEVICE int point(S s, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return matrix_point(s, j, thread);
    else return j;
  }

  // A dense step's columns are a few pairs of outputs k, p-k of each DFT: values 2i and 2i+1 are
  // those of k + i.
  template <class S> MMAFFT_DEVICE int dense_first(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) / u32(step.points / step.radix)) * int(step.copies);
  }
  template <class S> MMAFFT_DEVICE int dense_column(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) % u32(step.points / step.radix));
  }
  template <class S> MMAFFT_DEVICE int dense_output(S s, int c, int j) const {
    MMAFFT_STEP(S);
    const int k = dense_first(s, c) + j / 2;
    return j % 2 == 0 || k == 0 ? k : int(step.radix) - k;
  }

  // The points of a split or merge are a column's c and n-c, n of them and one more; but of column 0
  // they are 0 and n/2, which are their own mirror images: point n of the half spectrum is the
  // imaginary part of point 0 then, both being real.
  MMAFFT_DEVICE static int halves_at(int n, int c, int j) { return j == 0 ? c : c == 0 ? n / 2 : n - c; }
  template <class S> static MMAFFT_DEVICE bool both_real(S s, int c, int j) {
    MMAFFT_STEP(S);
    return (step.op == OP_SPLIT || step.op == OP_MERGE) && j == 0 && c == (paired(s) ? int(step.points) : 0);
  }
  // Whether it splits or merges lines in mirrored pairs: parts a and A - a of a whole line, as one
  // line of n columns with points c and 2n-1-c. Columns n..2n are those of the pair of parts 0 and
  // A/2, which mirror themselves: c and n-c of the first, n+c and 2n-1-c of the second; of part 0,
  // points 0 and n/2 make a column, as above.
  template <class S> static MMAFFT_DEVICE constexpr bool paired(S s) {
    MMAFFT_STEP(S);
    return config.mirrored > 0 && (step.op == OP_SPLIT || step.op == OP_MERGE);
  }
  MMAFFT_DEVICE static int paired_at(int n, int c, int j) {
    if (c < n) return j == 0 ? c : 2 * n - 1 - c;
    c -= n;
    if (2 * c >= n) return j == 0 ? c + n / 2 : 2 * n + n / 2 - 1 - c;
    return j == 0 ? c : c == 0 ? n / 2 : n - c;
  }
  template <class S> MMAFFT_DEVICE Column column(S s, int group) const {
    MMAFFT_STEP(S);
    Column c = column_of(s, number(s, group));
    MMAFFT_IF (paired(s)) {
      const u64 pair = tile * u64(config.lines) + u64(c.line);
      bool first;
      MMAFFT_IF (config.wide) first = pair_of<u64>(pair) == 0;
      else first = pair_of<u32>(u32(pair)) == 0;
      if (first) c.at += int(step.points);
    }
    return c;
  }

  // Where value j of a column is along the axis, before and after the step.
  template <class S> MMAFFT_DEVICE int from_at(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT) return int(step.offset) + c + j * int(step.points / step.radix);
    else {
      MMAFFT_IF (step.op == OP_COPY) return permuted(step.from_table, c);
      else MMAFFT_IF (paired(s)) return paired_at(int(step.points), c, j);
      else return halves_at(int(step.points), c, j);
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
        j = dense_output(s, c, j);
        c = dense_column(s, c);
      }
      MMAFFT_CONST u32 done = u32(step.done);
      const u32 q = u32(c) % done, p = u32(c) / done;
      return int(step.offset) + int(q + done * (u32(step.radix) * p)) + int(done) * j;
    } else {
      MMAFFT_IF (step.op == OP_COPY) return permuted(step.to_table, c);
      else MMAFFT_IF (paired(s)) return paired_at(int(step.points), c, j);
      else return halves_at(int(step.points), c, j);
    }
  }
  // Whether point j of a column is there, and not the padding of a fragment, or the middle of an
  // odd number of points.
  template <class S> MMAFFT_DEVICE bool exists(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return j < int(step.radix);
    else MMAFFT_IF (step.op == OP_SPLIT || step.op == OP_MERGE) return j == 0 || c != 0 || step.points % 2 == 0;
    else return true;
  }
  // Whether it is to be stored.
  template <class S> MMAFFT_DEVICE bool made(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_DENSE) {
      const int k = dense_first(s, c) + j / 2;
      return j % 2 == 0 ? k <= int(step.radix) / 2 : k > 0 && k <= int(step.radix) / 2;
    } else return exists(s, c, j);
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
    MMAFFT_IF (config.load_points == POINTS_ORDERED) {
      MMAFFT_CONST i64 unit = axis.load_stride / axis.load_index;
      MMAFFT_CONST bool beyond = axis.load_index != 1 || step.in > config.load_reals.points;
      const Scalar *const from = input() + (line.load - line.load_index * unit + others);
      return load_reals<T>(config.load_reals, axis, tables(), from, unit, beyond,
                           MMAFFT_INDEX(config.load_reals.length)(n));
    }
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

  // The values of a column and of the N - 1 that follow it, whose points lie beside each other.
  template <int N, class S>
  MMAFFT_DEVICE void load_neighbours(S s, const Line &line, i64 others, int c, bool live, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    MMAFFT_CONST int J = points(s);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = from_at(s, c, point(s, j));
      const i64 n = line.load_index + i64(at) * axis.load_index;
      Neighbours<Scalar, N> x = {};
      if (live && exists(s, c, point(s, j)) && at < int(step.in) && n >= axis.load_begin && n < axis.load_end)
        x = load_memory(reinterpret_cast<const Neighbours<Scalar, N> *>(input() + line.load + others +
                                                                      i64(at) * axis.load_stride));
      MMAFFT_UNROLL for (int i = 0; i < N; i++) v[i * J + j] = {widen(x.at[i].x), widen(x.at[i].y)};
    }
  }
  // Those of a column and of the N - 1 before it, likewise.
  template <int N, class S>
  MMAFFT_DEVICE void store_neighbours(S s, const Line &line, i64 others, int c, bool live, const Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    MMAFFT_CONST int J = points(s);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = to_at(s, c, point(s, j));
      const i64 n = line.store_index + i64(at) * axis.store_index;
      Neighbours<Scalar, N> x;
      MMAFFT_UNROLL for (int i = 0; i < N; i++) {
        const Value &y = v[(i - (N - 1)) * J + j];
        narrow(y.x * T(arguments.scale), x.at[i].x);
        narrow(y.y * T(arguments.scale), x.at[i].y);
      }
      if (live && exists(s, c, point(s, j)) && at < int(step.out) && n >= axis.store_begin && n < axis.store_end)
        store_memory(reinterpret_cast<Neighbours<Scalar, N> *>(static_cast<Scalar *>(arguments.store) + line.store + others +
                                                           i64(at) * axis.store_stride - 2 * (N - 1)), x);
    }
  }

  template <class S> MMAFFT_DEVICE void store_point(S s, const Line &line, i64 others, int at, Value x) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    const i64 n = line.store_index + i64(at) * axis.store_index;
    MMAFFT_IF (config.store_points == POINTS_ORDERED) {
      MMAFFT_CONST i64 unit = axis.store_stride / axis.store_index;
      MMAFFT_CONST bool beyond = axis.store_index != 1 || step.out > config.store_reals.points;
      Scalar *const to = static_cast<Scalar *>(arguments.store) + (line.store - line.store_index * unit + others);
      x = {x.x * T(arguments.scale), x.y * T(arguments.scale)};
      store_reals<T>(config.store_reals, axis, tables(), to, unit, beyond, MMAFFT_INDEX(config.store_reals.length)(n), x);
      return;
    }
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

  // Values of a column, times the factors of memory's side: a table's entry by the point's number
  // in the whole line or in the part of it, and a four-step twiddle.
  template <bool BEFORE, class S> MMAFFT_DEVICE void factored(S s, Value *v, const Line &line, const Column &c) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST i64 kind = BEFORE ? step.before : step.after;
    MMAFFT_CONST i64 table = BEFORE ? step.before_table : step.after_table;
    MMAFFT_CONST i64 length = BEFORE ? step.before_length : step.after_length;
    MMAFFT_CONST i64 levels = BEFORE ? step.before_roots : step.after_roots;
    MMAFFT_CONST int J = points(s), extent = BEFORE ? int(step.in) : int(step.out);
    MMAFFT_IF (kind != FACTOR_NONE) {
      MMAFFT_CONST Axis axis = config.axis[step.axis];
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int at = BEFORE ? from_at(s, c.at, point(s, j)) : to_at(s, c.at, point(s, j));
        if (at < extent) {
          const i64 n = (BEFORE ? line.load_index : line.store_index) +
                        i64(at) * (BEFORE ? axis.load_index : axis.store_index);
          const i64 index = kind == FACTOR_LINE ? n : i64(at);
          v[j] = index < length ? multiply(v[j], load_table(tables() + table + index)) : Value{T(0), T(0)};
        }
      }
    }
    MMAFFT_IF (levels >= 0) four_step<BEFORE>(s, v, levels, line, c);
  }

  // Values at `at` = c + k·(n/r), k < r, of the part, times exp(∓2πi·l·at/N), l the line's number.
  template <bool BEFORE, class S>
  MMAFFT_DEVICE void four_step(S s, Value *v, i64 levels, const Line &line, const Column &column) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), extent = BEFORE ? int(step.in) : int(step.out);
    const auto root = [&](u64 e) { return roots(tables(), levels, config.roots_low, e); };
    MMAFFT_IF (config.roots_low > 0 && (step.op != OP_DFT || step.engine != ENGINE_SIMT)) {
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int at = BEFORE ? from_at(s, column.at, point(s, j)) : to_at(s, column.at, point(s, j));
        if (at < extent) v[j] = multiply(v[j], root(u64(line.roots) * u64(at)));
      }
    } else MMAFFT_IF (config.roots_low > 0) {
      const u64 column_root = u64(line.roots) * u64(column.at), row_root = u64(line.roots) * u64(step.points / step.radix);
      multiply_powers(v, J, step.points != step.radix, root(column_root),
                      [&](int k) { return root(u64(k) * row_root); });
    } else {
      const LineRoots<T> of = {tables() + levels + line.roots};
      int c = column.at;
      MMAFFT_IF (step.engine == ENGINE_DENSE) c = dense_column(s, c);
      const Value base = of.column(c);
      MMAFFT_IF (step.op != OP_DFT) v[0] = multiply(v[0], base);
      else {
        MMAFFT_IF (config.powers != 0 && step.engine == ENGINE_SIMT) {
          multiply_powers(v, J, step.points != step.radix, base, [&](int k) { return of.row(k); });
        } else {
          MMAFFT_UNROLL for (int j = 0; j < J; j++) {
            int k = point(s, j);
            MMAFFT_IF (step.engine == ENGINE_DENSE) k = dense_output(s, column.at, j);
            if (exists(s, column.at, k)) v[j] = multiply(v[j], multiply(base, of.row(k)));
          }
        }
      }
    }
  }

  // v = the first step's values, from memory. Every load of a thread is issued before the first
  // is used.
  template <class S> MMAFFT_DEVICE void load(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column(s, g);
      MMAFFT_IF (paired(s)) {
        load_pair(s, v + g * J, c);
        continue;
      }
      Line line = line_of(0, tile, c.line, c.outer, arguments.lines);
      const Others others = others_of<true>(s, c);
      MMAFFT_IF (config.blocks > 1) line.load_index += others.index;
      const bool live = c.live && line.live && others.inside;
      MMAFFT_IF (config.load_vector > 1) {
        if (g % int(config.load_vector) == 0) {
          MMAFFT_IF (config.load_vector == 2) load_neighbours<2>(s, line, others.address, c.at, live, v + g * J);
          MMAFFT_IF (config.load_vector == 4) load_neighbours<4>(s, line, others.address, c.at, live, v + g * J);
        }
      } else {
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          const int at = from_at(s, c.at, point(s, j));
          Value x = {T(0), T(0)};
          if (live && exists(s, c.at, point(s, j)) && at < int(step.in)) {
            x = load_point(s, line, others.address, at);
            MMAFFT_IF (step.op == OP_MERGE) {
              if (both_real(s, c.at, j)) x.y = load_point(s, line, others.address, int(step.points)).x;
            }
          }
          v[g * J + j] = x;
        }
      }
      MMAFFT_IF (step.before != FACTOR_NONE || step.before_roots >= 0) {
        if (live) factored<true>(s, v + g * J, line, c);
      }
    }
  }

  // The two values of a column that merges lines in mirrored pairs.
  template <class S> MMAFFT_DEVICE void load_pair(S s, Value *v, const Column &c) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int n = int(step.points);
    MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
      const int at = from_at(s, c.at, j), second = at < n ? 0 : 1;
      const Line line = line_of(0, tile, c.line, second, arguments.lines);
      v[j] = {T(0), T(0)};
      if (c.live && line.live) {
        v[j] = load_point(s, line, 0, at - second * n);
        if (both_real(s, c.at, j)) v[j].y = load_point(s, line, 0, n).x;
      }
    }
  }

  // v = the step's values, or the real or the imaginary parts of them, from shared memory.
  template <int PARTS, class S> MMAFFT_DEVICE void gather(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column(s, g);
      const int line = c.line * int(step.pitch_in), start = c.outer * int(step.in * step.inner) + c.inner;
      MMAFFT_IF (step.engine == ENGINE_DENSE) {
        if (c.live) dense(s, line, start, c.at, v + g * J);
        continue;
      }
      // Constant distances between a butterfly's points, where padding allows.
      MMAFFT_CONST int stride = int(step.points / step.radix * step.inner);
      MMAFFT_CONST bool constant = step.op == OP_DFT && step.engine == ENGINE_SIMT && step.hermitian == 0 &&
                                   separable(int(step.row_in), stride, int(step.radix), false);
      const int base = line + padded(step.row_in, start + from_at(s, c.at, 0) * int(step.inner));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        int at = from_at(s, c.at, point(s, j));
        bool mirrored = false;
        MMAFFT_IF (step.hermitian != 0) {
          mirrored = 2 * at > int(step.hermitian);
          if (mirrored) at = int(step.hermitian) - at;
        }
        Value &x = v[g * J + j];
        if (PARTS != IMAGINARY) x.x = T(0);
        if (PARTS != REAL) x.y = T(0);
        if (c.live && exists(s, c.at, point(s, j)) && at < int(step.in)) {
          MMAFFT_IF (constant) load_cell<PARTS>(base + padded(step.row_in, j * stride), x);
          else load_cell<PARTS>(line + padded(step.row_in, start + at * int(step.inner)), x);
          MMAFFT_IF (step.hermitian != 0) {
            if (mirrored) x = conjugate(x);
            if (at == 0 || 2 * at == int(step.hermitian)) x.y = T(0);
          }
          MMAFFT_IF (step.op == OP_MERGE) {
            if (both_real(s, c.at, j)) x.y = load_shared<T>(line + padded(step.row_in, start + int(step.points * step.inner))).x;
          }
          MMAFFT_IF (step.before != FACTOR_NONE) x = multiply(x, load_table(tables() + step.before_table + at));
        }
      }
    }
  }

  // Cells hold complex numbers; or real parts first, imaginary ones later, in half the memory.
  template <int PARTS> static MMAFFT_DEVICE void load_cell(int cell, Value &x) {
    if (PARTS == BOTH) x = load_shared<T>(cell);
    if (PARTS == REAL) x.x = load_shared_part<T>(cell);
    if (PARTS == IMAGINARY) x.y = load_shared_part<T>(cell);
  }
  template <int PARTS> static MMAFFT_DEVICE void store_cell(int cell, const Value &x) {
    if (PARTS == BOTH) store_shared<T>(cell, x);
    if (PARTS == REAL) store_shared_part<T>(cell, x.x);
    if (PARTS == IMAGINARY) store_shared_part<T>(cell, x.y);
  }

  // X[k], X[p-k] = x[0] + Σ cos·e ∓ i·Σ sin·o for a prime p too large for registers: with
  // w = exp(∓2πi·kn/p), e = x[n] + x[p-n] and o = x[n] - x[p-n], n <= (p-1)/2. Two sums each, as
  // errors grow with the root of their length. The roots lie at [n - 1][k].
  template <class S> MMAFFT_DEVICE void dense(S s, int line, int start, int c, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int radix = int(step.radix), stride = int(step.points / step.radix * step.inner);
    MMAFFT_CONST int K = int(step.copies), row = (radix / 2 + K) / K * K;
    start += (int(step.offset) + dense_column(s, c)) * int(step.inner);
    const Value *w = tables() + step.matrix + dense_first(s, c);
    const Value zero = load_shared<T>(line + padded(step.row_in, start));
    // v holds the sums of odd n; a and b those of even ones.
    Value a[MMAFFT_DENSE(step.copies)], b[MMAFFT_DENSE(step.copies)];
    MMAFFT_UNROLL for (int i = 0; i < K; i++) {
      a[i] = zero;
      b[i] = v[2 * i] = v[2 * i + 1] = {T(0), T(0)};
    }
    const auto add = [&](int n, Value *even, Value *odd, int step_of) {
      const Value x = load_shared<T>(line + padded(step.row_in, start + n * stride));
      const Value y = load_shared<T>(line + padded(step.row_in, start + (radix - n) * stride));
      const Value e = x + y, o = x - y;
      MMAFFT_UNROLL for (int i = 0; i < K; i++) {
        const Value r = load_table(w + (n - 1) * row + i);
        Value &p = even[i * step_of], &q = odd[i * step_of];
        p = {multiply_add(r.x, e.x, p.x), multiply_add(r.x, e.y, p.y)};
        q = {multiply_add(r.y, o.x, q.x), multiply_add(r.y, o.y, q.y)};
      }
    };
    // (p - 1)/2 may be odd.
    MMAFFT_LOOP for (int n = 1; n < radix / 2; n += 2) {
      add(n, v, v + 1, 2);
      add(n + 1, a, b, 1);
    }
    MMAFFT_IF (radix / 2 % 2 == 1) add(radix / 2, v, v + 1, 2);
    MMAFFT_UNROLL for (int i = 0; i < K; i++) {
      const Value even = a[i] + v[2 * i], odd = b[i] + v[2 * i + 1];
      v[2 * i] = {even.x - odd.y, even.y + odd.x};
      v[2 * i + 1] = {even.x + odd.y, even.y - odd.x};
    }
  }
  // The last step's values, to memory.
  template <class S> MMAFFT_DEVICE void store(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column(s, g);
      MMAFFT_IF (paired(s)) {
        store_pair(s, v + g * J, c);
        continue;
      }
      Line line = line_of(0, tile, c.line, c.outer, arguments.lines);
      const Others others = others_of<false>(s, c);
      MMAFFT_IF (config.blocks > 1) line.store_index += others.index;
      const bool live = c.live && line.live && others.inside;
      MMAFFT_IF (step.after != FACTOR_NONE || step.after_roots >= 0) {
        if (live) factored<false>(s, v + g * J, line, c);
      }
      MMAFFT_IF (config.store_vector > 1) {
        if ((g + 1) % int(config.store_vector) == 0) {
          MMAFFT_IF (config.store_vector == 2) store_neighbours<2>(s, line, others.address, c.at, live, v + g * J);
          MMAFFT_IF (config.store_vector == 4) store_neighbours<4>(s, line, others.address, c.at, live, v + g * J);
        }
      } else {
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          const int at = to_at(s, c.at, point(s, j));
          if (live && made(s, c.at, point(s, j)) && at < int(step.out)) {
            Value x = v[g * J + j];
            MMAFFT_IF (step.op == OP_SPLIT) {
              if (both_real(s, c.at, j)) {
                store_point(s, line, others.address, int(step.points), Value{x.y, T(0)});
                x.y = T(0);
              }
            }
            store_point(s, line, others.address, at, x);
          }
        }
      }
    }
  }

  // The two values of a column that splits lines in mirrored pairs.
  template <class S> MMAFFT_DEVICE void store_pair(S s, const Value *v, const Column &c) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int n = int(step.points);
    MMAFFT_UNROLL for (int j = 0; j < 2; j++) {
      const int at = to_at(s, c.at, j), second = at < n ? 0 : 1;
      const Line line = line_of(0, tile, c.line, second, arguments.lines);
      if (!c.live || !line.live) continue;
      const bool both = both_real(s, c.at, j);
      if (both) store_point(s, line, 0, n, Value{v[j].y, T(0)});
      store_point(s, line, 0, at - second * n, both ? Value{v[j].x, T(0)} : v[j]);
    }
  }

  // The step's values, or their real or imaginary parts, to shared memory.
  template <int PARTS, class S> MMAFFT_DEVICE void scatter(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column(s, g);
      Line place;
      MMAFFT_IF (step.after == FACTOR_LINE) place = line_of(0, tile, c.line, c.outer, arguments.lines);
      const int line = c.line * int(step.pitch_out), start = c.outer * int(step.out * step.inner) + c.inner;
      MMAFFT_CONST int stride = int(step.done * step.inner), block = stride * int(step.radix);
      // Outer indices begin at whole blocks.
      MMAFFT_CONST bool blocks = step.offset == 0 && (step.outer == 1 || step.out * step.inner % block == 0);
      MMAFFT_CONST bool constant = step.op == OP_DFT && step.engine == ENGINE_SIMT &&
                                   separable(int(step.row_out), stride, int(step.radix), blocks);
      const int base = line + padded(step.row_out, start + to_at(s, c.at, 0) * int(step.inner));
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int at = to_at(s, c.at, point(s, j));
        if (c.live && made(s, c.at, point(s, j)) && at < int(step.out)) {
          Value x = v[g * J + j];
          MMAFFT_IF (step.after != FACTOR_NONE) {
            // A convolution's spectrum; a part of a split line has its own stretch of it.
            i64 n = at - int(step.offset);
            MMAFFT_IF (step.after == FACTOR_LINE) n = place.live ? place.load_index + n : 0;
            const Value spectrum = load_table(tables() + step.after_table + n);
            MMAFFT_IF (step.rader) {
              // Bin 0 is the sum of all points but point 0, which is still where the copy
              // left it: X[0] = x[0] + sum, and x[0] is to be added to every other X.
              if (at == int(step.offset)) {
                const int zero = line + padded(step.row_out, start);
                const Value first = load_shared<T>(zero);
                store_shared<T>(zero, first + x);
                x = multiply(x, spectrum) + first;
              } else x = multiply(x, spectrum);
            } else x = multiply(x, spectrum);
          }
          MMAFFT_IF (step.op == OP_SPLIT) {
            if (both_real(s, c.at, j)) {
              store_shared<T>(line + padded(step.row_out, start + int(step.points * step.inner)), Value{x.y, T(0)});
              x.y = T(0);
            }
          }
          MMAFFT_IF (step.ordered) scatter_reals(s, line, at, x);
          else MMAFFT_IF (constant) store_cell<PARTS>(base + padded(step.row_out, j * stride), x);
          else store_cell<PARTS>(line + padded(step.row_out, start + at * int(step.inner)), x);
        }
      }
    }
  }

  // The reals that point `at` becomes, to where they lie in the line: two neighbours a cell.
  template <class S> MMAFFT_DEVICE void scatter_reals(S s, int line, int at, Value x) const {
    MMAFFT_STEP(S);
    const RealPair<int> pair = reals_of<int>(config.store_reals, at);
    x = weighted(config.store_reals, tables(), i64(at), x);
    const auto put = [&](const RealPlace<int> &place, T real) {
      if (!place.there) return;
      const int cell = line + padded(step.row_out, int(u32(place.index) / 2));
      store_shared_part<T>(2 * cell + place.index % 2, signed_real(config.store_reals, place, real, T(0.70710678118654752440)));
    };
    put(pair.first, x.x);
    put(pair.second, x.y);
  }

  // The step's values, or their parts, to the blocks of the cluster: with w = out/blocks, block b
  // goes on with points b·w … (b + 1)·w of the axis, of all indices of the other, in rows of w.
  template <int PARTS, class S> MMAFFT_DEVICE void scatter_across(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), G = int(step.groups), blocks = int(config.blocks), w = int(step.out) / blocks;
    // The last DFT's results c + done·j, c < done: every block takes as many of each column.
    MMAFFT_CONST int done = int(step.done), each = int(step.radix) / blocks;
    MMAFFT_CONST bool constant = step.op == OP_DFT && step.engine == ENGINE_SIMT && step.radix % blocks == 0 &&
                                 separable(int(step.row_out), done, each, true);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Column c = column_of(s, number(s, g));
      const int row = int(shared_out(s, c)) * w, base = padded(step.row_out, row + c.at);
      MMAFFT_UNROLL for (int j = 0; j < J; j++) {
        const int at = to_at(s, c.at, point(s, j));
        if (c.live && made(s, c.at, point(s, j)) && at < int(step.out)) {
          const Value &x = v[g * J + j];
          MMAFFT_IF (constant) store_cell_across<PARTS>(j / each, base + padded(step.row_out, j % each * done), x);
          else store_cell_across<PARTS>(at / w, padded(step.row_out, row + at % w), x);
        }
      }
    }
  }
  template <int PARTS> static MMAFFT_DEVICE void store_cell_across(int block, int cell, const Value &x) {
    if (PARTS == BOTH) store_shared_of<T>(block, cell, x);
    if (PARTS == REAL) store_shared_part_of<T>(block, cell, x.x);
    if (PARTS == IMAGINARY) store_shared_part_of<T>(block, cell, x.y);
  }

  // The twiddles between the two parts of a line that a cluster holds.
  template <class S> MMAFFT_DEVICE void twiddle_across(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column_of(s, number(s, g));
      const Line line = {0, 0, 0, 0, 0, shared_out(s, c), true};
      if (c.live) four_step<false>(s, v + g * points(s), step.after_roots, line, c);
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
      MMAFFT_IF (step.engine == ENGINE_MATRIX) matrix_product(s, v, arguments.matrices, thread % WAVE);
      MMAFFT_IF (step.engine == ENGINE_SIMT) {
        MMAFFT_IF (step.radix == 2) butterflies<2>(s, v);
        MMAFFT_IF (step.radix == 3) butterflies<3>(s, v);
        MMAFFT_IF (step.radix == 4) butterflies<4>(s, v);
        MMAFFT_IF (step.radix == 5) butterflies<5>(s, v);
        MMAFFT_IF (step.radix == 6) butterflies<6>(s, v);
        MMAFFT_IF (step.radix == 7) butterflies<7>(s, v);
        MMAFFT_IF (step.radix == 8) butterflies<8>(s, v);
        MMAFFT_IF (step.radix == 9) butterflies<9>(s, v);
        MMAFFT_IF (step.radix == 10) butterflies<10>(s, v);
        MMAFFT_IF (step.radix == 11) butterflies<11>(s, v);
        MMAFFT_IF (step.radix == 12) butterflies<12>(s, v);
        MMAFFT_IF (step.radix == 13) butterflies<13>(s, v);
        MMAFFT_IF (step.radix == 14) butterflies<14>(s, v);
        MMAFFT_IF (step.radix == 15) butterflies<15>(s, v);
        MMAFFT_IF (step.radix == 16) butterflies<16>(s, v);
        MMAFFT_IF (step.radix == 20) butterflies<20>(s, v);
        MMAFFT_IF (step.radix == 24) butterflies<24>(s, v);
        MMAFFT_IF (step.radix == 25) butterflies<25>(s, v);
        MMAFFT_IF (step.radix == 32) butterflies<32>(s, v);
      }
      MMAFFT_IF (step.twiddle >= 0) twiddle(s, v);
      MMAFFT_IF (step.target == PLACE_CLUSTER && step.after_roots >= 0) twiddle_across(s, v);
    }
    MMAFFT_IF (step.op == OP_SPLIT || step.op == OP_MERGE) halves(s, v);
  }

  // v[k] times first·w(k) for k < radix, where w(4a + b) = w(4a)·w(b): a third of the look-ups for
  // a rounding more.
  template <class W> static MMAFFT_DEVICE void multiply_powers(Value *v, int radix, bool shifted, Value first, W w) {
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

  // Values p, k times exp(∓2πi·pk / (n/s)), from the table [k - 1][p].
  template <class S> MMAFFT_DEVICE void twiddle(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int J = points(s), rows = int(step.points / (step.done * step.radix));
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const int at = column_of(s, number(s, g)).at;
      int c = at;
      MMAFFT_IF (step.engine == ENGINE_DENSE) c = dense_column(s, c);
      const int p = int(u32(c) / u32(step.done));
      const Value *const table = tables() + step.twiddle + p - rows;
      MMAFFT_IF (config.powers != 0 && step.engine == ENGINE_SIMT) {
        multiply_powers(v + g * J, J, false, Value{T(1), T(0)}, [&](int k) { return load_table(table + k * rows); });
      } else {
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          int k = point(s, j);
          MMAFFT_IF (step.engine == ENGINE_DENSE) k = dense_output(s, at, j);
          if (k > 0 && k < int(step.radix)) v[g * J + j] = multiply(v[g * J + j], load_table(table + k * rows));
        }
      }
    }
  }

  // With Z the spectrum of packed pairs x[2n] + i·x[2n+1] and w = exp(-πi·k/n):
  //   split   E = (Z[k] + conj Z[n-k])/2, O = (Z[k] - conj Z[n-k])/2i,  X[k] = E + w·O, X[n-k] = conj(E - w·O)
  //   merge   E = X[k] + conj X[n-k], O = conj(w)·(X[k] - conj X[n-k]), Z[k] = E + i·O, Z[n-k] = conj(E - i·O)
  // (the merge is twice the split's inverse, as an unscaled transform wants). Of lines in mirrored
  // pairs, w is a product of tables by c and by a of k = a + A·c; and points 0 and n/2 come together.
  template <class S> MMAFFT_DEVICE void halves(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column(s, g);
      Value *x = v + 2 * g;
      const Value other = x[1];
      Value w = {T(1), T(0)};
      if (both_real(s, c.at, 0)) {
        x[0] = {x[0].x + x[0].y, x[0].x - x[0].y};
        MMAFFT_CONST T scale = step.op == OP_MERGE ? T(2) : T(1);
        x[1] = {scale * other.x, -scale * other.y};
        continue;
      }
      MMAFFT_IF (paired(s)) {
        MMAFFT_CONST int n = int(step.points);
        const int at = from_at(s, c.at, 0), second = at < n ? 0 : 1;
        const Line line = line_of(0, tile, c.line, second, arguments.lines);
        if (c.live && line.live) {
          const i64 part = step.op == OP_SPLIT ? line.store_index : line.load_index;
          const Value *const table = tables() + step.twiddle;
          w = multiply(load_table(table + (at - second * n)), load_table(table + n + part));
        }
      } else if (c.live) w = load_table(tables() + step.twiddle + c.at);
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
      const Line line = line_of(0, tile, c.line, c.outer, arguments.lines);
      const Others others = others_of<true>(s, c);
      const i64 address = line.load + others.address + i64(c.at) * config.axis[step.axis].load_stride;
      const int to = c.line * int(step.pitch_out) +
                     padded(step.row_out, c.outer * int(step.out * step.inner) + to_at(s, c.at, 0) * int(step.inner) + c.inner);
      if (c.live) {
        if (line.live) copy_async<T>(to, reinterpret_cast<const Value *>(static_cast<const T *>(arguments.load) + address));
        else store_shared<T>(to, Value{T(0), T(0)});
      }
    }
    copy_wait();
  }

  // From this step's columns to the next one's, through shared memory. Everything that was
  // read from it must have been before anything is overwritten.
  template <int PARTS, class S> MMAFFT_DEVICE void exchange(S s, Value *v, bool used, const Pass &rest) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.target == PLACE_CLUSTER) {
      // All blocks have begun, and read what is overwritten here; and none goes on, or ends, before
      // everything has arrived.
      cluster_ready();
      scatter_across<PARTS>(s, v);
      cluster_barrier();
    } else {
      if (used) barrier();
      scatter<PARTS>(s, v);
      barrier();
    }
    rest.template gather<PARTS>(next(s), v);
  }

  // The step on values that are there, and all that follow.
  template <class S> MMAFFT_DEVICE void run(S s, Value *v) const {
    MMAFFT_STEP(S);
    compute(s, v);
    MMAFFT_IF (step.target == PLACE_MEMORY) {
      Pass last = *this;
      MMAFFT_IF (paired(s)) last.thread = thread_index_anew();
      last.store(s, v);
    } else {
      Pass rest = *this;
      // The way back of a convolution touches what the way there did: else addresses would be kept.
      // So does what follows the blocks' exchange.
      MMAFFT_IF (step.after != FACTOR_NONE || step.target == PLACE_CLUSTER) rest.thread = thread_index_anew();
      MMAFFT_IF (config.apart) {
        exchange<REAL>(s, v, step.source == PLACE_SHARED, rest);
        exchange<IMAGINARY>(s, v, true, rest);
      } else exchange<BOTH>(s, v, step.source == PLACE_SHARED, rest);
      // What cells of a split of two lines, their roots and their addresses have in common would be
      // kept too.
      MMAFFT_IF (paired(next(s))) rest.thread = thread_index_anew();
      rest.run(next(s), v);
    }
  }
};

template <class Scalar> MMAFFT_DEVICE void run_tile(const Arguments &arguments, u64 tile, int thread) {
  const Pass<Scalar> pass = {arguments, tile, thread};
  Pair<typename Arithmetic<Scalar>::type> v[MMAFFT_VALUES];
  MMAFFT_IF (config.step[0].op == OP_COPY && config.step[0].target == PLACE_SHARED) {
    MMAFFT_IF (config.step[0].async) pass.copy(FirstStep());
    else {
      pass.load(FirstStep(), v);
      pass.template scatter<Pass<Scalar>::BOTH>(FirstStep(), v);
    }
    barrier();
    // Else the addresses would be kept for a copy out, in registers that the steps need.
    const Pass<Scalar> rest = {arguments, tile, thread_index_anew()};
    rest.template gather<Pass<Scalar>::BOTH>(next(FirstStep()), v);
    rest.run(next(FirstStep()), v);
  } else {
    pass.load(FirstStep(), v);
    pass.run(FirstStep(), v);
  }
}

template <class Scalar> MMAFFT_DEVICE void run_tiles(const Arguments &arguments) {
  const u64 tiles = (arguments.lines + u64(config.lines) - 1) / u64(config.lines);
  // Of a cluster's blocks, or of the only one.
  const u32 first = block_index() / u32(config.blocks), count = block_count() / u32(config.blocks);
  // No loop around a single tile: compilers move what all tiles share out of it, and there is
  // more of it than registers.
  MMAFFT_IF (config.many_tiles) {
    for (u64 tile = first; tile < tiles; tile += count) {
      // This tile overwrites what the last step of the one before reads.
      if (tile >= count) barrier();
      run_tile<Scalar>(arguments, tile, thread_index_anew());
    }
  } else run_tile<Scalar>(arguments, first, thread_index());
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
#ifdef MMAFFT_ENTRY_mmafft_cluster
MMAFFT_KERNEL void MMAFFT_CLUSTER(config.blocks) MMAFFT_BOUNDS(config.threads, config.residents)
    mmafft_cluster(Arguments arguments) { dispatch(arguments); }
#endif

}  // namespace mmafft
