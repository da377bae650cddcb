// Between registers and shared memory, a block's or a cluster's: gather and scatter, the copy that
// needs no registers, and the dense sums over points that lie there. Members of `Pass`, included by
// pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// The cell of a column's point k, before the step or after it.
template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE int Pass<Scalar>::cell_of(S s, const Column &c, int k) const {
  MMAFFT_STEP(S);
  const int at = AFTER ? to_at(s, c.at, k) : from_at(s, c.at, k), extent = int(AFTER ? step.output : step.input);
  const int in_line = c.outer * extent * int(step.inner) + c.inner + at * int(step.inner);
  return c.line * int(AFTER ? step.pitch_out : step.pitch_in) + padded(AFTER ? step.row_out : step.row_in, in_line);
}
// That of the first point that the thread has of column c, which is its group's. Of digits apart, one address
// and constants.
template <class Scalar> template <bool AFTER, class S>
MMAFFT_DEVICE int Pass<Scalar>::first_cell(S s, const Column &c, int group) const {
  MMAFFT_STEP(S);
  MMAFFT_IF (digits_apart(s)) {
    const Digits of = digits(s, group);
    return cell_of<AFTER>(s, of.first, point(s, 0)) + cell_of<AFTER>(s, of.further, 0);
  } else return cell_of<AFTER>(s, c, point(s, 0));
}

// v = the step's values, or the real or the imaginary parts of them, from shared memory.
template <class Scalar> template <int PARTS, class S>
MMAFFT_DEVICE void Pass<Scalar>::gather(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups);
  MMAFFT_IF (step.engine == ENGINE_DENSE) {
    dense(s, v);
    return;
  }
  MMAFFT_IF (step.folded && step.reals_in != REALS_NONE) {
    load_symmetric(s, v);
    finish_symmetric(s, v);
    return;
  }
  MMAFFT_IF (step.op == OP_COPY && PARTS == BOTH) {
    MMAFFT_IF (cells_in_row(s, step.pitch_in, step.row_in)) {
      MMAFFT_UNROLL for (int g = 0; g < G; g++) {
        const int at = number(s, g);
        v[g] = at < int(config.lines * step.columns) ? load_shared<T>(at) : Value{T(0), T(0)};
      }
      return;
    }
  }
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const int line = c.line * int(step.pitch_in), start = c.outer * int(step.input * step.inner) + c.inner;
    // Constant distances between a butterfly's points, where padding allows.
    MMAFFT_CONST int stride = int(step.points / step.radix * step.inner);
    MMAFFT_CONST bool constant = step.hermitian == 0 && step.from_table < 0 && constant_cells(s, step.row_in, stride, false);
    const int base = constant ? first_cell<false>(s, c, g) : 0;
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      int at = place_from(s, c, j).at();
      bool mirrored = false;
      MMAFFT_IF (step.hermitian != 0) {
        mirrored = 2 * at > int(step.hermitian);
        if (mirrored) at = int(step.hermitian) - at;
      }
      Value &x = v[g * J + j];
      if (PARTS != IMAGINARY) x.x = T(0);
      if (PARTS != REAL) x.y = T(0);
      if ((all_load(s) || c.live) && exists(s, c.at, point(s, j)) && given_at(s, at)) {
        MMAFFT_IF (step.reals_in != REALS_NONE) x = gather_reals(s, c, point(s, j), at);
        else MMAFFT_IF (constant) load_cell<PARTS>(base + padded(step.row_in, distance(s, j) * stride), x);
        else load_cell<PARTS>(line + padded(step.row_in, start + at * int(step.inner)), x);
        MMAFFT_IF (step.hermitian != 0) {
          if (mirrored) x = conjugate(x);
          if (at == 0 || 2 * at == int(step.hermitian)) x.y = T(0);
        }
        MMAFFT_IF (merges(s)) {
          if (both_real(s, c, j)) {
            MMAFFT_IF (step.reals_in != REALS_NONE) x.y = gather_reals(s, c, -1, int(step.points)).x;
            else x.y = load_shared<T>(line + padded(step.row_in, start + int(step.points * step.inner))).x;
          }
        }
        MMAFFT_IF (step.before != FACTOR_NONE) x = multiply(x, load_table(tables() + step.before_table + at));
      }
    }
  }
}

// Cells hold complex numbers; or real parts first, imaginary ones later, in half the memory.
template <class Scalar> template <int PARTS>
MMAFFT_DEVICE void Pass<Scalar>::load_cell(int cell, Value &x) {
  if (PARTS == BOTH) x = load_shared<T>(cell);
  if (PARTS == REAL) x.x = load_shared_part<T>(cell);
  if (PARTS == IMAGINARY) x.y = load_shared_part<T>(cell);
}

