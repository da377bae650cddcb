// What is checked of an access before it is made. Each of these fails, or returns.
#pragma once
#include <cstring>

#include "machine.hpp"

namespace mmafft {
namespace host {

// Tables are what no launch changes, so that devices may read them through another cache.
enum { READABLE = (1 << REGIONS) - 1, CONSTANT = 1 << TABLES | 1 << MATRICES | 1 << EXTRA };

// What compilers are told to take for granted.
static inline void check_assumed(bool holds, const char *condition) {
  if (!holds) fail("wrong: it is assumed that %s", condition);
}

// `size` bytes at `at` are aligned and lie inside one region of those that `allowed` has
// the bits of.
static inline void check_memory(const void *at, size_t size, unsigned allowed, const char *does) {
  const char *from = static_cast<const char *>(at);
  if (reinterpret_cast<uintptr_t>(from) % size) fail("misaligned: %s %d bytes at %p", does, int(size), at);
  const Memory *memory = machine->launch->memory;
  for (int i = 0; i < REGIONS; i++)
    if ((allowed >> i & 1) && from >= memory[i].begin && from < memory[i].end && size_t(memory[i].end - from) >= size)
      return;
  // Of the regions, the first that is allowed serves to say where the address lies.
  int first = 0;
  while (!(allowed >> first & 1)) first++;
  static const char *const name[] = {"load", "store", "extra", "tables", "matrices"};
  i64 offset = i64(reinterpret_cast<uintptr_t>(from) - reinterpret_cast<uintptr_t>(memory[first].begin));
  fail("outside: %s %d bytes that lie in none of the regions for that, at byte %lld of `%s`, which has %lld", does,
       int(size), offset, name[first], i64(memory[first].end - memory[first].begin));
}

// Remembers an access until the next barrier, where patterns are counted.
static inline void note(Kind kind, u64 at, size_t size) {
  if (machine->launch->patterns) this_thread().accesses.note(kind, at, size);
}
static inline u64 number_of(const void *at) { return u64(reinterpret_cast<uintptr_t>(at)); }

// A sum over what tiles access, in any order and by any number of bytes at a time, is the same where that is.
static inline u64 mixed(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
static inline u64 access_of(u64 tile, const void *at, size_t size) {
  u64 sum = 0;
  for (size_t i = 0; i < size; i++) sum += mixed(mixed(number_of(at) + i) + tile);
  return sum;
}
static inline u64 own_tile() {
  return (u64(machine->block) + u64(block_in_cluster())) / u64(current_config->blocks > 1 ? current_config->blocks : 1);
}

// A later tile's block will read it.
static inline void ask_memory(const void *from, size_t size) {
  check_memory(from, size, READABLE, "asks for");
  machine->report->bytes_asked += size;
  machine->report->asked += access_of(own_tile() + u64(current_config->ahead), from, size);
}

// A read of data, which may change from launch to launch.
static inline void count_read(const void *from, size_t size) {
  machine->report->bytes_read += size;
  note(MEMORY_READ, number_of(from), size);
  const u64 ahead = u64(current_config->ahead);
  if (ahead > 0 && own_tile() >= ahead) machine->report->read_later += access_of(own_tile(), from, size);
}

// By memcpy: the memory is bytes to the host.
static inline void read_memory(void *to, const void *from, size_t size, unsigned allowed) {
  check_memory(from, size, allowed, "reads");
  if (allowed == CONSTANT) machine->report->constant_bytes += size;
  else count_read(from, size);
  std::memcpy(to, from, size);
}

static inline void write_memory(void *to, const void *from, size_t size) {
  check_memory(to, size, machine->writable, "writes");
  machine->report->bytes_written += size;
  note(MEMORY_WRITE, number_of(to), size);
  std::memcpy(to, from, size);
}

// What the record of shared memory says.
static inline void expect_fine(const char *wrong, int other, i64 at) {
  if (!wrong) return;
  if (other < 0) fail("%s, at byte %lld", wrong, at);
  const int threads = machine->block_threads, block = other / threads;
  if (block != block_in_cluster())
    fail("%s by thread %d of block %u, at byte %lld", wrong, other % threads, machine->block + u32(block), at);
  fail("%s by thread %d, at byte %lld", wrong, other % threads, at);
}

// The byte at which the element of this size and number lies.
static inline i64 check_shared(int number, size_t size, const char *does) {
  i64 at = i64(number) * i64(size);
  if (machine->shared.holds(at, size)) return at;
  fail("outside: %s %d bytes at byte %lld of the shared memory, which has %llu", does, int(size), at,
       machine->launch->shared_bytes);
}

static inline void read_shared(void *to, int number, size_t size) {
  i64 at = check_shared(number, size, "reads");
  int other = -1;
  const char *wrong = machine->shared.read(machine->current, at, size, other);
  expect_fine(wrong, other, at);
  machine->report->shared_reads++;
  note(SHARED_READ, u64(at), size);
  std::memcpy(to, machine->shared.data(block_in_cluster(), at), size);
}

// Another block's shared memory is there once a thread of it has begun, and until all have ended.
static inline void check_block(int block) {
  const Machine &m = *machine;
  if (block < 0 || block >= m.blocks) fail("outside: writes to block %d of a cluster of %d", block, m.blocks);
  const Thread *first = m.threads.data() + block * m.block_threads;
  bool begun = false, there = false;
  for (const Thread *thread = first; thread != first + m.block_threads && !(begun && there); thread++) {
    begun = begun || thread->begun;
    there = there || thread->where != ENDED;
  }
  if (!begun) fail("outside: writes to the shared memory of block %d of the cluster, which has not begun", block);
  if (!there) fail("outside: writes to the shared memory of block %d of the cluster, which has ended", block);
}

// Writes to that of a block of the cluster.
static inline void write_shared(int block, int number, const void *from, size_t size) {
  i64 at = check_shared(number, size, "writes");
  int other = -1;
  const char *wrong = machine->shared.write(machine->current, block, at, size, other);
  expect_fine(wrong, other, at);
  machine->report->shared_writes++;
  // Which banks wait for lanes of other blocks is not known.
  if (block == block_in_cluster()) note(SHARED_WRITE, u64(at), size);
  std::memcpy(machine->shared.data(block, at), from, size);
}

static inline void raise_shared(int number, float x) {
  i64 at = check_shared(number, sizeof x, "raises");
  int other = -1;
  const char *wrong = machine->shared.raise(machine->current, at, sizeof x, other);
  expect_fine(wrong, other, at);
  machine->report->shared_reads++;
  machine->report->shared_writes++;
  note(SHARED_WRITE, u64(at), sizeof x);
  float y;
  std::memcpy(&y, machine->shared.data(block_in_cluster(), at), sizeof y);
  if (x > y) std::memcpy(machine->shared.data(block_in_cluster(), at), &x, sizeof x);
}

static inline void start_copy(int number, const void *from, size_t size) {
  i64 at = check_shared(number, size, "copies to");
  check_memory(from, size, READABLE, "copies from");
  int other = -1;
  const char *wrong = machine->shared.depart(machine->current, at, size, other);
  expect_fine(wrong, other, at);
  this_thread().copies.push_back({at, static_cast<const char *>(from), size});
}

// The data are read when they land, here: what is in memory by now counts.
static inline void land_copies() {
  Thread &thread = this_thread();
  if (thread.waits++ == machine->launch->skip_wait) return;
  if (thread_in_block() == 0) machine->report->waits++;
  for (const Copy &copy : thread.copies) {
    machine->shared.land(machine->current, copy.at, copy.size);
    std::memcpy(machine->shared.data(block_in_cluster(), copy.at), copy.from, copy.size);
    count_read(copy.from, copy.size);
    machine->report->shared_writes++;
    note(SHARED_WRITE, u64(copy.at), copy.size);
  }
  thread.copies.clear();
}

static inline const Step &enter_step(int number) {
  if (number < 0 || number >= MAX_STEPS) fail("step %d does not exist", number);
  this_thread().step = number;
  return current_config->step[number];
}

template <class T> static inline void shuffle_lanes(int mask, const T *const *in, T *const *out) {
  for (int i = 0; i < WAVE; i++) *out[i] = *in[i ^ mask];
}

}  // namespace host
}  // namespace mmafft
