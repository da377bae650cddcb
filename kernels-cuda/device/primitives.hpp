// What the pass needs of an NVIDIA device. The only place, with fragments.hpp beside it,
// where the shared source meets a vendor; the emulation has the same names.
#pragma once

#define MMAFFT_DEVICE __device__ __forceinline__
#define MMAFFT_KERNEL extern "C" __global__
#define MMAFFT_BOUNDS(threads, residents) __launch_bounds__(threads, residents)
#define MMAFFT_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
// A constant of the configuration: known when compiling here, when running in emulation.
#define MMAFFT_CONST constexpr
#define MMAFFT_IF if constexpr
#define MMAFFT_UNROLL _Pragma("unroll")
// A loop to leave as it is: unrolled, its loads would take more registers than there are.
#define MMAFFT_LOOP _Pragma("unroll 1")
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

enum { WAVE = 32 };

MMAFFT_DEVICE int thread_index() { return threadIdx.x; }
// The same, as if it were another for every tile: what follows from it stays in the loop.
MMAFFT_DEVICE int thread_index_anew() {
  int x;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
  return x;
}
MMAFFT_DEVICE u32 block_index() { return blockIdx.x; }
MMAFFT_DEVICE u32 block_count() { return gridDim.x; }

// All threads of the block; shared memory written before is seen after.
MMAFFT_DEVICE void barrier() { __syncthreads(); }

