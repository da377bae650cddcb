// What values are multiplied by on their way from memory and to it: chirps, and four-step twiddles. Members
// of `Pass`, included by pass.hpp.
#pragma once
#include "pass.hpp"

namespace mmafft {

// Values of a column, times the factors of memory's side: a table's entry by the point's number
// in the whole line or in the part of it, and a four-step twiddle.
template <class Scalar> template <bool BEFORE, class S>
MMAFFT_DEVICE void Pass<Scalar>::factored(S s, Value *v, const Line &line, const Column &c) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST i64 kind = BEFORE ? step.before : step.after;
  MMAFFT_CONST i64 table = BEFORE ? step.before_table : step.after_table;
  MMAFFT_CONST i64 length = BEFORE ? step.before_length : step.after_length;
  MMAFFT_CONST i64 levels = BEFORE ? step.before_roots : step.after_roots;
  MMAFFT_CONST int J = points(s);
  MMAFFT_IF (kind != FACTOR_NONE) {
    MMAFFT_CONST Axis axis = config.axis[step.axis];
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = (BEFORE ? place_from(s, c, j) : place_to(s, c, j)).at();
      if (BEFORE ? given_at(s, at) : kept_at(s, at)) {
        const i64 n = (BEFORE ? line.load_index : line.store_index) +
                      i64(at) * (BEFORE ? axis.load_index : axis.store_index);
        const i64 index = kind == FACTOR_LINE ? n : i64(at);
        v[j] = index < length ? multiply(v[j], load_table(tables() + table + index)) : Value{T(0), T(0)};
      }
    }
  }
  MMAFFT_IF (levels >= 0) {
    // Of two real points in one value `store` says what they are multiplied by.
    const Value first = v[0];
    four_step<BEFORE>(s, v, levels, line, c);
    MMAFFT_IF (splits(s) && !paired(s)) {
      if (both_real(s, c, 0)) v[0] = first;
    }
  }
}

// Whether a column has a root of its own: the only one of a DFT has none, but where all roots are turned, which
// they are of the spectra of odd real columns: see `Twiddles::turned` of device/tables.rs.
template <class Scalar> template <class S>
MMAFFT_DEVICE constexpr bool Pass<Scalar>::own_root(S s) {
  MMAFFT_STEP(S);
  return step.points != step.radix || last_part(s) || step.turned != 0;
}

// What the first or the last point of a half spectrum is multiplied by: exp(∓2πi·l·at/N), l the line's number.
template <class Scalar> template <class S>
MMAFFT_DEVICE typename Pass<Scalar>::Value Pass<Scalar>::line_root(S s, const Line &line, bool last) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int n = int(step.points);
  MMAFFT_IF (step.roots_low > 0)
    return roots(tables(), step.after_roots, step.roots_low, last ? u64(line.roots) * u64(n) : 0);
  else {
    const LineRoots<T, S> of = {s, tables() + step.after_roots + line.roots};
    MMAFFT_IF (step.op != OP_DFT) return of.column(last ? n : 0);
    else return last ? multiply(of.column(0), of.row(int(step.radix))) : of.column(0);
  }
}

// Values at `at` = c + k·(n/r), k < r, of the part, times exp(∓2πi·l·at/N), l the line's number.
template <class Scalar> template <bool BEFORE, class S>
MMAFFT_DEVICE void Pass<Scalar>::four_step(S s, Value *v, i64 levels, const Line &line, const Column &column) const {
  MMAFFT_STEP(S);
  MMAFFT_CONST int J = points(s);
  // Point `at` of a part is one of the line whose two parts a cluster has.
  MMAFFT_CONST u64 others = last_part(s) ? u64(other_points(s)) : 1;
  u64 other = 0;
  MMAFFT_IF (last_part(s)) other = shared_out(s, column);
  const auto of_whole = [&](int at) { return other + u64(at) * others; };
  const auto root = [&](u64 e) { return roots(tables(), levels, step.roots_low, e); };
  MMAFFT_IF (step.roots_low > 0 && (step.op != OP_DFT || step.engine != ENGINE_SIMT)) {
    // The table ends before the roots of points that pad a fragment, or that a sum's last pair has not.
    MMAFFT_CONST bool padded = step.op == OP_DFT && (step.engine == ENGINE_DENSE || step.radix != step.rank);
    MMAFFT_UNROLL for (int j = 0; j < J; j++) {
      const int at = (BEFORE ? place_from(s, column, j) : place_to(s, column, j)).at(), k = point(s, j);
      const bool there = !padded || (BEFORE ? exists(s, column.at, k) : made(s, column.at, k));
      if (there && (BEFORE ? given_at(s, at) : kept_at(s, at))) v[j] = multiply(v[j], root(u64(line.roots) * of_whole(at)));
    }
  } else MMAFFT_IF (step.roots_low > 0) {
    const u64 column_root = u64(line.roots) * of_whole(column.at);
    const u64 row_root = u64(line.roots) * (u64(step.points / step.radix) * others);
    multiply_powers(v, J, own_root(s), root(column_root),
                    [&](int k) { return root(u64(k) * row_root); });
  } else {
    const LineRoots<T, S> of = {s, tables() + levels + line.roots};
    int c = column.at;
    MMAFFT_IF (step.engine == ENGINE_DENSE) c = dense_column(s, c);
    c = int(of_whole(c));
    const Value base = of.column(c);
    MMAFFT_IF (step.op == OP_SPLIT) {
      MMAFFT_UNROLL for (int j = 0; j < 2; j++) v[j] = multiply(v[j], of.column(to_at(s, column.at, j)));
    } else MMAFFT_IF (step.op != OP_DFT) v[0] = multiply(v[0], base);
    else {
      MMAFFT_IF (config.powers != 0 && step.engine == ENGINE_SIMT) {
        multiply_powers(v, J, own_root(s), base, [&](int k) { return of.row(k); });
      } else {
        MMAFFT_UNROLL for (int j = 0; j < J; j++) {
          int k = point(s, j);
          MMAFFT_IF (step.engine == ENGINE_DENSE) k = dense_output(s, column.at, j);
          if (exists(s, column.at, k)) v[j] = multiply(v[j], own_root(s) ? multiply(base, of.row(k)) : of.row(k));
        }
      }
    }
  }
}

}  // namespace mmafft