template <class Scalar> template <int PARTS>
MMAFFT_DEVICE void Pass<Scalar>::store_cell(int cell, const Value &x) {
  if (PARTS == BOTH) store_shared<T>(cell, x);
  if (PARTS == REAL) store_shared_part<T>(cell, x.x);
  if (PARTS == IMAGINARY) store_shared_part<T>(cell, x.y);
}

// X[k], X[p-k] = x[0] + Σ cos·e ∓ i·Σ sin·o for a prime p too large for registers: with
// w = exp(∓2πi·kn/p), e = x[n] + x[p-n] and o = x[n] - x[p-n], n <= (p-1)/2. Two sums each, as
// errors grow with the root of their length. The roots lie at [n - 1][k]; a thread reads each once for
// all of its columns, which have the same outputs.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::dense(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups), K = int(step.copies), radix = int(step.radix);
  MMAFFT_CONST int stride = dense_rows(s), row = (radix / 2 + K) / K * K;
  // v holds the sums of odd n; a and b those of even ones.
  Value a[MMAFFT_DENSE(step.groups * step.copies)], b[MMAFFT_DENSE(step.groups * step.copies)];
  int line[MMAFFT_DENSE(step.groups)], start[MMAFFT_DENSE(step.groups)], first_at[MMAFFT_DENSE(step.groups)];
  // Of point n of a group's column.
  const auto cell = [&](int g, int n) { return line[g] + padded(step.row_in, start[g] + taken(s, first_at[g] + n * stride) * int(step.inner)); };
  const Column first = column_of(s, number(s, 0));
  if (!first.live) return;
  const Value *w = tables() + step.matrix + dense_first(s, first.at);
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    Column c = column_of(s, number(s, g));
    // What is not there is computed again, and not stored.
    if (!c.live) c = first;
    line[g] = c.line * int(step.pitch_in);
    start[g] = c.outer * int(step.input * step.inner) + c.inner;
    first_at[g] = dense_column(s, c.at);
    const Value zero = load_shared<T>(cell(g, 0));
    MMAFFT_UNROLL for (int i = 0; i < K; i++) {
      a[g * K + i] = zero;
      b[g * K + i] = v[g * J + 2 * i] = v[g * J + 2 * i + 1] = {T(0), T(0)};
    }
  }
  const auto add = [&](int n, Value *even, Value *odd, int step_of) {
    Value r[MMAFFT_DENSE(step.copies)];
    MMAFFT_UNROLL for (int i = 0; i < K; i++) r[i] = load_table(w + (n - 1) * row + i);
    MMAFFT_UNROLL for (int g = 0; g < G; g++) {
      const Value x = load_shared<T>(cell(g, n));
      const Value y = load_shared<T>(cell(g, radix - n));
      const Value e = x + y, o = x - y;
      MMAFFT_UNROLL for (int i = 0; i < K; i++) {
        Value &p = even[(g * K + i) * step_of], &q = odd[(g * K + i) * step_of];
        p = {multiply_add(r[i].x, e.x, p.x), multiply_add(r[i].x, e.y, p.y)};
        q = {multiply_add(r[i].y, o.x, q.x), multiply_add(r[i].y, o.y, q.y)};
      }
    }
  };
  // (p - 1)/2 may be odd.
  MMAFFT_LOOP for (int n = 1; n < radix / 2; n += 2) {
    add(n, v, v + 1, 2);
    add(n + 1, a, b, 1);
  }
  MMAFFT_IF (radix / 2 % 2 == 1) add(radix / 2, v, v + 1, 2);
  MMAFFT_UNROLL for (int i = 0; i < G * K; i++) {
    const Value even = a[i] + v[2 * i], odd = b[i] + v[2 * i + 1];
    v[2 * i] = {even.x - odd.y, even.y + odd.x};
    v[2 * i + 1] = {even.x + odd.y, even.y - odd.x};
  }
}

// Point `at` times a convolution's spectrum; a part of a split line has its own stretch of it. Of Rader's, cell
// `zero` has point 0.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::times_spectrum(S s, const Line &place, int zero, int at, Value x) const {
  MMAFFT_STEP(S);
  i64 n = at - int(step.offset);
  MMAFFT_IF (step.after == FACTOR_LINE) n = place.live ? place.load_index + n : 0;
  const Value product = multiply(x, load_table(tables() + step.after_table + n));
  MMAFFT_IF (step.rader) {
    // Bin 0 is the sum of all points but point 0, which is still where the copy left it: X[0] = x[0] + sum,
    // and x[0] is to be added to every other X.
    if (at == int(step.offset)) {
      const Value first = load_shared<T>(zero);
      store_shared<T>(zero, first + x);
      return product + first;
    }
  }
  return product;
}

