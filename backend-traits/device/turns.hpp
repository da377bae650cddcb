// Two passes that take turns in one launch, so few arrays at a time that what the first leaves is still in the second-level
// cache when the second takes it (`Turns` of plan.rs).
//
// Each block does one tile. Which one follows from a number that it takes when it begins, so that whatever a tile waits
// for belongs to a block that has begun: none waits for ever, in whichever order blocks come. Tiles of both passes
// alternate, as one loads from memory what is new, and the other stores there what is done. (The first pass is a turn ahead
// at least: `Turns::are_possible`.)
//
// The sources of a pass are before this twice, each with its own configuration, as namespaces mmafft_first and mmafft_second.
#pragma once

namespace mmafft_turns {

using mmafft_first::u32;
using mmafft_first::u64;

// `SideWords`, `TurnWords` and `TurnArguments` of src/device/turns.rs.
struct Side {
  u64 tiles, lines, last_lines, load, load_kept, store, store_kept;
};
struct Turns {
  u64 turns, ahead, kept;
  Side passes[2];
};
struct Arguments {
  mmafft_first::Arguments first;
  mmafft_second::Arguments second;
  // The number that is next; of each turn how many tiles of the first pass are done, and then the same of the second.
  u32 *counters;
  Turns turns;
};

struct Tile {
  bool second;
  u32 turn, tile;
};

// The tile of a number: of the first pass alone until it is ahead; of both in proportion; of the second alone.
MMAFFT_DEVICE Tile tile_of(const Turns &t, u32 number) {
  const u32 first = u32(t.passes[0].tiles), second = u32(t.passes[1].tiles), each = first + second;
  const u32 ahead = u32(t.ahead), head = ahead * first, both = (u32(t.turns) - ahead) * each;
  if (number < head) return {false, number / first, number % first};
  number -= head;
  if (number >= both) {
    number -= both;
    return {true, u32(t.turns) - ahead + number / second, number % second};
  }
  const u32 turn = number / each, rest = number % each;
  const u32 before = u32(u64(rest) * first / each), after = u32(u64(rest + 1) * first / each);
  if (after > before) return {false, turn + ahead, before};
  return {true, turn, rest - before};
}

MMAFFT_DEVICE u64 place(u64 bytes, u64 kept, u32 turn) { return bytes * (kept == 0 ? turn : turn % u32(kept)); }

// The pass' arguments for a turn.
template <class A> MMAFFT_DEVICE A of_turn(A a, const Turns &t, const Side &side, u32 turn) {
  a.load = static_cast<const char *>(a.load) + place(side.load, side.load_kept, turn);
  a.store = static_cast<char *>(a.store) + place(side.store, side.store_kept, turn);
  a.lines = turn + 1 == u32(t.turns) ? side.last_lines : side.lines;
  return a;
}

MMAFFT_KERNEL void MMAFFT_BOUNDS(mmafft_first::config.threads, MMAFFT_LESS(mmafft_first::config.residents, mmafft_second::config.residents))
    mmafft_turns(Arguments a) {
  const Turns &t = a.turns;
  u32 *const done = a.counters + 1;
  const bool leads = mmafft_first::thread_index() == 0;
  const Tile tile = tile_of(t, mmafft_first::number_of_block(a.counters));
  u32 *const own = done + (tile.second ? u32(t.turns) : 0) + tile.turn;
  if (leads) {
    // The second pass takes what the first has left; and that may leave it where the second has taken all.
    if (tile.second) mmafft_first::wait_for(done + tile.turn, u32(t.passes[0].tiles));
    else if (t.kept != 0 && tile.turn >= u32(t.kept))
      mmafft_first::wait_for(done + u32(t.turns) + (tile.turn - u32(t.kept)), u32(t.passes[1].tiles));
  }
  mmafft_first::barrier();
  if (tile.second) mmafft_second::dispatch_tile(of_turn(a.second, t, t.passes[1], tile.turn), tile.tile);
  else mmafft_first::dispatch_tile(of_turn(a.first, t, t.passes[0], tile.turn), tile.tile);
  mmafft_first::barrier();
  if (leads) mmafft_first::count_up(own);
}

}  // namespace mmafft_turns
