// Where a thread's values are: its columns of a step, their lines in memory, their cells in
// shared memory; and what memory's scalars are in arithmetic.
#pragma once
#include "butterflies.hpp"
#include "type_one.hpp"

namespace mmafft {

struct Half { u16 bits; };
struct Bf16 { u16 bits; };

// Points that lie beside each other, moved as one.
template <class S, int N> struct alignas(2 * N * sizeof(S)) Neighbours {
  Pair<S> at[N];
};

// What a scalar of memory is in arithmetic.
template <class S> struct Arithmetic { typedef float type; };
template <> struct Arithmetic<double> { typedef double type; };
MMAFFT_DEVICE double widen(double x) { return x; }
MMAFFT_DEVICE float widen(float x) { return x; }
MMAFFT_DEVICE float widen(Half x) { return widen_half(x.bits); }
MMAFFT_DEVICE float widen(Bf16 x) { return widen_bf16(x.bits); }
MMAFFT_DEVICE void narrow(double x, double &y) { y = x; }
MMAFFT_DEVICE void narrow(float x, float &y) { y = x; }
MMAFFT_DEVICE void narrow(float x, Half &y) { y.bits = round_half(x); }
MMAFFT_DEVICE void narrow(float x, Bf16 &y) { y.bits = round_bf16(x); }

// The cell of point `at` of a line in shared memory: with rows of `row` points, one cell is left
// free after each, so that power-of-two strides do not meet in one bank; with 0, none is. The upper half
// of `row` are longer rows, with another free cell each.
MMAFFT_DEVICE constexpr int padded(i64 row, int at) {
  const u32 near = u32(row), far = u32(u64(row) >> 32);
  return at + (near == 0 ? 0 : int(u32(at) / near)) + (far == 0 ? 0 : int(u32(at) / far));
}

// Whether padded(base + i·stride) = padded(base) + padded(i·stride) for 0 <= i < count, so
// that the second part is a constant: either strides are whole rows; or base is b + a multiple
// of count·stride, b < stride, and rows and blocks of count·stride divide each other.
MMAFFT_DEVICE constexpr bool separable_row(int row, int stride, int count, bool blocks) {
  return row == 0 || stride % row == 0 ||
         (blocks && row % stride == 0 && (count * stride % row == 0 || row % (count * stride) == 0));
}
MMAFFT_DEVICE constexpr bool separable(i64 row, int stride, int count, bool blocks) {
  return separable_row(int(u32(row)), stride, count, blocks) && separable_row(int(u64(row) >> 32), stride, count, blocks);
}

// Whether point n, which is never negative, is in a range of memory's side: constants both, 0 and NO_END
// for all points.
MMAFFT_DEVICE bool within(i64 n, i64 begin, i64 end) { return (begin == 0 || n >= begin) && (end == NO_END || n < end); }

// Scalars before number i of what a loop or an axis counts: all at one stride, or in runs.
template <class N> MMAFFT_DEVICE constexpr i64 in_runs(N i, i64 stride, i64 run, i64 apart) {
  return run == 0 ? i64(i) * stride : i64(i / N(run)) * apart + i64(i % N(run)) * stride;
}

// Whether lines are stored in runs.
template <class S> MMAFFT_DEVICE constexpr bool lines_in_runs(S) {
  bool found = false;
  for (int l = 0; l < int(config.loops); l++) found = found || config.loop[l].store_run != 0;
  return found;
}

// One column of a step: which line, and where in it.
struct Column {
  int line, outer, at, inner;
  bool live;
  int further;  // what of `at` is the same for all threads, where compilers would not see that
};

// A scalar that is not read, but brought nearer: a pass over such asks for what a later tile will load.
template <class S> struct Ahead { S scalar; };
template <class S> struct Arithmetic<Ahead<S>> { typedef typename Arithmetic<S>::type type; };
template <class S> MMAFFT_DEVICE typename Arithmetic<S>::type widen(Ahead<S>) { return {}; }
template <class S> struct IsAhead { enum { value = false }; };
template <class S> struct IsAhead<Ahead<S>> { enum { value = true }; };
template <class S> MMAFFT_DEVICE Ahead<S> load_memory(const Ahead<S> *from) {
  bring_nearer(reinterpret_cast<const S *>(from));
  return {};
}
template <class S> MMAFFT_DEVICE Pair<Ahead<S>> load_memory(const Pair<Ahead<S>> *from) {
  bring_nearer(reinterpret_cast<const Pair<S> *>(from));
  return {};
}
template <class S, int N> MMAFFT_DEVICE Neighbours<Ahead<S>, N> load_memory(const Neighbours<Ahead<S>, N> *from) {
  bring_nearer(reinterpret_cast<const Neighbours<S, N> *>(from));
  return {};
}

// A line's addresses: scalars before its first point, and how many points of the split
// line lie before it.
struct Line {
  i64 load, store, load_index, store_index;
  u64 edge;
  u32 roots;
  bool live;
};

// DFTs of a dense step in one line, and the sets of outputs that each is cut into.
template <class S> MMAFFT_DEVICE constexpr int dense_rows(S s) {
  MMAFFT_STEP(S);
  return int(step.points / step.radix);
}
template <class S> MMAFFT_DEVICE constexpr int dense_sets(S s) {
  MMAFFT_STEP(S);
  return int(step.columns) / dense_rows(s);
}

// Whether memory has reals that points are made of, or become. These passes are bound by the instructions they
// issue (docs/lab/2026-11-28-kernels.md), and a DCT-II of 1000 has 1440 of them in place of 1648; complex lines wait for memory, and
// keep the code that they were measured with.
template <class S> MMAFFT_DEVICE constexpr bool of_reals(S) {
  return config.load_points == POINTS_ORDERED || config.store_points == POINTS_ORDERED;
}

template <class N> MMAFFT_DEVICE constexpr N smaller(N a, N b) { return b < a ? b : a; }

// Whether lanes beyond the last column have that one, and lines beyond the last are that one: they load what is there,
// without being asked and without zeros in its place, and store nothing. Of whole lines of type III, which load real
// by real and are bound by the instructions they issue, where a launch says so.
template <class S> MMAFFT_DEVICE constexpr bool all_load(S s) {
  MMAFFT_STEP(S);
  const Reals &side = config.load_reals;
  const bool third = side.pairing == PAIRING_HALVES && (side.weights >= 0 || MMAFFT_FIRST_STEP.weighted != 0);
  return config.unasked && config.load_points == POINTS_ORDERED && third && config.blocks == 1 && config.mirrored == 0 &&
         step.engine == ENGINE_SIMT;
}

// Points of the other part of a line of which a column has two, those that mirror each other: as many fewer are
// counted.
template <class S> MMAFFT_DEVICE constexpr u32 counted_inner(S s) {
  MMAFFT_STEP(S);
  return u32(step.images > 0 && step.facing != FACING_NONE ? step.inner / 2 : step.inner);
}

// The column of this number, which may be said to be there.
template <class S> MMAFFT_DEVICE Column column_of(S s, int number, bool there = false) {
  MMAFFT_STEP(S);
  MMAFFT_CONST u32 lines = u32(config.lines), inner = counted_inner(s), outer = u32(step.outer);
  MMAFFT_CONST bool dense = step.engine == ENGINE_DENSE;
  MMAFFT_CONST u32 columns = dense ? u32(dense_rows(s)) : u32(step.columns), run = step.lines_fast > 1 ? u32(step.lines_fast) : 1;
  Column c;
  u32 rest = u32(number), set = 0, in_run = 0;
  c.live = there || rest < lines * u32(step.columns) * inner * outer;
  c.further = 0;
  MMAFFT_IF (all_load(s)) rest = there ? rest : smaller(rest, lines * columns * inner * outer - 1);
  // Of a single axis line a column is its number, which is then the thread's and a constant.
  MMAFFT_IF (!dense && of_reals(s) && lines * inner * outer == 1) {
    c.line = c.outer = c.inner = 0;
    c.at = int(all_load(s) ? rest : c.live ? rest : columns - 1);
    return c;
  }
  // Sets of outputs come last.
  MMAFFT_IF (dense) {
    set = rest / (lines * columns * inner * outer);
    rest %= lines * columns * inner * outer;
  }
  MMAFFT_IF (step.lines_fast) {
    in_run = rest % run;
    rest /= run;
    c.line = int(rest % lines);
    rest /= lines;
  }
  // What goes to other blocks lies in rows there, and the columns of one axis are these.
  MMAFFT_IF (step.target == PLACE_CLUSTER) {
    c.at = int(rest % columns + set * columns);
    rest /= columns;
    c.inner = int(rest % inner);
    rest /= inner;
    // Of a single line there is nothing to divide.
    MMAFFT_IF (lines == 1) c.line = 0;
    else MMAFFT_IF (!step.lines_fast) {
      c.line = int(rest / outer);
      rest %= outer;
    }
    c.outer = int(rest);
    return c;
  }
  MMAFFT_IF (step.outer_fast) {
    c.outer = int(rest % outer);
    rest /= outer;
  }
  c.inner = int(rest % inner);
  rest /= inner;
  c.at = int(rest % (columns / run) * run + in_run + set * columns);
  rest /= columns / run;
  MMAFFT_IF (step.lines_fast) c.outer = int(rest);
  else MMAFFT_IF (step.outer_fast) c.line = int(rest);
  else {
    c.outer = int(rest % outer);
    c.line = int(rest / outer);
  }
  return c;
}

// The number's digits in the loops' counts, outermost loop first, times the strides.
template <class N> MMAFFT_DEVICE Line place_line(N number) {
  Line line = {0, 0, 0, 0, 0, 0, true};
  MMAFFT_UNROLL for (int l = int(config.loops) - 1; l >= 0; l--) {
    const Loop loop = config.loop[l];
    N i = number;
    if (l > 0) {
      i = number % N(loop.count);
      number /= N(loop.count);
    }
    line.load += in_runs(i, loop.load, loop.load_run, loop.load_apart);
    line.store += in_runs(i, loop.store, loop.store_run, loop.store_apart);
    line.load_index += i64(i) * loop.load_index;
    line.store_index += i64(i) * loop.store_index;
    line.edge += u64(i) * u64(loop.edge);
    if (l == config.roots_loop) line.roots = u32(i);
  }
  return line;
}

// Of lines in mirrored pairs, a and A - a of a whole line's parts or of rows (0 and A/2), or a and
// A - 1 - a: which pair of their line or their array pair `at` is.
template <class N> MMAFFT_DEVICE N pair_of(N at) {
  return at / N(config.mirrored_inner) % N(config.mirrored / 2);
}
// Whether its lines are their own mirror images.
template <class N> MMAFFT_DEVICE bool mirrors_itself(N at) {
  const N pair = pair_of(at);
  MMAFFT_IF (config.mirrored_facing) return false;
  MMAFFT_IF (config.mirrored_row > 1) {
    MMAFFT_CONST N row = N(config.mirrored_row);
    return pair < row && pair % (row / 2) == 0;
  } else return pair == 0;
}
// And the number of its first line, or its second one. Whole lines inside of the pairs come first.
template <class N> MMAFFT_DEVICE N line_of_pair(N at, int second) {
  MMAFFT_CONST N inner = N(config.mirrored_inner), lines = N(config.mirrored);
  const N rest = at % inner, pair = pair_of(at), whole = at / inner / (lines / 2);
  N line = pair;
  MMAFFT_IF (config.mirrored_row > 1) {
    // Rows (a, b) of A x B: pairs of one a mirror each other in b where a is 0 or A/2, which the first
    // `row` pairs are.
    MMAFFT_CONST N row = N(config.mirrored_row), half = row / 2;
    const N a = pair / row, b = pair % row;
    if (a > 0) {
      if (second != 0) line = lines - a * row + (b == 0 ? 0 : row - b);
    } else {
      const N i = b % half;
      line = (b < half ? 0 : lines / 2) + (second == 0 ? i : i == 0 ? half : row - i);
    }
  } else {
    if (second != 0) line = config.mirrored_facing ? lines - 1 - pair : pair == 0 ? lines / 2 : lines - pair;
  }
  return (whole * lines + line) * inner + rest;
}

// The tile's line `number`; of a pair of lines the first or the `second`. The last one, if asked, for those beyond.
template <class W> MMAFFT_DEVICE Line line_of(W, u64 tile, int number, int second, u64 lines, bool last = false) {
  u64 at = tile * u64(config.lines) + u64(number);
  const bool live = at < lines;
  // A block's only line is there.
  if (last && config.lines > 1) {
    MMAFFT_IF (config.wide) at = smaller(at, lines - 1);
    else at = smaller(u32(at), u32(lines) - 1);
  }
  MMAFFT_IF (config.mirrored > 0) {
    MMAFFT_IF (config.wide) at = line_of_pair<u64>(at, second);
    else at = line_of_pair<u32>(u32(at), second);
  }
  Line line;
  MMAFFT_IF (config.wide) line = place_line<u64>(at);
  else line = place_line<u32>(u32(at));
  line.live = live;
  return line;
}

// Scalars before point `at` of an axis.
template <bool LOAD> MMAFFT_DEVICE constexpr i64 along_axis(const Axis &axis, u32 at) {
  return LOAD ? in_runs(at, axis.load_stride, axis.load_run, axis.load_apart)
              : in_runs(at, axis.store_stride, axis.store_run, axis.store_apart);
}

// What the coordinates other than the step's own add to an address, and to the point's number in
// the line whose parts the axes are, or whose columns or rows the step is of; and whether they are in range.
struct Others {
  i64 address, index;
  bool inside;
};

// The other one of a pair of points, a less than half of all, whose numbers add up to `sum` (`Step::images`).
MMAFFT_DEVICE u32 image_of(u32 sum, u32 a) { return sum % 2 == 0 && a == 0 ? sum / 2 : sum - a; }

// A cluster's tile has two axes. Each of its blocks has a share of the one that a step does not
// transform: either outer or inner points. Which of all there are: neighbours; or, where pairs are to
// be in the same block, neighbours a of the lower half and behind them the others of the pairs.
template <class S> MMAFFT_DEVICE u32 shared_out(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_CONST u32 share = u32(step.outer * step.inner);
  const u32 own = u32(c.outer + c.inner);
  MMAFFT_IF (step.images > 0) {
    const u32 a = cluster_rank() * (share / 2) + own % (share / 2);
    return own < share / 2 ? a : image_of(u32(step.images), a);
  } else return cluster_rank() * share + own;
}
// Of columns and rows of a line (`Step::folded`), which row a column's point is of, or which column a row's; and where the
// points are of the axes around the line.
template <class S> MMAFFT_DEVICE u32 beside_in_line(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.folded == FOLDED_COLUMNS) return u32(c.inner) / u32(step.inner / step.beside);
  else MMAFFT_IF (step.folded == FOLDED_ROWS) return u32(c.outer) % u32(step.beside);
  else return 0;
}
template <class S> MMAFFT_DEVICE u32 inner_of_axes(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.folded == FOLDED_COLUMNS) return u32(c.inner) % u32(step.inner / step.beside);
  else return u32(c.inner);
}
template <class S> MMAFFT_DEVICE u32 outer_of_axes(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_IF (step.folded == FOLDED_ROWS) return u32(c.outer) / u32(step.beside);
  else return u32(c.outer);
}

