// The pairing of a lower star (lower_star.h) by a warp.
//
// Cells of the lower star are numbered edges first, then triangles, then tets; the algorithm's order of them
// is that of their keys, the descending ranks of their lower vertices. What Robins, Wood and Sheppard keep in
// two queues is here read off: a cell waits in the first queue if exactly one of its facets is unpaired, in
// the second if none is. (A cell's facets are paired one at a time, so it cannot miss its turn in the
// first.) The head of a queue is the least key over the lanes of the warp.
//
// A twin of lower_star.h, which keeps a vertex's queues in the words of one thread. A warp looks at all cells
// of a star at once and needs no queues: 44 ms for the gradient of 99.5 million tets, 16 host threads 1670
// (docs/gpu.md). Both compare the keys of order.h, and the tests compare all pairs.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tessera/topology/order.h>
#include <tessera/tile/detail/cuda/tile_block.cuh>

namespace tessera::detail::cuda {

inline constexpr std::uint32_t star_chunks = 3;   // cells of a star that a lane may have
inline constexpr std::uint32_t most_cells = 192;  // of a lower star
inline constexpr std::uint32_t most_lower = 32;   // lower neighbours
inline constexpr std::uint16_t unpaired_mark = 0xFFFF;
inline constexpr std::uint16_t critical_mark = 0xFFFE;

/// What a warp needs for one vertex.
struct WarpSpace {
  std::uint32_t slots[NeighbourSlots::count];
  std::uint32_t below[most_lower];       ///< by rank: the lower ranks that form a triangle with it
  std::uint32_t first_face[most_lower];  ///< by rank: the number of the first of these triangles
  std::uint32_t keys[most_cells];        ///< ranks + 1, descending, 6 bits each, above the cell's own number
  std::uint32_t tet_facets[32 * star_chunks];  ///< by tet: its triangles, 8 bits each
  std::uint32_t masks[32 * star_chunks];       ///< by cell of the star: ranks of its lower vertices
  std::uint32_t
      around[most_cells];  ///< by facet: how many cells of the star have it, above the sum of their places
  std::uint16_t mates[most_cells];
  std::uint16_t row[most_lower];  ///< by rank: local vertices
  std::uint8_t ranks[NeighbourSlots::count];
};

__device__ inline std::uint32_t rank_of_key(std::uint32_t key, int place) {
  return (key >> (8 + 6 * (2 - place)) & 63) - 1;
}

/// One lower star in the hands of a warp.
template <int Dim>
struct LowerStarWarp {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;  ///< above all keys

  WarpSpace& space;
  std::uint32_t lane;
  std::uint32_t lower = 0;  ///< neighbours below
  std::uint32_t faces = 0;  ///< triangles
  std::uint32_t cells = 0;
  std::uint32_t size = 0;  ///< of the star

  [[nodiscard]] __device__ std::uint32_t face(std::uint32_t high, std::uint32_t low) const {
    return space.first_face[high] + __popc(space.below[high] & ((1u << low) - 1));
  }
  [[nodiscard]] __device__ bool is_tet(std::uint32_t cell) const { return cell >= lower + faces; }

  /// Ranks the lower neighbours in the slots. False if there are too many.
  __device__ bool rank(const NeighbourSlots& slots, const VertexOrderKey* order) {
    const std::uint32_t first = slots[lane];
    const std::uint32_t second = slots[lane + 32];
    std::uint64_t taken = warp_slots(first != slots.free, second != slots.free);
    lower = __popcll(taken);
    if (lower > most_lower) return false;
    const VertexOrderKey mine[2] = {first != slots.free ? order[first] : 0,
                                    second != slots.free ? order[second] : 0};
    std::uint32_t ranks[2] = {0, 0};
    for (; taken != 0; taken &= taken - 1) {
      const VertexOrderKey other = order[slots[__ffsll(static_cast<long long>(taken)) - 1]];
      ranks[0] += other < mine[0] ? 1 : 0;
      ranks[1] += other < mine[1] ? 1 : 0;
    }
    if (first != slots.free) {
      space.ranks[lane] = static_cast<std::uint8_t>(ranks[0]);
      space.row[ranks[0]] = static_cast<std::uint16_t>(first);
    }
    if (second != slots.free) {
      space.ranks[lane + 32] = static_cast<std::uint8_t>(ranks[1]);
      space.row[ranks[1]] = static_cast<std::uint16_t>(second);
    }
    space.below[lane] = 0;
    __syncwarp();
    return true;
  }

  /// Numbers edges and triangles; all masks are known. `tops` is the number of tets (3D).
  __device__ bool number(std::uint32_t tops) {
    for (std::uint32_t i = lane; i < size; i += 32) {
      std::uint32_t mask = space.masks[i];
      while (__popc(mask) > 1) {  // each rank with those below it
        const std::uint32_t high = 31 - __clz(mask);
        mask ^= 1u << high;
        atomicOr(&space.below[high], mask);
      }
    }
    __syncwarp();
    const std::uint32_t below = space.below[lane];
    std::uint32_t before = __popc(below);
    const std::uint32_t own = before;
    for (std::uint32_t step = 1; step < 32; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(whole_warp, before, step);
      if (lane >= step) before += other;
    }
    faces = __shfl_sync(whole_warp, before, 31);
    before += lower - own;
    space.first_face[lane] = before;
    cells = lower + faces + (Dim == 3 ? tops : 0);
    if (cells > most_cells) return false;
    if (lane < lower) space.keys[lane] = (lane + 1) << 20 | lane;
    for (std::uint32_t lows = below; lows != 0; lows &= lows - 1, ++before) {
      space.keys[before] = (lane + 1) << 20 | __ffs(static_cast<int>(lows)) << 14 | before;
    }
    for (std::uint32_t c = lane; c < cells; c += 32) {
      space.mates[c] = unpaired_mark;
      space.around[c] = 0;
    }
    __syncwarp();
    return true;
  }

