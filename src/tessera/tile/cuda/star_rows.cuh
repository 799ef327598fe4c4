// What the cells around a vertex say about a relation: codes that sort into its rows.
//
// A code is a row's key above an entry: for the rows of edges (a, b) the local number of b above that of the
// third vertex, say. Local numbers ascend like ids, so that sorted codes are rows in canonical order with
// ascending entries.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tessera/tile/relation.h>
#include <tessera/tile/cuda/tile_block.cuh>

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
  /// Codes are single local numbers: a set of bits sorts them.
  static constexpr bool is_single = is_vertex_row && (is_cell || R::to != Kind::face);
  using Code = std::conditional_t<R::from == Kind::face, std::uint64_t, std::uint32_t>;
  static constexpr int entry_bits = 16;

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
        for (int j = i + 1; j < Dim; ++j) f(others[i] << 16 | others[j]);
      }
    } else if constexpr (R::from == Kind::edge && is_cell) {
      for (const std::uint32_t b : others) {
        if (b > own) f(b << 16 | cell);
      }
    } else if constexpr (R::from == Kind::edge) {
      for (const std::uint32_t b : others) {
        for (const std::uint32_t c : others) {
          if (b > own && c != b) f(b << 16 | c);
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
                                                      std::uint32_t vertex, Code code) {
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
  static constexpr bool is_single = true;
  using Code = std::uint32_t;
  static constexpr int entry_bits = 16;
  template <class F>
  static __device__ void emit(std::uint32_t own, const std::uint32_t (&others)[Dim], std::uint32_t,
                              const F& f) {
    for (const std::uint32_t b : others) {
      if (b > own) f(b);
    }
  }
  [[nodiscard]] static __device__ std::uint32_t entry(const TileFrame<Dim>& tile, const EnumerationView&,
                                                      std::uint32_t, Code code) {
    return tile.vertex_id(code);
  }
};

/// Rows of all edges, also of those without a face above them: code 0 in an entry says that the row is there.
template <int Dim>
struct StarCodes<UpperFaces, Dim> {
  static constexpr bool is_vertex_row = false;
  static constexpr bool is_single = false;
  using Code = std::uint32_t;
  static constexpr int entry_bits = 16;
  static constexpr std::uint32_t is_there = 0;

  template <class F>
  static __device__ void emit(std::uint32_t own, const std::uint32_t (&others)[Dim], std::uint32_t,
                              const F& f) {
    for (int i = 0; i < Dim; ++i) {
      if (others[i] < own) continue;
      f(others[i] << entry_bits | is_there);
      for (int j = i + 1; j < Dim; ++j) f(others[i] << entry_bits | (others[j] + 1));
    }
  }
  [[nodiscard]] static __device__ std::uint32_t entry(const TileFrame<Dim>& tile, const EnumerationView&,
                                                      std::uint32_t, Code code) {
    return tile.vertex_id((code & 0xFFFF) - 1);
  }
};

/// Does a code stand for an entry, or only for its row?
template <class R, int Dim>
__device__ bool is_entry(typename StarCodes<R, Dim>::Code code) {
  if constexpr (requires { StarCodes<R, Dim>::is_there; }) return (code & 0xFFFF) != 0;
  return true;
}

/// Where rows go: by vertex, those of a batch one after the other.
struct RowPlaces {
  const std::uint32_t* batch;         ///< tiles; null: all of them
  const std::uint32_t* batch_vertex;  ///< by tile of the batch: the number of its first vertex; null: its id
  std::uint32_t* rows;                ///< by vertex: how many rows; then where they begin
  std::uint32_t* entries;             ///< by vertex: how many entries; then where they begin
};

inline constexpr std::uint32_t most_codes = 512;  // of a vertex

template <int Dim>
struct RowSpace {
  TileStarsBlock<Dim> stars;
  std::uint64_t* codes;   ///< for each warp
  std::uint32_t* counts;  ///< likewise

  TS_HD RowSpace(SharedSpace& space, const TileSizes& largest, std::uint32_t warps)
      : stars(space, largest),
        codes(space.take<std::uint64_t>(warps * most_codes)),
        counts(space.take<std::uint32_t>(warps)) {}
};

/// The codes of a warp in the making.
template <class R, int Dim>
class CodeList {
 public:
  using Codes = StarCodes<R, Dim>;
  using Code = typename Codes::Code;

  __device__ CodeList(std::uint64_t* memory, std::uint32_t* count, std::uint32_t lane)
      : codes_(reinterpret_cast<Code*>(memory)), count_(count), lane_(lane) {}

  /// Makes it empty. `numbers`: single codes are below.
  __device__ void clear(std::uint32_t numbers) {
    words_ = (numbers + 31) / 32;
    if constexpr (Codes::is_single) {
      for (std::uint32_t i = lane_; i < words_; i += 32) codes_[i] = 0;
    }
    if (lane_ == 0) *count_ = 0;
    __syncwarp();
  }
  __device__ void add(Code code) const {
    if constexpr (Codes::is_single) {
      atomicOr(codes_ + code / 32, 1u << code % 32);
    } else {
      const std::uint32_t at = atomicAdd(count_, 1u);
      if (at < most_codes) codes_[at] = code;
    }
  }
  [[nodiscard]] __device__ bool fits() const { return *count_ <= most_codes; }

  /// Calls f(code, entry, row, is_first) for the list, sorted and without repeats: the places of the entry
  /// and of its row, and whether the row begins here. The code is none() for a row without entries.
  template <class F>
  __device__ void for_each(const F& f) {
    if constexpr (Codes::is_single) {
      for (std::uint32_t base = 0; base < words_; base += 32) {
        std::uint32_t word = base + lane_ < words_ ? codes_[base + lane_] : 0;
        std::uint32_t before = __popc(word);
        const std::uint32_t own = before;
        for (std::uint32_t step = 1; step < 32; step *= 2) {
          const std::uint32_t other = __shfl_up_sync(whole_warp, before, step);
          if (lane_ >= step) before += other;
        }
        const std::uint32_t all = __shfl_sync(whole_warp, before, 31);
        before -= own;
        for (; word != 0; word &= word - 1, ++before) {
          f(32 * (base + lane_) + __ffs(static_cast<int>(word)) - 1, entries_ + before, 0, false);
        }
        entries_ += all;
      }
    } else {
      const std::uint32_t size = *count_;
      sort(size);
      const std::uint32_t below = (1u << lane_) - 1;
      for (std::uint32_t base = 0; base < size; base += 32) {
        const std::uint32_t i = base + lane_;
        const Code code = i < size ? codes_[i] : 0;
        const Code before = i > 0 && i < size ? codes_[i - 1] : 0;
        const bool is_new = i < size && (i == 0 || before != code);
        const bool has_entry = is_new && is_entry<R, Dim>(code);
        const bool is_first = !Codes::is_vertex_row && is_new &&
                              (i == 0 || before >> Codes::entry_bits != code >> Codes::entry_bits);
        const std::uint32_t entries = __ballot_sync(whole_warp, has_entry);
        const std::uint32_t firsts = __ballot_sync(whole_warp, is_first);
        const std::uint32_t entry = entries_ + __popc(entries & below);
        if (has_entry || is_first) {
          f(has_entry ? code : none(), entry, rows_ + __popc(firsts & below), is_first);
        }
        entries_ += __popc(entries);
        rows_ += __popc(firsts);
      }
    }
  }
  static __device__ constexpr Code none() { return static_cast<Code>(~Code{0}); }
  /// After for_each():
  [[nodiscard]] __device__ std::uint32_t entries() const { return entries_; }
  [[nodiscard]] __device__ std::uint32_t rows() const { return Codes::is_vertex_row ? 1 : rows_; }
  __device__ void start() { entries_ = rows_ = 0; }

 private:
  /// Ascending; there is room for a power of two.
  __device__ void sort(std::uint32_t count) const {
    std::uint32_t size = 2;
    while (size < count) size *= 2;
    for (std::uint32_t i = count + lane_; i < size; i += 32) codes_[i] = none();
    __syncwarp();
    for (std::uint32_t width = 2; width <= size; width *= 2) {
      for (std::uint32_t step = width / 2; step > 0; step /= 2) {
        for (std::uint32_t i = lane_; i < size / 2; i += 32) {
          const std::uint32_t low = 2 * step * (i / step) + i % step;
          const bool ascends = (low & width) == 0;
          const Code a = codes_[low];
          const Code b = codes_[low + step];
          if ((a > b) == ascends) {
            codes_[low] = b;
            codes_[low + step] = a;
          }
        }
        __syncwarp();
      }
    }
  }

  Code* codes_;
  std::uint32_t* count_;
  std::uint32_t lane_;
  std::uint32_t words_ = 0;
  std::uint32_t entries_ = 0;
  std::uint32_t rows_ = 0;
};

/// One pass over the tiles of a batch: counts, or fills what was counted. A block for each tile, a warp for
/// each vertex. `overflow` is set if a vertex has too many codes.
template <class R, int Dim, bool Fills>
__global__ void __launch_bounds__(1024)
    star_rows_kernel(TilesView<Dim> tiles, EnumerationView ids, RowPlaces places, std::uint32_t* offsets,
                     std::uint32_t* values, std::uint32_t* overflow) {
  using Codes = StarCodes<R, Dim>;
  using Code = typename Codes::Code;
  extern __shared__ __align__(16) char memory[];
  __shared__ std::uint32_t scan_space[BlockTeam::max_warps];
  SharedSpace shared(memory);
  const std::uint32_t warps = blockDim.x / 32;
  const RowSpace<Dim> space(shared, tiles.largest, warps);
  const std::uint32_t t = places.batch == nullptr ? blockIdx.x : places.batch[blockIdx.x];
  const TileFrame<Dim> tile(tiles, t);
  space.stars.load(BlockTeam(scan_space), tile);
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t warp = threadIdx.x / 32;
  CodeList<R, Dim> list(space.codes + most_codes * warp, space.counts + warp, lane);
  const std::uint32_t first =
      places.batch_vertex == nullptr ? tile.first_vertex : places.batch_vertex[blockIdx.x];
  for (std::uint32_t v = warp; v < tile.owned; v += warps) {
    const std::uint32_t own = v + tile.lower;
    if (max(tile.vertices, tile.cells) > 32 * (2 * most_codes)) {  // more than the list has bits
      if (lane == 0) *overflow = 1;
      break;
    }
    list.clear(max(tile.vertices, tile.cells));
    for (std::uint32_t i = space.stars.begin(v) + lane; i < space.stars.end(v); i += 32) {
      const std::uint32_t c = space.stars.star[i];
      const LocalCell cell = space.stars.cells[c];
      std::uint32_t others[Dim];
      int n = 0;
      for (int k = 0; k <= Dim; ++k) {
        if (cell.corner[k] != own) others[n++] = cell.corner[k];
      }
      Codes::emit(own, others, c, [&](Code code) { list.add(code); });
    }
    __syncwarp();
    if (!list.fits()) {
      if (lane == 0) *overflow = 1;
      continue;
    }
    list.start();
    const std::uint32_t row_base = Fills ? places.rows[first + v] : 0;
    const std::uint32_t entry_base = Fills ? places.entries[first + v] : 0;
    if (Fills && Codes::is_vertex_row && lane == 0) offsets[row_base] = entry_base;
    list.for_each([&](Code code, std::uint32_t entry, std::uint32_t row, bool is_first) {
      if constexpr (Fills) {
        if (is_first) offsets[row_base + row] = entry_base + entry;
        if (code != list.none())
          values[entry_base + entry] = Codes::entry(tile, ids, tile.first_vertex + v, code);
      }
    });
    if (!Fills && lane == 0) {
      places.rows[first + v] = list.rows();
      places.entries[first + v] = list.entries();
    }
    __syncwarp();
  }
}

}  // namespace tessera::cuda
