// Runs the blocks of a launch, one after another; those of a cluster together. Included last by a vendor's translation
// unit, which has included its fragments and says what the C functions are to be called:
//
//   for each cluster (or block), in the launch's order of blocks:
//     start every thread of its blocks on its own stack
//     until all have ended:
//       run each thread that can run, in the launch's order of threads, until it waits
//       if none can run any more: where all of a block are at its barrier, or all of all blocks
//       at the cluster's, they go on; all ended is the end; anything else waits for ever, and is
//       an error
#include <utility>

#include "../config.hpp"

#ifndef MMAFFT_EMULATED
#error "define MMAFFT_EMULATED(name), the C function of this vendor"
#endif

// A device compiles one of them at a time.
#define MMAFFT_ENTRY_mmafft_pass
#define MMAFFT_ENTRY_mmafft_cluster
#define MMAFFT_ENTRY_mmafft_split
#define MMAFFT_ENTRY_mmafft_combine
#define MMAFFT_ENTRY_mmafft_product
// After every header of the system: the word is not ours alone.
#define config (*::mmafft::host::current_config)
#include "../butterflies.hpp"
#include "../type_one.hpp"
#include "../pass.hpp"
#include "../operations.hpp"
#ifdef MMAFFT_MORE_KERNELS
#include MMAFFT_MORE_KERNELS
#endif
#undef config