// The middle of a convolution: the next step has these values.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::convolve(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups);
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    Line place;
    MMAFFT_IF (step.after == FACTOR_LINE) place = line_of(0, tile, c.line, c.outer, arguments.lines);
    const int zero = c.line * int(step.pitch_out) + padded(step.row_out, c.outer * int(step.output * step.inner) + c.inner);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      Value &x = v[g * J + j];
      if (c.live && made(s, c.at, point(s, j))) x = times_spectrum(s, place, zero, place_to(s, c, j).at(), x);
      else x = {T(0), T(0)};
    }
  }
}

// The step's values, or their real or imaginary parts, to shared memory.
template <class Scalar> template <int PARTS, class S>
MMAFFT_DEVICE void Pass<Scalar>::scatter(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups);
  MMAFFT_IF (step.folded && step.reals_out != REALS_NONE) {
    store_symmetric(s, v);
    return;
  }
  MMAFFT_IF (step.op == OP_COPY && PARTS == BOTH) {
    MMAFFT_IF (cells_in_row(s, step.pitch_out, step.row_out)) {
      MMAFFT_UNROLL for (int g = 0; g < G; g++) {
        const int at = number(s, g);
        if (at < int(config.lines * step.columns)) store_shared<T>(at, v[g]);
      }
      return;
    }
  }
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    Line place;
    MMAFFT_IF (step.after == FACTOR_LINE) place = line_of(0, tile, c.line, c.outer, arguments.lines);
    const int line = c.line * int(step.pitch_out), start = c.outer * int(step.output * step.inner) + c.inner;
    MMAFFT_CONST int stride = int(step.done * step.inner), block = stride * int(step.radix);
    // Outer indices begin at whole blocks.
    MMAFFT_CONST bool blocks = step.offset == 0 && (step.outer == 1 || step.output * step.inner % block == 0);
    MMAFFT_CONST bool constant = step.to_table < 0 && constant_cells(s, step.row_out, stride, blocks);
    const int base = constant ? first_cell<true>(s, c, g) : 0;
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = place_to(s, c, j).at();
      if (c.live && made(s, c.at, point(s, j)) && kept_at(s, at)) {
        Value x = v[g * J + j];
        MMAFFT_IF (step.after != FACTOR_NONE) x = times_spectrum(s, place, line + padded(step.row_out, start), at, x);
        MMAFFT_IF (splits(s)) {
          if (both_real(s, c, j)) {
            Value last = {x.y, T(0)};
            x.y = T(0);
            MMAFFT_IF (step.after_roots >= 0) {
              const Line part = {0, 0, 0, 0, 0, other_part(s, c), true};
              last = multiply(last, line_root(s, part, true));
              x = multiply(x, line_root(s, part, false));
            }
            MMAFFT_IF (step.reals_out != REALS_NONE) scatter_reals(s, c, -1, int(step.points), last);
            else store_shared<T>(line + padded(step.row_out, start + int(step.points * step.inner)), last);
          }
        }
        MMAFFT_IF (step.reals_out != REALS_NONE) scatter_reals(s, c, point(s, j), at, x);
        else MMAFFT_IF (constant) store_cell<PARTS>(base + padded(step.row_out, distance(s, j) * stride), x);
        else store_cell<PARTS>(line + padded(step.row_out, start + at * int(step.inner)), x);
      }
    }
  }
}

// Where result j of column c, point `at` of the axis, goes in a cluster: to which block, and where in a row of its
// share: two parts, of which the second is the column's own constant. With w = out/blocks, block b goes on with
// points b·w … (b + 1)·w; or, where these are to be in pairs, with as many as `shared_out` says.
struct InShare {
  int block, first, further;
};
template <class S> MMAFFT_DEVICE InShare in_share(S s, int c, int j, int at) {
  MMAFFT_STEP(S);
  MMAFFT_CONST int blocks = int(config.blocks), out = int(step.output), w = out / blocks, done = int(step.done), R = int(step.radix);
  // The last DFT's results c + done·j, c < done: every block takes as many of each column, pairs or single ones.
  MMAFFT_CONST bool simt = step.op == OP_DFT && step.engine == ENGINE_SIMT;
  MMAFFT_IF (step.images_out > 0) {
    MMAFFT_CONST int half = w / 2, each = half / done > 0 ? half / done : 1, less = out - int(step.images_out);
    MMAFFT_IF (simt && R % (2 * blocks) == 0 && separable(step.row_out, done, each, true)) {
      if (2 * j < R) return {j / each, c, j % each * done};
      // The image of c + done·j is done-c + done·(R-1-j), less 1 where they face each other. Of a mirrored column
      // 0 it is done·(R-j), and R/2 is in the place of 0's.
      const bool zero = less == 0 && c == 0;
      const int image = zero ? (R - j) % (R / 2) : R - 1 - j;
      return {image / each, half + (zero ? 0 : done - less - c), image % each * done};
    } else {
      const int a = 2 * at < out ? at : (out - less - at) % (out / 2);
      return {a / half, (2 * at < out ? 0 : half) + a % half, 0};
    }
  } else {
    MMAFFT_CONST int each = R / blocks > 0 ? R / blocks : 1;
    MMAFFT_IF (simt && R % blocks == 0 && separable(step.row_out, done, each, true)) return {j / each, c, j % each * done};
    else return {at / w, at % w, 0};
  }
}

