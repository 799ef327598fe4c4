// What the cells around a vertex say about a relation: codes that sort into its rows.
//
// A code is a row's key above an entry: for the rows of edges (a, b) the local number of b above that of the third
// vertex, say. Local numbers ascend like ids, so that sorted codes are rows in canonical order with ascending
// entries.
#pragma once

#include <cstdint>

#include <tessera/tile/cuda/tile_block.cuh>
#include <tessera/tile/relation.h>

namespace tessera::cuda {

/// The enumeration as kernels see it.
struct EnumerationView {
  const std::uint32_t* edge_offsets;
  const std::uint32_t* edge_hi;
  const std::uint32_t* face_offsets;
  const std::uint32_t* face_hi;

  [[nodiscard]] static __device__ std::uint32_t find(const std::uint32_t* values, std::uint32_t low,
                                                     std::uint32_t high, std::uint32_t value) {
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (values[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  [[nodiscard]] __device__ std::uint32_t edge(std::uint32_t a, std::uint32_t b) const {
    return find(edge_hi, edge_offsets[a], edge_offsets[a + 1], b);
  }
  [[nodiscard]] __device__ std::uint32_t face_above(std::uint32_t e, std::uint32_t c) const {
    return find(face_hi, face_offsets[e], face_offsets[e + 1], c);
  }
  /// Of ascending vertices.
  [[nodiscard]] __device__ std::uint32_t face(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return face_above(edge(a, b), c);
  }
  /// Of any three.
  [[nodiscard]] __device__ std::uint32_t face_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t low = min(a, min(b, c));
    const std::uint32_t high = max(a, max(b, c));
    return face(low, a ^ b ^ c ^ low ^ high, high);
  }
};

/// The enumeration itself: edges of vertices, and faces of edges, by their highest vertex.
struct UpperEdges {};
struct UpperFaces {};

template <class R, int Dim>
struct StarCodes {
  static constexpr bool is_vertex_row = R::from == Kind::vertex;
  static constexpr bool is_cell = static_cast<int>(R::to) == Dim;  ///< entries are cells
  static constexpr int entry_bits = R::from == Kind::vertex && R::to == Kind::face && !is_cell ? 32 : 16;

  /// Calls f(code) for what one cell says. `others` are its vertices but `own`, ascending.
  template <class F>
  static __device__ void emit(std::uint32_t own, const std::uint32_t (&others)[Dim], std::uint32_t cell,
                              const F& f) {
    if constexpr (is_vertex_row && is_cell) {
      f(cell);
    } else if constexpr (is_vertex_row && R::to != Kind::face) {
      for (const std::uint32_t p : others) f(p);
    } else if constexpr (is_vertex_row) {
      for (int i = 0; i < Dim; ++i) {
        for (int j = i + 1; j < Dim; ++j) f(std::uint64_t{others[i]} << 16 | others[j]);
      }
    } else if constexpr (R::from == Kind::edge && is_cell) {
      for (const std::uint32_t b : others) {
        if (b > own) f(std::uint64_t{b} << 16 | cell);
      }
    } else if constexpr (R::from == Kind::edge) {
      for (const std::uint32_t b : others) {
        for (const std::uint32_t c : others) {
          if (b > own && c != b) f(std::uint64_t{b} << 16 | c);
        }
      }
    } else {
      for (int i = 0; i < Dim; ++i) {
        for (int j = i + 1; j < Dim; ++j) {
          if (others[i] > own) f(std::uint64_t{others[i]} << 32 | std::uint64_t{others[j]} << 16 | cell);
        }
      }
    }
  }

  [[nodiscard]] static __device__ std::uint32_t entry(const TileFrame<Dim>& tile, const EnumerationView& ids,
                                                      std::uint32_t vertex, std::uint64_t code) {
    const std::uint32_t last = code & 0xFFFF;
    if constexpr (is_cell) {
      return tile.cell_id(last);
    } else if constexpr (R::to == Kind::vertex) {
      return tile.vertex_id(last);
    } else if constexpr (R::to == Kind::edge) {
      const std::uint32_t other = tile.vertex_id(last);
      return ids.edge(min(vertex, other), max(vertex, other));
    } else {
      return ids.face_of(vertex, tile.vertex_id(static_cast<std::uint32_t>(code >> 16) & 0xFFFF),
                         tile.vertex_id(last));
    }
  }
};

template <int Dim>
struct StarCodes<UpperEdges, Dim> {
  static constexpr bool is_vertex_row = true;
  static constexpr int entry_bits = 16;
  template <class F>
  static __device__ void emit(std::uint32_t own, const std::uint32_t (&others)[Dim], std::uint32_t,
                              const F& f) {
    for (const std::uint32_t b : others) {
      if (b > own) f(b);
    }
  }
  [[nodiscard]] static __device__ std::uint32_t entry(const TileFrame<Dim>& tile, const EnumerationView&,
                                                      std::uint32_t, std::uint64_t code) {
    return tile.vertex_id(code & 0xFFFF);
  }
};

/// Rows of all edges, also of those without a face above them: code 0 in an entry says that the row is there.
template <int Dim>
struct StarCodes<UpperFaces, Dim> {
  static constexpr bool is_vertex_row = false;
  static constexpr int entry_bits = 17;
  static constexpr std::uint32_t is_there = 0;

  template <class F>
  static __device__ void emit(std::uint32_t own, const std::uint32_t (&others)[Dim], std::uint32_t,
                              const F& f) {
    for (int i = 0; i < Dim; ++i) {
      if (others[i] < own) continue;
      f(std::uint64_t{others[i]} << entry_bits | is_there);
      for (int j = i + 1; j < Dim; ++j) f(std::uint64_t{others[i]} << entry_bits | (others[j] + 1));
    }
  }
  [[nodiscard]] static __device__ std::uint32_t entry(const TileFrame<Dim>& tile, const EnumerationView&,
                                                      std::uint32_t, std::uint64_t code) {
    return tile.vertex_id((code & 0x1FFFF) - 1);
  }
};

/// Does a code stand for an entry, or only for its row?
template <class R, int Dim>
__device__ bool is_entry(std::uint64_t code) {
  if constexpr (requires { StarCodes<R, Dim>::is_there; }) return (code & 0x1FFFF) != 0;
  return true;
}

/// Where rows go: by vertex, those of a batch one after the other.
struct RowPlaces {
  const std::uint32_t* batch;         ///< tiles; null: all of them
  const std::uint32_t* batch_vertex;  ///< by tile of the batch: the number of its first vertex; null: its id
  std::uint32_t* rows;                ///< by vertex: how many rows; then where they begin
  std::uint32_t* entries;             ///< by vertex: how many entries; then where they begin
};

inline constexpr int row_threads = 256;
inline constexpr std::uint32_t row_warps = row_threads / 32;
inline constexpr std::uint32_t most_codes = 512;  // of a vertex

template <int Dim>
struct RowSpace {
  TileStarsBlock<Dim> stars;
  std::uint64_t* codes;   ///< for each warp
  std::uint32_t* counts;  ///< likewise

  TS_HD RowSpace(SharedSpace& space, const TileSizes& largest)
      : stars(space, largest),
        codes(space.take<std::uint64_t>(row_warps * most_codes)),
        counts(space.take<std::uint32_t>(row_warps)) {}
};

/// Sorts the codes of a warp ascending; there is room for a power of two.
__device__ inline void sort_codes(std::uint64_t* codes, std::uint32_t count, std::uint32_t lane) {
  std::uint32_t size = 2;
  while (size < count) size *= 2;
  for (std::uint32_t i = count + lane; i < size; i += 32) codes[i] = ~std::uint64_t{0};
  __syncwarp();
  for (std::uint32_t width = 2; width <= size; width *= 2) {
    for (std::uint32_t step = width / 2; step > 0; step /= 2) {
      for (std::uint32_t i = lane; i < size / 2; i += 32) {
        const std::uint32_t low = 2 * step * (i / step) + i % step;
        const bool ascends = (low & width) == 0;
        const std::uint64_t a = codes[low];
        const std::uint64_t b = codes[low + step];
        if ((a > b) == ascends) {
          codes[low] = b;
          codes[low + step] = a;
        }
      }
      __syncwarp();
    }
  }
}

/// One pass over the tiles of a batch: counts, or fills what was counted. A block for each tile, a warp for each
/// vertex. `overflow` is set if a vertex has too many codes.
template <class R, int Dim, bool Fills>
__global__ void __launch_bounds__(row_threads)
    star_rows_kernel(TilesView<Dim> tiles, EnumerationView ids, RowPlaces places, std::uint32_t* offsets,
                     std::uint32_t* values, std::uint32_t* overflow) {
  using Codes = StarCodes<R, Dim>;
  extern __shared__ __align__(16) char memory[];
  __shared__ std::uint32_t scan_space[BlockTeam::max_warps];
  SharedSpace shared(memory);
  const RowSpace<Dim> space(shared, tiles.largest);
  const std::uint32_t t = places.batch == nullptr ? blockIdx.x : places.batch[blockIdx.x];
  const TileFrame<Dim> tile(tiles, t);
  space.stars.load(BlockTeam(scan_space), tile);
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t warp = threadIdx.x / 32;
  std::uint64_t* const codes = space.codes + most_codes * warp;
  std::uint32_t* const count = space.counts + warp;
  const std::uint32_t first =
      places.batch_vertex == nullptr ? tile.first_vertex : places.batch_vertex[blockIdx.x];
  for (std::uint32_t v = warp; v < tile.owned; v += row_warps) {
    const std::uint32_t own = v + tile.lower;
    if (lane == 0) *count = 0;
    __syncwarp();
    for (std::uint32_t i = space.stars.begin(v) + lane; i < space.stars.end(v); i += 32) {
      const std::uint32_t c = space.stars.star[i];
      const LocalCell cell = space.stars.cells[c];
      std::uint32_t others[Dim];
      int n = 0;
      for (int k = 0; k <= Dim; ++k) {
        if (cell.corner[k] != own) others[n++] = cell.corner[k];
      }
      Codes::emit(own, others, c, [&](std::uint64_t code) {
        const std::uint32_t at = atomicAdd(count, 1u);
        if (at < most_codes) codes[at] = code;
      });
    }
    __syncwarp();
    const std::uint32_t size = *count;
    if (size > most_codes) {
      if (lane == 0) *overflow = 1;
      continue;
    }
    sort_codes(codes, size, lane);
    std::uint32_t rows = Codes::is_vertex_row ? 1 : 0;
    std::uint32_t entries = 0;
    const std::uint32_t row_base = Fills ? places.rows[first + v] : 0;
    const std::uint32_t entry_base = Fills ? places.entries[first + v] : 0;
    if (Fills && Codes::is_vertex_row && lane == 0) offsets[row_base] = entry_base;
    for (std::uint32_t base = 0; base < size; base += 32) {
      const std::uint32_t i = base + lane;
      const std::uint64_t code = i < size ? codes[i] : 0;
      const std::uint64_t before = i > 0 && i < size ? codes[i - 1] : 0;
      const bool is_new = i < size && (i == 0 || before != code) && is_entry<R, Dim>(code);
      const bool is_first = !Codes::is_vertex_row && i < size &&
                            (i == 0 || before >> Codes::entry_bits != code >> Codes::entry_bits);
      const std::uint32_t new_ones = __ballot_sync(whole_warp, is_new);
      const std::uint32_t first_ones = __ballot_sync(whole_warp, is_first);
      if constexpr (Fills) {
        const std::uint32_t below = (1u << lane) - 1;
        const std::uint32_t at = entry_base + entries + __popc(new_ones & below);
        if (is_first) offsets[row_base + rows + __popc(first_ones & below)] = at;
        if (is_new) values[at] = Codes::entry(tile, ids, tile.first_vertex + v, code);
      }
      entries += __popc(new_ones);
      rows += __popc(first_ones);
    }
    if (!Fills && lane == 0) {
      places.rows[first + v] = rows;
      places.entries[first + v] = entries;
    }
    __syncwarp();
  }
}

}  // namespace tessera::cuda
