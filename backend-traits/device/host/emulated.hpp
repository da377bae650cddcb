// What the pass needs of a device, for the host: the names of the vendors' primitives.hpp,
// with every access checked (checks.hpp) and every thread on a stack of its own
// (machine.hpp).
#pragma once
#include <cmath>

#include "checks.hpp"
#include "sixteen.hpp"

#define MMAFFT_HOST 1
#define MMAFFT_DEVICE inline
#define MMAFFT_KERNEL static
#define MMAFFT_BOUNDS(threads, residents)
#define MMAFFT_CLUSTER(blocks)
#define MMAFFT_CONST const
#define MMAFFT_IF if
#define MMAFFT_UNROLL
#define MMAFFT_LOOP
// The most that any program may ask for; the launch checks.
#define MMAFFT_VALUES 66
#define MMAFFT_DENSE(count) 32
#define MMAFFT_NUMBER(S) s.value
#define MMAFFT_ASSUME(condition) host::check_assumed(condition, #condition)
#define MMAFFT_INDEX(length) i64
#define MMAFFT_STEP(S) const Step &step = ::mmafft::host::enter_step(s.value)
#define MMAFFT_FIRST_STEP (config.step[0])

namespace mmafft {

// The number of a step, known when running.
struct RunIndex {
  int value;
};
typedef RunIndex FirstStep;
MMAFFT_DEVICE RunIndex next(RunIndex s) { return {s.value + 1}; }

MMAFFT_DEVICE int thread_index() { return host::thread_in_block(); }
MMAFFT_DEVICE int thread_index_anew() { return thread_index(); }
MMAFFT_DEVICE u32 block_index() { return host::machine->block + u32(host::block_in_cluster()); }
MMAFFT_DEVICE u32 block_count() { return u32(host::machine->launch->blocks); }

MMAFFT_DEVICE void barrier() {
  if (host::this_thread().barriers++ != host::machine->launch->skip_barrier) host::wait_as(host::AT_BARRIER);
}

MMAFFT_DEVICE u32 cluster_rank() { return u32(host::block_in_cluster()); }
MMAFFT_DEVICE void cluster_barrier() {
  if (host::this_thread().barriers++ != host::machine->launch->skip_barrier) host::wait_as(host::AT_CLUSTER);
}
MMAFFT_DEVICE void cluster_ready() { cluster_barrier(); }

template <class T> MMAFFT_DEVICE T shuffle_xor(T x, int mask) {
  if (mask < 0 || mask >= WAVE) host::fail("outside: a shuffle by %d leaves the wave", mask);
  T y = 0;
  host::meet(host::shuffle_lanes<T>, mask, x, y);
  return y;
}

MMAFFT_DEVICE float larger(float a, float b) { return std::fmax(a, b); }

MMAFFT_DEVICE float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
MMAFFT_DEVICE double multiply_add(double a, double b, double c) { return std::fma(a, b, c); }

// Two values that lie side by side, moved as one.
template <class T> struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

// Memory. `T` is a scalar or a Pair of them.
template <class T> MMAFFT_DEVICE T load_memory(const T *from) {
  T value;
  host::read_memory(&value, from, sizeof value, host::READABLE);
  return value;
}
// Changes nothing, but it is there, and counted.
template <class T> MMAFFT_DEVICE void bring_nearer(const T *from) { host::ask_memory(from, sizeof *from); }
template <class T> MMAFFT_DEVICE void store_memory(T *to, const T &value) {
  host::write_memory(to, &value, sizeof value);
}
// All parts of a value by one access.
template <class T> MMAFFT_DEVICE void store_as_one(T *to, const T &value) { store_memory(to, value); }
// Tables that no launch changes. Overloads, for that is what devices have.
template <class T> MMAFFT_DEVICE T load_constant(const T *from) {
  T value;
  host::read_memory(&value, from, sizeof value, host::CONSTANT);
  return value;
}
MMAFFT_DEVICE Pair<float> load_table(const Pair<float> *from) { return load_constant(from); }
MMAFFT_DEVICE Pair<double> load_table(const Pair<double> *from) { return load_constant(from); }
MMAFFT_DEVICE Pair<u32> load_table(const Pair<u32> *from) { return load_constant(from); }
MMAFFT_DEVICE u32 load_table(const u32 *from) { return load_constant(from); }
MMAFFT_DEVICE double load_table(const double *from) { return load_constant(from); }
MMAFFT_DEVICE float load_table(const float *from) { return load_constant(from); }

// Two entries that lie beside each other, by an access of 16 bytes, or two.
template <class T> struct alignas(16) TablePair {
  Pair<T> first, second;
};
MMAFFT_DEVICE TablePair<float> load_table_pair(const Pair<float> *from) {
  return load_constant(reinterpret_cast<const TablePair<float> *>(from));
}
MMAFFT_DEVICE TablePair<double> load_table_pair(const Pair<double> *from) { return {load_table(from), load_table(from + 1)}; }

template <class T> MMAFFT_DEVICE const T *anew(const T *pointer) { return pointer; }
enum { IMMEDIATE = 1 << 12 };
// Of an NVIDIA device two.
enum { SECTOR = 64 };
MMAFFT_DEVICE i64 opaque(i64 x) { return x; }

// Shared memory of the block, as Pairs.
template <class T> MMAFFT_DEVICE Pair<T> load_shared(int at) {
  Pair<T> value;
  host::read_shared(&value, at, sizeof value);
  return value;
}
template <class T> MMAFFT_DEVICE void store_shared(int at, const Pair<T> &value) {
  host::write_shared(host::block_in_cluster(), at, &value, sizeof value);
}
template <class T> MMAFFT_DEVICE T load_shared_part(int at) {
  T value;
  host::read_shared(&value, at, sizeof value);
  return value;
}
template <class T> MMAFFT_DEVICE void store_shared_part(int at, T value) {
  host::write_shared(host::block_in_cluster(), at, &value, sizeof value);
}
// The larger of that float and x, neither of them negative, for any number of threads at a time.
MMAFFT_DEVICE void raise_shared(int at, float x) { host::raise_shared(at, x); }
// The same, in a block of the cluster.
template <class T> MMAFFT_DEVICE void store_shared_of(int block, int at, const Pair<T> &value) {
  host::check_block(block);
  host::write_shared(block, at, &value, sizeof value);
}
template <class T> MMAFFT_DEVICE void store_shared_part_of(int block, int at, T value) {
  host::check_block(block);
  host::write_shared(block, at, &value, sizeof value);
}

// Memory to shared memory; there after copy_wait and a barrier.
template <class T> MMAFFT_DEVICE void copy_async(int at, const Pair<T> *from) {
  static_assert(sizeof(Pair<T>) == 4 || sizeof(Pair<T>) == 8 || sizeof(Pair<T>) == 16, "what cp.async takes");
  host::start_copy(at, from, sizeof(Pair<T>));
}
MMAFFT_DEVICE void copy_wait() { host::land_copies(); }

}  // namespace mmafft
