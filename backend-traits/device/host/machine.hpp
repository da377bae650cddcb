// The state of an emulated launch, and the ways in which one of its threads waits or fails.
//
// One operating system thread runs one launch at a time: blocks (or clusters of them) one after
// another, the threads of a block in turn, each until it waits. All that a kernel calls works on the
// machine of the operating system thread that runs it.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "../config.hpp"
#include "fiber.hpp"
#include "shared.hpp"

// Lanes of a wave; the vendor's translation unit says how many.
#ifndef MMAFFT_WAVE
#error "define MMAFFT_WAVE"
#endif
#include "patterns.hpp"

namespace mmafft {

enum { WAVE = MMAFFT_WAVE };

// Apart from what the shared source may call, so that it may use any name.
namespace host {

struct Memory {
  const char *begin, *end;
};

enum Order { ORDER_FORWARD, ORDER_REVERSE, ORDER_SHUFFLED };

// What is to be run: `RawLaunch` of emulated/src/bindings.rs, field for field.
struct EmulatedLaunch {
  const i64 *config;
  const char *entry;
  Memory memory[5];  // enum Region
  u64 lines;
  double scale;
  u64 threads, shared_bytes, blocks;
  u64 order, seed;
  i64 skip_barrier, skip_wait;  // or -1
  u64 patterns;                 // whether they are counted
};

// What came of it: `RawReport`. The message is empty where all went well.
struct EmulatedReport {
  u64 bytes_read, bytes_written, constant_bytes, shared_reads, shared_writes, barriers, waits, collectives;
  u64 bytes_asked, asked, read_later;
  Pattern patterns[KINDS];
  char message[480];
};

enum Region { LOAD, STORE, EXTRA, TABLES, MATRICES, REGIONS };

enum Where { RUNNABLE, AT_BARRIER, AT_CLUSTER, IN_COLLECTIVE, ENDED };

struct Copy {
  i64 at;
  const char *from;
  size_t size;
};

struct Thread {
  Context context;
  Where where;
  bool begun;
  i64 step;
  i64 barriers, waits;
  std::vector<Copy> copies;
  Accesses accesses;
};

// Where the lanes of a wave meet. A lane leaves the addresses of its operands, which stay
// where they are on its stack while it waits.
struct Wave {
  int arrived;
  const void *operation;
  int parameter;
  const void *in[WAVE];
  void *out[WAVE];
};

struct Machine {
  const EmulatedLaunch *launch = nullptr;
  EmulatedReport *report = nullptr;
  unsigned writable = 0;  // regions, as bits
  void (*kernel)(Arguments) = nullptr;
  Arguments arguments = {};
  Context scheduler;
  Stacks stacks;
  std::vector<Thread> threads;
  std::vector<Wave> waves;
  std::vector<int> turn;
  Shared shared;
  u64 random = 0;
  u32 block = 0;         // the first of the cluster
  int blocks = 1;        // of a cluster
  int block_threads = 1;
  int current = 0;       // thread, of all those of the cluster
  bool failed = false;
};

// Owned by emulator.cpp. A plain pointer: it needs no check for being constructed.
static thread_local Machine *machine = nullptr;
// What `config` stands for in the shared source.
static thread_local const Config *current_config = nullptr;

static inline Thread &this_thread() { return machine->threads[size_t(machine->current)]; }

// Which block of the cluster runs, and which thread of the block.
static inline int block_in_cluster() { return machine->blocks == 1 ? 0 : machine->current / machine->block_threads; }
static inline int thread_in_block() { return machine->current - block_in_cluster() * machine->block_threads; }

// The thread leaves the processor until the machine takes it up again.
static inline void wait_as(Where where) {
  Machine &m = *machine;
  Thread &thread = this_thread();
  thread.where = where;
  switch_context(thread.context, m.scheduler);
}

// The first thing that goes wrong ends the launch: this does not return.
__attribute__((noreturn, cold, format(printf, 1, 2))) static void fail(const char *format, ...) {
  Machine &m = *machine;
  char what[320];
  va_list words;
  va_start(words, format);
  std::vsnprintf(what, sizeof what, format, words);
  va_end(words);
  const Thread &thread = this_thread();
  char step[32] = "";
  if (thread.step >= 0) std::snprintf(step, sizeof step, ", step %lld", thread.step);
  std::snprintf(m.report->message, sizeof m.report->message, "%s (block %u, thread %d%s, after %lld barriers)",
                what, m.block + u32(block_in_cluster()), thread_in_block(), step, thread.barriers);
  m.failed = true;
  switch_context(this_thread().context, m.scheduler);
  __builtin_trap();
}

// All lanes of a wave meet in one operation; the last to arrive computes it for all of
// them. `operation` and `parameter` must be the same in every lane.
template <class In, class Out>
static inline void meet(void (*operation)(int, const In *const *, Out *const *), int parameter, const In &in,
                        Out &out) {
  Machine &m = *machine;
  int thread = thread_in_block(), lane = thread % WAVE, waves = (m.block_threads + WAVE - 1) / WAVE;
  Wave &wave = m.waves[size_t(block_in_cluster() * waves + thread / WAVE)];
  const void *name = reinterpret_cast<const void *>(operation);
  if (thread - lane + WAVE > m.block_threads)
    fail("deadlock: an operation of a wave of which the block has only a part");
  if (wave.arrived && (wave.operation != name || wave.parameter != parameter))
    fail("deadlock: the lanes of a wave meet in different operations");
  wave.operation = name;
  wave.parameter = parameter;
  wave.in[lane] = &in;
  wave.out[lane] = &out;
  if (++wave.arrived < WAVE) return wait_as(IN_COLLECTIVE);
  const In *ins[WAVE];
  Out *outs[WAVE];
  for (int i = 0; i < WAVE; i++) {
    ins[i] = static_cast<const In *>(wave.in[i]);
    outs[i] = static_cast<Out *>(wave.out[i]);
    m.threads[size_t(m.current - lane + i)].where = RUNNABLE;
  }
  wave.arrived = 0;
  m.report->collectives++;
  operation(parameter, ins, outs);
}

}  // namespace host
}  // namespace mmafft