// Of the two parts of a cluster's line, one counts more than a point of it on either side.
template <bool LOAD, class S> MMAFFT_DEVICE constexpr bool parts_of_line(S s) {
  MMAFFT_STEP(S);
  return config.axes > 1 && (LOAD ? config.axis[step.axis].load_index : config.axis[step.axis].store_index) > 1;
}
template <bool LOAD, class S> MMAFFT_DEVICE Others others_in_cluster(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_CONST Axis other = config.axis[1 - step.axis];
  const i64 x = i64(shared_out(s, c));
  Others o = {along_axis<LOAD>(other, u32(x)), 0, true};
  if (parts_of_line<LOAD>(s)) o.index = x * (LOAD ? other.load_index : other.store_index);
  else o.inside = x >= (LOAD ? other.load_begin : other.store_begin) && x < (LOAD ? other.load_end : other.store_end);
  return o;
}

// Whether the step stores the second part of a line that a cluster has: what it multiplies there is by points of the
// whole line, and not, as between the two parts, by those of a part.
template <class S> MMAFFT_DEVICE constexpr bool last_part(S s) {
  MMAFFT_STEP(S);
  return config.blocks > 1 && step.target == PLACE_MEMORY;
}
// Points of the other part: blocks have equal shares.
template <class S> MMAFFT_DEVICE constexpr int other_points(S s) {
  MMAFFT_STEP(S);
  return int(step.outer * step.inner) * int(config.blocks);
}
// Which of the other part of a line the column is of.
template <class S> MMAFFT_DEVICE u32 other_part(S s, const Column &c) {
  MMAFFT_IF (config.blocks > 1) return shared_out(s, c);
  else return beside_in_line(s, c);
}

