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
// The file is long because the ways to gather, compute and scatter are branches of this one loop, of which a compiled
// pass has those that it takes.
//
// Nothing is decided here: config.hpp lists what the host has chosen, and every choice is a
// constant when this is compiled for a plan. Points beyond an axis' extent, outside of a
// zero range or of lines past the last are zeros that cost no memory access.
//
// Here is the order of things, and where a thread's values are; memory.hpp, factors.hpp, pairs.hpp, symmetric.hpp,
// half_complex.hpp, reals_on_chip.hpp, exchange.hpp and arithmetic.hpp define the members that move and compute them. The file is long because all of
// these are members of one class, declared here.
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
  // Whether a thread's columns come in pairs that mirror each other.
  template <class S> static MMAFFT_DEVICE constexpr bool in_pairs(S s) {
    MMAFFT_STEP(S);
    const bool halves = step.facing == FACING_MERGE || step.facing == FACING_SPLIT;
    return step.facing != FACING_NONE && !(halves && step.radix == step.points);
  }
  // Whether they merge or split lines in mirrored pairs, parts a and A - a of a whole line: column c of one
  // and m-1-c of the other, m = n/r, mirror each other. Of parts 0 and A/2, which mirror themselves, columns
  // c and m-c of the first do, but 0 and m/2 each itself; and c and m-1-c of the second.
  template <class S> static MMAFFT_DEVICE constexpr bool of_mirrored_lines(S s) {
    MMAFFT_STEP(S);
    const bool parts = (config.mirrored > 0 && !config.mirrored_facing) || step.images > 0;
    return parts && (step.facing == FACING_MERGE || step.facing == FACING_SPLIT);
  }
  // Whether a column, of pairs of shares in a cluster, is of the second of two that mirror each other; and whether
  // both are their own mirror images.
  template <class S> static MMAFFT_DEVICE bool second_share(S s, const Column &c) {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.images > 0) return c.inner >= int(counted_inner(s));
    else return c.outer != 0;
  }
  template <class S> MMAFFT_DEVICE bool own_images_of(S s, const Column &c) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.images > 0) return cluster_rank() == 0 && c.inner % int(counted_inner(s)) == 0;
    else return own_images(c.line);
  }
  // A line of the tile stands for a pair of lines. Whether each of the two is its own mirror image.
  MMAFFT_DEVICE bool own_images(int line) const {
    const u64 pair = tile * u64(config.lines) + u64(line);
    MMAFFT_IF (config.wide) return mirrors_itself<u64>(pair);
    else return mirrors_itself<u32>(u32(pair));
  }
  template <class S> MMAFFT_DEVICE int number(S s, int group) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int N = int(step.neighbours);
    MMAFFT_IF (step.engine == ENGINE_MATRIX || joined(s)) return matrix_column(s, group, thread);
    else {
      MMAFFT_ASSUME(u32(thread) < u32(config.threads));
      MMAFFT_IF (step.engine == ENGINE_DENSE) {
        // All columns of a thread have the same outputs, so that it reads each root once for them.
        MMAFFT_CONST u32 each = u32(config.threads) / u32(dense_sets(s)), all = u32(config.lines * dense_rows(s) * step.inner * step.outer);
        const u32 set = u32(thread) / each, column = u32(group) * each + u32(thread) % each;
        return int(set < u32(dense_sets(s)) && column < all ? column + all * set : all * u32(dense_sets(s)));
      }
      MMAFFT_IF (in_pairs(s)) return group / 2 * int(config.threads) + thread;
      return (group / N * int(config.threads) + thread) * N + group % N;
    }
  }
  template <class S> MMAFFT_DEVICE int point(S s, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.engine == ENGINE_MATRIX) return matrix_point(s, j, thread);
    else return j;
  }

  // How far point j is from point 0, whatever the thread.
  template <class S> static MMAFFT_DEVICE constexpr int distance(S s, int j) {
    MMAFFT_STEP(S);
    return step.engine == ENGINE_MATRIX ? matrix_distance(s, j) : j;
  }
  // Whether cells of a column's points lie at constant distances, `stride` between neighbours:
  // `separable` has why. A fragment's points are a lane's first one and some multiples of a
  // power of two beside it, and so are whole parts of rows.
  template <class S> static MMAFFT_DEVICE constexpr bool constant_cells(S s, i64 row, int stride, bool blocks) {
    MMAFFT_STEP(S);
    return step.op == OP_DFT && step.engine != ENGINE_DENSE &&
           separable(row, stride, int(step.radix), blocks && (step.engine == ENGINE_SIMT || step.radix == step.rank));
  }

  // A dense step's columns are a few pairs of outputs k, p-k of each DFT, a set: values 2i and 2i+1 are
  // those of k + i.
  template <class S> MMAFFT_DEVICE int dense_first(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) / u32(dense_rows(s))) * int(step.copies);
  }
  template <class S> MMAFFT_DEVICE int dense_column(S s, int c) const {
    MMAFFT_STEP(S);
    return int(u32(c) % u32(dense_rows(s)));
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
  template <class S> MMAFFT_DEVICE bool both_real(S s, const Column &c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (of_mirrored_lines(s)) return j == 0 && c.at == 0 && !second_share(s, c) && own_images_of(s, c);
    MMAFFT_IF (step.facing) return (merges(s) || splits(s)) && j == 0 && c.at == 0;
    MMAFFT_IF (step.op != OP_SPLIT && step.op != OP_MERGE) return false;
    MMAFFT_CONST int n = int(step.points);
    MMAFFT_IF (paired(s)) return j == 0 && (c.at == n || (config.mirrored_row > 0 && c.at == n + n / 2));
    else return j == 0 && c.at == 0;
  }
  // Whether it splits or merges lines in mirrored pairs: parts a and A - a of a whole line, as one
  // line of n columns with points c and 2n-1-c. Columns n..2n are those of the pair of parts 0 and
  // A/2, which mirror themselves: c and n-c of the first, n+c and 2n-1-c of the second; of part 0,
  // points 0 and n/2 make a column, as above. Of rows, columns are c of one and n-c of the other,
  // but 0 of both, and both rows that mirror themselves are as part 0 is.
  template <class S> static MMAFFT_DEVICE constexpr bool paired(S s) {
    MMAFFT_STEP(S);
    return config.mirrored > 0 && !config.mirrored_facing && (step.op == OP_SPLIT || step.op == OP_MERGE);
  }
  MMAFFT_DEVICE static int paired_at(int n, int c, int j) {
    MMAFFT_IF (config.mirrored_row > 0) {
      if (c < n) return j == 0 ? c : c == 0 ? n : 2 * n - c;
      const int row = 2 * c >= 3 * n ? n : 0, at = c - n - row / 2;
      return row + (j == 0 ? at : at == 0 ? n / 2 : n - at);
    }
    if (c < n) return j == 0 ? c : 2 * n - 1 - c;
    c -= n;
    if (2 * c >= n) return j == 0 ? c + n / 2 : 2 * n + n / 2 - 1 - c;
    return j == 0 ? c : c == 0 ? n / 2 : n - c;
  }
  // Which line of the pair value j of column c is of, whose cell in shared memory is `whole`, and
  // where in memory: of column 0 of two rows, point n is that of cell 0.
  struct PairPlace {
    int second, at;
  };
  template <class S> static MMAFFT_DEVICE PairPlace pair_place(S s, int whole, int c, int j) {
    MMAFFT_STEP(S);
    MMAFFT_CONST int n = int(step.points);
    if (c < n) return {j, j == 0 ? c : config.mirrored_row > 0 ? n - c : n - 1 - c};
    const int second = whole < n ? 0 : 1;
    return {second, whole - second * n};
  }
  // Column `own` of those of the products that a step joins, or of those that it is made of, of the one of
  // this number: `joins` has which.
  template <class S> MMAFFT_DEVICE Column joined_column(S s, int number, int own, bool there = false) const {
    MMAFFT_STEP(S);
    Column c = column_of(s, number, there);
    MMAFFT_IF (joins(s)) c.at += own * int(step.columns);
    MMAFFT_IF (joined(s)) {
      MMAFFT_CONST u32 before = u32(step.done / step.joined);
      c.at = int(u32(c.at) % before + before * (u32(step.joined) * (u32(c.at) / before) + u32(own)));
    }
    return c;
  }
  template <class S> MMAFFT_DEVICE int own_column(S s, int group) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (joined(s)) return matrix_point(s, group % joined_groups(s), thread);
    else return group % joined_groups(s);
  }
  // Of digits apart, a group's column is the sum of the thread's first one and of what the group adds, which compilers
  // know: so are its places in memory and in shared memory.
  struct Digits {
    Column first, further;
  };
  template <class S> MMAFFT_DEVICE Digits digits(S s, int group) const {
    MMAFFT_STEP(S);
    const int own = group % joined_groups(s);
    const int first = joined(s) ? matrix_point(s, 0, thread) : 0, further = joined(s) ? matrix_distance(s, own) : own;
    return {joined_column(s, matrix_first(s, thread), first), joined_column(s, matrix_further(s, group), further)};
  }
  static MMAFFT_DEVICE Column sum(const Digits &d, bool live) {
    const Column &a = d.first, &b = d.further;
    return {a.line + b.line, a.outer + b.outer, a.at + b.at, a.inner + b.inner, live, b.at};
  }
  template <class S> MMAFFT_DEVICE Column column(S s, int group) const {
    MMAFFT_STEP(S);
    // All threads have as many columns of reals, but in the last round.
    MMAFFT_CONST int each = in_pairs(s) ? 2 : int(step.neighbours), wide = in_pairs(s) ? 1 : each;
    MMAFFT_CONST int all = int(config.lines * step.columns * step.outer) * int(counted_inner(s));
    MMAFFT_CONST bool simt = step.op != OP_DFT || (step.engine == ENGINE_SIMT && !joined(s));
    const bool there = simt && of_reals(s) && (group / each + 1) * int(config.threads) * wide <= all;
    MMAFFT_IF (digits_apart(s)) return sum(digits(s, group), number(s, group) < all);
    Column c = joined_column(s, number(s, group), own_column(s, group), there);
    MMAFFT_IF (in_pairs(s)) {
      // Of halves, columns 0 and m/2 mirror themselves.
      MMAFFT_CONST int m = int(step.points / step.radix);
      MMAFFT_CONST bool halved = step.facing == FACING_MERGE || step.facing == FACING_SPLIT;
      MMAFFT_IF (of_mirrored_lines(s)) {
        // Of lines that mirror themselves, the first half of all columns is the first one's.
        const bool own = own_images_of(s, c), other = own && c.at >= m / 2;
        if (other) c.at -= m / 2;
        if (group % 2 != 0) {
          const int image = m - c.at;
          c.at = !own || other ? image - 1 : c.at == 0 ? m / 2 : image;
        }
        const int second = own ? int(other) : group % 2;
        MMAFFT_IF (step.images > 0) c.inner += second * int(counted_inner(s));
        else c.outer = second;
        // What is known of columns, and lets compilers store pairs as one: their places are one address and constants.
        MMAFFT_ASSUME(u32(c.at) < u32(m));
      } else if (group % 2 != 0) {
        c.at = !halved ? m - 1 - c.at : c.at == 0 ? m / 2 : m - c.at;
        MMAFFT_IF (config.mirrored_facing && !halved) c.outer = 1;
        MMAFFT_IF (step.images > 0) c.inner += int(counted_inner(s));
      }
    }
    MMAFFT_IF (paired(s)) {
      if (own_images(c.line)) c.at += int(step.points);
    }
    return c;
  }

  // Where value j of a column is along the axis, before and after the step.
  template <class S> MMAFFT_DEVICE int from_at(S s, int c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT) return taken(s, c + j * int(step.points / step.radix));
    else {
      MMAFFT_IF (step.op == OP_COPY) return c;
      else MMAFFT_IF (paired(s)) return paired_at(int(step.points), c, j);
      else return halves_at(int(step.points), c, j);
    }
  }
  // Which point of the axis a DFT takes as its point q, and what its result q becomes.
  template <class S> MMAFFT_DEVICE int taken(S s, int q) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.from_table < 0) return int(step.offset) + q;
    else return whole_number(step.from_table, q);
  }
  template <class S> MMAFFT_DEVICE int left(S s, int q) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.to_table < 0) return int(step.offset) + q;
    else return whole_number(step.to_table, q);
  }
  MMAFFT_DEVICE int whole_number(i64 table, int q) const {
    return int(load_table(reinterpret_cast<const u32 *>(tables() + table) + q));
  }
  // The same of the thread's value j, as its first one's place and a constant, where compilers would
  // not see that it is one.
  struct Place {
    int first, further;
    int below = 0;  // what the first place is below, which is not negative; 0 where that is not known
    MMAFFT_DEVICE int at() const { return first + further; }
  };
  template <class S> MMAFFT_DEVICE Place place_from(S s, const Column &c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_CONST int m = step.op == OP_DFT ? int(step.points / step.radix) : 0;
    MMAFFT_CONST int below = step.engine == ENGINE_SIMT && step.from_table < 0 ? int(step.offset) + m : 0;
    MMAFFT_IF (whole_runs<true>(s)) return {from_at(s, c.at, point(s, 0)), distance(s, j) * m, below};
    MMAFFT_IF (columns_of_reals<true>(s)) return {from_at(s, c.at, 0), j * m, below};
    MMAFFT_IF (step.from_table >= 0) return {from_at(s, c.at, point(s, j)), 0};
    else MMAFFT_IF (step.engine == ENGINE_MATRIX)
      return {from_at(s, c.at - c.further, point(s, 0)), c.further + distance(s, j) * int(step.points / step.radix)};
    else return {from_at(s, c.at, j), 0};
  }
  template <class S> MMAFFT_DEVICE Place place_to(S s, const Column &c, int j) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (whole_runs<false>(s)) return {to_at(s, c.at, point(s, 0)), distance(s, j) * int(step.done)};
    MMAFFT_IF (columns_of_reals<false>(s)) return {to_at(s, c.at, 0), j * int(step.done), int(step.offset + step.done)};
    MMAFFT_IF (step.to_table >= 0) return {to_at(s, c.at, point(s, j)), 0};
    else MMAFFT_IF (one_address(s)) {
      const int further = to_at(s, c.further, 0) - int(step.offset);
      return {to_at(s, c.at - c.further, point(s, 0)), further + distance(s, j) * int(step.done)};
    } else return {to_at(s, c.at, j), 0};
  }
  // Whether memory has the reals that a column's points are made of, or become; or half of a spectrum.
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool columns_of_reals(S s) {
    MMAFFT_STEP(S);
    const bool ordered = (LOAD ? config.load_points : config.store_points) == POINTS_ORDERED;
    const bool there = (LOAD ? step.source : step.target) == PLACE_MEMORY && (LOAD ? step.from_table : step.to_table) < 0;
    const bool half = LOAD && step.hermitian != 0;
    return (ordered || half) && there && step.op == OP_DFT && step.engine == ENGINE_SIMT && (LOAD || step.done * step.radix == step.points);
  }
  // Whether a column's points are whole runs apart in memory: at constant distances from the first one.
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool whole_runs(S s) {
    MMAFFT_STEP(S);
    const Axis axis = config.axis[step.axis];
    const i64 run = LOAD ? axis.load_run : axis.store_run, apart = LOAD ? step.points / step.radix : step.done;
    const bool there = (LOAD ? step.source : step.target) == PLACE_MEMORY;
    return there && run != 0 && step.op == OP_DFT && step.engine != ENGINE_DENSE && apart % run == 0;
  }
  // Scalars before a point of the axis.
  template <bool LOAD, class S> static MMAFFT_DEVICE i64 along(S s, Place at) {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    MMAFFT_CONST i64 stride = LOAD ? axis.load_stride : axis.store_stride, run = LOAD ? axis.load_run : axis.store_run;
    MMAFFT_IF (run == 0) return i64(at.first) * stride + i64(at.further) * stride;
    else MMAFFT_IF (whole_runs<LOAD>(s))
      return along_axis<LOAD>(axis, u32(at.first)) + i64(at.further / int(run)) * (LOAD ? axis.load_apart : axis.store_apart);
    else return along_axis<LOAD>(axis, u32(at.at()));
  }
  // Whether instructions can hold how far from its first point the others are that a column stores.
  template <class S> static MMAFFT_DEVICE constexpr bool near(S s) {
    MMAFFT_STEP(S);
    const Axis axis = config.axis[step.axis];
    const i64 points = (step.radix - 1) * step.done;
    const i64 scalars = axis.store_run == 0 ? points * axis.store_stride : points / axis.store_run * axis.store_apart;
    const i64 farthest = scalars * i64(sizeof(Scalar));
    return (axis.store_run == 0 || whole_runs<false>(s)) && -IMMEDIATE < farthest && farthest < IMMEDIATE;
  }
  // Whether what a column stores lies at one address and constant distances that instructions can hold. Fragments
  // do; and points of a DFT, but where all strides of a single axis are powers of two: compilers find it there, and
  // share addresses between columns. Values of the largest radices leave no register for it.
  template <class S> static MMAFFT_DEVICE constexpr bool one_address(S s) {
    MMAFFT_STEP(S);
    const i64 stride = config.axis[step.axis].store_stride;
    const bool found = config.axes == 1 && config.blocks == 1 && ((step.points & (step.points - 1)) | (stride & (stride - 1))) == 0;
    return step.engine == ENGINE_MATRIX ||
           (step.op == OP_DFT && step.engine == ENGINE_SIMT && near(s) && (!found || joined(s)) && step.radix * i64(sizeof(T)) <= 224);
  }
  // Whether there is a point at a place, where zeros stand for those beyond what is given; and whether
  // it goes on. Said of whole lines when compiling.
  template <class S> static MMAFFT_DEVICE bool given_at(S s, int at) {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT && step.input >= step.offset + step.points) return true;
    else return at < int(step.input);
  }
  template <class S> static MMAFFT_DEVICE bool kept_at(S s, int at) {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.op == OP_DFT && step.output >= step.offset + step.points) return true;
    else return at < int(step.output);
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
      // Without the remainder, which takes more where `done` is no power of two.
      MMAFFT_IF (all_load(s) && (done & (done - 1)) != 0)
        return left(s, c + int(p * (done * u32(step.radix - 1))) + int(done) * j);
      return left(s, int(q + done * (u32(step.radix) * p)) + int(done) * j);
    } else {
      MMAFFT_IF (step.op == OP_COPY) return c;
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

  // In memory.hpp: between registers and memory.
  template <class W> MMAFFT_DEVICE Value load_complex(W, const Scalar *from, i64 at) const;
  // Where memory has a column's points: its line, and what the coordinates of other axes add.
  struct InMemory {
    Line line;
    i64 others;
    bool live;
  };
  template <bool LOAD, class S> MMAFFT_DEVICE InMemory in_memory(S s, const Column &c) const {
    MMAFFT_STEP(S);
    Line line = line_of(0, tile, c.line, c.outer, arguments.lines, LOAD && all_load(s));
    const Others others = others_of<LOAD>(s, c);
    MMAFFT_IF (step.folded || config.blocks > 1) (LOAD ? line.load_index : line.store_index) += others.index;
    return {line, others.address, ((LOAD && all_load(s)) || (c.live && line.live)) && others.inside};
  }
  template <class S> MMAFFT_DEVICE Value load_point(S s, const Line &line, i64 others, Place at) const;
  template <class S> MMAFFT_DEVICE Value finish_point(S s, const Line &line, Place at, Value x) const;
  template <int N, class S>
  MMAFFT_DEVICE void load_neighbours(S s, const InMemory &in, const Column &c, Value *v) const;
  template <int N, class S>
  MMAFFT_DEVICE void store_neighbours(S s, const InMemory &in, const Column &c, const Value *v) const;
  // Of a copy whose lines lie in a row: scalars before the tile's first point, and points that are there.
  template <class S> MMAFFT_DEVICE i64 row_of_tile(S s) const {
    MMAFFT_STEP(S);
    return i64(tile) * (config.lines * step.columns * 2);
  }
  template <class S> MMAFFT_DEVICE int there_in_row(S s) const {
    MMAFFT_STEP(S);
    const u64 lines = arguments.lines - tile * u64(config.lines);
    return (lines < u64(config.lines) ? int(lines) : int(config.lines)) * int(step.columns);
  }
  // Whether points of a copy lie in shared memory as they do in a row.
  template <class S> static MMAFFT_DEVICE constexpr bool cells_in_row(S s, i64 pitch, i64 row) {
    MMAFFT_STEP(S);
    return step.in_row && row == 0 && (pitch == step.columns || config.lines == 1);
  }
  template <class S> static MMAFFT_DEVICE constexpr bool in_row(S s) {
    MMAFFT_STEP(S);
    return step.in_row;
  }
  template <class S> MMAFFT_DEVICE void load_row(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void store_row(S s, const Value *v) const;
  template <int N> static MMAFFT_DEVICE void load_together(const Scalar *from, bool live, Value *v);
  template <int N> static MMAFFT_DEVICE void store_together(Scalar *to, T scale, const Value *v);
  template <class S> MMAFFT_DEVICE void store_point(S s, const Line &line, i64 others, Place at, T scale, Value x) const;
  template <class S> MMAFFT_DEVICE void load(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void store(S s, Value *v) const;

  // In factors.hpp: what they are multiplied by there.
  template <bool BEFORE, class S> MMAFFT_DEVICE void factored(S s, Value *v, const Line &line, const Column &c) const;
  template <bool BEFORE, class S>
  MMAFFT_DEVICE void four_step(S s, Value *v, i64 levels, const Line &line, const Column &column) const;
  template <class S> static MMAFFT_DEVICE constexpr bool own_root(S s);
  template <class S> MMAFFT_DEVICE Value line_root(S s, const Line &line, bool last) const;

  // In pairs.hpp: the same of values that mirror each other.
  // Points k and M-1-k of a whole line of M, which value j of column c and of the one that faces it
  // are: k is less than M/2 for the lower half of the values, and else the other is.
  template <class I> struct FacingPoints {
    Value &low, &high;
    Number<I> at, facing;
  };
  // Whose addresses compilers find without bounds, and hold fewer registers; but not those of weights in two levels.
  template <bool LOAD, class S>
  static MMAFFT_DEVICE auto facing_points(S s, const Line &line, const Column &c, Value *v, int j) {
    MMAFFT_STEP(S);
    MMAFFT_CONST int R = int(step.radix), m = int(step.points / step.radix);
    const Reals &side = LOAD ? config.load_reals : config.store_reals;
    MMAFFT_CONST bool levels = side.weights >= 0 && side.weights_low > 0;
    // Of a line beyond the last nothing may be assumed.
    auto k = real_point<LOAD>(s, line, Place{levels ? c.at : c.at + j * m, 0});
    typedef decltype(k.own) I;
    if (levels) k.further = I(j * m) * I(LOAD ? config.axis[step.axis].load_index : config.axis[step.axis].store_index);
    const I last = I(side.points) - 1 - I(side.apart);
    const Number<I> image = levels ? linear<I>(last, -1, k) : some_number<I>(last - k.at());
    if (2 * j < R) return FacingPoints<I>{v[j], v[2 * R - 1 - j], k, image};
    return FacingPoints<I>{v[2 * R - 1 - j], v[j], image, k};
  }
  // Point `at` of a line, or of a part of one: lines begin among the whole one's first `parts` points. Counted in numbers
  // that cannot wrap, so that compilers see what is constant.
  template <class I> static MMAFFT_DEVICE Number<I> point_of_line(i64 begin, i64 index, i64 parts, Place at) {
    const I own = I(begin) + I(at.first) * I(index), further = I(at.further) * I(index);
    if (at.below == 0) return some_number<I>(own + further);
    const i64 most = i64(at.below - 1) * index + parts - 1;
    MMAFFT_ASSUME(own >= 0 && i64(own) <= most);
    return {own, further, i64(further), i64(further) + most};
  }
  template <bool LOAD, class S> static MMAFFT_DEVICE auto real_point(S s, const Line &line, Place at) {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    MMAFFT_CONST i64 index = LOAD ? axis.load_index : axis.store_index, apart = LOAD ? config.load_reals.apart : config.store_reals.apart;
    typedef MMAFFT_INDEX(LOAD ? config.load_reals.length : config.store_reals.length) I;
    // Of two points that are one value it is the first one.
    return point_of_line<I>(LOAD ? line.load_index : line.store_index, index, apart > 0 ? apart : index, at);
  }
  template <class S> MMAFFT_DEVICE void load_facing(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void finish_facing(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void store_facing(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void load_pair(S s, Value *v, const Column &c) const;
  template <class S> MMAFFT_DEVICE void finish_pair(S s, Value *v, const Column &c) const;
  template <class S> MMAFFT_DEVICE void store_pair(S s, const Value *v, const Column &c) const;

  // Whether every point of the step's axis is in memory, and whether factors come between it and memory.
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool all_points(S s) {
    MMAFFT_STEP(S);
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    return LOAD ? axis.load_begin == 0 && axis.load_end == NO_END : axis.store_begin == 0 && axis.store_end == NO_END;
  }
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool has_factors(S s) {
    MMAFFT_STEP(S);
    return LOAD ? step.before != FACTOR_NONE || step.before_roots >= 0 : step.after != FACTOR_NONE || step.after_roots >= 0;
  }

  // In symmetric.hpp: the same of a line that mirrors itself.
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool symmetric(S s);
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr i64 index_of_line(S s);
  struct SymmetricColumn {
    i64 first, before;
    int cell;
    bool live;
  };
  template <bool LOAD, class S> MMAFFT_DEVICE SymmetricColumn symmetric_column(S s, const Column &c) const;
  template <class S> MMAFFT_DEVICE void load_symmetric(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void finish_symmetric(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void store_symmetric(S s, const Value *v) const;
  MMAFFT_DEVICE Scalar *row_of_reals() const;
  MMAFFT_DEVICE int before_row() const;
  MMAFFT_DEVICE void store_row_of_reals() const;

  // In half_complex.hpp: the same of half spectra whose points are a real from each end of the line.
  template <bool LOAD, class S> static MMAFFT_DEVICE constexpr bool half_complex(S s);
  template <class S> MMAFFT_DEVICE void load_half_complex(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void store_half_complex(S s, const Value *v) const;
  template <class S> static MMAFFT_DEVICE constexpr bool half_complex_pairs(S s);
  template <class S> MMAFFT_DEVICE void store_half_complex_pair(S s, const Value *v, const Column &c) const;

  // In reals_on_chip.hpp: reals in shared memory, between axes.
  template <bool AFTER, class S> MMAFFT_DEVICE int real_cell(S s, const Column &c, i64 length, int index) const;
  template <bool AFTER, class S> static MMAFFT_DEVICE constexpr bool reals_in_rows(S s);
  template <bool AFTER, class S> MMAFFT_DEVICE PairPlaces cells_of_reals(S s, const Column &c, int j) const;
  template <bool AFTER, class S> MMAFFT_DEVICE PairPlaces real_cells(S s, const Column &c, int j, const RealPair<int> &pair) const;
  template <class S> MMAFFT_DEVICE Value gather_reals(S s, const Column &c, int j, int at) const;
  template <class S> MMAFFT_DEVICE void scatter_reals(S s, const Column &c, int j, int at, Value x) const;

  // In exchange.hpp: between registers and shared memory.
  template <int PARTS, class S> MMAFFT_DEVICE void gather(S s, Value *v) const;
  template <bool AFTER, class S> MMAFFT_DEVICE int cell_of(S s, const Column &c, int k) const;
  template <bool AFTER, class S> MMAFFT_DEVICE int first_cell(S s, const Column &c, int group) const;
  template <int PARTS> static MMAFFT_DEVICE void load_cell(int cell, Value &x);
  template <int PARTS> static MMAFFT_DEVICE void store_cell(int cell, const Value &x);
  template <class S> MMAFFT_DEVICE void dense(S s, Value *v) const;
  template <int PARTS, class S> MMAFFT_DEVICE void scatter(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE Value times_spectrum(S s, const Line &place, int zero, int at, Value x) const;
  template <class S> MMAFFT_DEVICE void convolve(S s, Value *v) const;
  template <int PARTS, class S> MMAFFT_DEVICE void scatter_across(S s, Value *v) const;
  template <int PARTS> static MMAFFT_DEVICE void store_cell_across(int block, int cell, const Value &x);
  template <class S> MMAFFT_DEVICE void copy(S s) const;

  // What stored values are multiplied by, unless `unscale_line` has done it.
  MMAFFT_DEVICE T scale() const {
    MMAFFT_IF (config.magnitudes != 0) return T(1);
    else return T(arguments.scale);
  }

  // In arithmetic.hpp: what `compute` does.
  MMAFFT_DEVICE void clear_magnitudes() const;
  template <class S> MMAFFT_DEVICE void scale_line(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void unscale_line(S s, Value *v) const;
  template <class S> static MMAFFT_DEVICE void scale_all(S s, Value *v, float scale);
  template <class S> MMAFFT_DEVICE void twiddle_across(S s, Value *v) const;
  template <int R, class S> MMAFFT_DEVICE void butterflies(S s, Value *v) const;
  template <int N, class S> static MMAFFT_DEVICE void type_one(S s, Value *v);
  template <class W> static MMAFFT_DEVICE void multiply_powers(Value *v, int radix, bool shifted, Value first, W w);
  template <class S> MMAFFT_DEVICE void twiddle(S s, Value *v) const;
  template <class S> static MMAFFT_DEVICE void join(S s, Value *v);
  // The root by which a pair of points is merged or split, and, of points with weights, that of their even parts.
  struct HalfRoot {
    Value odd, even;
  };
  template <class S> static MMAFFT_DEVICE HalfRoot half_root(S s, const Value *table, i64 k);
  template <class S> static MMAFFT_DEVICE HalfRoot half_root_of(S s, HalfRoot w, HalfRoot part);
  template <class S> static MMAFFT_DEVICE void halve(S s, Value &x, Value &mirrored, HalfRoot w);
  template <class S> static MMAFFT_DEVICE void halve_ends(S s, Value &x);
  template <class S> static MMAFFT_DEVICE void halve_middle(S s, Value &x);
  template <class S> MMAFFT_DEVICE void halves(S s, Value *v) const;
  template <class S> MMAFFT_DEVICE void halves_of_columns(S s, Value *v) const;
  // Whether a step begins with a merge, or ends with a split.
  template <class S> static MMAFFT_DEVICE constexpr bool merges(S s) {
    MMAFFT_STEP(S);
    return step.op == OP_MERGE || step.facing == FACING_MERGE;
  }
  template <class S> static MMAFFT_DEVICE constexpr bool splits(S s) {
    MMAFFT_STEP(S);
    return step.op == OP_SPLIT || step.facing == FACING_SPLIT;
  }

  template <class S> MMAFFT_DEVICE void compute(S s, Value *v) const {
    MMAFFT_STEP(S);
    MMAFFT_IF (step.facing == FACING_MERGE) halves_of_columns(s, v);
    MMAFFT_IF (step.op == OP_DFT) {
      MMAFFT_IF (step.scaling == SCALING_LINE) scale_line(s, v);
      MMAFFT_IF (step.engine == ENGINE_MATRIX) matrix_product(s, v, arguments.matrices, lane_of(thread));
      MMAFFT_IF (step.type_one != TYPE_ONE_NONE) type_one<1>(s, v);
      MMAFFT_IF (step.engine == ENGINE_SIMT && step.type_one == TYPE_ONE_NONE) {
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
        MMAFFT_IF (step.radix == 17) butterflies<17>(s, v);
        MMAFFT_IF (step.radix == 18) butterflies<18>(s, v);
        MMAFFT_IF (step.radix == 19) butterflies<19>(s, v);
        MMAFFT_IF (step.radix == 20) butterflies<20>(s, v);
        MMAFFT_IF (step.radix == 21) butterflies<21>(s, v);
        MMAFFT_IF (step.radix == 23) butterflies<23>(s, v);
        MMAFFT_IF (step.radix == 24) butterflies<24>(s, v);
        MMAFFT_IF (step.radix == 25) butterflies<25>(s, v);
        MMAFFT_IF (step.radix == 27) butterflies<27>(s, v);
        MMAFFT_IF (step.radix == 28) butterflies<28>(s, v);
        MMAFFT_IF (step.radix == 29) butterflies<29>(s, v);
        MMAFFT_IF (step.radix == 30) butterflies<30>(s, v);
        MMAFFT_IF (step.radix == 31) butterflies<31>(s, v);
        MMAFFT_IF (step.radix == 32) butterflies<32>(s, v);
      }
      MMAFFT_IF (step.twiddle >= 0) twiddle(s, v);
      MMAFFT_IF (step.down != 0) scale_all(s, v, float_of(u32(127 - step.down) << 23));
    }
    MMAFFT_IF (step.op == OP_SPLIT || step.op == OP_MERGE) halves(s, v);
    MMAFFT_IF (step.facing == FACING_SPLIT) halves_of_columns(s, v);
    MMAFFT_IF (step.target != PLACE_MEMORY && step.after_roots >= 0) twiddle_across(s, v);
  }

  template <class S> static MMAFFT_DEVICE constexpr bool exchanges(S s) {
    MMAFFT_STEP(S);
    return step.target == PLACE_SHARED || step.target == PLACE_CLUSTER;
  }
  // Whether the steps behind exchange no more.
  template <class S> static MMAFFT_DEVICE constexpr bool last_exchange(S s) {
    MMAFFT_IF (MMAFFT_NUMBER(S) + 1 >= config.steps) return true;
    else return !exchanges(next(s)) && last_exchange(next(s));
  }
  // Whether a block asks for a later tile in the exchange behind this step.
  template <class S> static MMAFFT_DEVICE constexpr bool asks_behind(S s) {
    MMAFFT_STEP(S);
    MMAFFT_IF (config.ahead == 0) return false;
    else MMAFFT_IF (config.asks_late) return last_exchange(s);
    else return step.source == PLACE_MEMORY;
  }
  // Asks for the points of a later tile, whose block begins when those that are at work now have ended. What is asked
  // for has to stay in the cache beside all that is loaded and stored until then.
  MMAFFT_DEVICE void ask_ahead() const {
    const u64 later = tile + u64(config.ahead);
    if (later * u64(config.lines) >= arguments.lines) return;
    Value v[MMAFFT_VALUES];
    const Pass<Ahead<Scalar>> pass = {arguments, later, thread_index_anew()};
    pass.load(FirstStep(), v);
  }

  // From this step's columns to the next one's, through shared memory. Everything that was
  // read from it must have been before anything is overwritten.
  template <int PARTS, class S> MMAFFT_DEVICE void exchange(S s, Value *v, bool used, const Pass &rest) const {
    MMAFFT_STEP(S);
    // Where nothing is in registers, but for real parts that have been exchanged alone.
    MMAFFT_CONST bool asks = PARTS != REAL && asks_behind(s);
    MMAFFT_IF (step.target == PLACE_CLUSTER) {
      // All blocks have begun, and read what is overwritten here; and none goes on, or ends, before
      // everything has arrived.
      cluster_ready();
      scatter_across<PARTS>(s, v);
      MMAFFT_IF (asks) ask_ahead();
      cluster_barrier();
    } else {
      if (used) barrier();
      scatter<PARTS>(s, v);
      MMAFFT_IF (asks) ask_ahead();
      barrier();
    }
    rest.template gather<PARTS>(next(s), v);
  }

  // The step on values that are there, and all that follow.
  template <class S> MMAFFT_DEVICE void run(S s, Value *v) const {
    MMAFFT_STEP(S);
    compute(s, v);
    MMAFFT_IF (step.target == PLACE_MEMORY) {
      unscale_line(s, v);
      Pass last = *this;
      MMAFFT_IF (paired(s) || in_row(s)) last.thread = thread_index_anew();
      last.store(s, v);
    } else MMAFFT_IF (joins(s)) {
      join(s, v);
      run(next(s), v);
    } else MMAFFT_IF (step.target == PLACE_REGISTERS) {
      convolve(s, v);
      Pass back = *this;
      back.thread = thread_index_anew();
      back.run(next(s), v);
    } else {
      Pass rest = *this;
      // The way back of a convolution touches what the way there did: else addresses would be kept.
      // So do what follows the blocks' exchange, and a copy that goes out as another came in.
      MMAFFT_IF (step.after != FACTOR_NONE || step.target == PLACE_CLUSTER || in_row(next(s))) rest.thread = thread_index_anew();
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
  MMAFFT_IF (config.magnitudes != 0) pass.clear_magnitudes();
  MMAFFT_IF (MMAFFT_FIRST_STEP.op == OP_COPY && MMAFFT_FIRST_STEP.target == PLACE_SHARED) {
    MMAFFT_IF (MMAFFT_FIRST_STEP.copy_async) pass.copy(FirstStep());
    else {
      pass.load(FirstStep(), v);
      pass.template scatter<Pass<Scalar>::BOTH>(FirstStep(), v);
    }
    MMAFFT_IF (Pass<Scalar>::asks_behind(FirstStep())) pass.ask_ahead();
    barrier();
    // Else the addresses would be kept for a copy out, in registers that the steps need.
    const Pass<Scalar> rest = {arguments, tile, thread_index_anew()};
    rest.template gather<Pass<Scalar>::BOTH>(next(FirstStep()), v);
    rest.run(next(FirstStep()), v);
  } else {
    pass.load(FirstStep(), v);
    MMAFFT_IF (MMAFFT_FIRST_STEP.scaling == SCALING_LINE) barrier();
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

// A tile alone, of a block that has no other; nothing where there are fewer.
template <class A> MMAFFT_DEVICE void dispatch_tile(const A &arguments, u64 tile) {
  if (tile * u64(config.lines) >= arguments.lines) return;
  const int thread = thread_index();
  MMAFFT_IF (config.storage == STORAGE_F64) run_tile<double>(arguments, tile, thread);
  MMAFFT_IF (config.storage == STORAGE_F32) run_tile<float>(arguments, tile, thread);
  MMAFFT_IF (config.storage == STORAGE_F16) run_tile<Half>(arguments, tile, thread);
  MMAFFT_IF (config.storage == STORAGE_BF16) run_tile<Bf16>(arguments, tile, thread);
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

#include "memory.hpp"
#include "factors.hpp"
#include "pairs.hpp"
#include "symmetric.hpp"
#include "half_complex.hpp"
#include "reals_on_chip.hpp"
#include "exchange.hpp"
#include "arithmetic.hpp"