// Clusters, from Hopper on; the planner is not offered them elsewhere. The block's number in its
// cluster:
MMAFFT_DEVICE u32 cluster_rank() {
  u32 x;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
  return x;
}
// All threads of all its blocks have begun, and have what they read before: a release, as reads that nothing has
// used yet may still be on their way when a relaxed barrier is passed, and what another block writes here
// overtakes them. (With parts apart, planes of 128x128 in FP64 went wrong on an H200 in some places.)
MMAFFT_DEVICE void cluster_ready() {
  __syncthreads();
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// The same; and what was written before to the shared memory of any is seen after.
MMAFFT_DEVICE void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

MMAFFT_DEVICE float shuffle_xor(float x, int mask) { return __shfl_xor_sync(~0u, x, mask); }
MMAFFT_DEVICE double shuffle_xor(double x, int mask) { return __shfl_xor_sync(~0u, x, mask); }

MMAFFT_DEVICE float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
MMAFFT_DEVICE double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

MMAFFT_DEVICE float larger(float a, float b) { return fmaxf(a, b); }

MMAFFT_DEVICE u32 bits_of(float x) { return __float_as_uint(x); }
MMAFFT_DEVICE float float_of(u32 x) { return __uint_as_float(x); }

MMAFFT_DEVICE float widen_half(u16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
MMAFFT_DEVICE u16 round_half(float x) {
  u16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
MMAFFT_DEVICE float widen_bf16(u16 x) { return float_of(u32(x) << 16); }
MMAFFT_DEVICE u16 round_bf16(float x) {
#if __CUDA_ARCH__ >= 800
  u16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
#else
  u32 b = bits_of(x);
  return x != x ? u16((b >> 16) | 0x40) : u16((b + 0x7fff + ((b >> 16) & 1)) >> 16);
#endif
}

// Two values that lie side by side, moved as one.
template <class T> struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

// Passes that take turns. All blocks have different numbers, each more than those of all that began before.
MMAFFT_DEVICE u32 number_of_block(u32 *next) {
  __shared__ u32 number;
  if (threadIdx.x == 0) number = atomicAdd(next, 1u);
  __syncthreads();
  return number;
}
// Until so many have counted up. What they stored before is seen after, by all threads behind a barrier.
MMAFFT_DEVICE void wait_for(const u32 *counter, u32 count) {
  u32 x;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(counter) : "memory");
  while (x < count);
}
MMAFFT_DEVICE void count_up(u32 *counter) { asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory"); }
#define MMAFFT_LESS(a, b) ((a) < (b) ? (a) : (b))

// Memory. `T` is a scalar or a Pair of them. What is `once` loaded or stored leaves the second-level cache before other
// lines do; what is `kept`, after them.
template <int BYTES> struct Word;
template <> struct Word<2> {
  typedef u16 type;
};
template <> struct Word<4> {
  typedef u32 type;
};
template <> struct Word<8> {
  typedef uint2 type;
};
template <> struct Word<16> {
  typedef uint4 type;
};
template <class T> MMAFFT_DEVICE T load_memory(const T *from) {
#ifdef MMAFFT_LOADED_ONCE
  typedef typename Word<sizeof(T)>::type W;
  const W word = __ldcs(reinterpret_cast<const W *>(from));
  T value;
  memcpy(&value, &word, sizeof(T));
  return value;
#else
  return *from;
#endif
}
// To the second-level cache.
template <class T> MMAFFT_DEVICE void bring_nearer(const T *from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }
#if defined(MMAFFT_STORED_KEPT) && __CUDA_ARCH__ >= 800
MMAFFT_DEVICE u64 kept() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
MMAFFT_DEVICE void store_kept(u16 *to, u16 x) { *to = x; }
MMAFFT_DEVICE void store_kept(u32 *to, u32 x) {
  asm volatile("st.global.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(to), "r"(x), "l"(kept()) : "memory");
}
MMAFFT_DEVICE void store_kept(uint2 *to, const uint2 &x) {
  asm volatile("st.global.L2::cache_hint.v2.b32 [%0], {%1, %2}, %3;" ::"l"(to), "r"(x.x), "r"(x.y), "l"(kept()) : "memory");
}
MMAFFT_DEVICE void store_kept(uint4 *to, const uint4 &x) {
  asm volatile("st.global.L2::cache_hint.v4.b32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "l"(kept())
               : "memory");
}
#endif
template <class T> MMAFFT_DEVICE void store_memory(T *to, const T &value) {
#if defined(MMAFFT_STORED_ONCE) || (defined(MMAFFT_STORED_KEPT) && __CUDA_ARCH__ >= 800)
  typename Word<sizeof(T)>::type word;
  memcpy(&word, &value, sizeof(T));
#endif
#ifdef MMAFFT_STORED_ONCE
  __stcs(reinterpret_cast<decltype(word) *>(to), word);
#elif defined(MMAFFT_STORED_KEPT) && __CUDA_ARCH__ >= 800
  store_kept(reinterpret_cast<decltype(word) *>(to), word);
#else
  *to = value;
#endif
}
// The two parts as one number, which is stored as one: NVRTC may store parts apart, each half of a sector.
// Of 16 bits.
template <class T> MMAFFT_DEVICE void store_as_one(Pair<T> *to, const Pair<T> &value) {
  u32 both;
  asm("mov.b32 %0, {%1, %2};" : "=r"(both) : "h"(value.x.bits), "h"(value.y.bits));
  store_memory(reinterpret_cast<u32 *>(to), both);
}
MMAFFT_DEVICE void store_as_one(Pair<float> *to, const Pair<float> &value) {
  u64 both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "f"(value.x), "f"(value.y));
  store_memory(reinterpret_cast<u64 *>(to), both);
}
// Nothing that a block stores is loaded again by it, so that loads of tables may pass these stores; passes that take
// turns have barriers between.
MMAFFT_DEVICE void store_as_one(Pair<double> *to, const Pair<double> &value) {
#if defined(MMAFFT_STORED_ONCE) || defined(MMAFFT_STORED_KEPT)
  store_memory(reinterpret_cast<double2 *>(to), double2{value.x, value.y});
#else
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %0; st.global.v2.f64 [at], {%1, %2};}" ::"l"(to), "d"(value.x), "d"(value.y));
#endif
}
// What is 16 bytes.
template <class T> MMAFFT_DEVICE void store_as_one(T *to, const T &value) {
  static_assert(sizeof(T) == 16, "no vector of another size");
  uint4 x;
  memcpy(&x, &value, sizeof x);
#if defined(MMAFFT_STORED_ONCE) || defined(MMAFFT_STORED_KEPT)
  store_memory(reinterpret_cast<uint4 *>(to), x);
#else
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %0; st.global.v4.b32 [at], {%1, %2, %3, %4};}" ::"l"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w));
#endif
}
// Tables that no launch changes.
MMAFFT_DEVICE Pair<float> load_table(const Pair<float> *from) {
  float2 x = __ldg(reinterpret_cast<const float2 *>(from));
  return {x.x, x.y};
}
MMAFFT_DEVICE Pair<double> load_table(const Pair<double> *from) {
  double2 x = __ldg(reinterpret_cast<const double2 *>(from));
  return {x.x, x.y};
}
// Two entries that lie beside each other, at a multiple of 16 bytes.
template <class T> struct TablePair {
  Pair<T> first, second;
};
MMAFFT_DEVICE TablePair<float> load_table_pair(const Pair<float> *from) {
  float4 x = __ldg(reinterpret_cast<const float4 *>(from));
  return {{x.x, x.y}, {x.z, x.w}};
}
MMAFFT_DEVICE TablePair<double> load_table_pair(const Pair<double> *from) { return {load_table(from), load_table(from + 1)}; }
MMAFFT_DEVICE Pair<u32> load_table(const Pair<u32> *from) {
  uint2 x = __ldg(reinterpret_cast<const uint2 *>(from));
  return {x.x, x.y};
}
MMAFFT_DEVICE u32 load_table(const u32 *from) { return __ldg(from); }
MMAFFT_DEVICE double load_table(const double *from) { return __ldg(from); }
MMAFFT_DEVICE float load_table(const float *from) { return __ldg(from); }

// The same pointer as if it were another: what was loaded from it is not kept for the next time, where
// registers are short. Fragments lie in the first-level cache.
template <class T> MMAFFT_DEVICE const T *anew(const T *pointer) {
  const T *x;
  asm volatile("mov.b64 %0, %1;" : "=l"(x) : "l"(pointer));
  return x;
}

// How far, in bytes, the constant part of an address reaches.
enum { IMMEDIATE = 1 << 23 };
// Bytes that the second-level cache reads or writes at once.
enum { SECTOR = 32 };
// The same number, of which compilers do not know what it is the sum of. Taken apart, addresses of two parts of
// one point are not seen to lie beside each other, and each is stored alone: half of a sector, twice.
MMAFFT_DEVICE i64 opaque(i64 x) {
  i64 y;
  asm("mov.b64 %0, %1;" : "=l"(y) : "l"(x));
  return y;
}

// Shared memory of the block, as Pairs.
extern __shared__ __align__(16) char shared_memory[];
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
MMAFFT_DEVICE void raise_shared(int at, float x) { atomicMax(reinterpret_cast<u32 *>(shared_memory) + at, bits_of(x)); }

// The same, in a block of the cluster.
template <class T> MMAFFT_DEVICE u32 shared_of(int block, int at) {
  const u32 here = u32(__cvta_generic_to_shared(shared_memory));
  u32 there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
  return there + u32(at) * u32(sizeof(T));
}
MMAFFT_DEVICE void store_address(u32 to, const Pair<float> &x) {
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(x.x), "f"(x.y) : "memory");
}
MMAFFT_DEVICE void store_address(u32 to, const Pair<double> &x) {
  asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(to), "d"(x.x), "d"(x.y) : "memory");
}
MMAFFT_DEVICE void store_address(u32 to, float x) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(x) : "memory");
}
MMAFFT_DEVICE void store_address(u32 to, double x) {
  asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(to), "d"(x) : "memory");
}
template <class T> MMAFFT_DEVICE void store_shared_of(int block, int at, const Pair<T> &value) {
  store_address(shared_of<Pair<T>>(block, at), value);
}
template <class T> MMAFFT_DEVICE void store_shared_part_of(int block, int at, T value) {
  store_address(shared_of<T>(block, at), value);
}

// Memory to shared memory without passing through registers; there after copy_wait and a
// barrier. Not before Ampere: there the copy is done at once.
template <class T> MMAFFT_DEVICE void copy_async(int at, const Pair<T> *from) {
#if __CUDA_ARCH__ >= 800
  const u32 to = u32(__cvta_generic_to_shared(shared_memory)) + u32(at) * u32(sizeof(Pair<T>));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(Pair<T>))
               : "memory");
#else
  store_shared<T>(at, *from);
#endif
}
MMAFFT_DEVICE void copy_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace mmafft
