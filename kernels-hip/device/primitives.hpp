// What the pass needs of an AMD device. The only place, with instructions.hpp and
// fragments.hpp beside it, where the shared source meets a vendor; the emulation has the same
// names. Only what the compiler itself knows is used, no header of HIP's, so that every hipRTC
// and clang without HIP are given the same text.
#pragma once

// hipRTC defines it, clang alone does not.
#ifndef __device__
#define __device__ __attribute__((device))
#endif

#define MMAFFT_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define MMAFFT_KERNEL extern "C" __attribute__((global))
// `residents` blocks on a compute unit, in waves of each of its four SIMD units.
#define MMAFFT_BOUNDS(threads, residents)                       \
  __attribute__((amdgpu_flat_work_group_size(threads, threads), \
                 amdgpu_waves_per_eu((threads / 64 * residents + 3) / 4)))
// A constant of the configuration: known when compiling here, when running in emulation.
#define MMAFFT_CONST constexpr
#define MMAFFT_IF if constexpr
#define MMAFFT_UNROLL _Pragma("unroll")
// A loop to leave as it is: unrolled, its loads would take every register.
#define MMAFFT_LOOP _Pragma("clang loop unroll(disable)")
// Values a thread may hold, and the steps, one after another.
#define MMAFFT_VALUES (config.values)
#define MMAFFT_DENSE(count) (count)
// What the compiler cannot know, so that it drops the checks that follow from it.
#define MMAFFT_ASSUME(condition) __builtin_assume(condition)
// What counts the reals of a line, and some eight times as many.
#define MMAFFT_INDEX(length) typename Counter<((length) < (i64(1) << 27))>::type
// The constants of a step: `constants` of src/device/config.rs writes them.
#define MMAFFT_STEP(S) constexpr StepAt<S::value> step = {}
#define MMAFFT_FIRST_STEP (StepAt<0>{})
#define MMAFFT_NUMBER(S) S::value

namespace mmafft {

template <bool SHORT> struct Counter {
  typedef int type;
};
template <> struct Counter<false> {
  typedef i64 type;
};

// The number of a step, as a type.
template <int N> struct Index {
  enum { value = N };
};
typedef Index<0> FirstStep;
template <int N> MMAFFT_DEVICE constexpr Index<N + 1> next(Index<N>) { return {}; }

enum { WAVE = 64 };

MMAFFT_DEVICE int thread_index() { return int(__builtin_amdgcn_workitem_id_x()); }
// The same, as if it were another for every tile: what follows from it stays in the loop.
MMAFFT_DEVICE int thread_index_anew() {
  int x = thread_index();
  asm volatile("" : "+v"(x));
  return x;
}
MMAFFT_DEVICE u32 block_index() { return __builtin_amdgcn_workgroup_id_x(); }
// The dispatch counts threads.
MMAFFT_DEVICE u32 block_count() { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); }

// All threads of the block; shared memory written before is seen after.
MMAFFT_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Clusters of blocks, which no AMD device has: the planner is not offered any.
MMAFFT_DEVICE u32 cluster_rank() { __builtin_trap(); }
MMAFFT_DEVICE void cluster_ready() { __builtin_trap(); }
MMAFFT_DEVICE void cluster_barrier() { __builtin_trap(); }

MMAFFT_DEVICE u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
MMAFFT_DEVICE float float_of(u32 x) { return __builtin_bit_cast(float, x); }

// A block has one axis: waves follow each other in it. Lanes are named by bytes.
MMAFFT_DEVICE float shuffle_xor(float x, int mask) {
  const int lane = (thread_index() ^ mask) % WAVE;
  return float_of(u32(__builtin_amdgcn_ds_bpermute(4 * lane, int(bits_of(x)))));
}

MMAFFT_DEVICE float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MMAFFT_DEVICE double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

MMAFFT_DEVICE float larger(float a, float b) { return __builtin_fmaxf(a, b); }