template <class S> MMAFFT_DEVICE constexpr i64 extent_of(S s, int axis) {
  MMAFFT_STEP(S);
  return axis == 0 ? step.extent0 : axis == 1 ? step.extent1 : step.extent2;
}
template <bool LOAD, class S> MMAFFT_DEVICE Others others_of(S s, const Column &c) {
  MMAFFT_STEP(S);
  MMAFFT_IF (config.blocks > 1) return others_in_cluster<LOAD>(s, c);
  Others o = {0, i64(beside_in_line(s, c)), true};
  MMAFFT_IF (config.axes == 1) return o;
  u32 outer = outer_of_axes(s, c), inner = inner_of_axes(s, c);
  MMAFFT_UNROLL for (int b = int(config.axes) - 1; b >= 0; b--) {
    if (b != step.axis) {
      const Axis axis = config.axis[b];
      const u32 extent = u32(extent_of(s, b));
      u32 x;
      if (b > step.axis) {
        x = inner % extent;
        inner /= extent;
      } else {
        x = outer % extent;
        outer /= extent;
      }
      o.address += along_axis<LOAD>(axis, x);
      const i64 begin = LOAD ? axis.load_begin : axis.store_begin;
      const i64 end = LOAD ? axis.load_end : axis.store_end;
      if (begin > 0) o.inside = o.inside && i64(x) >= begin;
      if (end < i64(extent)) o.inside = o.inside && i64(x) < end;
    }
  }
  return o;
}