namespace mmafft {
namespace host {

struct Entry {
  const char *name;
  void (*kernel)(Arguments);
  unsigned writable;
};

enum { STORES = 1 << STORE, OPERATES = STORES | 1 << EXTRA | 1 << MATRICES };

static const Entry ENTRIES[] = {
    {"mmafft_pass", mmafft_pass, STORES},
    {"mmafft_cluster", mmafft_cluster, STORES},
    {"mmafft_split", mmafft_split, OPERATES},
    {"mmafft_combine", mmafft_combine, OPERATES},
    {"mmafft_product", mmafft_product, OPERATES},
#ifdef MMAFFT_MORE_ENTRIES
    MMAFFT_MORE_ENTRIES
#endif
};

static const Entry *find_entry(const char *name) {
  for (const Entry &entry : ENTRIES)
    if (!std::strcmp(entry.name, name)) return &entry;
  return nullptr;
}

// SplitMix64.
static u64 next_random(u64 &state) {
  u64 x = state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// The blocks, or clusters of them, in the launch's order. A shuffle must not take memory for each
// of them, so it steps by a number that shares no divisor with theirs.
struct Blocks {
  u64 count, first, by;

  Blocks(const EmulatedLaunch &launch, u64 blocks, u64 &random) : count(blocks), first(0), by(1) {
    if (launch.order == ORDER_REVERSE) first = by = count - 1;
    if (launch.order != ORDER_SHUFFLED) return;
    first = next_random(random) % count;
    do by = next_random(random) % count;
    while (divisor(by, count) != 1);
  }
  static u64 divisor(u64 a, u64 b) { return a ? divisor(b % a, a) : b; }
  u32 operator[](u64 i) const { return u32((first + i * by) % count); }
};

// The order of the threads until the next barrier.
static void take_turns(Machine &m) {
  int count = int(m.turn.size());
  for (int i = 0; i < count; i++)
    m.turn[size_t(i)] = m.launch->order == ORDER_REVERSE ? count - 1 - i : i;
  if (m.launch->order != ORDER_SHUFFLED) return;
  for (int i = count - 1; i > 0; i--)
    std::swap(m.turn[size_t(i)], m.turn[size_t(next_random(m.random) % u64(i + 1))]);
}

static void thread_main() {
  Machine &m = *machine;
  m.kernel(m.arguments);
  if (!this_thread().copies.empty()) fail("ends while asynchronous copies of it are under way");
  wait_as(ENDED);
  __builtin_trap();
}

// How many threads of a block, or of all, wait like this.
static int count_of(const Machine &m, Where where, int block) {
  int count = 0;
  for (int i = 0; i < m.block_threads; i++) count += m.threads[size_t(block * m.block_threads + i)].where == where;
  return count;
}
static int count_of(const Machine &m, Where where) {
  int count = 0;
  for (int block = 0; block < m.blocks; block++) count += count_of(m, where, block);
  return count;
}

// All threads of a block have come to a barrier, or to their end.
static void finish_interval(Machine &m, int block) {
  if (!m.launch->patterns) return;
  Thread *const begin = m.threads.data() + block * m.block_threads, *const end = begin + m.block_threads;
  for (Thread *first = begin; first < end; first += WAVE) {
    const Accesses *lanes[WAVE];
    int count = 0;
    while (count < WAVE && first + count < end) {
      lanes[count] = &first[count].accesses;
      count++;
    }
    count_patterns(lanes, count, m.report->patterns);
  }
  for (Thread *thread = begin; thread != end; thread++) thread->accesses.clear();
}

// Lets the threads of blocks that have all come to a barrier go on: whether there are any.
static bool pass_barriers(Machine &m) {
  const bool cluster = count_of(m, AT_CLUSTER) == int(m.threads.size());
  if (cluster) m.shared.barrier();
  bool any = false;
  for (int block = 0; block < m.blocks; block++) {
    if (!cluster && count_of(m, AT_BARRIER, block) != m.block_threads) continue;
    if (!cluster) m.shared.barrier(block);
    finish_interval(m, block);
    m.report->barriers++;
    for (int i = 0; i < m.block_threads; i++) m.threads[size_t(block * m.block_threads + i)].where = RUNNABLE;
    any = true;
  }
  return any;
}

// Runs the block, or the cluster, that begins with this block.
static bool run_cluster(Machine &m, u32 block) {
  m.block = block;
  m.shared.start_cluster();
  for (Wave &wave : m.waves) wave.arrived = 0;
  for (size_t i = 0; i < m.threads.size(); i++) {
    Thread &thread = m.threads[i];
    thread.where = RUNNABLE;
    thread.begun = false;
    thread.step = -1;
    thread.barriers = thread.waits = 0;
    thread.copies.clear();
    thread.accesses.clear();
    start_context(thread.context, m.stacks.get(i), Stacks::BYTES, thread_main);
  }
  for (;;) {
    take_turns(m);
    for (bool ran = true; ran;) {
      ran = false;
      for (int number : m.turn) {
        Thread &thread = m.threads[size_t(number)];
        if (thread.where != RUNNABLE) continue;
        ran = true;
        m.current = number;
        thread.begun = true;
        switch_context(m.scheduler, thread.context);
        if (m.failed) return false;
      }
    }
    if (pass_barriers(m)) continue;
    int all = int(m.threads.size()), ended = count_of(m, ENDED);
    int at_barrier = count_of(m, AT_BARRIER) + count_of(m, AT_CLUSTER);
    if (ended == all) {
      for (int b = 0; b < m.blocks; b++) finish_interval(m, b);
      return true;
    }
    std::snprintf(m.report->message, sizeof m.report->message,
                  "deadlock: %d threads wait at a barrier, %d in an operation of their wave, and %d have ended "
                  "(block %u)",
                  at_barrier, all - at_barrier - ended, ended, block);
    return false;
  }
}

// What is wrong with the launch before it starts, or null.
static const char *refuse(const EmulatedLaunch &launch, const Config &c, const Entry *entry, Machine &m) {
  if (!entry) return "no kernel has this name";
  if (launch.threads < 1 || launch.threads > 1024) return "a block has 1 to 1024 threads";
  if (launch.blocks > 0x7fffffff) return "a launch has at most 2^31 - 1 blocks";
  const bool cluster = entry->kernel == mmafft_cluster;
  if (launch.blocks % u64(m.blocks)) return "a launch has whole clusters";
  if (m.blocks > 8) return "a cluster has at most 8 blocks";
  if (entry->kernel == mmafft_pass || cluster) {
    if (u64(c.threads) != launch.threads) return "the configuration is for another number of threads";
    if (c.values > MMAFFT_VALUES) return "a thread cannot hold so many values";
    if (c.steps > MAX_STEPS) return "the configuration has too many steps";
    if (c.blocks < 1 || cluster != (c.blocks > 1)) return "the kernel is for another number of blocks";
  }
  return m.stacks.get(launch.threads * u64(m.blocks) - 1) ? nullptr : "no memory for the threads' stacks";
}

static thread_local Machine this_machine;

}  // namespace host
}  // namespace mmafft

// Words of a configuration.
extern "C" unsigned long long MMAFFT_EMULATED(config_words)() { return sizeof(mmafft::Config) / 8; }

extern "C" int MMAFFT_EMULATED(has_entry)(const char *name) { return mmafft::host::find_entry(name) != nullptr; }

// 0: done; 1: refused, nothing has run; 2: failed on the way. Both say why in the report.
extern "C" int MMAFFT_EMULATED(run)(const mmafft::host::EmulatedLaunch *launch, mmafft::host::EmulatedReport *report) {
  using namespace mmafft;
  using namespace mmafft::host;
  Machine &m = this_machine;
  const Entry *entry = find_entry(launch->entry);
  const Config &c = *reinterpret_cast<const Config *>(launch->config);
  *report = EmulatedReport();
  m.blocks = c.blocks > 1 ? int(c.blocks) : 1;
  m.block_threads = int(launch->threads);
  if (const char *why = refuse(*launch, c, entry, m)) {
    std::snprintf(report->message, sizeof report->message, "%s: %s", launch->entry, why);
    return 1;
  }
  if (launch->blocks == 0) return 0;
  const Memory *memory = launch->memory;
  machine = &m;
  current_config = &c;
  m.launch = launch;
  m.report = report;
  m.kernel = entry->kernel;
  m.writable = entry->writable;
  m.arguments = {memory[LOAD].begin,   const_cast<char *>(memory[STORE].begin), memory[EXTRA].begin,
                 memory[TABLES].begin, memory[MATRICES].begin,                  launch->lines,
                 launch->scale};
  m.failed = false;
  m.random = launch->seed;
  m.threads.resize(launch->threads * u64(m.blocks));
  m.turn.resize(m.threads.size());
  m.waves.resize((launch->threads + WAVE - 1) / WAVE * u64(m.blocks));
  m.shared.prepare(launch->shared_bytes, m.blocks, m.block_threads);
  Blocks blocks(*launch, launch->blocks / u64(m.blocks), m.random);
  for (u64 i = 0; i < blocks.count; i++)
    if (!run_cluster(m, blocks[i] * u32(m.blocks))) return 2;
  return 0;
}