  /// Tells every facet of the lower star which cells have it.
  __device__ void tell_facets() const {
    for (std::uint32_t i = lane; i < size; i += 32) {
      const std::uint32_t mask = space.masks[i];
      const std::uint32_t told = 1u << 16 | i;
      for (std::uint32_t highs = mask; highs != 0; highs &= highs - 1) {
        const std::uint32_t low = __ffs(static_cast<int>(highs)) - 1;
        if constexpr (Dim == 2) {
          atomicAdd(&space.around[low], told);
        } else {
          for (std::uint32_t rest = highs & (highs - 1); rest != 0; rest &= rest - 1) {
            atomicAdd(&space.around[face(__ffs(static_cast<int>(rest)) - 1, low)], told);
          }
        }
      }
    }
  }

  /// The facets of a cell as a set of numbers.
  [[nodiscard]] __device__ std::uint64_t facets(std::uint32_t cell) const {
    if (cell < lower || cell >= cells) return 0;
    if (!is_tet(cell)) {
      const std::uint32_t key = space.keys[cell];
      return bit64(rank_of_key(key, 0)) | bit64(rank_of_key(key, 1));
    }
    const std::uint32_t three = space.tet_facets[cell - lower - faces];
    return bit64(three & 255) | bit64(three >> 8 & 255) | bit64(three >> 16);
  }

  /// Pairs up to 32 cells a chunk, in registers. Most stars are one chunk.
  template <int chunks>
  __device__ void pair_few() const {
    using Set = std::conditional_t<chunks == 1, std::uint32_t, std::uint64_t>;
    Set self[chunks];
    Set mine[chunks];
    std::uint32_t keys[chunks];
    for (int k = 0; k < chunks; ++k) {
      const std::uint32_t cell = lane + 32 * k;
      self[k] = Set{1} << cell;
      mine[k] = static_cast<Set>(facets(cell));
      keys[k] = cell < cells ? space.keys[cell] : none;
    }
    // Edge 0 is the vertex's.
    Set left = (cells == 32 * chunks ? ~Set{0} : (Set{1} << cells) - 1) & ~Set{1};
    const auto least = [&](auto is_wanted) {
      std::uint32_t key = none;
      for (int k = 0; k < chunks; ++k) {
        if ((left & self[k]) != 0 && is_wanted(mine[k] & left)) key = min(key, keys[k]);
      }
      return __reduce_min_sync(whole_warp, key);
    };
    while (true) {
      std::uint32_t pick = least([](Set open) { return open != 0 && (open & (open - 1)) == 0; });
      if (pick != none) {
        const std::uint32_t i = pick & 255;
        const Set open = (i < 32 ? mine[0] : mine[chunks - 1]) & left;
        const int own = chunks == 1 ? __ffs(static_cast<int>(open)) : __ffsll(static_cast<long long>(open));
        const std::uint32_t facet = __shfl_sync(whole_warp, own - 1, static_cast<int>(i % 32));
        if (lane == 0) {
          space.mates[i] = static_cast<std::uint16_t>(facet);
          space.mates[facet] = static_cast<std::uint16_t>(i);
        }
        left &= ~(Set{1} << i | Set{1} << facet);
        continue;
      }
      pick = least([](Set open) { return open == 0; });
      if (pick == none) break;
      if (lane == 0) space.mates[pick & 255] = critical_mark;
      left &= ~(Set{1} << (pick & 255));
    }
    __syncwarp();
  }

  /// The unpaired facets of a cell: how many, and one of them.
  [[nodiscard]] __device__ std::uint32_t open_facets(std::uint32_t cell, std::uint32_t& facet) const {
    std::uint32_t count = 0;
    const auto see = [&](std::uint32_t f) {
      if (space.mates[f] != unpaired_mark) return;
      facet = f;
      ++count;
    };
    if (cell < lower) return 0;
    if (!is_tet(cell)) {
      see(rank_of_key(space.keys[cell], 0));
      see(rank_of_key(space.keys[cell], 1));
    } else {
      const std::uint32_t three = space.tet_facets[cell - lower - faces];
      see(three & 255), see(three >> 8 & 255), see(three >> 16);
    }
    return count;
  }

  /// Pairs any number of cells that has room, in shared memory.
  __device__ void pair_many() const {
    if (lane == 0) space.mates[0] = critical_mark;  // for now: it is the vertex's
    __syncwarp();
    while (true) {
      std::uint32_t one = none;
      std::uint32_t zero = none;
      for (std::uint32_t c = lane; c < cells; c += 32) {
        if (space.mates[c] != unpaired_mark) continue;
        std::uint32_t facet = 0;
        const std::uint32_t open = open_facets(c, facet);
        if (open == 1) one = min(one, space.keys[c]);
        if (open == 0) zero = min(zero, space.keys[c]);
      }
      std::uint32_t pick = __reduce_min_sync(whole_warp, one);
      const bool pairs = pick != none;
      if (!pairs) pick = __reduce_min_sync(whole_warp, zero);
      if (pick == none) return;
      __syncwarp();
      if (lane == 0) {
        const std::uint32_t i = pick & 255;
        std::uint32_t facet = 0;
        if (pairs) {
          (void)open_facets(i, facet);
          space.mates[i] = static_cast<std::uint16_t>(facet);
          space.mates[facet] = static_cast<std::uint16_t>(i);
        } else {
          space.mates[i] = critical_mark;
        }
      }
      __syncwarp();
    }
  }
};

}  // namespace tessera::detail::cuda
