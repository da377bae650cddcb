// How the lanes of a wave touch memory together: in how many cycles shared memory serves
// them, and how many segments of memory they need.
//
// Lanes run one after another here, so their accesses are put together afterwards: between
// two barriers, the n-th of each kind in every lane was one instruction. (Lanes that leave
// one out fall out of step with the others; whole tiles have none.)
#pragma once
#include <cstddef>
#include <vector>

#include "../config.hpp"

namespace mmafft {
namespace host {

enum Kind { SHARED_READ, SHARED_WRITE, MEMORY_READ, MEMORY_WRITE, KINDS };

// Of all instructions: what they took and the least that they could have.
struct Pattern {
  u64 taken, least;
};

// Shared memory has banks of 4 bytes, and serves 128 bytes a cycle: as many lanes as their
// width allows, unless two of them want different words of one bank.
enum { BANKS = 32, BANK_BYTES = 4 };

// Memory comes in segments: NVIDIA's sectors, AMD's cache lines.
enum { SEGMENT = MMAFFT_WAVE == 32 ? 32 : 64 };

// The accesses of one lane since the last barrier.
struct Accesses {
  std::vector<u64> at[KINDS];
  std::vector<u32> size[KINDS];

  void note(Kind kind, u64 address, size_t bytes) {
    at[kind].push_back(address);
    size[kind].push_back(u32(bytes));
  }
  void clear() {
    for (int k = 0; k < KINDS; k++) {
      at[k].clear();
      size[k].clear();
    }
  }
};

// The distinct numbers of a few.
class Distinct {
 public:
  void add(u64 x) {
    for (u64 y : seen)
      if (x == y) return;
    seen.push_back(x);
  }
  size_t count() const { return seen.size(); }
  void clear() { seen.clear(); }

 private:
  std::vector<u64> seen;
};

// One instruction of shared memory, by the lanes that take part.
static inline void count_banks(const Accesses *const *lanes, int count, Kind kind, size_t n, Pattern &pattern) {
  const int together = [&] {
    for (int lane = 0; lane < count; lane++)
      if (n < lanes[lane]->at[kind].size()) return int(BANKS * BANK_BYTES / lanes[lane]->size[kind][n]);
    return count;
  }();
  for (int first = 0; first < count; first += together) {
    Distinct words[BANKS];
    bool any = false;
    for (int lane = first; lane < first + together && lane < count; lane++) {
      const Accesses &accesses = *lanes[lane];
      if (n >= accesses.at[kind].size()) continue;
      any = true;
      for (u32 b = 0; b < accesses.size[kind][n]; b += BANK_BYTES) {
        const u64 word = (accesses.at[kind][n] + b) / BANK_BYTES;
        words[word % BANKS].add(word);
      }
    }
    size_t most = 0;
    for (const Distinct &bank : words)
      if (bank.count() > most) most = bank.count();
    pattern.taken += most;
    pattern.least += any;
  }
}

// One instruction of memory: segments touched, and the fewest that hold so many bytes.
static inline void count_segments(const Accesses *const *lanes, int count, Kind kind, size_t n, Pattern &pattern) {
  Distinct segments;
  u64 bytes = 0;
  for (int lane = 0; lane < count; lane++) {
    const Accesses &accesses = *lanes[lane];
    if (n >= accesses.at[kind].size()) continue;
    segments.add(accesses.at[kind][n] / SEGMENT);
    bytes += accesses.size[kind][n];
  }
  pattern.taken += segments.count();
  pattern.least += (bytes + SEGMENT - 1) / SEGMENT;
}

// What the lanes of a wave did since the last barrier.
static inline void count_patterns(const Accesses *const *lanes, int count, Pattern *patterns) {
  for (int k = 0; k < KINDS; k++) {
    size_t most = 0;
    for (int lane = 0; lane < count; lane++)
      if (lanes[lane]->at[k].size() > most) most = lanes[lane]->at[k].size();
    for (size_t n = 0; n < most; n++) {
      if (k == SHARED_READ || k == SHARED_WRITE) count_banks(lanes, count, Kind(k), n, patterns[k]);
      else count_segments(lanes, count, Kind(k), n, patterns[k]);
    }
  }
}

}  // namespace host
}  // namespace mmafft
