// Kernels that only the tests of this crate launch: right ones, to be made wrong by leaving
// out a barrier or a wait, and wrong ones.
#pragma once

namespace mmafft {
namespace test {

typedef Pair<float> Point;

MMAFFT_DEVICE i64 thread_number(const Arguments &) { return i64(block_index()) * host::machine->launch->threads + thread_index(); }

// 256 threads transpose a tile of 16 × 16 points twice through the same shared memory, and
// add 1 each time. All three barriers are needed.
MMAFFT_KERNEL void transpose(Arguments a) {
  int t = thread_index();
  i64 at = thread_number(a);
  Point x = load_memory(static_cast<const Point *>(a.load) + at);
  for (int round = 0; round < 2; round++) {
    if (round > 0) barrier();
    store_shared<float>(t, x);
    barrier();
    x = load_shared<float>(t % 16 * 16 + t / 16);
    x.x += 1;
  }
  store_memory(static_cast<Point *>(a.store) + at, x);
}

// A block's points in reverse, copied to shared memory asynchronously.
MMAFFT_KERNEL void reverse(Arguments a) {
  int t = thread_index(), threads = int(host::machine->launch->threads);
  i64 at = thread_number(a);
  copy_async<float>(t, static_cast<const Point *>(a.load) + at);
  copy_wait();
  barrier();
  store_memory(static_cast<Point *>(a.store) + at, load_shared<float>(threads - 1 - t));
}

// The point in memory changes between the copy and the wait.
MMAFFT_KERNEL void late(Arguments a) {
  Point *at = static_cast<Point *>(a.store) + thread_number(a);
  copy_async<float>(thread_index(), at);
  store_memory(at, Point{1, 2});
  copy_wait();
  Point x = load_shared<float>(thread_index());
  store_memory(at, Point{x.x + 10, x.y + 10});
}

// The blocks of a cluster hand their points round, twice, and add 1 each time. All four barriers
// are needed.
MMAFFT_KERNEL void rotate(Arguments a) {
  int t = thread_index(), to = int(cluster_rank() + 1) % host::machine->blocks;
  i64 at = thread_number(a);
  Point x = load_memory(static_cast<const Point *>(a.load) + at);
  for (int round = 0; round < 2; round++) {
    cluster_barrier();
    store_shared_of<float>(to, t, x);
    cluster_barrier();
    x = load_shared<float>(t);
    x.x += 1;
  }
  store_memory(static_cast<Point *>(a.store) + at, x);
}

enum ClusterFault { TO_NO_BLOCK, NOT_BEGUN, HAS_ENDED, OTHERS_BARRIER, OTHERS_READ, TWO_WRITERS, ONE_BLOCK_WAITS };

// `lines` says what goes wrong in a cluster of two.
MMAFFT_KERNEL void cluster_fault(Arguments a) {
  int t = thread_index(), rank = int(cluster_rank());
  if (a.lines != NOT_BEGUN) cluster_barrier();
  switch (a.lines) {
    case TO_NO_BLOCK: store_shared_of<float>(2, t, Point{1, 1}); break;
    case NOT_BEGUN: store_shared_of<float>(1 - rank, t, Point{1, 1}); break;
    case HAS_ENDED:
      if (rank == 1) break;
      barrier();
      store_shared_of<float>(1, t, Point{1, 1});
      break;
    // The barriers of two blocks order nothing between them.
    case OTHERS_BARRIER:
      if (rank == 1) store_shared_of<float>(0, t, Point{1, 1});
      barrier();
      if (rank == 0) load_shared<float>(t);
      cluster_barrier();
      break;
    case OTHERS_READ:
      store_shared<float>(t, Point{1, 1});
      cluster_barrier();
      if (rank == 0) load_shared<float>(t);
      barrier();
      if (rank == 1) store_shared_of<float>(0, t, Point{1, 1});
      cluster_barrier();
      break;
    case TWO_WRITERS:
      store_shared_of<float>(0, t, Point{1, 1});
      cluster_barrier();
      break;
    case ONE_BLOCK_WAITS:
      if (rank == 0) cluster_barrier();
      break;
  }
}

// The sum of a wave, in all its lanes.
MMAFFT_KERNEL void sum(Arguments a) {
  i64 at = thread_number(a);
  float x = load_memory(static_cast<const float *>(a.load) + at);
  for (int mask = 1; mask < WAVE; mask *= 2) x += shuffle_xor(x, mask);
  store_memory(static_cast<float *>(a.store) + at, x);
}

// Every thread takes the next number, twice, with a barrier between. What no device could
// do, the emulation can: its threads run one after another.
MMAFFT_KERNEL void order(Arguments a) {
  u32 *numbers = static_cast<u32 *>(a.store);
  i64 threads = i64(host::machine->launch->threads), base = 1 + i64(block_index()) * 2 * threads;
  for (int round = 0; round < 2; round++) {
    u32 next = load_memory(numbers);
    store_memory(numbers, next + 1);
    store_memory(numbers + base + round * threads + thread_index(), next);
    if (round == 0) barrier();
  }
}

// `lines` values from 16 bits to 32 and back.
template <class From, class To, To (*CONVERT)(From)> MMAFFT_KERNEL void convert(Arguments a) {
  i64 threads = i64(host::machine->launch->threads) * block_count();
  for (i64 i = thread_number(a); i < i64(a.lines); i += threads)
    store_memory(static_cast<To *>(a.store) + i, CONVERT(load_memory(static_cast<const From *>(a.load) + i)));
}

// A read outside, from within a step.
template <class S> MMAFFT_DEVICE void fault_in_step(S s, const Arguments &a) {
  MMAFFT_STEP(S);
  load_memory(static_cast<const float *>(a.load) - 1 - step.radix);
}

enum Fault {
  READ_OUTSIDE, WRITE_OUTSIDE, WRITE_TO_LOAD, MISALIGNED, TABLE_FROM_STORE, SHARED_BEYOND, SHARED_BEFORE,
  NEVER_WRITTEN, WRITTEN_TWICE, BEFORE_WAIT, NO_WAIT, COPY_OUTSIDE, IN_STEP, NO_STEP, SHUFFLE_OUTSIDE,
  HALF_AT_BARRIER, LANE_LEAVES, LANE_AT_BARRIER, DIFFERENT_SHUFFLES
};

// `lines` says what goes wrong.
MMAFFT_KERNEL void fault(Arguments a) {
  int t = thread_index(), cells = int(host::machine->launch->shared_bytes / sizeof(Point));
  const float *load = static_cast<const float *>(a.load);
  float *store = static_cast<float *>(a.store);
  i64 points = (host::machine->launch->memory[host::LOAD].end - host::machine->launch->memory[host::LOAD].begin) / 4;
  switch (a.lines) {
    case READ_OUTSIDE: load_memory(load + points); break;
    case WRITE_OUTSIDE: store_memory(store - 1, 1.0f); break;
    case WRITE_TO_LOAD: store_memory(const_cast<float *>(load), 1.0f); break;
    case MISALIGNED: load_memory(reinterpret_cast<const Point *>(load + 1)); break;
    case TABLE_FROM_STORE: load_table(store); break;
    case SHARED_BEYOND: store_shared<float>(cells, Point{1, 1}); break;
    case SHARED_BEFORE: load_shared<float>(-1); break;
    case NEVER_WRITTEN: load_shared<float>(t); break;
    case WRITTEN_TWICE: store_shared<float>(t / 2, Point{1, 1}); break;
    case BEFORE_WAIT:
      copy_async<float>(t, static_cast<const Point *>(a.load));
      load_shared<float>(t);
      break;
    case NO_WAIT: copy_async<float>(t, static_cast<const Point *>(a.load)); break;
    case COPY_OUTSIDE: copy_async<float>(t, reinterpret_cast<const Point *>(load + points)); break;
    case IN_STEP: fault_in_step(RunIndex{3}, a); break;
    case NO_STEP: fault_in_step(RunIndex{MAX_STEPS}, a); break;
    case SHUFFLE_OUTSIDE: shuffle_xor(1, WAVE); break;
    case HALF_AT_BARRIER:
      if (t % 2) barrier();
      break;
    case LANE_LEAVES:
      if (t != 3) shuffle_xor(1, 1);
      break;
    case LANE_AT_BARRIER:
      if (t == 3) barrier();
      else shuffle_xor(1, 1);
      break;
    case DIFFERENT_SHUFFLES: shuffle_xor(1, 1 + t % 2); break;
  }
}

// A matrix product of one wave. A lane's words: 0..8 the accumulator, 8..12 what it holds
// of A, 12..16 of B; it writes 8 words of accumulator.
template <class T, int N, void (*PRODUCT)(T (&)[N], const u32 *, const u32 *)>
MMAFFT_KERNEL void product(Arguments a) {
  const u32 *from = static_cast<const u32 *>(a.load) + 16 * thread_index();
  u32 words[16];
  for (int i = 0; i < 16; i++) words[i] = load_memory(from + i);
  T d[N];
  std::memcpy(d, words, sizeof d);
  PRODUCT(d, words + 8, words + 12);
  std::memcpy(words, d, sizeof d);
  for (int i = 0; i < 8; i++) store_memory(static_cast<u32 *>(a.store) + 8 * thread_index() + i, words[i]);
}

template <class T> MMAFFT_DEVICE T value_of(const u32 *words) {
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

#define MMAFFT_TEST_ENTRIES                                                              \
  {"test_transpose", test::transpose, STORES}, {"test_reverse", test::reverse, STORES},  \
      {"test_rotate", test::rotate, STORES}, {"test_cluster_fault", test::cluster_fault, STORES},       \
      {"test_late", test::late, STORES}, {"test_sum", test::sum, STORES},                \
      {"test_order", test::order, STORES}, {"test_fault", test::fault, STORES},          \
      {"test_widen_half", test::convert<u16, float, widen_half>, STORES},                \
      {"test_round_half", test::convert<float, u16, round_half>, STORES},                \
      {"test_widen_bf16", test::convert<u16, float, widen_bf16>, STORES},                \
      {"test_round_bf16", test::convert<float, u16, round_bf16>, STORES}

}  // namespace test
}  // namespace mmafft
