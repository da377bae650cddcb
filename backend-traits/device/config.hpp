// What a kernel is compiled for: a pass, lowered to numbers (src/device/lower.rs writes
// them in this order). Every field is a 64-bit word, so that both sides agree on the layout.
//
// A tile is `lines` lines; a line holds up to three axes, the first outermost. A pass is a
// list of steps, and a step is one trip of the tile's points through registers:
//
//   gather   from memory (the first step) or shared memory
//   compute  a small DFT, or the split or merge of a half spectrum, or nothing
//   scatter  to shared memory or memory (the last step)
#pragma once

namespace mmafft {

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;

enum { MAX_STEPS = 28, MAX_LOOPS = 8, MAX_AXES = 3, MAX_BETWEEN = 4 };
// The end of a range that has none.
constexpr i64 NO_END = (~u64(0) >> 1) / 4;

enum Storage { STORAGE_F64, STORAGE_F32, STORAGE_F16, STORAGE_BF16 };
enum Operand { OPERAND_HALF, OPERAND_BF16, OPERAND_SPLIT_HALF, OPERAND_SPLIT_BF16, OPERAND_F32, OPERAND_F64 };
// Dense: outputs k and p-k of a prime radix as sums over shared memory.
enum Engine { ENGINE_SIMT, ENGINE_MATRIX, ENGINE_DENSE };
// What 16-bit products have their values multiplied by: each column by its own power of two; all of a line
// by one, from this step on; nothing, as the line was before.
enum Scaling { SCALING_COLUMN, SCALING_LINE, SCALING_DONE };
enum Op { OP_DFT, OP_SPLIT, OP_MERGE, OP_COPY };
// Whether a thread has two columns of a DFT whose points mirror each other: c and m-c, so that it merges
// half spectra before it or splits them after it; or c and m-1-c, whose points are made of neighbouring
// reals, or become such.
enum Facing { FACING_NONE, FACING_MERGE, FACING_SPLIT, FACING_LOAD, FACING_STORE };
// Whether a step is of columns or of rows of a line by real columns that a tile holds.
enum Folded { FOLDED_NONE, FOLDED_COLUMNS, FOLDED_ROWS };
// Whether a step is no DFT, but all of a line's DCT-I or DST-I, whose reals are the real parts of a thread's values.
enum TypeOne { TYPE_ONE_NONE, TYPE_ONE_COSINE, TYPE_ONE_SINE };
// Cluster: the shared memory of all blocks of a cluster; each reads its own. Registers: the next step has the
// same columns, where a convolution turns back; or combines what products have made (`Step::joined`).
enum Place { PLACE_MEMORY, PLACE_SHARED, PLACE_CLUSTER, PLACE_REGISTERS };
// Ordered: as `Reals` says.
enum Points { POINTS_COMPLEX, POINTS_REAL, POINTS_PAIRS, POINTS_ORDERED };
// Nothing but points; else reals, of points as `load_reals`, as `store_reals` or as `between` says.
enum RealsOnChip { REALS_NONE, REALS_LOADED, REALS_STORED, REALS_BETWEEN };
enum Order { ORDER_NATURAL, ORDER_EVEN_ODD, ORDER_EVEN, ORDER_ODD, ORDER_BEHIND, ORDER_RESIDUES, ORDER_RESIDUES_OVER_EIGHT };
enum Pairing { PAIRING_NONE, PAIRING_PAIRS, PAIRING_ALONE, PAIRING_HALVES, PAIRING_MIRRORED, PAIRING_AROUND, PAIRING_ENDS };
// A table by a point's number in the whole line, or in the part of it that the tile holds.
enum Factor { FACTOR_NONE, FACTOR_LINE, FACTOR_PART };

// Lines repeated at constant strides, in scalars. `index` counts points of the split line. Where they lie in runs,
// `run` of them are at that stride, and runs `apart`; else `run` is 0.
struct Loop {
  i64 count, load, store, load_index, store_index, edge;
  i64 load_run, load_apart, store_run, store_apart;
};

// An axis of the tile in memory: strides in scalars; the points in [begin, end) of the
// (split) line are read or written. Runs are as a loop's.
struct Axis {
  i64 load_stride, store_stride;
  i64 load_index, load_begin, load_end;
  i64 store_index, store_begin, store_end;
  i64 load_run, load_apart, store_run, store_apart;
};

// The real line on one side of an axis: `RealSide` of src/real.rs.
struct Reals {
  i64 order, pairing;
  i64 reversed, alternating, conjugate;
  i64 first, last;                    // whether these are edges of an orthogonal transform
  i64 length, points;                 // reals; points of the whole line
  i64 turn_re, turn_im, turn_root;    // what all stored points are multiplied by,
  i64 weights;                        // or a table of a factor for each point, or -1; in two levels,
  i64 weights_low;                    // bits of the lower one, where the table would be long, or 0:
  i64 weights_middle;                 // of point length/2 then the real part times this, unless 0
  i64 apart;                          // of values of two points of the line, each a real alone
                                      // (PAIRING_ALONE): how far apart these are; or 0
  i64 columns;                        // of rows that store their mirror images' points: how many there
                                      // are, or 0; then rows 0 and columns/2 are their own
};

// One trip through registers.
struct Step {
  i64 op, engine;
  i64 axis;            // of the tile
  i64 radix;
  i64 points;          // n, the length of the DFT that this step is a part of
  i64 done;            // s, the product of the radices before this one
  i64 inverse;
  i64 outer, inner;    // points of the tile around the axis, of one line
  i64 input, output;   // the axis' extent before and after; what lies beyond counts as zero
  i64 extent0, extent1, extent2;  // extents of the other axes
  i64 pitch_in, row_in;    // before the step, in shared memory: cells from line to line, and
  i64 pitch_out, row_out;  // points of a line between two unused cells, or 0 (see `padded`); and after it
  i64 around_in, stride_in;    // where shared memory has reals before the step, how far those of the next index around the axis
  i64 around_out, stride_out;  // are, and those of the next index along it; and after it
  i64 source, target;  // enum Place; after a step whose target are registers, that one's source
  i64 columns;         // small DFTs, or pairs, of one axis line
  i64 lines_fast;      // whether neighbouring threads take neighbouring lines, with so many columns of each: 1, or those
                       // of one run in memory or a few, behind each of which lies that of the next line; or 0,
  i64 outer_fast;      // or neighbouring points around the axis
  i64 neighbours;      // how many of a thread's columns follow each other
  i64 groups;          // columns of a thread
  i64 hermitian;       // 0, or the length N of a line of which points 0..N/2 are given
  i64 offset;          // points of the axis before those that are transformed: Rader's point 0
  i64 rader;           // whether what follows is the middle of Rader's convolution
  i64 from_table, to_table;  // of a DFT in another order, which points it takes and what becomes of them: offset of
                             // whole numbers; or -1
  i64 reals_in, reals_out;  // enum RealsOnChip: whether shared memory has reals before the step, of which its points are
                            // made, or after it, which they become; two reals a cell
  i64 facing;          // enum Facing: a thread's columns come in pairs that mirror each other, or the only
                       // column of a split or merge mirrors itself
  i64 facing_table;    // offset of the roots by which half spectra are merged or split
  i64 twiddle;         // offset of the roots in the tables, see `twiddle`, or -1
  i64 before, before_table, before_length;  // factor of what is gathered, 0 from `length` on;
  i64 before_roots;                         // and the tables of four-step twiddles, or -1
  i64 after, after_table, after_length;     // factor of what is scattered
  i64 after_roots;
  // Of a table of four-step twiddles: bits of the lower of two tables, or 0 and how many lines have tables of
  // their own, and a column's digits.
  i64 roots_low, roots_lines, roots_base, roots_digits;
  i64 in_row;          // whether all lines of a copy lie in a row in memory, and nothing else
  i64 copy_async;      // whether a copy goes to shared memory without registers
  i64 matrix;          // offset of the DFT matrix' fragments, in 32-bit or 64-bit words; dense: of
                       // the roots of order radix in the tables
  i64 rank;            // points of a fragment's row: the radix, padded; or several columns'
  i64 copies;          // columns that share a row, on the matrix' diagonal; dense: pairs of a thread
  i64 parts;           // into how many 16-bit parts the matrix is split
  i64 scaling;         // enum Scaling
  i64 down;            // binary digits by which values are made smaller, if the twiddles do not do it
  i64 joined;          // of products of 16 points: how many of a thread the next step, of that radix, combines in
                       // registers, so that both are a step of 16 times as many; of that next step, 16; or 0
  i64 images;          // of a cluster whose shares are pairs of points of the other part of a line, A of them, what the
                       // numbers of two add up to: A, mirror images a and A-a (0 and A/2); A-1, those that face each
                       // other. A is even; 0 of shares that are neighbours
  i64 images_out;      // and of the step whose results go to such shares
  i64 weighted;        // where a merge or split of half spectra takes along the weights of types III and II, which
                       // their points have in memory, how far its two roots are apart in the tables: 1 where an
                       // access reads both; or 0
  i64 folded;          // enum Folded: whether the axis is a line by real columns that the tile holds, and the step is of its
                       // columns or of its rows;
  i64 beside;          // then how many rows are beside each other, or columns: within other axes' points those, around
                       // these; and how far the reals of a column, or of a row, are apart in the line
  i64 reals_apart;
  i64 turned;          // whether the four-step twiddles are turned, so that the only column of a DFT has a root too
  i64 type_one;        // enum TypeOne
};

struct Config {
  i64 storage, operand;
  i64 threads, residents;             // of a block; blocks that a multiprocessor is to hold
  i64 lines, values;                  // of a tile; values that a thread holds
  i64 steps, axes, loops;
  i64 wide;                           // line numbers need 64 bits
  i64 many_tiles;                     // a block takes several tiles
  i64 blocks;                         // that hold a tile together: one, or a cluster
  i64 load_points, load_imaginary, load_vector;     // enum Points; scalars to the imaginary part;
  i64 store_points, store_imaginary, store_vector;  // points that move as one, or 0: parts alone
  i64 edges;                          // edge points a line
  i64 powers;                         // twiddles of a column are products of a few
  i64 half_products;                  // roots of a split or merge: of a thread's first pair, and of how far others are from it
  i64 ahead, asks_late;               // a block asks for the tile of so many tiles later, or 0; in its last exchange or its first
  i64 unasked;                        // lanes beyond the last column load what that one does, where `all_load` allows it
  i64 apart;                          // exchanges move real parts first, then imaginary ones
  i64 roots_loop;                     // the loop of the line number of four-step twiddles
  i64 mirrored, mirrored_inner;       // lines that are in mirrored pairs, or 0; lines between two
  i64 mirrored_row;                   // rows, of so many beside each other (1: of one axis); or 0: parts of a line
  i64 mirrored_facing;                // parts a and A-1-a, none its own mirror image
  i64 row_of_reals;                   // of lines that lie in a row in memory, whose reals go there by way of shared memory,
                                      // how many one has, of all axes; or 0
  i64 magnitudes;                     // of lines that are scaled as one, where in shared memory, in floats; or 0
  i64 grown;                          // and the binary digits that the largest value of one became smaller by
  Reals load_reals, store_reals;
  Reals between[MAX_BETWEEN];         // of several axes of reals: what one leaves in shared memory, and what the next makes of it
  Axis axis[MAX_AXES];
  Loop loop[MAX_LOOPS];
  Step step[MAX_STEPS];
};

struct Arguments {
  const void *load;
  void *store;
  const void *extra;
  const void *tables;
  const void *matrices;
  u64 lines;
  double scale;
};

}  // namespace mmafft
