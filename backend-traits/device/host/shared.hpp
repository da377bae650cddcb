// The shared memory of an emulated block, with a record of who touched each cell since the
// last barrier. Between two barriers a cell may be read by many threads, or used by one:
// anything else has a result that depends on the order in which threads run.
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

  void prepare(size_t size) {
    bytes.assign((size + 15) / 16, Line());
    cells.assign(size / CELL, Cell());
    limit = size / CELL * CELL;
    now = block_start = 1;
  }

  // What a block before has left is not there: NaN in every storage.
  void start_block() {
    now++;
    block_start = now;
    if (!bytes.empty()) std::memset(bytes.data(), 0xff, bytes.size() * sizeof(Line));
  }

  void barrier() { now++; }

  // Bytes from `at` on lie inside.
  bool holds(i64 at, size_t size) const {
    return at >= 0 && u64(at) + size <= limit && at % CELL == 0 && size % CELL == 0;
  }

  char *data(i64 at) { return reinterpret_cast<char *>(bytes.data()) + at; }

  // Each of these records what `thread` does to the cells of [at, at + size), which lie
  // inside, and returns what is wrong with it, and `other`, the thread at odds, or -1.
  const char *read(int thread, i64 at, size_t size, int &other) {
    for (Cell *cell = first(at); cell != first(at + i64(size)); cell++) {
      if (const char *wrong = in_flight(*cell, other)) return wrong;
      if (cell->written < block_start) return other = -1, "reads a shared cell that was never written";
      if (cell->written == now && cell->writer != thread)
        return other = cell->writer, "race: reads a shared cell that was written since the last barrier";
      if (cell->read != now) {
        cell->read = now;
        cell->reader = u16(thread);
      } else if (cell->reader != thread) {
        cell->reader = SEVERAL;
      }
    }
    return FINE;
  }

  const char *write(int thread, i64 at, size_t size, int &other) {
    for (Cell *cell = first(at); cell != first(at + i64(size)); cell++) {
      if (const char *wrong = may_write(thread, *cell, other)) return wrong;
      cell->written = now;
      cell->writer = u16(thread);
    }
    return FINE;
  }

  // An asynchronous copy sets out; until it lands nobody may touch its cells.
  const char *depart(int thread, i64 at, size_t size, int &other) {
    for (Cell *cell = first(at); cell != first(at + i64(size)); cell++) {
      if (const char *wrong = may_write(thread, *cell, other)) return wrong;
      cell->copier = u16(thread + 1);
    }
    return FINE;
  }

  void land(int thread, i64 at, size_t size) {
    for (Cell *cell = first(at); cell != first(at + i64(size)); cell++) {
      cell->copier = 0;
      cell->written = now;
      cell->writer = u16(thread);
    }
  }

 private:
  enum { SEVERAL = 0xffff };
  struct alignas(16) Line {
    char byte[16];
  };
  // The last write and read, as intervals between barriers, counted over the launch.
  struct Cell {
    u32 written = 0, read = 0;
    u16 writer = 0, reader = 0;
    u16 copier = 0;  // the thread whose copy is under way, plus one
  };

  Cell *first(i64 at) { return cells.data() + at / CELL; }

  static const char *in_flight(const Cell &cell, int &other) {
    if (!cell.copier) return FINE;
    other = cell.copier - 1;
    return "touches a shared cell to which an asynchronous copy is under way";
  }

  const char *may_write(int thread, const Cell &cell, int &other) const {
    if (const char *wrong = in_flight(cell, other)) return wrong;
    if (cell.written == now && cell.writer != thread)
      return other = cell.writer, "race: writes a shared cell that was written since the last barrier";
    if (cell.read == now && cell.reader != thread) {
      other = cell.reader == SEVERAL ? -1 : cell.reader;
      return "race: writes a shared cell that was read since the last barrier";
    }
    return FINE;
  }

  std::vector<Line> bytes;
  std::vector<Cell> cells;
  u64 limit = 0;
  u32 now = 1, block_start = 1;
};

}  // namespace host
}  // namespace mmafft
