// The shared memory of the emulated blocks of a cluster (of one block, where there are no
// clusters), with a record of who touched each cell since the last barrier. Between two barriers a
// cell may be read by many threads, or used by one: anything else has a result that depends on the
// order in which threads run. What two blocks do is ordered by the cluster's barriers alone.
#pragma once
#include <cstring>
#include <vector>

#include "../config.hpp"

namespace mmafft {
namespace host {

class Shared {
 public:
  enum { CELL = 4 };  // bytes
  static constexpr const char *FINE = nullptr;

  // `size` bytes in each of `blocks` blocks of `threads` threads.
  void prepare(size_t size, int blocks, int threads) {
    lines = (size + 15) / 16;
    per_block = lines * (16 / CELL);
    bytes.assign(lines * size_t(blocks), Line());
    cells.assign(per_block * size_t(blocks), Cell());
    since.assign(size_t(blocks), 1);
    limit = size / CELL * CELL;
    block_threads = threads;
    now = start = all_since = 1;
  }

  // What blocks before have left is not there: NaN in every storage.
  void start_cluster() {
    barrier();
    start = now;
    if (!bytes.empty()) std::memset(bytes.data(), 0xff, bytes.size() * sizeof(Line));
  }

  // All threads of a block, or of all blocks, have met.
  void barrier(int block) { since[size_t(block)] = ++now; }
  void barrier() {
    all_since = ++now;
    for (u32 &s : since) s = now;
  }

  // Bytes from `at` on lie inside.
  bool holds(i64 at, size_t size) const {
    return at >= 0 && u64(at) + size <= limit && at % CELL == 0 && size % CELL == 0;
  }

  char *data(int block, i64 at) { return reinterpret_cast<char *>(bytes.data() + lines * size_t(block)) + at; }

  // Each of these records what `thread` of the cluster does to the cells of [at, at + size), which
  // lie inside, of its block (or, if it writes, of `block`), and returns what is wrong with it, and
  // `other`, the thread at odds, or -1.
  const char *read(int thread, i64 at, size_t size, int &other) {
    const int block = block_of(thread);
    for (Cell *cell = first(block, at); cell != first(block, at + i64(size)); cell++) {
      if (const char *wrong = in_flight(*cell, other)) return wrong;
      if (cell->written < start) return other = -1, "reads a shared cell that was never written";
      const int by = cell->writer == RAISED ? -1 : cell->writer;
      if (by != thread && !over(cell->written, by < 0 ? block : block_of(by), block))
        return other = by, "race: reads a shared cell that was written since the last barrier";
      const bool alone = over(cell->read, block, block) || cell->reader == thread;
      cell->read = now;
      cell->reader = alone ? u16(thread) : u16(SEVERAL);
    }
    return FINE;
  }

  const char *write(int thread, int block, i64 at, size_t size, int &other) {
    for (Cell *cell = first(block, at); cell != first(block, at + i64(size)); cell++) {
      if (const char *wrong = may_write(thread, block, *cell, other)) return wrong;
      cell->written = now;
      cell->writer = u16(thread);
    }
    return FINE;
  }

  // Raised by any number of threads between two barriers, which may do nothing else to these cells.
  const char *raise(int thread, i64 at, size_t size, int &other) {
    const int block = block_of(thread);
    for (Cell *cell = first(block, at); cell != first(block, at + i64(size)); cell++) {
      if (cell->written < start) return other = -1, "raises a shared cell that was never written";
      if (cell->writer == RAISED) cell->writer = u16(thread);
      if (const char *wrong = may_write(thread, block, *cell, other)) return wrong;
      cell->written = now;
      cell->writer = RAISED;
    }
    return FINE;
  }

  // An asynchronous copy sets out; until it lands nobody may touch its cells.
  const char *depart(int thread, i64 at, size_t size, int &other) {
    const int block = block_of(thread);
    for (Cell *cell = first(block, at); cell != first(block, at + i64(size)); cell++) {
      if (const char *wrong = may_write(thread, block, *cell, other)) return wrong;
      cell->copier = u16(thread + 1);
    }
    return FINE;
  }

  void land(int thread, i64 at, size_t size) {
    const int block = block_of(thread);
    for (Cell *cell = first(block, at); cell != first(block, at + i64(size)); cell++) {
      cell->copier = 0;
      cell->written = now;
      cell->writer = u16(thread);
    }
  }

 private:
  enum { SEVERAL = 0xffff, RAISED = 0xfffe };
  struct alignas(16) Line {
    char byte[16];
  };
  // The last write and read, as intervals between barriers, counted over the launch. Threads of
  // the cell's own block are all that read it.
  struct Cell {
    u32 written = 0, read = 0;
    u16 writer = 0, reader = 0;
    u16 copier = 0;  // the thread whose copy is under way, plus one
  };

  Cell *first(int block, i64 at) { return cells.data() + per_block * size_t(block) + at / CELL; }

  int block_of(int thread) const { return since.size() == 1 ? 0 : thread / block_threads; }

  // Whether what a thread of block `other` did in interval `when` comes before what one of `block`
  // does now.
  bool over(u32 when, int other, int block) const {
    return when < (other == block ? since[size_t(block)] : all_since);
  }

  static const char *in_flight(const Cell &cell, int &other) {
    if (!cell.copier) return FINE;
    other = cell.copier - 1;
    return "touches a shared cell to which an asynchronous copy is under way";
  }

  const char *may_write(int thread, int block, const Cell &cell, int &other) const {
    const int mine = block_of(thread);
    if (const char *wrong = in_flight(cell, other)) return wrong;
    const int by = cell.writer == RAISED ? -1 : cell.writer;
    if (by != thread && !over(cell.written, by < 0 ? mine : block_of(by), mine))
      return other = by, "race: writes a shared cell that was written since the last barrier";
    if (cell.reader != thread && !over(cell.read, block, mine)) {
      other = cell.reader == SEVERAL ? -1 : cell.reader;
      return "race: writes a shared cell that was read since the last barrier";
    }
    return FINE;
  }

  std::vector<Line> bytes;
  std::vector<Cell> cells;
  std::vector<u32> since;  // of each block, the interval after its last barrier
  size_t lines = 0, per_block = 0;
  u64 limit = 0;
  int block_threads = 1;
  u32 now = 1, start = 1, all_since = 1;
};

}  // namespace host
}  // namespace mmafft