// Four-step twiddles of one line l, tables of all lines beside each other: exp(∓2πi·l·at/N) is
// that of the column c times that of the row k, at = c + k·(n/r); and a column's, where there are
// many, the product over its digits.
template <class T, class S> struct LineRoots {
  S s;
  const Pair<T> *of_line;
  MMAFFT_DEVICE Pair<T> column(int c) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int base = int(step.roots_base), digits = int(step.roots_digits);
    Pair<T> w = {T(1), T(0)};
    MMAFFT_UNROLL for (int d = 0; d < digits; d++) {
      const int digit = d + 1 < digits ? int(u32(c) % u32(base)) : c;
      const Pair<T> x = load_table(of_line + i64(d * base + digit) * step.roots_lines);
      w = d == 0 ? x : multiply(w, x);
      c = int(u32(c) / u32(base));
    }
    return w;
  }
  MMAFFT_DEVICE Pair<T> row(int k) const {
    MMAFFT_STEP(S);
    return load_table(of_line + i64(int(step.roots_digits * step.roots_base) + k) * step.roots_lines);
  }
};

// Roots in two levels, where lines are too many for that: exp(2πi·e/N) = low[e mod 2^b] · high[e / 2^b].
template <class T> MMAFFT_DEVICE Pair<T> roots(const Pair<T> *tables, i64 at, i64 low_bits, u64 e) {
  const Pair<T> low = load_table(tables + at + (e & ((u64(1) << low_bits) - 1)));
  const Pair<T> high = load_table(tables + at + (i64(1) << low_bits) + (e >> low_bits));
  return multiply(low, high);
}

}  // namespace mmafft