// The step's values, or their parts, to the blocks of the cluster, of all indices of the other axis, in rows.
template <class Scalar> template <int PARTS, class S>
MMAFFT_DEVICE void Pass<Scalar>::scatter_across(S s, Value *v) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s), G = int(step.groups), w = int(step.output) / int(config.blocks);
  MMAFFT_UNROLL for (int g = 0; g < G; g++) {
    const Column c = column(s, g);
    const int line = c.line * int(step.pitch_out), row = int(shared_out(s, c)) * w;
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = place_to(s, c, j).at();
      if (c.live && made(s, c.at, point(s, j)) && kept_at(s, at)) {
        const InShare to = in_share(s, c.at, j, at);
        store_cell_across<PARTS>(to.block, line + padded(step.row_out, row + to.first) + padded(step.row_out, to.further), v[g * J + j]);
      }
    }
  }
}

template <class Scalar> template <int PARTS>
MMAFFT_DEVICE void Pass<Scalar>::store_cell_across(int block, int cell, const Value &x) {
  if (PARTS == BOTH) store_shared_of<T>(block, cell, x);
  if (PARTS == REAL) store_shared_part_of<T>(block, cell, x.x);
  if (PARTS == IMAGINARY) store_shared_part_of<T>(block, cell, x.y);
}

// From memory to shared memory without registers, where nothing is to be done on the way.
template <class Scalar> template <class S>
MMAFFT_DEVICE void Pass<Scalar>::copy(S s) const {
  MMAFFT_STEP(S);
  const T *const memory = static_cast<const T *>(arguments.load);
  const auto put = [&](int cell, bool live, const T *from) {
    if (live) copy_async<T>(cell, reinterpret_cast<const Value *>(from));
    else store_shared<T>(cell, Value{T(0), T(0)});
  };
  MMAFFT_CONST int all = int(config.lines * step.columns), apart = int(config.threads);
  MMAFFT_IF (step.in_row) {
    MMAFFT_ASSUME(u32(thread) < u32(config.threads));
    const int there = there_in_row(s);
    const T *const from = memory + row_of_tile(s) + i64(thread) * 2;
    MMAFFT_CONST bool same = cells_in_row(s, step.pitch_out, step.row_out);
    // Of one line, threads that are whole rows of cells have constant distances.
    MMAFFT_CONST bool rows = config.lines == 1 && step.row_out >> 32 == 0 && step.row_out > 0 && apart % step.row_out == 0;
    const auto cell = [&](int g) {
      const int at = thread + g * apart;
      MMAFFT_IF (same) return at;
      MMAFFT_IF (rows) return padded(step.row_out, thread) + padded(step.row_out, g * apart);
      const Column c = column_of(s, at);
      return c.line * int(step.pitch_out) + padded(step.row_out, to_at(s, c.at, 0));
    };
    // Of a whole tile there is nothing to ask.
    if (there == all) {
      MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
        const int at = thread + g * apart;
        if (at < all) put(cell(g), true, from + i64(g) * apart * 2);
      }
    } else {
      MMAFFT_LOOP for (int g = 0; g < int(step.groups); g++) {
        const int at = thread + g * apart;
        if (at < all) put(cell(g), at < there, from + i64(g) * apart * 2);
      }
    }
  } else {
    MMAFFT_UNROLL for (int g = 0; g < int(step.groups); g++) {
      const Column c = column_of(s, number(s, g));
      const Line line = line_of(0, tile, c.line, c.outer, arguments.lines);
      const Others others = others_of<true>(s, c);
      const int cell = c.line * int(step.pitch_out) +
                       padded(step.row_out, c.outer * int(step.output * step.inner) + to_at(s, c.at, 0) * int(step.inner) + c.inner);
      const i64 address = line.load + others.address + along<true>(s, Place{c.at, 0});
      if (c.live) put(cell, line.live, memory + address);
    }
  }
  copy_wait();
}

}  // namespace mmafft