MMAFFT_DEVICE float widen_half(u16 x) { return float(__builtin_bit_cast(_Float16, x)); }
MMAFFT_DEVICE u16 round_half(float x) { return __builtin_bit_cast(u16, _Float16(x)); }
MMAFFT_DEVICE float widen_bf16(u16 x) { return float_of(u32(x) << 16); }
MMAFFT_DEVICE u16 round_bf16(float x) {
  const u32 b = bits_of(x);
  return x != x ? u16((b >> 16) | 0x40) : u16((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}

// Two values that lie side by side, moved as one.
template <class T> struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

// Memory. `T` is a scalar or a Pair of them.
template <class T> MMAFFT_DEVICE T load_memory(const T *from) { return *from; }
// CDNA has no instruction for it, and no effort tries it there.
template <class T> MMAFFT_DEVICE void bring_nearer(const T *) {}
// Stored as words: of the parts of a struct the compiler does not always make one store.
template <int BYTES> struct Words {
  typedef u32 type __attribute__((ext_vector_type(BYTES / 4), may_alias));
};
template <class T> MMAFFT_DEVICE void store_memory(T *to, const T &value) {
  if constexpr (sizeof(T) < 8) *to = value;
  else {
    typedef typename Words<sizeof(T)>::type W;
    *reinterpret_cast<W *>(to) = __builtin_bit_cast(W, value);
  }
}
// All parts of a value by one access.
template <class T> MMAFFT_DEVICE void store_as_one(T *to, const T &value) { store_memory(to, value); }
// How far, in bytes, the constant part of an address reaches.
enum { IMMEDIATE = 1 << 12 };
// Bytes that the first-level cache writes to the second one at once.
enum { SECTOR = 64 };
// Pairs are stored as words, whatever their address is the sum of.
MMAFFT_DEVICE i64 opaque(i64 x) { return x; }
// Tables that no launch changes: they come through the same cache as all else.
template <class T> MMAFFT_DEVICE T load_table(const T *from) { return *from; }

// Two entries that lie beside each other, at a multiple of 16 bytes.
template <class T> struct alignas(16) TablePair {
  Pair<T> first, second;
};
template <class T> MMAFFT_DEVICE TablePair<T> load_table_pair(const Pair<T> *from) {
  return *reinterpret_cast<const TablePair<T> *>(from);
}

// Shared memory of the block, as Pairs.
extern __attribute__((shared)) __attribute__((aligned(16))) char shared_memory[];
template <class T> MMAFFT_DEVICE Pair<T> load_shared(int at) {
  return reinterpret_cast<const Pair<T> *>(shared_memory)[at];
}
template <class T> MMAFFT_DEVICE void store_shared(int at, const Pair<T> &value) {
  reinterpret_cast<Pair<T> *>(shared_memory)[at] = value;
}
// The same, as scalars.
template <class T> MMAFFT_DEVICE T load_shared_part(int at) { return reinterpret_cast<const T *>(shared_memory)[at]; }
template <class T> MMAFFT_DEVICE void store_shared_part(int at, T value) {
  reinterpret_cast<T *>(shared_memory)[at] = value;
}
// The larger of that float and x, neither of them negative, for any number of threads at a time.
MMAFFT_DEVICE void raise_shared(int at, float x) {
  __hip_atomic_fetch_max(reinterpret_cast<u32 *>(shared_memory) + at, bits_of(x), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

// The same, in a block of a cluster: see above.
template <class T> MMAFFT_DEVICE void store_shared_of(int, int, const Pair<T> &) { __builtin_trap(); }
template <class T> MMAFFT_DEVICE void store_shared_part_of(int, int, T) { __builtin_trap(); }

// Memory to shared memory, there after copy_wait and a barrier. These devices go through
// registers; the compiler waits for the load where its value is stored.
template <class T> MMAFFT_DEVICE void copy_async(int at, const Pair<T> *from) { store_shared<T>(at, *from); }
MMAFFT_DEVICE void copy_wait() {}

}  // namespace mmafft
